"""Pictures of a run, with matplotlib: ``pip install matplotlib``, or ``pip install ./python[plot]``."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gofh.errors import ArgumentError, Error
from gofh.results import Array, Result
from gofh.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DONE, _MODEL, _BEST, _FAILED = "#1b6ca8", "#1b6ca8", "#d1495b", "#8d8d8d"


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise Error("gofh.plot needs matplotlib: pip install matplotlib") from None
    return pyplot


def _study(run: Study | Result) -> Study:
    study = run.study if isinstance(run, Result) else run
    if study is None:
        raise ArgumentError("the result has no study to plot")
    return study


def _tidy(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)


def convergence(
    *runs: Study | Result, labels: list[str] | None = None, optimum: float | None = None, ax: Axes | None = None
) -> Figure:
    """The best f against the evaluations, a line a run; with ``optimum``, the distance to it on a logarithmic scale.

    Of a single run its evaluations are shown too, and failed ones as crosses at the bottom.
    """
    pyplot = _pyplot()
    axes: Any = ax if ax is not None else pyplot.subplots(figsize=(6.4, 4), layout="constrained")[1]
    positive = True
    for number, run in enumerate(runs):
        study = _study(run)
        trials = [trial for trial in study.trials if trial.state != "open"]
        f = np.array([trial.f if trial.state == "done" else np.nan for trial in trials])
        f[~np.isfinite(f)] = np.nan
        sign = 1.0 if study.sense == "minimize" else -1.0
        best = sign * np.fmin.accumulate(sign * f) if len(f) else f
        if optimum is not None:
            f, best = (np.maximum(np.abs(values - optimum), 1e-16) for values in (f, best))
        at = np.arange(1, len(f) + 1)
        if len(runs) == 1:
            axes.plot(at, f, "o", color=_DONE, alpha=0.35, markersize=4, label="evaluations")
            failed = [n for n, trial in zip(at, trials) if trial.state == "failed"]
            axes.plot(failed, np.full(len(failed), 0.02), "x", color=_FAILED, transform=axes.get_xaxis_transform(),
                      label="failed" if failed else "_failed")
            axes.axvline(sum(t.origin == "design" for t in trials) + 0.5, color="#bbbbbb", linewidth=0.8, linestyle=":",
                         label="end of the design")
        axes.step(at, best, where="post", color=None if len(runs) > 1 else _BEST,
                  label=labels[number] if labels else ("best so far" if len(runs) == 1 else f"run {number + 1}"))
        positive = positive and bool((best[np.isfinite(best)] > 0).all())
    if positive:
        axes.set_yscale("log")
    axes.set_xlabel("evaluations")
    axes.set_ylabel("f" if optimum is None else "distance of f to the optimum")
    axes.legend(frameon=False)
    _tidy(axes)
    figure: Figure = axes.figure
    return figure


def slices(run: Study | Result, x: npt.ArrayLike | None = None, points: int = 101) -> Figure:
    """The model's f along each parameter through a point (the best one by default), with twice its deviation."""
    pyplot = _pyplot()
    study = _study(run)
    centre = np.asarray(study.best().x if x is None else x, dtype=np.float64)
    d = len(study.names)
    columns = min(d, 4)
    rows = -(-d // columns)
    figure, grid = pyplot.subplots(rows, columns, figsize=(3.1 * columns, 2.7 * rows), sharey=True, squeeze=False,
                                   layout="constrained")
    for k, axes in enumerate(grid.flat):
        if k >= d:
            axes.set_visible(False)
            continue
        at = _grid(study, k, points)
        batch = np.tile(centre, (points, 1))
        batch[:, k] = at
        found = study.predict(batch)
        axes.fill_between(at, found.f - 2 * found.deviation, found.f + 2 * found.deviation, color=_MODEL, alpha=0.18,
                          linewidth=0, label="two deviations")
        axes.plot(at, found.f, color=_MODEL, label="the model's f")
        axes.axvline(centre[k], color=_BEST, linewidth=0.9, label="the best point" if x is None else "the point")
        if study.logarithmic[k]:
            axes.set_xscale("log")
        axes.set_xlabel(study.names[k])
        _tidy(axes)
    for row in grid:
        row[0].set_ylabel("f")
    grid[0][0].legend(frameon=False, fontsize=8)
    result: Figure = figure
    return result


def _grid(study: Study, k: int, points: int) -> Array:
    lower, upper = study.bounds[k]
    if study.logarithmic[k]:
        return np.clip(np.geomspace(lower, upper, points), lower, upper)
    return np.linspace(lower, upper, points)


def fit(run: Study | Result, observed: npt.ArrayLike | str | None = None, ax: Axes | None = None) -> Figure:
    """The outputs of the best evaluation beside the data: an array, or the name of some; by default those of the right size."""
    pyplot = _pyplot()
    study = _study(run)
    y = study.best().y
    if y is None:
        raise ArgumentError("there is nothing evaluated to plot")
    if observed is None:
        fitting = [values for values in study.data.values() if values.size == y.size]
        observed = fitting[0] if len(fitting) == 1 else None
    elif isinstance(observed, str):
        if observed not in study.data:
            raise ArgumentError(f"there are no data {observed!r}: there are {', '.join(study.data) or 'none'}")
        observed = study.data[observed]
    axes: Any = ax if ax is not None else pyplot.subplots(figsize=(6.4, 4), layout="constrained")[1]
    at = np.arange(y.size)
    if observed is not None:
        values = np.asarray(observed, dtype=np.float64).ravel()
        if values.size != y.size:
            raise ArgumentError(f"{values.size} observed values for {y.size} outputs")
        axes.vlines(at, values, y, color=_FAILED, linewidth=0.8)
        axes.plot(at, values, "o", color="black", markerfacecolor="none", label="observed")
    axes.plot(at, y, ".-", color=_BEST, linewidth=1, label="best evaluation")
    if y.size <= 24:
        axes.set_xticks(at, [study.label(i) for i in range(y.size)], rotation=45 if y.size > 8 else 0)
    axes.set_xlabel("outputs")
    axes.legend(frameon=False)
    _tidy(axes)
    figure: Figure = axes.figure
    return figure
