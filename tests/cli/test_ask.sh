#!/usr/bin/env bash
# Studies of people who run things themselves: ask, tell and import, and what they refuse.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

problem a 'budget: 9'
expect 2 'a.yaml has no simulator section: use gofh ask and gofh tell' run a.yaml
expect 0 'none: only ask and tell' check a.yaml
expect 0 '"trial":3' ask a.yaml -n 3
[ "$(wc -l < out.txt)" = 3 ] || fail "not three suggestions: $(cat out.txt)"
python3 - << 'PYTHON' || fail "the suggestions are not as they should be: $(cat out.txt)"
import json
lines = [json.loads(line) for line in open("out.txt")]
assert [line["trial"] for line in lines] == [1, 2, 3]
assert all(0 <= p["x"] <= 3 and 0.5 <= p["y"] <= 5 for p in (line["parameters"] for line in lines))
PYTHON
expect 0 '  trial 1 is asked by gofh ask, for gofh tell' status a.yaml
json 0 '[r["state"] for r in j["runs"]] == ["asked"] * 3 and j["open"] == [1, 2, 3]' status a.yaml
expect 1 'no trial is done yet' best a.yaml

# ---- tell ----
expect 0 'trial 1: f = 14' tell a.yaml 1 c=1,2,3 t=4
expect 2 'trial 1 has been told already' tell a.yaml 1 c=1,2,3 t=4
echo '{"c": [1, 2, 2.5e0], "t": -1}' > results.json
json 0 'j["f"] == 11.25 and j["outputs"] == {"c": [1, 2, 2.5], "t": -1}' tell a.yaml 2 --results results.json
expect 0 'trial 3 failed: it burned' tell a.yaml 3 --failed 'it burned'
expect 2 'trial 3 has failed already' tell a.yaml 3 --failed 'it burned'
expect 2 '--replace puts this result in place of the one it has' tell a.yaml 3 c=1,2,3 t=4
expect 0 'trial 3: f = 14' tell a.yaml 3 --replace c=1,2,3 t=4
expect 0 'trial 3 failed: it burned' tell a.yaml 3 --replace --failed 'it burned'
expect 0 'trial 3: its result was replaced; it was a failure and is f = 14' status a.yaml --log
expect 2 'there is no trial 9: there are 3 so far' tell a.yaml 9 c=1,2,3 t=4
json 0 'j["done"] == 2 and j["failed"] == 1' status a.yaml
expect 0 'trial 3 failed: it burned' status a.yaml

expect 0 '"trial":4' ask a.yaml
# refused TEXT ARGUMENTS...: trial 4 stays open
refused() {
    expect 2 "$1" tell a.yaml 4 "${@:2}"
}
refused 'c takes 3 finite numbers with commas between, not "1,2"' c=1,2 t=4
refused 'not "1,2,3,4"' c=1,2,3,4 t=4
refused 'not "1,2,x"' c=1,2,x t=4
refused 'not "1,2,nan"' c=1,2,nan t=4
refused 'not "1,,3"' c=1,,3 t=4
refused 't takes 1 finite number, not "0x10"' c=1,2,3 t=0x10
refused 'the output t is missing' c=1,2,3
refused 'the output t is given twice' c=1,2,3 t=4 t=4
refused 'there is no output "d"' c=1,2,3 d=4
refused '"t" is not NAME=VALUE' c=1,2,3 t
refused 'give either NAME=VALUE, or --results, or --failed'
refused 'give either' --failed x --results results.json
refused '--results needs a value' --results
refused '--failed needs a reason' --failed ''
refused '--failed needs a reason' --failed ' '
refused "none.json can't be read: No such file or directory" --results none.json
refused "can't be read whole" --results .
echo '{"c": [1, 2, 3]}' > short.json
refused 'short.json has no "t"' --results short.json
echo '{"c": [1, 2, 3], "t": ' > cut.json
refused 'cut.json:' --results cut.json
expect 2 'TRIAL is a whole number from 1 on, not "0"' tell a.yaml 0 --failed x
expect 2 'an argument is missing' tell a.yaml
status=0
"$gofh" tell a.yaml 4 --results - < short.json 2> err.txt || status=$?
[ "$status" = 2 ] && grep -q 'standard input has no "t"' err.txt || fail "a wrong standard input: $status: $(cat err.txt)"
"$gofh" tell a.yaml 4 --results - --json < results.json > out.txt || fail "tell from standard input"
python3 -m json.tool out.txt > /dev/null || fail "tell --json: $(cat out.txt)"

