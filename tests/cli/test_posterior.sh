#!/usr/bin/env bash
# The posterior of the parameters, from the problem file to tables, JSON and CSV.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# c = (x - 1, y - 2, xy - 2): the data are those of x = 1.5, y = 2.
head='study: {budget: 15}
parameters: {x: [0, 3], y: {lower: 0.5, upper: 5, scale: log}}
outputs: {c: 3, t: 1}
simulator: {command: "./sim.sh {x} {y} {results}"}'
printf '%s\ndata: {m: {values: [0.5, 0, 1], sigma: 0.1}}\nobjective: {fit: {c: m}}\n' "$head" > p.yaml
expect 1 'there is no study' posterior p.yaml
expect 0 '' run p.yaml
expect 0 'parameter' posterior p.yaml
grep -qE '^x +1\.[45][0-9]* .* %$' out.txt || fail "no row of x: $(cat out.txt)"
grep -qE '^chi-square .* for 3 data; R-hat 1\.0[0-9]*, effective size [0-9]+$' out.txt || fail "no chi-square: $(cat out.txt)"
# Linearised at the truth: precision J'J/0.01 with J = (1 0; 0 1; y x), so that the deviation of x is 0.067, of y 0.083, and
# their correlation -0.74.
json 0 'abs(j["parameters"]["x"]["mean"] - 1.5) < 0.03 and abs(j["parameters"]["x"]["sd"] - 0.067) < 0.007' posterior p.yaml
json 0 'abs(j["correlation"][0][1] + 0.74) < 0.06 and abs(j["parameters"]["y"]["sd"] - 0.083) < 0.009' posterior p.yaml
json 0 'j["converged"] and j["data"] == 3 and j["sigma"] == {} and "samples" not in j' posterior p.yaml
json 0 'len(j["samples"]) == 200 and len(j["samples"][0]) == 2' posterior p.yaml --samples 200
"$gofh" posterior p.yaml --samples 300 > a.csv
"$gofh" posterior p.yaml --samples 300 > b.csv
cmp -s a.csv b.csv || fail "the samples are others the second time"
[ "$(head -n 1 a.csv)" = x,y ] || fail "the header is $(head -n 1 a.csv)"
[ "$(wc -l < a.csv)" = 301 ] || fail "there are $(wc -l < a.csv) lines"

# ---- a prior moves it; nothing else of the study changes ----
{ cat p.yaml; echo 'prior: {x: "normal(1, 0.02)", y: uniform}'; } > prior.yaml
cp -r p.gofh prior.gofh
json 0 'j["parameters"]["x"]["mean"] < 1.2' posterior prior.yaml
# Without quotes YAML cuts at the commas, and has the same text twice here.
{ cat p.yaml; echo 'prior: {x: normal(1, 0.02), y: lognormal(2, 0.02)}'; } > bare.yaml
{ cat p.yaml; echo 'prior: {x: "normal(1, 0.02)", y: "lognormal(2, 0.02)"}'; } > quoted.yaml
for name in bare quoted; do
    cp -r p.gofh $name.gofh
    "$gofh" posterior $name.yaml > $name.out || fail "prior of $name.yaml"
done
cmp -s bare.out quoted.out || fail "a prior without quotes is another: $(cat bare.out)"
cmp -s <("$gofh" export p.yaml) <("$gofh" export prior.yaml) || fail "a prior changes the study"
wrong() {
    { cat p.yaml; echo "prior: $1"; } > wrong.yaml
    expect 2 "$2" posterior wrong.yaml
}
wrong '{z: uniform}' 'wrong.yaml:7:9: a prior of "z", which is not a parameter'
wrong '{x: "normal(1)"}' 'the prior of parameter "x" is none of uniform, normal(mean, deviation) and lognormal('
wrong '{x: "gauss(1, 2)"}' 'such as x: normal(90, 5)'
wrong '{x: "normal(1, -2)"}' 'the deviation -2 of the prior of parameter "x" must be above 0'
wrong '{x: "normal(50, 1)"}' 'has next to nothing within its bounds 0 to 3'
wrong '{x: normal(1, 2, 3)}' 'the prior of parameter "x" is none of'
wrong '[1]' 'prior must be a mapping of parameters to priors'

