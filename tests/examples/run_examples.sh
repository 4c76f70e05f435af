#!/usr/bin/env bash
# Checks and runs each example with few evaluations, in a copy; the best value must be better than the first.
#
#   tests/examples/run_examples.sh GOFH [EXAMPLE...]
#
# An example whose simulator is not installed is skipped with a line that says so; REQUIRE_SIMULATORS=1 makes it a failure.
set -euo pipefail
gofh=$(realpath "$1")
shift
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
[ $# -gt 0 ] || set -- channel diode plasticity filter python epidemic dakota
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

needs() {
    case $1 in
        diode | filter) echo ngspice ;;
        plasticity) echo ccx ;;
        python | epidemic) echo python3 ;;
        *) echo sh ;;
    esac
}

# Until a filter keeps to the mask it takes some runs; without one gofh run ends with status 1.
budget_of() {
    case $1 in
        filter) echo 25 ;;
        *) echo 12 ;;
    esac
}

fail() {
    echo "FAILED  $1: $2"
    exit 1
}

# Of `gofh export`: how many trials there are beside the run of `gofh check`, which is the budget unless the study ended
# by itself, and whether f is better somewhere than in the first that has one.
judge() {
    awk -F , -v want="$2" -v budget="$3" -v ended="$(grep -c 'nothing more is expected' run.log)" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "f") f = i; next }
        { trials += $3 != "import" }
        $f !~ /^[-+]?[0-9]/ { next }
        first == "" { first = $f + 0; best = first }
        want == "minimize" && $f + 0 < best || want == "maximize" && $f + 0 > best { best = $f + 0 }
        END {
            printf "%d runs, f from %g to %g\n", trials, first, best
            exit !(f && (ended ? trials < budget : trials == budget) && best != first)
        }
    ' <<< "$1"
}

run() {
    local name=$1 folder=$scratch/$1 budget want exported summary
    cp -R "$examples/$name" "$folder"
    rm -rf "$folder/problem.gofh"
    cd "$folder"
    budget=$(budget_of "$name")
    if [ -e Makefile ]; then make --silent; fi
    # Their time limits are for a machine that does nothing else.
    sed -i -e "s/budget: [0-9]*/budget: $budget/" -e 's/timeout: [0-9]*s/timeout: 1h/' problem.yaml
    want=$(grep -oE 'minimize|maximize|fit' problem.yaml | head -1 | sed 's/fit/minimize/')
    "$gofh" check problem.yaml > check.log 2>&1 || { cat check.log; fail "$name" "gofh check"; }
    "$gofh" run problem.yaml > run.log 2>&1 || { cat run.log; fail "$name" "gofh run"; }
    exported=$("$gofh" export problem.yaml) || fail "$name" "gofh export"
    summary=$(judge "$exported" "$want" "$budget") || { echo "$exported"; fail "$name" "no better than the first: $summary"; }
    echo "passed  $name: $summary"
}

for name in "$@"; do
    if command -v "$(needs "$name")" > /dev/null; then
        run "$name"
    elif [ "${REQUIRE_SIMULATORS:-0}" = 1 ]; then
        fail "$name" "$(needs "$name") is not installed"
    else
        echo "skipped $name: $(needs "$name") is not installed"
    fi
done
