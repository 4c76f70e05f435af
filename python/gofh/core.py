"""How a study of the library is made from its description."""
from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gofh import _gofh
from gofh.description import Description, check_known, may_miss, read_fit, without_outputs
from gofh.errors import ArgumentError, Error, LockedError
from gofh.outer import Function, wrap


def _objective(described: Description, gradient: Function | str | None) -> tuple[Any, bool]:
    """g as the library takes it, and whether it has a gradient."""
    if described.sense not in ("minimize", "maximize"):
        raise ArgumentError(f"sense is {described.sense!r}: it is 'minimize' or 'maximize'")
    if described.log_likelihood and not (isinstance(described.objective, str) and described.sense == "maximize"):
        raise ArgumentError("log_likelihood says that g, an expression, is the logarithm of a likelihood, which is maximised: sense='maximize'")
    if callable(described.objective):
        return wrap(described.objective, gradient, len(described.parameters), described.m)
    if gradient is not None:
        raise ArgumentError("a gradient is given of a g that is no function")
    if isinstance(described.objective, Mapping):
        if described.sense != "minimize":
            raise ArgumentError("a fit is minimised, not maximised")
        return read_fit(described.objective), False
    if isinstance(described.objective, str):
        return described.objective, False
    weights = np.asarray(described.objective)
    if weights.dtype.kind not in "biuf" or not weights.ndim:
        raise ArgumentError(
            f"g is {described.objective!r}: it is an expression, a function, a fit, or weights of the outputs, one for each"
        )
    return np.require(weights, np.float64, ["C", "ALIGNED"]).ravel(), False


_PYTHON = re.compile(r"\b(np|numpy|jnp|math|torch)\.")


def _kind(described: Description, name: str) -> tuple[Any, ...] | None:
    """As the extension takes it."""
    kind = described.kinds.get(name)
    if kind is None:
        return None
    return kind.kind, kind.step, list(kind.values), list(kind.words), kind.ordered


#: How a file is opened: gofh_open_mode.
WRITE, READ, COPY = 0, 1, 2


def build(
    described: Description, gradient: Function | str | None = None, path: str | None = None, mode: int = WRITE
) -> _gofh.Study:
    """A study in memory, of a file, or in memory with what a file has (COPY)."""
    objective, differentiable = _objective(described, gradient)
    check_known(described)
    try:
        return _gofh.Study(
            parameters=[(*one, _kind(described, one[0])) for one in described.parameters],
            outputs=described.outputs,
            data=described.data,
            sigma=described.sigma,
            objective=objective,
            maximise=described.sense == "maximize",
            gradient=differentiable,
            constraints=described.constraints,
            noise=described.noise,
            missing=np.flatnonzero(may_miss(described.missing, described.outputs)).tolist(),
            prior=described.prior,
            discrepancy=described.discrepancy,
            log_likelihood=described.log_likelihood,
            settings=described.settings,
            path=path,
            mode=mode,
        )
    except LockedError as error:
        if f"by process {os.getpid()} on {platform.node()} " not in str(error):
            raise
        raise LockedError(f"{path} is open in this process already, as another study: close() that one first") from None
    except ArgumentError as error:
        if 'unexpected character "."' not in str(error) or not _PYTHON.search(str(described.objective)):
            raise
        raise ArgumentError(f"{error}: an expression has functions of its own, such as sum(y); what is written with NumPy is "
                            "given as a function of batches, g=lambda y: np.sum(y, axis=1)") from None


def _check_any(possible: list[Description]) -> None:
    errors = []
    for described in possible:
        try:
            build(described)
            return
        except Error as error:
            errors.append(error)
    # Sizes that do not fit hide what is wrong behind them, and may fit with another size.
    others = {str(error): error for error in errors if "sizes do not fit" not in str(error)} or {str(e): e for e in errors}
    text, wrong = others.popitem()
    if not others and "unknown name" not in text:
        raise wrong


def known_constraints(described: Description) -> list[str]:
    """The constraints of parameters and data alone, of a problem whose outputs are not known yet: those that mean
    something without its outputs."""

    def is_known(constraint: str) -> bool:
        try:
            build(replace(without_outputs(described), constraints=[constraint]), None).close()
        except ArgumentError:  # it names an output, or check() says what is wrong with it
            return False
        return True

    return [constraint for constraint in described.constraints if is_known(constraint)]


def check(described: Description, gradient: Function | str | None) -> None:
    """Says what is wrong with g and constraints whatever the outputs are: now, not after an
    evaluation.

    Names may be those of outputs. What is wrong with many outputs as with one, and with as many as
    there are data, is wrong.
    """
    _objective(described, gradient)
    check_known(described, outputs_are_known=False)
    sizes = {1, 1000, *(values.size for values in described.data.values())}
    if isinstance(described.objective, str):
        _check_any([replace(described, outputs=size, constraints=[]) for size in sizes])
    _check_any([replace(described, outputs=size, objective=np.ones(size)) for size in sizes])
