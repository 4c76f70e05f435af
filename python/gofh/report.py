"""The report of a study: the page that ``gofh report`` writes."""
from __future__ import annotations

import csv
import math
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gofh.parameters import Kind, to_number
from gofh.results import Array

if TYPE_CHECKING:
    from gofh.description import PathLike
    from gofh.study import Study

#: Values of a parameter that a report knows of at most (REPORT_VALUES_MAX).
_VALUES_MAX = 64


def _values(study: Study, name: str) -> list[float]:
    """Some of the values of a parameter that is no interval."""
    kind = study.kinds.get(name)
    every = kind.all() if kind is not None else []
    if len(every) <= _VALUES_MAX:
        return every
    return [every[i * (len(every) - 1) // (_VALUES_MAX - 1)] for i in range(_VALUES_MAX)]


def _folder(runs: Path, number: int) -> str | None:
    """The address of the last run of a trial."""
    found, attempt = None, 1
    while (folder := runs / (f"{number:04d}" if attempt == 1 else f"{number:04d}-{attempt}")).is_dir():
        found, attempt = folder, attempt + 1
    return None if found is None else found.absolute().as_uri() + "/"


def _runs(study: Study) -> list[tuple[float, str | None, bool]]:
    """Of each trial its seconds, folder, and whether ``gofh check`` made it; nothing where no program ran them."""
    runs = Path(study._path).parent / "runs" if study._path is not None else None
    found = []
    for number in range(1, len(study) + 1):
        seconds = study.note(number, "seconds")
        folder = _folder(runs, number) if runs is not None and runs.is_dir() else None
        found.append((math.nan if seconds is None else float(seconds), folder,
                      number == 1 and study.note(number, "checked") is not None))
    return found if any(folder or checked or not math.isnan(seconds) for seconds, folder, checked in found) else []


def about(study: Study) -> tuple[Any, ...]:
    """What a report tells beyond the trials, as the extension takes it."""
    study._need_outputs()
    described = study._description

    def data() -> Iterator[tuple[str, int, Array | None, str | None, str | None, str | None]]:
        for name, values in described.data.items():
            place = described.places.get(name)
            at = None if place is None or place.at is None or place.at.size != values.size else place.at
            yield (name, values.size, at, *((place.at_name, place.unit, place.label) if place else (None, None, None)))

    parameters = [
        (name, lower, upper, bool(logarithmic), _values(study, name),
         list(study.kinds[name].words) if name in study.kinds else [])
        for name, lower, upper, logarithmic in described.parameters
    ]
    title = study._title or (os.fspath(study._path) if study._path is not None else "Study")
    return (title, time.strftime("%Y-%m-%d %H:%M"), parameters, list(study.outputs.items()), list(data()),
            list(described.constraints), _runs(study), study.sense == "maximize", int(study.settings["budget"]))


@dataclass(frozen=True)
class Rows:
    """The numbers of one figure of the report, one row per point."""

    x: str  #: what is on the axes
    y: str
    rows: list[tuple[str, float, float, float, float]]  #: series, x, y, and the ends of a band or an error bar

    def series(self, name: str) -> list[tuple[float, float, float, float]]:
        """Those that belong to one line, band, or kind of mark."""
        return [numbers for series, *numbers in self.rows if series == name]  # type: ignore[misc]


def _number(cell: str, title: str, kinds: Mapping[str, Kind]) -> float:
    """A cell of a figure's numbers: a choice has its text there, and other texts are names."""
    if title in kinds and cell in kinds[title].words:
        return float(to_number(title, cell, kinds))
    try:
        return float(cell) if cell else math.nan
    except ValueError:
        return math.nan


def _read(path: Path, kinds: Mapping[str, Kind]) -> Rows:
    with open(path, newline="", encoding="utf-8") as file:
        (_, *titles), *lines = csv.reader(file)
    rows = [(line[0], *(_number(cell, title, kinds) for cell, title in zip(line[1:], titles))) for line in lines]
    return Rows(titles[0], titles[1], rows)  # type: ignore[arg-type]


def numbers(study: Study, part: str) -> dict[str, Rows]:
    """The numbers of the figures of one part of the report, by the name of the figure."""
    with tempfile.TemporaryDirectory() as folder:
        names = study._core.figures(about(study), folder, part)
        return {name: _read(Path(folder) / f"{name}.csv", study.kinds) for name in names}


class Report:
    """One page of HTML that needs nothing else. A notebook shows it in a frame, ``save`` writes it."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self.html: str = study._core.report(*about(study))  #: the page

    def _repr_html_(self) -> str:
        # In a frame, or the styles of the page and of the notebook would mix. It may run its own script and no other.
        return (f'<iframe title="gofh report" sandbox="allow-scripts" srcdoc="{escape(self.html)}" '
                'style="width:100%;height:80vh;min-height:30rem;border:1px solid #8884;border-radius:.4rem"></iframe>')

    def save(self, path: PathLike) -> None:
        """Writes the page to a file, whole or not at all; what has its name is replaced, and a link is not followed."""
        whole = Path(path)
        if whole.exists() and not whole.is_file() and not whole.is_dir():  # a device or a pipe is written to
            whole.write_text(self.html, encoding="utf-8")
            return
        part = whole.with_name(f"{whole.name}.part-{os.getpid()}")
        part.unlink(missing_ok=True)
        try:
            with open(part, "x", encoding="utf-8") as file:
                file.write(self.html)
            os.replace(part, whole)
        except OSError as reason:
            raise type(reason)(reason.errno, reason.strerror, os.fspath(path)) from None
        finally:
            part.unlink(missing_ok=True)

    def figures(self, folder: PathLike) -> list[str]:
        """Writes each figure to a folder, as SVG as wide as a column of a paper, and its numbers as CSV, of the study as
        it is now. Gives their names."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        return self._study._core.figures(about(self._study), os.fspath(folder), None)

    def __repr__(self) -> str:
        return f"<gofh report of {len(self._study)} trials: save(path) writes it>"
