"""Ask, evaluate, tell."""
from __future__ import annotations

import os
import reprlib
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from types import TracebackType
from typing import Any, NoReturn, Unpack, overload

import numpy as np
import numpy.typing as npt

from gofh import _gofh, answers, core, description, show
from gofh.answers import Sizes
from gofh.description import Bounds, Description, Objective, Outputs, PathLike, Point, Prior, Settings
from gofh.errors import ArgumentError, EmptyError, reason_of
from gofh.jobs import Jobs
from gofh.outer import Function
from gofh.parameters import Kind
from gofh.posterior import Posterior, posterior_from
from gofh.results import (
    Array, Assessment, Comparison, Hyperparameters, ObjectivePrediction, Prediction, Recommendation, Result, Trial
)

#: GOFH_STOP_IMPROVEMENT, which open trials may change.
_IMPROVEMENT = 4

#: Told of a trial that "gofh run" leaves to whoever asked for it: as "gofh ask" does.
_ASKED = "asked by hand"


def _doubles(values: npt.ArrayLike) -> Array:
    try:
        return np.require(values, np.float64, ["C", "ALIGNED"])
    except (TypeError, ValueError):
        raise ArgumentError(f"{reprlib.repr(values)} is no array of numbers") from None


def _reason(reason: str | BaseException) -> str:
    text = reason_of(reason) if isinstance(reason, BaseException) else str(reason or "")
    return text.replace("\0", " ")


def _number(trial: Trial | int) -> int:
    if isinstance(trial, Trial):
        return trial.number
    if not isinstance(trial, (int, np.integer)):
        raise ArgumentError(f"the trial is {reprlib.repr(trial)}: it is what ask gave, or its number")
    return int(trial)


