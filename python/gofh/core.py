"""How a study of the library is made from what users told."""
from __future__ import annotations

import os
import platform
from dataclasses import replace
from typing import Any

import numpy as np

from gofh import _gofh
from gofh.description import Description
from gofh.errors import ArgumentError, Error, LockedError
from gofh.outer import Function, wrap


def _objective(told: Description, gradient: Function | str | None) -> tuple[Any, bool]:
    """g as the library takes it, and whether it has a gradient."""
    if told.sense not in ("minimize", "maximize"):
        raise ArgumentError(f"sense is {told.sense!r}: it is 'minimize' or 'maximize'")
    if callable(told.objective):
        return wrap(told.objective, gradient, len(told.parameters), told.m)
    if gradient is not None:
        raise ArgumentError("a gradient is given of a g that is no function")
    if isinstance(told.objective, str):
        return told.objective, False
    weights = np.asarray(told.objective)
    if weights.dtype.kind not in "biuf":
        raise ArgumentError(f"g is {told.objective!r}: it is an expression, a function, or weights of the outputs")
    return np.ascontiguousarray(weights, dtype=np.float64).ravel(), False


def build(
    told: Description, gradient: Function | str | None = None, path: str | None = None, read_only: bool = False
) -> _gofh.Study:
    """A study in memory, or of a file."""
    objective, differentiable = _objective(told, gradient)
    try:
        return _gofh.Study(
            parameters=told.parameters,
            outputs=told.outputs,
            data=told.data,
            objective=objective,
            maximise=told.sense == "maximize",
            gradient=differentiable,
            constraints=told.constraints,
            noise=told.noise,
            settings=told.settings,
            path=path,
            read_only=read_only,
        )
    except LockedError as error:
        if f"by process {os.getpid()} on {platform.node()} " not in str(error):
            raise
        raise LockedError(f"{path} is open in this process already, as another study: close() that one first") from None


def _check_any(possible: list[Description]) -> None:
    errors = []
    for told in possible:
        try:
            build(told)
            return
        except Error as error:
            errors.append(error)
    texts = set(map(str, errors))
    if len(texts) == 1 and "unknown name" not in texts.pop():
        raise errors[0]


def check(told: Description, gradient: Function | str | None) -> None:
    """Says what is wrong with g and constraints whatever the outputs are: now, not after an evaluation.

    Names may be those of outputs. What is wrong with many outputs as with one, and with as many as there are data, is
    wrong.
    """
    _objective(told, gradient)
    sizes = {1, 1000, *(values.size for values in told.data.values())}
    if isinstance(told.objective, str):
        _check_any([replace(told, outputs=size, constraints=[]) for size in sizes])
    _check_any([replace(told, outputs=size, objective=np.ones(size)) for size in sizes])
