#!/usr/bin/env bash
# Makes measured.csv: the currents that ngspice gives for the true parameters of answer.json, to five digits.
set -euo pipefail
export LC_ALL=C # numbers have a decimal point
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
sed -e 's/{{IS:[^}]*}}/2.52e-9/; s/{{N:[^}]*}}/1.752/; s/{{RS:[^}]*}}/0.568/; s/{{IKF:[^}]*}}/0.02/' \
    "$here/diode.cir.in" > diode.cir
ngspice -b diode.cir > diode.log
awk 'BEGIN { print "voltage,current" } { printf "%.2f,%.4e\n", $1, 10^$2 }' curve.txt > "$here/measured.csv"
