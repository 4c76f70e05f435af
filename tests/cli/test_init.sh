#!/usr/bin/env bash
# gofh init: what it writes passes gofh check and gofh run, from options, from answers, and from the
# files of Dakota and PEST and of a simulator.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# fresh NAME: an empty folder to work in
fresh() {
    mkdir "$work/$1"
    cd "$work/$1"
}

# ---- from options ----
fresh python
expect 0 'written: problem.yaml, measured.csv, simulate.py' init --yes --budget 25
grep -q '^it is kept' out.txt || fail "it is not checked: $(cat out.txt)"
# What nobody said is told, with the option that would say it; what was said is not.
for text in '--parameters "a 0 1, b 0 1"' '--outputs "y 12"' '--goal "fit": data are made up' '--command "python": a script'; do
    grep -qF -- "  $text" out.txt || fail "not said: $text: $(cat out.txt)"
done
! grep -q -- '--budget' out.txt || fail "the budget was not assumed: $(cat out.txt)"
[ -x simulate.py ] || fail "the stub can't be run"
grep -q 'a = 0.3, b = 0.4' measured.csv || fail "the data do not say what they are of: $(head -n 1 measured.csv)"
expect 0 'gofh report problem.yaml' run problem.yaml
# The made-up data, rounded to 1e-6, are those of a = 0.3, b = 0.4.
json 0 'abs(j["parameters"]["a"] - 0.3) < 1e-4 and abs(j["parameters"]["b"] - 0.4) < 1e-4' best problem.yaml
expect 2 'problem.yaml exists' init --yes
expect 2 'measured.csv exists' init q.yaml --yes
[ ! -e q.yaml ] || fail "half of it is written"

fresh shell
expect 0 'written: p.yaml, simulate.sh' init p.yaml --parameters 'a 0 1, rate 1e-3 10' --outputs 'T 5, peak' \
    --goal 'maximize min(T) - (peak - 1)^2' --command sh --budget 8
grep -q 'rate: {lower: 0.001, upper: 10, scale: log}  # a guess' p.yaml || fail "decades are not logarithmic: $(cat p.yaml)"
grep -q 'budget: 8' p.yaml || fail "no budget: $(cat p.yaml)"
expect 0 '' run p.yaml --quiet
[ ! -s out.txt ] || fail "--quiet prints $(cat out.txt)"

fresh data
printf 'time,T,error\n1,2.5,0.1\n2,3.5,0.1\n3,4,0.2\n' > field.csv
expect 0 'data: ' init --yes --parameters 'a 0 5, b 0 5' --outputs T --goal 'fit field.csv' --command python --no-check
! grep -q 'made up' out.txt || fail "data that were given are not made up: $(cat out.txt)"
grep -q "measured: {file: 'field.csv', column: 'T', sigma: 'error', at: 'time'}" problem.yaml || fail "columns: $(cat problem.yaml)"
grep -q 'outputs: {T: 3}' problem.yaml || fail "the size is not that of the data: $(cat problem.yaml)"
[ ! -e problem.gofh ] || fail "--no-check runs"
expect 0 'one run' check problem.yaml

# A command of one's own; that it does not work is said, and the file is there.
fresh own
expect 3 'results.json was not written' init --yes --command true --goal 'minimize y[0]'
grep -q "command: 'true {params} {results}'  # a guess" problem.yaml || fail "the command: $(cat problem.yaml)"

# Without a terminal, and where the answers end.
fresh silent
"$gofh" init < /dev/null > out.txt || fail "init without a terminal"
[ "$(grep -c '^  --' out.txt)" = 5 ] || fail "not all that is assumed is said: $(cat out.txt)"
# Empty answers take what is in brackets; that data are made up is said at the end.
fresh empty
printf '\n\n\n\n\n' | "$gofh" init > out.txt || fail "init with empty answers"
tail -n 2 out.txt | grep -qx 'the data in measured.csv are made up: put your measurements there' || fail "the data: $(cat out.txt)"
fresh some
printf 'a 0 2\n\n' | "$gofh" init > out.txt || fail "init with some answers"
[ "$(grep '^  --' out.txt | cut -d' ' -f3 | tr '\n' ' ')" = '--goal --command --budget ' ] || fail "what is assumed: $(cat out.txt)"

