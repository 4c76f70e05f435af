#!/usr/bin/env bash
# Links in the folder of a study: what they lead to is never written, and the lock holds without its
# file.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# link_at NAME: makes p.gofh/NAME a link to thesis.tex, symbolic or hard as $how says.
link_at() {
    rm -f "p.gofh/$1"
    if [ "$how" = hard ]; then ln thesis.tex "p.gofh/$1"; else ln -s "$PWD/thesis.tex" "p.gofh/$1"; fi
}
intact() { [ "$(cat thesis.tex)" = 'years of work' ] || fail "$how link $1: thesis.tex is $(wc -c < thesis.tex) bytes"; }
echo 'years of work' > thesis.tex

# ---- the files of the study ----
problem p 'budget: 5' "$simulator"
expect 0 'used up' run p.yaml
"$gofh" export p.yaml > p.csv
sed -i 's/budget: 5/budget: 50/' p.yaml
cp p.gofh/study.db good.db
for how in symbolic hard; do
    for name in study.db.lock study.db-journal study.db-wal study.db; do
        for command in ask run 'import p.csv' 'tell 6 c=1,2,3 t=1'; do
            link_at $name
            read -r word rest <<< "$command"
            # shellcheck disable=SC2086
            expect 4 'is a' $word p.yaml $rest
            grep -q "p.gofh/$name is a s" err.txt || fail "$word: the link $name is not named: $(cat err.txt)"
            intact "$name"
        done
        rm "p.gofh/$name"
        [ -e p.gofh/study.db ] || cp good.db p.gofh/study.db
    done
    # A report gets its name when it is whole; nothing is written through a name that was there.
    for name in report.html.part report.html; do
        link_at $name
        expect 0 'report.html' report p.yaml
        intact "$name"
        grep -q '<svg' p.gofh/report.html || fail "no report beside the $how link $name"
        [ ! -L p.gofh/report.html ] || fail "the report is a link"
        rm -f p.gofh/report.html*
    done
done
cmp -s p.csv <("$gofh" export p.yaml) || fail "the study has changed"
expect 0 '/dev/stdout' report p.yaml --output /dev/stdout
mkfifo p.gofh/report.html
expect 0 'report.html' report p.yaml
[ -f p.gofh/report.html ] || fail "a pipe of that name is not replaced"

# ---- the folder of a run: nothing of ours goes where a link of the problem file's leads ----
for name in stdout.txt stderr.txt exit_status exit_status.new; do
    problem r 'budget: 1' "$simulator" "  files: [{from: thesis.tex, to: $name, link: true}]"
    expect 2 "can't be called \"$name\" in the run's folder: gofh writes a file of that name" run r.yaml
    how=symbolic intact "$name"
done
for name in ./stdout.txt .//stderr.txt; do
    problem r 'budget: 1' "$simulator" "  files: [{from: thesis.tex, to: $name, link: true}]"
    "$gofh" run r.yaml > out.txt 2> err.txt || true
    how=symbolic intact "$name"
done
cat > evil.sh << 'SIMULATOR'
#!/bin/sh
ln -s "$4" exit_status.new
exec "$(dirname "$0")/sim.sh" "$1" "$2" "$3"
SIMULATOR
chmod +x evil.sh
problem evil 'budget: 1' "'./evil.sh {x} {y} {results} $PWD/thesis.tex'"
expect 0 '1 evaluation done' run evil.yaml
how=symbolic intact 'made by the simulator'

# ---- folders may be links: a study on another disk ----
mkdir scratch
problem away 'budget: 3' "$simulator"
ln -s "$PWD/scratch" away.gofh
expect 0 'used up: 3 evaluations' run away.yaml
[ -f scratch/study.db ] || fail "the study is not where the link of the folder leads"

exit $failed
