"""A program that sets a locale with a decimal comma, as those with windows do."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import ctypes, locale, sys
import gofh
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
buffer = ctypes.create_string_buffer(16)
ctypes.CDLL(None).snprintf(buffer, 16, b"%.1f", ctypes.c_double(0.5))
assert buffer.value == b"0,5", buffer.value  # the locale is at work
study = gofh.Study.from_yaml(sys.argv[1])
assert tuple(study.bounds[0]) == (0.5, 3.75), study.bounds
assert list(study.data["seen"]) == [0.25, 1.5], study.data
trial = study.ask()
study.tell(trial, [0.375, 2.25])
study.save(sys.argv[2])
again = gofh.Study.load(sys.argv[2])
assert tuple(again.bounds[0]) == (0.5, 3.75)
assert again.trials[0].f == study.trials[0].f == 0.125**2 + 0.75**2
"""


def test_numbers_are_the_same_with_a_decimal_comma(tmp_path: Path) -> None:
    if not Path("/usr/share/i18n/locales/de_DE").exists():
        pytest.skip("no locale can be made without Debian's package locales")
    made = ["localedef", "--no-archive", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")]
    subprocess.run(made, check=True, capture_output=True)
    (tmp_path / "seen.csv").write_text("seen\n0.25\n1.5\n")
    (tmp_path / "p.yaml").write_text(
        "parameters: {x: {lower: 0.5, upper: 3.75}}\n"
        "outputs: {c: 2}\n"
        "data: {seen: seen.csv}\n"
        "objective: {minimize: sum((c - seen)^2)}\n"
    )
    program = [sys.executable, "-c", SCRIPT, str(tmp_path / "p.yaml"), str(tmp_path / "saved.db")]
    done = subprocess.run(program, env={**os.environ, "LOCPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert b"0,5" not in (tmp_path / "saved.db").read_bytes()
