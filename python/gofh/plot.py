"""Pictures of a run, with matplotlib: ``pip install matplotlib``, or ``pip install ".[plot]"`` of a
checkout."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gofh.errors import ArgumentError
from gofh.plot_look import (
    BEST, DONE, FAILED, PANELS_MAX, NothingToDraw, Run, Scale, lower_edge, name_elements, over_decades, parts_of, pyplot_or_say,
    scale_of, study_of, tidy, values_of, whole_ticks
)
from gofh.plot_model import Sensitivity, main_effects, model, residuals, sensitivity, sobol
from gofh.plot_posterior import corner, marginals, predictive
from gofh.plot_slices import slices
from gofh.plot_trials import constraints, parameters, run_times
from gofh.results import Array, Comparison, Result, Trial
from gofh.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "FIGURES", "NothingToDraw", "Sensitivity", "constraints", "convergence", "corner", "fit", "main_effects", "marginals", "model",
    "parameters", "predictive", "residuals", "run_times", "sensitivity", "slices", "sobol",
]


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


def _marks(axes: Any, trials: list[Trial], f: Array) -> None:
    """The evaluations of a single run, those without a value at the bottom."""
    at = np.arange(1, len(trials) + 1)
    axes.plot(at, f, "o", color=DONE, alpha=0.35, markersize=4, label="evaluations")
    bottom = axes.get_xaxis_transform()
    failed = np.array([trial.state == "failed" for trial in trials], dtype=bool)
    for chosen, marker, label in ((failed, "x", "failed"), (np.isnan(f) & ~failed, "+", "no finite f")):
        if chosen.any():
            axes.plot(at[chosen], np.full(chosen.sum(), 0.02), marker, color=FAILED, transform=bottom, label=label)
    design = sum(trial.origin in ("design", "start") for trial in trials)
    if 0 < design < len(trials):
        axes.axvline(design + 0.5, color="#7a8290", linewidth=1.0, linestyle=":", label="end of the design")


def convergence(
    *runs: Run | Sequence[Run] | Mapping[str, Run],
    labels: Sequence[str] | None = None,
    optimum: float | None = None,
    ax: Axes | None = None,
) -> Figure:
    """The best f against the evaluations, one line per run; with ``optimum``, the distance to it.

    Runs are results or studies: several of them, a list, or a dict by label. Of a single run its
    evaluations are shown too; those that failed, or have no finite f, as marks at the bottom. Where
    f spans decades its scale is logarithmic: that of f, of -f where f is below 0, or, where f
    changes sign, of its distance to the best.
    """
    pyplot = pyplot_or_say()
    named = _named(runs, labels)
    axes: Any = ax if ax is not None else pyplot.subplots(figsize=(6.4, 4), layout="constrained")[1]
    histories, values = [], []
    for _, run in named:
        study = study_of(run)
        trials = [t for t in (run.history if isinstance(run, Result) else study.trials) if t.state in ("done", "failed")]
        f = values_of(trials)
        sign = 1.0 if study.sense == "minimize" else -1.0
        histories.append(trials)
        if len(named) == 1:
            values.append(f)
        values.append(sign * np.fmin.accumulate(sign * f) if len(f) else f)
    if optimum is not None:
        values = [np.maximum(np.abs(one - optimum), 1e-16) for one in values]
        scale = Scale("distance of f to the optimum", logarithmic=over_decades(np.concatenate(values)))
    else:
        scale = scale_of(np.concatenate(values), study_of(named[0][1]).sense)
    values = [scale.drawn(one) for one in values]
    edge = lower_edge(np.concatenate(values)) if scale.logarithmic else None
    if edge is not None:
        values = [np.where(one == 0, edge, one) for one in values]
    if len(named) == 1:
        _marks(axes, histories[0], values.pop(0))
    for (label, _), best in zip(named, values):
        axes.step(np.arange(1, len(best) + 1), best, where="post", color=BEST if len(named) == 1 else None,
                  label=label if len(named) > 1 or labels else "best so far")
    if scale.logarithmic:
        axes.set_yscale("log")
    if edge is not None:
        axes.plot([], [], " ", label=f"on the lower edge: {scale.name} = 0")
        axes.set_ylim(bottom=edge)
    axes.set_xlabel("evaluations")
    axes.set_ylabel(scale.name)
    whole_ticks(axes)
    axes.legend(facecolor="white", edgecolor="none", framealpha=0.9)  # lines end where it begins
    tidy(axes)
    figure: Figure = axes.figure
    return figure


def _compared(study: Study, observed: npt.ArrayLike | str | None, size: int) -> list[Comparison]:
    """What the outputs are to be shown with: what the expressions compare them with, or what the
    caller says."""
    if observed is None:
        return study.comparisons()
    name = observed if isinstance(observed, str) else "observed"
    if isinstance(observed, str):
        if observed not in study.data:
            raise ArgumentError(f"there are no data {observed!r}: there are {', '.join(study.data) or 'none'}")
        observed = study.data[observed]
    values = np.asarray(observed, dtype=np.float64).ravel()
    if values.size != size:
        raise ArgumentError(f"{values.size} observed values for {size} outputs")
    return [Comparison(index, name, value, float("nan")) for index, value in enumerate(values.tolist())]


def _panels(study: Study, compared: list[Comparison]) -> list[tuple[str, list[range]]]:
    """What is drawn in one picture: each output with several elements, and all that are single
    numbers together."""
    indices = {one.output for one in compared}
    parts = [(name, part) for name, part in parts_of(study) if not indices or indices.intersection(part)]
    panels = [(name, [part]) for name, part in parts if len(part) > 1]
    single = [part for _, part in parts if len(part) == 1]
    return panels + ([("", single)] if single else [])


def _draw_fit(study: Study, axes: Any, name: str, parts: list[range], y: Array, compared: list[Comparison]) -> None:
    place = {index: at for at, index in enumerate(index for part in parts for index in part)}
    rows = [(place[one.output], one) for one in compared if one.output in place]
    for at, one in rows:
        axes.plot([at, at], [one.value, y[one.output]], color=FAILED, linewidth=0.8)
    sure = [(at, one.value, one.deviation) for at, one in rows if np.isfinite(one.deviation)]
    if sure:
        axes.errorbar(*np.transpose(sure)[:2], yerr=np.transpose(sure)[2], fmt="none", ecolor="black", elinewidth=1,
                      capsize=2, label="standard deviation of the data")
    for data, marker in zip(dict.fromkeys(one.data for _, one in rows), itertools.cycle("os^Dv")):
        chosen = [(at, one.value) for at, one in rows if one.data == data]
        axes.plot(*np.transpose(chosen), marker, color="black", markerfacecolor="none", label=data or "data")
    for number, part in enumerate(parts):
        axes.plot([place[index] for index in part], y[list(part)], ".-", color=BEST, linewidth=1,
                  label="_" if number else "best evaluation")
    shown = np.array([y[index] for index in place] + [one.value for _, one in rows])
    if shown.min() > 0 and over_decades(shown):
        axes.set_yscale("log")
    name_elements(study, axes, name, parts)
    axes.set_ylabel(name or "outputs")
    tidy(axes)


def fit(run: Run, observed: npt.ArrayLike | str | None = None, ax: Axes | None = None) -> Figure:
    """The outputs of the best evaluation beside the data that the expressions compare them with,
    one picture per output.

    Standard deviations in the expressions are error bars. Where g is a function, or something else
    is to be shown, tell what was observed: an array with a value for each output, or the name of
    data. With ``ax`` all outputs are on that.
    """
    pyplot = pyplot_or_say()
    study = study_of(run)
    y = study.best().y
    if y is None:
        raise ArgumentError("there is nothing evaluated to plot")
    compared = _compared(study, observed, y.size)
    panels = _panels(study, compared)
    if ax is not None:
        parts = list(parts_of(study))
        panels = [(parts[0][0] if len(parts) == 1 else "", [part for _, part in parts])]
    left_out = max(len(panels) - PANELS_MAX, 0)
    panels = panels[:PANELS_MAX]
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    all_axes: list[Any] = [ax]
    if ax is None:
        size = (6.4, 4) if len(panels) == 1 else (4.2 * columns, 3.1 * rows)
        grid = pyplot.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")[1]
        all_axes = list(grid.flat)
    for axes, (name, parts_of_panel) in zip(all_axes, panels):
        _draw_fit(study, axes, name, parts_of_panel, y, compared)
        axes.legend(frameon=False, fontsize=8 if len(panels) > 1 else None)
    for axes in all_axes[len(panels):]:
        axes.set_visible(False)
    figure: Figure = all_axes[0].figure
    if left_out:
        figure.suptitle(f"without {left_out} more outputs", fontsize=9)
    return figure


def _fit_or_nothing(run: Run) -> Figure:
    if not study_of(run).comparisons():
        raise NothingToDraw("no output is compared with data")
    return fit(run)


def _marginals_or_nothing(run: Run) -> Figure:
    from gofh.errors import ProblemError

    try:
        return marginals(study_of(run).posterior())
    except ProblemError as reason:
        raise NothingToDraw(str(reason)) from None


#: The figures of a report, in its order, by the name of their part.
FIGURES: dict[str, Callable[[Study], Figure]] = {
    "constraints": constraints,
    "convergence": convergence,
    "fit": _fit_or_nothing,
    "residuals": residuals,
    "posterior": _marginals_or_nothing,
    "slices": slices,
    "sensitivity": sensitivity,
    "main effects": main_effects,
    "trials": parameters,
    "quality": model,
    "times": run_times,
}
