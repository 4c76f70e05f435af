#!/usr/bin/env bash
# Parameters with values, choices and known constraints: what is understood, written, read back and refused.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

cat > sim.py << 'PYTHON'
import json, sys
p = json.load(open(sys.argv[1]))
assert p["density"] == 7850 and isinstance(p["layers"], int) and p["inner"] + 2 <= p["outer"], p
loss = {"steel": 0.3, "oak, dry": 0.0, "brass": 0.6}[p["material"]]
json.dump({"y": [p["thickness"] - 4.4, p["layers"] - 6, (p["plate"] - 12) / 4, loss, p["outer"] - p["inner"] - 1]},
          open(sys.argv[2], "w"))
PYTHON
cat > v.yaml << 'YAML'
study: {budget: 14, seed: 1}
parameters:
  thickness: {lower: 1, upper: 12, step: 0.5}
  layers:    {lower: 2, upper: 9, integer: true}
  material:  {choices: [steel, "oak, dry", brass]}
  plate:     {values: [20, 6, 8, 12]}
  density:   {fixed: 7850}
  inner:     [1, 50]
  outer:     [2, 60]
constraints: [inner + 2 <= outer]
start: {material: brass, plate: 8}
simulator:
  command: python3 sim.py {params} {results}
outputs: {y: 5}
objective: {minimize: sum(y^2)}
YAML
expect 0 'layers     2 to 9, whole numbers' check v.yaml
expect 0 'material   steel, oak, dry, brass' check v.yaml
expect 0 'plate      6, 8, 12, 20' check v.yaml
expect 0 'density    fixed at 7850' check v.yaml
expect 0 'the known ones leave 56 % of the box' check v.yaml
json 0 'j["at"]["material"] == "brass" and j["at"]["plate"] == 8' check v.yaml
# Values of a list look the same wherever they are written: 8, not 8.0.
cp v.yaml ask.yaml
expect 0 '"plate":8,"density":7850,' ask ask.yaml
expect 0 'budget' run v.yaml
json 0 'j["parameters"]["density"] == 7850 and j["f"] < 4' best v.yaml
# The point of a check is not tried again.
sed '/^start/d' v.yaml > once.yaml
expect 0 'one run at the first point of the design' check once.yaml
expect 0 'budget' run once.yaml
[ -z "$("$gofh" export once.yaml | cut -d, -f4-11 | sort | uniq -d)" ] || fail "a point was tried twice: $("$gofh" export once.yaml)"
"$gofh" export v.yaml > all.csv
python3 - << 'PYTHON' || fail "not as it should be: $(cat all.csv)"
import csv
rows = list(csv.DictReader(open("all.csv")))
assert rows[0]["material"] == "brass" and rows[0]["plate"] == "8"
for row in rows:
    assert float(row["thickness"]) in [1 + 0.5 * i for i in range(23)] and int(row["layers"]) in range(2, 10)
    assert row["material"] in ("steel", "oak, dry", "brass") and row["plate"] in ("6", "8", "12", "20")
    assert float(row["inner"]) + 2 <= float(row["outer"])
assert len({tuple(row.values())[3:10] for row in rows}) == len(rows)
PYTHON
expect 0 'v.gofh/report.html' report v.yaml

# What was exported can be imported, words and all.
sed 's/^start:.*//' v.yaml > w.yaml
expect 0 'imported' import w.yaml all.csv
"$gofh" export w.yaml | cut -d, -f4-7 > other.csv
cut -d, -f4-7 all.csv | cmp - other.csv || fail "the import differs"
sed 's/brass/iron/' all.csv > wrong.csv
expect 2 '"iron" is not a choice of parameter "material": it has steel, oak, dry, brass' import w.yaml wrong.csv