class Study:
    """A problem and all that was evaluated of it.

    ``g`` is an expression of the outputs ``y``, of parameters and data; a function of batches;
    weights of a sum of the outputs; or a fit, a dict of outputs to names of ``data`` (whose standard
    deviations are ``sigma``). ``bounds`` are pairs, or a dict of pairs by name; a third item
    ``"log"`` means a logarithmic scale; :func:`minimize` says what else there is. ``outputs`` is their number, or a dict of sizes by name;
    where it is left out, the first result tells.

    >>> study = Study("sum((y - observed)^2)", {"a": (0, 2), "k": (0.1, 10, "log")}, outputs=3,
    ...               data={"observed": [1.0, 0.61, 0.37]}, budget=20)
    >>> while trial := study.ask():
    ...     a, k = trial.x
    ...     study.tell(trial, a * np.exp(-k * np.arange(3)))
    >>> print(study.stopped)
    the budget of evaluations is used up
    >>> study.best().f < 1e-3
    True

    With ``path`` it lives in a file: what was told is on disk before the call returns, and the same
    call goes on with it. Threads may share a study: their calls wait for each other. A child
    process may not use its parent's.
    """

    def __init__(
        self,
        g: Objective,
        bounds: Bounds,
        *,
        outputs: Outputs | None = None,
        sense: str = "minimize",
        data: Mapping[str, npt.ArrayLike] | None = None,
        sigma: Mapping[str, npt.ArrayLike] | None = None,
        at: Mapping[str, npt.ArrayLike] | None = None,
        constraints: Sequence[str] | str = (),
        noise: Any = None,
        missing: bool | str | Sequence[str] = False,
        prior: Mapping[str, Prior] | None = None,
        gradient: Function | str | None = None,
        path: PathLike | None = None,
        read_only: bool = False,
        **settings: Unpack[Settings],
    ) -> None:
        outputs, curves = description.read_curves(outputs, g, at)
        if outputs is None and path is not None:
            outputs = description.outputs_of_file(path, g)

        def describe(sizes: Sizes, noise: Any = noise) -> Description:
            parameters, kinds = description.read_bounds(bounds)
            return Description(
                parameters=parameters,
                kinds=kinds,
                outputs=sizes,
                objective=g,
                sense=sense,
                data=description.read_data(data),
                sigma=description.read_data(sigma, "sigma"),
                constraints=description.read_constraints(constraints),
                noise=description.read_noise(noise, sizes),
                missing=description.read_missing(missing, None if sizes == 1 and outputs is None else sizes),
                curves=curves,
                prior=description.read_prior(prior),
                settings=description.read_settings(settings, noise),
            )

        if outputs is None:
            self._describe = describe
            described = describe(1, noise if isinstance(noise, (str, float, int)) else None)
            self._open(description.without_outputs(described), None, None, False)
            core.check(described, gradient)
            self._gradient = gradient
        else:
            self._open(describe(description.read_outputs(outputs)), gradient, path, read_only)

    #: Gives the problem once the outputs are known; None: they are.
    _describe: Callable[[Sizes], Description] | None = None

    def _open(
        self, described: Description, gradient: Function | str | None, path: PathLike | None, read_only: bool
    ) -> None:
        self._gradient = gradient
        self._path = None if path is None else os.fspath(path)
        self._read_only = read_only
        self._stopped: str | None = None
        self._may_go_on = False
        self._running = False
        self._unclaimed: list[tuple[int, Array]] = []  # what an ask that was interrupted had suggested
        self._noted: list[tuple[int, str]] = []
        self._queue: list[Array] = []  # what was queued before the outputs were known
        self._starts: Array | None = None  # those of a problem file, until the first ask
        self._lock = threading.RLock()
        self._settings = {**_gofh.default_settings(), **described.settings}
        self._core = core.build(described, gradient, self._path, read_only)
        self._description = described
        self._d, self._m = len(described.parameters), described.m

    # As long as the outputs are not known, a study of one output stands in: before the first result
    # the suggestions are those of the initial design, whatever the outputs.

    def _changing(self) -> AbstractContextManager[Any]:
        """Held by what changes the study while another may take its place."""
        if self._describe is None:
            return nullcontext()
        self._core.count()  # refused in a child, where a lock that another thread of the parent held is never free
        return self._lock

    def _decide(self, sizes: Sizes) -> None:
        """The outputs are known: the study proper takes over, with all that was asked, failed and
        noted."""
        with self._changing():
            if self._describe is None:
                return
            described = self._describe(sizes)
            proper, before = core.build(described, self._gradient), self._core
            x, y, variance = np.empty(self._d), np.empty(self._m), np.empty(self._m)
            for number in range(1, before.count() + 1):
                _, state, imported, origin, _, reason, _, _, _ = before.trial(number, x, y, variance)
                if imported:
                    proper.import_(x, None, None, reason)
                    continue
                if origin == "start":
                    proper.enqueue(self._queue.pop(0))
                proper.ask(x, [])
                if state == "failed":
                    proper.fail(number, reason)
            for point in self._queue:
                proper.enqueue(point)
            for number, name in self._noted:
                proper.set_note(number, name, before.note(number, name))
            self._core, self._description, self._m, self._describe = proper, described, described.m, None

    def _need_outputs(self) -> None:
        if self._describe is not None:
            raise EmptyError("the outputs are not known before the first result is told: give them as outputs")

    @classmethod
    def from_yaml(cls, path: PathLike, *, read_only: bool = False, **settings: Unpack[Settings]) -> Study:
        """Opens the study of a problem file, in the folder beside it that the program uses too.

        ``settings`` count instead of those of the file. The first ask queues its start points, but for those that the
        study knows.
        """
        described = description.of_problem_file(path)
        described.settings.update(description.read_settings(settings))
        database = description.beside(path)
        if not read_only:
            database.parent.mkdir(exist_ok=True)
        study = cls.__new__(cls)
        study._open(described, None, database, read_only)
        if described.starts:
            study._starts = description.read_points(described.starts, study.names, described.kinds)
        return study

    @classmethod
    def load(
        cls,
        path: PathLike,
        *,
        g: Objective | None = None,
        gradient: Function | str | None = None,
        read_only: bool = False,
        **settings: Unpack[Settings],
    ) -> Study:
        """Opens a study's file, whoever made it, with the problem that it keeps.

        A g that is a function has to be given again; any other g, or other settings, count instead
        of those of the file.
        """
        described = description.of_study_file(path, g)
        described.settings.update(description.read_settings(settings))
        study = cls.__new__(cls)
        study._open(described, gradient, path, read_only)
        return study

    def save(self, path: PathLike) -> None:
        """Writes the study to a new file, for load and for the program. This study stays where it
        is."""
        self._need_outputs()
        self._core.save(os.fspath(path))

    def close(self) -> None:
        """Lets go of the file and the memory; afterwards every call is refused. Closing twice is
        fine."""
        self._core.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, reason: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a study can't be pickled or copied: send points and results, or open its file again")

    def __repr__(self) -> str:
        where = "" if self._path is None else f" at {self._path}"
        outputs = f"{self._m} outputs" if self._describe is None else "outputs not known yet"
        return f"<gofh.Study{where}: {self._d} parameters, {outputs}>"

    def _repr_html_(self) -> str:
        return show.study_html(self)

    def report(self) -> show.Report:
        """The figures of gofh.plot as one page, which a notebook shows and ``save(path)`` writes."""
        return show.Report(self)

    def to_dataframe(self) -> Any:
        """All trials as a table of pandas: state, origin, parameters, outputs, f, expected, reason."""
        return show.to_dataframe(self)

    def forget(self, trial: Trial | int, forget: bool = True) -> None:
        """Leaves what was reported of a trial out of all that the study learns, or takes it in again
        (``forget=False``). It counts against the budget as before, and the log says so."""
        self._need_outputs()
        self._core.forget(_number(trial), forget)

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

    def named(self, x: npt.ArrayLike | Trial) -> dict[str, Any]:
        """A point, or that of a trial, by the names of the parameters, choices by their texts.

        >>> study = Study("y[0]^2", {"layers": range(2, 10), "metal": ["steel", "brass"], "width": (0, 1)}, outputs=1)
        >>> study.named([3, 1, 0.5])
        {'layers': 3, 'metal': 'brass', 'width': 0.5}
        """
        point = self._point(x.x if isinstance(x, Trial) else x)
        kinds = self._description.kinds
        return {
            name: kinds[name].as_given(float(value)) if name in kinds else float(value)
            for name, value in zip(self.names, point)
        }

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
    def settings(self) -> dict[str, Any]:
        """All settings, those that were not given with their defaults."""
        return dict(self._settings)

    # ---- Ask and tell ----

    @overload
    def ask(self) -> Trial | None: ...
    @overload
    def ask(self, n: int) -> list[Trial]: ...
    def ask(self, n: int | None = None) -> Trial | list[Trial] | None:
        """Suggests where to evaluate h next: one trial, or a list of ``n``.

        Trials stay open, and later suggestions take them into account, until tell or fail. When
        there is a reason to stop (see ``stopped``) it gives None, or a shorter list. Where an
        exception or ^C ends the call, what it had suggested by then is what the next one gives
        first.
        """
        wanted = 1 if n is None else n
        if not isinstance(wanted, (int, np.integer)) or wanted < 1:
            raise ArgumentError(f"{n!r} points are asked for: it is a whole number, 1 or more")
        made, self._unclaimed = self._unclaimed, []
        try:
            made = [(number, x) for number, x in made if self.trial(number).state == "open"]
            while len(made) < wanted and self._suggest(made):
                pass
            trials = [self.trial(number) for number, _ in made[:wanted]]
            for trial in trials:
                self.set_note(trial, _ASKED, "yes")
        except BaseException:
            self._unclaimed = made + self._unclaimed
            raise
        self._unclaimed = made[wanted:] + self._unclaimed
        if n is not None:
            return trials
        return trials[0] if trials else None

    def _suggest(self, made: list[tuple[int, Array]]) -> bool:
        """Appends a trial's number and point; False where there is a reason to stop."""
        if self._starts is not None:
            self._enqueue_missing(self._starts)
            self._starts = None
        with self._changing():
            status = self._core.ask(np.empty(self._d), made)
        self._stopped = self._why(status) if status else None
        self._may_go_on = status == _IMPROVEMENT
        return not status

    def _why(self, status: int) -> str:
        """Why nothing more is suggested."""
        if status != _IMPROVEMENT or self._settings["patience"]:
            return _gofh.status_text(status)
        used, budget = sum(not trial.imported for trial in self.trials), self._settings["budget"]
        return f"nothing more is expected: {used}{f' of {budget}' if budget else ''} used"

    def enqueue(self, x: Point) -> None:
        """Puts a point that you have in the queue: an array or a dict by name.

        What it leaves out, or has as NaN, the study chooses as the initial design would. Queued points are asked before
        anything else, in their order, with the origin "start"; they count against the budget, and as points of the
        initial design.

        >>> study = Study("y^2", {"a": (0, 2), "b": (0, 1)}, outputs=1)
        >>> study.enqueue({"a": 1.5})
        >>> trial = study.ask()
        >>> float(trial.x[0]), trial.origin
        (1.5, 'start')
        """
        points = description.read_points(x, self.names, self._description.kinds)
        if len(points) != 1:
            raise ArgumentError(f"{len(points)} points: enqueue takes one")
        with self._changing():
            self._core.enqueue(points[0])
            if self._describe is not None:
                self._queue.append(points[0])

    def _enqueue_missing(self, points: Array) -> None:
        """Queues what the study, which is new or whose outputs are known, does not know."""
        with self._changing():
            self._core.enqueue_missing(len(points), points)
            if self._describe is not None:
                self._queue.extend(points)

    @property
    def queued(self) -> int:
        """How many points wait in the queue."""
        return self._core.queued()

    def _ask_for_run(self) -> Trial | None:
        made: list[tuple[int, Array]] = []
        return self.trial(made[0][0]) if self._suggest(made) else None

    def _left_open(self) -> list[Trial]:
        """Open trials that nobody has: of a run or an ask that was interrupted. They are the
        caller's now."""
        unclaimed = {number for number, _ in self._unclaimed}
        self._unclaimed = []
        return [t for t in self.trials if t.state == "open" and (t.number in unclaimed or self.note(t, _ASKED) is None)]

    @property
    def stopped(self) -> str | None:
        """Why the last ask gave nothing; None if it did."""
        return self._stopped

    def flatten(self, y: Any) -> Array:
        """What h returned as the vector of all outputs: an array, a number, or a dict by the
        outputs' names."""
        described = self._description
        found = answers.resampled(y, described.curves, described.outputs, described.missing)
        return answers.flatten(found, self._sizes(found))

    def _sizes(self, y: Any) -> Sizes:
        return self._description.outputs if self._describe is None else answers.sizes_of(y)

    def tell(self, trial: Trial | int, y: Any, *, variance: Any = None, replace: bool = False) -> None:
        """Reports h(x) of an open trial. An output that is NaN (unless it may be missing) or infinite
        makes it a failed one.

        ``variance`` is that of the noise of this observation, as far as it is known: one number per
        output (or one for all), NaN where it is not, or a dict by the outputs' names. With
        ``replace`` it corrects what was reported of a trial before; the log says so.
        """
        number = _number(trial)
        if self._describe is not None:
            self.trial(number)  # a number that is wrong decides nothing
        flat = self.flatten(y)
        if reason := self._fault(flat, y):
            self.fail(number, reason, replace=replace)
            return
        self._decide(self._sizes(y))
        self._core.tell(number, self.flatten(y), self._variance(variance), replace)

    def _fault(self, flat: Array, y: Any) -> str | None:
        sizes = self._sizes(y)
        missing = (self._description if self._describe is None else self._describe(sizes)).missing
        return answers.fault(flat, sizes, description.may_miss(missing, sizes))

    def _variance(self, variance: Any) -> Array | None:
        return answers.flatten_variance(variance, self._description.outputs)

    def fail(self, trial: Trial | int, reason: str | BaseException = "", *, replace: bool = False) -> None:
        """Reports that there is no result of an open trial, and why: a text or an exception.
        ``replace``: as in tell."""
        with self._changing():
            self._core.fail(_number(trial), _reason(reason), replace)

    def add(self, x: npt.ArrayLike, y: Any, *, variance: Any = None) -> Trial:
        """Takes an evaluation made elsewhere. It does not count against the budget. ``variance``:
        as in tell."""
        point, flat = self._point(x), self.flatten(y)
        if reason := self._fault(flat, y):
            raise ArgumentError(f"{reason}: an evaluation made elsewhere has finite outputs, or is told by add_failure")
        self._decide(self._sizes(y))
        return self.trial(self._core.import_(point, self.flatten(y), self._variance(variance), ""))

    def add_failure(self, x: npt.ArrayLike, reason: str | BaseException = "") -> Trial:
        """Takes an evaluation made elsewhere that gave no result, and why: the study learns where
        that happens."""
        point = self._point(x)
        with self._changing():
            return self.trial(self._core.import_(point, None, None, _reason(reason)))

    def optimize(
        self,
        h: Callable[[Array], Any],
        *,
        workers: int | Executor = 1,
        executor: str | Executor | None = None,
        job: Mapping[str, Any] | None = None,
        parallel: int | None = None,
        callback: Callable[[Study, Trial], Any] | None = None,
        progress: bool | None = None,
        on_failure: str = "learn",
    ) -> Result:
        """Asks, evaluates h and tells, until there is a reason to stop. The arguments are those of
        minimize.

        With ``executor="slurm"`` each evaluation is a job of Slurm, ``parallel`` of them at once; ``job`` are the
        options of gofh.Jobs. With "srun" it is a step of the job that this is in, with "command" a job of any queue.
        The study's file keeps what ended; jobs that are left go on, and the next run finds them.

        Trials that are open because a run or an ask was interrupted are evaluated first; those that
        ask gave are left alone.

        >>> result = Study("y^2", [(-1, 2)], outputs=1, budget=8).optimize(lambda x: x[0] - 1)
        >>> result.nfev, result.message.partition(";")[0]
        (8, 'the budget of evaluations is used up')
        """
        from gofh.evaluate import Plan, Run

        jobs = None
        if isinstance(executor, str):
            if executor not in ("local", "slurm", "srun", "command"):
                raise ArgumentError(f"executor is {executor!r}: it is 'local', 'slurm', 'srun', 'command', or an executor")
            if executor == "local":
                workers = parallel or 1
            else:
                jobs = self._jobs(executor, parallel, dict(job or {}))
        elif executor is not None:
            if workers != 1:
                raise ArgumentError("both workers and executor are given: they say the same")
            workers = executor
        return Run(self, Plan(h, workers, parallel, callback, progress, on_failure, jobs)).result()

    def _jobs(self, system: str, parallel: int | None, options: dict[str, Any]) -> Jobs:
        """Jobs in a folder beside the study's file, where the next run finds them."""
        if "folder" not in options:
            options["folder"] = f"{self._path}.jobs" if self._path else tempfile.mkdtemp(prefix="gofh-jobs-", dir=".")
        return Jobs(system, parallel=4 if parallel is None else parallel, **options)

    def label(self, index: int) -> str:
        """The output at an index of y, as expressions call it: ``c[3]``."""
        self._need_outputs()
        return answers.label(self._description.outputs, index)

    # ---- What is known ----

    def _trial(
        self, row: tuple[int, str, bool, str, float, str, bool, float, float], x: Array, y: Array, variance: Array
    ) -> Trial:
        number, state, imported, origin, expected, reason, noisy, f, feasible = row
        has_result = state == "done" or (state == "forgotten" and not np.isnan(y).all())
        outputs, noise = y if has_result else None, variance if noisy else None
        return Trial(number, x, outputs, f, state, reason, origin, expected, imported, noise, feasible)

    def trial(self, number: int) -> Trial:
        """One trial as it is now."""
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

    def margins(self, trial: Trial) -> dict[str, float]:
        """By how much a done trial meets each constraint, in the constraint's units; below 0 it is
        violated by that."""
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
        return posterior_from(self, self._core.posterior(samples))

    def recommend(self) -> Recommendation:
        """The point with the best posterior mean of f, evaluated or not."""
        x, y = np.empty(self._d), np.empty(self._m)
        f, deviation, known = self._core.recommend(x, y)
        return Recommendation(x, f, deviation, y if known else None)

    def _point(self, x: npt.ArrayLike) -> Array:
        point = _doubles(x)
        if point.shape != (self._d,):
            raise ArgumentError(f"a point of shape {point.shape}: there are {self._d} parameters")
        return point

    def _points(self, x: npt.ArrayLike) -> Array:
        points = np.atleast_2d(_doubles(x))
        if points.ndim != 2 or points.shape[1] != self._d:
            raise ArgumentError(f"points of shape {np.shape(x)}: there are {self._d} parameters, one row per point")
        return points

    @property
    def _models_outputs(self) -> bool:
        method = self._settings["method"]
        return bool(method == "gofh" or method.endswith("-cf"))

    def predict(self, x: npt.ArrayLike) -> Prediction:
        """The posterior of f, and of h where the method models it, at points: a row each."""
        points = self._points(x)
        count = len(points)
        f, deviation = np.empty(count), np.empty(count)
        mean = np.empty((count, self._m)) if self._models_outputs else None
        variance = np.empty((count, self._m)) if self._models_outputs else None
        self._core.predict(count, points, mean, variance, f, deviation)
        return Prediction(f, deviation, mean, variance)

    def predict_objective(self, x: npt.ArrayLike) -> ObjectivePrediction:
        """The posterior of the objective without the constraints, and how probably those hold, at
        points: one row per point."""
        points = self._points(x)
        f, deviation, feasible = (np.empty(len(points)) for _ in range(3))
        self._core.predict_objective(len(points), points, f, deviation, feasible)
        return ObjectivePrediction(f, deviation, feasible)

    def predict_quantiles(
        self, x: npt.ArrayLike, levels: npt.ArrayLike = (0.025, 0.5, 0.975)
    ) -> tuple[Array, Array | None]:
        """Quantiles of f at points, without the constraints (one row per point), and of h where the
        method models it (points x outputs x levels)."""
        points = self._points(x)
        level = np.atleast_1d(np.asarray(levels, dtype=float))
        f = np.empty((len(points), len(level)))
        outputs = np.empty((len(points), self._m, len(level))) if self._models_outputs else None
        self._core.predict_quantiles(len(points), points, len(level), level, f, outputs)
        return f, outputs

    def acquisition(self, x: npt.ArrayLike) -> Array:
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

    def hyperparameters(self, output: int = 0, sample: int = 0) -> Hyperparameters:
        """Those in use for one output (0 for methods that model f): of sample 0, 1, ... where there
        are several."""
        lengthscale = np.empty(self._d)
        return Hyperparameters(lengthscale, *self._core.hyperparameters(sample, output, lengthscale))

    def set_hyperparameters(self, output: int, values: Hyperparameters) -> None:
        """Fixes those of one output, where the setting ``hyper`` is "fixed"."""
        self._need_outputs()
        self._core.set_hyperparameters(
            output, self._point(values.lengthscale), values.variance, values.noise, values.mean
        )

    def comparisons(self) -> list[Comparison]:
        """What the outputs are compared with, where an expression squares a difference or takes its
        absolute value.

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
        return self._core.note(_number(trial), name)

    def set_note(self, trial: Trial | int, name: str, value: str | None) -> None:
        """Keeps a text with a trial under a name; None removes it."""
        number = _number(trial)
        with self._changing():
            self._core.set_note(number, name, value)
            if self._describe is not None:
                self._noted.append((number, name))
