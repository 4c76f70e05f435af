"""Slices of the model through a point."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gofh.errors import ArgumentError
from gofh.plot_look import (
    BEST, DECADES, FAILED, MODEL, NothingToDraw, Run, Scale, is_fixed, over_decades, parameter_ticks, pyplot_or_say, scale_of,
    study_of, tidy, values_of
)
from gofh.results import Array
from gofh.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Slices of which one is flatter than this part of them all have scales of their own.
_FLAT = 0.25
#: No linear scale is finer than this part of what the evaluations varied by.
_FINEST = 1e-4

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


def _predict(study: Study, batch: Array, output: int | None) -> tuple[Array, Array, Array]:
    """Mean, deviation, and the probability that constraints hold."""
    if output is None:
        return study.predict_objective(batch)
    mean, variance = study.predict(batch)[2:]
    if mean is None or variance is None:
        raise NothingToDraw(f"the method {study.settings['method']!r} models f alone")
    return mean[:, output], np.sqrt(variance[:, output]), np.ones(len(batch))


def _has_met(study: Study, x: Array) -> bool:
    """Whether an evaluation there has a finite f."""
    return any(trial.state == "done" and np.isfinite(trial.f) and np.array_equal(trial.x, x) for trial in study.trials)


def _find_slices(study: Study, centre: Array, points: int, sign: float, output: int | None, shown: list[int]) -> list[_Slice]:
    found = []
    at_centre = float(_predict(study, centre[None, :], output)[2][0])
    # A point that met the constraints may be at their limits: what holds half as probably as there is not shaded.
    probable = 0.5 * at_centre if at_centre < 0.5 and _has_met(study, centre) else 0.5
    for k in shown:
        at = np.union1d(_grid(study, k, points), centre[k])  # whose valley may be narrower than the steps
        if study.names[k] in study.kinds:
            at = _grid(study, k, points)
        batch = np.tile(centre, (len(at), 1))
        batch[:, k] = at
        f, deviation, feasible = _predict(study, batch, output)
        known = np.isfinite(f) & np.isfinite(deviation)
        found.append(_Slice(at, np.where(known, sign * f, np.nan), np.where(known, 2 * deviation, np.nan),
                            ~known | (feasible < probable)))
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

    No linear one is finer than a part of what the evaluations varied by, which counts up to some decades
    more than the values at hand: below it a model that interpolates shows its rounding.
    """
    f = np.concatenate([one.f for one in slices])
    half = np.concatenate([one.half for one in slices])
    f, half = f[np.isfinite(f)], half[np.isfinite(f)]
    if not f.size:
        return _Range("linear", 0.0, 1.0)
    above, largest = f[f > 0], np.abs(f).max()
    if f.min() >= 0 and over_decades(f):  # the band may come as near to 0 as it likes: it ends at the frame
        return _Range("log", above.min(), (f + half).max())
    low, high = (f - half).min(), (f + half).max()
    beside_best = max(min(abs(f.min()), abs(f.max())), 1e-6 * largest)
    if f.min() < 0 < f.max() and largest > DECADES * beside_best:
        return _Range("symlog", low, high, beside_best)
    missing = max(_FINEST * min(seen, DECADES * largest), 1e-12 * largest, 1e-300) - (high - low)
    return _Range("linear", low - max(missing, 0) / 2, high + max(missing, 0) / 2)


def _ranges(slices: list[_Slice], seen: float) -> tuple[list[_Range], bool]:
    """One range for all slices, so that they can be compared, unless one would be flat; and whether
    they are apart."""
    common = _range_of(slices, seen)
    own = [_range_of([one], seen) for one in slices]
    whole = common.length(common.kind, common.linear_below)
    apart = any(one.length(common.kind, common.linear_below) < _FLAT * whole for one in own)
    return (own if apart else [common] * len(slices)), apart


def _shade_values(axes: Any, one: _Slice, logarithmic: bool) -> None:
    """Each value of a discrete parameter that is probably not feasible, up to the middle between it and the next."""
    at = np.log(one.at) if logarithmic else one.at
    middle = (at[1:] + at[:-1]) / 2
    edges = np.concatenate([[2 * at[0] - middle[0]], middle, [2 * at[-1] - middle[-1]]]) if len(at) > 1 else at[[0, 0]]
    edges = np.exp(edges) if logarithmic else edges
    for i in np.flatnonzero(one.infeasible):
        axes.axvspan(edges[i], edges[i + 1], color=FAILED, alpha=0.2, linewidth=0, label="probably not feasible")


