"""The posterior of the parameters."""
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gofh.errors import ArgumentError, MissingError
from gofh.results import Array

if TYPE_CHECKING:
    from gofh.parameters import Kind
    from gofh.study import Study


def _digits(value: float, deviation: float) -> int:
    """Significant digits that a value is told with which is known up to this deviation (number_digits of src/base)."""
    if deviation == 0:
        return 15
    if value == 0 or not math.isfinite(value) or not math.isfinite(deviation):
        return 5
    return min(max(math.floor(math.log10(abs(value))) - math.floor(math.log10(deviation)) + 2, 5), 17)


@dataclass(frozen=True)
class Posterior:
    """Samples of the parameters given the data, and what they say. Arrays have a value for each parameter."""

    names: list[str]  #: of the parameters
    samples: Array  #: one row per sample
    sigma: dict[str, Array]  #: samples of each unknown sigma, by the name of its data
    message: str  #: what the data tell and what not, in words
    converged: bool  #: whether R-hat is up to 1.02 and the effective size 400 at least
    data: int  #: how many data count
    misfit: float  #: squared residuals over their covariance, of the most probable sample
    best: Array  #: the best evaluation
    mean: Array
    deviation: Array  #: the standard deviation
    lower: Array  #: 2.5 % are below
    median: Array
    upper: Array  #: 97.5 % are below
    data_deviation: Array  #: what the deviation would be if the model of h were exact
    correlation: Array  #: d x d
    rhat: Array  #: split R-hat of independent populations: 1 is best
    effective: Array  #: so many independent samples would be worth as much
    study: Study | None  #: None where it was pickled

    def __getstate__(self) -> dict[str, Any]:
        """Without the study, which stays behind as that of a result does."""
        return {**self.__dict__, "study": None, "_kinds": self._kinds}

    @cached_property
    def _kinds(self) -> dict[str, Kind]:
        return self._there().kinds

    def _there(self) -> Study:
        if self.study is None:
            raise ArgumentError("the posterior is without its study, which stays behind when a posterior is pickled")
        return self.study

    def __repr__(self) -> str:
        return f"Posterior({len(self.samples)} samples of {', '.join(self.names)})"

    def __str__(self) -> str:
        """The table that the program prints, and what there is to say."""
        rows, words = self._rows(), self._words()
        width = max(len(name) for name, *_ in rows)
        column = max(12, *(len(text) for row in rows[1:] for text in row[1:]))
        lines = [f"{name:{width}} " + " ".join(f"{text:>{column}}" for text in row) for name, *row in rows]
        return "\n".join([*lines, *words])

    def _repr_html_(self) -> str:
        from gofh import show

        return show.posterior_html(repr(self), self._rows(), self._words())

    def _rows(self) -> list[list[str]]:
        """The table as texts, its head first. A choice has a best one and probabilities, and no mean."""
        columns = {"best": self.best, "mean": self.mean, "sd": self.deviation, "2.5 %": self.lower, "97.5 %": self.upper}
        rows = [["parameter", *columns]]
        for name, deviation, *values in zip(self.names, self.deviation, *columns.values()):
            if name in self._kinds and self._kinds[name].words:
                rows.append([name, self._kinds[name].as_given(values[0]), *["-"] * 4])
            else:
                rows.append([name, *(f"{value:.{_digits(value, deviation)}g}" for value in values)])
        return rows

    def _words(self) -> list[str]:
        """The probabilities of values, those below one in 200 left out, and the message."""
        parts = {
            name: [f"{value if isinstance(value, str) else f'{value:g}'} {100 * p:.0f} %" for value, p in own.items() if p >= 0.005]
            for name, own in self.probabilities.items()
        }
        lines = [f"{name}: {', '.join(own)}" for name, own in parts.items() if own]
        return lines + (self.message.split("; ") if self.message else [])

    @property
    def summary(self) -> dict[str, dict[str, float]]:
        """The numbers of each parameter, by name."""
        columns = {
            "best": self.best, "mean": self.mean, "sd": self.deviation, "lower": self.lower, "median": self.median,
            "upper": self.upper, "data_sd": self.data_deviation, "rhat": self.rhat, "effective": self.effective,
        }
        return {name: {column: float(values[k]) for column, values in columns.items()} for k, name in enumerate(self.names)}

    @property
    def probabilities(self) -> dict[str, dict[float | str, float]]:
        """How probable each value of each parameter is that is no interval, by its name; of choices by their text."""
        found: dict[str, dict[float | str, float]] = {}
        for k, name in enumerate(self.names):
            kind = self._kinds.get(name)
            if kind is None or kind.kind == "fixed":
                continue
            values = np.array(kind.all())
            nearest = np.searchsorted((values[1:] + values[:-1]) / 2, self.samples[:, k])
            shares = np.bincount(nearest, minlength=len(values)) / len(self.samples)
            found[name] = {kind.words[i] if kind.words else float(values[i]): float(share) for i, share in enumerate(shares)}
        return found

    def predictive(self, count: int = 500, seed: int = 1) -> tuple[Array, Array]:
        """Draws of h at samples of the parameters, and the same with the noise of the data added where outputs are
        fitted: one row per draw each, at most as many as there are samples."""
        if count < 1:
            raise ArgumentError(f"{count} draws: there must be 1 at least")
        chosen = np.linspace(0, len(self.samples) - 1, min(count, len(self.samples))).astype(int)
        study = self._there()
        predicted = study.predict(self.samples[chosen])
        assert predicted.mean is not None and predicted.variance is not None  # else there is no posterior
        random = np.random.default_rng(seed)
        outputs = predicted.mean + np.sqrt(predicted.variance) * random.standard_normal(predicted.mean.shape)
        noisy = outputs.copy()
        for one in study.comparisons():
            deviation: Any = one.deviation
            if np.isnan(one.deviation) and one.data in self.sigma:
                unit = abs(one.value) if self._is_relative(one.data) else 1.0
                deviation = self.sigma[one.data][chosen] * unit
            noisy[:, one.output] = outputs[:, one.output] + deviation * random.standard_normal(len(chosen))
        return outputs, noisy

    def _is_relative(self, data: str) -> bool:
        fit = self._there()._description.objective
        parts = fit.values() if isinstance(fit, Mapping) else ()
        return any(isinstance(one, Mapping) and one.get("data") == data and one.get("residual") == "relative" for one in parts)

    def to_arviz(self) -> Any:
        """The samples as ArviZ's InferenceData, of one chain: ``pip install arviz``."""
        try:
            import arviz
        except ImportError:
            raise MissingError("to_arviz needs ArviZ: pip install arviz") from None
        columns = {name: self.samples[None, :, k] for k, name in enumerate(self.names)}
        return arviz.from_dict(posterior={**columns, **{f"sigma of {name}": own[None] for name, own in self.sigma.items()}})


def posterior_from(study: Study, found: tuple[Any, ...]) -> Posterior:
    """What the library found."""
    (x, sigma), data, message, converged, count, misfit, *rest = found
    d = len(study.names)
    columns = ("best", "mean", "deviation", "lower", "median", "upper", "data_deviation", "correlation", "rhat", "effective")
    arrays: dict[str, Any] = {name: np.frombuffer(values).copy() for name, values in zip(columns, rest)}
    arrays["correlation"] = arrays["correlation"].reshape(d, d)
    sigmas = np.frombuffer(sigma).reshape(-1, max(len(data), 1)).copy()
    return Posterior(
        names=study.names,
        samples=np.frombuffer(x).reshape(-1, d).copy(),
        sigma={name: sigmas[:, g] for g, name in enumerate(data)},
        message=message,
        converged=converged,
        data=count,
        misfit=misfit,
        study=study,
        **arrays,
    )
