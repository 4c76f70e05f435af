#!/usr/bin/env bash
# A program in another locale reads and writes the same numbers: test_locale.sh GOFH MODULE
#
# MODULE (set_locale.c) sets the locale, which gofh itself never does but programs do that use the
# library. By default three locales: a decimal comma, one where i is no small I, and a decimal point
# of two bytes; with GOFH_TORTURE all there are: one study in each that has a decimal point, groups of
# digits or letters like no other before it, and what that study has, read and written, in the rest.
set -euo pipefail
gofh=$1
module=$2
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

sources=/usr/share/i18n/locales
if [ ! -e $sources/de_DE ]; then
    echo "skipped: no locales can be made without Debian's package locales"
    exit 77
fi
printf 'time,seen\n0.5,-0.25\n1.5,0.125\n2.5,1e-1\n' > seen.csv
printf 'x,y,c[0],c[1],c[2],t\n1.5,2.25,0.5,0.25,1.375,3.75\n' > runs.csv

# all_of FOLDER: what gofh reads and writes in a study, into FOLDER/said, /export and /report.
# Simulators are in the C locale.
all_of() {
    mkdir "$1"
    cp sim.sh seen.csv runs.csv "$1"
    cat > "$1/p.yaml" << 'PROBLEM'
study: {budget: 9, tolerance: 0.0000125, target: -.5}
parameters:
  x: {lower: 0.25, upper: 3.75}
  y: {lower: 0.5, upper: 5.5, scale: log}
simulator:
  command: env -u LD_PRELOAD LC_ALL=C ./sim.sh {x} {y} {results}
  timeout: 99.5s
outputs: {c: 3, t: 1}
noise: {t: 0.015}
data: {seen: {file: seen.csv, column: seen}}
objective:
  minimize: sum((c - seen)^2) + 0.5*t
constraints: ["t <= 6.5", "c[0] == 0.25 +- 1.75"]
PROBLEM
    sed -e '/^simulator/,/timeout/d' "$1/p.yaml" > "$1/hand.yaml"
    # What else has numbers in it: fits with deviations and priors, parameters on grids, known constraints.
    cat > "$1/fit.yaml" << 'PROBLEM'
study: {budget: 7, stop: never}
start: [{x: 1.25, y: 1.5}]
parameters:
  x: {lower: 0.25, upper: 3.75}
  y: {lower: 0.5, upper: 2.5, step: 0.25}
  z: {values: [0.125, 0.5, 1.75]}
  k: {lower: 1, upper: 3, integer: true}
  m: {choices: ["0.5", "1.5"]}
  w: {fixed: 2.5}
prior: {x: "normal(1.5, 0.75)"}
simulator:
  command: env -u LD_PRELOAD LC_ALL=C ./sim.sh {x} {y} {results}
outputs: {c: {size: 3, missing: allowed}, t: 1}
data: {seen: {file: seen.csv, column: seen, sigma: 0.25, at: time, unit: K}}
objective: {fit: {c: seen}}
constraints: ["0.5*x + y <= 4.25"]
PROBLEM
    (
        cd "$1"
        "${2:-env}" "$gofh" check p.yaml | sed -e 's/took .* s, in .*//'
        "${2:-env}" "$gofh" run p.yaml
        "${2:-env}" "$gofh" best p.yaml
        "${2:-env}" "$gofh" import hand.yaml runs.csv
        "${2:-env}" "$gofh" ask hand.yaml
        "${2:-env}" "$gofh" tell hand.yaml 2 c=0.5,1.25,-0.75 t=2.5
        "${2:-env}" "$gofh" status --log hand.yaml
        "${2:-env}" "$gofh" best hand.yaml --json
        "${2:-env}" "$gofh" tell hand.yaml 2 --replace c=0.5,1.25,-0,75 t=2.5 || true
        "${2:-env}" "$gofh" check fit.yaml | sed -e 's/took .* s, in .*//'
        "${2:-env}" "$gofh" run fit.yaml --json-lines --quiet | sed -e 's/"seconds":[0-9.e-]*//g'
        "${2:-env}" "$gofh" log fit.yaml | awk 'NR > 1 { $3 = "" } { print }'
        "${2:-env}" "$gofh" show fit.yaml 2 | sed -e '/ s[,)]/d' -e '/seconds/d'
        "${2:-env}" "$gofh" posterior fit.yaml
        "${2:-env}" "$gofh" posterior fit.yaml --samples 100
        "${2:-env}" "$gofh" reread fit.yaml
        "${2:-env}" "$gofh" forget fit.yaml 2
        "${2:-env}" "$gofh" ask fit.yaml -n 2 --for posterior
        "${2:-env}" "$gofh" compare p.yaml hand.yaml --json
        "${2:-env}" "$gofh" report fit.yaml --figures figures
        rm -f figures/times.* figures/*.png
        cat figures/*
        printf 'a: 0.75\nb: [1.5, 2]\n' > input.yaml
        "${2:-env}" "$gofh" init new.yaml --from input.yaml --outputs 'T 2' --goal 'minimize sum(T^2) + 0.5' --yes --no-check
        # The script that it writes is run in the user's locale.
        "${2:-env}" env -u LD_PRELOAD "$gofh" init own.yaml --parameters 'a 0.5 1.25, rate 1e-3 10.5 log' --outputs 'T 2' --goal 'minimize sum(T^2)' --command sh --yes | sed -e 's/took .* s, in .*//'
        cat new.yaml own.yaml
        for name in p hand fit; do
            "${2:-env}" "$gofh" export $name.yaml
            "${2:-env}" "$gofh" report $name.yaml
            sed -e '/<p class="by">/d' -e '/<section id="times">/,/<\/section>/d' -e 's|<td>[0-9.e-]*</td></tr>|</tr>|' $name.gofh/report.html
            sqlite3 $name.gofh/study.db 'SELECT * FROM meta; SELECT * FROM parameters; SELECT * FROM data; SELECT * FROM log'
        done
    ) > "$1.said" 2>&1 || fail "$1: $(tail -n 3 "$1.said")"
}
# shellcheck disable=SC2317 # all_of calls it
in_locale() { LOCPATH=$work/locales LC_ALL=$locale.UTF-8 LD_PRELOAD=$module "$@"; }

