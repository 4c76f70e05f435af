#!/usr/bin/env bash
# Looking at single trials, leaving them out, and reading their outputs again: gofh show, log, forget,
# reread; and what gofh status says of failures and of runs under way.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# Fails beyond x = 2.5, in two ways.
cat > edge.sh << 'SIMULATOR'
#!/bin/sh
case $1 in
2.[56]*) echo 'mesh is inverted' >&2; exit 3 ;;
2.*) [ "${1#2.}" \< 7 ] || { echo 'diverged' >&2; exit 4; } ;;
esac
echo 'a word of the simulator' >&2
exec "$(dirname "$0")/sim.sh" "$@"
SIMULATOR
chmod +x edge.sh
problem p 'budget: 12, seed: 1, initial: 6, stop: never' './edge.sh {x} {y} {results}'
printf 'constraints: ["t <= 4"]\n' >> p.yaml
sed -i 's/  minimize: sum(c^2)/  fit: {c: {data: m}}/; s/^objective/data: {m: {values: [0.5, 0.5, 0.5], sigma: 0.5}}\nobjective/' p.yaml
printf 'trial,status,x,y,reason\n1,failed,2.9,1,diverged\n2,failed,2.95,1,diverged\n3,failed,2.96,2,diverged\n4,failed,2.55,1,mesh\n' > failures.csv
# A table of failures needs no columns of outputs; one with a result does.
expect 0 '4 evaluations imported (4 of them failed)' import p.yaml failures.csv
printf 'status,x,y\ndone,1,1\n' > nothing.csv
expect 2 'has no column "c[0]"' import p.yaml nothing.csv
# Failures for one reason are one line.
expect 0 '  trials 1 to 3 failed: diverged' status p.yaml
grep -qx '  trial 4 failed: mesh' out.txt || fail "the other reason: $(cat out.txt)"

expect 0 'evaluations done' run p.yaml
# ---- show ----
done_trial=$("$gofh" export p.yaml | awk -F, '$2 == "done" { print $1; exit }')
expect 0 "trial $done_trial: done" show p.yaml "$done_trial"
for text in 'residuals' 't <= 4: ' 'seconds: ' 'folder: ' 'a word of the simulator' 'in sigma'; do
    grep -qF -- "$text" out.txt || fail "show has no $text: $(cat out.txt)"
done
json 0 'abs(j["residuals"][0]["residual"] - (j["outputs"]["c"][0] - 0.5)) < 1e-15 and j["residuals"][0]["sigma"] == 0.5 and j["seconds"] > 0' \
    show p.yaml "$done_trial"
json 0 'j["status"] == "failed" and j["reason"] == "mesh" and j["folder"] is None' show p.yaml 4
expect 2 'there is no trial 99' show p.yaml 99
# ---- log ----
expect 0 ' trial  chosen by     seconds  expected gain' log p.yaml
[ "$(grep -c '^ *[0-9]' out.txt)" -ge 16 ] || fail "not a line for each trial: $(cat out.txt)"
"$gofh" log p.yaml --json > log.jsonl
python3 - << 'PYTHON' || fail "log --json"
import json
lines = [json.loads(line) for line in open("log.jsonl")]
best = float("inf")
for line in lines[:-1]:
    f = line["f"]
    better = isinstance(f, float) and f < best
    assert line["improved"] == better, line
    best = f if better else best
assert "log" in lines[-1]
PYTHON

# ---- forget ----
best=$("$gofh" best p.yaml --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["trial"])')
second=$("$gofh" export p.yaml | python3 -c 'import csv, sys; print(sorted((float(r["f"]), r["trial"]) for r in csv.DictReader(sys.stdin) if r["status"] == "done" and r["f"])[1][1])')
expect 0 "trial $best is forgotten" forget p.yaml "$best"
json 0 "j['trial'] == $second" best p.yaml
expect 0 '1 forgotten' status p.yaml
expect 0 "trial $best: its result, f = " log p.yaml
json 0 'j["status"] == "forgotten" and len(j["outputs"]["c"]) == 3' show p.yaml "$best"
expect 2 "trial $best is forgotten already" forget p.yaml "$best"
expect 2 'take it in again before' tell p.yaml "$best" --replace --failed 'no'
expect 2 'is not forgotten' forget p.yaml "$second" --undo
expect 0 'counts again: it is done' forget p.yaml "$best" --undo
json 0 "j['trial'] == $best" best p.yaml
expect 0 'trial 4 is forgotten' forget p.yaml 4
expect 0 'counts again: it is failed' forget p.yaml 4 --undo
# As if it had never been: the model of a study without the trial is the same.
problem whole 'budget: 8, seed: 1, initial: 8' "$simulator"
expect 0 'used up' run whole.yaml
"$gofh" export whole.yaml | grep -v '^5,' > without.csv
problem part 'budget: 8, seed: 1, initial: 8' "$simulator"
expect 0 '7 evaluations imported' import part.yaml without.csv
expect 0 'trial 5 is forgotten' forget whole.yaml 5
"$gofh" best whole.yaml --recommend --json > whole.json
"$gofh" best part.yaml --recommend --json > part.json
python3 - << 'PYTHON' || fail "a forgotten trial is learned from"
import json
one, other = (json.load(open(name))["recommended"] for name in ("whole.json", "part.json"))
assert abs(one["f"] - other["f"]) <= 1e-6 + 1e-3 * abs(one["f"]), (one, other)
PYTHON

