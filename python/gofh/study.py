"""Ask, evaluate, tell."""
from __future__ import annotations

import inspect
import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from types import TracebackType
from typing import Any, Never, NoReturn, Unpack, overload

import numpy as np
import numpy.typing as npt

from gofh import _gofh, answers, core, description, show, stored
from gofh.answers import Sizes
from gofh.description import Bounds, Description, Objective, Outputs, PathLike, Point, Points, Prior, Settings
from gofh.errors import ArgumentError, EmptyError, Error, TrialError, did_you_mean, reason_of, shortened
from gofh.jobs import Jobs
from gofh.known import Known, as_doubles, number_of
from gofh.outer import Function
from gofh.report import Report
from gofh.results import Array, Result, Trial

#: GOFH_STOP_IMPROVEMENT, which open trials may change.
_IMPROVEMENT = 4

#: Told of a trial that "gofh run" leaves to whoever asked for it: as "gofh ask" does.
_ASKED = "asked by hand"

#: How "gofh run" finds the run of a trial again; and what stands before it where the result was corrected.
_RUN, _CORRECTED = "run", "corrected "

#: Characters of the reason of a failure that are kept.
_REASON_MAX = 2000


def _reason(reason: str | BaseException) -> str:
    text = reason_of(reason) if isinstance(reason, BaseException) else str(reason or "")
    return shortened(text.replace("\0", " "), _REASON_MAX)


