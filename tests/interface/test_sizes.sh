#!/usr/bin/env bash
# Programs that were compiled against an older and a newer header work with this library.
#
#   test_sizes.sh HEADER LIBRARY
set -euo pipefail
header=$1
library=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

for version in older same newer; do
    mkdir "$work/$version"
    "$here/other_header.py" $version "$header" > "$work/$version/gofh.h"
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I"$work/$version" "$here/sizes.c" -o "$work/$version/sizes" "$library" -lm \
        -Wl,-rpath,"$(dirname "$library")"
done
cmp -s "$header" "$work/same/gofh.h" || { echo "FAILED: the same version is another header"; exit 1; }
read -r -a sizes < <("$work/same/sizes"; echo)
for version in older newer; do
    [ "$("$work/$version/sizes")" != "$("$work/same/sizes")" ] || { echo "FAILED: the $version structs are the same"; failed=1; }
done
for version in older same newer; do
    "$work/$version/sizes" "${sizes[@]}" || { echo "FAILED: a program compiled against the $version header"; failed=1; }
done
exit $failed
