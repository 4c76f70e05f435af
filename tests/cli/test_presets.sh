#!/usr/bin/env bash
# The presets of executor: command whose systems are not here, with programs that take and print what the
# manuals of those say, in a folder whose name a shell could read as something else. Each has one job that
# is long enough to be looked for in the list, and one that is cancelled.
set -uo pipefail
gofh=$1
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/study_tools.sh
. "$here/study_tools.sh"

mkdir -p jobs pbs lsf sge htcondor flux
# What all of them do: `begin NUMBER COMMAND...` makes a job, `alive` prints the numbers of jobs, `end` ends one.
cat > queue.sh << 'SCRIPT'
jobs=$(cd "$(dirname "$0")/../jobs" && pwd)
number() {
    until mkdir "$jobs/lock" 2> /dev/null; do sleep 0.01; done
    n=$(($(cat "$jobs/last" 2> /dev/null || echo 100) + 1))
    echo $n > "$jobs/last"
    rmdir "$jobs/lock"
}
begin() {
    kept=$1
    shift
    setsid "$@" > "$jobs/out.$kept" 2>&1 < /dev/null &
    echo $! > "$jobs/$kept"
}
alive() {
    for job in "$jobs"/[0-9]*; do
        [ ! -e "$job" ] || ! kill -0 "$(cat "$job")" 2> /dev/null || echo "${job##*/}"
    done
}
end() { kill -s TERM -- "-$(cat "$jobs/$1")"; }
SCRIPT
# make PROGRAM: from standard input.
make() {
    { printf '#!/bin/bash\n. "$(dirname "$0")/../queue.sh"\n'; cat; } > "$1"
    chmod +x "$1"
}
# PBS: the script's path is the last word; names have 15 characters at most, and begin with a letter.
make pbs/qsub << 'SCRIPT'
while getopts Vq:N:j:o:l: option; do
    [ "$option" != N ] || [[ $OPTARG =~ ^[A-Za-z][^\ ]{0,14}$ ]] || { echo "qsub: illegal -N value" >&2; exit 1; }
done
shift $((OPTIND - 1))
number
begin $n sh "$1"
echo "$n.server.site"
SCRIPT
make pbs/qselect <<< '[ "$1" = -u ] && [ "$2" = "$(id -un)" ] && alive | sed "s/$/.server.site/"'
make pbs/qdel <<< 'end "${1%%.*}"'
# LSF: the words of a command are put together for a shell; without any, the script is the input.
make lsf/bsub << 'SCRIPT'
while getopts J:o:n:q: option; do :; done
shift $((OPTIND - 1))
number
if [ $# -gt 0 ]; then echo "$*" > "$jobs/script.$n"; else cat > "$jobs/script.$n"; fi
begin $n sh "$jobs/script.$n"
echo "Job <$n> is submitted to default queue <normal>."
SCRIPT
make lsf/bjobs << 'SCRIPT'
[ "$*" = "-noheader -o jobid" ] || exit 2
[ -n "$(alive)" ] || { echo "No unfinished job found" >&2; exit 255; }
alive
SCRIPT
make lsf/bkill <<< 'end "$1"'
# Grid Engine: a table with two lines above it, nothing without jobs.
make sge/qsub << 'SCRIPT'
[ "$1" = -terse ] || exit 2
shift
while getopts VS:N:j:o:p: option; do :; done
shift $((OPTIND - 1))
number
begin $n sh "$1"
echo $n
SCRIPT
make sge/qstat << 'SCRIPT'
[ -z "$(alive)" ] || { printf 'job-ID  prior\n--------------\n'; alive | sed 's/^/    /; s/$/ 0.5 r/'; }
SCRIPT
make sge/qdel <<< 'end "$1"'
# HTCondor: a submit description; arguments are parted at blanks, but for single quotes within double ones.
make htcondor/condor_submit << 'SCRIPT'
[ "$*" = "-terse -" ] || exit 2
number
python3 -c '
import re, shlex, sys
lines = dict(re.split(" *= *", line.strip(), maxsplit=1) for line in sys.stdin if "=" in line)
text = lines["arguments"]
words = text.split() if text[0] != "\"" else shlex.split(text[1:-1].replace("\x27\x27", "\x27\"\x27\"\x27"))
print(*[lines["executable"], *words], sep="\0", end="\0")' > "$jobs/words.$n"
mapfile -d '' words < "$jobs/words.$n"
begin $n "${words[@]}"
echo "$n.0 - $n.0"
SCRIPT
make htcondor/condor_q <<< '[ $# = 6 ] && alive | sed "s/$/.0/"'
make htcondor/condor_rm <<< 'end "${1%%.*}"'
# Flux: ids are printed in base 58, and taken in any form.
make flux/flux << 'SCRIPT'
case $1 in
    submit)
        shift
        while [[ $1 == -* ]]; do shift; done
        number
        begin $n "$@"
        echo "ƒX$n"
        ;;
    job) echo "${4#ƒX}" ;;
    jobs) if [[ $* == *'{id.dec}'* ]]; then alive; else alive | sed 's/^/fX/'; fi ;;
    cancel) end "$2" ;;
esac
SCRIPT

mkdir "it's a \$folder"
cp sim.sh "it's a \$folder"
cd "it's a \$folder" || exit 1
make_logged
# queued NAME PRESET SECONDS
queued() {
    problem "$1" 'budget: 1, stop: never' "./logged.sh $1 {trial} {x} {y} {results} $3" "  executor: command
  queue: {preset: $2, grace: 1s}"
}
declare -A running
for preset in pbs lsf sge htcondor flux; do
    for study in long ended; do
        name=a_study_of_$preset.$study
        queued "$name" "$preset" "$([ $study = long ] && echo 9 || echo 600)"
        PATH=$work/$preset:$PATH "$gofh" run "$name.yaml" > "$name.out" 2> "$name.err" &
        running[$name]=$!
    done
done
for preset in pbs lsf sge htcondor flux; do
    name=a_study_of_$preset.ended
    await test -s "log.$name" || fail "$name: $(cat "$name.out" "$name.err")"
    process=${running[$name]}
    interrupt_twice "$name"
    finish "$name" 130 '1 open'
    name=a_study_of_$preset.long
    process=${running[$name]}
    finish "$name" 0 '1 evaluation done, 0 failed'
    [ "$(cat "log.$name")" = 1 ] || fail "$name: it is not begun once: $(cat "$name.err")"
done
# What was cancelled is gone, or goes.
# shellcheck disable=SC2317 # await calls it
no_jobs() { ! "$work/lsf/bjobs" -noheader -o jobid; }
await no_jobs

# A system that is not here is said, at once.
mkdir "$work/bin"
for program in sh id awk sed printf cat rm mkdir; do ln -s "$(command -v "$program")" "$work/bin/"; done
for preset in pbs lsf sge htcondor flux; do
    queued "no_$preset" "$preset" 1
    status=0
    PATH=$work/bin "$gofh" run "no_$preset.yaml" > out.txt 2> err.txt || status=$?
    [ "$status" = 3 ] && grep -q "not found" err.txt || fail "no_$preset: exit status $status: $(cat err.txt)"
done
exit $failed
