#!/usr/bin/env bash
# Studies on a real Slurm: whatever breaks, no evaluation is lost, none is run twice, and every
# reason is right.
# shellcheck disable=SC2317 # functions that `await` calls
set -uo pipefail
gofh=$1
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/study_tools.sh
. "$here/../cli/study_tools.sh"
# shellcheck source=tests/slurm/slurm_tools.sh
. "$here/slurm_tools.sh"
missing=$(slurm_missing)
if [ -n "$missing" ]; then
    echo "SKIPPED: no Slurm can be started: $missing"
    exit 77
fi
trap 'slurm_stop; rm -rf "$work"' EXIT
slurm_start 8 || { fail "Slurm does not start: $(tail -n 5 "$slurm"/log/*.log)"; exit 1; }

# A simulator that says in log.NAME which trial it begins.
cat > logged.sh << 'SIMULATOR'
#!/bin/sh
echo "$2" >> "$GOFH_PROBLEM_DIR/log.$1"
shift 2
exec "$GOFH_PROBLEM_DIR/sim.sh" "$@"
SIMULATOR
chmod +x logged.sh

# queued NAME BUDGET COMMAND [LINES]: a problem for Slurm, eight jobs at once.
queued() {
    problem "$1" "budget: $2, stop: never" "$3" "  executor: slurm
  parallel: 8${4:+$'\n'$4}"
}

# ran_once NAME COUNT: all trials were begun, each once.
ran_once() {
    local begun
    begun=$(sort -n "log.$1" | uniq -c | awk '{ print $1 }' | sort -u)
    [ "$begun" = 1 ] || fail "$1: trials were begun more than once: $(sort -n "log.$1" | uniq -c | awk '$1 > 1')"
    [ "$(sort -u "log.$1" | wc -l)" = "$2" ] || fail "$1: $(sort -u "log.$1" | wc -l) trials were begun, not $2"
}

jobs() { squeue --noheader --states=all --format='%i %T %j' | grep -- "-$1-"; }
job_of() { squeue --noheader --format='%i %j' | awk -v name="gofh-$1-" 'index($2, name) { print $1; exit }'; }
is_running() { squeue --noheader --states=RUNNING --format=%j | grep -q "gofh-$1-"; }

# A whole study, and what gofh status says while jobs wait.
queued plain "$(torture_count 24 60)" './logged.sh plain {trial} {x} {y} {results} 0.5'
expect 0 "0 failed" run plain.yaml
ran_once plain "$(torture_count 24 60)"

# Kills at random moments: the same command finds its jobs again.
kills=$(torture_count 6 100)
queued kills 60 './logged.sh kills {trial} {x} {y} {results} 1'
RANDOM=7
for ((round = 0; round < kills; round++)); do
    if [ "$(count kills "done")" = 60 ]; then
        ran_once kills 60
        rm -rf kills.gofh log.kills
    fi
    "$gofh" run kills.yaml > kills.out 2>&1 &
    process=$!
    sleep "$((RANDOM % 4)).$((RANDOM % 10))$((RANDOM % 10))"
    kill -KILL $process 2> /dev/null
    wait $process 2> /dev/null
done
expect 0 "60 evaluations done, 0 failed" run kills.yaml
ran_once kills 60

# ^C leaves the jobs where they are; the second one cancels them.
queued leave 2 './logged.sh leave {trial} {x} {y} {results} 12'
"$gofh" run leave.yaml > leave.out 2> leave.err &
process=$!
await is_running leave
await grep -q RUNNING leave.gofh/runs/0001/job_state
expect 0 "[RUNNING, job " status leave.yaml
kill -INT $process
finish leave 130 "2 jobs go on in the queue"
is_running leave || fail "^C: the jobs did not go on"
expect 0 "2 evaluations done, 0 failed" run leave.yaml
ran_once leave 2
queued twice 2 './logged.sh twice {trial} {x} {y} {results} 600'
"$gofh" run twice.yaml > twice.out 2> twice.err &
process=$!
await is_running twice
kill -INT $process
sleep 1
kill -INT $process
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
kill -INT $recalled
sleep 1
kill -INT $recalled
wait $recalled
ran_never() { [ ! -e "log.$1" ] || fail "$1: a job that waited has run: $(cat "log.$1")"; }
ran_never recalled

