"""From h, g and bounds to the best point, in one call."""
from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Unpack
from weakref import WeakValueDictionary

import numpy.typing as npt

from gofh.description import Bounds, Objective, Outputs, PathLike, Points, Prior, Settings, check_names, read_points
from gofh.evaluate import Callback, Inner, Plan, Run
from gofh.outer import Function
from gofh.results import Result
from gofh.study import Study

_Arguments = ParamSpec("_Arguments")
_files: WeakValueDictionary[str, Study] = WeakValueDictionary()


def _search(
    sense: str,
    h: Inner,
    g: Objective,
    bounds: Bounds,
    *,
    outputs: Outputs | None = None,
    x0: Points | None = None,
    data: Mapping[str, npt.ArrayLike] | None = None,
    sigma: Mapping[str, npt.ArrayLike] | None = None,
    at: Mapping[str, npt.ArrayLike] | None = None,
    constraints: Sequence[str] | str | None = (),
    noise: Any = None,
    missing: bool | str | Sequence[str] = False,
    prior: Mapping[str, Prior] | None = None,
    discrepancy: Mapping[str, npt.ArrayLike] | None = None,
    log_likelihood: bool = False,
    gradient: Function | str | None = None,
    path: PathLike | None = None,
    workers: int | Executor = 1,
    parallel: int | None = None,
    callback: Callback | None = None,
    progress: bool | None = None,
    on_failure: str = "learn",
    **settings: Unpack[Settings],
) -> Result:
    plan = Plan(h, workers, parallel, callback, progress, on_failure)
    file = "" if path is None else os.path.realpath(path)
    if (before := _files.get(file)) is not None and not before._running:
        before.close()  # the same call goes on with a file, also where the result of the last one is still around
    study = Study(
        g,
        bounds,
        outputs=outputs,
        sense=sense,
        data=data,
        sigma=sigma,
        at=at,
        constraints=constraints,
        noise=noise,
        missing=missing,
        prior=prior,
        discrepancy=discrepancy,
        log_likelihood=log_likelihood,
        gradient=gradient,
        path=path,
        **settings,
    )
    if file:
        _files[file] = study
    if x0 is not None:
        study._enqueue_missing(read_points(x0, study.names, study.kinds))
    return Run(study, plan).result()


