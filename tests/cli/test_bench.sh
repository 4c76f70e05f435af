#!/usr/bin/env bash
# gofh bench: runs that are interrupted, resumed and distributed over threads give the same file;
# its table agrees with one computed from the file by other means; its figures are well-formed.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"
header=problem,method,rep,evaluation,log10_regret_observed,log10_regret_recommended,seconds

command=("$gofh" bench run --quiet --problem "boxbod,bard" --method "ei-cf,random" --reps 2 --evals 3)
run() { "${command[@]}" "$@"; }

# The time that choosing took is all that may differ.
without_seconds() { cut -d, -f1-6 "$1"; }
same() { cmp -s <(without_seconds "$1") <(without_seconds "$2") || fail "$3"; }

# ---- list ----
"$gofh" bench list > list.txt
for name in gp1 gp2 langermann rosenbrock environment; do
    grep -q "^$name " list.txt || fail "list leaves out $name"
done
awk 'length > 100 { exit 1 }' list.txt || fail "list is wider than 100 columns"
"$gofh" bench list --json | python3 -c '
import json, sys
problems = {p["name"]: p for p in json.load(sys.stdin)}
environment = problems["environment"]
assert (environment["d"], environment["m"], environment["optimum"]) == (4, 12, 0)
assert [p["upper"] for p in environment["parameters"]] == [13, 0.12, 3, 30.295]
' || fail "list --json is not what the paper says of the environmental model"

# ---- run ----
run --csv whole.csv
[ "$(head -n 1 whole.csv)" = "$header" ] || fail "the columns are $(head -n 1 whole.csv)"
[ "$(wc -l < whole.csv)" = $((1 + 2 * 2 * 2 * 4)) ] || fail "$(wc -l < whole.csv) lines of results"
awk -F, 'NR > 1 && ($5 == "" || $6 == "" || $7 < 0) { exit 1 }' whole.csv || fail "a field is missing"
awk -F, 'NR > 1 && $4 == 0 { key = $1 "," $3; if (key in seen && seen[key] != $5) exit 1; seen[key] = $5 }' whole.csv ||
    fail "methods of a replication do not share the initial design"
[ "$(awk -F, 'NR > 1 && $4 == 0 && $2 == "random" { print $1, $5 }' whole.csv | sort -u | wc -l)" = 4 ] ||
    fail "replications share an initial design"

run --csv threads.csv --threads 2
same whole.csv threads.csv "two threads change the results"

cp whole.csv again.csv
run --csv again.csv
cmp -s whole.csv again.csv || fail "what was there has been run again"

run --csv parts.csv --reps 1
run --csv parts.csv --first-rep 2 --reps 1
same whole.csv parts.csv "a run in two parts differs"

# What random recommends depends on what it was asked before.
run --evals 2 --csv longer.csv
shown() { grep -v ',random,' "$1" | cut -d, -f1-6; }
cmp -s <(shown longer.csv) <(shown whole.csv | awk -F, '$4 <= 2 || NR == 1') ||
    fail "a shorter run is not the beginning of a longer one"
run --csv longer.csv
same whole.csv longer.csv "a run with more evaluations did not replace a shorter one"

# A replication cut in the middle of a line.
head -c "$(($(wc -c < whole.csv) * 2 / 3))" whole.csv > torn.csv
run --csv torn.csv
same whole.csv torn.csv "a torn file is not mended"

# Lines that are whole, of a replication that is not.
sed 18,19d whole.csv > gap.csv
run --csv gap.csv
same whole.csv gap.csv "a replication with a gap is not redone"

# Ended without warning in the middle, then on request.
"${command[@]}" --csv killed.csv &
await test -s killed.csv || fail "nothing is written"
kill -KILL $! 2> /dev/null || true
wait $! 2> /dev/null || true
run --csv killed.csv --threads 2
same whole.csv killed.csv "a run that was killed does not go on as if nothing had been"

"$gofh" bench run --quiet --problem rosenbrock --method ei-cf --reps 50 --evals 100 --csv stopped.csv &
await test -s stopped.csv || fail "nothing is written"
kill -INT $!
status=0
wait $! || status=$?
[ "$status" = 130 ] || fail "an interrupted run ends with $status"

"$gofh" bench run --quiet --problem bard --method random --reps 2 --evals 3 --no-recommend --csv plain.csv
[ "$(awk -F, 'NR > 1 && $6 != ""' plain.csv | wc -l)" = 0 ] || fail "--no-recommend recommends"

"$gofh" bench run --quiet --problem gp2 --method random --reps 2 --evals 0 --draws one --no-recommend --csv one.csv
"$gofh" bench run --quiet --problem gp2 --method random --reps 2 --evals 0 --no-recommend --csv many.csv
cmp -s <(without_seconds one.csv) <(without_seconds many.csv) && fail "--draws one is like --draws many"

