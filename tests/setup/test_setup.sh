#!/usr/bin/env bash
# scripts/setup.sh with pretended package managers: what it would install, and what it says when it can't.
set -euo pipefail
setup=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    echo "FAILED: $1"
    failed=1
}

# A PATH with the tools of the shell, a dpkg-query that knows all packages but $ABSENT, and an unprivileged user.
mkdir "$work/bin"
for tool in bash sh env grep; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
cat > "$work/bin/dpkg-query" << 'STUB'
#!/usr/bin/env bash
status=0
for argument in "$@"; do
    case $argument in
        -*) ;;
        *) if [[ " $ABSENT " == *" $argument "* ]]; then status=1; else echo "installed $argument"; fi ;;
    esac
done
exit $status
STUB
printf '#!/bin/sh\necho "$USER_ID"\n' > "$work/bin/id"
printf '#!/bin/sh\necho "apt-get $*" >> "$CALLS"\n' > "$work/bin/apt-get"
chmod +x "$work/bin/"*
export ABSENT="" USER_ID=1000 CALLS="$work/calls"

run() {
    : > "$CALLS"
    status=0
    output=$(PATH="$work/bin" "$setup" "$@" 2>&1 < /dev/null) || status=$?
}

run check
[ "$status" = 0 ] && [ -z "$output" ] || fail "all is there: silence and success expected, got $status: $output"

ABSENT="cmake clang"
run --dry-run build
expected="apt-get update && apt-get install --yes --no-install-recommends cmake"
[ "$status" = 0 ] && [ "$output" = "$expected" ] || fail "a missing build package: got $status: $output"

run --dry-run check
[ "$output" = "$expected clang" ] || fail "missing packages of both groups: got $output"

run check
[ "$status" = 1 ] && [[ $output == *"$expected clang"* ]] || fail "without rights: the line to run expected, got $status: $output"
[ ! -s "$CALLS" ] || fail "without rights apt-get was called"

USER_ID=0
run check
[ "$status" = 0 ] || fail "as root: got $status: $output"
[ "$(cat "$CALLS")" = "$(printf 'apt-get update\napt-get install --yes --no-install-recommends cmake clang')" ] ||
    fail "as root apt-get was called as: $(cat "$CALLS")"

USER_ID=1000
printf '#!/bin/sh\n[ "$1" = --non-interactive ] && exit 0\necho "sudo" >> "$CALLS"\nexec "$@"\n' > "$work/bin/sudo"
chmod +x "$work/bin/sudo"
run check
[ "$status" = 0 ] && [ "$(head -n 1 "$CALLS")" = sudo ] && [ "$(wc -l < "$CALLS")" = 3 ] ||
    fail "through sudo: got $status: $output; calls: $(cat "$CALLS")"

# ---- only to say what is missing: nothing is installed, whoever asks ----
for USER_ID in 0 1000; do
    run --missing build
    [ "$status" = 1 ] && [[ $output == 'setup: not installed: cmake. "make setup" installs'*"  $expected" ]] ||
        fail "--missing build: got $status: $output"
    run --missing check
    [ "$status" = 1 ] && [[ $output == 'setup: not installed: cmake clang. "make setup CHECKS=1" installs'*"  $expected clang" ]] ||
        fail "--missing check: got $status: $output"
    [ ! -s "$CALLS" ] || fail "--missing has called $(cat "$CALLS")"
done
ABSENT=""
run --missing check
[ "$status" = 0 ] && [ -z "$output" ] || fail "--missing, and nothing is: got $status: $output"

# ---- which targets of make install packages ----
cd "$(dirname "$setup")/.."
mapfile -t targets < <(awk -F ':' '/^[a-z-]+:/ { print $1 }' Makefile)
for target in "${targets[@]}"; do
    calls=$(make --no-print-directory -n "$target" | grep 'setup\.sh' | grep -cv -e --missing || true)
    case $target in
        setup | setup-checks | demo | test) [ "$calls" = 1 ] || fail "make $target installs nothing" ;;
        *) [ "$calls" = 0 ] || fail "make $target installs packages" ;;
    esac
done

run nonsense
[ "$status" = 2 ] || fail "a wrong argument: got $status"

exit $failed
