#!/usr/bin/env bash
# Runs that fail, runs side by side, and the rules that stop a study.
set -euo pipefail
gofh=$1
# shellcheck source=tests/cli/study_tools.sh
. "$(dirname "$0")/study_tools.sh"

# Fails where x is below 1, with a message.
cat > fails.sh << 'SIMULATOR'
#!/bin/sh
echo "$4" >> "$(dirname "$0")/${5:-log}.log"
if awk -v x="$1" 'BEGIN { exit !(x < 1) }'; then
    echo "no convergence" >&2
    exit 3
fi
exec "$(dirname "$0")/sim.sh" "$1" "$2" "$3"
SIMULATOR
chmod +x fails.sh
fails='./fails.sh {x} {y} {results} {trial}'

# ---- a simulator that does not read its parameters ----
problem deaf 'budget: 5' './sim.sh 2 2 {results}'
expect 0 'the first 3 evaluations have the same outputs, at different points: do the parameters reach the simulator?' run deaf.yaml
[ "$(grep -c 'same outputs' err.txt)" = 1 ] || fail "said more than once: $(cat err.txt)"
problem hears 'budget: 5' "$simulator"
expect 0 'best: f' run hears.yaml
! grep -q 'same outputs' err.txt || fail "outputs that vary are doubted: $(cat err.txt)"

