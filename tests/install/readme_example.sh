#!/usr/bin/env bash
# Compiles the first C example of README as printed there, against the installed copy, and runs it:
# linked in each way.
#
#   readme_example.sh README PLACE
set -euo pipefail
readme=$1
place=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '/^```/ { if (inside) exit; inside = ($0 == "```c"); next } inside' "$readme" > "$work/example.c"
[ -s "$work/example.c" ] || { echo "FAILED: $readme has no block that starts with \`\`\`c"; exit 1; }

for way in pkg_config_shared pkg_config_static cmake_shared cmake_static; do
    echo "$way"
    "$(dirname "$0")/use_installed.sh" $way "$place" "$work/example.c"
done
