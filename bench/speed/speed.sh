#!/usr/bin/env bash
# How fast suggestions are, as the tables of docs/speed.md, each under the command that made it.
# `make bench-speed` calls it.
#
#   bench/speed/speed.sh BUILD
#
# In the environment: PARTS of the tables to make (suggestion growth rate threads count posterior), OUT the
# file they go to as well (docs/speed.md, or BUILD/speed.md where they are not all). BoTorch is
# measured too where `make peers` has installed it.
set -euo pipefail
export OPENBLAS_NUM_THREADS=1
cd "$(dirname "$0")/../.."
build=${1:?usage: bench/speed/speed.sh BUILD}
parts=${PARTS:-suggestion rate count growth threads posterior}
out=${OUT:-$([ -z "${PARTS:-}" ] && echo docs/speed.md || echo "$build/speed.md")}
speed=$build/bench_speed kernels=$build/bench_kernels
python=$build/peers-venv/bin/python
problems=(environment rosenbrock langermann gp1 gp2)

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.0f", a / b; else printf "-" }'; }
median() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
milliseconds() { awk -v s="$1" 'BEGIN { printf "%.0f", 1000 * s }'; }

suggestion() {
    local problem random own paper peer randoms owns papers peers
    if ! "$python" -c 'import botorch' 2> /dev/null; then
        printf '\nBoTorch is not installed in %s: it is left out (`make peers` installs it).\n' "$build/peers-venv"
        python=
    fi
    printf '\nMilliseconds of processor time a suggestion, mean of ten from n = 60 on, the median of three in turn: after 60 random evaluations, or after 60 of its own.\n'
    printf '`%s suggestion|run PROBLEM METHOD`, `bench/speed/botorch_speed.py PROBLEM`\n\n' "$speed"
    printf '| problem | gofh | gofh, own run | ei-cf | BoTorch | over gofh | over gofh, own run | over ei-cf |\n|---|---|---|---|---|---|---|---|\n'
    for problem in "${problems[@]}"; do
        randoms=() owns=() papers=() peers=()
        for _ in 1 2 3; do # in turn: what else the machine does hits all alike
            randoms+=("$("$speed" suggestion "$problem" gofh)")
            owns+=("$("$speed" run "$problem" gofh)")
            papers+=("$("$speed" suggestion "$problem" ei-cf)")
            if [ -n "$python" ]; then peers+=("$("$python" bench/speed/botorch_speed.py "$problem")"); else peers+=(-); fi
        done
        random=$(median "${randoms[@]}") own=$(median "${owns[@]}") paper=$(median "${papers[@]}") peer=$(median "${peers[@]}")
        printf '| %s | %s | %s | %s |' "$problem" "$(milliseconds "$random")" "$(milliseconds "$own")" "$(milliseconds "$paper")"
        if [ "$peer" = - ]; then
            printf ' - | - | - | - |\n'
        else
            printf ' %s | %s | %s | %s |\n' "$(milliseconds "$peer")" "$(ratio "$peer" "$random")" "$(ratio "$peer" "$own")" "$(ratio "$peer" "$paper")"
        fi
    done
}

rate() {
    local name gigaflops part
    printf '\nArithmetic at n = 500 (d = 3, m = 4; 64 points, 64 draws), best of 15, beside dgemm of 512 x 512 in the same moments.\n'
    printf '`%s rate`\n\n| kernel | GFlop/s | of dgemm |\n|---|---|---|\n' "$kernels"
    "$kernels" rate | while read -r name gigaflops part; do printf '| %s | %s | %s %% |\n' "$name" "$gigaflops" "$part"; done
}

instructions() {
    valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file=/dev/null "$@" 2>&1 |
        awk '/Collected/ { printf "%.1f", $NF / 1e6 }'
}

count() {
    local name
    if ! command -v valgrind > /dev/null; then
        printf '\nvalgrind is not installed: instructions are not counted.\n'
        return
    fi
    printf '\nMillions of instructions at n = 60 (d = 4, m = 12).\n'
    printf '`valgrind --tool=callgrind --instr-atstart=no %s count KERNEL`, `... %s count suggestion environment gofh`\n\n' "$kernels" "$speed"
    printf '| likelihood with gradient | prediction of 64 points | EI-CF gradient of 64 points, 64 draws | a whole suggestion |\n|---|---|---|---|\n|'
    for name in likelihood prediction gradient; do printf ' %s |' "$(instructions "$kernels" count "$name")"; done
    printf ' %s |\n' "$(instructions "$speed" count suggestion environment gofh)"
}

grow() {
    local seconds memory
    read -r seconds memory < <("$speed" growth "$@")
    printf '| %s | %s | %s | %s | %s | %s |\n' "$1" "$2" "$3" "$4" "$seconds" "$memory"
}

grow_many() {
    local seconds memory
    read -r seconds memory < <("$speed" growth gofh 50 "$2" 4 "$1")
    printf '| `%s` | %s | %s | %s |\n' "$1" "$2" "$seconds" "$memory"
}

growth() {
    local method size
    printf '\nProcessor seconds and peak memory of one suggestion, the first: its fit has nothing to start from.\n'
    printf '`%s growth METHOD N M D`\n\n| method | n | m | d | seconds | MiB |\n|---|---|---|---|---|---|\n' "$speed"
    for method in gofh ei-cf; do
        for size in 50 100 200 500 1000 2000; do grow "$method" "$size" 4 3; done
        for size in 1 10 100 1000; do grow "$method" 50 "$size" 4; done
        for size in 2 5 10 20; do grow "$method" 50 4 "$size"; done
        grow "$method" 51 50 50
    done
    printf '\nThe same with very many outputs, for a sum of squares and for any other g.\n'
    printf '`%s growth gofh 50 M 4 G`\n\n| G | m | seconds | MiB |\n|---|---|---|---|\n' "$speed"
    for size in 1000 10000 100000 1000000; do grow_many 'sum((y - target)^2)' "$size"; done
    for size in 1000 10000 100000; do grow_many 'sum(abs(y - target))' "$size"; done
}

threads() {
    local one two times
    read -r one two times < <("$speed" threads 500 4 3 10)
    printf '\nSeconds of one suggestion with one thread and with two (n = 500, m = 4, d = 3; wall time, best of 10 in turn), which suggest the same to the bit. Threads share the fits and factors of outputs, the predictions (by output, or with one kernel by blocks of points), and the starts of a fit that is alone; draws, g and the steps of the search stay on one.\n'
    printf '`%s threads 500 4 3 10`\n\n| one thread | two | times faster |\n|---|---|---|\n| %s | %s | %s |\n' "$speed" "$one" "$two" "$times"
}

posterior() {
    local kind seconds before effective
    printf '\nProcessor seconds of 4,000 samples of the posterior (d = 5, m = 100, n = 50), those of the fit and its calibration before, and the least effective size: of outputs that each have a kernel, and of a curve whose outputs share one.\n'
    printf '`%s posterior 50 100 5 waves|curve`\n\n| outputs | samples | fit | effective |\n|---|---|---|---|\n' "$speed"
    for kind in waves curve; do
        read -r seconds before effective < <("$speed" posterior 50 100 5 "$kind")
        printf '| %s | %s | %s | %s |\n' "$kind" "$seconds" "$before" "$effective"
    done
}

{
    printf '# Speed\n\nMade by `make bench-speed` on %s, load %s at the start.\n' \
        "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(cut -d' ' -f1 /proc/loadavg)"
    for part in $parts; do "$part"; done
} | tee "$out"