# ---- wrong answers ----
fresh wrong
expect 2 'a parameter is "NAME LOWER UPPER"' init --yes --parameters 'a 0'
expect 2 'upper bound 0 of parameter a is not above its lower bound 1' init --yes --parameters 'a 1 0'
expect 2 'can'"'"'t be a name' init --yes --parameters '1a 0 1'
expect 2 'an output is "NAME" or "NAME SIZE"' init --yes --outputs 'T 0'
expect 2 'a goal is "fit FILE.csv"' init --yes --goal 'reduce y'
expect 2 'makes data up, to be replaced' init --yes --goal 'fit none.csv'
expect 2 '--budget is a whole number' init --yes --budget many
expect 2 '--from has its own' init --from x.in --goal fit
expect 2 'x.in can'"'"'t be read' init --from x.in
[ -z "$(find . -name '*.yaml')" ] || fail "something was written: $(ls)"

# ---- by questions ----
fresh asked
printf 'a 0 1\nT 4\n\nsh\n6\n' > answers.txt
"$gofh" init < answers.txt > out.txt 2>&1 || fail "questions: $(cat out.txt)"
[ "$(grep -c '^[1-5] of 5' out.txt)" = 5 ] || fail "not five questions: $(cat out.txt)"
grep -q 'budget: 6' problem.yaml || fail "the last answer is lost: $(cat problem.yaml)"
expect 0 'evaluations done' run problem.yaml --all

# ---- from Dakota ----
fresh dakota
cat > driver.sh << 'DRIVER'
#!/bin/sh
awk '$2 == "x1" { x1 = $1 } $2 == "x2" { x2 = $1 } END { printf "%.17g t1\n%.17g t2\n", 10*(x2 - x1^2), 1 - x1 }' "$1" > "$2"
DRIVER
chmod +x driver.sh
cat > rosenbrock.in << 'INPUT'
# as in Dakota's own examples
environment
  tabular_data
method
  nl2sol
    max_function_evaluations = 40
    seed = 17
variables
  continuous_design = 2
    initial_point   -1.2   1.0    # the usual start
    lower_bounds     2*-2.0
    upper_bounds     2.0   2.0
    descriptors      'x1'  "x2"
interface
  analysis_drivers = 'driver.sh'
    fork
responses
  calibration_terms = 2
  no_gradients
  no_hessians
INPUT
expect 0 'written: problem.yaml' init --from rosenbrock.in
for line in 'study: {budget: 40, seed: 17}' 'x1: {lower: -2, upper: 2}' 'start: {x1: -1.2, x2: 1}' "command: 'driver.sh'" \
    'params: dakota' 'outputs: {term: 2}' 'minimize: sum(term^2)'; do
    grep -qF "$line" problem.yaml || fail "dakota: no \"$line\" in $(cat problem.yaml)"
done
# The minimum of Rosenbrock's function is at (1, 1).
expect 0 '' run problem.yaml
json 0 'abs(j["parameters"]["x1"] - 1) < 0.01 and abs(j["parameters"]["x2"] - 1) < 0.01' best problem.yaml
# Data of calibration_terms: Dakota has those of an experiment in one row.
echo '5.0 3.03 1.84' > row.dat
printf '5.0\n3.03\n1.84\n' > column.dat
for layout in row column; do
    cat > "$layout.in" << INPUT
variables
  continuous_design = 1
    lower_bounds 0.01
    upper_bounds 10
    descriptors 'rate'
interface
  analysis_drivers = 'driver.sh'
    fork
responses
  calibration_terms = 3
    calibration_data_file = '$layout.dat'
  no_gradients
  no_hessians
INPUT
    expect 0 "written: $layout.yaml" init "$layout.yaml" --from "$layout.in" --no-check
done
grep -qF 'measured: {values: [5, 3.03, 1.84]}' row.yaml || fail "a row of data: $(cat row.yaml)"
grep -qF "measured: {file: 'column.dat'}" column.yaml || fail "a column of data: $(cat column.yaml)"

