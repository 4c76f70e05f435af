"""A problem as users tell it, as a problem file has it, and as a study's file keeps it."""
from __future__ import annotations

import math
import numbers
import os
import re
import reprlib
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from gofh import _gofh
from gofh.answers import Curve, Sizes, by_name, names_in, unmasked
from gofh.errors import ArgumentError, did_you_mean, no_such
from gofh.outer import Function
from gofh.parameters import Kind, kind_of, to_number
from gofh.results import Array

Bounds = Mapping[str, Sequence[Any]] | Sequence[Sequence[Any]] | Any
#: By name, choices by their texts too, or an array. In the queue NaN, or a name left out, is for the study to choose.
Point = Mapping[str, float | str] | npt.ArrayLike
Points = Point | Sequence[Mapping[str, float | str]]
#: How many, sizes by name, or names; {"at": "t"} in place of a size: a curve over t, wanted where its data are
Outputs = int | Mapping[str, int | Mapping[str, str]] | Sequence[str]
#: What an output is fitted to: the name of data, or {"data": name, "residual": "log", "loss": "huber", "threshold": 2}
Fitted = str | Mapping[str, Any]
#: "normal(90, 5)", "lognormal(1e-3, 1)", "uniform", or a tuple of the same
Prior = str | tuple[str, float, float] | tuple[str]
Objective = str | Function | Sequence[float] | Array | Mapping[str, Fitted]
PathLike = str | os.PathLike[str]

_INT_MAX = 2**31 - 1  # of the library
_KINDS = ("(lower, upper), (lower, upper, 'log'), a range, a list of texts, a list of three numbers or more, gofh.integer, "
          "gofh.grid, gofh.values, gofh.choices or gofh.fixed")


class Settings(TypedDict, total=False):
    """How to search. All of it has defaults, those of the C library (``gofh_settings`` in ``gofh.h``), which None means
    too.

    ``budget``         evaluations in all; 0: no limit; default 60
    ``seed``           same seed, same evaluations in the same order: same run; default 1
    ``stop``           "auto" (the default) ends when nothing more is expected, "never" uses the budget
    ``target``         ends when the best f is as good as this; default: none
    ``tolerance``      ends when suggestions in a row each expected to improve f by less than this; default 0: none
    ``patience``       how many suggestions; default 0: never, or 3 where there is a tolerance
    ``goal``           "optimum" (the default), or "posterior": runs that make ``study.posterior()`` certain
    ``threads``        for computing suggestions; default 1
    ``initial``        points of the initial design; default d + 1, at least 3 and the most choices, up to 8; for the paper's methods 2(d + 1)
    ``design``         "uniform" (the default) or "sobol"
    ``method``         one of gofh.methods(); default "gofh"
    ``kernel``         "squared-exponential" (the default), "matern-5/2" or "matern-3/2"
    ``hyper``          "sample" (the default), "map" or "fixed"; the method "gofh" treats the first as the second
    ``hyper_samples``  default 10; not used by "gofh"
    ``memory_limit``   bytes for the factors of covariances; default 4 GiB

    Of priors, on inputs in the unit cube and outputs standardised:

    ``lengthscale_median``, ``lengthscale_spread``  of the log-normal one of lengthscales; default 0.5 and 1
    ``variance_scale``, ``variance_weight``         of the scaled inverse chi-squared one of variances; default 1 and 1
    ``noise_median``, ``noise_spread``              of the log-normal one of the noise's share; default 1e-4 and 3
    """

    seed: int | None
    budget: int | None
    method: str
    threads: int
    initial: int
    design: str
    kernel: str
    hyper: str
    hyper_samples: int
    target: float | None
    tolerance: float
    patience: int
    stop: str
    goal: str
    lengthscale_median: float
    lengthscale_spread: float
    variance_scale: float
    variance_weight: float
    noise_median: float
    noise_spread: float
    memory_limit: float


@dataclass(frozen=True)
class Place:
    """What is known of data beyond their values, for figures."""

    at: Array | None = None  #: where they were measured
    at_name: str | None = None
    unit: str | None = None
    label: str | None = None


