#!/usr/bin/env python3
"""Checks that every #include respects the layers.

    scripts/check_layers.py [ROOT]         check the tree at ROOT (default: the repository)
    scripts/check_layers.py --self-test    check the checker

A folder of src/, cli/, bench/ and python/extension/ each are layers. A layer includes its own headers,
the public ones, and those of the layers it may use, always as "layer/file.h"; what these headers include
in turn must be of layers it may use as well. A few system headers belong to one layer alone.
"""
import re
import sys

import checking

PUBLIC = ("gofh.h", "gofh_expression.h")
# layer: the layers it may use, beside itself and the public headers
MAY_USE = {
    "base": (),
    "linalg": ("base",),
    "model": ("linalg", "base"),
    "outer": ("base",),
    "acquire": ("model", "outer", "linalg", "base"),
    "search": ("linalg", "base"),
    "study": ("acquire", "search", "model", "outer", "base"),
    "infer": ("study", "acquire", "model", "outer", "linalg", "base"),
    "store": ("base",),
    "api": ("infer", "study", "store", "outer", "base"),
    "problem": ("base",),
    "run": ("problem", "base"),
    "report": ("base",),
    "serve": ("report", "base"),
    "cli": ("problem", "run", "report", "serve", "bench", "base"),
    "bench": ("report", "base"),
    "extension": ("problem", "report", "bench"),
}
# system header: the only layer that may include it
RESERVED = {
    "cblas.h": "linalg",
    "lapacke.h": "linalg",
    "openblas_config.h": "linalg",
    "sqlite3.h": "store",
    "libfyaml.h": "problem",
    "microhttpd.h": "serve",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def layer_of(path):
    """The layer of a path below the root; None for a file that is in no layer."""
    if path.parts[0] == "src":
        return path.parts[1] if len(path.parts) > 2 else None
    return path.parts[1] if path.parts[0] == "python" else path.parts[0]


def folder_of(root, layer):
    return root if layer in ("cli", "bench") else root / "python" if layer == "extension" else root / "src"


def wrong_with(root, layer, quoted, header):
    """What is wrong with an include of `header` in a file of `layer`; None if nothing."""
    owner = RESERVED.get(header)
    if owner and owner != layer:
        return f"<{header}> is only for {owner}"
    if not quoted:
        return f"{header} is included with quotes" if header in PUBLIC else None
    if header in PUBLIC or owner:
        return None
    used, _, rest = header.partition("/")
    if not rest or used not in MAY_USE:
        return f'"{header}" is not written as "layer/file.h"'
    if used != layer and used not in MAY_USE[layer]:
        allowed = ", ".join(PUBLIC + MAY_USE[layer])
        return f'{layer} may not use {used} ("{header}"); it may use {allowed}'
    if not (folder_of(root, used) / header).is_file():
        return f'there is no "{header}"'
    return None


def includes(root, header):
    """The headers of layers that a header includes."""
    path = folder_of(root, header.partition("/")[0]) / header
    if not path.is_file():
        return []
    matches = map(INCLUDE.match, path.read_text(encoding="utf-8").splitlines())
    return [m[2] for m in matches if m and m[1] == '"' and m[2].partition("/")[0] in MAY_USE]


def wrong_within(root, layer, header):
    """What `layer` may not use but reaches through `header`; None if nothing."""
    seen, left = {header}, [header]
    while left:
        through = left.pop()
        for reached in includes(root, through):
            used = reached.partition("/")[0]
            if used != layer and used not in MAY_USE[layer]:
                return f'{layer} may not use {used}, which it reaches through "{through}" ("{reached}")'
            if reached not in seen:
                seen.add(reached)
                left.append(reached)
    return None


def check_readme(root):
    """Where the table of the README says other than MAY_USE."""
    readme = root / "README.md"
    if not readme.is_file():
        return []
    said = {}
    for line in readme.read_text(encoding="utf-8").splitlines():
        match = re.match(r"\| `(?:src/)?(\w+)` \|.*\| ([\w –]+) \|$", line)
        if match:
            said["extension" if match[1] == "python" else match[1]] = match[2].replace("–", "").split()
    return [f"README.md:1: the table says that {layer} may use {said.get(layer)}, not {list(used)}"
            for layer, used in MAY_USE.items() if sorted(said.get(layer, [])) != sorted(used)]


def check(root):
    """All violations below root, as 'file:line: what'."""
    found = check_readme(root)
    for folder in ("src", "cli", "bench", "python/extension"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            name = path.relative_to(root)
            layer = layer_of(name)
            if layer not in MAY_USE:
                found.append(f"{name}:1: is in no known layer")
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                wrong = match and (wrong_with(root, layer, match[1] == '"', match[2]) or
                                   wrong_within(root, layer, match[2]))
                if wrong:
                    found.append(f"{name}:{number}: {wrong}")
    return found


def self_test():
    good = {
        "src/base/a.h": "",
        "src/base/a.c": '#include "base/a.h"\n#include <stdlib.h>\n',
        "src/model/d.h": '#include "linalg/b.h"\n',
        "src/study/e.c": '#include "study/f.h"\n',
        "src/study/f.h": '#include "base/a.h"\n',
        "src/linalg/b.h": '#include "base/a.h"\n#include <cblas.h>\n#include <openblas_config.h>\n',
        "src/model/c.c": '#include "gofh.h"\n  #  include "linalg/b.h"\n#include "base/a.h"\n',
        "src/outer/g.c": '#include "gofh_expression.h"\n',
        "src/store/s.c": "#include <sqlite3.h>\n",
        "bench/problems.h": '#include "gofh.h"\n',
        "bench/figures.c": '#include "report/plot.h"\n',
        "src/report/plot.h": "",
        "cli/demo.c": '#include "cli/commands.h"\n#include "bench/problems.h"\n',
        "cli/commands.h": "",
        "python/extension/study.c": '#include "extension/study.h"\n#include "gofh.h"\n#include "bench/problems.h"\n',
        "python/extension/study.h": "#include <Python.h>\n",
    }
    bad = {
        "src/base/up.c": '\n#include "linalg/b.h"\n',
        "src/search/gp.c": '#include "model/c.h"\n',
        "src/model/blas.c": "#include <cblas.h>\n",
        "src/model/quoted_blas.c": '#include "lapacke.h"\n',
        "src/study/disk.c": "#include <sqlite3.h>\n",
        "src/base/bare.c": '#include "a.h"\n',
        "src/base/gone.c": '#include "base/gone.h"\n',
        "src/base/angle.c": "#include <gofh.h>\n",
        "src/outer/angle.c": "#include <gofh_expression.h>\n",
        "src/study/through.c": '#include "model/d.h"\n',
        "src/misc/stray.c": "\n",
        "src/stray.c": "\n",
        "cli/inside.c": '#include "study/study.h"\n',
        "bench/up.c": '#include "cli/commands.h"\n',
        "bench/inside.c": '#include "linalg/b.h"\n',
        "python/extension/inside.c": '#include "model/c.h"\n',
    }

    def table(may_use):
        return "".join(f"| `src/{layer}` | what | {' '.join(used) or '–'} |\n" for layer, used in may_use.items())

    good["README.md"] = table(MAY_USE)
    bad["README.md"] = table({**MAY_USE, "model": ("outer",)})

    return checking.failures(check, good, bad)


if __name__ == "__main__":
    sys.exit(checking.main(__doc__, check, self_test))
