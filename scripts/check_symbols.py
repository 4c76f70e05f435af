#!/usr/bin/env python3
"""Checks that a shared library exports exactly the functions of the public headers, and that both
are the committed list.

    scripts/check_symbols.py LIBRARY             compare
    scripts/check_symbols.py --update LIBRARY    rewrite the list from the library, and say what is
                                                 new and gone
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = sorted((ROOT / "include").glob("*.h"))
LIST = ROOT / "src" / "api" / "exported_symbols.txt"


def declared():
    """The functions that the headers mark GOFH_API."""
    text = "\n".join(header.read_text(encoding="utf-8") for header in HEADERS)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    return set(re.findall(r"\bGOFH_API\b[^;(]*?(\w+)\s*\(", text))


def exported(library):
    output = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", library],
                            check=True, capture_output=True, text=True).stdout
    return {line.split()[0] for line in output.splitlines() if line}


def differences(left, left_name, right, right_name):
    return [f"{name}: in {left_name}, not in {right_name}" for name in sorted(left - right)] + \
           [f"{name}: in {right_name}, not in {left_name}" for name in sorted(right - left)]


def main(arguments):
    update = arguments[:1] == ["--update"]
    if len(arguments) != 1 + update:
        print(__doc__, file=sys.stderr)
        return 2
    symbols = exported(arguments[-1])
    listed = set(LIST.read_text(encoding="utf-8").split()) if LIST.is_file() else set()
    if update:
        for line in differences(listed, "the old list", symbols, "the new list"):
            print(line)
        LIST.write_text("".join(f"{name}\n" for name in sorted(symbols)), encoding="utf-8")
        return 0
    wrong = differences(listed, LIST.name, symbols, "the library") + \
        differences(listed, LIST.name, declared(), "the headers")
    for line in wrong:
        print(line)
    if wrong:
        print("If the change is meant, run `make symbols` and commit the list.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
