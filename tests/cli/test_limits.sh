#!/usr/bin/env bash
# What a study copies, and what it does where files, processes or their sizes are limited.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# ---- copies ----
# "All my inputs" is the folder in which the study itself is: studies are not copied.
mkdir -p inputs/deep inputs/other.gofh
echo mesh > inputs/deep/mesh.dat
echo study > inputs/other.gofh/study.db
cp sim.sh inputs
(cd inputs && problem p 'budget: 3' "$simulator" '  files: [{from: ., to: here}]')
expect 0 '3 evaluations done, 0 failed' run inputs/p.yaml
for run in 0001 0002 0003; do
    here=inputs/p.gofh/runs/$run/here
    cmp -s inputs/deep/mesh.dat "$here/deep/mesh.dat" || fail "$run has no copy of the mesh"
    [ "$(cd "$here" && find . | sort | tr '\n' ' ')" = '. ./deep ./deep/mesh.dat ./p.yaml ./sim.sh ' ] ||
        fail "$run: copied: $(find "$here")"
done
expect 0 'f = ' check inputs/p.yaml
expect 0 'reproduced' rerun inputs/p.yaml

# A link that leads back up.
mkdir loop
ln -s .. loop/up
problem loop 'budget: 1' "$simulator" '  files: [loop]'
ln -s . loop/self
expect 3 "it is a link to a folder that it is in itself" run loop.yaml
rm loop/self
mkdir loop/sub
ln -s ../../loop loop/sub/round
expect 3 "it is a link to a folder that it is in itself" run loop.yaml
[ -z "$(ls loop.gofh/runs)" ] || fail "what was copied of a loop stays: $(ls loop.gofh/runs)"
problem into 'budget: 1' "$simulator" '  files: [{from: into.gofh/runs, to: here}]'
mkdir -p into.gofh/runs
expect 3 'the copy would be in the folder itself' run into.yaml

# A copy that would take long is interrupted at once. The file is all holes.
is_copying() { find huge.gofh -name huge.dat | grep -q .; }
for signal in INT TERM; do
    for command in run check; do
        rm -rf huge.gofh
        truncate -s 30G huge.dat
        problem huge 'budget: 1' "$simulator" '  files: [huge.dat]'
        "$gofh" $command huge.yaml > out.txt 2> err.txt &
        process=$!
        await is_copying || fail "$command does not copy: $(cat out.txt err.txt)"
        kill -$signal "$process"
        status=0
        wait "$process" || status=$?
        [ "$status" = 130 ] || fail "$signal while $command copies: $status: $(cat out.txt err.txt)"
        ! is_copying || fail "$signal while $command copies leaves: $(find huge.gofh)"
        [ $command = check ] || expect 0 '0 done, 0 failed, 1 open' status huge.yaml
    done
done
rm -rf huge.*

# ---- open files ----
# limited OPTIONS STATUS TEXT ARGUMENTS...: the same as expect, with limits.
limited() {
    local options=$1
    shift
    # shellcheck disable=SC2086
    (ulimit $options && expect "$@" && exit $failed) || failed=1
}
problem whole 'budget: 4' "$simulator"
expect 0 '4 evaluations done' run whole.yaml
for files in 9 10 11 12 13 14 16; do
    problem few 'budget: 4' "$simulator"
    limited "-n $files" 3 "no process can be started: Too many open files: the limit of $files (ulimit -n) is too low" run few.yaml
    [ "$("$gofh" export few.yaml | grep -c ',failed,')" = 0 ] || fail "$files files: a run that never began is a failed trial"
    [ -z "$(ls few.gofh/runs 2> /dev/null)" ] || fail "$files files: a folder of a run that never began"
done
expect 0 '4 evaluations done, 0 failed' run few.yaml
cmp -s <("$gofh" export few.yaml) <("$gofh" export whole.yaml) || fail "too few files have changed the study"

# More runs at once than files allow: fewer at once, and no failure. A soft limit is raised, but not
# for the simulators.
# shellcheck disable=SC2016
problem many 'budget: 40, initial: 40' \
    'ulimit -n >> "$GOFH_PROBLEM_DIR"/files; ./sim.sh {x} {y} {results} 0.2' '  parallel: 40'