@dataclass
class Description:
    parameters: list[tuple[str, float, float, bool]]  #: name, lower, upper, whether on a logarithmic scale
    outputs: Sizes
    objective: Objective
    starts: list[list[float]] = field(default_factory=list)  #: points that the user has, a row each
    sense: str = "minimize"
    data: dict[str, Array] = field(default_factory=dict)
    sigma: dict[str, Array] = field(default_factory=dict)  #: standard deviations of data, by their name
    constraints: list[str] = field(default_factory=list)
    noise: Array | None = None
    missing: bool | list[str] = False  #: the outputs that may be missing from a result; True: all
    curves: dict[str, Curve] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)  #: by the name of data
    prior: list[tuple[str, int, float, float]] = field(default_factory=list)  #: name, kind, location, spread
    discrepancy: dict[str, Array] = field(default_factory=dict)  #: where data were measured whose simulator may differ
    log_likelihood: bool = False  #: whether the objective is the logarithm of a likelihood
    settings: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)  #: of parameters that are no intervals, by name

    @property
    def m(self) -> int:
        return self.outputs if isinstance(self.outputs, int) else sum(size for _, size in self.outputs)


def may_miss(missing: bool | list[str], outputs: Sizes) -> Array:
    """Whether each value of the outputs may be missing."""
    sizes = [("y", outputs)] if isinstance(outputs, int) else outputs
    return np.concatenate([np.full(size, missing is True or (missing is not False and name in missing)) for name, size in sizes])


def read_missing(missing: Any, outputs: Sizes | None = None) -> bool | list[str]:
    """Which outputs may be missing: all, none, or those of these names."""
    if isinstance(missing, bool):
        return missing
    names = [missing] if isinstance(missing, str) else missing
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ArgumentError(f"missing is {reprlib.repr(missing)}: it is True, or names of outputs")
    known = [name for name, _ in ([("y", outputs)] if isinstance(outputs, int) else outputs or [])]
    for name in names:
        if outputs is not None and name not in known:
            raise ArgumentError(f"missing has {name!r}, {no_such('output', name, known)}")
    return list(names)


def _one_parameter(name: str, bound: Any, kinds: dict[str, Kind]) -> tuple[str, float, float, bool]:
    if isinstance(bound, Set):
        raise ArgumentError(f"the bounds of {name} are {bound!r}: a set has no order; they are (lower, upper), or a list of texts")
    try:
        kind = kind_of(bound)
    except ArgumentError as error:
        raise ArgumentError(f"parameter {name}: {error}") from None
    if kind is not None:
        kinds[name] = kind
        return name, kind.lower, kind.upper, kind.logarithmic
    try:
        lower, upper, *scale = bound
        numbers = float(lower), float(upper)
    except (TypeError, ValueError):
        raise ArgumentError(f"the bounds of {name} are {reprlib.repr(bound)}: they are {_KINDS}") from None
    if isinstance(lower, bool | np.bool_) or isinstance(upper, bool | np.bool_):
        raise ArgumentError(f"the bounds of {name} are {bound!r}: they are numbers; a parameter that is true or false is "
                            "gofh.integer(0, 1), or a list of two texts")
    if len(scale) > 1:
        raise ArgumentError(f"the bounds of {name} are {reprlib.repr(bound)}: they are {_KINDS}")
    if scale not in ([], ["linear"], ["log"]):
        whole = f"; whole numbers are gofh.integer({lower}, {upper})" if scale[0] in ("integer", "int", int) else ""
        raise ArgumentError(f"the scale of {name} is {scale[0]!r}: it is 'linear' or 'log'{whole}")
    return name, *numbers, scale == ["log"]


def read_bounds(bounds: Bounds) -> tuple[list[tuple[str, float, float, bool]], dict[str, Kind]]:
    """Parameters from a dict of bounds by name, a sequence of bounds, or SciPy's Bounds; and those that are no
    intervals."""
    kinds: dict[str, Kind] = {}
    if isinstance(bounds, Mapping):
        return [_one_parameter(str(name), bound, kinds) for name, bound in bounds.items()], kinds
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        bounds = list(zip(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub)))
    if isinstance(bounds, str) or callable(bounds):
        raise ArgumentError(f"bounds is {reprlib.repr(bounds)}: it is a dict such as {{'width': (0.1, 3)}}, or a list of pairs; "
                            "the order of the arguments is h, g, bounds")
    if isinstance(bounds, Set):
        raise ArgumentError(f"bounds is {reprlib.repr(bounds)}: a set has no order; it is a dict by name, or a list of pairs")
    pairs = list(bounds) if hasattr(bounds, "__iter__") else [bounds]
    if any(pair is None or isinstance(pair, numbers.Real) for pair in pairs):
        raise ArgumentError(f"bounds is {bounds!r}: it has a pair for each parameter, such as [(0, 1), (0, 1)]")
    return [_one_parameter(f"x{i}", pair, kinds) for i, pair in enumerate(pairs)], kinds