# ---- reread ----
problem r 'budget: 5, seed: 1, initial: 5' "$simulator"
sed -i 's/outputs: {c: 3, t: 1}/outputs: {c: 3}/' r.yaml
expect 0 'used up' run r.yaml
"$gofh" export r.yaml > before.csv
sed -i 's/outputs: {c: 3}/outputs: {t: 1, c: 3}/' r.yaml
expect 2 'gofh reread r.yaml' status r.yaml
expect 0 '5 trials read again' reread r.yaml
"$gofh" export r.yaml > after.csv
python3 - << 'PYTHON' || fail "the outputs are not those of the simulator: $(cat after.csv)"
import csv
before, after = (list(csv.DictReader(open(name))) for name in ("before.csv", "after.csv"))
assert len(before) == len(after) == 5
for old, new in zip(before, after):
    assert float(new["t"]) == float(new["x"]) + float(new["y"]), new
    assert all(old[key] == new[key] for key in old), (old, new)
PYTHON
expect 0 'the outputs of 5 trials were read again' log r.yaml
json 0 'j["done"] == 6' run r.yaml --budget 6
[ -s r.gofh/study.db.before-reread ] || fail "the study as it was is gone"
# What can't be read changes nothing, unless it may be left out.
sed -i 's/outputs: {t: 1, c: 3}/outputs: {t: 1, c: 3, w: 1}/' r.yaml
sed -i 's/}$/, "w": 1}/' r.gofh/runs/0003/results.json
"$gofh" export r.yaml > /dev/null 2>&1 && fail "the outputs may differ"
expect 2 'trial 1: ' reread r.yaml
grep -q 'nothing is changed' err.txt || fail "reread: $(cat err.txt)"
sed -i 's/, w: 1//' r.yaml
json 0 'j["done"] == 6' status r.yaml
sed -i 's/outputs: {t: 1, c: 3}/outputs: {t: 1, c: 3, w: 1}/' r.yaml
expect 0 '1 trial read again, 5 forgotten' reread r.yaml --forget
json 0 'j["done"] == 1 and j["forgotten"] == 5' status r.yaml
# Results that no run's folder has, as imported ones, stay in what was kept, however often it is read again.
sed 's/outputs: {c: 3, t: 1}/outputs: {t: 1}/; s/sum(c^2)/t^2/' r.yaml > imported.yaml
sed -i 's/outputs: {t: 1, c: 3, w: 1}/outputs: {t: 1}/' imported.yaml
printf 'x,y,t\n1,1,2.5\n' | "$gofh" import imported.yaml - > /dev/null || fail "import"
sed 's/{t: 1}/{t: 1, w: 1}/' imported.yaml > more.yaml
cp imported.yaml once.yaml
cp more.yaml imported.yaml
expect 0 '1 forgotten' reread imported.yaml --forget
cp once.yaml imported.yaml
for time in 1 2; do "$gofh" reread imported.yaml > /dev/null || fail "reread $time"; done
mkdir earlier.gofh
cp imported.gofh/study.db.before-reread.1 earlier.gofh/study.db
cp imported.yaml earlier.yaml
"$gofh" export earlier.yaml | grep -q ',2.5,' || fail "an imported result is lost: $(ls imported.gofh)"
# A result that was reported by hand is kept where its outputs are the same, with its variances.
problem hand 'budget: 3' "$simulator"
sed -i 's/outputs: {c: 3, t: 1}/outputs: {t: 1}/; s/sum(c^2)/t^2/' hand.yaml
expect 0 '"trial":1' ask hand.yaml
expect 0 'f = 4' tell hand.yaml 1 t=2 --variance t=0.25
sed -i 's/outputs: {t: 1}/outputs: {c: {size: 3, missing: allowed}, t: 1}/' hand.yaml
expect 0 '0 trials read again, 1 without files kept as it is' reread hand.yaml
json 0 'j["outputs"]["t"] == 2 and j["variance"]["t"] == 0.25' show hand.yaml 1
# What was corrected stays, as a result and as a failure; what it does not have is read from the run's files.
problem m 'budget: 4, seed: 1, initial: 4' "$simulator"
sed -i 's/outputs: {c: 3, t: 1}/outputs: {t: 1}/; s/sum(c^2)/t^2/' m.yaml
expect 0 'used up' run m.yaml
expect 0 'f = 49' tell m.yaml 2 --replace t=7
expect 0 'failed: the mesh was wrong' tell m.yaml 3 --replace --failed 'the mesh was wrong'
json 0 'j["outputs"]["t"] == 7 and j["folder"]' show m.yaml 2
expect 0 '2 trials read again, 1 kept as corrected, 1 failed as before' reread m.yaml
json 0 'j["outputs"]["t"] == 7' show m.yaml 2
sed -i 's/outputs: {t: 1}/outputs: {t: 1, c: 3}/' m.yaml
expect 0 '3 trials read again, 1 failed as before' reread m.yaml
json 0 'j["outputs"]["t"] == 7 and j["outputs"]["c"][0] == j["parameters"]["x"] - 1' show m.yaml 2
expect 0 'failed: the mesh was wrong' show m.yaml 3
expect 0 '4 trials read again' reread m.yaml --corrected
json 0 'j["outputs"]["t"] == j["parameters"]["x"] + j["parameters"]["y"]' show m.yaml 2
# A run that ended well, but whose outputs had another name, was a failure and is a result.
problem n 'budget: 3, seed: 1, initial: 3' "$simulator"
sed -i 's/outputs: {c: 3, t: 1}/outputs: {d: 3}/; s/sum(c^2)/sum(d^2)/' n.yaml
expect 1 'why they failed' run n.yaml
sed -i 's/outputs: {d: 3}/outputs: {c: 3}/; s/sum(d^2)/sum(c^2)/' n.yaml
expect 0 '3 trials read again' reread n.yaml
json 0 'j["done"] == 3 and j["failed"] == 0' status n.yaml
problem none 'budget: 3' "$simulator"
expect 1 'there is no study in none.gofh/study.db yet' reread none.yaml
# The run of gofh check is read again too.
problem k 'budget: 3' "$simulator"
sed -i 's/outputs: {c: 3, t: 1}/outputs: {c: 3}/' k.yaml
expect 0 'it is kept' check k.yaml
expect 0 '' run k.yaml
sed -i 's/outputs: {c: 3}/outputs: {c: 3, t: 1}/' k.yaml
expect 0 '4 trials read again' reread k.yaml

