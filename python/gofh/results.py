"""What comes back: trials, recommendations, predictions, and the result of a whole run."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from gofh.study import Study

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Trial:
    """One evaluation of h, asked for, done or failed."""

    number: int  #: from 1
    x: Array  #: where
    y: Array | None = None  #: h(x), once it is done
    f: float = float("nan")  #: g(h(x)), once it is done; infinite where it is not feasible, or overflows
    state: str = "open"  #: "open", "done", "failed" or "forgotten"
    reason: str = ""  #: why it failed
    #: why this point: "start", "design", "import", a move of the method ("improve", "local", ...), or a method's name
    origin: str = ""
    expected: float = float("nan")  #: by how much f was expected to improve; NaN where that was not known
    imported: bool = False  #: whether it was made elsewhere
    variance: Array | None = None  #: of the noise of this observation, NaN where it is not known; None: none is
    feasible: float = float("nan")  #: how likely its constraints were to hold when it was chosen; NaN: not known


class Recommendation(NamedTuple):
    """The point with the best posterior mean of f, evaluated or not."""

    x: Array
    f: float  #: the posterior mean of f there
    deviation: float  #: its posterior standard deviation
    y: Array | None  #: the posterior mean of h there; None for methods that model only f


class Assessment(NamedTuple):
    """How sure the study is of its best evaluation."""

    message: str  #: all of it in words
    success: bool  #: whether the model vouches for it, or the target is reached
    ended: bool  #: whether nothing more is expected: ``stop="auto"`` would end the study
    best_possible: bool  #: whether f is as good as it can be, whatever the outputs are
    stuck: bool  #: whether it may be stuck
    explained: float  #: the share of the outputs' variation that the model predicts, each trial from the others
    recent: int  #: how many suggestions the next three are of
    promised: float  #: by how much they expected to improve f, in all
    gained: float  #: by how much they did
    repeated: int  #: how many were at points tried before
    bounds: dict[str, str]  #: the parameters at a bound: "lower" or "upper"


class Prediction(NamedTuple):
    """The model's posterior at some points."""

    f: Array  #: mean of f, one value per point
    deviation: Array  #: standard deviation of f
    mean: Array | None  #: of h, one row per point; None for methods that model only f
    variance: Array | None  #: of h


class ObjectivePrediction(NamedTuple):
    """The model's posterior of the objective at some points, with the constraints left aside."""

    f: Array  #: mean of the objective, one value per point
    deviation: Array  #: its standard deviation
    feasible: Array  #: how probable it is that the constraints hold; NaN for methods that model only f


class Comparison(NamedTuple):
    """What the objective or a constraint compares an output with."""

    output: int  #: index in y
    data: str | None  #: the name of the data that the value is made of; None: several
    value: float
    deviation: float  #: its standard deviation, in the output's units; NaN: not given


class Hyperparameters(NamedTuple):
    """Of the model of one output. docs/python.md says how the posterior is made of them."""

    lengthscale: Array  #: fractions of each parameter's range
    variance: float  #: of the signal
    noise: float  #: variance of the noise; 0: exact
    mean: float  #: its estimate; to be fixed: NaN where it is to be integrated out
    nugget: float = 0.0  #: what the factorisation needed, relative to the variance
    trend: float = 0.0  #: the share of the quadratic trend in the kernel; not to be fixed
    logarithmic: bool = False  #: whether it is the output's logarithm that is modelled; not to be fixed
    asinh_scale: float = 0.0  #: s where asinh(output / s) is modelled, 0 where not; not to be fixed
    inflation: float = 1.0  #: the factor on deviations that predictions are given with; not to be fixed
    kernel: str = "squared-exponential"  #: as in the settings, or "matern-5/2" where outputs are noisy


@dataclass(eq=False)
class Result:
    """What a run found, with the names that SciPy's results have."""

    x: Array  #: the best point evaluated; NaN where none was
    fun: float  #: f there
    y: Array  #: h there
    nfev: int  #: evaluations of h, failed ones included
    success: bool  #: whether the model vouches for what was found, or the target is reached: Study.assess
    message: str  #: why it ended, and how sure it is
    history: list[Trial] = field(repr=False)  #: all trials, in order
    nfail: int = 0  #: evaluations that failed
    study: Study | None = field(default=None, repr=False)  #: to go on with

    def __repr__(self) -> str:
        shown = ["message", "success", "fun", "x", "y", "nfev", "nfail"]
        width = max(map(len, shown)) + 1
        with np.printoptions(linewidth=74 - width, edgeitems=2, threshold=12, formatter=_FORMAT):
            texts = [str(getattr(self, name)).replace("\n", "\n" + " " * (width + 2)) for name in shown]
        return "\n".join(f"{name:>{width}}: {text}" for name, text in zip(shown, texts))

    def __getitem__(self, name: str) -> Any:
        """A field by its name, as in SciPy's results."""
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> list[str]:
        """The names of the fields."""
        return [own.name for own in fields(self)]

    def _repr_html_(self) -> str:
        from gofh import show

        return show.result_html(self)

    def __getstate__(self) -> dict[str, Any]:
        """Without the study, which can't be pickled: it can be opened again from its file."""
        return {**self.__dict__, "study": None}


def _ten_wide(value: float) -> str:
    """As SciPy's results show numbers in arrays."""
    if np.isposinf(value):
        return "       inf"
    if np.isneginf(value):
        return "      -inf"
    if np.isnan(value):
        return "       nan"
    return f"{value:10.3e}"


_FORMAT: Any = {"float_kind": _ten_wide}
