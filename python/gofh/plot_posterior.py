"""Pictures of the posterior of the parameters."""
from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np

from gofh.errors import ArgumentError
from gofh.plot_look import (
    BEST, FAILED, MODEL, PANELS_MAX, RULE, NothingToDraw, grid_of, is_fixed, key, name_elements, parameter_ticks, parts_of,
    pyplot_or_say, tidy
)
from gofh.posterior import Posterior
from gofh.report import numbers
from gofh.results import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gofh.study import Study


def _edges(values: Array, logarithmic: bool) -> Array:
    """The bins of a histogram."""
    low, high = values.min(), values.max()
    return np.geomspace(low, high, 31) if logarithmic else np.linspace(low, high, 31)


def _study_of(posterior: Posterior) -> Study:
    if not isinstance(posterior, Posterior):
        raise ArgumentError(f"{reprlib.repr(posterior)} is no posterior: study.posterior() is one")
    return posterior._there()


def _set_corner_axis(study: Study, name: str, logarithmic: bool, axes: Any, axis: str) -> None:
    kind = study.kinds.get(name)
    if logarithmic:
        getattr(axes, f"set_{axis}scale")("log")
    if kind is not None and kind.words:
        getattr(axes, f"set_{axis}lim")(-0.5, len(kind.words) - 0.5)
    elif kind is not None:
        axes.margins(**{axis: 0.1})
    parameter_ticks(study, name, axes, axis)


def _draw_pair(axes: Any, x: Array, y: Array, both_discrete: bool) -> None:
    """The samples of two parameters; of values on their own, marks as large as their probabilities."""
    if both_discrete:
        pairs, counts = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
        axes.scatter(*pairs.T, s=90 * counts / counts.max(), color=MODEL, alpha=0.6, linewidths=0)
    else:
        axes.plot(x, y, ".", color=MODEL, alpha=0.15, markersize=2, rasterized=True)


def _draw_marginal(axes: Any, values: Array, logarithmic: bool, discrete: bool) -> None:
    if discrete:
        places, counts = np.unique(values, return_counts=True)
        axes.vlines(places, 0, counts, color=MODEL, alpha=0.5, linewidth=5)
        axes.set_ylim(bottom=0)
    else:
        axes.hist(values, bins=_edges(values, logarithmic), color=MODEL, alpha=0.5)
    axes.set_yticks([])


def corner(posterior: Posterior) -> Figure:
    """The posterior of each parameter that is not fixed and of each pair of them; the best evaluation is marked.

    On the diagonal are histograms with the 95 % interval, below it the samples of each pair; of parameters that have
    values on their own, marks as large as their probabilities.
    """
    pyplot = pyplot_or_say()
    study, samples = _study_of(posterior), posterior.samples
    shown = [k for k, name in enumerate(posterior.names) if not is_fixed(study, name)]
    names, d = [posterior.names[k] for k in shown], len(shown)
    discrete = [name in study.kinds for name in names]
    some = samples[:: max(len(samples) // 2000, 1)]
    decades = [study.logarithmic[k] and samples[:, k].max() > 10 * samples[:, k].min() for k in shown]
    figure, grid = pyplot.subplots(d, d, figsize=(1.2 + 1.9 * d, 1.0 + 1.9 * d), squeeze=False, layout="constrained")
    for row in range(d):
        for column in range(d):
            axes, k, other = grid[row, column], shown[column], shown[row]
            if column > row:
                axes.set_visible(False)
                continue
            tidy(axes)
            axes.axvline(posterior.best[k], color=BEST, linewidth=1, label="best evaluation")
            if row == column:
                _draw_marginal(axes, samples[:, k], decades[column], discrete[column])
                kind = study.kinds.get(names[column])
                ends = () if kind is not None and kind.words else (posterior.lower[k], posterior.upper[k])
                for end in ends:
                    axes.axvline(end, color=FAILED, linewidth=0.8, linestyle="--", label="95 % interval")
            else:
                _draw_pair(axes, some[:, k], some[:, other], discrete[column] and discrete[row])
                axes.axhline(posterior.best[other], color=BEST, linewidth=1)
                _set_corner_axis(study, names[row], decades[row], axes, "y")
            _set_corner_axis(study, names[column], decades[column], axes, "x")
            axes.tick_params(labelsize=8, labelbottom=row == d - 1, labelleft=column == 0 and row > 0)
            if row == d - 1:
                axes.set_xlabel(names[column])
            if column == 0 and row > 0:
                axes.set_ylabel(names[row])
    numeric = [i for i, name in enumerate(names) if name not in study.kinds or not study.kinds[name].words]
    key(figure, grid[numeric[0], numeric[0]] if numeric else grid[0, 0])
    result: Figure = figure
    return result


def predictive(posterior: Posterior, draws: int = 500) -> Figure:
    """The data against what the posterior predicts of them: bands of 95 % without and with their noise, one picture
    per output that is fitted."""
    pyplot = pyplot_or_say()
    study = _study_of(posterior)
    outputs, noisy = posterior.predictive(draws)
    compared = study.comparisons()
    fitted = {one.output for one in compared}
    panels = [(name, part) for name, part in parts_of(study) if fitted & set(part)][:PANELS_MAX]
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    size = (6.4, 4) if len(panels) == 1 else (4.2 * columns, 3.1 * rows)
    figure, grid = pyplot.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for axes, (name, part) in zip(grid.flat, panels):
        at = np.arange(len(part))
        for values, alpha, label in ((noisy, 0.15, "95 % with noise"), (outputs, 0.4, "95 % of h")):
            low, high = np.quantile(values[:, list(part)], (0.025, 0.975), axis=0)
            axes.fill_between(at, low, high, color=MODEL, alpha=alpha, linewidth=0, label=label)
        here = [(one.output - part[0], one.value) for one in compared if one.output in part]
        axes.plot(*np.transpose(here), "o", color="black", markerfacecolor="none", label="data")
        name_elements(study, axes, name, [part])
        tidy(axes)
        axes.legend(frameon=False, fontsize=8 if len(panels) > 1 else None)
    for axes in list(grid.flat)[len(panels):]:
        axes.set_visible(False)
    result: Figure = figure
    return result


def marginals(posterior: Posterior) -> Figure:
    """Each parameter before the data and after them: the prior as a grey line, the posterior as an area, the best
    evaluation as an upright line; the numbers are those of the report."""
    study = _study_of(posterior)
    found = {name: rows for name, rows in numbers(study, "posterior").items() if rows.y == "share of samples"}
    if not found:
        raise NothingToDraw("there is no posterior to draw")
    figure, axes = grid_of(len(found), 3, 2.9, 2.2, 0.3)
    for one, rows in zip(axes, found.values()):
        area = np.array([row for row in rows.series("posterior") if not np.isnan(row[3])])
        one.fill_between(area[:, 0], area[:, 3], color=MODEL, alpha=0.3, linewidth=0, label="posterior")
        one.plot(area[:, 0], area[:, 3], color=MODEL, linewidth=1)
        one.plot(*np.array(rows.series("prior")).T[:2], color=RULE, linewidth=1.5, label="prior")
        if best := rows.series("best trial"):
            one.axvline(best[0][0], color=BEST, linewidth=1, label="best evaluation")
        if study.logarithmic[posterior.names.index(rows.x)] and area[-1, 0] > 10 * area[0, 0]:
            one.set_xscale("log")
        parameter_ticks(study, rows.x, one)
        one.set_ylim(bottom=0)
        one.set_yticks([])
        one.set_xlabel(rows.x)
        tidy(one)
    key(figure, axes[0])
    result: Figure = figure
    return result
