#!/usr/bin/env bash
# The preset for PBS with the qsub, qstat and qdel that Slurm has for users of PBS (slurm-wlm-torque),
# on a real Slurm.
# shellcheck disable=SC2317 # functions that `await` calls
set -uo pipefail
gofh=$1
# shellcheck source=tests/slurm/slurm_tools.sh
. "$(dirname "$0")/slurm_tools.sh"
slurm_or_skip qsub # slurm-wlm-torque
make_logged
# queued NAME BUDGET SECONDS
queued() {
    problem "$1" "budget: $2, stop: never" "./logged.sh $1 {trial} {x} {y} {results} $3" '  executor: command
  parallel: 4
  queue: {preset: pbs, extra: ["-q", "main"], grace: 10s}'
}
is_running() { [ "$(sort -u "log.$1" 2> /dev/null | wc -l)" -ge "$2" ]; }

# A study whose gofh is killed in the middle: its jobs are found again.
queued study 10 2
"$gofh" run study.yaml > study.out 2> study.err &
process=$!
await is_running study 5
kill -KILL $process
wait $process 2> /dev/null
expect 0 "10 evaluations done, 0 failed" run study.yaml
[ "$(sort -n log.study | uniq -c | awk '{ print $1 }' | sort -u)" = 1 ] || fail "trials were begun twice: $(sort -n log.study)"

# A job that somebody ends is a failure: the script has seen the signal, and says so.
queued gone 1 60
"$gofh" run gone.yaml > gone.out 2> gone.err &
process=$!
await is_running gone 1
await test -s gone.gofh/runs/0001/job_id
qdel "$(cat gone.gofh/runs/0001/job_id)"
finish gone 1 "failed: ended by signal 15"

# ^C twice cancels the jobs.
queued twice 2 600
"$gofh" run twice.yaml > twice.out 2> twice.err &
process=$!
await is_running twice 2
interrupt_twice twice
finish twice 130 "2 open"
no_jobs() { [ -z "$(squeue --noheader --states=RUNNING,PENDING)" ]; }
await no_jobs
exit $failed
