#!/usr/bin/env bash
# Makes measured.csv: what the program says for the true parameters of answer.json.
set -euo pipefail
cd "$(dirname "$0")"
make --silent channel
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf '10\n0.07\n1.505\n30.1525\n' > "$scratch/parameters"
./channel "$scratch/parameters" "$scratch/results"
{
    echo "place,time,concentration"
    paste -d , <(for place in 0 1 2.5; do for time in 15 30 45 60; do echo "$place,$time"; done; done) "$scratch/results"
} > measured.csv
