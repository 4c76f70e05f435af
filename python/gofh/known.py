"""What a study knows: its problem, its trials, and what the model says."""
from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from gofh import _gofh, answers, core
from gofh.answers import Sizes
from gofh.description import Description, Point, Points, as_list, read_points
from gofh.errors import ArgumentError, EmptyError, ProblemError, TrialError, shortened
from gofh.outer import Function
from gofh.parameters import Kind, as_given
from gofh.posterior import Posterior, posterior_from
from gofh.results import (
    Array, Assessment, Comparison, Hyperparameters, ObjectivePrediction, Prediction, Recommendation, Trial
)
from gofh.stored import KERNELS

if TYPE_CHECKING:
    from gofh.study import Study


def as_doubles(values: npt.ArrayLike) -> Array:
    try:
        return np.require(values, np.float64, ["C", "ALIGNED"])
    except (TypeError, ValueError):
        raise ArgumentError(f"{reprlib.repr(values)} is no array of numbers") from None


def number_of(trial: Trial | int) -> int:
    if isinstance(trial, Trial):
        return trial.number
    if not isinstance(trial, (int, np.integer)):
        raise ArgumentError(f"the trial is {reprlib.repr(trial)}: it is what ask gave, or its number")
    if trial < 1:
        raise TrialError(f"there is no trial {trial}: they are numbered from 1")
    return int(trial)


