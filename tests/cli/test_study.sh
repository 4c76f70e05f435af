#!/usr/bin/env bash
# A study from the shell, from its problem file to its report: what is printed, the exit statuses,
# resuming, a problem file that is wrong, and one that changed.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# ---- check ----
problem c 'budget: 7, seed: 1, initial: 6' "$simulator"
expect 0 'minimize sum(c^2) (least squares)' check c.yaml
grep -q 'y  *0.5 to 5, on a log scale' out.txt || fail "check does not show the parameters: $(cat out.txt)"
# In the middle of the domain x = 1.5, and y is the geometric mean of 0.5 and 5.
grep -q '  y  *1.58113883$' out.txt || fail "check is not in the middle: $(cat out.txt)"
grep -q '  c\[0\]  *0.5$' out.txt || fail "check does not show the outputs: $(cat out.txt)"
grep -q '^it is kept' out.txt || fail "check does not say that the run is kept: $(cat out.txt)"
json 0 'j["kind"] == "least squares" and j["result"]["c"][0] == 0.5 and abs(j["f"] - 0.5636116991581) < 1e-9' check c.yaml
[ "$(find c.gofh/check/runs -mindepth 1 -maxdepth 1 | wc -l)" = 2 ] || fail "a second check does not run"
expect 0 'study: ' check c.yaml --no-run
! grep -q 'one run' out.txt || fail "--no-run runs"
[ ! -e c.gofh/study.db ] || fail "check begins the study"

# Its run is an evaluation, the first of the study to come: as if it had been imported.
expect 0 '1 done, 0 failed, 0 open (1 imported); 0 of a budget of 7 used' status c.yaml
problem i 'budget: 7, seed: 1, initial: 6' "$simulator"
"$gofh" export c.yaml > checked.csv
expect 0 '1 evaluation imported' import i.yaml checked.csv
expect 0 'used up: 8 evaluations done' run i.yaml
expect 0 'used up: 8 evaluations done' run c.yaml
[ "$(find c.gofh/runs -mindepth 1 -maxdepth 1 | wc -l)" = 7 ] || fail "the budget of 7 is not used: $(ls c.gofh/runs)"
cmp -s <("$gofh" export c.yaml) <("$gofh" export i.yaml) || fail "the run of check is not a first evaluation: $("$gofh" export c.yaml)"
expect 0 'the study has begun, and is as it was' check c.yaml
cmp -s <("$gofh" export c.yaml) <("$gofh" export i.yaml) || fail "check touches a study"
# Not so when the problem, the command or the simulator has changed since, or when it failed.
# unused SED FILE TEXT: after a change of FILE the run of check is not used, for the reason TEXT
unused() {
    problem u 'budget: 2' './u.sh {x} {y} {results}'
    rm -rf u.gofh
    cp sim.sh u.sh
    expect 0 'it is kept' check u.yaml
    sed -i "$1" "$2"
    expect 0 "the run of gofh check is not taken into the study: $3" run u.yaml
    expect 0 '2 done, 0 failed, 0 open; 2 of a budget of 2 used' status u.yaml
}
unused 's/upper: 3/upper: 4/' u.yaml 'parameter x: its upper bound was 3 and is now 4'
unused 's/{results}/{results} 0/' u.yaml 'the command or a file of the simulator has changed'
unused 's/x-1/x - 1/' u.sh 'the command or a file of the simulator has changed'
problem u 'budget: 2' './u.sh {x} {y} {results}; exit 4'
rm -rf u.gofh
expect 3 'exit status 4' check u.yaml
expect 1 'there is no study' status u.yaml
# A constraint is named with its violation: t = 1.5 + 1.58113883.
problem v 'budget: 2' "$simulator"
printf 'constraints:\n  - t <= 3\n  - x <= 2\n' >> v.yaml
expect 0 't <= 3: violated by 0.08114' check v.yaml
grep -q '  x <= 2: met, by 0.5$' out.txt || fail "what is met: $(cat out.txt)"
json 0 'abs(j["margins"][0]["margin"] + 0.0811388300841898) < 1e-12 and j["kept"] is True' check v.yaml

problem p 'budget: 7, seed: 1, initial: 6' "$simulator"

# ---- before there is a study ----
for command in status best export report rerun; do
    expect 1 'there is no study in p.gofh/study.db yet' $command p.yaml
done

# ---- run, and go on with a larger budget ----
expect 0 'the budget of evaluations is used up: 7 evaluations done, 0 failed' run p.yaml
[ "$(grep -c '^trial [0-9]* ([0-9] of 7)' out.txt)" = 7 ] || fail "not one line per evaluation: $(cat out.txt)"
tail -n 1 out.txt | grep -q 'gofh report p.yaml' || fail "the last line does not say how to go on: $(cat out.txt)"
! grep -q $'\033' out.txt || fail "colours without a terminal"
expect 0 'used up: 7 evaluations' run p.yaml
sed -i 's/budget: 7/budget: 9/' p.yaml
json 0 'j["done"] == 9 and j["exit"] == 0 and j["best"]["f"] < 0.1' run p.yaml
grep -q '^trial 8 (8 of 9)' err.txt || fail "with --json progress is not on standard error: $(cat err.txt)"
! grep -q '^trial 7' err.txt || fail "an evaluation is done twice"