# ---- what has no likelihood ----
sed 's/fit: {c: m}/minimize: sum((c - m)^2)/' p.yaml > sum.yaml
cp -r p.gofh sum.gofh
expect 2 'write the objective as a fit, objective: {fit: {output: data}}' posterior sum.yaml
expect 2 '--samples' posterior p.yaml --samples 5

# ---- a log likelihood by draws of h; Huber's loss; a discrepancy ----
sed 's/fit: {c: m}/log_likelihood: -50*sum((c - m)^2)/' p.yaml > likelihood.yaml
cp -r p.gofh likelihood.gofh
json 0 'abs(j["parameters"]["x"]["mean"] - 1.5) < 0.03 and abs(j["parameters"]["x"]["sd"] - 0.067) < 0.01' posterior likelihood.yaml
expect 2 'runs for the posterior need data' run likelihood.yaml --for posterior
sed 's/fit: {c: m}/fit: {c: m}, log_likelihood: sum(c)/' p.yaml > both.yaml
expect 2 'objective has a log_likelihood and another: leave one out' check both.yaml
sed 's/sigma: 0.1/sigma: 0.1, discrepancy: true/' p.yaml > field.yaml
expect 2 'is a function of where they were measured' check field.yaml
sed -i 's/discrepancy: true/at: [0, 1, 2], discrepancy: true/' field.yaml
cp -r p.gofh field.gofh
expect 0 'the discrepancy of m is estimated: ' posterior field.yaml

# ---- sigma is not known ----
printf '%s\n' 'study: {budget: 8}' 'parameters: {x: [0, 3]}' 'outputs: {c: 3, t: 1}' 'objective: {fit: {c: m}}' \
    'simulator: {command: "./sim.sh {x} 2 {results}"}' 'data: {m: [0.55, -0.06, 1.02]}' > unknown.yaml
expect 0 '' run unknown.yaml
expect 0 'sigma of m is estimated: ' posterior unknown.yaml
sed -i 's/m: \[\(.*\)\]/m: {values: [\1], sigma: estimated}/' unknown.yaml
grep -q 'sigma: estimated' unknown.yaml || fail "no such line: $(cat unknown.yaml)"
expect 0 'sigma of m is estimated: ' posterior unknown.yaml
json 0 'j["sigma"]["m"]["lower"] < 0.05 < j["sigma"]["m"]["upper"]' posterior unknown.yaml

# ---- runs for the posterior: they end when it is certain, and go on where they ended ----
cp p.yaml for.yaml
sed -i 's/budget: 15/budget: 40/' for.yaml
expect 0 'another run would change no interval by more than a tenth: ' run for.yaml --for posterior
grep -q 'for the intervals: gofh posterior for.yaml' out.txt || fail "no advice: $(cat out.txt)"
grep -qE '^trial 4 .*  posterior  f .*  expected gain [01]\.' out.txt || fail "no such origin: $(cat out.txt)"
json 0 'all(p["emulator"] < 0.2 for p in j["parameters"].values())' posterior for.yaml
before=$("$gofh" export for.yaml | wc -l)
expect 0 'another run would change' run for.yaml --for posterior
[ "$("$gofh" export for.yaml | wc -l)" = "$before" ] || fail "it went on after its end"
expect 1 'another run would change' ask for.yaml --for posterior
expect 0 '"trial":' ask for.yaml --for posterior --all -n 2
expect 2 '--for must be posterior, not "2h"' ask for.yaml --for 2h
expect 2 'write the objective as a fit' run sum.yaml --for posterior
expect 0 'no probability of a choice by more than 0.05' help run
expect 0 'the wall clock' run prior.yaml --for 0.001s
expect 2 '--for must be posterior or a duration such as 30m or 2h, not "best"' run p.yaml --for best
expect 2 'give one' run p.yaml --for 2h --wall-clock 3h
# ---- values and choices have probabilities: c = (x - 1, y - 2, xy - 2) at y of 1, 2 or 4 ----
sed 's/y: {lower: 0.5, upper: 5, scale: log}/y: {values: [1, 2, 4]}/' p.yaml > kinds.yaml
expect 0 '' run kinds.yaml
expect 0 'y: 2 100 %' posterior kinds.yaml
json 0 'abs(sum(j["parameters"]["y"]["probabilities"].values()) - 1) < 1e-9 and j["parameters"]["y"]["probabilities"]["2"] > 0.99' posterior kinds.yaml
"$gofh" posterior kinds.yaml --samples 200 > kinds.csv
[ "$(grep -cE ',(1|2|4)$' kinds.csv)" = 200 ] || fail "a sample is no value"
expect 0 'figs/posterior-pairs.svg' report kinds.yaml --figures figs
for name in pairs combinations; do
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' figs/posterior-$name.svg ||
        fail "posterior-$name.svg is no drawing"
    if grep -q 'var(' figs/posterior-$name.svg; then fail "posterior-$name.svg has colours of a page"; fi
