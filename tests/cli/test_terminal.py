#!/usr/bin/env python3
"""gofh run on a terminal: the live lines, narrow and resized, a dumb one, and a stop. gofh init asks again there.

    test_terminal.py GOFH
"""
import contextlib
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import sys
import tempfile
import termios

PROBLEM = """study: {budget: 8, stop: never}
parameters: {length: [0, 3], k: {lower: 0.5, upper: 5, scale: log}, mesh: {choices: [coarse, fine]}}
simulator: {command: "./sim.sh {length} {k} {results}", parallel: 2, results: plain}
outputs: {c: 2}
objective: {minimize: sum(c^2)}
"""
SIMULATOR = """#!/bin/sh
sleep 0.7
awk -v x="$1" -v y="$2" 'BEGIN { print x - 1, y - 2 }' > "$3"
"""
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def screen(text, columns):
    """The lines that are on a terminal at the end, each cut where it wraps; of all that `gofh run` writes to one."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|.", text, re.DOTALL):
        if part == "\r":
            column = 0
        elif part == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part.endswith("A") and len(part) > 1:
            row -= int(part[2:-1])
        elif part == "\x1b[K":
            lines[row] = lines[row][:column]
        elif part == "\x1b[J":
            lines[row:] = [lines[row][:column]]
        elif part[0] != "\x1b":
            if column == columns:
                row, column = row + 1, 0
                lines += [""] * (row + 1 - len(lines))
            lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + 1:]
            column += 1
    return lines


def run(gofh, columns, term="xterm", options=(), narrower=None):
    """What it writes; `narrower`: so many columns after the first live line."""
    shutil.rmtree("p.gofh", ignore_errors=True)
    pid, terminal = pty.fork()
    if pid == 0:
        # The size is set before the program looks for it.
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.environ.update(TERM=term, LC_ALL="C.UTF-8")
        os.environ.pop("NO_COLOR", None)
        os.execv(gofh, ["gofh", "run", "p.yaml", *options])
    text = b""
    while True:
        select.select([terminal], [], [])
        try:
            more = os.read(terminal, 65536)
        except OSError:
            more = b""
        if not more:
            break
        text += more
        if narrower and b" left" in text:
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, narrower, 0, 0))
            text, narrower = text + b"RESIZED", None
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return text.decode(), status


def answer(gofh, name, answers):
    """What gofh init writes to somebody who types these lines."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
        os.execv(gofh, ["gofh", "init", name, "--no-check"])
    os.write(terminal, "".join(line + "\n" for line in answers).encode())
    text = b""
    with contextlib.suppress(OSError):  # its end
        while more := os.read(terminal, 65536):
            text += more
    return text.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main():
    gofh = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("p.yaml", "w", encoding="utf-8") as file:
            file.write(PROBLEM)
        with open("sim.sh", "w", encoding="utf-8") as file:
            file.write(SIMULATOR)
        os.chmod("sim.sh", 0o755)

        text, status = run(gofh, 100)
        seen = ESCAPE.sub("", text)
        assert status == 0, seen
        for part in (r"\d of 8  best", r"2 running", r"trial \d  \d s  length=[0-9.]+ k=[0-9.]+ mesh=(coarse|fine)", r"[▁▂▃▄▅▆▇█]{2}", r" s left",
                     r"best of 8 evaluations"):
            assert re.search(part, seen), (part, seen)
        live = text[: text.rindex("best of 8")]
        assert "\x1b[32m" in live and "\x1b[J" in live, "no colours, or old lines stay"

        # Nothing is wider than the terminal: on 40 columns, and after it became so.
        for text, status in (run(gofh, 40), run(gofh, 100, narrower=40)):
            assert status == 0
            parts = text.split("RESIZED")[-1]
            drawn = [line for line in re.split(r"[\r\n]+", ESCAPE.sub("", parts)) if re.match(r"\d of 8|  trial", line)]
            assert drawn and all(len(line) < 40 for line in drawn[4:]), drawn

        # A message stays on the screen, and no word of it is cut; nor is one of the last lines.
        with open("sim.sh", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 3\n")
        for columns in (80, 40):
            text, status = run(gofh, columns)
            seen = screen(text, columns)
            assert status == 3 and all(len(line) < columns or " " not in line for line in seen), seen
            assert "move p.gofh away, so that the study does not learn from them" in " ".join(seen), seen
        with open("sim.sh", "w", encoding="utf-8") as file:
            file.write(SIMULATOR)
        text, _ = run(gofh, 40)
        assert screen(text, 40)[-3:] == ["for pictures: gofh report p.yaml; for", "more, raise the budget and run it again", ""], text

        # A dumb terminal gets a line a trial, and no escapes.
        text, status = run(gofh, 80, term="dumb")
        assert status == 0 and "\x1b" not in text and text.count("(8 of 8)") == 1, text
        text, status = run(gofh, 80, options=["--quiet"])
        assert status == 0 and not text, text

        # A wrong answer is asked for again, and what exists is refused before anything is asked.
        text, status = answer(gofh, "made.yaml", ["k 5 1", "k 1 5", "T none", "T", "reduce T", "minimize T^2", "sh", "many", "7"])
        assert status == 0 and "next: put your model into simulate.sh" in text, text
        for part in ("is not above its lower bound", 'not "T none"', 'not "reduce T"', 'not "many"'):
            assert part in text, (part, text)
        with open("made.yaml", encoding="utf-8") as file:
            made = file.read()
        assert "k: {lower: 1, upper: 5}" in made and "outputs: {T: 1}" in made and "budget: 7," in made, made
        text, status = answer(gofh, "made.yaml", [])
        assert status == 2 and "made.yaml exists" in text and "1 of 5" not in text, text
    return 0


if __name__ == "__main__":
    sys.exit(main())
