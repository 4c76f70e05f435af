#!/usr/bin/env bash
# What comes late to gofh, or never: results and exit files, an answer of a queue that has forgotten the
# job, a controller that is away. No evaluation is lost, and none is run twice.
# shellcheck disable=SC2317 # functions that `await` calls
set -uo pipefail
gofh=$1
# shellcheck source=tests/slurm/slurm_tools.sh
. "$(dirname "$0")/slurm_tools.sh"
slurm_or_skip srun
make_logged

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
    queued "$name" 1 "./logged.sh $name {trial} {x} {y} {results}" '  slurm: {grace: 1h}'
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

# By now the job is forgotten, or soon.
no_jobs() { ! squeue --noheader --states=all --format=%j | grep -q gofh-purged-; }
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
exit $failed