# Choices may be added, but not lost.
sed -i 's/choices: .*brass\]/choices: [new, brass, steel, "oak, dry"]/' w.yaml
expect 0 'other choices of material' status w.yaml --log
"$gofh" export w.yaml | cut -d, -f4-7 | cmp - other.csv || fail "the choices have changed places"
sed -i 's/choices: .*\]/choices: [new, steel, "oak, dry"]/' w.yaml
expect 2 'the choice brass is no longer there, but trials have it' ask w.yaml
# gofh check says so, and runs nothing, with all that it understood.
expect 2 'the choice brass is no longer there, but trials have it' check w.yaml
grep -q '^study: ' out.txt || fail "what check understood: $(cat out.txt)"
[ ! -e w.gofh/check ] || fail "check ran a simulator for a file that does not fit its study"
expect 2 'the choice brass is no longer there' check w.yaml --no-run
python3 -m json.tool <("$gofh" check w.yaml --json 2> /dev/null) > /dev/null || fail "check --json of another problem"
sed 's/upper: 9, integer/upper: 8, integer/; s/choices: .*\]/choices: [new, brass, steel, "oak, dry"]/' w.yaml > narrow.yaml
cp -r w.gofh narrow.gofh
expect 2 'parameter layers: its upper bound was 9 and is now 8' check narrow.yaml --no-run
sed -i 's/upper: 8, integer/upper: 9, step: 2, integer/' narrow.yaml
expect 2 'was 9 (the last value with step 1) and is now 8 (the last value with step 2)' check narrow.yaml --no-run

# What is read again is of the same choices.
sed 's/choices: .*\]/choices: ["oak, dry", brass, steel]/' v.yaml > r.yaml
cp -r v.gofh r.gofh
expect 0 'trials read again' reread r.yaml
"$gofh" export r.yaml | cmp - all.csv || fail "the choices have changed places when outputs were read again"

# A parameter is fixed for a while, then free within its bounds; what trials have can't be lost.
cat > f.yaml << 'YAML'
study: {budget: 4, stop: never}
parameters:
  x: [0, 3]
  z: {lower: 1, upper: 9, scale: log, fixed: 8}
simulator: {command: "echo {x} {z}", results: stdout}
outputs: {u: 2}
objective:
  minimize: (u[0] - 1)^2 + (u[1] - 3)^2
YAML
expect 0 'z  8' run f.yaml
sed -i 's/, fixed: 8//; s/budget: 4/budget: 14/' f.yaml
expect 0 'evaluations done' run f.yaml
json 0 'abs(j["parameters"]["z"] - 3) < 0.1' best f.yaml
expect 0 'with parameter z free: it was fixed at 8 and is now 1 to 9' log f.yaml
sed 's/log}/log, fixed: 8}/' f.yaml > held.yaml
cp -r f.gofh held.gofh
expect 2 'is fixed at 8 now: leave out fixed, give it bounds that hold both, and add the constraint z == 8' run held.yaml
{
    sed 's/budget: 14/budget: 15/' f.yaml
    echo 'constraints: [z == 8]'
} > held.yaml
expect 0 'evaluations done' run held.yaml
json 0 'abs(j["parameters"]["z"] - 8) < 1e-6' best held.yaml
# Fixed without bounds, too; and released where the trials do not fit.
sed '/^  z/s/{.*}/{fixed: 8}/; s/budget: 14/budget: 2/' f.yaml > bare.yaml
expect 0 'evaluations done' run bare.yaml
sed -i '/^  z/s/{.*}/{lower: 1, upper: 5}/' bare.yaml
expect 2 'parameter z: trial 1 has 8, which is no longer allowed' status bare.yaml
sed -i '/^  z/s/{.*}/{fixed: 7}/' bare.yaml
expect 2 'parameter z: trial 1 has 8, but it is fixed at 7 now: leave out fixed, give it bounds' status bare.yaml
sed -i '/^  z/s/{.*}/{values: [2, 4, 8]}/' bare.yaml
expect 0 '2 done' status bare.yaml
sed -i 's/budget: 2/budget: 3/' bare.yaml
expect 0 '(3 of 3)' run bare.yaml
sed -i '/^  z/s/{.*}/{values: [2, 4, 8, 9]}/' bare.yaml
expect 0 '3 done' status bare.yaml
sed -i '/^  z/s/{.*}/{values: [1, 2, 4, 8, 9]}/; s/budget: 3/budget: 5/' bare.yaml
expect 0 '(5 of 5)' run bare.yaml
expect 0 'another kind of z: it was values 2 4 8 and is now values 1 2 4 8 9' log bare.yaml
sed -i '/^  z/s/{.*}/{values: [1, 2, 4, 9]}/' bare.yaml
expect 2 'has 8, which is no longer allowed' status bare.yaml
sed -i '/^  z/s/{.*}/{choices: [p, q]}/' bare.yaml
expect 2 'parameter z has choices, but had none in the study' status bare.yaml

