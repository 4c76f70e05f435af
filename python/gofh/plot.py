"""Pictures of a run, with matplotlib: ``pip install matplotlib``, or ``pip install ".[plot]"`` of a checkout."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gofh.errors import ArgumentError, MissingError
from gofh.results import Array, Result, Trial
from gofh.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DONE, _MODEL, _BEST, _FAILED = "#1b6ca8", "#1b6ca8", "#d1495b", "#8d8d8d"

Run = Study | Result


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingError("gofh.plot needs matplotlib: pip install matplotlib") from None
    return pyplot


def _study(run: Run) -> Study:
    study = run.study if isinstance(run, Result) else run
    if not isinstance(study, Study):
        raise ArgumentError(f"{run!r} is no result and no study")
    return study


def _tidy(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)


def _whole_ticks(axes: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))


def _named(runs: tuple[Any, ...], labels: Sequence[str] | None) -> list[tuple[str, Run]]:
    """Runs with their labels: several arguments, one list, or one dict by label."""
    if len(runs) == 1 and isinstance(runs[0], Mapping):
        return [(str(label), run) for label, run in runs[0].items()]
    found: Sequence[Any] = runs[0] if len(runs) == 1 and isinstance(runs[0], Sequence) else runs
    if not found:
        raise ArgumentError("there is no run to plot")
    if labels is not None and len(labels) != len(found):
        raise ArgumentError(f"there are {len(labels)} labels for {len(found)} runs")
    return list(zip(labels or [f"run {number}" for number in range(1, len(found) + 1)], found))


def _values(trials: list[Trial]) -> Array:
    f = np.array([trial.f for trial in trials], dtype=np.float64)
    f[~np.isfinite(f)] = np.nan
    return f


def _marks(axes: Any, trials: list[Trial], f: Array) -> None:
    """The evaluations of a single run, those without a value at the bottom."""
    at = np.arange(1, len(trials) + 1)
    axes.plot(at, f, "o", color=_DONE, alpha=0.35, markersize=4, label="evaluations")
    bottom = axes.get_xaxis_transform()
    failed = np.array([trial.state == "failed" for trial in trials], dtype=bool)
    for chosen, marker, label in ((failed, "x", "failed"), (np.isnan(f) & ~failed, "+", "not allowed")):
        if chosen.any():
            axes.plot(at[chosen], np.full(chosen.sum(), 0.02), marker, color=_FAILED, transform=bottom, label=label)
    design = sum(trial.origin == "design" for trial in trials)
    if 0 < design < len(trials):
        axes.axvline(design + 0.5, color="#bbbbbb", linewidth=0.8, linestyle=":", label="end of the design")


def _spans(values: list[Array]) -> bool:
    """Whether values are best seen on a logarithmic scale."""
    all_values = np.concatenate(values)
    known = all_values[np.isfinite(all_values)]
    return bool(known.size and known.min() > 0 and known.max() > 30 * known.min())


def convergence(
    *runs: Run | Sequence[Run] | Mapping[str, Run],
    labels: Sequence[str] | None = None,
    optimum: float | None = None,
    ax: Axes | None = None,
) -> Figure:
    """The best f against the evaluations, a line a run; with ``optimum``, the distance to it.

    Runs are results or studies: several of them, a list, or a dict by label. Of a single run its evaluations are shown
    too; those that failed, or are not allowed, as marks at the bottom. Where f is above 0 and spans more than a factor
    of 30, its scale is logarithmic.
    """
    pyplot = _pyplot()
    named = _named(runs, labels)
    axes: Any = ax if ax is not None else pyplot.subplots(figsize=(6.4, 4), layout="constrained")[1]
    bests = []
    for label, run in named:
        study = _study(run)
        trials = [t for t in (run.history if isinstance(run, Result) else study.trials) if t.state != "open"]
        f = _values(trials)
        sign = 1.0 if study.sense == "minimize" else -1.0
        best = sign * np.fmin.accumulate(sign * f) if len(f) else f
        if optimum is not None:
            f, best = (np.maximum(np.abs(values - optimum), 1e-16) for values in (f, best))
        if len(named) == 1:
            _marks(axes, trials, f)
        axes.step(np.arange(1, len(f) + 1), best, where="post", color=_BEST if len(named) == 1 else None,
                  label=label if len(named) > 1 or labels else "best so far")
        bests.append(best)
    if _spans(bests):
        axes.set_yscale("log")
    axes.set_xlabel("evaluations")
    axes.set_ylabel("f" if optimum is None else "distance of f to the optimum")
    _whole_ticks(axes)
    axes.legend(frameon=False)
    _tidy(axes)
    figure: Figure = axes.figure
    return figure


def _grid(study: Study, k: int, points: int) -> Array:
    lower, upper = study.bounds[k]
    if study.logarithmic[k]:
        return np.clip(np.geomspace(lower, upper, points), lower, upper)
    return np.linspace(lower, upper, points)


def _slice(study: Study, axes: Any, centre: Array, k: int, points: int) -> None:
    at = _grid(study, k, points)
    batch = np.tile(centre, (points, 1))
    batch[:, k] = at
    found = study.predict(batch)
    f = np.where(np.isfinite(found.f), found.f, np.nan)
    axes.fill_between(at, f - 2 * found.deviation, f + 2 * found.deviation, color=_MODEL, alpha=0.18, linewidth=0,
                      label="two deviations")
    axes.plot(at, f, color=_MODEL, label="the model's f")
    if np.isnan(f).any():
        axes.fill_between(at, 0, 1, where=np.isnan(f), color=_FAILED, alpha=0.2, linewidth=0, label="not allowed",
                          transform=axes.get_xaxis_transform())
    if study.logarithmic[k]:
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", nbins=5)
    axes.set_xlim(at[0], at[-1])
    axes.set_xlabel(study.names[k])
    _tidy(axes)


def slices(run: Run, x: npt.ArrayLike | None = None, points: int = 101) -> Figure:
    """The model's f along each parameter through a point (the best one by default), with twice its deviation."""
    pyplot = _pyplot()
    study = _study(run)
    centre = study._point(study.best().x if x is None else x)
    d = len(study.names)
    columns = min(d, 4)
    rows = -(-d // columns)
    figure, grid = pyplot.subplots(rows, columns, figsize=(max(3.1 * columns, 5), 2.7 * rows + 0.4), sharey=True,
                                   squeeze=False, layout="constrained")
    for k, axes in enumerate(grid.flat):
        if k >= d:
            axes.set_visible(False)
            continue
        _slice(study, axes, centre, k, points)
        axes.axvline(centre[k], color=_BEST, linewidth=0.9, label="the best point" if x is None else "the point")
    for row in grid:
        row[0].set_ylabel("f")
    shown = {label: handle for axes in grid.flat[:d] for handle, label in zip(*axes.get_legend_handles_labels())}
    figure.legend(shown.values(), shown.keys(), loc="outside upper center", ncols=len(shown), frameon=False, fontsize=8)
    result: Figure = figure
    return result


def _parts(study: Study) -> Iterator[slice]:
    """Where each output is in y."""
    begin = 0
    for size in study.outputs.values():
        yield slice(begin, begin + size)
        begin += size


def _data(study: Study, observed: npt.ArrayLike | str | None, size: int) -> Array | None:
    if observed is None:
        fitting = [values for values in study.data.values() if values.size == size]
        return fitting[0] if len(fitting) == 1 else None
    if isinstance(observed, str):
        if observed not in study.data:
            raise ArgumentError(f"there are no data {observed!r}: there are {', '.join(study.data) or 'none'}")
        observed = study.data[observed]
    values = np.asarray(observed, dtype=np.float64).ravel()
    if values.size != size:
        raise ArgumentError(f"{values.size} observed values for {size} outputs")
    return values


def _name_outputs(study: Study, axes: Any, size: int) -> None:
    if len(study.outputs) == 1:
        axes.set_xlabel(f"index of {next(iter(study.outputs))}")
        _whole_ticks(axes)
    elif size <= 24:
        axes.set_xticks(range(size), [study.label(i) for i in range(size)], rotation=45 if size > 6 else 0)
    else:
        axes.set_xticks([part.start for part in _parts(study)], list(study.outputs), rotation=45)


def fit(run: Run, observed: npt.ArrayLike | str | None = None, ax: Axes | None = None) -> Figure:
    """The outputs of the best evaluation beside the data: an array, or the name of some; by default those of the right size."""
    pyplot = _pyplot()
    study = _study(run)
    y = study.best().y
    if y is None:
        raise ArgumentError("there is nothing evaluated to plot")
    values = _data(study, observed, y.size)
    axes: Any = ax if ax is not None else pyplot.subplots(figsize=(6.4, 4), layout="constrained")[1]
    at = np.arange(y.size)
    if values is not None:
        axes.vlines(at, values, y, color=_FAILED, linewidth=0.8)
        axes.plot(at, values, "o", color="black", markerfacecolor="none", label="observed")
    for number, part in enumerate(_parts(study)):
        axes.plot(at[part], y[part], ".-", color=_BEST, linewidth=1, label="_" if number else "best evaluation")
    _name_outputs(study, axes, y.size)
    axes.legend(frameon=False)
    _tidy(axes)
    figure: Figure = axes.figure
    return figure
