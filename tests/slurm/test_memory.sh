#!/usr/bin/env bash
# Runs over their memory where the kernel ends them: the reason is right, whoever knows it.
# shellcheck disable=SC2317 # functions that `await` calls
set -uo pipefail
gofh=$1
# shellcheck source=tests/slurm/slurm_tools.sh
. "$(dirname "$0")/slurm_tools.sh"
slurm_or_skip srun groups

# What uses 200 MB; in `part` only a process of the simulator's does, which says so.
cat > large.sh << 'SIMULATOR'
#!/bin/sh
python3 -c 'import time; much = bytearray(b"x" * 200000000); time.sleep(600)' && exit
[ "$1" != part ] || { echo "the solver died" >&2; exit 3; }
kill -KILL $$
SIMULATOR
chmod +x large.sh
for name in whole part; do
    queued "$name" 1 "./large.sh $name" '  slurm: {memory: 60M, grace: 5s}'
    expect 1 "failed: OUT_OF_MEMORY (job" run "$name.yaml"
done
grep -q 'OUT_OF_MEMORY (job .*: the solver died' out.txt || fail "part: $(cat out.txt)"
problem step 'budget: 1, stop: never' './large.sh whole' '  executor: srun
  slurm: {memory: 60M}'
printf '#!/bin/sh\nexec "%s" run step.yaml\n' "$gofh" > step.sh
sbatch --wait --mem=300M --output=step.out step.sh > /dev/null
grep -q "failed: its step was ended: OUT_OF_MEMORY" step.out || fail "step: $(cat step.out)"

# The command ends by KILL, and Slurm does not know of memory: what is known is said.
queued killed 1 'kill -KILL $$' '  slurm: {grace: 5s}'
expect 1 "failed: ended by signal 9 (Killed), perhaps because its memory ran out" run killed.yaml

# Nobody knows but the accounting: the list has forgotten the job, whose output is lost, with its exit file or
# without. An sacct that has such a record stands before the real one, which has none here.
mkdir bin
cat > bin/sacct << 'SACCT'
#!/bin/sh
case "$*" in *--name=gofh-accounted-0001-* | *--name=gofh-alone-0001-*) echo OUT_OF_MEMORY ;; esac
SACCT
chmod +x bin/sacct
for name in accounted alone; do
    queued "$name" 1 './large.sh whole' '  slurm: {memory: 60M, grace: 2s}'
    "$gofh" run "$name.yaml" > "$name.out" 2> "$name.err" &
    process=$!
    await test -s "$name.gofh/runs/0001/job_id"
    kill -KILL $process
    await test -s "$name.gofh/runs/0001/job_exit"
done
rm alone.gofh/runs/0001/job_exit
forgotten() { ! squeue --noheader --states=all --format=%j | grep -q 'gofh-a'; }
await forgotten
rm a*.gofh/runs/0001/job.out
for name in accounted alone; do
    PATH=$work/bin:$PATH expect 1 "failed: OUT_OF_MEMORY (job" run "$name.yaml"
done
exit $failed