def _by_name(point: Mapping[str, Any], names: list[str], kinds: Mapping[str, Kind]) -> list[float]:
    for name in point:
        if name not in names:
            raise ArgumentError(f"a point has a value of {name!r}, {no_such('parameter', str(name), names)}")
    return [to_number(name, point.get(name, math.nan), kinds) for name in names]


def _row(labels: list[str], values: Iterable[Any], names: list[str]) -> dict[str, Any]:
    """A row of pandas as a dict. What is no parameter is left out where all parameters are there: a table of trials has
    their outputs too."""
    row = dict(zip(labels, values))
    if len(row) < len(labels):
        raise ArgumentError(f"a point has two values of {next(name for name in row if labels.count(name) > 1)!r}")
    return {name: row[name] for name in names} if row.keys() >= set(names) else row


def as_list(x: Any, names: list[str]) -> Any:
    """Points as a list, with dicts for what has names: dicts, and of pandas a Series or a table. All else as it is."""
    labels = names_in(x)
    if labels and hasattr(x, "columns"):
        return [_row(labels, values, names) for values in zip(*(x[label] for label in labels))]
    if labels:
        return [_row(labels, x, names)]
    if isinstance(x, Mapping):
        return [x]
    return [_row(own, point, names) if (own := names_in(point)) else point for point in x] if isinstance(x, Sequence) else x


def read_points(x: Points, names: list[str], kinds: Mapping[str, Kind] = MappingProxyType({})) -> Array:
    """One point or several: arrays, dicts by name, or a Series or a table of pandas. One row per point, NaN where one leaves a value out."""
    listed = as_list(x, names)
    if isinstance(listed, Sequence) and any(isinstance(point, Mapping) for point in listed):
        listed = [_by_name(point, names, kinds) if isinstance(point, Mapping) else point for point in listed]
    try:
        points = np.atleast_2d(np.require(unmasked(listed), np.float64, ["C", "ALIGNED"]))
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{reprlib.repr(x)} is no point: it is an array of numbers, a dict by name, or several of them"
        ) from None
    if points.size == 0:
        return np.empty((0, len(names)))
    if points.ndim != 2 or points.shape[1] != len(names):
        raise ArgumentError(f"points of shape {np.shape(listed)}: there are {len(names)} parameters, one row per point")
    return points


def _size(size: Any, of: str) -> int:
    if not isinstance(size, (int, np.integer)) or isinstance(size, bool) or not 1 <= int(size) <= _INT_MAX:
        raise ArgumentError(f"{of} is {size!r}: it is a whole number, how many values h returns: 1 or more")
    return int(size)


def read_outputs(outputs: Outputs) -> Sizes:
    """A number of outputs that are called y, or names with sizes."""
    if isinstance(outputs, (int, np.integer)):
        return _size(outputs, "outputs")
    if isinstance(outputs, str):
        outputs = [outputs]
    if isinstance(outputs, Mapping) and outputs:
        return [(str(name), _size(size, f"the size of {name}")) for name, size in outputs.items()]
    if not isinstance(outputs, Sequence) or not outputs:
        raise ArgumentError(f"outputs is {outputs!r}: it is how many there are (6), their names, or sizes by name ({{'c': 6}})")
    return [(str(name), 1) for name in outputs]


def _places_of(name: str, g: Objective, places: Mapping[str, Array]) -> Array:
    """Where a curve is wanted: at the places of the data that it is fitted to, or of the only ones that have some."""
    fitted: Any = g.get(name) if isinstance(g, Mapping) else None
    data = fitted["data"] if isinstance(fitted, Mapping) and "data" in fitted else fitted
    if data is None and len(places) == 1:
        data = next(iter(places))
    if data not in places:
        raise ArgumentError(f"the output {name!r} is a curve: at says where its data were measured, such as at={{'measured': times}}")
    return places[data]