# ---- a reason with bytes that a terminal obeys, or that are no text ----
problem bytes 'budget: 2'
expect 0 '"trial":2' ask bytes.yaml -n 2
expect 0 'trial 1 failed: bad ??[31m? é' tell bytes.yaml 1 --failed $'bad \377\033[31m\n é'
json 0 'j["reason"] == "bad ??[31m? é"' tell bytes.yaml 2 --failed $'bad \377\033[31m\n é'
expect 0 'trials 1 and 2 failed: bad ??[31m? é' status bytes.yaml

# ---- the budget ----
expect 0 '"trial":5' ask a.yaml -n 5
expect 1 'the budget of evaluations is used up: raise study: budget (now 9) to go on' ask a.yaml
[ ! -s out.txt ] || fail "a suggestion beyond the budget: $(cat out.txt)"
sed -i 's/budget: 9/budget: 10/' a.yaml
expect 0 'used up' ask a.yaml -n 2
[ "$(wc -l < out.txt)" = 1 ] || fail "not the one suggestion that is left: $(cat out.txt)"
expect 2 '-n is a whole number from 1 to 10000, not "0"' ask a.yaml -n 0

# ---- run leaves to whoever asked what was asked by hand ----
problem both 'budget: 3' "$simulator"
expect 0 '"trial":1' ask both.yaml
expect 0 '2 evaluations done, 0 failed, 1 open' run both.yaml
expect 0 'trial 1: f = 14' tell both.yaml 1 c=1,2,3 t=4

# ---- import ----
problem from 'budget: 5' "$simulator"
expect 0 'used up' run from.yaml
"$gofh" export from.yaml > from.csv
problem to 'budget: 2' "$simulator"
expect 0 '5 evaluations imported' import to.yaml from.csv
# One transaction for all rows, so that an import that is killed leaves nothing. SQLite counts them
# in bytes 24 to 27.
commits() { od -An -tu1 -j24 -N4 "$1.gofh/study.db" | awk '{ print ($1 * 256 + $2) * 65536 + $3 * 256 + $4 }'; }
problem many 'budget: 2'
expect 1 '' status many.yaml
awk 'BEGIN { print "x,y,c[0],c[1],c[2],t"; for (i = 0; i < 50; i++) print i / 20 ",2," i ",0,-0,1" }' > many.csv
expect 0 '{' ask many.yaml
before=$(commits many)
expect 0 '50 evaluations imported' import many.yaml many.csv
[ $(($(commits many) - before)) -lt 10 ] || fail "an import of 50 rows is $(($(commits many) - before)) transactions"
expect 0 '0 evaluations imported, 50 known already' import many.yaml many.csv
expect 0 '0 evaluations imported, 5 known already' import to.yaml from.csv
problem narrow 'budget: 2' "$simulator"
sed -i '/^  x:/s/upper: [0-9.]*/upper: 0.0001/' narrow.yaml
expect 2 'outside its bounds' import narrow.yaml from.csv
[ ! -e narrow.gofh/study.db ] || fail 'an import that was refused left a study'
problem piped 'budget: 2' "$simulator"
expect 0 '5 evaluations imported' import piped.yaml - < from.csv
json 0 'j == {"imported": 0, "failed": 0, "known": 5, "undone": 0}' import to.yaml from.csv
cmp -s <(cut -d, -f4- from.csv) <("$gofh" export to.yaml | cut -d, -f4-) || fail "imported values are not those exported"
expect 0 '5 done, 0 failed, 0 open (5 imported); 0 of a budget of 2 used' status to.yaml
expect 0 '7 evaluations done' run to.yaml
# Other columns, another order, another separator; a row more.
printf 't;note;y;c[0];c[1];c[2];x\n' > own.csv
printf '%s\n' '4;a;1;1;2;3;0.5' '4;b;2;1;2;3;0.25' >> own.csv
expect 0 '2 evaluations imported' import to.yaml own.csv
echo '4;c;2;1;2;3;0.75' >> own.csv
expect 0 '1 evaluation imported, 2 known already' import to.yaml own.csv
"$gofh" export a.yaml > mixed.csv
problem mixed 'budget: 2'
expect 0 '4 evaluations imported (1 of them failed), 6 skipped that are neither done nor failed' import mixed.yaml mixed.csv
expect 0 '0 evaluations imported, 4 known already, 6 skipped' import mixed.yaml mixed.csv
expect 0 'trial 3 failed: it burned' status mixed.yaml
# People write it in their own letters.
problem letters 'budget: 2'
sed 's/,done,/,Done,/; s/,failed,/,FAILED,/' mixed.csv > letters.csv
expect 0 '4 evaluations imported (1 of them failed), 6 skipped' import letters.yaml letters.csv
expect 0 '3 done, 1 failed, 0 open (4 imported); 0 of a budget of 2 used' status mixed.yaml