all_of plain
grep -q 'used up' plain.said || fail "nothing is run: $(tail -n 3 plain.said)"
names=(de_DE tr_TR ps_AF)
if [ "$(torture_count 0 1)" = 1 ]; then mapfile -t names < <(cd $sources && printf '%s\n' [a-z][a-z]_[A-Z][A-Z]); fi
mkdir locales
# kind_of LOCALE: all that numbers and the comparison of letters can depend on.
kind_of() {
    # shellcheck disable=SC2016 # for that shell
    LOCPATH=$work/locales LC_ALL=$1.UTF-8 bash -c 'locale decimal_point thousands_sep grouping
        small=abcdefghijklmnopqrstuvwxyz; large=${small^^}; printf "%s %s %s" "$small" "$large" "${large,,}"'
}
# numbers_of [COMMAND]: those of the first study, in the locale that the command sets.
numbers_of() {
    for name in p hand fit; do
        "${1:-env}" "$gofh" export plain/$name.yaml
        "${1:-env}" "$gofh" best plain/$name.yaml --json
    done
}
numbers_of > numbers.txt
declare -A kinds
done=0
for locale in "${names[@]}"; do
    localedef -c -i "$locale" -f UTF-8 "locales/$locale.UTF-8" > localedef.txt 2>&1 || [ -d "locales/$locale.UTF-8" ] || continue
    case $locale in
        de_DE | tr_TR) export DECIMAL_POINT=, ;;
        ps_AF) export DECIMAL_POINT=$'\u066b' ;;
        *) unset DECIMAL_POINT ;;
    esac
    kind=$(kind_of "$locale")
    if [ -z "${kinds[$kind]:-}" ]; then
        kinds[$kind]=$locale
        all_of "$locale" in_locale
        cmp -s plain.said "$locale.said" || fail "$locale: $(diff plain.said "$locale.said" | head -n 6 | cut -c 1-200)"
    else
        numbers_of in_locale | cmp - numbers.txt || fail "$locale has other numbers, and ${kinds[$kind]} has not"
    fi
    done=$((done + 1))
done
[ "$done" -ge 3 ] || fail "only $done locales were made: $(cat localedef.txt)"
[ "${#kinds[@]}" -ge 3 ] || fail "only ${#kinds[@]} kinds of locales: ${kinds[*]}"
echo "$done locales, of ${#kinds[@]} kinds: ${kinds[*]}"

# A study's file that was written by a version that did ask the locale.
sqlite3 plain/p.gofh/study.db "DROP TABLE checksums; PRAGMA user_version = -3;
    UPDATE meta SET value = replace(value, '.', ',') WHERE name IN ('tolerance', 'target', 'lengthscale_median')"
expect 0 'used up' run plain/p.yaml
cmp -s <(grep -A 10 '^trial,' plain.said | head -n 10) <("$gofh" export plain/p.yaml | head -n 10) || fail "a file with 0,5 has other numbers"

exit $failed