problem whole 'budget: 9, seed: 1, initial: 6' "$simulator"
expect 0 'used up' run whole.yaml
cmp -s <("$gofh" export p.yaml) <("$gofh" export whole.yaml) || fail "a run in two parts differs from one"

# ---- a design that is over stays so, when it would be larger now ----
problem small 'budget: 5, seed: 1, initial: 2' "$simulator"
expect 0 'used up' run small.yaml
sed -i 's/budget: 5, seed: 1, initial: 2/budget: 12, seed: 1, initial: 8/' small.yaml
expect 0 'used up: 12 evaluations' run small.yaml
[ "$("$gofh" export small.yaml | grep -c ',design,')" = 2 ] || fail "the design begins again: $("$gofh" export small.yaml)"

# ---- looking at it ----
expect 0 '9 done, 0 failed, 0 open; 9 of a budget of 9 used' status p.yaml
json 0 'j["done"] == 9 and j["open"] == [] and j["best"]["status"] == "done"' status p.yaml
expect 0 'expected gain' status --log p.yaml
expect 0 'c[2]' best p.yaml
json 0 'set(j["parameters"]) == {"x", "y"} and len(j["outputs"]["c"]) == 3' best p.yaml
json 0 'j["recommended"]["deviation"] >= 0' best p.yaml --recommend
"$gofh" export p.yaml > export.csv
[ "$(head -n 1 export.csv)" = 'trial,status,origin,x,y,c[0],c[1],c[2],t,f,reason' ] || fail "columns: $(head -n 1 export.csv)"
"$gofh" best p.yaml --json > best.json
python3 - << 'PYTHON' || fail "the export is not what the simulator computes"
import csv, json
rows = list(csv.DictReader(open("export.csv")))
assert len(rows) == 9
for row in rows:
    x, y, c = float(row["x"]), float(row["y"]), [float(row[f"c[{i}]"]) for i in range(3)]
    assert c == [x - 1, y - 2, x * y - 2] and float(row["t"]) == x + y, row
    assert abs(float(row["f"]) - sum(v * v for v in c)) <= 1e-12 * float(row["f"]), row
assert json.load(open("best.json"))["f"] == min(float(row["f"]) for row in rows)
PYTHON
"$gofh" export p.yaml --json | while read -r line; do python3 -m json.tool <<< "$line" > /dev/null || echo "$line"; done > bad.txt
[ ! -s bad.txt ] || fail "export --json: $(cat bad.txt)"
expect 0 'p.gofh/report.html' report p.yaml
grep -qi '<svg' p.gofh/report.html || fail "no picture in the report"
json 0 'j["report"] == "r.html"' report p.yaml --output r.html
expect 4 "can't be written: No such file" report p.yaml --output nowhere/r.html

# ---- rerun ----
expect 0 'is reproduced: all outputs are the same' rerun p.yaml
json 0 'j["reproduced"] is True and j["trial"] == 2' rerun p.yaml 2
expect 2 'there is no trial 99' rerun p.yaml 99
expect 2 'TRIAL is a whole number from 1 on, not "one"' rerun p.yaml one
cp sim.sh kept.sh
sed -i 's/x-1/x-1.001/' sim.sh
expect 1 'is not reproduced: c[0] was' rerun p.yaml
json 1 'j["reproduced"] is False' rerun p.yaml
printf '#!/bin/sh\necho no licence >&2\nexit 5\n' > sim.sh
expect 3 'the run failed: exit status 5: no licence' rerun p.yaml
json 3 'j["reproduced"] is None and "no licence" in j["reason"]' rerun p.yaml
expect 3 'failed in the middle of the domain: exit status 5: no licence' check p.yaml
json 3 '"no licence" in j["reason"]' check p.yaml
cp kept.sh sim.sh
expect 0 '9 done' status p.yaml

# ---- bounds and outputs of a study whose simulator has never run ----
problem unrun 'budget: 3' './nosim.sh {x} {y} {results}'
expect 3 'no evaluation was recorded' run unrun.yaml
json 0 'j["open"] == [1]' status unrun.yaml
sed 's/\\"t\\"/\\"u\\": 1, &/' sim.sh > sim_u.sh
chmod +x sim_u.sh
sed -i -e 's/upper: 3/upper: 4/; s/t: 1}/t: 1, u: 1}/; s/nosim/sim_u/' unrun.yaml
expect 0 'used up: 3 evaluations done' run unrun.yaml
expect 0 'before the first result: it begins anew' status unrun.yaml --log

