"""The line that says how far a run is."""
from __future__ import annotations

import io
import math
import shutil
import sys
import time
from typing import TextIO

_BAR = 16


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Progress:
    """One line on standard error, written over and over; nothing where nobody looks, unless asked
    for."""

    def __init__(self, wanted: bool | None, budget: int, finished: int, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr or io.StringIO()  # there is none where it was closed, as daemons do
        self.wanted = (self._stream.isatty() or _in_notebook()) if wanted is None else wanted
        self._budget, self._before = budget, finished
        self._began = time.monotonic()
        self._width = 0

    def _bar(self, finished: int) -> str:
        full, empty = "█", "░"
        try:
            (full + empty).encode(self._stream.encoding or "utf-8")
        except UnicodeEncodeError:
            full, empty = "#", "."
        done = min(_BAR, _BAR * finished // self._budget)
        return full * done + empty * (_BAR - done)

    def _time(self, finished: int) -> str:
        spent = time.monotonic() - self._began
        if self._budget > finished > self._before:
            return f"{_duration(spent / (finished - self._before) * (self._budget - finished))} left"
        return f"in {_duration(spent)}" if finished > self._before else ""

    def show(self, finished: int, failed: int, best: float | None) -> None:
        """``best`` is None before the first result, and infinite where none was finite: infeasible, or overflown."""
        parts = [f"gofh {self._bar(finished)} {finished}/{self._budget}" if self._budget else f"gofh {finished}"]
        if best is not None:
            parts.append(f"best {best:.6g}" if math.isfinite(best) else "no finite f yet")
        if failed:
            parts.append(f"{failed} failed")
        parts.append(self._time(finished))
        line = "  ".join(filter(None, parts))[: shutil.get_terminal_size().columns - 1]
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def end(self) -> None:
        """Leaves the line as it is and begins another."""
        if self._width:
            self._stream.write("\n")
            self._stream.flush()
