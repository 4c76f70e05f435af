"""How the figures of gofh.plot look, which is how the report looks."""
from __future__ import annotations

import reprlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gofh.errors import ArgumentError, MissingError
from gofh.results import Array, Result, Trial
from gofh.study import Study

#: Values whose largest is so many times their smallest have a logarithmic scale.
DECADES = 100.0
PANELS_MAX = 12

#: The colours of the report (src/report/palette.css).
DONE, MODEL, BEST, FAILED, RULE = "#1f66b5", "#1f66b5", "#d9480f", "#c92a2a", "#5d6678"

Run = Study | Result


class NothingToDraw(ArgumentError):
    """The study has nothing for this figure."""


def pyplot_or_say() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingError("gofh.plot needs matplotlib: pip install matplotlib") from None
    return pyplot


def study_of(run: Run) -> Study:
    study = run.study if isinstance(run, Result) else run
    if isinstance(run, Result) and study is None:
        raise ArgumentError("the result is without its study, which stays behind when a result is pickled: draw it where the "
                            "study is, or open the study's file and draw that")
    if not isinstance(study, Study):
        raise ArgumentError(f"{reprlib.repr(run)} is no result and no study")
    return study


def short(word: str, most: int = 18) -> str:
    """A name that fits below a tick."""
    return word if len(word) <= most else word[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def is_fixed(study: Study, name: str) -> bool:
    kind = study.kinds.get(name)
    return kind is not None and kind.kind == "fixed"


def parameter_ticks(study: Study, name: str, axes: Any, axis: str = "x") -> None:
    """Ticks of a parameter's axis as its values are: the texts of choices, turned where they would touch; whole numbers."""
    kind = study.kinds.get(name)
    if kind is None:
        return
    if kind.words:
        words = [short(word) for word in kind.words]
        turned = axis == "x" and sum(map(len, words)) > 20
        getattr(axes, f"set_{axis}ticks")(range(len(words)), words, rotation=30 if turned else 0,
                                         **({"ha": "right", "rotation_mode": "anchor"} if turned else {}))
        return
    whole = all(float(value).is_integer() for value in (kind.lower, kind.step, *kind.values))
    if whole and getattr(axes, f"get_{axis}scale")() == "linear":
        whole_ticks(axes, axis)


def tidy(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e9ecf1", linewidth=0.6)
    axes.set_axisbelow(True)


def key(figure: Any, axes: Any) -> None:
    """A legend above all panels, where it covers nothing, of what has a label in these."""
    found = dict(zip(*reversed(axes.get_legend_handles_labels())))
    figure.legend(found.values(), found.keys(), loc="outside upper right", ncols=len(found), frameon=False, fontsize=8)


def whole_ticks(axes: Any, axis: str = "x") -> None:
    from matplotlib.ticker import MaxNLocator

    getattr(axes, f"{axis}axis").set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))


def grid_of(count: int, columns_most: int, width: float, height: float, room: float = 0.0) -> tuple[Any, list[Any]]:
    """A figure with so many panels, each of a width and a height, and its axes."""
    columns = min(max(count, 1), columns_most)
    rows = -(-max(count, 1) // columns)
    figure, grid = pyplot_or_say().subplots(rows, columns, figsize=(max(width * columns, 4.0), height * rows + room), squeeze=False,
                                            layout="constrained")
    axes = list(grid.flat)
    for one in axes[count:]:
        one.set_visible(False)
    return figure, axes[:count]


def values_of(trials: list[Trial]) -> Array:
    f = np.array([trial.f for trial in trials], dtype=np.float64)
    f[~np.isfinite(f)] = np.nan
    return f


class Scale(NamedTuple):
    """How values are drawn: sign (value - origin), on a logarithmic scale or a linear one."""

    name: str = "f"
    sign: float = 1.0
    origin: float = 0.0
    logarithmic: bool = False

    def drawn(self, values: Array) -> Array:
        return self.sign * (values - self.origin)


def over_decades(values: Array) -> bool:
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    return bool(sizes.size and sizes.max() > DECADES * sizes.min())


def scale_of(values: Array, sense: str) -> Scale:
    """As in the HTML report: logarithmic for values of one sign that span decades, and for the
    distance to the best where they change sign and the best is next to 0 beside the rest."""
    known = values[np.isfinite(values)]
    if not over_decades(known):
        return Scale()
    low, high = known.min(), known.max()
    if low >= 0:
        return Scale(logarithmic=True)
    if high <= 0:
        return Scale("\N{MINUS SIGN}f", -1.0, 0.0, True)
    best, larger = (high, True) if sense == "maximize" else (low, False)
    if high - low <= DECADES * abs(best):
        return Scale()
    return Scale("best \N{MINUS SIGN} f" if larger else "f \N{MINUS SIGN} best", -1.0 if larger else 1.0, best, True)


def lower_edge(values: Array) -> float | None:
    """Where a logarithmic axis ends so that values of 0 stand on its edge; None where there are
    none."""
    above = values[np.isfinite(values) & (values > 0)]
    if not above.size or not (values == 0).any():
        return None
    return float(above.min() / (above.max() / above.min()) ** 0.05)


def parts_of(study: Study) -> Iterator[tuple[str, range]]:
    """Each output's name, and where it is in y."""
    begin = 0
    for name, size in study.outputs.items():
        yield name, range(begin, begin + size)
        begin += size


def name_elements(study: Study, axes: Any, name: str, parts: list[range]) -> None:
    size = sum(map(len, parts))
    if len(parts) == 1 and name:
        axes.set_xlabel(f"index of {name}")
        whole_ticks(axes)
    elif size <= 12:
        labels = [study.label(index) for part in parts for index in part]
        axes.set_xticks(range(size), labels, rotation=45 if size > 6 else 0)
        axes.margins(x=max(0.05, 0.5 / size))
    else:
        begins = np.cumsum([0] + [len(part) for part in parts[:-1]])
        axes.set_xticks(begins, [study.label(part[0]) for part in parts],
                        rotation=45 if len(parts) > 6 else 0)
