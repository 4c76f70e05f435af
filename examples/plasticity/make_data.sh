#!/usr/bin/env bash
# Makes mesh.inp, and measured.csv: the forces that CalculiX gives for the true parameters of answer.json, to 0.1 N.
set -euo pipefail
export LC_ALL=C # numbers have a decimal point
here=$(cd "$(dirname "$0")" && pwd)
"$here/make_mesh.py" > "$here/mesh.inp"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp "$here/mesh.inp" .
sed -e 's/{{E:[^}]*}}/210e3/; s/{{yield:[^}]*}}/235./; s/{{strength:[^}]*}}/400./' "$here/beam.inp.in" > beam.inp
OMP_NUM_THREADS=1 ccx beam > beam.log
awk 'BEGIN { print "displacement,force" } NF == 3 { printf "%d,%.1f\n", ++millimetres, $3 }' beam.dat > "$here/measured.csv"