# Results and exit files that are seen 20 s late. An sbatch before the real one makes the job's script
# put them away when it has described them.
mkdir bin
cat > bin/sbatch << 'SBATCH'
#!/bin/sh
for script; do :; done
case $script in
    *late_results*) sed -i 's/^    echo end$/    mv results.json hidden\n&/' "$script" ;;
    *late_exit*) sed -i 's/mv -f job_exit.new job_exit/mv job_exit.new hidden/' "$script" ;;
esac
PATH=${PATH#*:} exec sbatch "$@"
SBATCH
chmod +x bin/sbatch
pids=()
for file in results.json job_exit; do
    name=late_${file#job_}
    name=${name%.json}
    queued "$name" 1 "./logged.sh $name {trial} {x} {y} {results}"
    PATH=$work/bin:$PATH "$gofh" run "$name.yaml" > "$name.out" 2> "$name.err" &
    pids+=($!)
    (
        trap - EXIT
        await test -e "$name.gofh/runs/0001/hidden"
        sleep 20
        mv "$name.gofh/runs/0001/hidden" "$name.gofh/runs/0001/$file"
    ) &
done
for process in "${pids[@]}"; do wait "$process" || fail "late: $(cat late_*.out late_*.err)"; done
for name in late_results late_exit; do
    ran_once "$name" 1
    [ "$(count "$name" "done")" = 1 ] || fail "$name: what came late was not waited for: $(cat "$name".err)"
done

# A job that nobody remembers, neither the list nor an accounting: the exit file is enough, and
# without one it is run again.
queued purged 2 './logged.sh purged {trial} {x} {y} {results} 2' '  slurm: {grace: 5s}'
"$gofh" run purged.yaml > purged.out 2> purged.err &
process=$!
await test -s purged.gofh/runs/0002/job_id
kill -KILL $process
await test -s purged.gofh/runs/0001/job_exit
await test -s purged.gofh/runs/0002/job_exit
rm purged.gofh/runs/0002/job_exit
no_jobs() { ! jobs purged; }
await no_jobs
expect 0 "2 evaluations done, 0 failed" run purged.yaml
grep -q "trial 2 is lost and is run again: job .* of Slurm is gone" err.txt || fail "purged: $(cat err.txt)"
[ "$(sort log.purged | tr '\n' ' ')" = "1 2 2 " ] || fail "purged: $(cat log.purged)"

# A controller that is killed, stays away, and comes back.
queued down 12 './logged.sh down {trial} {x} {y} {results} 2'
"$gofh" run down.yaml > down.out 2> down.err &
process=$!
await is_running down
slurm_end slurmctld KILL
sleep "$(torture_count 15 180)" # longer than the grace, in full
kill -0 $process || fail "gofh gave up without its controller: $(cat down.err)"
slurmctld
# A controller that has lost its newest jobs gives their numbers away again, and a node that knows
# them is drained for that: someone has to take it back.
(
    trap - EXIT
    while kill -0 $process 2> /dev/null; do
        sleep 2
        sinfo --noheader --format=%T | grep -q drain && scontrol update nodename="$(hostname -s)" state=resume
    done
) &
finish down 0 "12 evaluations done, 0 failed"
ran_once down 12

wait $limit
grep -q "failed: TIMEOUT (job" limit.out || fail "a job out of time: $(cat limit.out limit.err)"
await test -s unseen.gofh/runs/0001/job_exit
expect 1 "failed: TIMEOUT (job" run unseen.yaml

# What waits is shown with its reason.
"$gofh" run waits.yaml > waits.out 2> waits.err &
process=$!
pending() { "$gofh" status waits.yaml | grep -q 'PENDING (Resources), job\|PENDING (Priority), job'; }
await pending || fail "waits: $("$gofh" status waits.yaml)"
kill -INT $process
sleep 1
kill -INT $process
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
