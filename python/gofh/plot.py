"""Pictures of a run, with matplotlib: ``pip install matplotlib``, or ``pip install ".[plot]"`` of a
checkout."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gofh.errors import ArgumentError, MissingError
from gofh.plot_more import NothingToDraw, model, parameters, residuals, run_times, sensitivity, sobol
from gofh.posterior import Posterior
from gofh.results import Array, Comparison, Result, Trial
from gofh.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Values whose largest is so many times their smallest have a logarithmic scale.
_DECADES = 100.0
#: Slices of which one is flatter than this part of them all have scales of their own.
_FLAT = 0.25
#: No linear scale is finer than this part of what the evaluations varied by.
_FINEST = 1e-4
_PANELS_MAX = 12

#: The colours of the report (src/report/page_style.c).
_DONE, _MODEL, _BEST, _FAILED, _RULE = "#1f66b5", "#1f66b5", "#d9480f", "#c92a2a", "#c3c9d4"

Run = Study | Result

__all__ = [
    "FIGURES", "NothingToDraw", "convergence", "corner", "fit", "model", "parameters", "predictive", "residuals", "run_times",
    "sensitivity", "slices", "sobol",
]


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
    axes.grid(color="#e9ecf1", linewidth=0.6)
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
    for chosen, marker, label in ((failed, "x", "failed"), (np.isnan(f) & ~failed, "+", "not feasible")):
        if chosen.any():
            axes.plot(at[chosen], np.full(chosen.sum(), 0.02), marker, color=_FAILED, transform=bottom, label=label)
    design = sum(trial.origin in ("design", "start") for trial in trials)
    if 0 < design < len(trials):
        axes.axvline(design + 0.5, color="#bbbbbb", linewidth=0.8, linestyle=":", label="end of the design")


class _Scale(NamedTuple):
    """How values are drawn: sign (value - origin), on a logarithmic scale or a linear one."""

    name: str = "f"
    sign: float = 1.0
    origin: float = 0.0
    logarithmic: bool = False

    def drawn(self, values: Array) -> Array:
        return self.sign * (values - self.origin)


def _over_decades(values: Array) -> bool:
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    return bool(sizes.size and sizes.max() > _DECADES * sizes.min())


def _scale(values: Array, sense: str) -> _Scale:
    """As in the HTML report: logarithmic for values of one sign that span decades, and for the
    distance to the best where they change sign and the best is next to 0 beside the rest."""
    known = values[np.isfinite(values)]
    if not _over_decades(known):
        return _Scale()
    low, high = known.min(), known.max()
    if low >= 0:
        return _Scale(logarithmic=True)
    if high <= 0:
        return _Scale("\N{MINUS SIGN}f", -1.0, 0.0, True)
    best, larger = (high, True) if sense == "maximize" else (low, False)
    if high - low <= _DECADES * abs(best):
        return _Scale()
    return _Scale("best \N{MINUS SIGN} f" if larger else "f \N{MINUS SIGN} best", -1.0 if larger else 1.0, best, True)


def _lower_edge(values: Array) -> float | None:
    """Where a logarithmic axis ends so that values of 0 stand on its edge; None where there are
    none."""
    above = values[np.isfinite(values) & (values > 0)]
    if not above.size or not (values == 0).any():
        return None
    return float(above.min() / (above.max() / above.min()) ** 0.05)


def convergence(
    *runs: Run | Sequence[Run] | Mapping[str, Run],
    labels: Sequence[str] | None = None,
    optimum: float | None = None,
    ax: Axes | None = None,
) -> Figure:
    """The best f against the evaluations, one line per run; with ``optimum``, the distance to it.

    Runs are results or studies: several of them, a list, or a dict by label. Of a single run its
    evaluations are shown too; those that failed, or are not feasible, as marks at the bottom. Where
    f spans decades its scale is logarithmic: that of f, of -f where f is below 0, or, where f
    changes sign, of its distance to the best.
    """
    pyplot = _pyplot()
    named = _named(runs, labels)
    axes: Any = ax if ax is not None else pyplot.subplots(figsize=(6.4, 4), layout="constrained")[1]
    histories, values = [], []
    for _, run in named:
        study = _study(run)
        trials = [t for t in (run.history if isinstance(run, Result) else study.trials) if t.state in ("done", "failed")]
        f = _values(trials)
        sign = 1.0 if study.sense == "minimize" else -1.0
        histories.append(trials)
        if len(named) == 1:
            values.append(f)
        values.append(sign * np.fmin.accumulate(sign * f) if len(f) else f)
    if optimum is not None:
        values = [np.maximum(np.abs(one - optimum), 1e-16) for one in values]
        scale = _Scale("distance of f to the optimum", logarithmic=_over_decades(np.concatenate(values)))
    else:
        scale = _scale(np.concatenate(values), _study(named[0][1]).sense)
    values = [scale.drawn(one) for one in values]
    edge = _lower_edge(np.concatenate(values)) if scale.logarithmic else None
    if edge is not None:
        values = [np.where(one == 0, edge, one) for one in values]
    if len(named) == 1:
        _marks(axes, histories[0], values.pop(0))
    for (label, _), best in zip(named, values):
        axes.step(np.arange(1, len(best) + 1), best, where="post", color=_BEST if len(named) == 1 else None,
                  label=label if len(named) > 1 or labels else "best so far")
    if scale.logarithmic:
        axes.set_yscale("log")
    if edge is not None:
        axes.plot([], [], " ", label=f"on the lower edge: {scale.name} = 0")
        axes.set_ylim(bottom=edge)
    axes.set_xlabel("evaluations")
    axes.set_ylabel(scale.name)
    _whole_ticks(axes)
    axes.legend(frameon=False)
    _tidy(axes)
    figure: Figure = axes.figure
    return figure


class _Slice(NamedTuple):
    """The model's objective along one parameter, as it is drawn."""

    at: Array
    f: Array
    half: Array  #: two deviations
    infeasible: npt.NDArray[np.bool_]  #: probably not feasible