# ---- table ----
for option in "" --recommended; do
    # shellcheck disable=SC2086
    "$gofh" bench table $option whole.csv plain.csv > table.md
    python3 - whole.csv "${option:---observed}" << 'PYTHON' || fail "the table differs from the file ($option)"
import csv, statistics, sys
groups = {}
for row in csv.DictReader(open(sys.argv[1])):
    value = row["log10_regret_" + sys.argv[2].strip("-")]
    groups.setdefault((row["problem"], row["method"]), {}).setdefault(int(row["evaluation"]), []).append(float(value))
lines = [line.strip("| \n").split(" | ") for line in open("table.md")]
cells = {(line[0], line[1]): line for line in lines[2:]}
for key, values in groups.items():
    mean, half = statistics.mean(values[0]), 1.96 * statistics.stdev(values[0]) / len(values[0]) ** 0.5
    if key == ("bard", "random"):
        continue  # plain.csv has replications 1 and 2 of it too, and comes last
    assert cells[key][2] == "2", cells[key]
    found_mean, found_half = map(float, cells[key][3].split(" ± "))
    assert abs(found_mean - mean) < 0.0051 and abs(found_half - half) < 0.0051, (key, cells[key], mean, half)
PYTHON
done

# How many runs are at the floor, instead of an error of 0.
awk -v header="$header" 'BEGIN {
    print header
    for (rep = 1; rep <= 3; rep++)
        for (n = 0; n <= 30; n++)
            printf "bard,peer,%d,%d,%.6f,,\n", rep, n, n < 10 ? 1 : n < 20 && rep == 3 ? -13 : -16
}' > floor.csv
found=$("$gofh" bench table floor.csv | tail -1)
# -15 is the mean of -16, -16 and -13, whose standard error is 1
expected='| bard | peer | 3 | 1.00 ± 0.00 | -15.00 ± 1.96 (2 of 3 runs) | -16.00 (3 of 3 runs) | -16.00 (3 of 3 runs) |'
[ "$found" = "$expected" ] || fail "runs at the floor: $found"

# ---- where studies would have stopped ----
# Of two solved runs the second would have ended too early; the first spares 70 of 90 evaluations.
cat > stop.csv << 'END'
problem,rep,trials,solved,stopped,sure,right,possible,ended,stuck,explained,explains,at_bound,optimum_there,optimum_missed,early_sure,early_right,early_possible,early_ended,early_stuck,early_explained,early_explains,early_at_bound,early_optimum_there,early_optimum_missed
langermann,1,100,10,30,1,1,0,1,0,1,1,1,1,0,0,1,0,0,0,1,0,0,0,0
langermann,2,100,50,30,1,0,0,1,1,1,0,2,1,0,0,0,0,0,1,0,0,0,0,1
END
"$gofh" bench stop --problem langermann --reps 2 --csv stop.csv > stop.txt
[ "$(wc -l < stop.csv)" = 3 ] || fail "replications that the file has were run again"
grep -q '^too early: langermann, replication 2: 30, solved by 50$' stop.txt || fail "what ended too early is not named"
[ "$(awk '$1 == "all" { $1 = $1; print }' stop.txt)" = 'all 2 2 50.0 77.8 30.0 1 1 0 0 0 0 1 1' ] ||
    fail "the table of bench stop: $(cat stop.txt)"
# What was said when they stopped, and early: how often, how often rightly, and which share of it.
for row in 'sure 2 1 50.0 0 0 nan' 'not sure 0 0 nan 2 1 50.0' 'may be stuck 1 1 100.0 1 1 100.0' \
    'explains half or more 2 1 50.0 1 0 0.0' 'parameter at a bound 3 2 66.7 0 0 nan'; do
    sed 's/  */ /g' stop.txt | grep -qx "$row" || fail "no line $row: $(cat stop.txt)"
done
grep -q '^sure and wrong: langermann, replication 2$' stop.txt || fail "what was sure and wrong is not named"
"$gofh" bench stop --problem langermann --reps 1 --evals 24 --csv stopped_run.csv > stop.txt
grep -q '^langermann,1,30,' stopped_run.csv || fail "no line of the replication: $(cat stopped_run.csv)"

# ---- runs from the start, and profiles ----
from=("$gofh" bench run --quiet --method random --reps 2 --no-recommend --csv starts.csv)
"${from[@]}" --problem mw07,mw11 --gradients 3 --start
"${from[@]}" --problem mw07 --gradients 3
awk -F, '{ n[$1 "," $2 "," $3]++ } END { exit !(n["mw07,random+start,1"] == 9 && n["mw11,random+start,2"] == 15 && n["mw07,random,1"] == 9) }' \
    starts.csv || fail "not 3(d + 1) evaluations in all"
