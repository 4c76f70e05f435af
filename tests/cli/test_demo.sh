#!/usr/bin/env bash
# The demo prints its evaluations, 50 at most, ends by itself and finds the paper's parameters to 3 digits.
set -euo pipefail
gofh=$1
output=$("$gofh" demo)
echo "$output"

evaluations=$(grep -cE '^ *[0-9]+  ' <<< "$output")
[ "$evaluations" -gt 12 ] && [ "$evaluations" -lt 50 ] || { echo "FAILED: $evaluations evaluations, not 13 to 49"; exit 1; }
grep -q "^nothing more is expected: $evaluations of 50 used" <<< "$output" || { echo "FAILED: it does not say why it ended"; exit 1; }

# The true values, from the paper's section "Environmental Model Function".
awk '
    BEGIN { truth["M"] = 10; truth["D"] = 0.07; truth["L"] = 1.505; truth["tau"] = 30.1525 }
    $1 in truth && NF == 4 {
        seen++
        error = ($2 - truth[$1]) / truth[$1]
        if (error > 5e-4 || error < -5e-4) { print "FAILED: " $1 " is " $2 ", not " truth[$1]; wrong = 1 }
        if ($3 != truth[$1]) { print "FAILED: the true " $1 " is " truth[$1] ", not " $3; wrong = 1 }
    }
    END { if (seen != 4) { print "FAILED: " seen + 0 " parameters in the table, not 4"; wrong = 1 } exit wrong }
' <<< "$output"
