"""How h wants its point: an array, a dict by name, or a value for each name."""
from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from gofh.errors import ArgumentError, reason_of
from gofh.parameters import Kind, as_given
from gofh.results import Array

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _parameters(h: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        found = list(inspect.signature(h).parameters.values())
    except (TypeError, ValueError):  # what is written in C does not say
        return []
    if not found:
        raise ArgumentError("h has no arguments: it is a function of a point")
    return found


def _wants_dict(h: Callable[..., Any], parameter: inspect.Parameter) -> bool:
    kind = parameter.annotation
    if isinstance(kind, str):
        try:
            kind = typing.get_type_hints(h).get(parameter.name)
        except Exception:  # names that are not there at run time
            return False
    kind = typing.get_origin(kind) or kind
    return isinstance(kind, type) and issubclass(kind, Mapping)


def _wants_names(parameters: list[inspect.Parameter], names: Sequence[str]) -> bool:
    taken = {p.name for p in parameters if p.kind in _BY_NAME}
    needed = {p.name for p in parameters if p.default is inspect.Parameter.empty and p.kind in _BY_NAME}
    any_name = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    positional = any(p.kind not in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD) for p in parameters)
    if len(names) == 1 and positional:
        return False  # def h(x): an array, also where the parameter is called x
    return needed <= set(names) and (any_name or set(names) <= taken)


def _refuse_other_names(parameters: list[inspect.Parameter], names: Sequence[str]) -> None:
    """A function that needs more than one argument can't be given an array alone."""
    needed = [p.name for p in parameters if p.default is inspect.Parameter.empty and
              p.kind in (*_BY_NAME, inspect.Parameter.POSITIONAL_ONLY)]
    if len(needed) > 1:
        raise ArgumentError(
            f"the arguments of h are {', '.join(needed)}, and the parameters {', '.join(names)}: call them alike, or give h one "
            "argument, for an array of all"
        )


class Form:
    """Which of them h takes: values by name where its arguments are called like the parameters, a
    dict where its one argument is annotated as one, and otherwise an array. By name a choice is its text and a whole
    number an int, as simulators get them from files; an array has numbers.

    >>> import numpy as np
    >>> args, named = Form(lambda loss, heater: loss + heater, ["loss", "heater"]).of(np.array([1.0, 2.0]))
    >>> args, named
    ((), {'loss': 1.0, 'heater': 2.0})
    """

    def __init__(
        self, h: Callable[..., Any], names: Sequence[str], kinds: Mapping[str, Kind] = MappingProxyType({})
    ) -> None:
        parameters = _parameters(h)
        self._names, self._kinds = list(names), kinds
        self._dict = len(parameters) == 1 and _wants_dict(h, parameters[0])
        self._named = not self._dict and bool(parameters) and _wants_names(parameters, names)
        if not self._dict and not self._named:
            _refuse_other_names(parameters, names)

    def of(self, x: Array) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of h at x."""
        if not (self._dict or self._named):
            return (x.copy(),), {}
        values = as_given(x, self._names, self._kinds)
        return ((values,), {}) if self._dict else ((), values)

    def reason_of(self, error: BaseException) -> str:
        """Why h failed, with what to do where it took the array for a dict."""
        if self._dict or self._named or not (isinstance(error, IndexError) and "only integers, slices" in str(error)):
            return reason_of(error)
        return f"{reason_of(error)}: h gets an array; a dict, where it says so, def h(p: dict), or a value for each argument " \
               f"that is called like a parameter, def h({', '.join(self._names)})"
