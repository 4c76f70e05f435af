"""Further figures of the report: residuals, the model against what it had not seen, parameters
against each other, sensitivities, and run times. gofh.plot has them all."""
from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from gofh.errors import ArgumentError
from gofh.results import Array, Result
from gofh.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Run = Study | Result


class NothingToDraw(ArgumentError):
    """The study has nothing for this figure."""


def _tools() -> Any:
    from gofh import plot

    return plot


def residuals(run: Run) -> Figure:
    """The residuals of the best evaluation, over sigma where that is known, one beside the other;
    and their normal plot: on the line, they are normal with the sigma given."""
    plot = _tools()
    pyplot, study = plot._pyplot(), plot._study(run)
    y = study.best().y
    compared = [c for c in study.comparisons() if y is not None and np.isfinite(y[c.output])]
    if y is None or not compared:
        raise NothingToDraw("no output is compared with data")
    known = all(np.isfinite(c.deviation) for c in compared)
    values = np.array([(y[c.output] - c.value) / (c.deviation if known else 1.0) for c in compared])
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7.6, 3.2), layout="constrained")
    left.axhline(0, color=plot._RULE, linewidth=1)
    left.vlines(np.arange(values.size), 0, values, color=plot._MODEL, linewidth=1)
    left.plot(np.arange(values.size), values, "o", color=plot._MODEL, markersize=4)
    left.set_xlabel("datum")
    left.set_ylabel("residual / sigma" if known else "residual")
    plot._whole_ticks(left)
    quantiles = [NormalDist().inv_cdf((i + 0.5) / values.size) for i in range(values.size)]
    right.plot(quantiles, np.sort(values), "o", color=plot._MODEL, markersize=4)
    scale = 1.0 if known else float(values.std()) or 1.0
    right.plot(quantiles, np.array(quantiles) * scale, color=plot._RULE, linewidth=1)
    right.set_xlabel("normal quantile")
    right.set_ylabel("sorted residuals")
    for axes in (left, right):
        plot._tidy(axes)
    result: Figure = figure
    return result


def model(run: Run) -> Figure:
    """What the model predicts of each trial from the others, against what it was: on the diagonal,
    it can be trusted. All outputs, each over its range."""
    plot = _tools()
    pyplot, study = plot._pyplot(), plot._study(run)
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
    axes.errorbar(x[shown], y[shown], bar[shown], fmt="o", markersize=3, linewidth=0.6, color=plot._MODEL, alpha=0.6)
    axes.plot([0, 1], [0, 1], color=plot._RULE, linewidth=1)
    axes.set_ylim(-0.3, 1.3)
    axes.set_xlabel("simulated, over the output's range")
    axes.set_ylabel("predicted from the other trials, ± 2 sd")
    plot._tidy(axes)
    result: Figure = figure
    return result


def parameters(run: Run) -> Figure:
    """Each pair of parameters, coloured by f: dark is good. A star is the best."""
    plot = _tools()
    pyplot, study = plot._pyplot(), plot._study(run)
    done = [t for t in study.trials if t.state == "done" and np.isfinite(t.f)]
    d = min(len(study.names), 6)
    if d < 2 or not done:
        raise NothingToDraw("there is one parameter, or nothing feasible is done")
    sign = 1.0 if study.sense == "minimize" else -1.0
    rank = np.argsort(np.argsort([sign * t.f for t in done])) / max(len(done) - 1, 1)
    x, best = np.array([t.x for t in done]), study.best().x
    failed = np.array([t.x for t in study.trials if t.state == "failed"])
    figure, grid = pyplot.subplots(d - 1, d - 1, figsize=(2.0 * d, 1.9 * d), squeeze=False, layout="constrained")
    for row in range(1, d):
        for column in range(d - 1):
            axes = grid[row - 1, column]
            if column >= row:
                axes.set_visible(False)
                continue
            if failed.size:
                axes.plot(failed[:, column], failed[:, row], "x", color=plot._FAILED, markersize=4)
            axes.scatter(x[:, column], x[:, row], c=rank, cmap="Blues_r", vmin=0, vmax=1.3, s=16, edgecolors=plot._MODEL,
                         linewidths=0.3)
            axes.plot(best[column], best[row], "*", color=plot._BEST, markersize=10)
            for k, set_scale, set_limits in ((column, axes.set_xscale, axes.set_xlim), (row, axes.set_yscale, axes.set_ylim)):
                if study.logarithmic[k]:
                    set_scale("log")
                set_limits(*study.bounds[k])
            if row == d - 1:
                axes.set_xlabel(study.names[column])
            if column == 0:
                axes.set_ylabel(study.names[row])
            plot._tidy(axes)
    result: Figure = figure
    return result