def _draw_slice(study: Study, axes: Any, one: _Slice, shown: _Range, k: int) -> None:
    bottom = shown.low if shown.kind == "log" else -np.inf
    kind = study.kinds.get(study.names[k])
    if kind is None:
        axes.fill_between(one.at, np.maximum(one.f - one.half, bottom / 10), one.f + one.half, color=MODEL, alpha=0.18,
                          linewidth=0, label="two deviations")
        axes.plot(one.at, one.f, color=MODEL, label="the model's mean")
    else:  # between values there is nothing
        low = one.f - np.maximum(one.f - one.half, bottom / 10)
        axes.errorbar(one.at, one.f, [low, one.half], fmt="o", markersize=3, color=MODEL, ecolor=MODEL, elinewidth=0.8,
                      label="the model's mean, two deviations")
    if one.infeasible.any() and kind is None:
        axes.fill_between(one.at, 0, 1, where=one.infeasible, color=FAILED, alpha=0.2, linewidth=0,
                          label="probably not feasible", transform=axes.get_xaxis_transform())
    elif one.infeasible.any():
        _shade_values(axes, one, study.logarithmic[k])
    shown.show(axes)
    if study.logarithmic[k]:
        axes.set_xscale("log")
    elif kind is None:
        axes.locator_params(axis="x", nbins=5)
    parameter_ticks(study, study.names[k], axes)
    room = 0.05 * (one.at[-1] - one.at[0]) if kind is not None else 0.0
    if one.at[-1] > one.at[0] and not (study.logarithmic[k] and room):
        axes.set_xlim(one.at[0] - room, one.at[-1] + room)
    if study.logarithmic[k] and np.floor(np.log10(one.at[-1])) > np.ceil(np.log10(one.at[0])):
        axes.xaxis.set_minor_formatter("")  # powers of 10 are enough: more would overlap
    axes.set_xlabel(study.names[k])
    tidy(axes)


def slices(run: Run, x: npt.ArrayLike | None = None, points: int = 101, output: int | str | None = None) -> Figure:
    """The model's objective along each parameter through a point (the best one by default), with
    twice its deviation.

    With ``output``, an index of y or a label such as ``c[3]``, it is that output instead. Where
    constraints probably do not hold it is shaded. Values that span decades have a logarithmic
    scale, and where one scale for all would make a slice flat each has its own.
    """
    pyplot = pyplot_or_say()
    study = study_of(run)
    centre = study._point(study.best().x if x is None else x)
    index = None if output is None else study._index(output)
    values = values_of(study.trials)
    if index is not None:
        values = np.array([np.nan if t.y is None else t.y[index] for t in study.trials])
    scale = scale_of(values, study.sense) if index is None else Scale(study.label(index))
    if scale.origin != 0:
        scale = Scale()
    shown = [k for k, name in enumerate(study.names) if not is_fixed(study, name)]
    if not shown:
        raise NothingToDraw("all parameters are fixed")
    found = _find_slices(study, centre, points, scale.sign, index, shown)
    ranges, apart = _ranges(found, float(np.nanmax(values) - np.nanmin(values)) if np.isfinite(values).any() else 0.0)
    d = len(shown)
    columns = min(d, 4)
    rows = -(-d // columns)
    figure, grid = pyplot.subplots(rows, columns, figsize=(max(3.1 * columns, 5), 2.7 * rows + 0.4), sharey=not apart,
                                   squeeze=False, layout="constrained")
    for axes in grid.flat[d:]:
        axes.set_visible(False)
    for k, axes, one, span in zip(shown, grid.flat, found, ranges):
        _draw_slice(study, axes, one, span, k)
        axes.axvline(centre[k], color=BEST, linewidth=0.9, clip_on=False, zorder=3,  # on the frame too
                     label="the best point" if x is None else "the point")
    for row in grid:
        row[0].set_ylabel(scale.name + (", each with its own scale" if apart and d > 1 else ""))
    legend = {label: handle for axes in grid.flat[:d] for handle, label in zip(*axes.get_legend_handles_labels())}
    figure.legend(legend.values(), legend.keys(), loc="outside upper center", ncols=2 if columns == 1 else len(legend),
                  frameon=False, fontsize=8)
    result: Figure = figure
    return result
