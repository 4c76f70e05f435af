"""Whether a gradient of g that the user gave is one: compared with differences of g, once."""
from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gofh.results import Array

_STEPS = (1e-7, 1e-5, 1e-3)  #: relative ones: one of them is right for g, whatever its curvature and its rounding
_TOLERANCE = 1e-2
_MAX_NUMBERS = 1_000_000  #: in a batch
_MAX_DIRECTIONS = 100

#: g of batches y and x.
Value = Callable[[Array, Array], Any]


def _along(value: Value, y: Array, x: Array, in_x: bool, directions: Array, step: float) -> tuple[Array, Array, Array]:
    """The differences of g to either side along some values of y or x, and what of them may be rounding."""
    point = x if in_x else y
    scale = np.abs(point[directions])
    steps = step * np.where(scale > 0, scale, np.abs(point[np.isfinite(point)]).max(initial=0.0) or 1.0)
    count = len(directions)
    batches = [np.tile(y, (2 * count + 1, 1)), np.tile(x, (2 * count + 1, 1))]
    moved, rows = batches[in_x], np.arange(count)
    moved[1 + rows, directions] += steps
    moved[1 + count + rows, directions] -= steps
    found = np.asarray(value(*batches))
    precision = np.finfo(found.dtype if found.dtype.kind == "f" else float).eps
    ahead, behind = (found[1 : count + 1] - found[0]) / steps, (found[0] - found[count + 1 :]) / steps
    return ahead, behind, 16 * precision * np.abs(found[0]) / steps


def _wrong(value: Value, y: Array, x: Array, in_x: bool, slope: Array) -> tuple[int, float] | None:
    """Where the slope is furthest from what differences say, with what they say; None: nowhere.

    Between the differences to either side is right too: there g may have a kink.
    """
    most = max(1, min(_MAX_DIRECTIONS, _MAX_NUMBERS // (y.size + x.size)))
    directions = np.unique(np.linspace(0, slope.size - 1, min(most, slope.size)).astype(int))
    given = slope[directions]
    excess, said = np.full(len(directions), np.inf), np.zeros(len(directions))
    for step in _STEPS:
        ahead, behind, rounding = _along(value, y, x, in_x, directions, step)
        middle = (ahead + behind) / 2
        outside = np.maximum(np.maximum(np.minimum(ahead, behind) - given, given - np.maximum(ahead, behind)), 0)
        allowed = _TOLERANCE * np.maximum(np.abs(middle), np.abs(given)) + rounding
        over = np.where(np.isfinite(middle), np.maximum(outside - allowed, 0), 0)  # where g has no value, nothing is known
        said = np.where(over < excess, middle, said)
        excess = np.minimum(excess, over)
    worst = int(np.argmax(excess))
    return (int(directions[worst]), float(said[worst])) if excess[worst] > 0 else None


def _warn(text: str) -> None:
    """With the line of the caller that is no part of this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gofh":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, RuntimeWarning, stacklevel=level)


def compare(value: Value, y: Array, x: Array, y_slope: Array, x_slope: Array | None, with_x: bool) -> None:
    """Warns where a gradient at y and x (None: in x none is given) is not that of g. A g that can't be evaluated
    beside them is left alone."""
    slopes = [("y", y_slope)] + ([("x", np.zeros_like(x) if x_slope is None else x_slope)] if with_x else [])
    for name, slope in slopes:
        try:
            with np.errstate(all="ignore"):
                wrong = _wrong(value, y, x, name == "x", slope)
        except Exception:
            return
        if wrong is not None:
            index, said = wrong
            given = "not given (return dy and dx)" if name == "x" and x_slope is None else f"{slope[index]:.6g}"
            _warn(f"gradient is not that of g: at the first evaluation its value in {name}[{index}] is {given}, and "
                  f"differences of g say {said:.6g}. Suggestions are the worse for it; without gradient= gofh takes differences")
            return
