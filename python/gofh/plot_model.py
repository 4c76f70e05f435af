"""Pictures of what the model says, and of what it does not explain."""
from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gofh.plot_look import (
    MODEL, RULE, NothingToDraw, Run, grid_of, is_fixed, key, over_decades, parameter_ticks, pyplot_or_say, study_of, tidy,
    whole_ticks
)
from gofh.report import numbers
from gofh.results import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def residuals(run: Run) -> Figure:
    """The residuals of the best evaluation, over sigma where that is known, one beside the other;
    and their normal plot: on the line, they are normal with the sigma given."""
    pyplot, study = pyplot_or_say(), study_of(run)
    y = study.best().y
    compared = [c for c in study.comparisons() if y is not None and np.isfinite(y[c.output])]
    if y is None or not compared:
        raise NothingToDraw("no output is compared with data")
    known = all(np.isfinite(c.deviation) for c in compared)
    values = np.array([(y[c.output] - c.value) / (c.deviation if known else 1.0) for c in compared])
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7.6, 3.2), layout="constrained")
    left.axhline(0, color=RULE, linewidth=1)
    left.vlines(np.arange(values.size), 0, values, color=MODEL, linewidth=1)
    left.plot(np.arange(values.size), values, "o", color=MODEL, markersize=4)
    left.set_xlabel("datum")
    left.set_ylabel("residual / sigma" if known else "residual")
    whole_ticks(left)
    quantiles = [NormalDist().inv_cdf((i + 0.5) / values.size) for i in range(values.size)]
    right.plot(quantiles, np.sort(values), "o", color=MODEL, markersize=4)
    scale = 1.0 if known else float(values.std()) or 1.0
    right.plot(quantiles, np.array(quantiles) * scale, color=RULE, linewidth=1)
    right.set_xlabel("normal quantile")
    right.set_ylabel("sorted residuals")
    for axes in (left, right):
        tidy(axes)
    result: Figure = figure
    return result


def model(run: Run) -> Figure:
    """What the model predicts of each trial from the others, against what it was: on the diagonal,
    it can be trusted. All outputs, each over its range."""
    pyplot, study = pyplot_or_say(), study_of(run)
    done = [t for t in study.trials if t.state == "done" and t.y is not None]
    if len(done) < 3 or not study._models_outputs:
        raise NothingToDraw("fewer than three trials are done, or only f is modelled")
    mean, variance = study.leave_one_out()
    true = np.array([t.y for t in done])
    low, high = np.nanmin(true, axis=0), np.nanmax(true, axis=0)
    span = np.where(high > low, high - low, 1.0)
    figure, axes = pyplot.subplots(figsize=(4.2, 3.8), layout="constrained")
    x, y, bar = (true - low) / span, (mean - low) / span, 2 * np.sqrt(variance) / span
    shown = np.isfinite(bar) & np.isfinite(x)
    axes.errorbar(x[shown], y[shown], bar[shown], fmt="o", markersize=3, linewidth=0.6, color=MODEL, alpha=0.6)
    axes.plot([0, 1], [0, 1], color=RULE, linewidth=1)
    axes.set_ylim(-0.3, 1.3)
    axes.set_xlabel("simulated, over the output's range")
    axes.set_ylabel("predicted from the other trials, ± 2 sd")
    tidy(axes)
    result: Figure = figure
    return result


class Sensitivity(NamedTuple):
    """Sobol' indices of the objective over the whole domain, with their standard errors; one value per parameter."""

    first: Array  #: the share of its variance that a parameter makes alone
    total: Array  #: and with all its interactions
    first_error: Array
    total_error: Array


def sobol(run: Run) -> Sensitivity:
    """The Sobol' indices of the report, by the model: docs/report.md says how they are estimated."""
    found = numbers(study_of(run), "sensitivity").get("sensitivity")
    if found is None:
        raise NothingToDraw("the model knows too little of f")
    first, total = (np.array(found.series(name)) for name in ("first order", "total"))
    # The ends of each bar are two standard errors away.
    return Sensitivity(first[:, 1], total[:, 1], (first[:, 3] - first[:, 1]) / 2, (total[:, 3] - total[:, 1]) / 2)


def sensitivity(run: Run) -> Figure:
    """Sobol' indices of the objective, from the model: the part of its variance over the domain
    that a parameter makes alone, and with all others; bars are two standard errors."""
    study, found = study_of(run), sobol(run)
    shown = [k for k, name in enumerate(study.names) if not is_fixed(study, name)]
    figure, axes = pyplot_or_say().subplots(figsize=(5.4, 1.1 + 0.42 * len(shown)), layout="constrained")
    place = np.arange(len(shown))
    for at, values, error, alpha, label in ((place - 0.2, found.first, found.first_error, 0.85, "alone (first order)"),
                                            (place + 0.2, found.total, found.total_error, 0.35, "with all others (total)")):
        axes.barh(at, np.clip(values[shown], 0, None), color=MODEL, alpha=alpha, height=0.36, label=label)
        axes.errorbar(values[shown], at, xerr=2 * error[shown], fmt="none", ecolor="black", elinewidth=1)
    axes.set_yticks(place, [study.names[k] for k in shown])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("share of the objective's variance over the domain")
    key(figure, axes)
    tidy(axes)
    result: Figure = figure
    return result


def main_effects(run: Run) -> Figure:
    """The mean of f over all other parameters, along each parameter, with the model's 95 %: as in the report."""
    study = study_of(run)
    found = {name: rows for name, rows in numbers(study, "sensitivity").items() if name.startswith("effect-")}
    if not found:
        raise NothingToDraw("the model knows too little of f")
    figure, axes = grid_of(len(found), 4, 2.9, 2.4)
    for one, rows in zip(axes, found.values()):
        band = np.array(rows.series("95 % band"))
        mean = np.array([row for series, *row in rows.rows if series.startswith("mean of f")])
        k = study.names.index(rows.x)
        kind = study.kinds.get(rows.x)
        if kind is None:
            one.fill_between(band[:, 0], band[:, 2], band[:, 3], color=MODEL, alpha=0.18, linewidth=0, label="95 %")
        else:  # between values there is nothing
            one.vlines(band[:, 0], band[:, 2], band[:, 3], color=MODEL, alpha=0.5, linewidth=1, label="95 %")
        one.plot(mean[:, 0], mean[:, 1], "-" if kind is None else "o", color=MODEL, markersize=4, label="mean of f")
        if study.logarithmic[k]:
            one.set_xscale("log")
        parameter_ticks(study, rows.x, one)
        if mean[:, 1].min() > 0 and over_decades(mean[:, 1]):
            one.set_yscale("log")
        one.set_xlabel(rows.x)
        tidy(one)
    axes[0].set_ylabel("mean of f")
    result: Figure = figure
    return result