class Study(Known):
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
        constraints: Sequence[str] | str | None = (),
        noise: Any = None,
        missing: bool | str | Sequence[str] = False,
        prior: Mapping[str, Prior] | None = None,
        discrepancy: Mapping[str, npt.ArrayLike] | None = None,
        log_likelihood: bool = False,
        gradient: Function | str | None = None,
        path: PathLike | None = None,
        read_only: bool = False,
        **settings: Unpack[Settings],
    ) -> None:
        outputs, curves = description.read_curves(outputs, g, at)
        if outputs is None and path is not None:
            outputs = stored.outputs_of_file(path, g)

        def describe(sizes: Sizes, noise: Any = noise) -> Description:
            parameters, kinds = description.read_bounds(bounds)
            described = Description(
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
                places=description.read_places(at, curves),
                prior=description.read_prior(prior),
                discrepancy=description.read_data(discrepancy, "discrepancy"),
                log_likelihood=log_likelihood,
                settings=description.read_settings(settings, noise),
            )
            description.check_sigma(described)
            return described

        if outputs is None:
            self._describe = describe
            described = describe(1, noise if isinstance(noise, (str, float, int)) else None)
            known = core.known_constraints(described)  # the design is within them
            self._open(replace(description.without_outputs(described), constraints=known), None, None, False)
            core.check(described, gradient)
            self._gradient = gradient
        else:
            self._open(describe(description.read_outputs(outputs)), gradient, path, read_only)

    _title: str | None = None  #: of a report; None: that of the file

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
        self._fixed: dict[int, tuple[Array, float, float, float]] = {}
        self._core = core.build(described, gradient, self._path, core.READ if read_only else core.WRITE)
        self._description = described
        self._d, self._m = len(described.parameters), described.m

    def __setattr__(self, name: str, value: Any) -> None:
        if type(self) is Study and not name.startswith("_") and not hasattr(Study, name):
            about = " is a setting, given when a study is made or loaded" if name in self._settings else ""
            raise AttributeError(f"a study has no attribute {name!r} to set" + (f": {name}{about}" if about else ""))
        super().__setattr__(name, value)

    @property
    def budget(self) -> int:
        """Evaluations in all; 0: no limit. It may be changed while no run is under way:

        >>> study = Study("y^2", [(-1, 2)], outputs=1, budget=3)
        >>> len(study.ask(9))
        3
        >>> study.budget = 5
        >>> len(study.ask(9))
        2
        """
        found: int = self._settings["budget"]
        return found

    @budget.setter
    def budget(self, budget: int) -> None:
        changed = description.read_settings({"budget": budget})
        if changed["budget"] == self._settings["budget"]:
            return
        if self._running:
            raise ArgumentError("the budget can't be changed while a run is under way")

        def change(described: Description) -> Description:
            return replace(described, settings={**described.settings, **changed})

        described = change(self._description)
        self._core = self._opened_anew(described)
        for output, values in self._fixed.items():
            self._core.set_hyperparameters(output, *values)
        self._settings, self._description = {**self._settings, **changed}, described
        if (describe := self._describe) is not None:
            self._describe = lambda sizes: change(describe(sizes))

    def _opened_anew(self, described: Description) -> _gofh.Study:
        """The same study with other settings. The library takes them when it opens a file, so a study in memory goes
        through one."""
        self._core.count()  # refused where it is closed, or its parent's
        if self._path is not None:
            core.build(described, self._gradient).close()  # what is wrong is refused while the file is still open
            self._core.close()
            return core.build(described, self._gradient, self._path, core.READ if self._read_only else core.WRITE)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "study.db")
            self._core.save(path)
            return core.build(described, self._gradient, path, core.COPY)

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
                asked = x.copy()
                proper.ask(x, [])
                if not np.array_equal(x, asked):  # else the result of one point would be taken for that of another
                    raise Error(f"trial {number} was asked at {asked} and would be at {x} once the outputs are known: say outputs")
                if state == "failed":
                    proper.fail(number, reason)
            for point in self._queue:
                proper.enqueue(point)
            for number, name in self._noted:
                proper.set_note(number, name, before.note(number, name))
            self._core, self._description, self._m, self._describe = proper, described, described.m, None

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
        study._title = os.fspath(path)
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
        described = stored.of_study_file(path, g)
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

    def report(self) -> Report:
        """The page that ``gofh report`` writes, which a notebook shows; ``save(path)`` writes it, and ``figures(folder)``
        its figures one by one."""
        return Report(self)

    def to_dataframe(self) -> Any:
        """All trials as a table of pandas: state, origin, parameters, outputs, f, expected, reason."""
        return show.to_dataframe(self)

    def forget(self, trial: Trial | int, forget: bool = True) -> None:
        """Leaves what was reported of a trial out of all that the study learns, or takes it in again
        (``forget=False``). It counts against the budget as before, and the log says so."""
        self._need_outputs()
        self._core.forget(number_of(trial), forget)

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
        return [t for t in self.trials if t.state == "open" and (t.number in unclaimed or not self._is_had(t))]

    def _is_had(self, trial: Trial) -> bool:
        return any(self.note(trial, name) is not None for name in (_ASKED, _RUN))

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

    def tell(self, trial: Trial | int, y: Any, *, variance: Any = None, replace: bool = False, anyway: bool = False) -> None:
        """Reports h(x) of an open trial. An output that is NaN (unless it may be missing) or infinite
        makes it a failed one.

        ``variance`` is that of the noise of this observation, as far as it is known: one number per
        output (or one for all), NaN where it is not, or a dict by the outputs' names. With
        ``replace`` it corrects what was reported of a trial before; the log says so, and the variances
        of the trial stay unless others are given (NaN: none is known).

        A trial that ``gofh run`` has begun to run is refused, for there would be two results of it;
        ``anyway`` takes this one, and the run is left alone.
        """
        number = number_of(trial)
        if self._describe is not None:
            self.trial(number)  # a number that is wrong decides nothing
        flat = self.flatten(y)
        if reason := self._fault(flat, y):
            self.fail(number, reason, replace=replace, anyway=anyway)
            return
        self._refuse_running(number, anyway)
        self._decide(self._sizes(y))
        self._core.tell(number, self.flatten(y), self._variance(variance), replace)
        self._leave_run(number, replace)

    def _refuse_running(self, number: int, anyway: bool) -> None:
        run = None if anyway else self._core.note(number, _RUN)
        if run is not None and self.trial(number).state == "open":
            raise TrialError(
                f'trial {number} has a run of "gofh run" ({run.split(" ")[0]}), which waits for it and takes its result: '
                "end it by that program, or say anyway=True, which leaves the run alone"
            )

    def _leave_run(self, number: int, replace: bool) -> None:
        """The result is not that of the run of "gofh run" any more; "gofh reread" leaves it as it is."""
        run = self._core.note(number, _RUN)
        if run is not None and not run.startswith(_CORRECTED):
            self._core.set_note(number, _RUN, _CORRECTED + run if replace else None)

    def _fault(self, flat: Array, y: Any) -> str | None:
        sizes = self._sizes(y)
        missing = (self._description if self._describe is None else self._describe(sizes)).missing
        return answers.fault(flat, sizes, description.may_miss(missing, sizes))

    def _variance(self, variance: Any) -> Array | None:
        return answers.flatten_variance(variance, self._description.outputs)

    def fail(
        self, trial: Trial | int, reason: str | BaseException = "", *, replace: bool = False, anyway: bool = False
    ) -> None:
        """Reports that there is no result of an open trial, and why: a text or an exception.
        ``replace`` and ``anyway``: as in tell."""
        number = number_of(trial)
        self._refuse_running(number, anyway)
        with self._changing():
            self._core.fail(number, _reason(reason), replace)
            self._leave_run(number, replace)

    def add(self, x: Point, y: Any, *, variance: Any = None) -> Trial:
        """Takes an evaluation made elsewhere: x as an array, or as a dict by name. It does not count against the budget.
        ``variance``: as in tell. :meth:`add_all` takes several."""
        if len(points := self._points(x)) > 1:
            raise ArgumentError(f"{len(points)} points: add takes one, and add_all several")
        point, flat = self._point(points), self.flatten(y)
        if reason := self._fault(flat, y):
            raise ArgumentError(f"{reason}: an evaluation made elsewhere has finite outputs, or is told by add_failure")
        self._decide(self._sizes(y))
        return self.trial(self._core.import_(point, self.flatten(y), self._variance(variance), ""))

    def add_all(self, x: Points, y: Any) -> list[Trial]:
        """Takes several evaluations made elsewhere, all of them or none: points as arrays, dicts by name, or a table of
        pandas; and what h returned at each, in a list, as rows of an array, or as rows of a table whose columns are the
        outputs (``mass``, ``c[0]``, ``c[1]``).

        >>> study = Study("sum(y^2)", {"a": (0, 2), "b": (0, 1)}, outputs=2)
        >>> [trial.f for trial in study.add_all([[1, 0.5], [2, 0]], [[3, 4], [0, 1]])]
        [25.0, 1.0]
        """
        points, told = self._points(x), self._rows(y)
        if len(points) != len(told):
            raise ArgumentError(f"{len(points)} points, and outputs of {len(told)}")
        if not told:
            return []
        for number, own in enumerate(told):
            if reason := self._fault(self.flatten(own), own):
                raise ArgumentError(f"{reason} at point {number}: evaluations made elsewhere have finite outputs, or are told "
                                    "by add_failure")
        self._decide(self._sizes(told[0]))
        flat = [self.flatten(own) for own in told]
        rehearsal = core.build(replace(self._description, settings={}), self._gradient)
        for study in (rehearsal, self._core):  # what the first refuses, the second never sees
            numbers = [study.import_(point, own, None, "") for point, own in zip(points, flat)]
        return [self.trial(number) for number in numbers]

    def _rows(self, y: Any) -> list[Any]:
        """What h returned at several points, one item per point."""
        if not hasattr(y, "columns"):
            return list(y)
        self._need_outputs()
        columns = answers.names_in(y)
        labels = [self.label(j) for j in range(self._m)]
        for label in labels:
            if label not in columns:
                raise ArgumentError(f"the table of outputs has no column {label!r}: there are {', '.join(columns) or 'no names'}")
        return list(y[labels].to_numpy())

    def add_failure(self, x: Point, reason: str | BaseException = "") -> Trial:
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
        budget: int | None = None,
        **others: Never,
    ) -> Result:
        """Asks, evaluates h and tells, until there is a reason to stop. ``workers``, ``parallel``, ``callback``,
        ``progress`` and ``on_failure`` are those of minimize. ``budget`` is how many evaluations there are to be in all,
        those before included, from now on; points that you have (x0 of minimize) are queued by :meth:`enqueue`.

        With ``executor="slurm"`` each evaluation is a job of Slurm, ``parallel`` of them at once; ``job`` are the
        options of gofh.Jobs. With "srun" it is a step of the job that this is in, with "command" a job of any queue.
        The study's file keeps what ended; jobs that are left go on, and the next run finds them.

        Trials that are open because a run or an ask was interrupted are evaluated first; those that
        ask gave, or that ``gofh run`` has a run of, are left alone.

        >>> result = Study("y^2", [(-1, 2)], outputs=1, budget=5).optimize(lambda x: x[0] - 1)
        >>> result.nfev, result.message.partition(";")[0]
        (5, 'the budget of evaluations is used up')
        """
        from gofh.evaluate import Plan, Run

        for name in others:
            raise TypeError(f"optimize() has no argument {name!r}: {self._instead(name)}")
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
        plan = Plan(h, workers, parallel, callback, progress, on_failure, jobs)
        if budget is not None:
            self.budget = budget
        return Run(self, plan).result()

    def _instead(self, name: str) -> str:
        """What to do about an argument that optimize does not have."""
        if name == "x0":
            return "study.enqueue(x) queues a point that you have"
        if name in self._settings or name in inspect.signature(Study).parameters:
            return "it is given when a study is made (Study) or loaded (Study.load)"
        return did_you_mean(name, inspect.signature(Study.optimize).parameters, "help(gofh.Study.optimize) lists them")

    def _jobs(self, system: str, parallel: int | None, options: dict[str, Any]) -> Jobs:
        """Jobs in a folder beside the study's file, where the next run finds them."""
        if "folder" not in options:
            options["folder"] = f"{self._path}.jobs" if self._path else tempfile.mkdtemp(prefix="gofh-jobs-", dir=".")
        return Jobs(system, parallel=4 if parallel is None else parallel, **options)

    def set_note(self, trial: Trial | int, name: str, value: str | None) -> None:
        """Keeps a text with a trial under a name; None removes it."""
        number = number_of(trial)
        with self._changing():
            self._core.set_note(number, name, value)
            if self._describe is not None:
                self._noted.append((number, name))
