#!/usr/bin/env bash
# Installs the Python package into an environment of its own, BUILD/python-venv, and runs its tests or its benchmark.
#
#   scripts/python.sh test|bench BUILD    BUILD: where the program and libgofh.so were built
#
# What the tests need comes from PyPI; it is fetched once. PYTHON chooses the interpreter, by default Debian's; EXTRA names more
# packages to install, such as torch, which is too large for every run: without it the tests that need it are skipped, and say so.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:?usage: scripts/python.sh test|bench BUILD}
build=$(cd "${2:?usage: scripts/python.sh test|bench BUILD}" && pwd)
venv=$build/python-venv
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3

if [ ! -x "$venv/bin/pip" ]; then "$python" -m venv "$venv"; fi
read -ra needed <<< "scikit-build-core numpy matplotlib mypy pytest pytest-xdist jax ${EXTRA:-}"
if [ "$(cat "$venv/needed" 2> /dev/null)" != "${needed[*]}" ]; then
    if ! "$venv/bin/pip" install --quiet --disable-pip-version-check --no-compile "${needed[@]}"; then
        echo "python: ${needed[*]} could not be installed: is PyPI within reach? \"make test-c\" leaves these tests out" >&2
        exit 1
    fi
    echo "${needed[*]}" > "$venv/needed"
fi
# Without isolation and in a folder that stays, only what has changed is compiled.
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    --config-settings=build-dir="$build/python" ./python

case $what in
    test)
        GOFH_BUILD=$build MPLCONFIGDIR=$build/python-venv/matplotlib "$venv/bin/python" -m pytest -n "${JOBS:-$(nproc)}" -rs python/tests
        ;;
    bench) "$venv/bin/python" python/bench/ask.py "$build/libgofh.so" ;;
    *)
        echo "usage: scripts/python.sh test|bench BUILD" >&2
        exit 2
        ;;
esac
