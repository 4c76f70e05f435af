#!/usr/bin/env bash
# The guide does what it says, in an empty folder, and README's problem file is one for its
# simulator.
#
#   test_guide.sh GOFH GUIDE README
set -euo pipefail
gofh=$(realpath "$1")
guide=$(realpath "$2")
readme=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/run_document.py" --self-test
mkdir "$work/bin" "$work/folder"
ln -s "$gofh" "$work/bin/gofh"
cd "$work/folder"
PATH=$work/bin:$PATH LC_ALL=C.UTF-8 "$here/run_document.py" "$guide"

awk '/^```/ { if (inside) exit; inside = ($0 == "```yaml"); next } inside' "$readme" > readme.yaml
"$gofh" check readme.yaml > /dev/null || { echo "FAILED: the problem file of README can't be used"; exit 1; }
