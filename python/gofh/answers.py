"""What h returned, as the vector of all outputs; or what is wrong with it."""
from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gofh.errors import ArgumentError, no_such
from gofh.results import Array

#: A number of outputs that are called y, or names with sizes.
Sizes = int | list[tuple[str, int]]


def unmasked(value: Any) -> Any:
    """NaN in place of what is masked, as missing values are in what netCDF4 reads."""
    return np.ma.filled(value.astype(np.float64), np.nan) if isinstance(value, np.ma.MaskedArray) else value


def names_in(value: Any) -> list[str]:
    """Those in the index of a Series of pandas, or of the columns of a table; none where they are no texts."""
    found = getattr(value, "columns", getattr(value, "index", None)) if hasattr(value, "to_numpy") else None
    names = [] if found is None else list(found)
    return names if all(isinstance(name, str) for name in names) else []


def by_name(value: Any) -> Any:
    """A Series or a table of pandas with names as a dict of arrays, all else as it is. A name that is there twice has
    both values."""
    names = names_in(value)
    if not names:
        return value
    values = value.to_numpy()
    return {name: values[..., [other == name for other in names]].ravel() for name in names}


def _numbers(value: Any) -> Array:
    try:
        array = np.asarray(unmasked(value))
        if array.dtype.kind not in "biufO":
            raise TypeError
        return np.require(array, np.float64, ["C", "ALIGNED"]).ravel()
    except Exception:
        raise ArgumentError(f"h returned {reprlib.repr(value)}, which is no array of numbers") from None


def _count(size: int) -> str:
    return f"{size} value" if size == 1 else f"{size} values"


def _join(answer: Mapping[Any, Any], outputs: list[tuple[str, int]]) -> Array:
    if set(answer) != {name for name, _ in outputs}:
        wanted = ", ".join(name for name, _ in outputs)
        raise ArgumentError(f"h returned outputs called {', '.join(map(str, answer)) or 'nothing'}, not {wanted}")
    parts = [_numbers(answer[name]) for name, _ in outputs]
    for part, (name, size) in zip(parts, outputs):
        if part.size != size:
            raise ArgumentError(f"h returned {_count(part.size)} of {name}, not {size}")
    return np.concatenate(parts)


@dataclass
class Curve:
    """An output that comes with places of its own, and is wanted at others."""

    at_name: str  #: what an answer calls its places
    at: Array  #: where it is wanted
    extend: bool = False  #: beyond its end it has its last value


def _resample(answer: Mapping[Any, Any], name: str, curve: Curve, missing: bool) -> Array:
    for key in (name, curve.at_name):
        if key not in answer:
            raise ArgumentError(f"h returned outputs called {', '.join(map(str, answer)) or 'nothing'}, without {key}")
    place, value = _numbers(answer[curve.at_name]), _numbers(answer[name])
    if place.size != value.size or not place.size:
        raise ArgumentError(f"h returned {_count(value.size)} of {name}, but {place.size} of {curve.at_name}")
    if not np.isfinite(place).all():
        raise ArgumentError(f"{curve.at_name}[{np.flatnonzero(~np.isfinite(place))[0]}] is not a finite number")
    if (wrong := np.flatnonzero(np.diff(place) <= 0)).size:
        i = int(wrong[0]) + 1
        raise ArgumentError(
            f"{curve.at_name}[{i}] is {place[i]:g}, not above the {place[i - 1]:g} before it: the places of {name} must increase"
        )
    slack = 1e-9 * (place[-1] - place[0])
    before, beyond = curve.at < place[0] - slack, (curve.at > place[-1] + slack) & (not curve.extend)
    if before.any() and not missing:
        raise ArgumentError(f"the curve of {name} begins at {place[0]:g}, after {curve.at[before].min():g}, where data are")
    if beyond.any() and not missing:
        raise ArgumentError(f"the curve of {name} ends at {place[-1]:g}, before {curve.at[beyond].max():g}, where data are")
    return np.where(before | beyond, np.nan, _interpolate(curve.at, place, value))


def _interpolate(at: Array, place: Array, value: Array) -> Array:
    """Linear; a neighbour that is missing does not matter at a point itself."""
    exact = np.clip(np.searchsorted(place, at), 0, place.size - 1)
    return np.where(place[exact] == at, value[exact], np.interp(at, place, value))


def resampled(answer: Any, curves: Mapping[str, Curve], outputs: Sizes, missing: bool | list[str]) -> Any:
    """An answer with its curves where they are wanted."""
    if not curves:
        return answer
    answer = by_name(answer)
    if not isinstance(answer, Mapping):
        raise ArgumentError(f"h returned {reprlib.repr(answer)}: for curves it is a dict, with their places")
    names = [] if isinstance(outputs, int) else [name for name, _ in outputs]
    found = {name: _resample(answer, name, curve, missing is True or (missing is not False and name in missing))
             for name, curve in curves.items()}
    places = {curve.at_name for curve in curves.values()}.difference(names)
    return {name: found.get(name, value) for name, value in answer.items() if name not in places}


