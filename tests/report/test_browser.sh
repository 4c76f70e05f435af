#!/usr/bin/env bash
# Loads reports in headless Chromium: light, dark, on a phone and on paper. Nothing may be said on the console, nothing
# fetched, no text of the user may become part of the page.
#
#   test_browser.sh MAKE_REPORTS [FOLDER]    FOLDER keeps the reports and screenshots
set -euo pipefail
make_reports=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${2:-$work/reports}
mkdir -p "$folder"
failed=0

fail() {
    echo "FAILED: $1"
    failed=1
}

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "there is no Chromium"
    exit 77
}

# browse NAME OPTION...: what the browser says on its console, or an error page, is a failure. The pretended proxy turns every
# request that leaves the file into an error.
browse() {
    local name=$1 said
    shift
    said=$(timeout 3600 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --user-data-dir="$work/profile" --enable-logging=stderr --proxy-server=127.0.0.1:9 "$@" "file://$folder/$name.html" 2>&1) ||
        fail "$name: the browser failed with $*"
    if grep -q 'CONSOLE' <<< "$said"; then fail "$name: $(grep CONSOLE <<< "$said")"; fi
}

"$make_reports" "$folder"
# look NAME KIND OPTION...: a screenshot.
look() {
    local picture=$folder/$1-$2.png
    rm -f "$picture"
    browse "$1" --screenshot="$picture" "${@:3}"
    [ -s "$picture" ] || fail "$picture is missing"
}

for name in environment troubled empty; do
    look $name light --window-size=1100,6000
    # All that could run or be fetched, whoever wrote it.
    if grep -qiE '<(script|img|iframe|object|embed|link rel="stylesheet")' "$folder/$name.html"; then
        fail "$name has an element that runs or fetches"
    fi
    if grep -qiE '(src|href|url\()="?(https?:)?//' "$folder/$name.html"; then fail "$name refers to the network"; fi
done
look troubled dark --window-size=1100,6000 --blink-settings=preferredColorScheme=0
look troubled phone --window-size=500,9000
if cmp -s "$folder/troubled-light.png" "$folder/troubled-dark.png"; then fail "dark looks like light"; fi
rm -f "$folder/troubled.pdf"
browse troubled --print-to-pdf="$folder/troubled.pdf" --no-pdf-header-footer
[ -s "$folder/troubled.pdf" ] || fail "troubled.pdf is missing"
grep -q '&lt;script&gt;alert(&quot;no&quot;)&lt;/script&gt;' "$folder/troubled.html" || fail "the reason of a failure is not shown"

exit $failed