# Curves are read at other places than before: y = t (x + 1) at t = 0, 1, 2, 3.
cat > curve.sh << 'SIMULATOR'
#!/bin/sh
awk -v x="$1" 'BEGIN { printf "{\"T\": [0, %.17g, %.17g, %.17g], \"t\": [0, 1, 2, 3]}\n", x + 1, 2*(x + 1), 3*(x + 1) }' > "$2"
SIMULATOR
chmod +x curve.sh
cat > curve.yaml << 'PROBLEM'
study: {budget: 4, stop: never}
parameters: {x: [0, 3]}
simulator: {command: "./curve.sh {x} {results}"}
outputs: {T: {at: t}}
data: {m: {values: [1, 2], at: [0.5, 1]}}
objective: {fit: {T: m}}
PROBLEM
expect 0 '4 evaluations done' run curve.yaml
sed -i 's/at: \[0.5, 1\]/at: [1, 2.5]/' curve.yaml
expect 2 'gofh reread curve.yaml' status curve.yaml
expect 2 'gofh reread curve.yaml' check curve.yaml
expect 0 '4 trials read again' reread curve.yaml
"$gofh" export curve.yaml | python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    x = float(row["x"]) + 1
    assert abs(float(row["T[0]"]) - x) < 1e-12 and abs(float(row["T[1]"]) - 2.5 * x) < 1e-12, row' || fail "curves at the old places"

# ---- runs under way ----
held u
start u
json 0 '[r["state"] for r in j["runs"]] == ["running"] * 2 and all(r["host"] and r["process"] > 1 and r["since"].endswith("Z") and set(r["parameters"]) == {"x", "y"} for r in j["runs"])' status u.yaml
expect 0 '  trial 1 is running for ' status u.yaml
expect 0 'it is running for' show u.yaml 1
release u
finish u 0 'used up'
json 0 'j["runs"] == []' status u.yaml

