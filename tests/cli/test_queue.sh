#!/usr/bin/env bash
# executor: command, with a queue made of three small scripts that run jobs in the background.
set -uo pipefail
gofh=$1
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/study_tools.sh
. "$here/study_tools.sh"

mkdir jobs
# submit NAME SCRIPT: a job is a process that leads its group; jobs/ID holds its number. Where there
# is a file `deaf`, the job begins but the answer is lost; where there is `down`, nothing works; where
# there is `places`, it takes no more jobs at once than that says.
cat > submit << 'SCRIPT'
#!/bin/sh
cd "$(dirname "$0")" || exit 1
[ ! -e down ] || { echo "no connection" >&2; exit 1; }
[ ! -e full ] || { echo "no such class" >&2; exit 1; }
[ ! -e places ] || [ "$(./status | wc -l)" -lt "$(cat places)" ] || { echo "the queue is full" >&2; exit 1; }
setsid sh "$2" > /dev/null 2>&1 &
echo $! > "jobs/$1"
[ ! -e deaf ] || { rm deaf; exit 1; }
echo "$1 accepted: it waits until a place is free, which takes an hour or so on a day like this one"
SCRIPT
cat > status << 'SCRIPT'
#!/bin/sh
cd "$(dirname "$0")/jobs" || exit 1
[ ! -e ../down ] || { echo "no connection" >&2; exit 1; }
for job in *; do
    [ ! -e "$job" ] || ! kill -0 "$(cat "$job")" 2> /dev/null || echo "$job running"
done
SCRIPT
cat > cancel << 'SCRIPT'
#!/bin/sh
kill -s KILL -- "-$(cat "$(dirname "$0")/jobs/$1")" 2> /dev/null || true
SCRIPT
chmod +x submit status cancel
make_logged

