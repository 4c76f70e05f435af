#!/usr/bin/env bash
# The program's own options, and what it answers to commands that are wrong.
set -euo pipefail
gofh=$1
version=$2
failed=0

fail() {
    echo "FAILED: $1"
    failed=1
}

run() {
    status=0
    output=$("$gofh" "$@" 2> /dev/null) || status=$?
    message=$("$gofh" "$@" 2>&1 > /dev/null) || true
}

run --version
[ "$status" = 0 ] && [ "$output" = "gofh $version" ] || fail "--version: $status: $output"
run --help
[ "$status" = 0 ] && [[ $output == *demo* ]] || fail "--help does not list the commands: $status: $output"
run
[ "$status" = 2 ] && [ -z "$output" ] && [[ $message == *usage* ]] || fail "no command: $status: $message"
run dmeo
[ "$status" = 2 ] && [ -z "$output" ] && [[ $message == *'"dmeo"'* ]] || fail "an unknown command is not named: $status: $message"
run demo --sede 1
[ "$status" = 2 ] && [[ $message == *'"--sede"'* ]] || fail "an unknown option is not named: $status: $message"
run demo --seed -1
[ "$status" = 2 ] && [[ $message == *'"-1"'* ]] || fail "a wrong seed is not named: $status: $message"
run demo --help
[ "$status" = 0 ] && [[ $output == *usage* ]] || fail "demo --help: $status: $output"

status=0
"$gofh" --help > /dev/full 2> /dev/null || status=$?
[ "$status" = 1 ] || fail "a full disk looks like success: $status"

exit $failed
