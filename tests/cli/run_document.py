#!/usr/bin/env python3
"""Runs a Markdown document as written, in the current folder.

    run_document.py DOCUMENT         write its files, run its commands, compare what they print
    run_document.py --self-test      check the comparison

A line `file: NAME` (with the name in backquotes) before a fenced block: the block is written to
that file. In a fenced block of the kind `console`, lines that begin with "$ " are commands for
bash, those that begin with "> " their continuation, and the others what they print, on both
outputs. A command must end with status 0.

A line "..." stands for any number of lines, "..." inside of a line for any text. Numbers may differ
by 1 in 100: another processor rounds differently; but whole numbers below 1000 must be the same.
Bars of a curve match any bars.
"""
import re
import subprocess
import sys
from pathlib import Path

TOLERANCE = 0.01
TOKEN = re.compile(r"(?P<any>\.\.\.)|(?P<number>(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w]|\.\.\.|\.\d))|(?P<bars> *[▁▂▃▄▅▆▇█]+)")
NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
FENCE = re.compile(r"^```(\w*)$")
FILE = re.compile(r"^file: `([^`/]+)`$")


def pattern(line):
    """A regular expression for the line, and the numbers that its groups must be close to."""
    parts, numbers, at = [], [], 0
    for match in TOKEN.finditer(line):
        parts.append(re.escape(line[at:match.start()]))
        at = match.end()
        if match["any"]:
            parts.append(".*")
        elif match["bars"]:
            parts.append("[ ▁▂▃▄▅▆▇█]*")
        else:
            parts.append(NUMBER)
            numbers.append(match["number"])
    return re.compile("".join(parts) + re.escape(line[at:])), numbers


def is_close(expected, found):
    if re.fullmatch(r"-?\d{1,3}", expected):
        return expected == found
    a, b = float(expected), float(found)
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def line_matches(expected, found):
    expression, numbers = pattern(expected.rstrip())
    match = expression.fullmatch(found.rstrip())
    return bool(match) and all(map(is_close, numbers, match.groups()))


def matches(expected, found):
    """Whether the lines found are those expected."""
    if not expected:
        return not found
    if expected[0].strip() == "...":
        return any(matches(expected[1:], found[i:]) for i in range(len(found) + 1))
    return bool(found) and line_matches(expected[0], found[0]) and matches(expected[1:], found[1:])


def blocks(text):
    """(line, file name or None, kind, lines) of each fenced block."""
    kind, name, lines, start, before = None, None, [], 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if kind is None and fence:
            marker = FILE.match(before)
            kind, name, lines, start = fence[1], marker and marker[1], [], number
        elif kind is not None and fence:
            yield start, name, kind, lines
            kind = None
        elif kind is not None:
            lines.append(line)
        if line.strip():
            before = line
    if kind is not None:
        raise SystemExit(f"line {start}: the block has no end")


def commands(start, lines):
    """(line, command, what it prints) of a console block."""
    found = []
    for number, line in enumerate(lines, start + 1):
        if line.startswith("$ "):
            found.append((number, line[2:], []))
        elif line.startswith("> ") and found and not found[-1][2]:
            found[-1] = (found[-1][0], found[-1][1] + "\n" + line[2:], [])
        elif found:
            found[-1][2].append(line)
        else:
            raise SystemExit(f"line {number}: a console block begins with a command")
    return found


def run(place, command, expected):
    """Runs one command; 1 if it does not do what the document says."""
    done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    found = done.stdout.decode(errors="replace").splitlines()
    if done.returncode == 0 and matches(expected, found):
        return 0
    print(f"FAILED: {place}: $ {command}\n  exit status {done.returncode}; it should print")
    print("\n".join("    " + line for line in expected))
    print("  and prints")
    print("\n".join("    " + line for line in found))
    return 1


def run_document(path):
    failed, count = 0, 0
    for start, name, kind, lines in blocks(path.read_text()):
        if name:
            Path(name).write_text("\n".join(lines) + "\n")
        elif kind == "console":
            for number, command, expected in commands(start, lines):
                count += 1
                failed += run(f"{path.name}:{number}", command, expected)
    print(f"{count} commands, {failed} failed")
    return 1 if failed or not count else 0


def self_test():
    cases = [
        (["a"], ["a"], True), (["a"], ["b"], False), (["a"], [], False), ([], ["a"], False), (["a"], ["a", "b"], False),
        (["..."], [], True), (["a", "...", "d"], ["a", "b", "c", "d"], True), (["a", "...", "d"], ["a", "b", "c"], False),
        (["a ... s"], ["a 3.2 s"], True), (["a ... s"], ["a 3.2 m"], False),
        (["f = 0.0567611"], ["f = 0.0567999"], True), (["f = 0.0567611"], ["f = 0.0587"], False),
        (["f = 0.05..."], ["f = 0.0587"], True), (["f = 0.05..."], ["f = 0.0687"], False),
        (["3 done"], ["3 done"], True), (["3 done"], ["4 done"], False), (["1e-05 to 2"], ["1.001e-05 to 2"], True),
        (["-5.1"], ["5.1"], False), (["x ██▇"], ["x █▃▁▁"], True), (["x ██▇"], ["y █▃▁▁"], False), (["T[0]  5.5"], ["T[1]  5.5"], False),
        (["(a+b)^2"], ["(a+b)^2"], True), (["f 5.5"], ["f nan"], False),
    ]
    wrong = [case for case in cases if matches(case[0], case[1]) != case[2]]
    for case in wrong:
        print("FAILED:", case)
    text = "file: `a.txt`\n\n```text\nx\n```\n\n```console\n$ cat a.txt &&\n> true\nx\n$ true\n```\n"
    found = list(blocks(text))
    if [(name, kind) for _, name, kind, _ in found] != [("a.txt", "text"), (None, "console")]:
        wrong.append(found)
        print("FAILED: the blocks are", found)
    parts = commands(found[1][0], found[1][3])
    if parts != [(8, "cat a.txt &&\ntrue", ["x"]), (11, "true", [])]:
        wrong.append(parts)
        print("FAILED: the commands are", parts)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    raise SystemExit(self_test() if sys.argv[1] == "--self-test" else run_document(Path(sys.argv[1])))