# ---- the budget of an option is that of a file ----
for wrong in ten 2000000; do
    expect 2 "--budget is a whole number from 0 to 1000000, not \"$wrong\"" run p.yaml --budget "$wrong"
done

# ---- a stop file that was left, with --quiet ----
problem left 'budget: 3' "$simulator"
mkdir left.gofh
touch left.gofh/stop
expect 130 'gofh run: stopped by its stop file' run left.yaml --quiet
expect 0 '' run left.yaml --quiet
[ ! -s out.txt ] && [ ! -s err.txt ] || fail "--quiet: $(cat out.txt err.txt)"

# ---- a changed problem file ----
cp p.yaml kept.yaml
sed -i 's/upper: 3/upper: 4/' p.yaml
expect 2 'parameter x: its upper bound was 3 and is now 4' run p.yaml
grep -q 'gofh export p.yaml > runs.csv; then mv p.gofh away, change the file again, and gofh import p.yaml runs.csv' err.txt || fail "no way out of a change: $(cat err.txt)"
expect 2 'upper bound was 3' status p.yaml
sed 's/c: 3, t: 1/c: 4, t: 1/' kept.yaml > p.yaml
expect 2 'c' run p.yaml
sed -e 's/budget: 9/budget: 10/' -e 's/^  command.*/&\n  parallel: 2\n  timeout: 1m/' kept.yaml > p.yaml
expect 0 '10 evaluations done' run p.yaml
sed -i 's/sum(c^2)/sum(abs(c))/' p.yaml
expect 0 'used up' run p.yaml
json 0 'any("objective" in line for line in j["log"])' status p.yaml

# ---- constraints that nothing meets, an objective that is finite nowhere ----
problem never 'budget: 3' "$simulator"
printf 'constraints:\n  - t <= -1\n' >> never.yaml
expect 1 'nothing meets the constraints yet' run never.yaml
expect 1 't <= -1: violated by' best never.yaml
json 1 'j["f"] == "inf" and j["constraints"][0]["margin"] == -1 - j["outputs"]["t"]' best never.yaml
least=$("$gofh" export never.yaml | python3 -c '
import csv, sys
print(min(csv.DictReader(sys.stdin), key=lambda row: float(row["t"]))["trial"])')
expect 1 "nothing meets the constraints yet; trial $least violates them least" best never.yaml
problem log 'budget: 3' "$simulator"
sed -i 's/sum(c^2)/log(c[0] - 10)/' log.yaml
expect 1 'f is finite nowhere yet' run log.yaml

# ---- from elsewhere, with blanks in the name ----
mkdir 'a b'
cp sim.sh 'a b'
problem 'a b/z' 'budget: 1' "$simulator"
expect 0 "gofh report 'a b/z.yaml'" run 'a b/z.yaml'
[ -e 'a b/z.gofh/runs/0001/results.json' ] || fail "the folder is not beside the problem file"

# ---- a wrong problem file ----
# wrong SED TEXT: with the change, the message has TEXT
wrong() {
    problem w 'budget: 7, seed: 1' "$simulator"
    sed -i "$1" w.yaml
    for command in check run; do expect 2 "$2" $command w.yaml; done
    [ ! -e w.gofh ] || fail "a wrong problem file begins a study: $1"
}
wrong 's/budget/budgte/' 'w.yaml:1:9: unknown key "budgte" in study: did you mean "budget"?'
wrong 's/upper: 3/upper: -1/' 'w.yaml:3:'
wrong 's/sum(c^2)/sum(d^2)/' 'w.yaml:9:17: unknown name "d"'
wrong 's/outputs:.*/outputs: {c: none}/' 'w.yaml:7:14: the size of output "c" must be a number, not "none"'
wrong '1s/}//' 'w.yaml:'
wrong '/^objective/,$d' 'objective'
expect 2 'none.yaml: it can'"'"'t be read: No such file or directory' run none.yaml
expect 2 'Is a directory' run .
problem w 'budget: 7' './sim.sh {z} {results}'
expect 2 '{z}' check w.yaml
expect 2 '{z}' run w.yaml
problem w 'budget: 7' "$simulator" '  files: [mesh.dat]'
expect 2 'mesh.dat' run w.yaml
[ ! -e w.gofh ] || fail "a wrong simulator section begins a study"

# ---- paths ----
problem "it's one" 'budget: 1' "$simulator"
expect 0 "for pictures: gofh report 'it'\\''s one.yaml'" run "it's one.yaml"
printf 'pif @\nl1 !c[0]! !c[1]! !c[2]! !t!\n' > values.ins
problem absolute 'budget: 1' "'echo 1 2 3 {x} > out.txt'" "  results: instruction
  instructions: [{instruction: $PWD/values.ins, file: out.txt}]"
expect 0 '1 evaluation done, 0 failed' run absolute.yaml

exit $failed