limited '-n 30' 0 '40 evaluations done, 0 failed' run many.yaml
limited '-n 30' 0 '' export many.yaml
rm -r many.gofh
(ulimit -n 30 && "$gofh" run many.yaml > out.txt 2> err.txt) || fail "30 files: $(cat out.txt err.txt)"
grep -q 'runs at once instead of 40: no process can be started: Too many open files' err.txt || fail "not said: $(cat err.txt)"
[ "$(wc -l < err.txt)" = 1 ] || fail "said more than once: $(cat err.txt)"
rm -r many.gofh files
limited '-S -n 30' 0 '40 evaluations done, 0 failed' run many.yaml
[ ! -s err.txt ] || fail "the soft limit is not raised: $(cat err.txt)"
[ "$(sort -u files)" = 30 ] || fail "the simulators have another limit than their user: $(sort -u files)"

# ---- processes ----
# Root has no such limit; another user is borrowed, in a place where that user may write.
if [ "$(id -u)" = 0 ] && setpriv --reuid=54321 --regid=54321 --clear-groups test -x "$gofh" 2> /dev/null; then
    mkdir -m 777 theirs
    chmod 755 .
    cp sim.sh theirs
    (cd theirs && problem p 'budget: 6, initial: 6' "$simulator" '  parallel: 3')
    for processes in 1 2 3 4 5 6; do
        rm -rf theirs/p.gofh
        status=0
        (cd theirs && setpriv --reuid=54321 --regid=54321 --clear-groups \
            prlimit --nproc="$processes" "$gofh" run p.yaml) > out.txt 2> err.txt || status=$?
        "$gofh" export theirs/p.yaml > now.csv 2> /dev/null || true
        # A simulator that began may itself lack processes; only one that never began is not its
        # failure.
        [ "$processes" -gt 2 ] || [ "$status" = 3 ] || fail "$processes processes: $status: $(cat out.txt err.txt)"
        [ "$processes" -gt 2 ] || ! grep -q ',failed,' now.csv || fail "$processes processes: $(cat now.csv)"
        ! grep -q 'exit status 125' out.txt || fail "$processes processes: $(cat out.txt)"
    done
else
    echo "skipped: no other user can run gofh here"
fi

# ---- memory ----
# In KiB. Memory that is not there is asked for once, not for ever. What can be asked of a study
# without a model goes on.
cp -r whole.gofh memory.gofh
problem memory 'budget: 12, stop: never' "$simulator"
for memory in 60000 100000 140000; do
    for command in run ask report; do
        limited "-v $memory -t 300" 4 "$memory KiB of memory are allowed (ulimit -v)" $command memory.yaml
    done
    limited "-v $memory" 0 'f = ' best memory.yaml
done
[ "$(count memory failed)" = 0 ] || fail "too little memory is a failure of the simulator"
limited '-v 400000' 0 '12 evaluations done, 0 failed' run memory.yaml
limited '-v 400000' 0 'report.html' report memory.yaml

# ---- sizes of files ----
# In blocks of 1 KiB. The messages go through a pipe, which has no size.
problem size 'budget: 12, stop: never' "$simulator"
for blocks in 0 1 8 40; do
    rm -rf size.gofh
    message=$(set +e; (ulimit -f "$blocks"; "$gofh" run size.yaml) 2>&1; echo "status $?")
    [[ $message == *"status 4"* && $message == *"files may have $((1024 * blocks)) bytes at most"* || 
       $blocks = 0 && $message == *"status 4"* ]] || fail "files of $blocks KiB: $message"
    [[ $message != *failed:* ]] || fail "files of $blocks KiB: $message"
done
expect 0 '12 evaluations done, 0 failed' run size.yaml
message=$(set +e; (ulimit -f 8; "$gofh" report size.yaml) 2>&1; echo "status $?")
[[ $message == *"can't be written: File too large"*"status 4" ]] || fail "a report of more than 8 KiB: $message"
# The simulator itself gets the signal.
problem own 'budget: 1' "'head -c 300000 /dev/zero > big; ./sim.sh {x} {y} {results}'"
rm -rf own.gofh
message=$(set +e; (ulimit -f 200; "$gofh" run own.yaml) 2>&1; echo "status $?")
[ "$(wc -c < own.gofh/runs/0001/big)" = 204800 ] || fail "the limit is not the simulator's: $message"

exit $failed
