#!/usr/bin/env bash
# docs/guide.md does what it says, in an empty folder.
#
#   test_guide.sh GOFH GUIDE
set -euo pipefail
gofh=$(realpath "$1")
guide=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/run_document.py" --self-test
mkdir "$work/bin" "$work/folder"
ln -s "$gofh" "$work/bin/gofh"
cd "$work/folder"
PATH=$work/bin:$PATH LC_ALL=C.UTF-8 "$here/run_document.py" "$guide"
