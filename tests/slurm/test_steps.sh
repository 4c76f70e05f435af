#!/usr/bin/env bash
# Many short runs as steps of one allocation of eight places, with gofh killed ten times and the
# allocation once: no evaluation is lost, and none runs twice but those that ended with the
# allocation. Prints which part of the time the places were busy.
#
#   tests/slurm/test_steps.sh GOFH [RUNS]    1000 runs of 0.2 s, or with GOFH_TORTURE unset 80
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
runs=${2:-$(torture_count 80 1000)}
kills=$(torture_count 3 10)

# A simulator that says when it begins and when it ends.
cat > timed.sh << 'SIMULATOR'
#!/bin/sh
echo "begin $1 $(date +%s.%N)" >> "$GOFH_PROBLEM_DIR/log"
sleep 0.2
echo "[$2]" > "$3"
echo "end $1 $(date +%s.%N)" >> "$GOFH_PROBLEM_DIR/log"
SIMULATOR
chmod +x timed.sh
cat > steps.yaml << PROBLEM
study: {budget: $runs, stop: never, method: random}
parameters: {x: [0, 1]}
simulator:
  command: ./timed.sh {trial} {x} {results}
  results: json
  executor: srun
  parallel: 8
outputs: {y: 1}
objective: {minimize: y^2}
PROBLEM
sed -i 's/echo "\[$2\]"/echo "{\\"y\\": $2}"/' timed.sh
# Whoever kills gofh finds its number in `process`; the job goes on with the next one.
cat > job.sh << JOB
#!/bin/sh
while :; do
    "$gofh" run steps.yaml > out 2>&1 &
    echo \$! > process
    wait \$! && break
    sleep 0.1
done
JOB

finished() { [ "$(grep -c ^end log 2> /dev/null || echo 0)" -ge "$1" ]; }
job=$(sbatch --parsable --ntasks=8 --output=job.1 job.sh)
for ((i = 1; i <= kills; i++)); do
    await finished $((runs * i / (kills + 2)))
    kill -KILL "$(cat process)"
done
await finished $((runs * (kills + 1) / (kills + 2)))
cut=$(grep -c ^begin log)
scancel "$job"
gone() { [ -z "$(squeue --noheader --jobs="$job" 2> /dev/null)" ]; }
await gone
lost=$(($(grep -c ^begin log) - $(grep -c ^end log)))
sbatch --wait --ntasks=8 --output=job.2 job.sh > /dev/null
[ "$(count steps "done")" = "$runs" ] || fail "steps: $(count steps "done") of $runs evaluations are done: $(cat out)"
[ "$(count steps failed)" = 0 ] || fail "steps: $(count steps failed) evaluations failed: $(cat out)"
twice=$(awk '$1 == "end" { print $2 }' log | sort | uniq -d | wc -l)
[ "$twice" = 0 ] || fail "steps: $twice evaluations were made twice"
again=$(awk '$1 == "begin" { print $2 }' log | sort | uniq -d | wc -l)
[ "$again" -le "$lost" ] || fail "steps: $again runs were begun twice, and $lost were lost with the allocation"
# From the first begin to the last, without the time between the two allocations.
awk -v cut="$cut" -v runs="$runs" -v kills="$kills" -v lost="$lost" '
    $1 == "begin" { begun++; if (!first) first = $3; if (begun == cut + 1) second = $3; at[$2] = $3; last = $3 }
    $1 == "end" { busy += $3 - at[$2]; if (begun <= cut) before = $3; last = $3 }
    END { span = last - first - (second > before ? second - before : 0)
          printf "%d runs of 0.2 s, gofh killed %d times and the allocation once: %d runs were lost with it; ", runs, kills, lost
          printf "eight places were busy %.0f %% of %.0f s\n", 100 * busy / (8 * span), span }' log
exit $failed