def _grid(study: Study, k: int, points: int) -> Array:
    lower, upper = study.bounds[k]
    kind = study.kinds.get(study.names[k])
    if kind is not None:
        allowed = kind.all()
        places = sorted({round(i * (len(allowed) - 1) / max(points - 1, 1)) for i in range(points)})
        return np.array([allowed[place] for place in places])
    if study.logarithmic[k]:
        return np.clip(np.geomspace(lower, upper, points), lower, upper)
    return np.linspace(lower, upper, points)


def _find_slices(study: Study, centre: Array, points: int, sign: float) -> list[_Slice]:
    found = []
    for k in range(len(centre)):
        at = np.union1d(_grid(study, k, points), centre[k])  # whose valley may be narrower than the steps
        if study.names[k] in study.kinds:
            at = _grid(study, k, points)
        batch = np.tile(centre, (len(at), 1))
        batch[:, k] = at
        f, deviation, feasible = study.predict_objective(batch)
        known = np.isfinite(f) & np.isfinite(deviation)
        found.append(_Slice(at, np.where(known, sign * f, np.nan), np.where(known, 2 * deviation, np.nan),
                            ~known | (feasible < 0.5)))
    return found


class _Range(NamedTuple):
    """An axis of f: "linear", "log", or "symlog" for values that change sign over decades."""

    kind: str
    low: float
    high: float
    linear_below: float = 1.0  #: where a symmetric one is linear

    def length(self, kind: str, linear_below: float) -> float:
        """How long its values are on an axis of some kind."""
        if kind == "log":
            return float(np.log(self.high / self.low)) if self.low > 0 else np.inf
        if kind == "symlog":
            return float(np.diff(np.arcsinh(np.array([self.low, self.high]) / linear_below))[0])
        return self.high - self.low

    def show(self, axes: Any) -> None:
        if self.kind == "log":
            room = (self.high / self.low) ** 0.06
            axes.set_yscale("log")
            axes.set_ylim(self.low / room, self.high * room)
            return
        if self.kind == "symlog":
            axes.set_yscale("asinh", linear_width=self.linear_below)
            axes.yaxis.set_major_locator(_symmetric_ticks(self))
            low, high = np.arcsinh(np.array([self.low, self.high]) / self.linear_below)
            room = 0.06 * (high - low)
            axes.set_ylim(*(self.linear_below * np.sinh([low - room, high + room])))
            return
        room = 0.06 * (self.high - self.low)
        axes.set_ylim(self.low - room, self.high + room)