def sobol(run: Run, count: int = 1024, seed: int = 1) -> tuple[Array, Array]:
    """First-order and total Sobol' indices of the objective over the whole domain, from the model
    (Saltelli's and Jansen's estimators with ``count`` base points)."""
    plot = _tools()
    study = plot._study(run)
    d, random = len(study.names), np.random.default_rng(seed)
    low, high = study.bounds[:, 0], study.bounds[:, 1]
    log = np.array(study.logarithmic)

    def objective(u: Array) -> Array:
        x = low + u * (high - low)
        x[:, log] = low[log] * (high[log] / low[log]) ** u[:, log]
        f: Array = study.predict_objective(np.clip(x, low, high)).f
        return f

    a, b = random.random((count, d)), random.random((count, d))
    f_a, f_b = objective(a), objective(b)
    middle = float(np.mean(np.concatenate([f_a, f_b])))  # the estimators are sharper without it
    f_a, f_b = f_a - middle, f_b - middle
    variance = np.var(np.concatenate([f_a, f_b])) or 1.0
    first, total = np.empty(d), np.empty(d)
    for k in range(d):
        mixed = a.copy()
        mixed[:, k] = b[:, k]
        f_k = objective(mixed) - middle
        first[k] = np.mean(f_b * (f_k - f_a)) / variance
        total[k] = np.mean((f_a - f_k) ** 2) / 2 / variance
    return first, total


def sensitivity(run: Run, count: int = 1024) -> Figure:
    """Sobol' indices of the objective, from the model: the part of its variance over the domain
    that a parameter makes alone, and with all others."""
    plot = _tools()
    pyplot, study = plot._pyplot(), plot._study(run)
    if not any(t.state == "done" for t in study.trials):
        raise NothingToDraw("nothing is done yet")
    first, total = sobol(study, count)
    figure, axes = pyplot.subplots(figsize=(5.4, 0.8 + 0.42 * len(study.names)), layout="constrained")
    place = np.arange(len(study.names))
    axes.barh(place, np.clip(total, 0, None), color=plot._RULE, height=0.7, label="with all others (total)")
    axes.barh(place, np.clip(first, 0, None), color=plot._MODEL, height=0.4, label="alone (first order)")
    axes.set_yticks(place, study.names)
    axes.invert_yaxis()
    axes.set_xlabel("share of the objective's variance over the domain")
    axes.legend(frameon=False, fontsize=8)
    plot._tidy(axes)
    result: Figure = figure
    return result


def run_times(run: Run) -> Figure:
    """How long each run took, where that is known: of runs by ``gofh run``."""
    plot = _tools()
    pyplot, study = plot._pyplot(), plot._study(run)
    known = [(t.number, float(text), t.state) for t in study.trials if (text := study.note(t, "seconds"))]
    if not known:
        raise NothingToDraw("no run time is known")
    figure, axes = pyplot.subplots(figsize=(6.4, 2.8), layout="constrained")
    for state, marker, colour in (("done", "o", plot._MODEL), ("failed", "x", plot._FAILED)):
        chosen = [(n, s) for n, s, kind in known if (kind == "failed") == (state == "failed")]
        if chosen:
            axes.plot(*zip(*chosen), marker, color=colour, markersize=4, label=state)
    seconds = np.array([s for _, s, _ in known])
    if seconds.min() > 0 and seconds.max() > 100 * seconds.min():
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel("trial")
    axes.set_ylabel("seconds")
    plot._whole_ticks(axes)
    axes.legend(frameon=False)
    plot._tidy(axes)
    result: Figure = figure
    return result
