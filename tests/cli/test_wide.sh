#!/usr/bin/env bash
# An output of 100,000 values through all commands that read or write it.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

cat > make.py << 'END'
import json, math
m = 100000
def curve(a):
    return [a * math.sin(j / 3000) + 1e-3 * (j % 17) for j in range(m)]
with open("wide.yaml", "w") as f:
    f.write("study: {method: random, budget: 0}\nparameters: {a: [0, 2]}\noutputs: {c: 100000}\n"
            "data: {observed: observed.csv}\nobjective: {minimize: sum((c - observed)^2)}\n")
with open("observed.csv", "w") as f:
    f.writelines(f"{value!r}\n" for value in curve(1.0))
# The columns from the last to the first, and a file that has one of them twice.
def write_rows(path, more_name, more_value):
    with open(path, "w") as f:
        f.write(",".join(f"c[{j}]" for j in reversed(range(m))) + f"{more_name},a,status\n")
        for a in (0.5, 1.5):
            values = ",".join(repr(value) for value in reversed(curve(a)))
            f.write(f"{values}{more_value},{a},done\n")
write_rows("rows.csv", "", "")
write_rows("twice.csv", ",c[0]", ",77")
json.dump({"c": curve(0.25)}, open("results.json", "w"))
END
cat > compare.py << 'END'
import csv, sys
from make import curve
csv.field_size_limit(10**9)
rows = list(csv.reader(open("now.csv")))
assert rows[0][4:7] == ["c[0]", "c[1]", "c[2]"] and len(rows) == 4, rows[0][:7]
for row, a in zip(rows[1:], (0.5, 1.5, 0.25)):
    assert [float(cell) for cell in row[4:100004]] == curve(a), (row[:6], a)
END
python3 make.py
expect 2 'twice.csv has the column "c[0]" twice: leave one out' import wide.yaml twice.csv
expect 0 '2 evaluations imported' import wide.yaml rows.csv
expect 0 '"trial":3' ask wide.yaml
expect 0 'trial 3: f' tell wide.yaml 3 --results results.json
"$gofh" export wide.yaml > now.csv || fail "export failed"
python3 compare.py || fail "other numbers are exported"
expect 0 '0 evaluations imported, 3 known already' import wide.yaml now.csv
size=$(wc -c < wide.gofh/study.db)
# Three trials and the data, of 800,000 bytes each.
[ "$size" -lt 3600000 ] || fail "the study has $size bytes"
expect 0 'report.html' report wide.yaml
[ "$(wc -c < wide.gofh/report.html)" -lt 1000000 ] || fail "the report has $(wc -c < wide.gofh/report.html) bytes"

exit $failed