# What is refused.
wrong() {
    sed "s/^  $1:.*/  $1: $2/" v.yaml > x.yaml
    expect 2 "$3" check x.yaml
}
wrong layers '{lower: 2, upper: 9.5, integer: true}' 'must be whole numbers'
wrong layers '{lower: 2, upper: 9, step: -1}' 'must be above 0, not -1'
wrong layers '{lower: 2, upper: 9, values: [1, 2]}' 'has two kinds of values'
wrong density '{lower: 1, upper: 5, fixed: 7850}' 'fixed value 7850 of parameter "density" is outside its bounds 1 to 5'
wrong plate '{values: [6, 8, 12], fixed: 7}' 'fixed value 7 of parameter "plate" is not one of its values: the nearest is '
wrong material '{choices: [steel]}' 'must be a list of 2 or more'
wrong material '{choices: [brass, oak, brass]}' 'has the choice brass twice'
wrong plate '{values: [6, 8, 6]}' 'has the value 6 twice'
wrong plate '{values: [6, 12]}' 'start value 8 of parameter "plate" is not one of its values'
wrong material '{choices: [oak, steel]}' 'start "brass" is not a choice of parameter "material": it has oak, steel'
sed 's/inner + 2 <= outer/inner >= outer + 50/' v.yaml > x.yaml
expect 2 'no point meets the known constraints: inner >= outer + 50' check x.yaml
sed 's/^start:.*/start: [{inner: 4}, {inner: 40, outer: 41}]/' v.yaml > x.yaml
expect 2 'x.yaml:11:21: no point was found with the values of start point 2 that meets the constraint inner' check x.yaml
expect 2 'x.yaml:11:21: no point was found with the values of start point 2 that meets the constraint inner' run x.yaml
sed 's/^start:.*/start: {inner: 40, outer: 41, thickness: 1, layers: 2, material: brass, plate: 8}/' v.yaml > x.yaml
expect 2 'x.yaml:11:8: the start point breaks the constraint inner + 2 <= outer' check x.yaml # density is fixed
sed 's/^start:.*/start: {inner: 40, outer: 41}/' v.yaml > x.yaml
expect 2 'that meets the constraint inner + 2 <= outer' run x.yaml
expect 2 'that meets the constraint inner + 2 <= outer' check x.yaml
expect 2 'that meets the constraint inner + 2 <= outer' check x.yaml --no-run

# What is not as it seems: texts that are numbers, and values that a linear scale does not tell apart.
cat > seems.yaml << 'YAML'
parameters:
  k:    {choices: [10, 20, 30]}
  mode: {choices: [1, auto], fixed: 1}
  size: {values: [1, 2, 5, 10, 1000]}
  logs: {values: [1, 2, 5, 10, 1000], scale: log}
outputs: [u]
objective: {minimize: u}
YAML
expect 0 'k     "10", "20", "30"' check seems.yaml
expect 0 'mode  fixed at "1"' check seems.yaml
expect 0 '(the last is 1000 times the first: scale: log tells small ones apart)' check seems.yaml
[ "$(grep -c 'tells small ones apart' out.txt)" = 1 ] || fail "scales: $(cat out.txt)"

# A study of six points ends when all have been tried; with noise another look tells more.
six() {
    cat > "$1.yaml" << PROBLEM
study: {budget: 9, stop: never}
parameters: {n: {lower: 1, upper: 3, integer: true}, m: {choices: [p, q]}}
simulator: {command: "echo {n}.{trial}", results: stdout, parallel: $2}
outputs: [u]
$3
objective: {minimize: u}
PROBLEM
}
six exact 2 ''
expect 0 'all allowed points have been tried: 6 evaluations done' run exact.yaml
six given 8 'noise: {u: 0.3}'
expect 0 'used up: 9 evaluations done' run given.yaml
six estimated 1 'noise: estimated'
expect 0 'used up: 9 evaluations done' run estimated.yaml
exit $failed
