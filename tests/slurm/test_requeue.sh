#!/usr/bin/env bash
# Jobs that Slurm runs again by itself, and jobs over their memory: no evaluation is lost, none is run
# twice but those whose job was really lost, and the reason is right.
# shellcheck disable=SC2317 # functions that `await` calls
set -uo pipefail
gofh=$1
# shellcheck source=tests/slurm/slurm_tools.sh
. "$(dirname "$0")/slurm_tools.sh"
slurm_or_skip srun memory
make_logged

# begin NAME: a run in the background whose first trial has begun.
declare -A running
begin() {
    "$gofh" run "$1.yaml" > "$1.out" 2> "$1.err" &
    running[$1]=$!
}
has_begun() { grep -qx 1 "log.$1" && [ "$(state_of "$1")" = RUNNING ]; }
state_of() { squeue --noheader --format='%T %j' | awk -v name="gofh-$1-0001-" 'index($2, name) == 1 { print $1 }'; }
# end NAME STATUS TEXT
end() { process=${running[$1]} finish "$1" "$2" "$3"; }
# begun NAME TRIALS: so they were begun, in any order.
begun() { [ "$(sort -n "log.$1" | paste -sd ' ')" = "$2" ] || fail "$1: begun were $(sort -n "log.$1" | paste -sd ' '), not $2"; }

# What uses too much: 200 MB, and then nothing but time.
cat > large.sh << 'SIMULATOR'
#!/bin/sh
echo "$2" >> "$GOFH_PROBLEM_DIR/log.$1"
exec python3 -c 'import time; much = bytearray(b"x" * 200000000); time.sleep(600)'
SIMULATOR
# What does not listen to TERM, and is killed with the job's script: of the two, that comes first here.
cat > deaf.sh << 'SIMULATOR'
#!/bin/sh
trap 'kill -KILL "$(cat job_claim/pid)"' TERM
echo "$1" >> "$GOFH_PROBLEM_DIR/log.deaf"
shift
until [ -e "$GOFH_PROBLEM_DIR/deaf.go" ]; do sleep 0.1; done
exec "$GOFH_PROBLEM_DIR/sim.sh" "$@"
SIMULATOR
chmod +x large.sh deaf.sh

waits='{x} {y} {results} "$GOFH_PROBLEM_DIR'
queued kept 2 "./logged.sh kept {trial} $waits/kept.go\"" '  slurm: {memory: 20M}'
queued again 2 "./logged.sh again {trial} $waits/again.go\"" '  slurm: {extra: [--requeue]}'
queued unseen 2 "./logged.sh unseen {trial} $waits/unseen.go\"" '  slurm: {extra: [--requeue]}'
queued deaf 1 './deaf.sh {trial} {x} {y} {results}' '  slurm: {extra: [--requeue]}'
queued large 1 './large.sh large {trial}' '  slurm: {memory: 60M, grace: 5s}'
queued purged 1 './large.sh purged {trial}' '  slurm: {memory: 60M, grace: 5s}'
begin purged
await has_begun purged
kill -KILL "${running[purged]}"
for name in kept again unseen deaf large; do begin "$name"; done

# Requeued by somebody, with gofh there and without.
await has_begun unseen
kill -KILL "${running[unseen]}"
for name in again unseen; do
    await has_begun "$name"
    scontrol requeue "$(job_of "$name-0001")" || fail "$name is not requeued"
done
await has_begun deaf
scontrol requeuehold "$(job_of deaf-0001)" || fail "deaf is not requeued"
touch again.go unseen.go
begin unseen
for name in again unseen; do
    end "$name" 0 "is lost and is run again: REQUEUED (job"
    [[ $(cat "$name.out") == *"2 evaluations done, 0 failed"* ]] || fail "$name: $(cat "$name.out")"
    begun "$name" "1 1 2"
done
# Here there is no exit file, and the job is held: it is never heard of again.
touch deaf.go
end deaf 0 "is lost and is run again: REQUEUED (job"
begun deaf "1 1"

# Jobs are not requeued, unless that is asked for.
await has_begun kept
scontrol requeue "$(job_of kept-0001)" 2> /dev/null && fail "kept: its job is requeued"
touch kept.go
end kept 0 "2 evaluations done, 0 failed"
begun kept "1 2"

# Over its memory, whether gofh sees that or comes when Slurm has forgotten the job.
end large 1 "failed: OUT_OF_MEMORY (job"
begun large 1
forgotten() { ! squeue --noheader --states=all --format=%j | grep -q gofh-purged-; }
await forgotten
expect 1 "failed: OUT_OF_MEMORY (job" run purged.yaml
begun purged 1

# A step over its own memory.
problem step 'budget: 1, stop: never' './large.sh step {trial}' '  executor: srun
  slurm: {memory: 60M}'
printf '#!/bin/sh\nexec "%s" run step.yaml\n' "$gofh" > step.sh
sbatch --wait --mem=300M --output=step.out step.sh > /dev/null
grep -q "failed: its step was ended: OUT_OF_MEMORY" step.out || fail "step: $(cat step.out)"
begun step 1
exit $failed