# f is 24.2 at Rosenbrock's start, 215 at that of Powell's singular function.
[ "$(awk -F, '$2 == "random+start" && ($1 == "mw07" && $4 == -5 || $1 == "mw11" && $4 == -9) { print $5 }' starts.csv | sort -u | xargs)" = \
    "1.383815 2.332438" ] || fail "the first evaluation is not the start"
# A peer may begin with the start alone: that is no other seed.
echo "mw07,peer+start,1,0,1.383815,," >> starts.csv
"${from[@]}" --problem mw07 --gradients 3 || fail "a peer without a design is taken for another seed"
sed -i /peer/d starts.csv
cp starts.csv starts_again.csv
"${from[@]}" --problem mw07,mw11 --gradients 3 --start
cmp -s starts.csv starts_again.csv || fail "what was there from the start has been run again"
"$gofh" bench table starts.csv | grep -q '^| mw07 | random+start | 2 |' || fail "table: rows of the design"

[ "$(cut -d, -f1,2 starts.csv | uniq | xargs)" = "problem,method mw07,random mw07,random+start mw11,random+start" ] ||
    fail "from the start and without are not side by side"

# A peer that solves mw07 (f(x0) = 24.2, f* = 0) to 1e-1 by its second evaluation in one of two replications, and mw11
# (215, d + 1 = 5) to 1e-3 by its 25th, which is k = 5.
awk -v header="$header" 'BEGIN {
    print header
    for (rep = 1; rep <= 2; rep++)
        for (i = 1; i <= 30; i++)
            printf "mw07,peer,%d,%d,%.6f,,\n", rep, i - 6, log(rep == 1 || i < 2 ? 24.2 : 2.42) / log(10)
    for (i = 1; i <= 50; i++)
        printf "mw11,peer,1,%d,%.6f,,\n", i - 10, log(i < 25 ? 100 : 0.215) / log(10)
}' > profile.csv
"$gofh" bench profile profile.csv --out figures > profile.md
cat > expected.md << 'END'
| tau | method | problems | k = 3 | k = 5 | k = 10 |
|---|---|---|---|---|---|
| 1e-01 | peer | 2 | 0.5 (25 %) | 1.5 (75 %) | 1.5 (75 %) |
| 1e-03 | peer | 2 | 0.0 (0 %) | 1.0 (50 %) | 1.0 (50 %) |
| 1e-05 | peer | 2 | 0.0 (0 %) | 0.0 (0 %) | 0.0 (0 %) |
| 1e-07 | peer | 2 | 0.0 (0 %) | 0.0 (0 %) | 0.0 (0 %) |
END
diff expected.md <(grep '^|' profile.md) || fail "the profiles are not those of the file"
grep -q '^figures/more-wild.svg$' profile.md || fail "no figure of the profiles"
python3 -c 'import xml.etree.ElementTree as t; t.parse("figures/more-wild.svg")' || fail "more-wild.svg is not XML"
"$gofh" bench profile profile.csv --problem more-wild-odd | grep -q '^| 1e-01 | peer | 2 ' || fail "7 and 11 are odd"
[ "$("$gofh" bench profile starts.csv --problem mw11 | grep -c -- '| 1 | .* (.*) | – | – |$')" = 4 ] ||
    fail "a run of 3 simplex gradients has values at 5 and 10"

# ---- plot ----
"$gofh" bench plot whole.csv --out figures > written.txt
"$gofh" bench plot --figure1 --out figures >> written.txt
python3 - << 'PYTHON' || fail "the figures are not as they should be"
import xml.etree.ElementTree as tree
space = "{http://www.w3.org/2000/svg}"
for name, texts in (("boxbod", ("ei-cf", "random")), ("bard", ("ei-cf", "random")), ("figure1", ("(e) classical EI",))):
    root = tree.parse(f"figures/{name}.svg").getroot()
    assert root.tag == space + "svg"
    found = [t.text for t in root.iter(space + "text")]
    for text in texts:
        assert text in found, (name, text, found)
    curves = [p for p in root.iter(space + "path") if p.get("stroke-dasharray") and p.get("d").count("L") > 1]
    if name != "figure1":
        assert len(curves) == 2, (name, len(curves))
        for curve in curves:
            assert curve.get("d").count("L") == 3, curve.get("d")
    for path in root.iter(space + "path"):
        assert "nan" not in path.get("d") and "inf" not in path.get("d")
PYTHON
if command -v rsvg-convert > /dev/null; then
    [ "$(head -c 4 figures/bard.png | tail -c 3)" = PNG ] || fail "bard.png is not a PNG"
    [ "$(wc -l < written.txt)" = 6 ] || fail "not 6 files written: $(cat written.txt)"