# ---- failures and variances come back from an export as they were ----
problem noisy 'budget: 9'
expect 0 '"trial":4' ask noisy.yaml -n 4
json 0 'j["variance"] == {"c": [0.25, 0, 1e-3], "t": None}' tell noisy.yaml 1 c=1,2,3 t=4 --variance 'c=0.25,0,1e-3'
json 0 '"variance" not in j' tell noisy.yaml 2 c=1,2,3 t=5
expect 0 'trial 3 failed: a "bad", # bad one' tell noisy.yaml 3 --failed 'a "bad", # bad one'
echo '{"c": [1, 2, 2.5], "t": -1}' > results.json
json 0 'j["variance"] == {"c": [1, 1, 1], "t": 2}' tell noisy.yaml 4 --results results.json --variance 't=2  c=1,1,1 '
"$gofh" export noisy.yaml > noisy.csv
[ "$(head -n 1 noisy.csv)" = 'trial,status,origin,x,y,c[0],c[1],c[2],t,f,variance(c[0]),variance(c[1]),variance(c[2]),variance(t),reason' ] ||
    fail "columns with variances: $(head -n 1 noisy.csv)"
problem again 'budget: 9'
expect 0 '4 evaluations imported (1 of them failed)' import again.yaml noisy.csv
cmp -s <(sed 's/,design,/,import,/' noisy.csv) <("$gofh" export again.yaml) ||
    fail "an export is not what it was after an import: $("$gofh" export again.yaml)"
# Parameters and outputs that are called as a column of the export.
for name in from to; do
    printf '%s\n' 'parameters: {f: [0, 1], status: [0, 1], origin: {choices: [a, b]}}' 'outputs: [reason]' \
        'objective: {minimize: reason}' 'study: {budget: 5}' > "called_$name.yaml"
done
expect 0 '"trial":2' ask called_from.yaml -n 2
expect 0 'trial 1: f = 3' tell called_from.yaml 1 reason=3
expect 0 'trial 2 failed: it burned' tell called_from.yaml 2 --failed 'it burned'
"$gofh" export called_from.yaml > called.csv
[ "$(head -n 1 called.csv)" = 'trial,status_,origin_,f,status,origin,reason,f_,reason_' ] ||
    fail "columns that parameters are called as: $(head -n 1 called.csv)"
expect 0 '2 evaluations imported (1 of them failed)' import called_to.yaml called.csv
cmp -s <(sed 's/,design,/,import,/' called.csv) <("$gofh" export called_to.yaml) ||
    fail "an export with such names is not what it was: $("$gofh" export called_to.yaml)"
