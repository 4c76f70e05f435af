# For tests of whole studies: source it with $gofh set. Works in a folder of its own, which has
#   sim.sh X Y RESULTS [WHEN]   c = (x - 1, y - 2, xy - 2) and t = x + y as JSON, after so many seconds, or
#                               when there is a file of that name, with a "/" in it
# shellcheck shell=bash disable=SC2034,SC2154
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
unset NO_COLOR

fail() {
    echo "FAILED: $1"
    failed=1
}

# torture_count SAMPLE FULL: how many rounds a long random test does: FULL if the environment has
# GOFH_TORTURE.
torture_count() {
    if [ -n "${GOFH_TORTURE:-}" ]; then echo "$2"; else echo "$1"; fi
}

cat > sim.sh << 'SIMULATOR'
#!/bin/sh
case $4 in
    '') ;;
    */*) until [ -e "$4" ]; do sleep 0.05; done ;;
    *) sleep "$4" || kill -TERM $$ ;; # what ends the sleep ends it
esac
awk -v x="$1" -v y="$2" 'BEGIN { printf "{\"c\": [%.17g, %.17g, %.17g], \"t\": %.17g}\n", x-1, y-2, x*y-2, x+y }' > "$3"
SIMULATOR
chmod +x sim.sh

# problem NAME STUDY COMMAND [LINES]: writes NAME.yaml; LINES belong to the simulator. Without
# COMMAND there is none.
problem() {
    {
        printf 'study: {%s}\nparameters:\n  x: {lower: 0, upper: 3}\n  y: {lower: 0.5, upper: 5, scale: log}\n' "$2"
        [ -z "${3:-}" ] || printf 'simulator:\n  command: %s\n%s' "$3" "${4:+$4$'\n'}"
        printf 'outputs: {c: 3, t: 1}\nobjective:\n  minimize: sum(c^2)\n'
    } > "$1.yaml"
}
simulator='./sim.sh {x} {y} {results}'

# expect STATUS TEXT ARGUMENTS...: gofh ends with STATUS, and has TEXT in its output (out.txt) or
# messages (err.txt).
expect() {
    local expected=$1 text=$2 status=0
    shift 2
    "$gofh" "$@" > out.txt 2> err.txt || status=$?
    [ "$status" = "$expected" ] || fail "gofh $*: exit status $status, not $expected: $(cat out.txt err.txt)"
    [[ $(cat out.txt err.txt) == *"$text"* ]] || fail "gofh $*: no \"$text\" in: $(cat out.txt err.txt)"
}

# json STATUS EXPRESSION ARGUMENTS...: one JSON value is printed, and the Python EXPRESSION of it
# (j) is true.
json() {
    local expected=$1 expression=$2
    shift 2
    expect "$expected" "" "$@" --json
    python3 -m json.tool out.txt > /dev/null || fail "gofh $* --json: not JSON: $(cat out.txt)"
    python3 -c "import json; j = json.load(open('out.txt')); assert $expression, j" ||
        fail "gofh $* --json: not so: $expression"
}

# await COMMAND...: waits until the command succeeds; an hour, as a busy machine takes its time.
await() {
    local end=$((SECONDS + 3600))
    until "$@" > /dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.05
    done
}

# The number of trials in a state.
count() { "$gofh" export "$1.yaml" 2> /dev/null | grep -c ",$2,"; }

# start NAME: a run in the background whose simulator is running; $process is its number.
start() {
    rm -f "$1".began.*
    "$gofh" run "$1.yaml" > "$1.out" 2> "$1.err" &
    process=$!
    await compgen -G "$1.began.*" || fail "$1: no simulator began: $(cat "$1.out" "$1.err")"
}

# finish NAME STATUS TEXT: the run ends with STATUS, and its output has TEXT.
finish() {
    local status=0
    wait "$process" || status=$?
    [ "$status" = "$2" ] || fail "$1: exit status $status, not $2: $(cat "$1.out" "$1.err")"
    [[ $(cat "$1.out" "$1.err") == *"$3"* ]] || fail "$1: no \"$3\" in: $(cat "$1.out" "$1.err")"
}

# interrupt_twice NAME: ^C, and again when the run of the background has seen the first.
interrupt_twice() {
    kill -INT "$process"
    await grep -qF '^C within 5 s cancels' "$1.err" || fail "$1: ^C is not seen: $(cat "$1.err")"
    kill -INT "$process"
}

# held NAME: a problem whose simulators, two at once, begin and then wait for `release NAME`.
held() {
    rm -f "$1.go"
    problem "$1" 'budget: 4' "./held.sh $1 {trial} {x} {y} {results}" '  parallel: 2'
}
release() { touch "$1.go"; }
cat > held.sh << 'SIMULATOR'
#!/bin/sh
here=$(dirname "$0")
touch "$here/$1.began.$2"
while [ ! -e "$here/$1.go" ]; do sleep 0.05; done
exec "$here/sim.sh" "$3" "$4" "$5"
SIMULATOR
chmod +x held.sh

# logged.sh NAME TRIAL ...: the simulator, which says in log.NAME which trial it begins.
make_logged() {
    cat > logged.sh << 'SIMULATOR'
#!/bin/sh
echo "$2" >> "$GOFH_PROBLEM_DIR/log.$1"
shift 2
exec "$GOFH_PROBLEM_DIR/sim.sh" "$@"
SIMULATOR
    chmod +x logged.sh
}

# kill_at_random NAME BUDGET ROUNDS SECONDS: kills the run of a logged study so often, each time within so
# many seconds; where it is complete, it begins anew. Then it ends by itself. Needs the test's ran_once.
kill_at_random() {
    local round process
    for ((round = 0; round < $3; round++)); do
        if [ "$(count "$1" "done")" = "$2" ]; then
            ran_once "$1" "$2"
            rm -rf "$1.gofh" "log.$1"
        fi
        "$gofh" run "$1.yaml" > "$1.out" 2>&1 &
        process=$!
        sleep "$(($4 > 1 ? RANDOM % $4 : 0)).$((RANDOM % 10))$((RANDOM % 10))"
        kill -KILL $process 2> /dev/null
        wait $process 2> /dev/null
    done
    expect 0 "$2 evaluations done, 0 failed" run "$1.yaml"
    ran_once "$1" "$2"
}
