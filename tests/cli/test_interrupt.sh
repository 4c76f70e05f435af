#!/usr/bin/env bash
# ^C, SIGTERM and stop files; the live line of a terminal.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# ---- once: waits for what is running ----
for signal in INT TERM; do
    held once$signal
    start once$signal
    kill -$signal "$process"
    await grep -q stopping once$signal.err || fail "$signal is not answered"
    release once$signal
    finish once$signal 130 'stopping: waiting for'
    [ "$(tail -n 1 once$signal.out)" = "all that was reported is saved; go on with: gofh run once$signal.yaml" ] ||
        fail "$signal: the last line is $(tail -n 1 once$signal.out)"
    [ "$(count once$signal "done")" -ge 1 ] || fail "$signal: the run under way was not waited for"
    began=$(compgen -G "once$signal.began.*" | wc -l)
    [ "$(count once$signal "done")" = "$began" ] || fail "$signal: $began runs began, $(count once$signal "done") are done"
done
expect 0 '4 evaluations done, 0 failed' run onceINT.yaml

held file
start file
touch file.gofh/stop
await grep -q stopping file.err || fail "the stop file is not seen"
release file
finish file 130 'stopped by its stop file'
[ ! -e file.gofh/stop ] || fail "the stop file stays"
expect 0 '4 evaluations done' run file.yaml

# A terminal that closes counts as ^C, but not for nohup.
held hup
start hup
kill -HUP "$process"
await grep -q stopping hup.err || fail "HUP is not answered"
release hup
finish hup 130 'interrupted'
held nohup
trap '' HUP
start nohup
trap - HUP
kill -HUP "$process"
release nohup
finish nohup 0 '4 evaluations done'

# ---- the simulator gets the signal too ----
# shellcheck disable=SC2016
problem both 'budget: 4' 'touch "$GOFH_PROBLEM_DIR"/both.began.{trial}; echo $$ > "$GOFH_PROBLEM_DIR"/both.pid; exec sleep 3600'
start both
await test -s both.pid || fail "no number of the simulator"
kill -TERM "$process" "$(cat both.pid)"
finish both 130 '0 evaluations done, 0 failed, 1 open'
problem both 'budget: 4' "$simulator"
expect 0 '4 evaluations done, 0 failed' run both.yaml

# A run that is ended so is none of those that "retry" counts.
# shellcheck disable=SC2016
problem tries 'budget: 1' 'touch "$GOFH_PROBLEM_DIR"/tries.began.{trial}; exec sleep 3600' '  on_failure: {retry: 1}'
start tries
kill -INT "$process"
await grep -q stopping tries.err || fail "^C is not answered"
kill -INT "$process"
finish tries 130 '0 failed, 1 open'
problem tries 'budget: 1' 'exit 3' '  on_failure: {retry: 1}'
expect 1 '1 failed' run tries.yaml
[ -d tries.gofh/runs/0001-3 ] && [ ! -d tries.gofh/runs/0001-4 ] ||
    fail "after a run that was ended come not two: $(ls tries.gofh/runs)"

# ---- twice: ends it; the trials are run again ----
held twice
start twice
kill -INT "$process"
await grep -q stopping twice.err || fail "^C is not answered"
kill -INT "$process"
finish twice 130 'interrupted: 0 evaluations done, 0 failed, '
[ "$(count twice failed)" = 0 ] || fail "a run that was ended is a failure"
! pgrep -f "$work/held.sh" > /dev/null || fail "a simulator was left running"
release twice
expect 0 '4 evaluations done, 0 failed' run twice.yaml

held again
start again
touch again.gofh/stop
await grep -q stopping again.err || fail "the stop file is not seen"
touch again.gofh/stop
finish again 130 '0 evaluations done, 0 failed, '

# ---- three times: at once; what runs is found again ----
held thrice
start thrice
# Signals that come before the first was seen count as one.
while kill -INT "$process" 2> /dev/null; do sleep 0.1; done
status=0
wait "$process" || status=$?
[ "$status" = 130 ] || fail "three times ^C: $status"
release thrice
expect 0 '4 evaluations done, 0 failed' run thrice.yaml

# ---- a terminal ----
if command -v script > /dev/null; then
    # shown NAME ENVIRONMENT...: the run as a terminal gets it
    shown() {
        problem "$1" 'budget: 3' "$simulator"
        env "${@:2}" script -qec "$gofh run $1.yaml" /dev/null < /dev/null > "$1.out"
    }
    shown colour TERM=xterm
    grep -q $'\r\033\[1m1 of 3' colour.out || fail "no live line in colour: $(cat -v colour.out)"
    grep -q 'best of 3 evaluations' colour.out || fail "no curve: $(cat -v colour.out)"
    shown plain TERM=xterm NO_COLOR=1
    grep -q $'\r1 of 3' plain.out || fail "no live line: $(cat -v plain.out)"
    ! grep -q $'\033\[[0-9]*m' plain.out || fail "NO_COLOR has colours: $(cat -v plain.out)"
    shown dumb TERM=dumb
    grep -q '^trial 3 (3 of 3)' dumb.out || fail "no plain lines on a dumb terminal: $(cat -v dumb.out)"
else
    echo "skipped: there is no script(1) to make a terminal"
fi

exit $failed