cat > textbook.in << 'INPUT'
variables, continuous_design = 1 lower_bounds 0.5 upper_bounds 2.5 descriptors 'w'
  normal_uncertain = 1 means 5 std_deviations 0.5 descriptors 'n'
interface, analysis_drivers = 'text' fork aprepro
responses, objective_functions = 1 nonlinear_inequality_constraints = 2
  upper_bounds 0.1 0.2 descriptors 'mass' 'c1' 'c2'
INPUT
expect 0 'written: t.yaml' init t.yaml --from textbook.in --no-check
for line in 'n: {lower: 3.5, upper: 6.5}' 'n: normal(5, 0.5)' 'params: aprepro' 'outputs: [mass, c1, c2]' 'minimize: mass' \
    '- c1 <= 0.1' '- c2 <= 0.2'; do
    grep -qF -- "$line" t.yaml || fail "dakota: no \"$line\" in $(cat t.yaml)"
done
expect 2 'has no variables block' init u.yaml --from driver.sh

# ---- from PEST ----
fresh pest
cat > model.sh << 'MODEL'
#!/bin/sh
awk '{ for (t = 1; t <= 4; t++) printf "%.10f\n", $1*t + $2 + $3; print "sum", $1 + $2 }' in.dat > out.dat
MODEL
chmod +x model.sh
printf 'ptf ~\n~slope       ~ ~offset      ~ ~known       ~\n' > in.tpl
printf 'pif @\nl1 !h1!\nl1 !h2!\nl1 !h3!\nl1 !h4!\nl1 @sum@ !total!\n' > out.ins
cat > line.pst << 'CONTROL'
pcf
* control data
restart estimation
    3     5     1     0     1
    1     1 single point   1   0   0
  10.0  2.0  0.3  0.03 10
* parameter groups
 all relative 0.01 0.0 switch 2.0 parabolic
* parameter data
 slope  none factor  1.5   0.1   5.0 all 1.0 0.0 1
 offset log  factor  1.0   0.01 10.0 all 1.0 0.0 1
 known  fixed factor 0.25  0.1   1.0 all 1.0 0.0 1
* observation groups
 obs
* observation data
 h1     2.75  10.0 obs
 h2     4.75  10.0 obs
 h3     6.75  10.0 obs
 h4     99.0   0.0 obs
 total  2.5    1.0 obs
* model command line
./model.sh
* model input/output
in.tpl in.dat
out.ins out.dat
* prior information
CONTROL
expect 0 'written: problem.yaml, gofh_in.tpl' init --from line.pst
for line in 'slope:  {lower: 0.1, upper: 5}' 'offset: {lower: 0.01, upper: 10, scale: log}' 'outputs: {h: 4, total: 1}' \
    'values: [2.75, 4.75, 6.75, NA], sigma: [0.1, 0.1, 0.1, 1]' 'fit: {h: h_measured, total: total_measured}'; do
    grep -qF "$line" problem.yaml || fail "pest: no \"$line\" in $(cat problem.yaml)"
done
# 2 t + 0.5 + 0.25 is the line through the three points of weight, and 2 + 0.5 the sum.
expect 0 '' run problem.yaml
json 0 'abs(j["parameters"]["slope"] - 2) < 0.01 and abs(j["parameters"]["offset"] - 0.5) < 0.02' best problem.yaml
expect 2 'has no "* control data"' init q.yaml --from <(echo pcf)

# ---- from a simulator's input ----
fresh input
printf 'mesh: {n: 20, length: 1.5}\nmaterial:\n  E: 210e9   # Pa\n  name: steel\nloads: [1.0, -2.0, 0]\n' > in.yaml
expect 0 'written: problem.yaml, in.yaml.tpl, simulate.py' init --from in.yaml
diff - in.yaml.tpl << 'TEMPLATE' || fail "the template"
mesh: {n: {{mesh_n}}, length: {{mesh_length}}}
material:
  E: {{material_E}}   # Pa
  name: steel
loads: [{{loads_0}}, {{loads_1}}, 0]
TEMPLATE
grep -q 'loads_1:     {lower: -4, upper: -1}  # a guess' problem.yaml || fail "bounds: $(cat problem.yaml)"
expect 0 'evaluations done' run problem.yaml --budget 6 --all

exit $failed