# ---- a simulator that is not there ----
problem gone 'budget: 4, initial: 4' './gone.sh {x} {y} {results}' '  parallel: 3'
expect 3 "the simulator can't be run: exit status 127" run gone.yaml
[ "$(grep -c "can't be run" err.txt)" = 1 ] || fail "said more than once: $(cat err.txt)"
expect 0 '0 done, 0 failed, 3 open' status gone.yaml
expect 3 'exit status 127' check gone.yaml
cp sim.sh gone.sh
chmod -x gone.sh
expect 3 "the simulator can't be run: exit status 126" run gone.yaml
chmod +x gone.sh
expect 0 '4 evaluations done, 0 failed' run gone.yaml
cp sim.sh there.sh
problem there 'budget: 4, initial: 4' './there.sh {x} {y} {results}'
expect 0 'used up' run there.yaml
cmp -s <("$gofh" export gone.yaml) <("$gofh" export there.yaml) || fail "a mended simulator does not go on as if nothing had been"

# A script that the interpreter can't open: nothing is recorded, however often it is tried.
cat > model.py << 'SIMULATOR'
import json, sys
x, y = map(float, sys.argv[1:3])
json.dump({"c": [x - 1, y - 2, x * y - 2], "t": x + y}, open(sys.argv[3], "w"))
SIMULATOR
problem script 'budget: 4, initial: 4' 'env python3 modle.py {x} {y} {results}'
for _ in 1 2 3 4; do
    expect 3 "there is no modle.py in $work, beside the problem file, nor in the run's folder" run script.yaml
    grep -q 'no evaluation was recorded' err.txt || fail "not said: $(cat err.txt)"
    expect 0 '0 done, 0 failed, 1 open' status script.yaml
done
sed -i 's/modle/model/' script.yaml
expect 0 '4 evaluations done, 0 failed' run script.yaml
# One that is named beside the problem file is found, whatever stands before it.
python=$(command -v python3)
for command in "$python model.py" 'python3 ./model.py' 'env python3 model.py' 'nice -n 5 python3 model.py'; do
    problem found 'budget: 4' "$command {x} {y} {results}"
    expect 0 'found beside the problem file:' check found.yaml
done

# A program that is not there is named before anything runs.
for command in ./nosim.sh 'nice true; bin/nosim.sh'; do
    problem lost 'budget: 4' "$command {x} {y} {results}"
    expect 0 "not found beside the problem file: ${command#*; }" check --no-run lost.yaml
done
for command in ./sim.sh 'cd sub && ./nosim.sh' /opt/nosim.sh; do
    problem lost 'budget: 4' "$command {x} {y} {results}"
    expect 0 'parameters:' check --no-run lost.yaml
    ! grep -q 'not found' out.txt || fail "$command: $(cat out.txt)"
done

# What a simulator says may be in another encoding; all that gofh writes of it is UTF-8.
problem latin 'budget: 2' 'test {trial} = 1 || { printf "Netz ung\\374ltig\\n" >&2; exit 3; }; ./sim.sh {x} {y} {results}'
expect 0 'exit status 3: Netz ung?ltig' run latin.yaml
expect 0 'Netz ung?ltig' export latin.yaml
expect 0 'report.html' report latin.yaml
python3 -c 'open("latin.gofh/report.html", encoding="utf-8").read()' || fail "the report is no UTF-8"
# Studies that have it from before.
sqlite3 latin.gofh/study.db "UPDATE trials SET reason = CAST(x'556e67fc6c746967' AS TEXT) WHERE trial = 2;
    DROP TABLE checksums; PRAGMA user_version = -3"
expect 0 'Ung?ltig' status latin.yaml
expect 0 'report.html' report latin.yaml
python3 -c 'assert "Ung?ltig" in open("latin.gofh/report.html", encoding="utf-8").read()' ||
    fail "the report of an older study is no UTF-8"

# One trial at which the command is not found must not be in the way of the others.
problem first 'budget: 4' 'test {trial} = 1 && exit 127; ./sim.sh {x} {y} {results}'
expect 3 "the simulator can't be run: exit status 127" run first.yaml
expect 3 "the simulator can't be run: exit status 127" run first.yaml
expect 0 '3 evaluations done, 1 failed' run first.yaml
problem later 'budget: 2' 'test {trial} = 3 && exit 127; ./sim.sh {x} {y} {results}'
expect 0 '2 evaluations done' run later.yaml
sed -i 's/budget: 2/budget: 4/' later.yaml
expect 0 '3 evaluations done, 1 failed' run later.yaml

# ---- on_failure ----
problem learn 'budget: 8' "$fails learn"
expect 0 'failed: exit status 3: no convergence' run learn.yaml
broken=$("$gofh" export learn.yaml | awk -F, '$2 == "failed" && $4 < 1' | wc -l)
[ "$broken" -gt 0 ] && [ "$broken" = "$(count learn failed)" ] || fail "$(count learn failed) failures, $broken where x < 1"
[ "$("$gofh" export learn.yaml | awk -F, '$2 == "failed" && $6 $7 $8 $9 $10 != ""' | wc -l)" = 0 ] ||
    fail "a failed trial has outputs"
[ "$(sort learn.log | uniq -c | awk '$1 > 1' | wc -l)" = 0 ] || fail "a failure is run again"
expect 0 'failed: exit status 3: no convergence' status learn.yaml

problem retry 'budget: 3' "$fails retry" '  on_failure: {retry: 2}'
expect 0 'failed: exit status 3' run retry.yaml
[ "$(grep -c '^1$' retry.log)" = 3 ] || fail "trial 1 ran $(grep -c '^1$' retry.log) times, not once and twice more"
[ "$(grep -c '^2$' retry.log)" = 1 ] || fail "trial 2 succeeded and was run again"
[ -d retry.gofh/runs/0001-3 ] || fail "the folder of a third attempt: $(ls retry.gofh/runs)"

problem abort 'budget: 3, initial: 3' "$fails abort" '  on_failure: abort'
expect 3 'trial 1 failed, and on_failure is abort: exit status 3: no convergence' run abort.yaml
[ "$(tail -n 1 out.txt)" = 'all that was reported is saved; go on with: gofh run abort.yaml' ] || fail "last line: $(cat out.txt)"
expect 0 '2 evaluations done, 1 failed' run abort.yaml

problem never 'budget: 8' 'sh -c "exit 1"'
expect 3 'all of the 6 runs so far failed' run never.yaml
expect 1 'used up: 0 evaluations done, 8 failed' run never.yaml
expect 0 '8 failed' status never.yaml
json 0 'j["best"] is None' status never.yaml

# ---- what comes back is wrong ----
# returns TEXT COMMAND: the trial fails with TEXT
returns() {
    problem wrong 'budget: 1' "$2"
    rm -rf wrong.gofh
    expect 1 "$1" run wrong.yaml
}
returns 'results.json was not written' 'true'
returns 'results.json:' "'echo { > {results}'"
returns 'c has 2 values, 3 were expected' "'echo ''{\"c\": [1, 2], \"t\": 1}'' | cat > {results}'"
returns 'ended by signal 9' "'kill -9 \$\$'"

problem slow 'budget: 2' './sim.sh {x} {y} {results} 3600' '  timeout: 0.3s'
expect 1 'ended after its time limit of 0.3 s' run slow.yaml

# ---- side by side ----
cat > together.sh << 'SIMULATOR'
#!/bin/sh
# Ends when three are there at once, or have been.
here=$(dirname "$0")/together
mkdir -p "$here"
touch "$here/$4"
while [ "$(ls "$here" | wc -l)" -lt 3 ]; do sleep 0.1; done
exec "$(dirname "$0")/sim.sh" "$1" "$2" "$3"
SIMULATOR
chmod +x together.sh
problem parallel 'budget: 8, stop: never' './together.sh {x} {y} {results} {trial}' '  parallel: 3'
expect 0 '8 evaluations done, 0 failed' run parallel.yaml
[ "$("$gofh" export parallel.yaml | cut -d, -f4-5 | sort -u | wc -l)" = 9 ] || fail "a point is suggested twice"
# The best that a line tells is of the trials told so far, though many end at once.
sed 's/-lt 3/-lt 12/; s/together/crowd/; s/^exec/sleep 0.3; exec/' together.sh > crowd.sh
chmod +x crowd.sh
problem crowd 'budget: 12, initial: 12' './crowd.sh {x} {y} {results} {trial}' '  parallel: 12'
expect 0 '12 evaluations done, 0 failed' run crowd.yaml
sed -n 's/^trial .* f \([^ ]*\) .*best \(.*\)/\1 \2/p' out.txt |
    awk 'NR == 1 || $1 + 0 < best { best = $1 + 0 } $2 + 0 != best { exit 1 } END { exit NR != 12 }' ||
    fail "the best of trials that are not told yet: $(cat out.txt)"

# ---- stop rules ----
problem target 'budget: 50, target: 4' "$simulator"
expect 0 'the target value is reached' run target.yaml
[ "$(count target "done")" -lt 10 ] || fail "the target was reached before"
problem patience 'budget: 50, tolerance: 10, patience: 2' "$simulator"
expect 0 'no more improvement is expected: ' run patience.yaml
# The misfit is 0 at the start point: nothing can be better.
problem floor 'budget: 12' "$simulator"
echo 'start: {x: 1, y: 2}' >> floor.yaml
expect 0 'nothing more is expected: 1 of 12 used; --all goes on' run floor.yaml
expect 0 'nothing more is expected: 1 of 12 used; --all goes on' run floor.yaml
expect 1 'gofh ask: nothing more is expected: 1 of 12 used; --all goes on' ask floor.yaml
expect 0 'f is as good as it can be' best floor.yaml
expect 0 '"success":true,"message":"f is as good as it can be' best floor.yaml --json
expect 0 '"trial":2' ask floor.yaml --all
expect 0 'trial 2 failed' tell floor.yaml 2 --failed lost
expect 0 'used up: 11 evaluations done, 1 failed' run floor.yaml --all
problem onward 'budget: 12, stop: never' "$simulator"
echo 'start: {x: 1, y: 2}' >> onward.yaml
expect 0 'used up: 12 evaluations done, 0 failed' run onward.yaml
problem wrong 'budget: 12, stop: soon' "$simulator"
expect 2 'stop' run wrong.yaml
# Elsewhere it ends after a row of suggestions that expect nothing, several at once too.
problem several 'budget: 90' "$simulator" '  parallel: 3'
expect 0 'nothing more is expected: ' run several.yaml
expect 0 '"success":true' best several.yaml --json
[ "$(count several "open")" = 0 ] || fail "it did not wait for what was running"
# An evaluation takes longer than the clock allows: each run begins one and waits for it.
problem clock 'budget: 50, wall_clock: 2s' './sim.sh {x} {y} {results} 2.1'
expect 0 "the wall clock's limit is reached" run clock.yaml
[ "$(count clock "done")" = 1 ] || fail "$(count clock "done") evaluations of 2.1 s in 2 s"
expect 0 "the wall clock's limit is reached" run clock.yaml
[ "$(count clock "done")" = 2 ] || fail "the clock of a study that goes on does not start anew"

# ---- problems that can't be solved ----
problem unmet 'budget: 3' "$simulator"
echo 'constraints: ["t <= 9", "sum(c^2) <= -1"]' >> unmet.yaml
for command in check run 'check --no-run'; do
    # shellcheck disable=SC2086
    expect 2 'no point can meet the constraint sum(c^2) <= -1: within the bounds of the parameters it is violated by 1 at least' \
        $command unmet.yaml
done
sed -i 's/"sum.*"/"x + y <= 0.25"/' unmet.yaml
expect 2 'no point meets the known constraints: x + y <= 0.25' run unmet.yaml
grep -q '^gofh run: unmet.yaml:10:26: no point' err.txt || fail "no place: $(cat err.txt)"
[ ! -d unmet.gofh ] || [ -z "$(ls unmet.gofh)" ] || fail "something was made for a problem that can't be solved: $(ls unmet.gofh)"
# An objective that needs no run, alone or beside a constraint of outputs.
for objective in 3 'x^2 + y'; do
    problem unused 'budget: 3' "$simulator"
    sed -i "s/minimize: .*/minimize: $objective/" unused.yaml
    expect 0 'it uses no output: runs of the simulator do not change it' check --no-run unused.yaml
done
problem used 'budget: 3' "$simulator"
expect 0 'minimize sum(c^2) (least squares)' check --no-run used.yaml
! grep -q 'uses no output' out.txt || fail "an objective of outputs: $(cat out.txt)"
problem design 'budget: 3, initial: 10' "$simulator"
for command in check run; do expect 0 'initial: 10 is above budget: 3, so all runs are of the initial design' $command design.yaml; done

exit $failed
