"""Pictures of the posterior of the parameters."""
from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING

import numpy as np

from gofh.errors import ArgumentError
from gofh.plot_look import (
    BEST, FAILED, MODEL, PANELS_MAX, RULE, NothingToDraw, grid_of, name_choices, name_elements, parts_of, pyplot_or_say,
    tidy
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


def corner(posterior: Posterior) -> Figure:
    """The posterior of each parameter and of each pair of them; the best evaluation is marked.

    On the diagonal are histograms with the 95 % interval, below it the samples of each pair.
    """
    pyplot = pyplot_or_say()
    study, samples, d = _study_of(posterior), posterior.samples, len(posterior.names)
    shown = samples[:: max(len(samples) // 2000, 1)]
    decades = [log and own.max() > 10 * own.min() for log, own in zip(study.logarithmic, samples.T)]
    figure, grid = pyplot.subplots(d, d, figsize=(1.2 + 1.9 * d, 1.0 + 1.9 * d), squeeze=False, layout="constrained")
    for row in range(d):
        for column in range(d):
            axes = grid[row, column]
            if column > row:
                axes.set_visible(False)
                continue
            tidy(axes)
            if decades[column]:
                axes.set_xscale("log")
            axes.axvline(posterior.best[column], color=BEST, linewidth=1)
            if row == column:
                axes.hist(samples[:, column], bins=_edges(samples[:, column], decades[column]), color=MODEL, alpha=0.5)
                for end in (posterior.lower[column], posterior.upper[column]):
                    axes.axvline(end, color=FAILED, linewidth=0.8, linestyle="--")
                axes.set_yticks([])
            else:
                if decades[row]:
                    axes.set_yscale("log")
                axes.plot(shown[:, column], shown[:, row], ".", color=MODEL, alpha=0.15, markersize=2, rasterized=True)
                axes.axhline(posterior.best[row], color=BEST, linewidth=1)
            name_choices(study, posterior.names[column], axes.set_xticks)
            if column < row:
                name_choices(study, posterior.names[row], axes.set_yticks)
            axes.tick_params(labelsize=8, labelbottom=row == d - 1, labelleft=column == 0 and row > 0)
            if row == d - 1:
                axes.set_xlabel(posterior.names[column])
            if column == 0 and row > 0:
                axes.set_ylabel(posterior.names[row])
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
    figure, axes = grid_of(len(found), 3, 2.9, 2.2)
    for one, rows in zip(axes, found.values()):
        area = np.array([row for row in rows.series("posterior") if not np.isnan(row[3])])
        one.fill_between(area[:, 0], area[:, 3], color=MODEL, alpha=0.3, linewidth=0, label="posterior")
        one.plot(area[:, 0], area[:, 3], color=MODEL, linewidth=1)
        one.plot(*np.array(rows.series("prior")).T[:2], color=RULE, linewidth=1.5, label="prior")
        if best := rows.series("best trial"):
            one.axvline(best[0][0], color=BEST, linewidth=1, label="best evaluation")
        if study.logarithmic[posterior.names.index(rows.x)] and area[-1, 0] > 10 * area[0, 0]:
            one.set_xscale("log")
        name_choices(study, rows.x, one.set_xticks)
        one.set_ylim(bottom=0)
        one.set_yticks([])
        one.set_xlabel(rows.x)
        tidy(one)
    axes[0].legend(frameon=False, fontsize=8)
    result: Figure = figure
    return result
