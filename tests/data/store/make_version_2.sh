#!/usr/bin/env bash
# Makes version_2.sql and version_2.csv: a study of version 2 of the tables, as SQL, and what its gofh
# exported of it. GOFH is a program that writes that version, such as that of commit 11c1537.
#
#   make_version_2.sh GOFH
set -euo pipefail
gofh=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/version_2.yaml" "$work/p.yaml"
cd "$work"
printf 'x,y,c[0],c[1],c[2],t,variance(c[1])\n1,2,0.125,-1,1e-300,3,0.25\n0.5,1,0.1,0,-2.5e-7,-1.1,\n' > known.csv
"$gofh" import p.yaml known.csv
for i in 1 2 3; do
    "$gofh" ask p.yaml > ask.json
    trial=$(sed 's/.*"trial":\([0-9]*\).*/\1/' ask.json)
    if [ "$i" = 2 ]; then
        "$gofh" tell p.yaml "$trial" --failed 'it diverged after "17" steps'
    else
        "$gofh" tell p.yaml "$trial" "c=0.$i,-0.$i,3.3" t=0.7
    fi
done
"$gofh" ask p.yaml > ask.json
"$gofh" export p.yaml > "$here/version_2.csv"
{
    sqlite3 -readonly p.gofh/study.db .dump
    sqlite3 -readonly p.gofh/study.db "SELECT 'PRAGMA application_id = 1735353960;'"
    sqlite3 -readonly p.gofh/study.db 'PRAGMA user_version' | sed 's/.*/PRAGMA user_version = &;/'
} > "$here/version_2.sql"
