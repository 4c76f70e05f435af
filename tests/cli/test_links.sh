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

# ---- figures, and pages of several studies ----
for how in symbolic hard; do
    rm -rf p.gofh/figures
    mkdir p.gofh/figures
    for name in figures/convergence.svg figures/convergence.csv figures/convergence.png figures/times.svg.part; do
        link_at "$name"
    done
    expect 0 'convergence.svg' report p.yaml --figures p.gofh/figures
    intact 'of a figure'
    [ -z "$(find p.gofh/figures -name '*.part-*')" ] || fail "$how: parts of figures are left"
    for name in convergence.svg convergence.csv; do
        [ -f p.gofh/figures/$name ] && [ ! -L p.gofh/figures/$name ] || fail "$how: no $name of its own"
        [ "$(stat -c %h p.gofh/figures/$name)" = 1 ] || fail "$how: $name has two names"
    done
    cp p.yaml other.yaml
    rm -rf other.gofh
    cp -r p.gofh other.gofh
    link_at both.html
    expect 0 'best f' compare p.yaml other.yaml --output p.gofh/both.html
    intact 'of gofh compare'
    grep -q '<svg' p.gofh/both.html || fail "$how: no page of gofh compare"
done

# ---- two names that we made ourselves, and were killed ----
ln p.gofh/study.db p.gofh/study.db.before-reread
expect 0 '"trial":6' ask p.yaml
problem kept 'budget: 2' "$simulator"
expect 0 'kept' check kept.yaml
ln kept.gofh/check/study.db kept.gofh/study.db
expect 0 'used up: 3 evaluations' run kept.yaml
[ ! -e kept.gofh/check/study.db ] || fail "the second name of the study is left"
# A name for what is open already is no file to be replaced, though it may lead to one.
for command in report 'compare other.yaml'; do
    read -r word rest <<< "$command"
    # shellcheck disable=SC2086
    expect 0 '</html>' $word p.yaml $rest --output /dev/stdout
    if [ ! -L /dev/stdout ]; then
        fail "$word: /dev/stdout is replaced"
        ln -sfT /proc/self/fd/1 /dev/stdout # root can do that: nobody else is to suffer from it
    fi
done
for name in /dev/fd/3 /proc/self/fd/3; do
    "$gofh" report p.yaml --output $name 3> third.html || fail "$name is not written to"
    grep -q '</html>' third.html || fail "$name: no page"
done
# /dev/shm is a folder like others, though it is in /dev: a file there is made, and replaced as a whole.
shared=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$work" "$shared"' EXIT
for command in report 'compare other.yaml'; do
    read -r word rest <<< "$command"
    ln -sf "$PWD/thesis.tex" "$shared/linked.html"
    for name in new linked; do
        # shellcheck disable=SC2086
        expect 0 '' $word p.yaml $rest --output "$shared/$name.html"
        grep -q '</html>' "$shared/$name.html" || fail "$word: no $name.html in /dev/shm"
        [ ! -L "$shared/$name.html" ] || fail "$word: $name.html is a link"
    done
    how=symbolic intact "of $word in /dev/shm"
    rm "$shared"/*.html
done
mkfifo p.gofh/report.html
expect 0 'report.html' report p.yaml
[ -f p.gofh/report.html ] || fail "a pipe of that name is not replaced"

# ---- the folder of a run: nothing of ours goes where a link of the problem file's leads ----
for name in stdout.txt stderr.txt exit_status exit_status.new ./stdout.txt .//stderr.txt job_id ././job.sh \
    ./job_exit.new; do
    problem r 'budget: 1' "$simulator" "  files: [{from: thesis.tex, to: $name, link: true}]"
    expect 2 "can't be called \"$name\" in the run's folder: gofh writes a file of that name" run r.yaml
    how=symbolic intact "$name"
done
cat > evil.sh << 'SIMULATOR'
#!/bin/sh
ln -s "$4" exit_status.new
ln -s "$4" job_exit.new
exec "$(dirname "$0")/sim.sh" "$1" "$2" "$3"
SIMULATOR
chmod +x evil.sh
problem evil 'budget: 1' "'./evil.sh {x} {y} {results} $PWD/thesis.tex'"
expect 0 '1 evaluation done' run evil.yaml
how=symbolic intact 'made by the simulator'
# The same where a job of a queue writes.
cat > submit << 'SCRIPT'
#!/bin/sh
setsid sh "$1" > /dev/null 2>&1 &
echo 1
SCRIPT
chmod +x submit
problem queued 'budget: 1' "'./evil.sh {x} {y} {results} $PWD/thesis.tex'" "  executor: command
  queue: {submit: \"$PWD/submit {script}\", status: 'true', cancel: 'true {id}', grace: 1h}"
expect 0 '1 evaluation done' run queued.yaml
how=symbolic intact 'made by the simulator in a job'
# What gofh itself keeps there of a job, again with each submission: the first one fails.
cat > linking << 'SCRIPT'
#!/bin/sh
folder=$(dirname "$1")
if [ ! -e "$folder/again" ]; then
    for name in job_id job_errors job_state; do ln -f $3 "$2" "$folder/$name"; done
    touch "$folder/again"
    exit 1
fi
ln -f $3 "$2" "$folder/job_state"
setsid sh "$1" > /dev/null 2>&1 &
echo 1
SCRIPT
chmod +x linking
for how in hard symbolic; do
    option=
    [ $how = hard ] || option=-s
    problem kept_$how 'budget: 1' "$simulator" "  executor: command
  queue: {submit: \"$PWD/linking {script} $PWD/thesis.tex $option\", status: 'true', cancel: 'true {id}', grace: 1h}"
    expect 0 '1 evaluation done' run kept_$how.yaml
    intact 'to what is kept of a job'
done

# ---- folders may be links: a study on another disk ----
mkdir scratch
problem away 'budget: 3' "$simulator"
ln -s "$PWD/scratch" away.gofh
expect 0 'used up: 3 evaluations' run away.yaml
[ -f scratch/study.db ] || fail "the study is not where the link of the folder leads"

exit $failed