done
# y is 2 for certain, of 1, 2 and 4.
grep -q '^"x and y: within 50 %",1\.[0-9]*,2,,$' figs/posterior-pairs.csv || fail "no pair: $(head figs/posterior-pairs.csv)"
if grep -q '^"x and y: within .*,[14],,$' figs/posterior-pairs.csv; then fail "a pair at another y"; fi
grep -q '^"deviation left",2,' figs/posterior-combinations.csv || fail "no combinations: $(cat figs/posterior-combinations.csv)"
# ---- a posterior that is narrow beside its mean: x = 90.0000012 with a deviation of 3e-9 ----
cat > narrow.yaml << 'PROBLEM'
study: {budget: 12}
parameters: {x: [90, 90.00001]}
outputs: {c: 1}
simulator: {command: 'awk -v x={x} ''BEGIN { printf "{\"c\": %.17g}\n", (x - 90) * 1e6 }'' > {results}'}
data: {m: {values: [1.2], sigma: 0.003}}
objective: {fit: {c: m}}
PROBLEM
expect 0 '' run narrow.yaml
expect 0 '' posterior narrow.yaml
cp out.txt narrow.txt
"$gofh" posterior narrow.yaml --samples 1000 > narrow.csv
expect 0 '' report narrow.yaml
python3 - << 'CHECK' || fail "too few digits: $(cat narrow.txt; head -n 4 narrow.csv)"
import re, statistics

def check(best, mean, sd, lower, upper):
    assert abs(best - 90.0000012) < 2e-8 and abs(mean - 90.0000012) < 1e-9 and abs(sd / 3e-9 - 1) < 0.2, (best, mean, sd)
    assert abs((upper - lower) / (2 * 1.96 * 3e-9) - 1) < 0.2 and lower < mean < upper, (lower, mean, upper)

header, row, *_ = open("narrow.txt").read().splitlines()
check(*map(float, row.split()[1:6]))
samples = [float(line) for line in open("narrow.csv").read().splitlines()[1:]]
assert len(samples) == 1000 and len(set(samples)) > 900 and abs(statistics.stdev(samples) / 3e-9 - 1) < 0.2
page = open("narrow.gofh/report.html", encoding="utf-8").read()
section = page[page.index('<section id="posterior"'):]
check(*map(float, re.findall(r"<td>([^<%]*)</td>", section)[:5]))
CHECK
# ---- choices with commas and quotes are read back from the samples as they are ----
cat > wood.sh << 'SIMULATOR'
#!/bin/sh
case $2 in *dry*) shift=0 ;; *wet*) shift=0.05 ;; *) shift=3 ;; esac
awk -v x="$1" -v s="$shift" 'BEGIN { printf "{\"c\": [%.17g, %.17g, %.17g], \"t\": 1}\n", x-1+s, s, 2*x-2 }' > "$3"
SIMULATOR
chmod +x wood.sh
cat > wood.yaml << 'PROBLEM'
study: {budget: 20}
parameters:
  wood: {choices: ['oak, dry', 'the "wet" one', pine]}
  x: [0, 3]
outputs: {c: 3, t: 1}
simulator: {command: "./wood.sh {x} {wood} {results}"}
data: {m: {values: [0.5, 0, 1], sigma: 0.1}}
objective: {fit: {c: m}}
PROBLEM
expect 0 '' run wood.yaml
"$gofh" posterior wood.yaml --samples 200 > wood.csv
python3 - << 'CHECK' || fail "the samples of choices are not read back: $(head -n 5 wood.csv)"
import csv
header, *rows = csv.reader(open("wood.csv"))
assert header == ["wood", "x"] and len(rows) == 200, header
assert {row[0] for row in rows} == {"oak, dry", 'the "wet" one'}, {row[0] for row in rows}
assert all(len(row) == 2 and 0 <= float(row[1]) <= 3 for row in rows)
CHECK
exit $failed
