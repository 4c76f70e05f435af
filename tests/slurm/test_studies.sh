#!/usr/bin/env bash
# Studies on a real Slurm: whatever breaks, no evaluation is lost, none is run twice, and every
# reason is right.
# shellcheck disable=SC2317 # functions that `await` calls
set -uo pipefail
gofh=$1
# shellcheck source=tests/slurm/slurm_tools.sh
. "$(dirname "$0")/slurm_tools.sh"
slurm_or_skip srun

make_logged

# A whole study, and what gofh status says while jobs wait.
queued plain "$(torture_count 24 60)" './logged.sh plain {trial} {x} {y} {results} 0.5'
expect 0 "0 failed" run plain.yaml
ran_once plain "$(torture_count 24 60)"

# In names of outputs % is Slurm's.
mkdir 'a %j folder; of 100%'
cp sim.sh 'a %j folder; of 100%'
queued 'a %j folder; of 100%/percent' 1 "$simulator"
expect 0 "1 evaluation done, 0 failed" run 'a %j folder; of 100%/percent.yaml'
[ -e 'a %j folder; of 100%/percent.gofh/runs/0001/job.out' ] || fail "percent: the output is somewhere else"
[ ! -e 'a %j folder; of 100%/percent.gofh/runs/0001-2' ] || fail "percent: its first job could not begin"

# Kills at random moments: the same command finds its jobs again.
queued kills 60 './logged.sh kills {trial} {x} {y} {results} 1'
RANDOM=7
kill_at_random kills 60 "$(torture_count 6 100)" 4

# ^C leaves the jobs where they are; the second one cancels them.
queued leave 2 './logged.sh leave {trial} {x} {y} {results} "$GOFH_PROBLEM_DIR/leave.go"'
"$gofh" run leave.yaml > leave.out 2> leave.err &
process=$!
await is_running leave
await grep -q RUNNING leave.gofh/runs/0001/job_state
expect 0 "[RUNNING, job " status leave.yaml
kill -INT $process
finish leave 130 "2 jobs go on in the queue"
is_running leave || fail "^C: the jobs did not go on"
touch leave.go
expect 0 "2 evaluations done, 0 failed" run leave.yaml
ran_once leave 2
queued twice 2 './logged.sh twice {trial} {x} {y} {results} 600'
"$gofh" run twice.yaml > twice.out 2> twice.err &
process=$!
await is_running twice
interrupt_twice twice
finish twice 130 "0 evaluations done, 0 failed, 2 open"
await test -z "$(job_of twice)" || fail "^C twice: jobs are left"

# What ends a job, and the reason for it.
queued limit 1 './logged.sh limit {trial} {x} {y} {results} 600' '  slurm: {time: 1s}'
# Whether gofh is there or not when it happens.
queued unseen 1 './logged.sh unseen {trial} {x} {y} {results} 600' '  slurm: {time: 1s}'
"$gofh" run unseen.yaml > unseen.out 2> unseen.err &
unseen=$!
await is_running unseen
kill -KILL $unseen
queued wrong 1 'echo no convergence >&2; exit 3'
queued cancelled 1 './logged.sh cancelled {trial} {x} {y} {results} 600'
queued recalled 1 './logged.sh recalled {trial} {x} {y} {results} 1' '  slurm: {extra: [--begin=now+600]}'
queued refused 1 "$simulator" '  slurm: {partition: nowhere}'
queued waits 9 './logged.sh waits {trial} {x} {y} {results} 8' '  slurm: {cpus: 4}'
"$gofh" run limit.yaml > limit.out 2> limit.err &
limit=$!
"$gofh" run cancelled.yaml > cancelled.out 2> cancelled.err &
cancelled=$!
await is_running cancelled
scancel "$(job_of cancelled)"
expect 1 "exit status 3: no convergence" run wrong.yaml
expect 3 "Invalid partition" run refused.yaml
expect 0 "1 open" status refused.yaml
# What is cancelled while it runs is given up; while it waits, it is submitted again.
wait $cancelled
grep -q "failed: CANCELLED (job .*: somebody ended it" cancelled.out || fail "cancelled: $(cat cancelled.out cancelled.err)"
[ ! -d cancelled.gofh/runs/0001-2 ] || fail "a job that somebody cancelled was run again"
"$gofh" run recalled.yaml > recalled.out 2> recalled.err &
recalled=$!
await test -s recalled.gofh/runs/0001/job_id
scancel "$(cut -d';' -f1 recalled.gofh/runs/0001/job_id)"
await test -d recalled.gofh/runs/0001-2 || fail "recalled: $(cat recalled.err)"
grep -q "lost and is run again: CANCELLED (job" recalled.err || fail "recalled: $(cat recalled.err)"
process=$recalled interrupt_twice recalled
wait $recalled
ran_never() { [ ! -e "log.$1" ] || fail "$1: a job that waited has run: $(cat "log.$1")"; }
ran_never recalled

wait $limit
grep -q "failed: TIMEOUT (job" limit.out || fail "a job out of time: $(cat limit.out limit.err)"
await test -s unseen.gofh/runs/0001/job_exit
expect 1 "failed: TIMEOUT (job" run unseen.yaml

# What waits is shown with its reason.
"$gofh" run waits.yaml > waits.out 2> waits.err &
process=$!
pending() { "$gofh" status waits.yaml | grep -q 'PENDING (Resources), job\|PENDING (Priority), job'; }
await pending || fail "waits: $("$gofh" status waits.yaml)"
interrupt_twice waits
finish waits 130 open

# gofh in a job itself, whose runs are steps; the next job goes on.
problem steps 'budget: 12, stop: never' './logged.sh steps {trial} {x} {y} {results} 1' '  executor: srun
  parallel: 4'
expect 2 "executor: srun runs steps of the job" run steps.yaml
printf '#!/bin/sh\nexec "%s" run steps.yaml --wall-clock "$1"\n' "$gofh" > steps.sh
sbatch --wait --ntasks=4 --output=steps.1 steps.sh 2s > /dev/null
grep -q "wall clock's limit is reached" steps.1 || fail "steps: $(cat steps.1)"
sbatch --wait --ntasks=4 --output=steps.2 steps.sh 1h > /dev/null
grep -q "12 evaluations done, 0 failed" steps.2 || fail "steps: $(cat steps.1 steps.2)"
ran_once steps 12
exit $failed
