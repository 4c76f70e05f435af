#!/usr/bin/env bash
# Rosenbrock's function as two terms to be squared, for Dakota's fork interface: driver.sh params.in results.out
#
# Reads Dakota's standard parameters format, which is a value and its label a line, and writes a value and its label a line.
set -euo pipefail
export LC_ALL=C # numbers have a decimal point
parameters=$1
results=$2

value_of() {
    awk -v label="$1" '$2 == label { print $1; found = 1; exit } END { exit !found }' "$parameters"
}

x1=$(value_of x1)
x2=$(value_of x2)
# The active set vector asks for values (1), gradients (2), Hessians (4) of each function: here there are only values.
if awk '$2 ~ /^ASV_/ && $1 > 1 { asked = 1 } END { exit !asked }' "$parameters"; then
    echo "fail: this driver has no derivatives" > "$results"
    exit 0
fi
awk -v x1="$x1" -v x2="$x2" 'BEGIN { printf "%.17g term_1\n%.17g term_2\n", 10 * (x2 - x1^2), 1 - x1 }' > "$results"
