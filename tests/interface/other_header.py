#!/usr/bin/env python3
"""Prints gofh.h as an older or a newer version would have it: each struct that begins with its size lacks its last field, or
has some more.

    other_header.py older|same|newer HEADER
"""
import re
import sys

STRUCT = re.compile(r"typedef struct \{\n(    size_t size;.*?)\n\} (\w+);", re.DOTALL)


def older(fields):
    """Without the last declaration, and any comment on it."""
    bare = re.sub(r"/\*.*?\*/", lambda comment: " " * len(comment[0]), fields, flags=re.DOTALL)
    return fields[: bare[: bare.rindex(";")].rindex(";") + 1]


def newer(fields):
    return fields + "\n    double later[8];"


def main(mode, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names = [match[2] for match in STRUCT.finditer(text)]
    assert len(names) >= 5 and "gofh_settings" in names, names
    change = {"older": older, "same": str, "newer": newer}[mode]
    print(STRUCT.sub(lambda match: f"typedef struct {{\n{change(match[1])}\n}} {match[2]};", text), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
