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
    text = open(name).read()
    assert "var(" not in text and "<script" not in text and "nan" not in text, name
trials = list(csv.DictReader(open("all.csv")))
f = [float(t["f"]) if t["f"] else math.nan for t in trials]
drawn = list(csv.DictReader(open("figures/convergence.csv")))
best, level = math.inf, {}
for row in drawn:
    if row["series"] == "best so far" and row["f"]:
        level[int(row["trial"])] = float(row["f"])
for i, value in enumerate(f, 1):
    if math.isfinite(value):
        best = min(best, value)
    if math.isfinite(best):
        assert abs(level[i] - best) <= 1e-9 * best, (i, level[i], best)
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