def _symmetric_ticks(shown: _Range) -> Any:
    from matplotlib.ticker import FixedLocator

    first, last = np.ceil(np.log10(shown.linear_below)), np.floor(np.log10(max(shown.high, -shown.low)))
    step = max(1, int((last - first) // 3 + 1))
    powers = 10.0 ** np.arange(last, first - 1, -step)
    return FixedLocator(sorted([0.0, *powers[powers <= shown.high], *(-powers[powers <= -shown.low])]))


def _range_of(slices: list[_Slice], seen: float) -> _Range:
    """Of all that is to be on one axis.

    No linear one is finer than a part of what the evaluations varied by: below it a model that
    interpolates shows its rounding.
    """
    f = np.concatenate([one.f for one in slices])
    half = np.concatenate([one.half for one in slices])
    f, half = f[np.isfinite(f)], half[np.isfinite(f)]
    if not f.size:
        return _Range("linear", 0.0, 1.0)
    above, largest = f[f > 0], np.abs(f).max()
    if f.min() >= 0 and _over_decades(f):  # the band may come as near to 0 as it likes: it ends at the frame
        return _Range("log", above.min(), (f + half).max())
    low, high = (f - half).min(), (f + half).max()
    beside_best = max(min(abs(f.min()), abs(f.max())), 1e-6 * largest)
    if f.min() < 0 < f.max() and largest > _DECADES * beside_best:
        return _Range("symlog", low, high, beside_best)
    missing = max(_FINEST * seen, 1e-12 * largest, 1e-300) - (high - low)
    return _Range("linear", low - max(missing, 0) / 2, high + max(missing, 0) / 2)


def _ranges(slices: list[_Slice], seen: float) -> tuple[list[_Range], bool]:
    """One range for all slices, so that they can be compared, unless one would be flat; and whether
    they are apart."""
    common = _range_of(slices, seen)
    own = [_range_of([one], seen) for one in slices]
    whole = common.length(common.kind, common.linear_below)
    apart = any(one.length(common.kind, common.linear_below) < _FLAT * whole for one in own)
    return (own if apart else [common] * len(slices)), apart


def _draw_slice(study: Study, axes: Any, one: _Slice, shown: _Range, k: int) -> None:
    bottom = shown.low if shown.kind == "log" else -np.inf
    kind = study.kinds.get(study.names[k])
    if kind is None:
        axes.fill_between(one.at, np.maximum(one.f - one.half, bottom / 10), one.f + one.half, color=_MODEL, alpha=0.18,
                          linewidth=0, label="two deviations")
        axes.plot(one.at, one.f, color=_MODEL, label="the model's f")
    else:  # between values there is nothing
        low = one.f - np.maximum(one.f - one.half, bottom / 10)
        axes.errorbar(one.at, one.f, [low, one.half], fmt="o", markersize=3, color=_MODEL, ecolor=_MODEL, elinewidth=0.8,
                      label="the model's f, two deviations")
    if one.infeasible.any():
        axes.fill_between(one.at, 0, 1, where=one.infeasible, color=_FAILED, alpha=0.2, linewidth=0,
                          label="probably not feasible", transform=axes.get_xaxis_transform())
    shown.show(axes)
    if study.logarithmic[k]:
        axes.set_xscale("log")
    elif kind is not None and kind.words:
        axes.set_xticks(range(len(kind.words)), kind.words, rotation=30 if sum(map(len, kind.words)) > 20 else 0)
    else:
        axes.locator_params(axis="x", nbins=5)
    room = 0.05 * (one.at[-1] - one.at[0]) if kind is not None else 0.0
    if one.at[-1] > one.at[0] and not (study.logarithmic[k] and room):
        axes.set_xlim(one.at[0] - room, one.at[-1] + room)
    axes.set_xlabel(study.names[k])
    _tidy(axes)


def slices(run: Run, x: npt.ArrayLike | None = None, points: int = 101) -> Figure:
    """The model's objective along each parameter through a point (the best one by default), with
    twice its deviation.

    Where constraints probably do not hold it is shaded. Values that span decades have a logarithmic
    scale, and where one scale for all would make a slice flat each has its own.
    """
    pyplot = _pyplot()
    study = _study(run)
    centre = study._point(study.best().x if x is None else x)
    values = _values(study.trials)
    scale = _scale(values, study.sense)
    if scale.origin != 0:
        scale = _Scale()
    found = _find_slices(study, centre, points, scale.sign)
    ranges, apart = _ranges(found, float(np.nanmax(values) - np.nanmin(values)) if np.isfinite(values).any() else 0.0)
    d = len(study.names)
    columns = min(d, 4)
    rows = -(-d // columns)
    figure, grid = pyplot.subplots(rows, columns, figsize=(max(3.1 * columns, 5), 2.7 * rows + 0.4), sharey=not apart,
                                   squeeze=False, layout="constrained")
    for k, axes in enumerate(grid.flat):
        if k >= d:
            axes.set_visible(False)
            continue
        _draw_slice(study, axes, found[k], ranges[k], k)
        axes.axvline(centre[k], color=_BEST, linewidth=0.9, clip_on=False, zorder=3,  # on the frame too
                     label="the best point" if x is None else "the point")
    for row in grid:
        row[0].set_ylabel(scale.name + (", each with its own scale" if apart and d > 1 else ""))
    shown = {label: handle for axes in grid.flat[:d] for handle, label in zip(*axes.get_legend_handles_labels())}
    figure.legend(shown.values(), shown.keys(), loc="outside upper center", ncols=2 if columns == 1 else len(shown),
                  frameon=False, fontsize=8)
    result: Figure = figure
    return result


def _parts(study: Study) -> Iterator[tuple[str, range]]:
    """Each output's name, and where it is in y."""
    begin = 0
    for name, size in study.outputs.items():
        yield name, range(begin, begin + size)
        begin += size


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
    parts = [(name, part) for name, part in _parts(study) if not indices or indices.intersection(part)]
    panels = [(name, [part]) for name, part in parts if len(part) > 1]
    single = [part for _, part in parts if len(part) == 1]
    return panels + ([("", single)] if single else [])


def _name_elements(study: Study, axes: Any, name: str, parts: list[range]) -> None:
    size = sum(map(len, parts))
    if len(parts) == 1 and name:
        axes.set_xlabel(f"index of {name}")
        _whole_ticks(axes)
    elif size <= 24:
        labels = [study.label(index) for part in parts for index in part]
        axes.set_xticks(range(size), labels, rotation=45 if size > 6 else 0)
        axes.margins(x=max(0.05, 0.5 / size))
    else:
        begins = np.cumsum([0] + [len(part) for part in parts[:-1]])
        axes.set_xticks(begins, [study.label(part[0]) for part in parts], rotation=45)


def _draw_fit(study: Study, axes: Any, name: str, parts: list[range], y: Array, compared: list[Comparison]) -> None:
    place = {index: at for at, index in enumerate(index for part in parts for index in part)}
    rows = [(place[one.output], one) for one in compared if one.output in place]
    for at, one in rows:
        axes.plot([at, at], [one.value, y[one.output]], color=_FAILED, linewidth=0.8)
    sure = [(at, one.value, one.deviation) for at, one in rows if np.isfinite(one.deviation)]
    if sure:
        axes.errorbar(*np.transpose(sure)[:2], yerr=np.transpose(sure)[2], fmt="none", ecolor="black", elinewidth=1,
                      capsize=2, label="standard deviation of the data")
    for data in dict.fromkeys(one.data for _, one in rows):
        chosen = [(at, one.value) for at, one in rows if one.data == data]
        axes.plot(*np.transpose(chosen), "o", color="black", markerfacecolor="none", label=data or "data")
    for number, part in enumerate(parts):
        axes.plot([place[index] for index in part], y[list(part)], ".-", color=_BEST, linewidth=1,
                  label="_" if number else "best evaluation")
    shown = np.array([y[index] for index in place] + [one.value for _, one in rows])
    if shown.min() > 0 and _over_decades(shown):
        axes.set_yscale("log")
    _name_elements(study, axes, name, parts)
    _tidy(axes)


def fit(run: Run, observed: npt.ArrayLike | str | None = None, ax: Axes | None = None) -> Figure:
    """The outputs of the best evaluation beside the data that the expressions compare them with,
    one picture per output.

    Standard deviations in the expressions are error bars. Where g is a function, or something else
    is to be shown, tell what was observed: an array with a value for each output, or the name of
    data. With ``ax`` all outputs are on that.
    """
    pyplot = _pyplot()
    study = _study(run)
    y = study.best().y
    if y is None:
        raise ArgumentError("there is nothing evaluated to plot")
    compared = _compared(study, observed, y.size)
    panels = _panels(study, compared)
    if ax is not None:
        parts = list(_parts(study))
        panels = [(parts[0][0] if len(parts) == 1 else "", [part for _, part in parts])]
    left_out = max(len(panels) - _PANELS_MAX, 0)
    panels = panels[:_PANELS_MAX]
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


def _edges(values: Array, logarithmic: bool) -> Array:
    """The bins of a histogram."""
    low, high = values.min(), values.max()
    return np.geomspace(low, high, 31) if logarithmic else np.linspace(low, high, 31)


def corner(posterior: Posterior) -> Figure:
    """The posterior of each parameter and of each pair of them; the best evaluation is marked.

    On the diagonal are histograms with the 95 % interval, below it the samples of each pair.
    """
    pyplot = _pyplot()
    study, samples, d = posterior.study, posterior.samples, len(posterior.names)
    shown = samples[:: max(len(samples) // 2000, 1)]
    decades = [log and own.max() > 10 * own.min() for log, own in zip(study.logarithmic, samples.T)]
    figure, grid = pyplot.subplots(d, d, figsize=(1.2 + 1.9 * d, 1.0 + 1.9 * d), squeeze=False, layout="constrained")
    for row in range(d):
        for column in range(d):
            axes = grid[row, column]
            if column > row:
                axes.set_visible(False)
                continue
            _tidy(axes)
            if decades[column]:
                axes.set_xscale("log")
            axes.axvline(posterior.best[column], color=_BEST, linewidth=1)
            if row == column:
                axes.hist(samples[:, column], bins=_edges(samples[:, column], decades[column]), color=_MODEL, alpha=0.5)
                for end in (posterior.lower[column], posterior.upper[column]):
                    axes.axvline(end, color=_FAILED, linewidth=0.8, linestyle="--")
                axes.set_yticks([])
            else:
                if decades[row]:
                    axes.set_yscale("log")
                axes.plot(shown[:, column], shown[:, row], ".", color=_MODEL, alpha=0.15, markersize=2, rasterized=True)
                axes.axhline(posterior.best[row], color=_BEST, linewidth=1)
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
    pyplot = _pyplot()
    study = posterior.study
    outputs, noisy = posterior.predictive(draws)
    compared = study.comparisons()
    fitted = {one.output for one in compared}
    panels = [(name, part) for name, part in _parts(study) if fitted & set(part)][:_PANELS_MAX]
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    size = (6.4, 4) if len(panels) == 1 else (4.2 * columns, 3.1 * rows)
    figure, grid = pyplot.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for axes, (name, part) in zip(grid.flat, panels):
        at = np.arange(len(part))
        for values, alpha, label in ((noisy, 0.15, "95 % with noise"), (outputs, 0.4, "95 % of h")):
            low, high = np.quantile(values[:, list(part)], (0.025, 0.975), axis=0)
            axes.fill_between(at, low, high, color=_MODEL, alpha=alpha, linewidth=0, label=label)
        here = [(one.output - part[0], one.value) for one in compared if one.output in part]
        axes.plot(*np.transpose(here), "o", color="black", markerfacecolor="none", label="data")
        _name_elements(study, axes, name, [part])
        _tidy(axes)
        axes.legend(frameon=False, fontsize=8 if len(panels) > 1 else None)
    for axes in list(grid.flat)[len(panels):]:
        axes.set_visible(False)
    result: Figure = figure
    return result


def _fit_or_nothing(run: Run) -> Figure:
    if not _study(run).comparisons():
        raise NothingToDraw("no output is compared with data")
    return fit(run)


#: The figures of a report, in its order, by title.
FIGURES: dict[str, Callable[[Study], Figure]] = {
    "convergence": convergence,
    "fit": _fit_or_nothing,
    "residuals": residuals,
    "slices through the best point": slices,
    "parameters": parameters,
    "sensitivity": sensitivity,
    "model": model,
    "run times": run_times,
}
