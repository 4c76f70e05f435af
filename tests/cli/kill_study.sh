#!/usr/bin/env bash
# Kills studies at random moments until their budgets are used up: no evaluation is lost, none is
# done twice but those in flight at a kill, and each study ends as one that nobody killed. First
# with one run at a time, then with three, where the order in which runs end decides what is asked
# for next: there each evaluation must have the outputs of its point.
#
#   kill_study.sh GOFH [KILLS [SEED]]    KILLS: of each kind; 10 by default, 300 with GOFH_TORTURE
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"
kills=${2:-$(torture_count 10 300)}
RANDOM=${3:-1}
budget=12

# Like sim.sh, but says in the log which trial it began, and in another file which session of
# processes it is in.
cat > logged.sh << 'SIMULATOR'
#!/bin/sh
echo "$4" >> "$(dirname "$0")/log"
ps -o sid= -p $$ | tr -d ' ' >> "$(dirname "$0")/session"
exec "$(dirname "$0")/sim.sh" "$1" "$2" "$3" 0.1
SIMULATOR
chmod +x logged.sh
problem whole "budget: $budget, stop: never" "$simulator"
expect 0 'used up' run whole.yaml
"$gofh" export whole.yaml > whole.csv

# Starts the study and kills it up to 0.3 s later, every second time with its simulator, as when a
# machine goes down. 0 if it ended before, 1 if not.
start_and_kill() {
    local status=0 now
    "$gofh" run p.yaml > run.txt 2>&1 &
    local process=$!
    sleep "0.$(printf '%03d' $((RANDOM % 300)))"
    kill -KILL "$process" 2> /dev/null || true
    wait "$process" 2> /dev/null || status=$?
    if [ $((killed % 2)) = 1 ] && [ -s session ]; then pkill -KILL -s "$(paste -sd , session)" || true; fi
    : > session
    [ "$status" = 137 ] || [ "$status" = 0 ] || fail "exit status $status: $(cat run.txt)"
    "$gofh" export p.yaml > now.csv 2> export.txt || grep -q 'there is no study' export.txt || fail "$(cat export.txt)"
    now=$(grep -c ',done,' now.csv || true)
    [ "$now" -ge "$known" ] || fail "$known evaluations were known, now $now"
    known=$now
    [ "$status" = 137 ] || return 0
    killed=$((killed + 1))
    awk -F, '$2 == "open" { print $1 }' now.csv >> in_flight
    return 1
}

# ends_well AT_ONCE: whether the study that was killed is complete, and has no wrong number.
ends_well() {
    expect 0 "used up: $budget evaluations done, 0 failed" run p.yaml
    "$gofh" export p.yaml > p.csv
    if [ "$1" = 1 ]; then
        cmp whole.csv p.csv || fail "the killed study is not the one that nobody killed"
    fi
    awk -F, 'function far(a, b) { return a - b > 1e-9 || b - a > 1e-9 }
             NR > 1 && (far($6, $4 - 1) || far($7, $5 - 2) || far($8, $4 * $5 - 2) || far($9, $4 + $5)) { print; bad = 1 }
             END { exit bad }' p.csv || fail "these outputs are of other points"
    [ "$(sort -un log | wc -l)" = "$budget" ] || fail "$(sort -un log | wc -l) trials began, not $budget"
    # Each trial begins once, and at most once more for each kill while it was in flight.
    awk 'FNR == NR { may[$1]++; next } { began[$1]++ }
         END { for (t in began) if (began[t] > 1 + may[t]) { print "trial " t " began " began[t] " times"; exit 1 } }' \
        in_flight log || fail "an evaluation is done twice"
}

# Studies from nothing to the end of their budgets.
for at_once in 1 3; do
    killed=0
    again=0
    while [ "$killed" -lt "$kills" ] && [ "$failed" = 0 ]; do
        rm -rf p.gofh
        problem p "budget: $budget, stop: never" './logged.sh {x} {y} {results} {trial}' "  parallel: $at_once"
        : > log
        : > in_flight
        known=0
        until start_and_kill || [ "$killed" -ge "$kills" ]; do :; done
        ends_well $at_once
        again=$((again + $(wc -l < log) - budget))
    done
    echo "parallel: $at_once: $killed kills, $again evaluation(s) begun again"
done

exit $failed
