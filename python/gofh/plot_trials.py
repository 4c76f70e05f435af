"""Pictures of the trials: where they were, how long they took, which constraints they met."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gofh.plot_look import (
    BEST, DONE, FAILED, MODEL, PANELS_MAX, RULE, NothingToDraw, Run, grid_of, is_fixed, parameter_ticks, pyplot_or_say,
    study_of, tidy, whole_ticks
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gofh.study import Study


def _set_axis(study: Study, k: int, axes: Any, axis: str) -> None:
    """The axis of a parameter: discrete ones have room beside their ends."""
    kind = study.kinds.get(study.names[k])
    set_limits = getattr(axes, f"set_{axis}lim")
    low, high = study.bounds[k]
    if study.logarithmic[k]:
        getattr(axes, f"set_{axis}scale")("log")
    if kind is None:
        set_limits(low, high)
    elif study.logarithmic[k]:
        set_limits(low * (low / high) ** 0.08, high * (high / low) ** 0.08)
    else:
        set_limits(low - 0.08 * (high - low), high + 0.08 * (high - low))
    parameter_ticks(study, study.names[k], axes, axis)


def parameters(run: Run) -> Figure:
    """Each pair of parameters, coloured by f: dark is good. A star is the best; circles have no finite f, where
    constraints are violated for example, and crosses failed."""
    pyplot, study = pyplot_or_say(), study_of(run)
    done = [t for t in study.trials if t.state == "done" and np.isfinite(t.f)]
    shown = [k for k, name in enumerate(study.names) if not is_fixed(study, name)][:6]
    d = len(shown)
    if d < 2 or not done:
        raise NothingToDraw("there is one parameter, or nothing with a finite f is done")
    sign = 1.0 if study.sense == "minimize" else -1.0
    rank = np.argsort(np.argsort([sign * t.f for t in done])) / max(len(done) - 1, 1)
    x, best = np.array([t.x for t in done])[:, shown], study.best().x[shown]
    failed = np.array([t.x[shown] for t in study.trials if t.state == "failed"])
    infinite = np.array([t.x[shown] for t in study.trials if t.state == "done" and not np.isfinite(t.f)])
    figure, grid = pyplot.subplots(d - 1, d - 1, figsize=(2.0 * d, 1.9 * d), squeeze=False, layout="constrained")
    for row in range(1, d):
        for column in range(d - 1):
            axes = grid[row - 1, column]
            if column >= row:
                axes.set_visible(False)
                continue
            for others, marker in ((failed, "x"), (infinite, "o")):  # on a bound, marks are not cut
                if others.size:
                    axes.plot(others[:, column], others[:, row], marker, color=FAILED, fillstyle="none", markersize=4, clip_on=False)
            axes.scatter(x[:, column], x[:, row], c=rank, cmap="Blues_r", vmin=0, vmax=1.3, s=16, edgecolors=MODEL,
                         linewidths=0.3, clip_on=False, zorder=3)
            axes.plot(best[column], best[row], "*", color=BEST, markersize=10, clip_on=False, zorder=4)
            _set_axis(study, shown[column], axes, "x")
            _set_axis(study, shown[row], axes, "y")
            axes.label_outer()
            if row == d - 1:
                axes.set_xlabel(study.names[shown[column]])
            if column == 0:
                axes.set_ylabel(study.names[shown[row]])
            tidy(axes)
    result: Figure = figure
    return result


def run_times(run: Run) -> Figure:
    """How long each run took, where that is known: of runs by ``gofh run``."""
    pyplot, study = pyplot_or_say(), study_of(run)
    known = [(t.number, float(text), t.state) for t in study.trials if (text := study.note(t, "seconds"))]
    if not known:
        raise NothingToDraw("no run time is known")
    figure, axes = pyplot.subplots(figsize=(6.4, 2.8), layout="constrained")
    for state, marker, colour in (("done", "o", MODEL), ("failed", "x", FAILED)):
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
    whole_ticks(axes)
    axes.legend(frameon=False)
    tidy(axes)
    result: Figure = figure
    return result


def constraints(run: Run) -> Figure:
    """By how much each trial meets each constraint, in the constraint's units: below the line it is violated. A star is
    the best trial."""
    study = study_of(run)
    done = [t for t in study.trials if t.state == "done" and t.y is not None]
    texts = list(study.margins(done[0]))[:PANELS_MAX] if done else []
    if not texts:
        raise NothingToDraw("there are no constraints, or nothing is done")
    margins, best = [study.margins(t) for t in done], study.best()
    figure, axes = grid_of(len(texts), 3, 3.6, 2.5)
    for one, text in zip(axes, texts):
        at, values = np.array([t.number for t in done]), np.array([m[text] for m in margins])
        broken = values < 0
        one.axhline(0, color=RULE, linewidth=1)
        one.plot(at[~broken], values[~broken], "o", color=DONE, markersize=4, label="met")
        one.plot(at[broken], values[broken], "x", color=FAILED, markersize=5, label="violated")
        one.plot(best.number, study.margins(best)[text], "*", color=BEST, markersize=11, label="best trial")
        one.set_title(text if len(text) < 40 else text[:37] + "...", fontsize=9)
        one.set_xlabel("trial")
        whole_ticks(one)
        tidy(one)
    axes[0].set_ylabel("margin")
    axes[0].legend(frameon=False, fontsize=8)
    result: Figure = figure
    return result