def read_curves(outputs: Outputs | None, g: Objective, at: Mapping[str, Any] | None) -> tuple[Outputs | None, dict[str, Curve]]:
    """Outputs with the sizes of curves in place of what was said of them, and the curves."""
    places, curves = read_data(at, "at"), {}
    if not isinstance(outputs, Mapping):
        return outputs, {}
    for name, about in outputs.items():
        if not isinstance(about, Mapping):
            continue
        if not isinstance(about.get("at"), str) or set(about) - {"at", "extend"} or about.get("extend") not in (None, "last"):
            raise ArgumentError(f"the output {name!r} is {about!r}: it is a size, {{'at': 't'}} or {{'at': 't', 'extend': 'last'}}")
        curves[str(name)] = Curve(about["at"], _places_of(str(name), g, places), "extend" in about)
    sizes: dict[str, Any] = {str(name): about for name, about in outputs.items()}
    return {**sizes, **{name: curve.at.size for name, curve in curves.items()}}, curves


def read_places(at: Mapping[str, Any] | None, curves: Mapping[str, Curve]) -> dict[str, Place]:
    """Where data were measured, by the name that a curve which is wanted there has for it."""
    names = {curve.at.tobytes(): curve.at_name for curve in curves.values()}
    return {name: Place(places, names.get(places.tobytes())) for name, places in read_data(at, "at").items()}


def read_data(data: Mapping[str, Any] | None, argument: str = "data") -> dict[str, Array]:
    """Data, or what belongs to them, as arrays of doubles."""
    if not isinstance(data, Mapping | None):
        raise ArgumentError(f"{argument} is {reprlib.repr(data)}: it is a dict of numbers by name")
    read = {}
    for name, values in (data or {}).items():
        try:
            array = np.asarray(unmasked(values))
            if array.dtype.kind == "c":  # NumPy would leave the imaginary part out, with a warning
                raise TypeError
            read[str(name)] = np.require(array, np.float64, ["C", "ALIGNED"]).ravel()
        except (TypeError, ValueError):
            raise ArgumentError(f"the {argument} {name!r} are {reprlib.repr(values)}: they are numbers") from None
    return read


def check_sigma(described: Description) -> None:
    """Refuses standard deviations that weigh nothing, because g is no fit and does not name them."""
    expressions = [*described.constraints, *([described.objective] if isinstance(described.objective, str) else [])]
    used = set(re.findall(r"\w+", " ".join(expressions)))
    for name in described.sigma if not isinstance(described.objective, Mapping) else ():
        if name in described.data and f"{name}_sigma" not in used:
            raise ArgumentError(f"sigma of {name!r} is not used by g: a fit, such as g={{'y': {name!r}}}, is weighted by it; an "
                                f"expression knows it as {name}_sigma, such as sum(((y - {name})/{name}_sigma)^2)")


_FIT_WORDS = {"residual": ["difference", "relative", "log"], "loss": ["square", "huber"]}


def check_known(described: Description, outputs_are_known: bool = True) -> None:
    """Refuses what is said of data, of parameters and of outputs that there are not."""
    fit = described.objective if isinstance(described.objective, Mapping) else {}
    outputs: Iterable[str] = ["y"] if isinstance(described.outputs, int) else dict(described.outputs)
    fitted = [words["data"] if isinstance(words, Mapping) else words for words in fit.values()]
    said: list[tuple[str, Iterable[Any], str, Iterable[str]]] = [
        ("the fit of {!r}", fit, "output", outputs if outputs_are_known else fit),
        ("a fit to {!r}", fitted, "data", described.data),
        ("sigma of {!r}", described.sigma, "data", described.data),
        ("at of {!r}", described.places, "data", described.data),
        ("the discrepancy of {!r}", described.discrepancy, "data", described.data),
        ("a prior of {!r}", [prior[0] for prior in described.prior], "parameter", [p[0] for p in described.parameters]),
    ]
    for text, names, what, known in said:
        for name in names:
            if name not in known:
                raise ArgumentError(f"{text.format(name)}, {no_such(what, str(name), known)}")


