#!/usr/bin/env bash
# Compiles the first C example of README as printed there, against the installed copy, shared and static, and runs it: it
# must print what README says it prints, in "It prints `...`".
#
#   readme_example.sh README PLACE
set -euo pipefail
readme=$1
place=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '/^```/ { if (inside) exit; inside = ($0 == "```c"); next } inside' "$readme" > "$work/example.c"
[ -s "$work/example.c" ] || { echo "FAILED: $readme has no block that starts with \`\`\`c"; exit 1; }
promised=$(sed -n 's/^It prints `\([^`]*\)`.*/\1/p' "$readme")
[ -n "$promised" ] || { echo "FAILED: $readme does not say what the example prints"; exit 1; }

for way in pkg_config_shared cmake_static; do
    printed=$("$(dirname "$0")/use_installed.sh" $way "$place" "$work/example.c")
    echo "$way: $printed"
    [ "$printed" = "$promised" ] || { echo "FAILED: README says that it prints: $promised"; exit 1; }
done
