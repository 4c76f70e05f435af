"""Calibrations whose posterior can be sampled on the simulator itself."""
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

import gofh


@dataclass
class Problem:
    name: str
    lower: np.ndarray
    upper: np.ndarray
    logarithmic: np.ndarray
    h: Callable[[np.ndarray], np.ndarray]  # one point in the user's units
    data: np.ndarray
    sigma: float
    many: Callable[[np.ndarray], np.ndarray] | None = None  # rows of points at once
    names: list[str] = field(init=False)

    def __post_init__(self):
        self.names = [f"x{k}" for k in range(self.d)]

    @property
    def d(self):
        return len(self.lower)

    def to_user(self, u):
        low = np.where(self.logarithmic, np.log(np.where(self.logarithmic, self.lower, 1.0)), self.lower)
        high = np.where(self.logarithmic, np.log(np.where(self.logarithmic, self.upper, 1.0)), self.upper)
        x = low + (high - low) * u
        return np.where(self.logarithmic, np.exp(np.where(self.logarithmic, x, 0.0)), x)

    def to_unit(self, x):
        take = [np.where(self.logarithmic, np.log(np.where(self.logarithmic, v, 1.0)), v) for v in (self.lower, self.upper, x)]
        return (take[2] - take[0]) / (take[1] - take[0])

    def outputs(self, u):
        x = self.to_user(np.atleast_2d(u))
        return self.many(x) if self.many else np.array([self.h(row) for row in x])

    def log_likelihood(self, u):
        return -0.5 * np.sum(((self.outputs(u) - self.data) / self.sigma) ** 2, axis=1)

    def parameters(self):
        return {name: (low, high, "log") if is_log else (low, high) for name, low, high, is_log in
                zip(self.names, self.lower, self.upper, self.logarithmic)}


def _of_formula(name, lower, upper, many, truth, sigma, seed, exact=None):
    """Data are those of `truth` with normal noise, or `exact`."""
    lower, upper = np.asarray(lower, float), np.asarray(upper, float)
    clean = many(np.atleast_2d(np.asarray(truth, float)))[0] if exact is None else None
    data = np.asarray(exact, float) if exact is not None else clean + sigma * np.random.default_rng(seed).normal(size=clean.shape)
    return Problem(name, lower, upper, np.zeros(len(lower), bool), lambda x: many(np.atleast_2d(x))[0], data, sigma, many)


def _of_library(name, sigma, truth=None, seed=0, every=1):
    """The measured data of a problem of the benchmark, or those of `truth` with noise; of each so many outputs."""
    own = gofh.problems.load(name, 1)
    h = lambda x: own.observe(np.clip(x, own.lower, own.upper), 1)[::every]
    if truth is None:
        data = own.data["observed"][::every]
    else:
        clean = h(np.asarray(truth, float))
        data = clean + sigma * np.random.default_rng(seed).normal(size=clean.shape)
    return Problem(name, own.lower, own.upper, np.asarray(own.logarithmic), h, np.asarray(data), sigma)


def _bimodal(x):
    return np.stack([x[:, 0] ** 2, x[:, 0] ** 2 + x[:, 1], 0.1 * x[:, 0] + x[:, 1]], axis=1)


def _himmelblau(x):
    return np.stack([x[:, 0] ** 2 + x[:, 1] - 11, x[:, 0] + x[:, 1] ** 2 - 7], axis=1)


def _holder(x):
    radius = np.hypot(x[:, 0], x[:, 1])
    return np.stack([np.sin(x[:, 0]) * np.cos(x[:, 1]), np.exp(np.abs(1 - radius / np.pi))], axis=1)


def _banana(x):
    return np.stack([x[:, 0], x[:, 1] - x[:, 0] ** 2, 0.3 * x[:, 0] * x[:, 1]], axis=1)


_TIMES = np.linspace(0, 4, 10)


def _product(x):
    return x[:, :1] * x[:, 1:2] * np.exp(-x[:, 2:3] * _TIMES)


def make(name, seed=0):
    """One of NAMES."""
    match name:
        case "environment":
            return _of_library(name, 0.03, (10, 0.07, 1.505, 30.1525), seed)
        case "epidemic":
            return _of_library(name, 10.0, gofh.problems.load(name, 1).optimiser, seed, every=5)
        case "pinene":
            return _of_library(name, 0.75)
        case "solar":
            return _of_library(name, 8.6e-4)
        case "bimodal":
            return _of_formula(name, (-2, -2), (2, 2), _bimodal, (1.1, 0.3), 0.15, seed)
        case "himmelblau":
            return _of_formula(name, (-5, -5), (5, 5), _himmelblau, None, 1.5, seed, exact=(0.0, 0.0))
        case "holder":
            return _of_formula(name, (-10, -10), (10, 10), _holder, None, 0.3, seed, exact=(-0.95, 19.2 / 0.95))
        case "banana":
            return _of_formula(name, (-2, -1), (2, 4), _banana, (0.6, 0.7), 0.3, seed)
        case "unidentifiable":
            return _of_formula(name, (0.5, 0.5, 0.1), (4, 4, 2), _product, (1.5, 2.0, 0.7), 0.1, seed)
    raise ValueError(name)


NAMES = ("bimodal", "banana", "himmelblau", "holder", "unidentifiable", "environment", "epidemic", "solar", "pinene")
