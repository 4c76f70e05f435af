#!/usr/bin/env bash
# Points that the user has: run first, once, however often the command is given or killed.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# starts NAME: origin, x and y of all trials but imported ones, a line each
starts() { "$gofh" export "$1.yaml" | awk -F, 'NR > 1 && $3 != "import" { printf "%s %.12g %.12g\n", $3, $4, $5 }'; }

# ---- run: in their order, then the rest of the design ----
problem r 'budget: 8, initial: 6' "$simulator"
echo 'start: [{x: 0.7, y: 3.3}, {y: 0.9}]' >> r.yaml
expect 0 'used up: 8 evaluations done' run r.yaml
grep -q '^trial 1 (1 of 8)  start  ' out.txt || fail "the line of a start: $(cat out.txt)"
[ "$(starts r | sed -n 1p)" = 'start 0.7 3.3' ] || fail "the first start: $(starts r)"
[[ $(starts r | sed -n 2p) == 'start '*' 0.9' ]] || fail "the second start: $(starts r)"
[ "$(starts r | sed -n 3,6p | grep -c '^design ')" = 4 ] || fail "not 6 points of starts and design: $(starts r)"
! starts r | sed -n '7,$p' | grep -q '^design\|^start' || fail "the design is too long: $(starts r)"
expect 0 ' 1  start  ' status r.yaml --log
json 0 'j["queued"] == 0' status r.yaml
expect 0 '' report r.yaml
grep -q 'start point' r.gofh/report.html || fail "the report does not show starts"

# ---- the same file again, with a larger budget and one more start: only that is new ----
sed -i 's/budget: 8/budget: 10/; s/^start: .*/start: [{x: 0.7, y: 3.3}, {y: 0.9}, {x: 2, y: 1}]/' r.yaml
expect 0 'used up: 10 evaluations done' run r.yaml
[ "$(starts r | grep -c '^start')" = 3 ] || fail "starts are run again: $(starts r)"
[ "$(starts r | sed -n 9p)" = 'start 2 1' ] || fail "a new start is not next: $(starts r)"

# ---- check: at the first start, completed, which then is not run again ----
for first in '{x: 0.7, y: 3.3}' '{y: 0.9}'; do
    rm -rf k.gofh
    problem k 'budget: 3, initial: 4' "$simulator"
    printf 'start:\n  - %s\n  - {x: 2}\n' "$first" >> k.yaml
    expect 0 'one run at the first start point took' check k.yaml
    grep -q '^start:  *2 points' out.txt || fail "check does not say how many: $(cat out.txt)"
    json 0 'j["start"] == 2 and j["kept"] and all(j["at"][k] == v for k, v in
            {"x: 0.7, y: 3.3": {"x": 0.7, "y": 3.3}, "y: 0.9": {"y": 0.9}}["'"${first//[\{\}]/}"'"].items())' check k.yaml
    expect 0 'used up: 4 evaluations done' run k.yaml
    [[ $(starts k | sed -n 1p) == 'start 2 '* ]] || fail "after check: $(starts k)"
    [ "$(starts k | grep -c '^start')" = 1 ] || fail "the start of check is run again: $(starts k)"
done
problem k 'budget: 3' 'exit 5 #'
echo 'start: {x: 1}' >> k.yaml
rm -rf k.gofh
expect 3 'the simulator failed at the first start point: exit status 5' check k.yaml

# ---- ask gives them first; an import that is one of them is known ----
problem a 'budget: 5, initial: 5'
echo 'start: [{x: 1, y: 1}, {x: 0.25, y: 4}, {x: 2.5}]' >> a.yaml
printf 'x,y,c[0],c[1],c[2],t\n0.25,4,-0.75,2,-1,4.25\n' > a.csv
expect 0 '1 evaluation imported' import a.yaml a.csv
json 0 'j["queued"] == 0' status a.yaml # import does not ask
expect 0 '{"trial":2,"parameters":{"x":1.0,"y":1.0}}' ask a.yaml
expect 0 'start:    1 point to come' status a.yaml
expect 0 '{"trial":3,"parameters":{"x":2.5,"y":' ask a.yaml
expect 0 '' ask a.yaml
[ "$(starts a | tail -n 1 | cut -d' ' -f1)" = design ] || fail "after the starts: $(starts a)"

# ---- more of them than the budget ----
problem b 'budget: 1' "$simulator"
echo 'start: [{x: 1}, {x: 2}]' >> b.yaml
expect 0 'start: has 2 points, more than budget: 1, so not all of them are run' run b.yaml
[ "$(starts b | cut -d' ' -f1,2)" = 'start 1' ] || fail "beyond the budget: $(starts b)"

# ---- an empty list is none; a wrong point is refused before anything runs ----
problem e 'budget: 1' "$simulator"
echo 'start: []' >> e.yaml
expect 0 'used up: 1 evaluation done' run e.yaml
[[ $(starts e) == design* ]] || fail "an empty list: $(starts e)"
sed -i 's/^start: .*/start: {x: 3.5}/' e.yaml
expect 2 'e.yaml:10:12: start value 3.5 of parameter "x" is outside its bounds 0 to 3' run e.yaml

# ---- killed while the first two run, and gone on with ----
held h
echo 'start: [{x: 0.5, y: 1}, {x: 1, y: 2}, {x: 1.5}]' >> h.yaml
start h
await test -e h.began.2 || fail "not two at once"
kill -9 "$process"
wait "$process" 2> /dev/null || true
release h
expect 0 'used up: 4 evaluations done' run h.yaml --all
[ "$(starts h | sed -n 1,2p)" = $'start 0.5 1\nstart 1 2' ] || fail "after a kill: $(starts h)"
[[ $(starts h | sed -n 3p) == 'start 1.5 '* ]] || fail "after a kill: $(starts h)"
[ "$(starts h | grep -c '^start')" = 3 ] || fail "after a kill: $(starts h)"

# ---- known constraints that come after points were queued or run: the first are not run, the second stay ----
cat > n.yaml << 'EOF'
study: {budget: 10}
parameters:
  n: {lower: 1, upper: 6, integer: true}
  p: {fixed: 4}
  a: [0, 1]
outputs: [z]
objective: {minimize: z}
start: [{n: 5, a: 0.5}, {n: 6, a: 0.5}]
EOF
expect 0 '"n":5' ask n.yaml
expect 0 '' tell n.yaml 1 z=5
sed 's/^start: .*/start: {n: 5, a: 0.5}/; $aconstraints: [n <= 3]' n.yaml > new.yaml
echo 'constraints: [n <= 3]' >> n.yaml
expect 0 '"trial":2' ask n.yaml
grep -q '"n":[123],' out.txt || fail "a queued point breaks a constraint: $(cat out.txt)"
expect 0 'the start and meets the known constraints; another is tried' log n.yaml
expect 2 'the start point breaks the constraint n <= 3' ask new.yaml
exit "$failed"
