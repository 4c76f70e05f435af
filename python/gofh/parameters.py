"""What values a parameter may have."""
from __future__ import annotations

import math
import numbers
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gofh.errors import ArgumentError
from gofh.results import Array


def _grid_value(lower: float, step: float, i: int) -> float:
    """As suggestions have it: three steps of 0.1 from 0 are 0.3, which 3 * 0.1 is not."""
    for digits in range(13 if i > 0 else 0):
        unit = 10.0**digits
        first, each = lower * unit, step * unit
        if max(abs(first), abs(each) * i) > 1e15:
            break
        if all(abs(part - round(part)) <= 1e-15 * abs(part) for part in (first, each)):
            return (round(first) + i * round(each)) / unit
    return lower + i * step


@dataclass(frozen=True)
class Kind:
    """Values instead of an interval; made by :func:`integer`, :func:`grid`, :func:`values`, :func:`choices`
    and :func:`fixed`."""

    kind: str  #: "grid", "values", "choices" or "fixed"
    lower: float
    upper: float
    step: float = 0.0
    values: tuple[float, ...] = ()
    words: tuple[str, ...] = ()
    ordered: bool = False
    logarithmic: bool = False

    def all(self) -> list[float]:
        """All of them, as numbers: of choices 0, 1, 2, ..."""
        if self.kind == "grid":
            count = math.floor((self.upper - self.lower) / self.step + 1e-9) + 1
            listed = [_grid_value(self.lower, self.step, i) for i in range(count)]
            return [*listed[:-1], self.upper if abs(listed[-1] - self.upper) <= 1e-9 * self.step else listed[-1]]
        return [float(i) for i in range(len(self.words))] if self.words else list(self.values) or [self.lower]

    def as_given(self, number: float) -> Any:
        """A number of x as it is said: the text of a choice, an int where all values are whole numbers, or the number
        itself.

        >>> choices(["steel", "brass"]).as_given(1.0), integer(1, 9).as_given(3.0), grid(1, 9, 0.5).as_given(3.0)
        ('brass', 3, 3.0)
        """
        if math.isnan(number):
            return number
        if self.words:
            return self.words[int(number)]
        listed = (self.lower, self.step) if self.kind == "grid" else self.values or (self.lower,)
        return int(number) if all(float(value).is_integer() for value in (*listed, number)) else number


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, np.number)):
        raise ArgumentError(f"{what} is {reprlib.repr(value)}: it is a number")
    return float(value)


def _is_log(scale: str) -> bool:
    if scale not in ("linear", "log"):
        raise ArgumentError(f"the scale is {scale!r}: it is 'linear' or 'log'")
    return scale == "log"


def integer(lower: int, upper: int, scale: str = "linear") -> Kind:
    """The whole numbers from lower to upper, both included.

    >>> integer(2, 5).all()
    [2.0, 3.0, 4.0, 5.0]
    """
    if lower != int(lower) or upper != int(upper):
        raise ArgumentError(f"integer({lower!r}, {upper!r}): the bounds are whole numbers")
    return grid(lower, upper, 1, scale)


def grid(lower: float, upper: float, step: float, scale: str = "linear") -> Kind:
    """lower, lower + step and so on, up to upper at most."""
    if not step > 0:
        raise ArgumentError(f"the step is {step!r}: it is above 0")
    first, last = _number(lower, "a bound"), _number(upper, "a bound")
    return Kind("grid", first, last, step=_number(step, "the step"), logarithmic=_is_log(scale))


def values(listed: Iterable[float], scale: str = "linear") -> Kind:
    """A catalogue: these numbers and no others. In ``bounds`` a list of three or more is one too, and two are an interval.

    >>> values([10, 6, 8]).all()
    [6.0, 8.0, 10.0]
    """
    found = sorted(_number(value, "a value") for value in listed)
    if len(found) < 2:
        raise ArgumentError(f"gofh.values({found}) has {len(found)} value{'s'[:not found]}: 2 or more are needed, or gofh.fixed(value)")
    return Kind("values", found[0], found[-1], values=tuple(found), logarithmic=_is_log(scale))


def choices(words: Iterable[str], ordered: bool = False) -> Kind:
    """One of some texts; ordered: grades, of which neighbours are alike.

    In x it is the number of the choice, from 0; :meth:`Study.named` gives the text.
    """
    listed = tuple(words)
    if len(listed) < 2 or not all(isinstance(word, str) for word in listed):
        raise ArgumentError(f"the choices are {reprlib.repr(listed)}: they are 2 or more texts")
    return Kind("choices", 0.0, len(listed) - 1.0, words=listed, ordered=bool(ordered))


def fixed(value: float) -> Kind:
    """A parameter that is always the same. It stays in x, and the model knows nothing of it."""
    number = _number(value, "a fixed value")
    return Kind("fixed", number, number)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def kind_of(bound: Any) -> Kind | None:
    """What a value of ``bounds`` says where it is no interval: a range, texts, a list of three numbers or more. A list of
    two is an interval, as SciPy has them."""
    if isinstance(bound, Kind):
        return bound
    if isinstance(bound, range):
        if len(bound) < 2:
            raise ArgumentError(f"{bound!r} has {len(bound)} values: 2 or more are needed, or fixed(value)")
        ascending = bound if bound.step > 0 else bound[::-1]
        return grid(ascending[0], ascending[-1], ascending.step)
    if not isinstance(bound, (Sequence, np.ndarray)) or isinstance(bound, str):
        return None
    if len(bound) >= 1 and all(isinstance(item, str) for item in bound):
        if isinstance(bound, tuple) and len(bound) == 2 and all(map(_is_number, bound)):
            raise ArgumentError(f"the bounds are {bound!r}: they are numbers, not texts; texts to choose from are a list")
        return choices(bound)
    if isinstance(bound, (list, np.ndarray)) and len(bound) >= 3 and not any(isinstance(item, str) for item in bound):
        return values(bound)
    return None


def as_given(x: Array, names: Iterable[str], kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """A point by the names of its parameters, each value as it is said."""
    return {name: kinds[name].as_given(value) if name in kinds else value for name, value in zip(names, x.tolist())}


def to_number(name: str, value: Any, kinds: Mapping[str, Kind]) -> Any:
    """A value of a point by name: a word of a parameter with choices, or a number."""
    kind = kinds.get(name)
    if not isinstance(value, str) or kind is None or not kind.words:
        return value if value is not None else math.nan
    if value not in kind.words:
        raise ArgumentError(f"the value of {name} is {value!r}: its choices are {', '.join(kind.words)}")
    return float(kind.words.index(value))
