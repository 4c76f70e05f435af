#!/usr/bin/env bash
# Loads reports in headless Chromium: light, dark, on a phone and on paper. Nothing may be said on the console, nothing
# fetched, no text of the user may become part of the page, and on a phone nothing is cut or too small to read.
#
#   test_browser.sh MAKE_REPORTS [FOLDER]    FOLDER keeps the reports and screenshots
set -euo pipefail
make_reports=$1
here=$(cd "$(dirname "$0")" && pwd)
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
        --user-data-dir="$work/profile" --enable-logging=stderr --proxy-server=127.0.0.1:9 "$@" \
        "file://$folder/$name.html${query:-}" 2>&1) ||
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

# phone NAME: the report in a frame of 390 pixels, for a window can't be that narrow: a screenshot, and what measure.html finds.
phone() {
    local query="?$1.html" found
    look measure "$1" --window-size=600,6000 --allow-file-access-from-files
    found=$(timeout 3600 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
        --proxy-server=127.0.0.1:9 --allow-file-access-from-files --dump-dom "file://$folder/measure.html$query" \
        2> "$work/said") || fail "$1: the browser failed on a phone: $(cat "$work/said")"
    if ! grep -q '^<pre id="found">NOTHING IS CUT</pre>' <<< "$found"; then
        fail "$1 on a phone: $(grep '^\(<pre id="found">\)*CUT' <<< "$found" || echo 'it was not measured')"
    fi
}

cp "$here/measure.html" "$folder"
for name in environment troubled weighted empty; do
    look $name light --window-size=1100,6000
    phone $name
    # All that could run or be fetched, whoever wrote it. The one script is ours: the page's policy has its hash.
    [ "$(grep -ci '<script' "$folder/$name.html")" = 1 ] || fail "$name has not one script"
    if grep -qiE '<(img|iframe|object|embed|link rel="stylesheet")' "$folder/$name.html"; then
        fail "$name has an element that runs or fetches"
    fi
    if grep -qiE '(src|href|url\()="?(https?:)?//' "$folder/$name.html"; then fail "$name refers to the network"; fi
done
look troubled dark --window-size=1100,6000 --blink-settings=preferredColorScheme=0
if cmp -s "$folder/troubled-light.png" "$folder/troubled-dark.png"; then fail "dark looks like light"; fi
rm -f "$folder/troubled.pdf"
browse troubled --print-to-pdf="$folder/troubled.pdf" --no-pdf-header-footer
[ -s "$folder/troubled.pdf" ] || fail "troubled.pdf is missing"
grep -q '&lt;script&gt;alert(&quot;no&quot;)&lt;/script&gt;' "$folder/troubled.html" || fail "the reason of a failure is not shown"

exit $failed