def read_fit(fit: Mapping[str, Fitted]) -> list[tuple[str, str, int, int, float]]:
    """A g that is a dict of outputs to data, as the library takes it."""
    pairs = []
    for output, words in fit.items():
        words = {"data": words} if isinstance(words, str) else words
        if not isinstance(words, Mapping) or not isinstance(words.get("data"), str):
            raise ArgumentError(f"the fit of {output!r} is {reprlib.repr(words)}: it is the name of data, or a dict with one")
        for word in words:
            if word not in (known := ["data", "threshold", *_FIT_WORDS]):
                raise ArgumentError(f"the fit of {output!r} has {word!r}: {did_you_mean(str(word), known, ', '.join(known))}")
        chosen = []
        for word, choices in _FIT_WORDS.items():
            if (choice := words.get(word, choices[0])) not in choices:
                raise ArgumentError(f"the {word} of the fit of {output!r} is {choice!r}: it is one of {', '.join(choices)}")
            chosen.append(choices.index(choice))
        threshold: Any = words.get("threshold", 0.0)
        if not isinstance(threshold, numbers.Real) or ("threshold" in words and not float(threshold) > 0):
            raise ArgumentError(f"the threshold of the fit of {output!r} is {threshold!r}: it is a number above 0")
        if "threshold" in words and words.get("loss") != "huber":
            raise ArgumentError(f"the fit of {output!r} has a threshold, which is for the loss 'huber'")
        pairs.append((str(output), str(words["data"]), chosen[0], chosen[1], float(threshold)))
    if not pairs:
        raise ArgumentError("g is an empty dict: it has data for each output that is fitted, such as {'V': 'measured'}")
    return pairs


_PRIORS = ("uniform", "normal", "lognormal")
_PRIOR_TEXT = re.compile(r"\s*(\w+)\s*(?:\(([^,()]*),([^,()]*)\))?\s*")


def _one_prior(name: str, prior: Prior) -> tuple[str, int, float, float]:
    found = _PRIOR_TEXT.fullmatch(prior) if isinstance(prior, str) else None
    parts: Sequence[Any] = [part for part in found.groups() if part is not None] if found else prior
    try:
        kind, *numbers = parts
        location, spread = map(float, numbers) if kind != "uniform" or numbers else (0.0, 0.0)
        return name, _PRIORS.index(kind), location, spread
    except (TypeError, ValueError):
        raise ArgumentError(
            f"the prior of {name!r} is {prior!r}: it is 'uniform', 'normal(mean, deviation)' or 'lognormal(median, deviation of "
            "the logarithm)', or a tuple such as ('normal', 90, 5)"
        ) from None


def read_prior(prior: Mapping[str, Prior] | None) -> list[tuple[str, int, float, float]]:
    """What is known of parameters before the data."""
    return [_one_prior(name, own) for name, own in (prior or {}).items()]


def read_constraints(constraints: Sequence[str] | str | None) -> list[str]:
    """A list of expressions."""
    if constraints is None:
        return []
    single = isinstance(constraints, str) or not isinstance(constraints, Sequence)
    listed: list[Any] = [constraints] if single else list(constraints)
    for constraint in listed:
        if not isinstance(constraint, str):
            raise ArgumentError(f"a constraint is {constraint!r}: it is an expression, such as 'max(stress) <= 250'")
    return listed


def read_noise(noise: Any, outputs: Sizes) -> Array | None:
    """Variances of the outputs, NaN where unknown, from a standard deviation for all, for each, or
    by name."""
    if noise is None or isinstance(noise, str):
        return None
    sizes = [("y", outputs)] if isinstance(outputs, int) else outputs
    noise = noise if isinstance(outputs, int) else by_name(noise)
    if isinstance(noise, Mapping):
        for name in noise:
            if name not in (known := [name for name, _ in sizes]):
                raise ArgumentError(f"noise of {name!r}, {no_such('output', str(name), known)}")
    try:
        if isinstance(noise, Mapping):
            parts = [np.broadcast_to(np.asarray(noise.get(name, math.nan), dtype=np.float64), size) for name, size in sizes]
            deviations = np.concatenate(parts)
        else:
            deviations = np.broadcast_to(np.asarray(noise, dtype=np.float64), sum(size for _, size in sizes))
        if (deviations < 0).any():
            raise ValueError
    except (TypeError, ValueError):
        raise ArgumentError(
            f"noise is {noise!r}: it is a standard deviation, one for each output, or 'estimated'"
        ) from None
    return np.ascontiguousarray(deviations**2)


