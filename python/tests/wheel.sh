#!/usr/bin/env bash
# The wheel in BUILD/dist works where none of the libraries that gofh uses is installed. They are
# hidden in a mount namespace: the wheel as it was before they were put inside must not work there.
#
#   python/tests/wheel.sh BUILD    after scripts/python.sh wheel BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: python/tests/wheel.sh BUILD}" && pwd)
python=$build/python-venv/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "FAILED: $*"; failed=1; }

for way in bare repaired; do
    wheels=("$build"/dist/gofh-*.whl)
    [ $way = repaired ] || wheels=("$build"/wheel/gofh-*.whl)
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$work/$way" "${wheels[@]}"
    cmp -s "$work/$way"/gofh-*.dist-info/licenses/LICENSE "$here/../../LICENSE" || complain "the $way wheel lacks the licence"
done
for library in "$work"/repaired/gofh.libs/*; do
    case $(basename "$library") in
        libopenblas*) openblas=found ;;
    esac
done
[ "${openblas:-}" = found ] || complain "there is no OpenBLAS in the wheel"
grep -qi openblas "$work"/repaired/gofh-*.dist-info/licenses/libopenblas* || complain "the wheel lacks OpenBLAS's licence"
others=$(tar tzf "$build"/dist/gofh-*.tar.gz | grep -E '/(tests|docs|examples|results|figures)/' || true)
[ -z "$others" ] || complain "the source distribution has what nobody compiles: $others"

# All but what every Linux with Python has.
mapfile -t libraries < <(ldd "$work"/bare/gofh/_gofh.abi3.so | awk '$3 ~ /^\// && $1 !~ /^lib(c|m|gcc_s|pthread|dl|rt)\.so/ {print $3}')
hide=(unshare --mount)
[ "$(id -u)" = 0 ] || hide=(unshare --map-root-user --mount)
if ! "${hide[@]}" true 2> "$work/why"; then
    echo "wheel: not tried without the system's libraries: $(cat "$work/why")"
    hide=(env)
    libraries=()
fi
# shellcheck disable=SC2016 # the inner shell expands them
run='while [ "$1" != -- ]; do mount --bind /dev/null "$1"; shift; done; shift; exec "$@"'
try() { (cd "$work" && PYTHONPATH=$work/$1 "${hide[@]}" bash -euc "$run" hide "${libraries[@]}" -- "$python" "$here/wheel_works.py" "$work/$1"); }
if [ ${#libraries[@]} -gt 0 ] && try bare > "$work/said" 2>&1; then
    complain "the libraries are not hidden: ${libraries[*]}"
elif [ ${#libraries[@]} -gt 0 ] && ! grep -q 'ImportError: .*\.so.*file too short' "$work/said"; then
    complain "not for want of its libraries: $(cat "$work/said")"
fi
try repaired || complain "the repaired wheel does not work without the system's libraries"
[ $failed -ne 0 ] || echo "wheel: works with ${#libraries[@]} libraries of the system hidden: $(basename "$build"/dist/gofh-*.whl)"
exit $failed
