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
commands=$(sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' <<< "$output")
[ "$(wc -w <<< "$commands")" -ge 20 ] || fail "the commands are $commands"
for command in "" $commands; do
    # shellcheck disable=SC2086
    run $command --help
    [ "$status" = 0 ] && [[ $output == *"usage: gofh $command"* ]] || fail "$command --help: $status: $output"
    [ "$(wc -l <<< "$output")" -le 34 ] || fail "$command --help has $(wc -l <<< "$output") lines"
    [ "$(awk '{ if (length > most) most = length } END { print most }' <<< "$output")" -le 80 ] ||
        fail "$command --help is wider than 80 columns"
done
run
[ "$status" = 2 ] && [ -z "$output" ] && [[ $message == *usage* ]] || fail "no command: $status: $message"
run dmeo
[ "$status" = 2 ] && [ -z "$output" ] && [ "$message" = 'gofh: there is no command "dmeo": did you mean "gofh demo"?' ] ||
    fail "an unknown command is not named: $status: $message"
run optimise
[ "$status" = 2 ] && [[ $message == *'"optimise"; "gofh --help" lists them' ]] || fail "no command \"optimise\": $message"
for command in check run ask tell import export status best report compare rerun show log forget reread; do
    run $command
    [ "$status" = 2 ] && [[ $message == "gofh $command: the problem file is missing"* ]] || fail "$command: $status: $message"
    run $command --jsno p.yaml
    [ "$status" = 2 ] && [ "$message" = "gofh $command: there is no option --jsno: did you mean --json?" ] ||
        fail "$command: $status: $message"
done
run run none.yaml --all=1
[ "$status" = 2 ] && [[ $message == 'gofh run: --all takes no value'* ]] || fail "--all=1: $status: $message"
run run none.yaml --nothing=1
[ "$status" = 2 ] && [[ $message == 'gofh run: there is no option --nothing=1'* ]] || fail "--nothing=1: $status: $message"
run help show
[ "$status" = 0 ] && [[ $output == "usage: gofh show problem.yaml TRIAL"* ]] || fail "help show: $status: $output"
run help
[ "$status" = 0 ] && [[ $output == *"gofh help COMMAND"* ]] || fail "help: $status: $output"
run help shwo
[ "$status" = 2 ] && [[ $message == *'did you mean "gofh show"?' ]] || fail "help shwo: $status: $message"
run run p.yaml q.yaml
[ "$status" = 2 ] && [[ $message == 'gofh run: unexpected "q.yaml"'* ]] || fail "two problem files: $status: $message"
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
