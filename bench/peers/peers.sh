#!/usr/bin/env bash
# Compares gofh with its peers: installs what can be installed, runs all of them from the same
# initial designs, prints the table and draws the figures. `make peers` calls it.
#
#   bench/peers/peers.sh BUILD
#
# In the environment: REPS (10), EVALS (50), PROBLEMS (paper), METHODS of gofh to compare with
# (ei-cf), PEERS (all that bench/peers/run.py names), JOBS replications at once (2), OUT the folder
# of the results (BUILD/peers), OPTIONS of both gofh bench run and bench/peers/run.py (such as
# "--start --gradients 10").
#
# Python packages go into BUILD/peers-venv; pip's own settings (such as a source of smaller builds
# of torch) are respected. PETSc comes from Debian, for Debian's own Python. What can't be installed
# is skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?usage: bench/peers/peers.sh BUILD}
reps=${REPS:-10} evals=${EVALS:-50} problems=${PROBLEMS:-paper} methods=${METHODS:-ei-cf} jobs=${JOBS:-2}
peers=${PEERS:-dfo-ls,scipy,botorch,botorch-cf,botorch-default-noise,botorch-cf-default-noise,pounders}
out=${OUT:-$build/peers}
venv=$build/peers-venv
python=/usr/bin/python3
[ -x $python ] || python=python3
mkdir -p "$out"

# For Debian's Python: petsc4py brings its numpy along.
if ! $python -c 'import glob, os, sys; sys.exit(not (os.getenv("PETSC_DIR") or glob.glob("/usr/lib/petscdir/*/*-real/lib/python3")))'; then
    if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends python3-petsc4py > "$out/petsc.log" 2>&1 ||
            echo "peers: PETSc could not be installed: see $out/petsc.log" >&2
    else
        echo "peers: for POUNDERS, install Debian's python3-petsc4py" >&2
    fi
fi

[ -x "$venv/bin/pip" ] || $python -m venv "$venv" || echo "peers: no virtual environment: python3-venv is missing" >&2
for package in numpy scipy DFO-LS botorch; do
    "$venv/bin/python" -c "import importlib.metadata as m; m.version('$package')" 2> /dev/null && continue
    echo "peers: installing $package" >&2
    "$venv/bin/pip" install --quiet "$package" > "$out/$package.log" 2>&1 ||
        echo "peers: $package could not be installed: see $out/$package.log" >&2
done

# The problems come by way of gofh's own package: one wheel for both Pythons.
rm -f "$out"/gofh-*.whl
"$venv/bin/pip" wheel --quiet --no-deps --wheel-dir "$out" --config-settings=build-dir="$(realpath "$build")/python" .
"$venv/bin/pip" install --quiet --no-deps --force-reinstall "$out"/gofh-*.whl
"$venv/bin/pip" install --quiet --no-deps --upgrade --target "$out/site" "$out"/gofh-*.whl

read -ra options <<< "${OPTIONS:-}"
common=(--problem "$problems" --reps "$reps" --evals "$evals" --seed 1 "${options[@]}")
"$build/gofh" bench run "${common[@]}" --method "$methods" --threads "$jobs" --no-recommend --csv "$out/gofh.csv"
others=$(tr , '\n' <<< "$peers" | grep -vx pounders | paste -sd , || true)
if [ -n "$others" ]; then
    "$venv/bin/python" bench/peers/run.py "${common[@]}" --jobs "$jobs" --method "$others" --csv "$out/peers.csv" ||
        echo "peers: the Python peers ended early" >&2
fi
if [ "$others" != "$peers" ]; then
    PYTHONPATH=$out/site $python bench/peers/run.py "${common[@]}" --jobs "$jobs" --method pounders \
        --csv "$out/pounders.csv" || echo "peers: POUNDERS ended early" >&2
fi

files=()
for file in "$out"/{gofh,peers,pounders}.csv; do [ ! -s "$file" ] || files+=("$file"); done
"$build/gofh" bench table "${files[@]}" | tee "$out/table.md"
"$build/gofh" bench plot "${files[@]}" --out "$out"