def _arguments_of(
    search: Callable[Concatenate[str, _Arguments], Result],
) -> Callable[[Callable[..., Result]], Callable[_Arguments, Result]]:
    """Gives a function the arguments of a search but for the sense, to type checkers and to
    help()."""
    whole = inspect.signature(search)
    signature = whole.replace(parameters=list(whole.parameters.values())[1:])

    def give(function: Callable[..., Result]) -> Callable[_Arguments, Result]:
        @wraps(function)
        def checked(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> Result:
            try:
                signature.bind(*arguments, **named)
            except TypeError as reason:
                raise TypeError(f"{function.__name__}() {reason}") from None
            check_names(named.keys() - signature.parameters.keys(), signature.parameters)
            return function(*arguments, **named)

        setattr(checked, "__signature__", signature)
        return checked

    return give


@_arguments_of(_search)
def minimize(*arguments: Any, **named: Any) -> Result:
    """Minimises f(x) = g(h(x)).

    >>> import numpy as np
    >>> t = np.arange(6)
    >>> result = minimize(lambda x: x[0] * np.exp(-x[1] * t), "sum((y - observed)^2)",
    ...                   {"amplitude": (1, 10), "rate": (0.01, 10, "log")},
    ...                   data={"observed": 5 * np.exp(-0.5 * t)}, budget=25)
    >>> bool(np.allclose(result.x, [5, 0.5], atol=0.05))
    True

    ``h``
        takes a point and returns its outputs: an array, a number, or a dict of them by name. The point is an array of
        numbers; where the arguments of h are called like the parameters, a value for each, choices as texts and whole
        numbers as int; or a dict of these (``def h(p: dict)``). An exception, a NaN or an answer of the wrong size is a failed evaluation, which is recorded with its reason; with
        ``on_failure="raise"`` the first one ends the run.
    ``g``
        is an expression of the outputs (``y``, or their names), the parameters and ``data``; weights of a sum of the
        outputs; or a function of a batch, ``g(y)`` or ``g(y, x)``, with y of shape (count, m), x of shape (count, d) and
        count values returned. Its ``gradient`` is a function of the same arguments that gives dy, or (dy, dx); or
        "torch" or "jax", for a g that is written with them. A dict is a fit: ``{"V": "measured"}`` is least squares of
        the output V against the data of that name, weighted by their ``sigma``; ``{"V": {"data": "measured",
        "residual": "log", "loss": "huber"}}`` says how. Data that are NaN are missing, and left out.
    ``sigma``
        the standard deviations of ``data``, by their names: one for each value, or one for all.
    ``prior``
        what is known of parameters before the data, by their names, for :meth:`Study.posterior` alone:
        ``"normal(90, 5)"``, ``"lognormal(1e-3, 1)"``.
    ``discrepancy``
        where ``data`` were measured that the simulator may not be able to fit, by their names, for
        :meth:`Study.posterior` alone: what is left of them is noise and a smooth function of that.
    ``log_likelihood``
        whether g, an expression that is maximised, is the logarithm of a likelihood, up to a constant, for
        :meth:`Study.posterior`.
    ``bounds``
        pairs, a dict of pairs by name, or SciPy's Bounds; a third item "log" means a logarithmic scale. In place of a
        pair: a range of whole numbers, a list of texts to choose from, ``gofh.values([6, 8, 10])``,
        ``gofh.grid(1, 12, 0.5)``, ``gofh.integer(1, 9)``, ``gofh.choices([...], ordered=True)``, ``gofh.fixed(7850)``.
        Two numbers are an interval also in a list; a list of three or more is a catalogue.
    ``x0``
        a point that you have, or several, which are evaluated first: arrays, or dicts by name. What a point leaves out,
        or has as NaN, is chosen. They count against the budget, and as points of the initial design. With a ``path``,
        those that the study knows already are not evaluated again.
    ``outputs``
        their number, or a dict of sizes by name. Where it is left out, the first result tells. ``{"V": {"at": "t"}}`` is
        a curve: h returns a dict with V and t, of any length, and V is interpolated where its data were measured, which
        ``at={"measured": times}`` says. With ``"extend": "last"`` it has its last value beyond its end.
    ``noise``
        the outputs' standard deviation (one for all, for each, or by name), or "estimated".
    ``missing``
        True, or the names of outputs that may be NaN: the other values of such an answer are used. Where g needs what
        is missing, f of the evaluation is NaN, and it is not the best.
    ``path``
        a file that keeps the study: the same call goes on with it. A new one needs ``outputs``.
    ``workers``
        processes to run h in (-1: one a processor), or an executor of concurrent.futures; ``parallel`` evaluations are
        under way at once.
    ``callback``
        is called with the study and the trial that is over; a true answer, or StopIteration, ends the run.
    ``progress``
        a line on standard error; by default where that is a terminal or a notebook.
    ``settings``
        how to search: ``budget`` (60), ``seed`` (1), ``stop`` ("auto", or "never": use the budget), ``target`` (an f that
        is good enough); ``help(gofh.Settings)`` lists all.

    ^C ends the run and keeps what was done: the result says "interrupted", and its study can go on.
    An exception that ends the run, of the callback or of g, has the result so far as its attribute
    ``result``.
    """
    return _search("minimize", *arguments, **named)


@_arguments_of(_search)
def maximize(*arguments: Any, **named: Any) -> Result:
    """Maximises f(x) = g(h(x)); all else is as in minimize.

    >>> result = maximize(lambda x: [x[0], 1 - x[0]], "y[0]*y[1]", [(0, 1)], budget=12)
    >>> round(result.fun, 4)
    0.25
    """
    return _search("maximize", *arguments, **named)
