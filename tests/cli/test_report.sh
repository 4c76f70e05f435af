#!/usr/bin/env bash
# gofh report and gofh compare: figures as files, whose numbers are those of gofh export; links to the
# folders of runs; texts of a user that stay texts.
#
#   test_report.sh GOFH
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

cat > simulate.sh <<'END'
awk '{ p[NR] = $1 } END { if (p[1] > 0.9) { print "<script>alert(1)</script>" > "/dev/stderr"; exit 3 }
    printf "%.12g %.12g %.12g %.12g\n", p[1], p[1] * p[2], 3 * p[2], exp(p[1]) }' "$1" > "$2"
END
problem() {
    cat > "$1" <<END
study: {budget: 12, seed: $2, stop: never}
parameters: {a: {lower: 0.01, upper: 1, scale: log}, b: {lower: 0, upper: 2}}
simulator: {command: "sh ../../../simulate.sh {params} {results}", params: plain, results: plain}
outputs: {c: 3, size: 1}
data: {m: {values: [0.5, 0.4, 2.5], sigma: 0.1, at: [10, 20, 30], unit: K, label: T}}
objective: {fit: {c: m}}
constraints: ["size <= 2"]
END
}
problem first.yaml 1
problem second.yaml 2
for name in first second; do "$gofh" run $name.yaml > "$name.out" || fail "$name: $(tail -3 "$name.out")"; done

problem asked.yaml 3
"$gofh" ask asked.yaml > said
"$gofh" report asked.yaml > said
for tile in '<b>0 of 12</b><span>runs finished' '<b>1</b><span>open'; do
    grep -qF "$tile" asked.gofh/report.html || fail "a trial that is open counts as a run: no $tile"
done

"$gofh" report first.yaml > said
[ "$(cat said)" = first.gofh/report.html ] || fail "the report is $(cat said)"
grep -q '<a href="runs/0001/">1</a>' first.gofh/report.html || fail "no link to the folder of trial 1"
"$gofh" report first.yaml --output elsewhere.html > said
grep -q "<a href=\"$PWD/first.gofh/runs/0001/\">1</a>" elsewhere.html || fail "no link from elsewhere"
for word in 'T (K)' Constraints Residuals Sensitivities 'Run times'; do
    grep -qF "$word" first.gofh/report.html || fail "the report has no $word"
done

"$gofh" report first.yaml --figures figures > said || fail "no figures: $(cat said)"
for id in convergence fit-c residuals-c normal-c slice-f-a sensitivity effect-b trials-a-b quality-c_0 times; do
    for suffix in svg csv; do [ -s "figures/$id.$suffix" ] || fail "there is no figures/$id.$suffix"; done
    if command -v rsvg-convert > convert; then [ -s "figures/$id.png" ] || fail "there is no figures/$id.png"; fi
done
"$gofh" export first.yaml > all.csv
python3 - <<'END' || fail "the figures are wrong"
import csv, glob, math, xml.etree.ElementTree as tree
for name in glob.glob("figures/*.svg"):
    root = tree.parse(name).getroot()
    assert root.get("aria-label") and root.get("width").endswith("mm"), name
    assert float(root.get("width")[:-2]) <= 86.0, name
    if "posterior" not in name:  # letters are of one size
        assert root.get("viewBox").split()[2] == "360" and root.get("width") == "86mm", name
    text = open(name).read()
    assert "var(" not in text and "<script" not in text and "nan" not in text, name
trials = list(csv.DictReader(open("all.csv")))
f = [float(t["f"]) if t["f"] else math.nan for t in trials]
drawn = list(csv.DictReader(open("figures/convergence.csv")))
legend = [e.text for e in tree.parse("figures/convergence.svg").getroot().iter("{http://www.w3.org/2000/svg}text")]
assert {row["series"] for row in drawn} <= set(legend), legend  # every kind of mark is explained
best, level = math.inf, {}
for row in drawn:
    if row["series"] == "best so far" and row["f"]:
        level[int(row["trial"])] = float(row["f"])
for i, value in enumerate(f, 1):
    if math.isfinite(value):
        best = min(best, value)
    if math.isfinite(best):
        assert abs(level[i] - best) <= 1e-9 * best, (i, level[i], best)
# One row per parameter and index.
indices = list(csv.DictReader(open("figures/sensitivity.csv")))
assert [(r["series"], r["parameter"]) for r in indices] == [(s, p) for p in "ab" for s in ("first order", "total")]
for row in indices:
    assert float(row["low"]) <= float(row["share of variance"]) <= float(row["high"]), row
# The residuals of the best trial, over sigma.
at = min((i for i in range(len(f)) if math.isfinite(f[i])), key=lambda i: f[i])
expected = [(float(trials[at][f"c[{j}]"]) - m) / 0.1 for j, m in enumerate([0.5, 0.4, 2.5])]
found = [(float(r["at"]), float(r["residual / sigma"]))
         for r in csv.DictReader(open("figures/residuals-c.csv")) if r["series"] == "residual"]
assert [place for place, _ in found] == [10, 20, 30], found
assert all(abs(v - e) < 1e-6 for (_, v), e in zip(found, expected)), (found, expected)
END

