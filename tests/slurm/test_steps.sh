#!/usr/bin/env bash
# Many short runs as steps of one allocation of eight places, with gofh killed ten times and the
# allocation once: no evaluation is lost, and none runs twice but those that ended with the
# allocation. Prints which part of the time the places were busy, and which part of it eight loops of
# srun alone keep them busy, before and after.
#
#   tests/slurm/test_steps.sh GOFH [RUNS]    1000 runs of 0.2 s, or with GOFH_TORTURE unset 80
# shellcheck disable=SC2317 # functions that `await` calls
set -uo pipefail
gofh=$1
# shellcheck source=tests/slurm/slurm_tools.sh
. "$(dirname "$0")/slurm_tools.sh"
slurm_or_skip srun
runs=${2:-$(torture_count 80 1000)}
kills=$(torture_count 3 10)

# A simulator that says when it begins and when it ends.
cat > timed.sh << 'SIMULATOR'
#!/bin/sh
echo "begin $1 $(date +%s.%N)" >> "$GOFH_PROBLEM_DIR/log"
sleep 0.2 || exit
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
# Eight loops of srun and nothing else, as many runs in all as $2; their log is $1.
cat > loops.sh << 'LOOPS'
#!/bin/sh
mkdir "$1.d"
export GOFH_PROBLEM_DIR="$PWD/$1.d"
for place in 1 2 3 4 5 6 7 8; do
    (
        i=0
        while [ $((i += 8)) -le "$2" ]; do
            srun --quiet --exact --nodes=1 --ntasks=1 "$PWD/timed.sh" "$place.$i" 1 "$PWD/$1.d/$place"
        done
    ) &
done
wait
LOOPS
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

loops=$(torture_count 40 200)
sbatch --wait --ntasks=8 --output=loops.1 loops.sh before "$loops" > /dev/null
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
# Lost is what no step had time to call a success, whatever the simulator itself said.
find steps.gofh/runs -mindepth 1 -maxdepth 1 -name '[0-9]*' | sed 's|.*/0*||; s|-.*||' | sort -u > tried
grep -lx 0 steps.gofh/runs/*/step_status | sed 's|.*runs/0*||; s|[-/].*||' | sort -u | comm -23 tried - > lost
lost=$(wc -l < lost)
sbatch --wait --ntasks=8 --output=job.2 job.sh > /dev/null
sbatch --wait --ntasks=8 --output=loops.2 loops.sh after "$loops" > /dev/null
[ "$(count steps "done")" = "$runs" ] || fail "steps: $(count steps "done") of $runs evaluations are done"
[ "$(count steps failed)" = 0 ] || fail "steps: $(count steps failed) evaluations failed: $("$gofh" export steps.yaml | grep ,failed,)"
again=$(awk '$1 == "begin" { print $2 }' log | sort | uniq -d | comm -23 - lost | tr '\n' ' ')
[ -z "$again" ] || fail "steps: runs were begun twice that were not lost with the allocation: $again"
# From the first begin to the last, without the time between the two allocations.
awk -v cut="$cut" -v runs="$runs" -v kills="$kills" -v lost="$lost" '
    $1 == "begin" { begun++; if (!first) first = $3; if (begun == cut + 1) second = $3; at[$2] = $3; last = $3 }
    $1 == "end" { busy += $3 - at[$2]; if (begun <= cut) before = $3; last = $3 }
    END { span = last - first - (second > before ? second - before : 0)
          printf "%d runs of 0.2 s, gofh killed %d times and the allocation once: %d runs were lost with it; ", runs, kills, lost
          printf "eight places were busy %.0f %% of %.0f s\n", 100 * busy / (8 * span), span }' log
for loop in before after; do
    awk -v when="$loop" '$1 == "begin" { if (!first) first = $3; at[$2] = $3 }
        $1 == "end" { runs++; busy += $3 - at[$2]; last = $3 }
        END { printf "srun alone, %s that: %d runs, busy %.0f %% of %.0f s\n", when, runs,
                     100 * busy / (8 * (last - first)), last - first }' "$loop.d/log"
done
exit $failed
