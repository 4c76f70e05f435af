#!/usr/bin/env bash
# Fits, missing values and curves, from the problem file to the report.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

printf 'at,c,dc\n0,1,0.1\n1,NA,\n2,4,0.2\n' > m.csv
head='study: {budget: 6, initial: 4}
parameters: {x: [0, 3], y: [0.5, 5]}'
data='data: {m: {file: m.csv, column: c, sigma: dc, at: at, unit: V, label: voltage}}
objective: {fit: {c: m}}'

# ---- a curve of x + y s, of as many points as it likes, in JSON and in CSV; one ends too early ----
cat > curve.sh << 'SIMULATOR'
#!/bin/sh
awk -v x="$1" -v y="$2" -v end="$3" -v format="$4" 'BEGIN {
    n = 5 + int(10*y)
    for (i = 0; i <= n; i++) {
        s = end*i/n
        places = places (i ? ", " : "") sprintf("%.17g", s); values = values (i ? ", " : "") sprintf("%.17g", x + y*s)
        rows = rows sprintf("%.17g,%.17g\n", s, x + y*s)
    }
    if (format == "csv") printf "s,c\n%s", rows; else printf "{\"s\": [%s], \"c\": [%s]}\n", places, values
}' > "$5"
SIMULATOR
chmod +x curve.sh
for format in json csv; do
    printf '%s\noutputs: {c: {at: s}}\n%s\nsimulator: {command: "./curve.sh {x} {y} 3 %s {results}", results: %s}\n' \
        "$head" "$data" "$format" "$format" > "$format.yaml"
    expect 0 'c (3, over s at the places of m)' check "$format.yaml"
    grep -q 'm: 1 of 3 values is missing; it does not count' out.txt || fail "missing data: $(cat out.txt)"
    json 0 'j["fit"] == {"c": "m"} and j["missing"] == {"m": 1} and j["kind"] == "least squares"' check "$format.yaml"
    expect 0 'used up: 7 evaluations done, 0 failed' run "$format.yaml"
    # f is that of x at 0 and of x + 2 y at 2, whatever the points of the curve.
    "$gofh" export "$format.yaml" | awk -F, 'NR > 1 {
        f = (($4 - 1)/0.1)^2 + (($4 + 2*$5 - 4)/0.2)^2; d = f - $9; if (d < 0) d = -d; if (d > 1e-9*(1 + f)) exit 1
    }' || fail "f of curves: $("$gofh" export "$format.yaml")"
    expect 0 '' report "$format.yaml"
    grep -q 'voltage (V)' "$format.gofh/report.html" || fail "the report does not name the data's unit"
done
# The curves of a study are known where the data were: other places are another study's. The run of a
# check at others is not taken.
sed 's/m.csv/moved.csv/' json.yaml > moved.yaml
cp m.csv moved.csv
expect 0 '' check moved.yaml
sed -i 's/^2,/2.5,/' moved.csv
expect 0 'the places of the data (at) have changed since then' run moved.yaml
sed -i 's/^2.5,/2.2,/' moved.csv
for command in run best; do
    expect 2 'the places of the data (at) have changed since trial 1' $command moved.yaml
done
sed 's/{y} 3 json/{y} 1.5 json/' json.yaml > early.yaml
expect 3 'results.json: the curve of c ends at s = 1.5, before 2, where data are' check early.yaml
sed 's/{at: s}/{at: s, extend: last}/' early.yaml > held.yaml
json 0 'j["result"]["c"][2] == j["at"]["x"] + 1.5*j["at"]["y"]' check held.yaml
sed 's/{at: s}/{at: s, missing: allowed}/' early.yaml > cut.yaml
expect 0 'f is not known, for outputs that it needs are missing' check cut.yaml

# ---- missing values are told, kept, exported and imported again ----
printf '%s\noutputs: {c: {size: 3, missing: allowed}}\n%s\n' "$head" "$data" > told.yaml
"$gofh" ask told.yaml -n 3 > /dev/null
expect 0 'trial 1: f is not known, for outputs that it needs are missing' tell told.yaml 1 c=1,2,NA
expect 1 'no trial has an f yet: outputs that it needs are missing' best told.yaml
expect 0 '1 trial has no f, for outputs that it needs are missing' status told.yaml
expect 0 'c[2]  missing' show told.yaml 1
! grep -qw nan out.txt || fail "a missing value is a nan: $(cat out.txt)"
expect 0 '' report told.yaml
json 0 'j["f"] is None and j["outputs"]["c"] == [1, 2, None]' tell told.yaml 1 --replace c=1,2,NA
json 0 'abs(j["f"] - 25) < 1e-9' tell told.yaml 2 c=1,NA,3
echo '{"c": [1.1, null, NaN]}' > r.json
expect 0 '' tell told.yaml 3 --results r.json
expect 2 'c takes 3 finite numbers with commas between, or NA, not "1,2,inf"' tell told.yaml 3 --replace c=1,2,inf
expect 2 'all outputs are missing' tell told.yaml 3 --replace c=NA,NA,NA
"$gofh" export told.yaml > told.csv
cp told.yaml again.yaml
expect 0 '3 evaluations imported' import again.yaml told.csv
cmp -s <("$gofh" export again.yaml | cut -d, -f4-) <(cut -d, -f4- told.csv) ||
    fail "missing values are not imported as they were: $("$gofh" export again.yaml)"
json 0 'j["trial"] == 2' best told.yaml
exit $failed
