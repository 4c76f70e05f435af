#!/usr/bin/env bash
# Builds the documents as a site, BUILD/site, and checks its links. MkDocs and latex2mathml come from
# PyPI, once, into an environment of its own; the site itself needs no network when it is read.
#
#   scripts/site.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: scripts/site.sh BUILD}
venv=$build/docs-venv
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3
if [ ! -x "$venv/bin/pip" ]; then "$python" -m venv "$venv"; fi
has_all() { [ -x "$venv/bin/mkdocs" ] && "$venv/bin/python" -c 'import latex2mathml' 2> /dev/null; }
if ! has_all && ! "$venv/bin/pip" install --quiet --disable-pip-version-check 'mkdocs>=1.6,<2' 'latex2mathml>=3.70,<4'; then
    echo "site: MkDocs and latex2mathml could not be installed: is PyPI within reach?" >&2
    exit 1
fi
"$venv/bin/python" scripts/make_site.py "$build" "$venv/bin/mkdocs"
