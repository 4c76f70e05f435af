"""Bayesian optimisation of composite functions f(x) = g(h(x)), with h expensive and g cheap and
known.

>>> import gofh
>>> result = gofh.minimize(lambda x: [x[0] - 1, x[0] + x[1]], "sum(y^2)", [(-2, 2), (-2, 2)], budget=15)
>>> result.fun < 1e-4
True

``minimize`` and ``maximize`` run h themselves; a ``Study`` suggests points and takes what came of
them. See docs/python.md.
"""
try:
    from gofh._gofh import methods, version
except ModuleNotFoundError as missing:
    if missing.name != "gofh._gofh":
        raise
    raise ImportError(
        f"{__path__[0]} has gofh's sources without its compiled part: install it by pip install . "
        "in the folder above, and start Python in another one"
    ) from None

from gofh import plot, problems
from gofh.description import Settings
from gofh.errors import (
    ArgumentError,
    ChangedError,
    DamagedError,
    DiskError,
    EmptyError,
    Error,
    EvaluationError,
    LockedError,
    MissingError,
    OuterError,
    ProblemError,
    ReadOnlyError,
    SystemRefusedError,
    TrialError,
)
from gofh.jobs import Jobs
from gofh.parameters import Kind, choices, fixed, grid, integer, values
from gofh.posterior import Posterior
from gofh.results import (
    Assessment, Comparison, Hyperparameters, ObjectivePrediction, Prediction, Recommendation, Result, Trial
)
from gofh.runs import maximize, minimize
from gofh.study import Study

__version__ = version()

__all__ = [
    "ArgumentError",
    "Assessment",
    "ChangedError",
    "Comparison",
    "DamagedError",
    "DiskError",
    "EmptyError",
    "Error",
    "EvaluationError",
    "Hyperparameters",
    "Jobs",
    "Kind",
    "LockedError",
    "MissingError",
    "ObjectivePrediction",
    "OuterError",
    "Posterior",
    "Prediction",
    "ProblemError",
    "ReadOnlyError",
    "Recommendation",
    "Result",
    "Settings",
    "Study",
    "SystemRefusedError",
    "Trial",
    "TrialError",
    "choices",
    "fixed",
    "grid",
    "integer",
    "maximize",
    "methods",
    "minimize",
    "plot",
    "problems",
    "values",
    "version",
]
