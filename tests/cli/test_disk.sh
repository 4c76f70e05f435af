#!/usr/bin/env bash
# Folders that can't be written, files that are no studies any more, and a disk that is full.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

problem p 'budget: 4' "$simulator"
expect 0 'used up' run p.yaml
"$gofh" export p.yaml > p.csv

# ---- files that are no studies any more ----
# spoiled TEXT: every command says so and ends with 4; the file is left as it is, and with the old
# one back all goes on.
spoiled() {
    local before
    before=$(cksum < p.gofh/study.db)
    for command in run status export best report rerun ask; do
        expect 4 "$1" $command p.yaml
        [ "$(wc -l < err.txt)" = 1 ] || fail "$command: not one line: $(cat err.txt)"
    done
    [ "$before" = "$(cksum < p.gofh/study.db)" ] || fail "a damaged file was changed: $1"
    cp good.db p.gofh/study.db
    expect 0 'used up: 4 evaluations done' run p.yaml
}
cp p.gofh/study.db good.db
size=$(wc -c < good.db)
truncate -s $((size / 2)) p.gofh/study.db
spoiled 'the study is damaged'
truncate -s 100 p.gofh/study.db
spoiled 'the study is damaged'
: > p.gofh/study.db
for command in run ask; do
    expect 4 'p.gofh/study.db is empty, but p.gofh/runs shows that there was a study: put back a copy' $command p.yaml
    [ ! -s p.gofh/study.db ] || fail "$command begins a study in the place of one that is lost"
done
cp good.db p.gofh/study.db
dd if=/dev/zero of=p.gofh/study.db bs=4096 seek=2 count=1 conv=notrunc status=none
spoiled 'the study is damaged'
echo 'hello' > p.gofh/study.db
spoiled 'it is no SQLite file'
head -c "$size" /dev/urandom > p.gofh/study.db
spoiled 'it is no SQLite file'
if command -v sqlite3 > /dev/null; then
    rm p.gofh/study.db
    sqlite3 p.gofh/study.db 'CREATE TABLE a (b)'
    spoiled 'is a database of another program'
    sqlite3 p.gofh/study.db "UPDATE trials SET state = 'lost' WHERE trial = 2" 2> /dev/null ||
        sqlite3 p.gofh/study.db "PRAGMA ignore_check_constraints = 1; UPDATE trials SET state = 'lost' WHERE trial = 2"
    spoiled 'the study is damaged'

    # A file that names a folder outside runs/ as that of a run.
    problem elsewhere 'budget: 1' './elsewhere.sh {x} {y} {results}'
    expect 3 "can't be run" run elsewhere.yaml
    mkdir other
    echo 0 > other/exit_status
    echo '{"c": [0, 0, 0], "t": 0}' > other/results.json
    sqlite3 elsewhere.gofh/study.db "DROP TABLE checksums; PRAGMA user_version = -3; INSERT INTO notes VALUES (1, 'run', 'local 99999 1 abc 0 $PWD/other')"
    cp sim.sh elsewhere.sh
    expect 0 "the run of trial 1 can't be found again, so it is run anew: its folder $PWD/other is not in" run elsewhere.yaml
    json 0 'j["f"] > 0' best elsewhere.yaml
fi
mkdir folder.gofh
problem folder 'budget: 4' "$simulator"
mkdir folder.gofh/study.db
expect 4 'is a folder' run folder.yaml
problem file 'budget: 4' "$simulator"
echo > file.gofh
expect 4 'the folder file.gofh can'"'"'t be made: File exists' run file.yaml
expect 4 'the folder file.gofh' check file.yaml

# ---- folders that can't be written ----
# Root may write anywhere; another user is borrowed.
as_other=()
if [ "$(id -u)" = 0 ]; then
    as_other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 755 .
fi
if [ ${#as_other[@]} = 0 ] || "${as_other[@]}" test -x "$gofh" 2> /dev/null; then
    mkdir fixed
    cp -r sim.sh p.yaml p.gofh fixed
    problem fixed/new 'budget: 4' "$simulator"
    chmod -R a-w,a+rX fixed
    # refused STATUS TEXT ARGUMENTS...
    refused() {
        local status=0
        (cd fixed && "${as_other[@]}" "$gofh" "${@:3}") > out.txt 2> err.txt || status=$?
        [ "$status" = "$1" ] && [[ $(cat out.txt err.txt) == *"$2"* ]] ||
            fail "read-only: gofh ${*:3}: $status: $(cat out.txt err.txt)"
    }
    refused 4 "the folder new.gofh can't be made: Permission denied" run new.yaml
    refused 4 "can't be made: Permission denied" check new.yaml
    refused 4 "can't be written (Permission denied)" run p.yaml
    refused 4 "can't be written" ask p.yaml
    refused 0 '4 done' status p.yaml
    refused 0 'c[0]' best p.yaml
    refused 0 'trial,status' export p.yaml
    refused 4 "can't be written: Permission denied" report p.yaml
    refused 4 'Permission denied' rerun p.yaml
    refused 0 '/dev/null' report p.yaml --output /dev/null
    [ -c /dev/null ] || fail "a report replaces a device"
    chmod -R u+w fixed
else
    echo "skipped: no other user can run gofh here"
fi

# ---- a full disk ----
# Room is taken away until the study stops; with room again, the same command finishes, as if
# nothing had been.
mkdir small
if mount -t tmpfs -o size=400k tmpfs small 2> /dev/null; then
    trap 'cd /; umount "$work/small"; rm -rf "$work"' EXIT
    problem whole 'budget: 20, stop: never' "$simulator"
    expect 0 'used up' run whole.yaml
    cp sim.sh small
    cp whole.yaml small/p.yaml
    for room in 60 100 140 180; do
        rm -rf small/p.gofh
        free=$(df --output=avail -k small | tail -n 1)
        head -c $(((free - room) * 1024)) /dev/zero > small/fill
        expect 4 'the disk' run small/p.yaml
        grep -q 'full' err.txt || fail "room for $room k: $(cat out.txt err.txt)"
        grep -q 'all that was reported is saved' out.txt && fail "room for $room k: what is not stored is called saved"
        reported=$(grep -c '^trial .* f ' out.txt || true)
        kept=$("$gofh" export small/p.yaml 2> /dev/null | grep -c ',done,' || true)
        [ "$kept" -ge "$reported" ] || fail "room for $room k: $reported evaluations were reported, $kept are there"
        expect 4 'full' run small/p.yaml
        rm small/fill
        mount -o remount,size=4m small
        expect 0 'used up: 20 evaluations done, 0 failed' run small/p.yaml
        cmp -s <("$gofh" export small/p.yaml) <("$gofh" export whole.yaml) || fail "room for $room k: another study"
        rm -rf small/p.gofh
        mount -o remount,size=400k small
    done
    # A simulator that fills the disk itself: its failure is not the point's.
    cat > small/big.sh << 'SIMULATOR'
#!/bin/sh
head -c 500000 /dev/zero > big || exit 1
exec "$(dirname "$0")/sim.sh" "$1" "$2" "$3"
SIMULATOR
    chmod +x small/big.sh
    problem small/big 'budget: 2' './big.sh {x} {y} {results}'
    expect 4 'but the disk is full: make space for' run small/big.yaml
    [ "$("$gofh" export small/big.yaml | grep -c ',failed,')" = 0 ] || fail "a full disk is a failure of the simulator"
    mount -o remount,size=4m small
    expect 0 '2 evaluations done, 0 failed' run small/big.yaml
else
    echo "skipped: a full disk needs root, to mount a small one"
fi

exit $failed