"$gofh" report first.yaml --figures figures --output x.html > said 2>&1 && fail "--output and --figures together"
"$gofh" report first.yaml --figures /proc/none > said 2>&1 && fail "a folder that can't be made"
grep -q 'the folder /proc/none can.t be made' said || fail "it says: $(cat said)"

# What stands at the edge has no f: size <= 2 is broken by the second and the fifth.
problem broken.yaml 3
awk 'BEGIN { print "a,b,c[0],c[1],c[2],size"; for (i = 1; i <= 6; i++) print i / 7 "," i / 4 ",1,2," i "," 1 + i % 3 }' > broken.csv
"$gofh" import broken.yaml broken.csv > said || fail "import: $(cat said)"
"$gofh" report broken.yaml --figures broken > said || fail "no figures: $(cat said)"
grep '^"at the edge: breaks a constraint"' broken/convergence.csv > said || fail "nothing is at the edge"
[ "$(cat said)" = "$(printf '"at the edge: breaks a constraint",%d,,,\n' 2 5)" ] || fail "at the edge: $(cat said)"

# Seven trials in a corner of a steep problem: the indices' errors are thousands, and nobody is told so.
cat > steep.yaml << 'END'
parameters: {a: [0, 1], b: [0, 1], c: [0, 1]}
outputs: {y: 6}
data: {m: {values: [1, 1, 1, 1, 1, 1], sigma: 0.1}}
objective: {fit: {y: m}}
END
python3 - << 'END'
import math, random
random.seed(3)
with open("steep.csv", "w") as file:
    print("a,b,c,grade," + ",".join(f"y[{i}]" for i in range(6)), file=file)
    for k in range(7):
        a, b, c = (0.4 + 0.2 * random.random() for _ in range(3))
        y = [math.exp(40 * (a - 0.5) * (i + 1) / 6 + 30 * (b - 0.5) * (c - 0.3) + i * (c - 0.5)) for i in range(6)]
        print(a, b, c, ["weak", "strong"][k % 2], *y, sep=",", file=file)
END
"$gofh" import steep.yaml steep.csv > said || fail "import: $(cat said)"
"$gofh" report steep.yaml > said || fail "report: $(cat said)"
grep -q 'does not know f well enough' steep.gofh/report.html || fail "the indices of f are told"
grep -qE '± [0-9]{2}' steep.gofh/report.html && fail "an index has an error of tens"
# Choices have no bounds, and are the ticks of their axes.
sed 's/c: \[0, 1\]/grade: {choices: [weak, strong]}/' steep.yaml > graded.yaml
"$gofh" import graded.yaml steep.csv > said || fail "import: $(cat said)"
"$gofh" report graded.yaml > said || fail "report: $(cat said)"
grep -q '>of weak · strong</td>' graded.gofh/report.html || fail "choices are not listed"
grep -q '>strong</text>' graded.gofh/report.html || fail "choices are not named at an axis"

# No model is made of very many trials, and that is said.
cp steep.yaml many.yaml
awk 'BEGIN { print "a,b,c,y[0],y[1],y[2],y[3],y[4],y[5]"
             for (i = 0; i < 4100; i++) print i / 4100 "," (i * 0.618) % 1 "," (i * 0.414) % 1 ",1,2,3,4,5," i }' > many.csv
"$gofh" import many.yaml many.csv > said || fail "import: $(cat said)"
"$gofh" best many.yaml > said 2> errors || fail "best: $(cat errors)"
grep -q '^trial 2: f = 3000$' said || fail "best says: $(cat said)"
grep -q 'a model of 4100 evaluations would take too long' errors || fail "best says: $(cat errors)"
"$gofh" report many.yaml > said || fail "report: $(cat said)"
grep -q 'A model of 4100 evaluations would take too long' many.gofh/report.html || fail "the report does not say it"
grep -q 'id="trial-4100"' many.gofh/report.html || fail "trials are missing"
grep -q 'id="slices"' many.gofh/report.html && fail "there are slices"

"$gofh" compare first.yaml second.yaml --output both.html > said || fail "compare: $(cat said)"
best=$("$gofh" best first.yaml --json | python3 -c 'import json,sys; print("%.6g" % json.load(sys.stdin)["f"])')
grep -qE "^best f +$best " said || fail "compare says: $(cat said)"
grep -q 'class="line s1"' both.html || fail "the second study is not drawn"
"$gofh" compare first.yaml second.yaml --json | python3 -c '
import json, sys
studies = json.load(sys.stdin)["studies"]
assert [s["problem"] for s in studies] == ["first.yaml", "second.yaml"]
assert sorted(studies[0]["parameters"]) == ["a", "b"]' || fail "compare --json"
"$gofh" compare first.yaml > said 2>&1 && fail "one study is compared"
sed 's/fit: {c: m}/minimize: "sum(c)"/; s/objective: {\(.*\)}/objective: {\1}/' second.yaml > third.yaml
mkdir third.gofh
cp second.gofh/study.db third.gofh/
"$gofh" compare first.yaml third.yaml > said
grep -q 'the objectives differ' said || fail "other objectives: $(cat said)"
exit "$failed"