def sizes_of(answer: Any) -> Sizes:
    """The outputs that an answer has: an array, a number, or a dict by names, or what pandas has instead of one."""
    return _sizes_of(by_name(answer))


def _sizes_of(answer: Any) -> Sizes:
    if answer is None:
        raise ArgumentError("h returned None: a return may be missing")
    named = [(str(name), _numbers(value).size) for name, value in answer.items()] if isinstance(answer, Mapping) else None
    sizes: Sizes = _numbers(answer).size if named is None else named
    if not sizes:
        raise ArgumentError("h returned no values")
    return sizes


def flatten(answer: Any, outputs: Sizes) -> Array:
    """The outputs in their order. ArgumentError says what is wrong with the answer."""
    answer = answer if isinstance(outputs, int) else by_name(answer)
    found = _sizes_of(answer)
    if isinstance(answer, Mapping):
        return _join(answer, [("y", outputs)] if isinstance(outputs, int) else outputs)
    flat = _numbers(answer)
    m = outputs if isinstance(outputs, int) else sum(size for _, size in outputs)
    if found == 1 and not np.isfinite(flat[0]):
        return np.full(m, flat[0])  # a single NaN stands for all outputs
    if found != m:
        raise ArgumentError(f"h returned {_count(flat.size)}, not {m}")
    return flat


def flatten_variance(variance: Any, outputs: Sizes) -> Array | None:
    """The variances of the outputs in their order, NaN where there is none. A number is that of all
    of them."""
    if variance is None:
        return None
    variance = variance if isinstance(outputs, int) else by_name(variance)
    named = [("y", outputs)] if isinstance(outputs, int) else outputs
    m = sum(size for _, size in named)
    try:
        if not isinstance(variance, Mapping):
            return np.array(np.broadcast_to(np.ravel(np.asarray(unmasked(variance), dtype=np.float64)), m))
        for name in variance:
            if name not in (known := [known for known, _ in named]):
                raise ArgumentError(f"a variance of {name!r}, {no_such('output', str(name), known)}")
        parts = [np.ravel(np.asarray(variance.get(name, np.nan), dtype=np.float64)) for name, _ in named]
        return np.concatenate([np.broadcast_to(part, size) for part, (_, size) in zip(parts, named)])
    except (TypeError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"a variance of {reprlib.repr(variance)}: it is one number per output, {m} in all") from None


def label(outputs: Sizes, index: int) -> str:
    """The output at an index of y, as expressions call it: ``c[3]``."""
    wanted = index
    for name, size in [("y", outputs)] if isinstance(outputs, int) else outputs:
        if 0 <= index < size:
            return name if size == 1 else f"{name}[{index}]"
        index -= size
    raise ArgumentError(f"there is no output {wanted}: y has {wanted - index} values, from 0")


def index_of(outputs: Sizes, output: int | str) -> int:
    """Where an output is in y, given that or its label.

    >>> index_of([("c", 3), ("stress", 1)], "stress"), index_of(2, "y[1]")
    (3, 1)
    """
    m, named = (outputs, [("y", outputs)]) if isinstance(outputs, int) else (sum(size for _, size in outputs), outputs)
    if isinstance(output, (int, np.integer)) and not isinstance(output, bool) and 0 <= output < m:
        return int(output)
    labels, begin = {}, 0
    for name, size in named:
        labels.update({name: begin} if size == 1 else {f"{name}[{i}]": begin + i for i in range(size)})
        begin += size
    if isinstance(output, str) and output in labels:
        return labels[output]
    ranges = [name if size == 1 else f"{name}[0] to {name}[{size - 1}]" for name, size in named]
    raise ArgumentError(f"there is no output {output!r}: there are {', '.join(ranges)}, or 0 to {m - 1} in the order of y")


def fault(flat: Array, outputs: Sizes, missing: Array | bool = False) -> str | None:
    """Which output is NaN (unless it may be missing) or infinite; None if all are fine."""
    bad = np.flatnonzero(~np.isfinite(flat) & ~(np.isnan(flat) & missing & ~np.isnan(flat).all()))
    if not bad.size:
        return None
    if len(bad) == flat.size > 1 and len(set(map(str, flat))) == 1:
        return f"all outputs are {flat[0]}"
    return f"output {label(outputs, int(bad[0]))} is {flat[bad[0]]}"