class Known:
    """The part of a study that changes nothing."""

    _core: _gofh.Study
    _description: Description
    _settings: dict[str, Any]
    _gradient: Function | str | None
    _fixed: dict[int, tuple[Array, float, float, float]]  #: hyperparameters that were, by output
    _d: int
    _m: int
    #: Gives the problem once the outputs are known; None: they are.
    _describe: Callable[[Sizes], Description] | None = None

    def _need_outputs(self) -> None:
        if self._describe is not None:
            failed = [trial for trial in self.trials if trial.state == "failed"]
            so_far = f"; {len(failed)} of {len(self)} trials failed, the last: {shortened(failed[-1].reason)}" if failed else ""
            raise EmptyError(f"the outputs are not known before the first result is told: give them as outputs{so_far}")

    def __len__(self) -> int:
        """How many trials there are, open and failed ones included."""
        return self._core.count()

    # ---- The problem ----

    @property
    def names(self) -> list[str]:
        """Of the parameters; those without names of their own are x0, x1 and so on."""
        return [name for name, _, _, _ in self._description.parameters]

    @property
    def bounds(self) -> Array:
        """Lower and upper ones, one row per parameter."""
        return np.array([(lower, upper) for _, lower, upper, _ in self._description.parameters])

    @property
    def logarithmic(self) -> list[bool]:
        """Which parameters are searched on a logarithmic scale."""
        return [scale for _, _, _, scale in self._description.parameters]

    @property
    def kinds(self) -> dict[str, Kind]:
        """Those of the parameters that are no intervals, by name."""
        return dict(self._description.kinds)

    def named(self, x: Point | Trial) -> dict[str, Any]:
        """A point, or that of a trial, by the names of the parameters, choices by their texts and whole numbers as
        ints.

        >>> from gofh import Study
        >>> study = Study("y[0]^2", {"layers": range(2, 10), "metal": ["steel", "brass"], "width": (0, 1)}, outputs=1)
        >>> study.named([3, 1, 0.5])
        {'layers': 3, 'metal': 'brass', 'width': 0.5}
        """
        return as_given(self._point(x), self.names, self._description.kinds)

    @property
    def outputs(self) -> dict[str, int]:
        """Names and sizes of the outputs; those without names are the vector y. Empty as long as
        they are not known."""
        if self._describe is not None:
            return {}
        outputs = self._description.outputs
        return {"y": outputs} if isinstance(outputs, int) else dict(outputs)

    @property
    def data(self) -> dict[str, Array]:
        """What expressions may use by name."""
        return dict(self._description.data)

    @property
    def sense(self) -> str:
        """ "minimize" or "maximize"."""
        return self._description.sense

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings, those that were not given with their defaults. They can't be changed, but for the ``budget`` of
        a study."""
        return MappingProxyType(self._settings)

    # ---- Trials and the model ----

    def label(self, index: int) -> str:
        """The output at an index of y, as expressions call it: ``c[3]``."""
        self._need_outputs()
        return answers.label(self._description.outputs, index)

    def _index(self, output: int | str) -> int:
        """Where an output is in y, given that or its label."""
        self._need_outputs()
        return answers.index_of(self._description.outputs, output)

    def _trial(
        self, row: tuple[int, str, bool, str, float, str, bool, float, float], x: Array, y: Array, variance: Array
    ) -> Trial:
        number, state, imported, origin, expected, reason, noisy, f, feasible = row
        has_result = state == "done" or (state == "forgotten" and not np.isnan(y).all())
        outputs, noise = y if has_result else None, variance if noisy else None
        return Trial(number, x, outputs, f, state, reason, origin, expected, imported, noise, feasible)

    def trial(self, number: int | Trial) -> Trial:
        """One trial as it is now."""
        number = number_of(number)
        x, y, variance = np.empty(self._d), np.full(self._m, np.nan), np.empty(self._m)
        return self._trial(self._core.trial(number, x, y, variance), x, y, variance)

    @property
    def trials(self) -> list[Trial]:
        """All trials, in order."""
        return [self.trial(number) for number in range(1, len(self) + 1)]

    def best(self) -> Trial:
        """The best evaluation so far; where noise was given, the one with the best posterior mean.

        Where none meets the constraints yet it is the one that violates them least: f is infinite,
        and margins tells by how much.
        """
        x, y, variance = np.empty(self._d), np.empty(self._m), np.empty(self._m)
        return self._trial(self._core.best(x, y, variance), x, y, variance)

    def margins(self, trial: Trial | int) -> dict[str, float]:
        """By how much a done trial meets each constraint, in the constraint's units; below 0 it is
        violated by that."""
        trial = trial if isinstance(trial, Trial) else self.trial(trial)
        if trial.y is None:
            raise ArgumentError(f"trial {trial.number} is {trial.state}: it has no outputs")
        return {
            text: self._core.margin(number, trial.x, trial.y)
            for number, text in enumerate(self._description.constraints)
        }

    def _why_infinite(self, done: list[Trial]) -> str:
        """Of evaluations none of which has a finite f: whether it is g, or the constraints."""
        if not self._description.constraints:
            return "g has no finite value at any evaluation"
        free = core.build(replace(self._description, constraints=[], settings={}), self._gradient)
        x, y, variance = np.empty(self._d), np.empty(self._m), np.empty(self._m)
        numbers = [free.import_(t.x, t.y, None, "") for t in done if t.y is not None]
        values = [self._trial(free.trial(number, x, y, variance), x, y, variance).f for number in numbers]
        if np.isfinite(values).all():
            best = self.best()
            broken = [f"{text} by {-margin:.4g}" for text, margin in self.margins(best).items() if not margin >= 0]
            return f"no evaluation met the constraints; trial {best.number} violates them least: {', '.join(broken)}"
        if np.isfinite(values).any():
            return "no evaluation met the constraints where g has a finite value"
        return "g has no finite value at any evaluation"

    def assess(self) -> Assessment:
        """How sure the study is of its best evaluation, and why.

        >>> from gofh import Study
        >>> study = Study("sum((y - 2)^2)", {"a": (0, 1)}, outputs=1)
        >>> result = study.optimize(lambda x: 1 + x[0])
        >>> assessment = study.assess()
        >>> assessment.success, assessment.bounds
        (True, {'a': 'upper'})
        """
        found = self._core.assess()
        at = {name: "lower" if bound < 0 else "upper" for name, bound in zip(self.names, found[-1]) if bound}
        return Assessment(*found[:-1], at)

    def posterior(self, samples: int = 4000) -> Posterior:
        """The posterior of the parameters given the data of a fit: so many samples, and what they say.

        The model of h takes the place of h, and its own uncertainty counts; nothing is evaluated. Data without
        ``sigma`` have one that is estimated along with the parameters. ``prior`` of the study says what is known of
        parameters beforehand: within the bounds, on the parameter's scale, anything, unless told.

        >>> from gofh import Study
        >>> times = np.arange(6)
        >>> study = Study({"y": "o"}, {"a": (1, 9), "k": (0.1, 1)}, outputs=6, sigma={"o": 0.1},
        ...               data={"o": [5.1, 3.0, 1.8, 1.2, 0.6, 0.5]}, prior={"a": "normal(5, 1)"}, budget=12)
        >>> result = study.optimize(lambda x: x[0] * np.exp(-x[1] * times))
        >>> posterior = study.posterior(1000)
        >>> posterior.samples.shape, posterior.converged
        ((1000, 2), True)
        >>> bool(posterior.lower[0] < 5 < posterior.upper[0])
        True
        """
        self._need_outputs()
        try:
            found = self._core.posterior(samples)
        except ProblemError as error:
            yaml = "objective: {fit: {output: data}}"
            if yaml not in str(error):
                raise
            raise ProblemError(str(error).replace(yaml, "g={'output': 'data'}") + "; a study's file does not keep fits: open it "
                               "by gofh.Study with the arguments that it was made with") from None
        return posterior_from(cast("Study", self), found)

    def recommend(self) -> Recommendation:
        """The point with the best posterior mean of f, evaluated or not."""
        x, y = np.empty(self._d), np.empty(self._m)
        f, deviation, known = self._core.recommend(x, y)
        return Recommendation(x, f, deviation, y if known else None)

    def _points(self, x: Points) -> Array:
        """One row per point, all of them whole."""
        listed = as_list(x, self.names)
        points = read_points(listed, self.names, self._description.kinds)
        for point in listed if isinstance(listed, Sequence) else []:
            if isinstance(point, Mapping) and (left_out := [name for name in self.names if point.get(name) is None]):
                raise ArgumentError(f"a point has no value of {', '.join(left_out)}")
        return points

    def _point(self, x: Point | Trial) -> Array:
        points = self._points(x.x if isinstance(x, Trial) else x)
        if len(points) != 1:
            raise ArgumentError(f"{len(points)} points, where one is taken")
        point: Array = points[0]
        return point

    @property
    def _models_outputs(self) -> bool:
        method = self._settings["method"]
        return bool(method == "gofh" or method.endswith("-cf"))

    def predict(self, x: Points) -> Prediction:
        """The posterior of f, and of h where the method models it, at points: one row per point, or dicts by the names
        of the parameters.

        >>> from gofh import Study
        >>> study = Study("y", {"layers": range(2, 10), "metal": ["steel", "brass"]}, outputs=1, budget=8)
        >>> result = study.optimize(lambda layers, metal: layers if metal == "steel" else 2 * layers)
        >>> by_name, by_number = study.predict({"metal": "brass", "layers": 4}), study.predict([4, 1])
        >>> bool(by_name.f == by_number.f)
        True
        """
        points = self._points(x)
        count = len(points)
        f, deviation = np.empty(count), np.empty(count)
        mean = np.empty((count, self._m)) if self._models_outputs else None
        variance = np.empty((count, self._m)) if self._models_outputs else None
        self._core.predict(count, points, mean, variance, f, deviation)
        return Prediction(f, deviation, mean, variance)

    def predict_objective(self, x: Points) -> ObjectivePrediction:
        """The posterior of the objective without the constraints, and how probably those hold, at
        points: one row per point."""
        points = self._points(x)
        f, deviation, feasible = (np.empty(len(points)) for _ in range(3))
        self._core.predict_objective(len(points), points, f, deviation, feasible)
        return ObjectivePrediction(f, deviation, feasible)

    def predict_quantiles(
        self, x: Points, levels: npt.ArrayLike = (0.025, 0.5, 0.975)
    ) -> tuple[Array, Array | None]:
        """Quantiles of f at points, without the constraints (one row per point), and of h where the
        method models it (points x outputs x levels)."""
        points = self._points(x)
        level = np.atleast_1d(np.asarray(levels, dtype=float))
        f = np.empty((len(points), len(level)))
        outputs = np.empty((len(points), self._m, len(level))) if self._models_outputs else None
        self._core.predict_quantiles(len(points), points, len(level), level, f, outputs)
        return f, outputs

    def acquisition(self, x: Points) -> Array:
        """The method's acquisition function at points: a row each."""
        points = self._points(x)
        value = np.empty(len(points))
        self._core.acquisition(len(points), points, value)
        return value

    def leave_one_out(self) -> tuple[Array, Array]:
        """What the model says of each done trial from all the others: mean and variance of h, one
        row per trial."""
        done = sum(trial.state == "done" for trial in self.trials)
        mean, variance = np.empty((done, self._m)), np.empty((done, self._m))
        self._core.leave_one_out(done, mean, variance)
        return mean, variance

    def hyperparameters(self, output: int | str = 0, sample: int = 0) -> Hyperparameters:
        """Those in use for one output, by its place in y or its label such as ``c[3]`` (0 for methods that model f): of
        sample 0, 1, ... where there are several."""
        lengthscale = np.empty(self._d)
        found = self._core.hyperparameters(sample, self._modelled(output), lengthscale)
        return Hyperparameters(lengthscale, *found[:8], KERNELS[found[8]])

    def _modelled(self, output: int | str) -> int:
        if self._models_outputs:
            return self._index(output)
        if output != 0:
            raise ArgumentError(f"there is no output {output!r}: the method {self._settings['method']!r} models f alone, as 0")
        return 0

    def set_hyperparameters(self, output: int | str, values: Hyperparameters) -> None:
        """Fixes those of one output, where the setting ``hyper`` is "fixed"."""
        self._need_outputs()
        lengthscale = as_doubles(values.lengthscale)
        if lengthscale.shape != (self._d,):
            raise ArgumentError(f"lengthscales of shape {lengthscale.shape}: there are {self._d} parameters")
        known = lengthscale.copy(), values.variance, values.noise, values.mean
        self._core.set_hyperparameters(self._modelled(output), *known)
        self._fixed[self._modelled(output)] = known

    def comparisons(self) -> list[Comparison]:
        """What the outputs are compared with, where an expression squares a difference or takes its
        absolute value.

        >>> from gofh import Study
        >>> data = {"t": [3, 4], "s": [0.1, 0.2]}
        >>> Study("sum(((y - t)/s)^2)", [(0, 1)], outputs=2, data=data).comparisons()[1]
        Comparison(output=1, data='t', value=4.0, deviation=0.2)
        """
        return [Comparison(*found) for found in self._core.comparisons()] if self._describe is None else []

    @property
    def log(self) -> list[str]:
        """Numerical difficulties and how they were handled, a line each."""
        return self._core.log()

    def note(self, trial: Trial | int, name: str) -> str | None:
        """A text kept with a trial; None if there is none."""
        return self._core.note(number_of(trial), name)
