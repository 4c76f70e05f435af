#!/usr/bin/env bash
# The manual page has no mistakes that its formatters know of, and says something about every
# command and option.
#
#   test_man_page.sh GOFH PAGE
set -euo pipefail
gofh=$1
page=$2
failed=0

fail() {
    echo "FAILED: $1"
    failed=1
}

command -v groff > /dev/null || { echo "there is no groff"; exit 77; }
warnings=$(groff -mdoc -Tutf8 -ww -z "$page" 2>&1)
[ -z "$warnings" ] || fail "groff warns: $warnings"
if command -v mandoc > /dev/null; then
    warnings=$(mandoc -Tlint -W warning "$page" 2>&1) || fail "mandoc warns: $warnings"
fi

text=$(groff -mdoc -Tascii -P-cbou "$page")
# The text of one subsection, or of one section.
part() {
    awk -v name="$1" '/^ ? ? ?[A-Za-z]/ { inside = ($0 == name) } inside' <<< "$text"
}

names=$("$gofh" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
[ "$(wc -l <<< "$names")" -ge 12 ] || fail "gofh --help lists only: $names"
for name in $names; do
    about=$(part "   $name")
    [ -n "$about" ] || { fail "there is nothing about $name"; continue; }
    options=$("$gofh" "$name" --help | grep -oE -- '(^|[^[:alnum:]-])--?[a-z][a-z0-9-]*' | grep -oE -- '-.*' | sort -u || true)
    for option in $options; do
        grep -qE -- "^     $option( |\$)|^     gofh .*$option" <<< "$about" || fail "there is nothing about $option of $name"
    done
done
# And nothing that is not there.
described=$(awk '/^[A-Z]/ { inside = ($0 == "COMMANDS") } inside && /^   [a-z]+$/ { print $1 }' <<< "$text")
for name in $described; do
    grep -qx "$name" <<< "$names" || fail "there is no command $name"
    for option in $(part "   $name" | grep -oE -- '^     --?[a-z][a-z0-9-]*'); do
        "$gofh" "$name" --help | grep -qE -- "(^|[^[:alnum:]-])$option([^[:alnum:]-]|\$)" || fail "$name does not tell of $option"
    done
done

for section in FILES ENVIRONMENT 'EXIT STATUS' SIGNALS EXAMPLES; do
    [ -n "$(part "$section")" ] || fail "there is no section $section"
done
for status in 0 1 2 3 4 130; do
    part 'EXIT STATUS' | grep -qE "^     $status " || fail "exit status $status is not explained"
done

exit $failed
