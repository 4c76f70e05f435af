"""From h, g and bounds to the best point, in one call."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from gofh import description
from gofh.description import Bounds, Objective, Outputs, PathLike, Settings
from gofh.evaluate import Callback, Inner, Run, Workers
from gofh.outer import Function
from gofh.results import Result
from gofh.study import Study


def _outputs_of(y: Any) -> int | dict[str, int]:
    return {str(name): int(np.size(value)) for name, value in y.items()} if isinstance(y, Mapping) else int(np.size(y))


def _probe(h: Inner, bounds: Bounds, workers: Workers, settings: Settings) -> tuple[Outputs, dict[bytes, Future[Any]]]:
    """How many outputs h has, by evaluating it where the study will; and what came of that, for the study to take."""
    known: dict[bytes, Future[Any]] = {}
    told: Settings = {**settings, "method": "random"}
    with Study("y", bounds, outputs=1, **told) as study:
        tries = study.settings["initial"] if study.settings["initial"] > 0 else 2 * (len(study.names) + 1)
        for _ in range(tries):
            trial = study.ask()
            if trial is None:
                break
            future = workers.executor.submit(h, trial.x.copy())
            known[trial.x.tobytes()] = future
            error = future.exception()
            if error is None and future.result() is not None:
                return _outputs_of(future.result()), known
            last = error or ValueError("h returned None")
            study.fail(trial, "")
    last.add_note(f"h failed at each of the first {len(known)} points, and its outputs were not told")
    raise last


def _run(
    sense: str,
    h: Inner,
    g: Objective,
    bounds: Bounds,
    outputs: Outputs | None,
    data: Mapping[str, npt.ArrayLike] | None,
    constraints: Sequence[str] | str,
    noise: Any,
    gradient: Function | str | None,
    path: PathLike | None,
    workers: int | Executor,
    parallel: int | None,
    callback: Callback | None,
    progress: bool | None,
    on_failure: str,
    settings: Settings,
) -> Result:
    pool = Workers(workers, parallel)
    known: dict[bytes, Future[Any]] = {}
    try:
        if outputs is None and path is not None and Path(path).exists():
            kept = description.of_study_file(path, g).outputs
            outputs = kept if isinstance(kept, int) else dict(kept)
        if outputs is None:
            outputs, known = _probe(h, bounds, pool, settings)
        study = Study(
            g,
            bounds,
            outputs=outputs,
            sense=sense,
            data=data,
            constraints=constraints,
            noise=noise,
            gradient=gradient,
            path=path,
            **settings,
        )
        run = Run(study, h, pool, callback, progress, on_failure, known)
    except BaseException:
        pool.end(at_once=True)
        raise
    return run.result()


def minimize(
    h: Inner,
    g: Objective,
    bounds: Bounds,
    *,
    outputs: Outputs | None = None,
    data: Mapping[str, npt.ArrayLike] | None = None,
    constraints: Sequence[str] | str = (),
    noise: Any = None,
    gradient: Function | str | None = None,
    path: PathLike | None = None,
    workers: int | Executor = 1,
    parallel: int | None = None,
    callback: Callback | None = None,
    progress: bool | None = None,
    on_failure: str = "learn",
    **settings: Unpack[Settings],
) -> Result:
    """Minimises f(x) = g(h(x)).

    >>> import numpy as np
    >>> t = np.arange(6)
    >>> result = minimize(lambda x: x[0] * np.exp(-x[1] * t), "sum((y - observed)^2)",
    ...                   {"amplitude": (1, 10), "rate": (0.01, 10, "log")},
    ...                   data={"observed": 5 * np.exp(-0.5 * t)}, budget=25)
    >>> bool(np.allclose(result.x, [5, 0.5], atol=0.05))
    True

    ``h``
        takes a point as an array and returns its outputs: an array, a number, or a dict of them by name. An exception
        or a NaN is a failed evaluation, which is recorded with its reason; with ``on_failure="raise"`` the first
        exception ends the run.
    ``g``
        is an expression of the outputs (``y``, or their names), the parameters and ``data``; weights of a sum of the
        outputs; or a function of a batch, ``g(y)`` or ``g(y, x)``, with y of shape (count, m), x of shape (count, d) and
        count values returned. Its ``gradient`` is a function of the same arguments that gives dy, or (dy, dx); or
        "torch" or "jax", for a g that is written with them.
    ``bounds``
        pairs, a dict of pairs by name, or SciPy's Bounds; a third item "log" means a logarithmic scale.
    ``outputs``
        their number, or a dict of sizes by name. Where it is left out, the first evaluation tells.
    ``noise``
        the outputs' standard deviation (one for all, for each, or by name), or "estimated".
    ``path``
        a file that keeps the study: the same call goes on with it.
    ``workers``
        processes to run h in (-1: one a processor), or an executor of concurrent.futures; ``parallel`` evaluations are
        under way at once.
    ``callback``
        is called with the study and the trial that is over; a true answer, or StopIteration, ends the run.
    ``progress``
        a line on standard error; by default where that is a terminal or a notebook.

    ^C ends the run and keeps what was done: the result says "interrupted", and its study can go on.
    """
    return _run("minimize", h, g, bounds, outputs, data, constraints, noise, gradient, path, workers, parallel, callback,
                progress, on_failure, settings)


def maximize(
    h: Inner,
    g: Objective,
    bounds: Bounds,
    *,
    outputs: Outputs | None = None,
    data: Mapping[str, npt.ArrayLike] | None = None,
    constraints: Sequence[str] | str = (),
    noise: Any = None,
    gradient: Function | str | None = None,
    path: PathLike | None = None,
    workers: int | Executor = 1,
    parallel: int | None = None,
    callback: Callback | None = None,
    progress: bool | None = None,
    on_failure: str = "learn",
    **settings: Unpack[Settings],
) -> Result:
    """Maximises f(x) = g(h(x)); all else is as in minimize.

    >>> result = maximize(lambda x: [x[0], 1 - x[0]], "y[0]*y[1]", [(0, 1)], budget=12)
    >>> round(result.fun, 4)
    0.25
    """
    return _run("maximize", h, g, bounds, outputs, data, constraints, noise, gradient, path, workers, parallel, callback,
                progress, on_failure, settings)
