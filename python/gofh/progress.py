"""The line that says how far a run is."""
from __future__ import annotations

import sys
import time
from typing import TextIO


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Progress:
    """One line on standard error, written over and over; nothing where nobody looks, unless asked for."""

    def __init__(self, wanted: bool | None, budget: int, finished: int, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._wanted = (self._stream.isatty() or _in_notebook()) if wanted is None else wanted
        self._budget, self._before = budget, finished
        self._began = time.monotonic()
        self._width = 0

    def show(self, finished: int, failed: int, best: float | None) -> None:
        if not self._wanted:
            return
        parts = [f"gofh {finished}/{self._budget}" if self._budget else f"gofh {finished}"]
        if best is not None:
            parts.append(f"best {best:.6g}")
        if failed:
            parts.append(f"{failed} failed")
        if self._budget > finished > self._before:
            pace = (time.monotonic() - self._began) / (finished - self._before)
            parts.append(f"{_duration(pace * (self._budget - finished))} left")
        line = "  ".join(parts)
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def end(self) -> None:
        if self._width:
            self._stream.write("\n")
            self._stream.flush()