fi

# ---- batch ----
batch=("$gofh" bench batch --problem "langermann,bard" --method gofh --reps 1 --evals 40 --at-once "1,4" --csv batch.csv)
"${batch[@]}" > batch.txt
[ "$(wc -l < batch.csv)" = 9 ] || fail "batches of two problems, two numbers and two modes: $(cat batch.csv)"
awk -F, 'NR > 1 && $3 == "rounds" { expected = int(($6 + $4 - 1) / $4); if ($8 != expected) exit 1 }' batch.csv ||
    fail "rounds that wait are not evaluations by fours: $(cat batch.csv)"
awk -F, 'NR > 1 && $4 == 4 && !($10 >= 0.999e-6) { exit 1 }' batch.csv || fail "points coincide: $(cat batch.csv)"
grep -q '^gofh  *rounds  *4  *2  *0' batch.txt || fail "the table of bench batch: $(cat batch.txt)"
head -n 5 batch.csv > rest.csv
mv rest.csv batch.csv
"${batch[@]}" > again.txt
cmp -s <(sed 's/ *[0-9.]*$//' batch.txt) <(sed 's/ *[0-9.]*$//' again.txt) || fail "batches that go on differ"

# ---- coverage ----
"$gofh" bench coverage --problem bard,boxbod --method ei-cf,ei-cf,random-cf --reps 1 > coverage.txt
[ "$(awk 'NR > 1 { print $1, $2, $3, $4 }' coverage.txt | sort -u | wc -l)" = 12 ] ||
    fail "coverage is not of two problems, two methods and three numbers of points: $(cat coverage.txt)"
awk 'NR > 1 && !(0 <= $5 && $5 <= $6 && $6 <= $7 && $7 <= 1 && 0 <= $8 && $8 <= $9 && $9 <= $10 && $10 <= 1) { exit 1 }' \
    coverage.txt || fail "a wider interval covers less: $(cat coverage.txt)"

# ---- what is wrong ----
# wrong STATUS WORD ARGUMENTS...: ends with STATUS, and the message has WORD
wrong() {
    local expected=$1 word=$2 status=0 message
    shift 2
    message=$("$gofh" bench "$@" 2>&1 > /dev/null) || status=$?
    [ "$status" = "$expected" ] && [[ $message == *"$word"* ]] || fail "bench $*: $status: $message"
}
wrong 2 list
wrong 2 'bench rnu' rnu
wrong 2 '"--jsno"' list --jsno
wrong 2 '"bardd"' run --problem bardd --method ei --csv x.csv
wrong 2 '"eicf"; there are: gofh ei-cf' run --problem bard --method eicf --csv x.csv
wrong 2 --problem run --method ei --csv x.csv
wrong 2 --method run --problem bard --csv x.csv
wrong 2 --csv run --problem bard --method ei
wrong 2 '"-1"' run --problem bard --method ei --csv x.csv --evals -1
wrong 2 '"0"' run --problem bard --method ei --csv x.csv --threads 0
wrong 2 '"some"' run --problem bard --method ei --csv x.csv --draws some
wrong 2 --seed run --problem bard --method ei --csv x.csv --seed
wrong 2 "another --seed" run --problem bard --method ei-cf --reps 2 --evals 3 --seed 2 --csv whole.csv
wrong 2 '"1"' run --problem mw07 --method ei --csv x.csv --gradients 1
wrong 2 'bard has none' run --problem mw07,bard --method ei --csv x.csv --start
wrong 2 'made with another --seed' run --problem mw07 --method random --start --gradients 3 --seed 2 --csv starts.csv
wrong 2 '"0" of --at-once' batch --problem bard --method gofh --csv x.csv --at-once 4,0
wrong 2 '--method is missing' batch --problem bard --csv x.csv
wrong 2 'batch takes no' batch --problem bard --method gofh --csv x.csv --own-design
wrong 2 FILE table
wrong 2 FILE profile
wrong 2 '"more-tame"' profile starts.csv --problem more-tame
wrong 2 'bard: it has no start' profile floor.csv --problem bard
wrong 2 'no results of more-wild' profile floor.csv
wrong 2 --recommended profile starts.csv --recommended
wrong 2 missing.csv table missing.csv
wrong 2 --out plot whole.csv
wrong 4 nowhere run --problem bard --method random --csv nowhere/x.csv
printf '%s\nbard,ei,1,zero,1,1,1\n' "$header" > bad.csv
wrong 2 "bad.csv:2: the evaluation is wrong" table bad.csv
printf 'a,b\n' > bad.csv
wrong 2 "bad.csv:1" table bad.csv
[ ! -e x.csv ] || fail "a wrong command made a file"

exit $failed
