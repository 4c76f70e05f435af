#!/usr/bin/env bash
# A study of version 2 of the tables, as its gofh left it (tests/data/store): it is read as it is, and
# taken over by the first command that writes.
#
#   test_earlier.sh GOFH DATA DOCUMENT    DOCUMENT: docs/store.md, whose queries are tried
set -euo pipefail
gofh=$1
data=$2
document=$3
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# of_file SQL: the first number of its answer.
of_file() {
    python3 -c 'import sqlite3, sys; print(sqlite3.connect("p.gofh/study.db").execute(sys.argv[1]).fetchone()[0])' "$1"
}

cp "$data/version_2.yaml" p.yaml
mkdir p.gofh
python3 - "$data/version_2.sql" << 'END'
import sqlite3, sys
sqlite3.connect("p.gofh/study.db").executescript(open(sys.argv[1], encoding="utf-8").read()).close()
END

before=$(cksum < p.gofh/study.db)
"$gofh" export p.yaml > now.csv || fail "export failed"
cmp -s "$data/version_2.csv" now.csv || fail "not what was exported: $(diff "$data/version_2.csv" now.csv)"
for command in status best report; do expect 0 '' $command p.yaml; done
[ "$before" = "$(cksum < p.gofh/study.db)" ] || fail "a command that reads has changed the file"
[ "$(of_file 'PRAGMA user_version')" = 2 ] || fail "not of version 2"

expect 0 'trial 6' tell p.yaml 6 c=1,2,3 t=4
[ "$(of_file 'PRAGMA user_version')" = 3 ] || fail "not of version 3"
[ "$(of_file "SELECT hex(value) FROM results WHERE trial = 1 AND name = 't'")" = 0000000000000840 ] || fail "t of trial 1 is not 3"
[ "$(of_file 'SELECT count(*) FROM variances')" = 1 ] || fail "not one variance"
told=$(grep -o "^INSERT INTO trials VALUES(1,.*" "$data/version_2.sql" | grep -o '[^,]*)' | tr -d "')")
[ "$(of_file 'SELECT told FROM trials WHERE trial = 1')" = "$told" ] || fail "the time of trial 1 is not $told"
"$gofh" export p.yaml > now.csv || fail "export failed"
cmp -s <(grep -v '^6,' "$data/version_2.csv") <(grep -v '^6,' now.csv) ||
    fail "other numbers: $(diff "$data/version_2.csv" now.csv)"
expect 0 '"trial":7' ask p.yaml

# ---- the queries of the document ----
if command -v sqlite3 > /dev/null; then
    cp p.yaml problem.yaml
    cp -r p.gofh problem.gofh
    # Their parameter D and output c[3] are x and c[2] here.
    sed -n '/^```sql/,/^```/p' "$document" | grep -v '^```' | sed "s/'D'/'x'/; s/position = 3/position = 2/" > queries.sql
    [ "$(grep -c '^SELECT' queries.sql)" = 5 ] || fail "not five queries in $document"
    sqlite3 -readonly -bail problem.gofh/study.db < queries.sql > rows.txt || fail "a query of $document is wrong"
    for row in '1|done|import|3.213125|1.0|2.0|0.125|-1.0|1.0e-300|3.0' '1|1.0|1.0e-300' '3|12.4225' '4|it diverged'; do
        grep -qF "$row" rows.txt || fail "no $row in: $(cat rows.txt)"
    done
    grep -A 1 "^    gofh export .*" "$document" | sed 's/c\[3\]/c[2]/' > import.sh
    [ "$(PATH=$(dirname "$gofh"):$PATH bash import.sh | head -n 1)" = '1|1e-300' ] || fail "$(cat import.sh)"
fi

exit $failed
