#!/usr/bin/env bash
# Several programs on one study: who waits for whom, and what is said of a study that is removed
# while it runs.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# ---- two writers ----
held two
start two
# Each waits some seconds before it gives up; all three at once.
for command in 'run two.yaml' 'ask two.yaml' 'tell two.yaml 1 --failed x'; do
    (
        status=0
        # shellcheck disable=SC2086
        "$gofh" $command > "two.${command%% *}" 2>&1 || status=$?
        echo "status $status" >> "two.${command%% *}"
    ) &
done
expect 0 'open' status two.yaml
expect 0 ',open,' export two.yaml
expect 0 'none: ' check <(printf 'parameters: {x: [0, 1]}\noutputs: [c]\nobjective: {minimize: c}\n')
for command in run ask tell; do
    await grep -q '^status' two.$command || fail "$command does not end"
    for text in "process $process on .* since .* writes the study: waiting up to 10 seconds" \
        "the study is being written by process $process" 'status 4'; do
        grep -q "$text" two.$command || fail "$command beside a run: no \"$text\" in: $(cat two.$command)"
    done
done
kill -KILL "$process"
wait "$process" 2> /dev/null || true
release two
expect 0 '4 evaluations done' run two.yaml
[ ! -d two.gofh/runs/0001-2 ] || fail "a run that went on was done again"

# ---- the lock file is removed while a run is going ----
# in_turn NAME: like held, one simulator after the other.
in_turn() {
    held "$1"
    sed -i '/parallel/d' "$1.yaml"
}
problem whole 'budget: 4' "$simulator"
expect 0 'used up' run whole.yaml
"$gofh" export whole.yaml > whole.csv
in_turn lock
start lock
rm lock.gofh/study.db.lock
"$gofh" run lock.yaml > second.out 2> second.err &
second=$!
await test -s lock.gofh/study.db.lock || fail "no second writer"
release lock
finish lock 4 'the study is being written by process'
wait "$second" || fail "the second writer: $(cat second.out second.err)"
cmp whole.csv <("$gofh" export lock.yaml) || fail "evaluations are lost or others"
[ "$(compgen -G 'lock.gofh/runs/*-2' | wc -l)" = 0 ] || fail "an evaluation is done twice"

# ---- a program that holds the file ----
# Reads the study of $1 in a transaction that lasts until the file $1.leave is there.
cat > hold.py << 'PYTHON'
import os, sqlite3, sys, time
name = sys.argv[1]
connection = sqlite3.connect(f"{name}.gofh/study.db", isolation_level=None)
connection.execute("BEGIN")
connection.execute("SELECT count(*) FROM trials").fetchall()
open(f"{name}.holds", "w").close()
while not os.path.exists(f"{name}.leave"):
    time.sleep(0.05)
PYTHON
# hold NAME: begins to; leave NAME: ends it.
hold() {
    rm -f "$1.leave" "$1.holds"
    python3 hold.py "$1" &
    holder=$!
    await test -e "$1.holds" || fail "$1: nobody reads"
}
leave() {
    touch "$1.leave"
    wait "$holder"
}
for name in reader impatient; do
    in_turn $name
    start $name
    hold $name
    release $name
    await grep -q "another program holds the study's file: waiting for it" $name.err ||
        fail "$name: nothing is said of who holds the file: $(cat $name.out $name.err)"
    if [ $name = impatient ]; then
        kill -INT "$process"
        finish $name 130 'all that was reported is saved; go on with: gofh run impatient.yaml'
        leave $name
        expect 0 'used up: 4 evaluations done, 0 failed' run $name.yaml
        [ "$(compgen -G "$name.gofh/runs/*-2" | wc -l)" = 0 ] || fail "a run that was over is done again"
    else
        leave $name
        finish $name 0 'used up: 4 evaluations done, 0 failed'
    fi
    cmp whole.csv <("$gofh" export $name.yaml) || fail "$name: another study"
done

# ---- the study is removed, replaced or overwritten while it runs ----
for how in removed replaced overwritten; do
    in_turn $how
    start $how
    cp whole.gofh/study.db other.db
    case $how in
        removed) rm $how.gofh/study.db ;;
        replaced) mv other.db $how.gofh/study.db ;;
        overwritten) echo 'hello' > $how.gofh/study.db ;;
    esac
    release $how
    finish $how 4 "$how.gofh/study.db was removed, replaced or damaged while the study ran: all that was reported is in $how.gofh/study.db.saved"
    ! grep -q 'is saved' $how.out || fail "$how: $(cat $how.out)"
    if [ $how = removed ]; then # what was saved is not forgotten by a study that begins anew
        expect 4 'but removed.gofh/study.db.saved has the study as it was' run removed.yaml
        expect 4 'give it the name removed.gofh/study.db' status removed.yaml
    fi
    mv $how.gofh/study.db.saved $how.gofh/study.db
    expect 0 'used up: 4 evaluations done, 0 failed' run $how.yaml
    cmp whole.csv <("$gofh" export $how.yaml) || fail "$how: another study"
done
# After the last commit too.
cat > last.sh << 'SIMULATOR'
#!/bin/sh
"$(dirname "$0")/sim.sh" "$1" "$2" "$3" && rm "$(dirname "$0")/last.gofh/study.db"
SIMULATOR
chmod +x last.sh
problem last 'budget: 1' './last.sh {x} {y} {results}'
expect 4 'all that was reported is in last.gofh/study.db.saved' run last.yaml
in_turn folder
start folder
rm -rf folder.gofh
release folder
finish folder 4 'all that was reported is in folder.gofh/study.db.saved'
mv folder.gofh/study.db.saved folder.gofh/study.db
expect 0 'used up: 4 evaluations done, 0 failed' run folder.yaml

# ---- a run whose folder is removed is no failure of the simulator's ----
in_turn runs
start runs
rm -rf runs.gofh/runs
release runs
finish runs 0 'used up: 4 evaluations done, 0 failed'
grep -q 'is lost and is run again: its folder was removed while it ran' runs.err || fail "runs: $(cat runs.err)"
cmp whole.csv <("$gofh" export runs.yaml) || fail "runs: another study"

exit $failed