#: What SciPy, Optuna, Ax and scikit-optimize call our settings and arguments.
_ELSEWHERE = {
    **dict.fromkeys(["maxiter", "maxfev", "maxfun", "max_evals", "n_calls", "n_trials", "total_trials"], "budget"),
    **dict.fromkeys(["random_state", "rng"], "seed"), "n_jobs": "workers", "tol": "tolerance",
    **dict.fromkeys(["n_initial_points", "n_startup_trials"], "initial"), "jac": "gradient",
}


def check_names(settings: Iterable[str], arguments: Iterable[str] = ()) -> None:
    """Refuses what is no setting; what could be meant may be an argument too."""
    known = set(Settings.__annotations__)
    for name in settings:
        if name not in known:
            hint = did_you_mean(name, known.union(arguments), "gofh.Settings lists them")
            hint = f"did you mean {_ELSEWHERE[name]!r}?" if name in _ELSEWHERE else hint
            hint = "h gets a point alone; what else it needs is given by h=lambda x: f(x, ...)" if name == "args" else hint
            raise TypeError(f"unknown setting {name!r}: {hint}")


def _read_setting(name: str, value: Any, default: Any) -> Any:
    kind: Any
    if isinstance(default, int) and isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    kind, what = {int: (numbers.Integral, "a whole number"), float: (numbers.Real, "a number")}.get(
        type(default), (str, "a text")
    )
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"setting {name} is {value!r}: it is {what}")
    least, most = (0, 2**64 - 1) if name == "seed" else (-_INT_MAX - 1, _INT_MAX)
    if kind is numbers.Integral and not least <= int(value) <= most:
        raise ArgumentError(f"setting {name} is {value}: it is between {least} and {most}")
    return value


def read_settings(settings: Mapping[str, Any], noise: Any = None) -> dict[str, Any]:
    """Settings with the noise, and with patience where there is a tolerance."""
    check_names(settings)
    defaults = _gofh.default_settings()
    known = {name: _read_setting(name, value, defaults[name]) for name, value in settings.items() if value is not None}
    if isinstance(noise, str):
        known["noise"] = noise
    if known.get("tolerance", 0) > 0:
        known.setdefault("patience", 3)
    return known


def without_outputs(described: Description) -> Description:
    """What can be said of a problem before its outputs are known, with one output in their
    place."""
    objective: Objective = "output_of_h" if isinstance(described.objective, str) else [1.0]
    return replace(described, outputs=[("output_of_h", 1)], objective=objective, constraints=[], noise=None, missing=False,
                   log_likelihood=False)


def of_problem_file(path: PathLike) -> Description:
    """What a problem file says. Raises ProblemError with file, line and column of what is wrong."""
    read = _gofh.read_problem(os.fspath(path))
    read["data"] = read_data(read["data"])
    read["sigma"] = read_data(read["sigma"])
    read["discrepancy"] = read_data(read["discrepancy"])
    read["places"] = {
        name: Place(None if at is None else np.array(at), *words) for name, at, *words in read["places"]
    }
    read["curves"] = {output: Curve(name, np.array(at), extend) for output, name, at, extend in read["curves"]}
    if isinstance(read["objective"], list):
        read["objective"] = {
            output: {"data": data, **{word: choices[at] for (word, choices), at in zip(_FIT_WORDS.items(), chosen)},
                     **({"threshold": threshold} if threshold else {})}
            for output, data, *chosen, threshold in read["objective"]
        }
    read["kinds"] = {
        name: Kind(kind[0], lower, upper, kind[1], tuple(kind[2]), tuple(kind[3]), kind[4], logarithmic)
        for (name, lower, upper, logarithmic), kind in zip(read["parameters"], read["kinds"]) if kind is not None
    }
    noise = np.array(read["noise"])
    read["noise"] = None if np.isnan(noise).all() else noise
    return Description(**read)


def beside(path: PathLike) -> Path:
    """Where the program keeps the study of a problem file: problem.gofh/study.db."""
    return Path(path).with_suffix(".gofh") / "study.db"
