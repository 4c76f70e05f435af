"""The benchmark problems, by the code that ``gofh bench`` runs.

>>> problem = load("environment")
>>> problem.d, problem.m, problem.sense
(4, 12, 'maximize')
>>> problem.regret(problem.optimiser) < 1e-12
True
>>> study = problem.study(budget=5)
>>> while trial := study.ask():
...     study.tell(trial, problem.h(trial.x))
"""
from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from gofh import _gofh, parameters
from gofh.description import Settings
from gofh.errors import ArgumentError, did_you_mean
from gofh.results import Array
from gofh.study import Study


def names() -> list[str]:
    """All problems; those of the paper come first."""
    return _gofh.bench_names()


def load(name: str, instance: int = 0) -> Problem:
    """A problem by its name. Instances of a drawn problem are different functions, those of a noisy
    one have different noise; ``gofh bench run`` uses the number of the replication."""
    return Problem(name, instance)


def _doubles(values: npt.ArrayLike) -> Array:
    return np.require(values, np.float64, ["C", "ALIGNED"])


def _bound(lower: float, upper: float, log: bool, values: tuple[float, list[float], list[str]] | None) -> Any:
    """As ``bounds`` of a study has it."""
    scale = "log" if log else "linear"
    if values is None:
        return lower, upper, scale
    step, numbers, words = values
    if words:
        return parameters.choices(words)
    return parameters.values(numbers, scale) if numbers else parameters.grid(lower, upper, step, scale)


class Problem:
    """f(x) = g(h(x)) with a known optimum. It can be sent to other processes."""

    def __init__(self, name: str, instance: int = 0) -> None:
        if name not in (known := names()):
            hint = did_you_mean(str(name), known, "gofh.problems.names() lists them")
            raise ArgumentError(f"there is no problem {name!r}: {hint}")
        self._core = _gofh.Bench(name, instance)
        described = self._core.describe()
        self.name, self.instance = name, instance
        self.description: str = described["description"]
        self.bounds = {name: _bound(*about) for name, *about in described["parameters"]}
        self.lower = np.array([lower for _, lower, *_ in described["parameters"]])
        self.upper = np.array([upper for _, _, upper, *_ in described["parameters"]])
        self.logarithmic = np.array([log for _, _, _, log, _ in described["parameters"]])
        self.d, self.m = len(self.bounds), int(described["outputs"])
        self.objective: str = described["objective"]
        self.sense: str = described["sense"]
        self.constraints: list[str] = described["constraints"]
        self.data = {n: np.array(values) for n, values in described["data"].items()}
        self.least_squares: bool = described["least_squares"]
        self.drawn: bool = described["drawn"]
        self.noise: float = described["noise"]
        self.optimum: float = described["optimum"]
        self.optimiser = np.array(described["optimiser"])
        self.initial: int = described["initial"]
        self.start = None if described["start"] is None else np.array(described["start"])

    def __reduce__(self) -> tuple[type[Problem], tuple[str, int]]:
        return Problem, (self.name, self.instance)

    def __repr__(self) -> str:
        return f"<gofh problem {self.name}: {self.d} parameters, {self.m} outputs>"

    def study(self, **settings: Unpack[Settings]) -> Study:
        """A study of this problem, stated as a user would."""
        noise = "estimated" if self.noise > 0 else None
        return Study(self.objective, self.bounds, outputs=self.m, sense=self.sense, data=self.data,
                     constraints=self.constraints, noise=noise, **settings)

    def _point(self, x: npt.ArrayLike) -> Array:
        point = _doubles(x)
        if point.size != self.d:
            raise ArgumentError(f"a point of shape {point.shape}: there are {self.d} parameters")
        return point.ravel()

    def _evaluate(self, x: npt.ArrayLike, evaluation: int) -> Array:
        y = np.empty(self.m)
        if not self._core.evaluate(self._point(x), evaluation, y):
            raise ArithmeticError("the evaluation failed")
        return y

    def h(self, x: npt.ArrayLike) -> Array:
        """The outputs without noise. ArithmeticError where the evaluation fails."""
        return self._evaluate(x, 0)

    def observe(self, x: npt.ArrayLike, evaluation: int) -> Array:
        """The outputs with the noise of this evaluation, from 1."""
        return self._evaluate(x, evaluation)

    def g(self, y: npt.ArrayLike, x: npt.ArrayLike) -> Array:
        """The outer function of a batch; infinite where a constraint does not hold."""
        batch, points = np.atleast_2d(_doubles(y)), np.atleast_2d(_doubles(x))
        value = np.empty(len(batch))
        self._core.outer(len(batch), batch, points, value, None, None)
        return value

    def gradient(self, y: npt.ArrayLike, x: npt.ArrayLike) -> tuple[Array, Array]:
        """The gradient of g in y, and in x."""
        batch, points = np.atleast_2d(_doubles(y)), np.atleast_2d(_doubles(x))
        dy, dx = np.empty_like(batch), np.empty_like(points)
        self._core.outer(len(batch), batch, points, np.empty(len(batch)), dy, dx)
        return dy, dx

    def residuals(self, y: npt.ArrayLike) -> Array:
        """Of a least-squares problem: their sum of squares is the absolute value of g."""
        residual = np.empty(self.m)
        self._core.residuals(_doubles(y), residual)
        return residual

    def regret(self, x: npt.ArrayLike) -> float:
        """How far f(x), without noise, is from the optimum."""
        return self._core.regret(self._point(x))

    def log_regret(self, x: npt.ArrayLike) -> float:
        """The regret's logarithm to base 10, as ``gofh bench`` gives it."""
        return self._core.log_regret(self._point(x))

    def design(self, seed: int, replication: int, start: bool = False) -> Array:
        """The initial design of a replication of ``gofh bench run``, or of ``gofh bench run --start``."""
        x = np.empty((self.initial, self.d))
        self._core.design(seed, replication, x, start)
        return x