# queued NAME BUDGET COMMAND [LINES]: a problem for that queue, four jobs at once. $grace: how long what
# is missing of a job may be on its way.
grace=4s
queued() {
    problem "$1" "budget: $2, stop: never" "$3" "  executor: command
  queue: {submit: \"$work/submit {name} {script}\", status: $work/status, cancel: \"$work/cancel {id}\", grace: $grace}
  parallel: 4${4:+$'\n'$4}"
}
ran_once() {
    [ "$(sort -n "log.$1" | tr '\n' ' ')" = "$(seq 1 "$2" | tr '\n' ' ')" ] ||
        fail "$1: not every trial was begun once: $(sort -n "log.$1" | tr '\n' ' ')"
}

# A whole study; one answer is lost.
queued plain 8 './logged.sh plain {trial} {x} {y} {results} 0.2' '  setup: [FROM_SETUP=1, export FROM_SETUP]'
touch deaf
expect 0 "8 evaluations done, 0 failed" run plain.yaml
[ ! -e deaf ] || fail "no submission lost its answer"
ran_once plain 8

# What runs, where and since when, is said by gofh status, in its JSON too.
queued seen 2 './held.sh seen {trial} {x} {y} {results}'
start seen
# shellcheck disable=SC2317
both_run() { "$gofh" status seen.yaml --json | grep -q '"state":"running".*, job .*"state":"running".*, job '; }
await both_run || fail "seen: $("$gofh" status seen.yaml --json)"
json 0 'all(r["executor"] == "command" and r["host"] and r["since"] for r in j["runs"]) and len(j["runs"]) == 2' status seen.yaml
expect 0 'is running for ' status seen.yaml
release seen
finish seen 0 '2 evaluations done'

# The program is killed at any moment.
queued kills 16 './logged.sh kills {trial} {x} {y} {results} 0.7'
RANDOM=3
kill_at_random kills 16 "$(torture_count 4 60)" 1

# Ends of jobs. Of one that was killed with all that belongs to it nobody knows more than that it is
# gone: it is run again.
queued wrong 1 'echo no convergence >&2; exit 3'
expect 1 "exit status 3: no convergence" run wrong.yaml
queued slow 1 'sleep 600' '  timeout: 1s'
expect 1 "ended after its time limit of 1 s" run slow.yaml
queued gone 1 './logged.sh gone {trial} {x} {y} {results} 2'
"$gofh" run gone.yaml > gone.out 2> gone.err &
process=$!
await test -s log.gone
kill -s KILL -- "-$(cat jobs/gofh-gone-0001-*)"
finish gone 0 "1 evaluation done, 0 failed"
grep -q "trial 1 is lost and is run again: job .* is gone, but no exit file came within 4 s" gone.err ||
    fail "gone: $(cat gone.err)"

# Results that are seen late: the job saw them, and we do not yet.
grace=1h queued late 1 "./sim.sh {x} {y} {results}"
cat > hide << 'SCRIPT'
#!/bin/sh
sed -i 's/^    echo end$/    mv results.json hidden\n&/' "$2"
exec "$(dirname "$0")/submit" "$@"
SCRIPT
chmod +x hide
sed -i "s|$work/submit|$work/hide|" late.yaml
"$gofh" run late.yaml > late.out 2> late.err &
process=$!
await test -e late.gofh/runs/0001/job_exit
sleep 2 # it is looked at meanwhile, or it is not: both must do
mv late.gofh/runs/0001/hidden late.gofh/runs/0001/results.json
finish late 0 "1 evaluation done, 0 failed"
[ ! -e late.gofh/runs/0001-2 ] || fail "late: what came late was run again"

# Results that may not be read are not late.
queued link 1 './sim.sh {x} {y} ../elsewhere && ln -s ../elsewhere {results}'
expect 1 "is a link that leads out of the run's folder" run link.yaml

# A queue that can't be reached is waited for; one that refuses is not.
queued away 2 './logged.sh away {trial} {x} {y} {results}'
touch down
"$gofh" run away.yaml > away.out 2> away.err &
process=$!
sleep 8
kill -0 $process || fail "away: gave up: $(cat away.err)"
await grep -q "the queue does not answer: no connection; it is asked until it does" away.err || fail "away: $(cat away.err)"
rm down
finish away 0 "2 evaluations done, 0 failed"
ran_once away 2
touch full
queued full 1 "$simulator"
expect 3 "the queue does not take the job: no such class" run full.yaml
rm full
expect 0 "1 evaluation done, 0 failed" run full.yaml
# A queue that has jobs of ours may only be full: the others wait.
echo 1 > places
queued small 2 './logged.sh small {trial} {x} {y} {results} 8'
expect 0 "2 evaluations done, 0 failed" run small.yaml
rm places
ran_once small 2
# The list is read whole, however long it is.
cat > crowd << 'SCRIPT'
#!/bin/sh
seq 200000 | sed 's/^/another-job-/'
exec "$(dirname "$0")/status"
SCRIPT
chmod +x crowd
queued many 1 './logged.sh many {trial} {x} {y} {results} 9'
sed -i "s|status: $work/status|status: $work/crowd|" many.yaml
expect 0 "1 evaluation done, 0 failed" run many.yaml
ran_once many 1
problem none 'budget: 1' "$simulator" '  executor: command
  queue: {submit: no-such-program, status: "true", cancel: "true"}'
expect 3 "no-such-program" run none.yaml

# Another executor does not touch what this one has under way; ^C leaves it, twice cancels it.
queued left 1 './logged.sh left {trial} {x} {y} {results} "$GOFH_PROBLEM_DIR/left.go"'
"$gofh" run left.yaml > left.out 2> left.err &
process=$!
await test -s log.left
kill -INT $process
finish left 130 "1 job goes on in the queue"
sed 's/executor: command/executor: local/; /queue:/d' left.yaml > kept.yaml
mv left.yaml with_queue && mv kept.yaml left.yaml
expect 2 "was started by executor: command" run left.yaml
mv with_queue left.yaml
touch left.go
expect 0 "1 evaluation done, 0 failed" run left.yaml
ran_once left 1
queued twice 1 './logged.sh twice {trial} {x} {y} {results} 600'
"$gofh" run twice.yaml > twice.out 2> twice.err &
process=$!
await test -s log.twice
interrupt_twice twice
finish twice 130 "0 evaluations done, 0 failed, 1 open"
grep -q "waiting for 1 cancelled job to end" twice.err || fail "twice: $(cat twice.err)"
# shellcheck disable=SC2317 # await calls it
is_gone() { ! kill -0 "$(cat jobs/gofh-twice-0001-*)" 2> /dev/null; }
await is_gone || fail "^C twice left the job"
exit $failed