# A result by hand does not compete with that of a run, which goes on when gofh is killed.
held v
start v
await compgen -G 'v.began.2' || fail "the second run did not begin"
kill -9 "$process"
wait "$process" || true
expect 2 'trial 1 is running for ' tell v.yaml 1 c=1,2,3 t=4
grep -q ', process [0-9]' err.txt || fail "which process has it: $(cat err.txt)"
grep -qF -- '--anyway' err.txt || fail "how it is told anyway: $(cat err.txt)"
expect 2 'trial 2 is running for ' tell v.yaml 2 --failed 'no'
expect 0 'f = 14' tell v.yaml 2 c=1,2,3 t=4 --anyway
expect 0 '"trial":3' ask v.yaml
expect 0 'trial 3: f = 14' tell v.yaml 3 c=1,2,3 t=4
release v
# shellcheck disable=SC2317 # await calls it
says() { "$gofh" status "$1" | grep -q "$2"; }
await says v.yaml 'trial 1 is ended' || fail "the run does not end: $("$gofh" status v.yaml)"
expect 2 'trial 1 is ended: gofh run takes its result' tell v.yaml 1 c=1,2,3 t=4
expect 0 'used up' run v.yaml
json 0 'j["outputs"]["t"] == j["parameters"]["x"] + j["parameters"]["y"] and j["folder"]' show v.yaml 1
json 0 'j["outputs"]["t"] == 4 and j["folder"] is None' show v.yaml 2
# Of a run that was killed too there is none.
held w
start w
kill -9 "$process"
wait "$process" || true
kill -9 "-$("$gofh" status w.yaml --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["runs"][0]["process"])')"
await says w.yaml 'trial 1 is lost' || fail "the run is not lost: $("$gofh" status w.yaml)"
expect 0 'trial 1: f = 14' tell w.yaml 1 c=1,2,3 t=4
release w

# ---- an infinite f is explained ----
problem i 'budget: 3, seed: 1' ''
sed -i 's/minimize: .*/maximize: log(c[0])/' i.yaml
"$gofh" ask i.yaml -n 2 > asked.txt
expect 0 'f = -inf: the objective has no finite value there (a logarithm of 0' tell i.yaml 1 c=-1,0,0 t=1
printf 'constraints: ["t <= 4"]\n' >> i.yaml
expect 0 'f = -inf: a constraint does not hold' tell i.yaml 2 c=1,0,0 t=5
expect 0 'f = -inf: a constraint does not hold' show i.yaml 2
expect 0 'not feasible' log i.yaml
# Without a constraint that is violated nothing is called infeasible.
problem o 'budget: 3, stop: never' "echo {x}e200 {y} 1 1" '  results: stdout'
expect 1 'f is not finite  no finite f yet' run o.yaml
expect 1 'f is finite nowhere yet; the first is trial 1: the objective overflows, for an output is beyond 1e154' best o.yaml
grep -q 'no finite f is known' out.txt || fail "how sure it is: $(cat out.txt)"
expect 0 'f is finite nowhere yet; the first is trial 1: the objective overflows' status o.yaml
expect 0 'f is not finite' log o.yaml
expect 0 'report.html' report o.yaml
grep -q 'f is not finite</td>' o.gofh/report.html || fail "the report's table"
! grep -v '^\.not-feasible' o.gofh/report.html | grep -i 'feasible' || fail "infeasible in the report"
printf 'constraints: ["t <= 4"]\n' >> o.yaml
expect 0 'f is not finite' log o.yaml
sed -i 's/t <= 4/t >= 4/' o.yaml
expect 0 'not feasible' log o.yaml

# ---- numbers are as short as they can be ----
problem s 'budget: 1' ''
printf 'x,y,c[0],c[1],c[2],t\n0.1,0.7,0.3,1e-7,100,0.30000000000000004\n' > short.csv
expect 0 '1 evaluation' import s.yaml short.csv
"$gofh" export s.yaml | grep -q ',0.1,0.7,0.3,1e-07,100,0.30000000000000004,' || fail "digits: $("$gofh" export s.yaml)"
"$gofh" export s.yaml --json | grep -q '"x":0.1,"y":0.7' || fail "digits: $("$gofh" export s.yaml --json)"

# ---- lines for other programs ----
problem l 'budget: 3, seed: 5' "$simulator"
"$gofh" run l.yaml --json-lines --seed 2 > lines.txt
python3 - << 'PYTHON' || fail "lines: $(cat lines.txt)"
import json
events = [json.loads(line) for line in open("lines.txt")]
assert [e["event"] for e in events] == ["start", "end"] * 3 + ["outcome"], events
assert events[1]["seconds"] >= 0 and events[1]["status"] == "done" and events[-1]["done"] == 3
PYTHON
expect 2 'excludes' run l.yaml --json-lines --quiet
exit $failed