# refuse TEXT ARGUMENTS...: trial 5 stays open
expect 0 '"trial":5' ask noisy.yaml
refuse() {
    expect 2 "$1" tell noisy.yaml 5 "${@:2}"
}
refuse 'a variance is -1: it is 0 or above' c=1,2,3 t=4 --variance t=-1
refuse 'a variance is -2: it is 0 or above' c=1,2,3 t=4 --variance=t=-2 # a value in its option's word
refuse 'there is no output "d": there is c, t' c=1,2,3 t=4 --variance d=1
refuse 'the output t is given twice' c=1,2,3 t=4 --variance 't=1 t=1'
refuse 'c takes 3 finite numbers' c=1,2,3 t=4 --variance c=1
refuse 'a failure has no variance' --failed no --variance t=1
json 0 'j["variance"]["t"] == 0.5' tell noisy.yaml 1 --replace c=1,2,3 t=4 --variance t=0.5
# A correction of the outputs alone leaves what is known of their noise.
json 0 'j["variance"]["t"] == 0.5 and j["outputs"]["t"] == 4.5' tell noisy.yaml 1 --replace c=1,2,3 t=4.5
expect 0 'the variances that were given with it stay' tell noisy.yaml 1 --replace c=1,2,3 t=4
json 0 '"variance" not in j' tell noisy.yaml 1 --replace c=1,2,3 t=4 --variance ''
sed '2s/,0.25,0,/,-0.25,0,/' noisy.csv > w.csv
problem none 'budget: 2'
expect 2 'w.csv:2:' import none.yaml w.csv
grep -q 'a variance is -0.25, outside its bounds 0 to inf' err.txt || fail "a negative variance: $(cat err.txt)"
expect 1 '' best none.yaml

# One wrong row, and nothing is taken.
problem none 'budget: 2'
nothing() {
    expect 2 "$1" import none.yaml w.csv
    expect 1 '' best none.yaml
}
{ cat own.csv; echo '4;d;2;1;2;nix;0.75'; } > w.csv
nothing 'w.csv:5:11: "nix" is not a number'
{ cat own.csv; echo '4;d;2;1;2;3;7'; } > w.csv
nothing 'w.csv:5:13: x is 7, outside its bounds 0 to 3'
{ cat own.csv; echo '4;d;2;1;2;nan;0.75'; } > w.csv
nothing 'w.csv:5:11:'
{ cat own.csv; echo '4;d;2'; } > w.csv
nothing 'w.csv:5'
sed 's/c\[2\]/c2/' own.csv > w.csv
nothing 'w.csv has no column "c[2]": it has t, note, y, c[0], c[1], c2, x'
sed 's/c\[2\]/c[1]/' own.csv > w.csv
nothing 'w.csv has the column "c[1]" twice: leave one out'
tail -n 1 own.csv | sed 's/c/1/' > w.csv
nothing 'w.csv has no header with the names'
: > w.csv
nothing 'w.csv: there are no numbers in it'
printf 'x\200\n1\n' > w.csv
nothing 'is not UTF-8'
expect 2 "none.csv: it can't be read: No such file or directory" import none.yaml none.csv

# ---- with noise the best trial is not the luckiest one, which is explained ----
printf 'parameters: {x: [0, 3]}\noutputs: [t]\nobjective: {minimize: t}\nnoise: {t: 0.5}\n' > lucky.yaml
expect 0 '' ask lucky.yaml
printf 'x,t\n0,-1\n0,7\n1.5,0.5\n1.5,0.6\n1.5,0.4\n1.5,0.55\n3,3\n3,3.1\n' > lucky.csv
expect 0 '8 evaluations imported' import lucky.yaml lucky.csv
json 0 'j["parameters"]["x"] == 1.5' best lucky.yaml
expect 0 'with noise the best has the best posterior mean; trial 2 had f = -1' best lucky.yaml
grep -q '^trial [4-7]: f = 0\.[456]5* in its run; 0\.[3-9].* +- .* under the model$' out.txt ||
    fail "best does not say what the model expects: $(cat out.txt)"
expect 0 'with noise the best has the best posterior mean; trial 2 had f = -1' status lucky.yaml
sed -i '/^noise/d' lucky.yaml
expect 0 'trial 2: f = -1' best lucky.yaml
! grep -q 'posterior mean\|in its run' out.txt || fail "noise where there is none: $(cat out.txt)"

exit $failed
