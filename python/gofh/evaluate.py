"""Runs h: here, in processes, or wherever an executor of concurrent.futures runs it."""
from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import reprlib
import signal
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from multiprocessing import connection
from typing import Any

import numpy as np

from gofh.errors import ArgumentError, EmptyError, Error, EvaluationError, reason_of, shortened
from gofh.jobs import Jobs
from gofh.named import Form
from gofh.progress import Progress
from gofh.results import Array, Result, Trial
from gofh.study import Study

#: Of Dask and Parsl: a worker died with what it evaluated.
_LOST = {"KilledWorker", "WorkerLost", "ManagerLost"}
_ATTEMPTS = 3

Inner = Callable[..., Any]
Callback = Callable[[Study, Trial], Any]


class Inline(Executor):
    """Runs things at once, in the caller's thread. What interrupts them goes to the caller."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **named))
        except Exception as reason:
            future.set_exception(reason)
        return future


class Sent:
    """h in another process, from where not every exception comes back whole."""

    def __init__(self, h: Inner) -> None:
        self._h = h

    def __call__(self, *args: Any, **named: Any) -> Any:
        try:
            return self._h(*args, **named)
        except Exception as error:
            try:
                pickle.loads(pickle.dumps(error))
            except Exception:
                raise RuntimeError(reason_of(error)) from None
            raise


class Numbered:
    """h of one trial and attempt. Executors that remember what they computed (Dask) must not take one for another."""

    def __init__(self, h: Inner, number: int, attempt: int) -> None:
        self._h, self.number, self.attempt = h, number, attempt

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._h(*args, **named)


def _leave_to_parent(number: int, frame: Any) -> None:
    """^C on a terminal reaches every process of a run. The one that runs it ends the others."""


def _end_with_parent() -> None:
    """Ends this process when the one that runs the study is gone, killed for example: nobody else would."""
    parent, started_by = multiprocessing.parent_process(), os.getppid()
    sentinel = [] if parent is None else [parent.sentinel]

    def watch() -> None:
        # Processes that were forked later have the sentinel's other end too, so it may tell late.
        while os.getppid() == started_by and not connection.wait(sentinel, 1):
            pass
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _begin() -> None:
    # Not SIG_IGN: programs that h starts would inherit that, and outlive the run.
    signal.signal(signal.SIGINT, _leave_to_parent)
    _end_with_parent()


def _pool(count: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(count, initializer=_begin)


class Workers:
    """An executor and how many evaluations it is given at once. One that was made here is ended
    here."""

    def __init__(self, workers: int | Executor, parallel: int | None, jobs: Jobs | None = None) -> None:
        if jobs is not None and workers != 1:
            raise ArgumentError("both workers and executor are given: they say the same")
        self.pool = jobs is None and isinstance(workers, (int, np.integer))
        self.own = self.pool or jobs is not None
        workers = workers if jobs is None else jobs
        count = (os.cpu_count() or 1) if workers == -1 else int(workers) if isinstance(workers, np.integer) else workers
        if count < 1 if isinstance(count, int) else not hasattr(workers, "submit"):
            raise ArgumentError(f"workers is {workers!r}: 1 or more processes, -1 for one a processor, or an executor")
        if isinstance(count, int):
            self._count = count
            self.executor: Executor = Inline() if count == 1 else _pool(count)
        else:
            self.executor = count
            self._count = int(getattr(workers, "_max_workers", 1))
        self.parallel = self._count if parallel is None else parallel
        if not isinstance(self.parallel, (int, np.integer)) or self.parallel < 1:
            raise ArgumentError(f"parallel is {parallel!r}: it is how many evaluations are under way at once, 1 or more")

    def sent(self, h: Inner) -> Inner:
        """h as it is given to the executor."""
        if not isinstance(self.executor, ProcessPoolExecutor):
            return h
        try:
            pickle.dumps(h)
        except Exception as reason:
            raise ArgumentError(
                f"h can't be sent to other processes ({reason}): define it by def at the top of a module or script, "
                "or run it in threads, with workers=concurrent.futures.ThreadPoolExecutor(4)"
            ) from None
        return Sent(h)

    def replace(self) -> None:
        """A new pool for one that has lost a process."""
        self.executor.shutdown(wait=False)
        self.executor = _pool(self._count)

    def submit(self, number: int, attempt: int, h: Inner, args: Any, named: Any) -> Future[Any]:
        """The evaluation of a trial, which jobs of a queue are known by."""
        if isinstance(self.executor, Jobs):
            return self.executor.submit_named(f"{number:04}", h, *args, **named)
        return self.executor.submit(h if self.pool else Numbered(h, number, attempt), *args, **named)

    def end(self, at_once: bool) -> None:
        if not self.own:
            return
        processes = list((getattr(self.executor, "_processes", None) or {}).values())
        self.executor.shutdown(wait=not at_once, cancel_futures=at_once)
        for process in processes if at_once else []:
            process.terminate()


class Plan:
    """How a run evaluates h, checked before anything is made for it."""

    def __init__(
        self,
        h: Inner,
        workers: int | Executor,
        parallel: int | None,
        callback: Callback | None,
        progress: bool | None,
        on_failure: str,
        jobs: Jobs | None = None,
    ) -> None:
        if not callable(h):
            raise ArgumentError(f"h is {reprlib.repr(h)}: it is a function of a point")
        if callback is not None and not callable(callback):
            raise ArgumentError(f"callback is {reprlib.repr(callback)}: it is a function of the study and a trial")
        if on_failure not in ("learn", "raise"):
            raise ArgumentError(f"on_failure is {on_failure!r}: it is 'learn' or 'raise'")
        self.workers = Workers(workers, parallel, jobs)
        self.given, self.h = h, self.workers.sent(h)
        self.callback, self.progress, self.raises = callback, progress, on_failure == "raise"


class Run:
    """One call of optimize."""

    def __init__(self, study: Study, plan: Plan) -> None:
        self._study, self._h, self._workers, self._callback = study, plan.h, plan.workers, plan.callback
        self._raises = plan.raises
        self._form = Form(plan.given, study.names, study.kinds)
        trials = study.trials
        self._again = study._left_open()
        self._done = sum(t.state == "done" for t in trials)
        self._failed = sum(t.state == "failed" for t in trials)
        self._imported = sum(t.imported for t in trials)
        self._misshapen = 0
        self._pending: dict[Future[Any], Trial] = {}
        self._untold: dict[int, Array] = {}
        self._lost: dict[int, int] = {}
        self._message: str | None = None
        self._success = True
        self._progress = Progress(plan.progress, study.settings["budget"], self._finished)

    @property
    def _finished(self) -> int:
        return self._done + self._failed - self._imported

    def _next(self) -> Trial | None:
        if self._message is not None:
            return None
        if self._again:
            return self._again.pop(0)
        trial = self._study._ask_for_run()
        if trial is None and not (self._pending and self._study._may_go_on):
            self._message = self._study.stopped
        return trial

    def _submit(self, trial: Trial) -> Future[Any]:
        try:
            args, named = self._form.of(trial.x)
            return self._workers.submit(trial.number, self._lost.get(trial.number, 0), self._h, args, named)
        except BrokenExecutor as reason:
            if not self._workers.pool:
                raise EvaluationError(f"the executor takes nothing more ({reason_of(reason)}): what is open can be run by "
                                      "another one") from reason
            broken: Future[Any] = Future()
            broken.set_exception(reason)
            return broken

    def _start(self) -> None:
        while len(self._pending) < self._workers.parallel and (trial := self._next()):
            self._pending[self._submit(trial)] = trial

    def _fail(self, trial: Trial, reason: str, error: BaseException) -> None:
        self._study.fail(trial, reason)
        if self._raises:
            raise error

    def _record(self, trial: Trial, future: Future[Any]) -> None:
        error = CancelledError() if future.cancelled() else future.exception()
        if isinstance(error, KeyboardInterrupt):
            raise error
        if error is not None:
            self._fail(trial, self._form.reason_of(error), error)
            return
        try:
            flat = self._study.flatten(future.result())
        except ArgumentError as wrong:
            self._misshapen += 1
            self._fail(trial, str(wrong), EvaluationError(str(wrong)))
            return
        self._untold[trial.number] = flat
        self._study.tell(trial, future.result())
        del self._untold[trial.number]
        if self._raises and (reason := self._study.trial(trial.number).reason):
            raise EvaluationError(reason)

    def _after(self, trial: Trial) -> None:
        now = self._study.trial(trial.number)
        self._done += now.state == "done"
        self._failed += now.state == "failed"
        self._show()
        if not self._done and self._failed >= self._design_size():
            self._stop("", success=False)
        elif self._misshapen > self._done and self._misshapen >= self._design_size():
            self._stop(f"most answers of h have the wrong form; the last: {shortened(now.reason)}", success=False)
        if self._callback is not None and self._asked_to_stop(now):
            self._stop("the callback asked to stop")

    def _asked_to_stop(self, now: Trial) -> bool:
        try:
            return self._callback is not None and bool(self._callback(self._study, now))
        except StopIteration:
            return True

    def _stop(self, message: str, success: bool = True) -> None:
        self._message, self._success = message, success
        self._again.clear()

    def _design_size(self) -> int:
        initial: int = self._study.settings["initial"]
        return max(1, initial if initial >= 0 else 2 * (len(self._study.names) + 1))

    def _show(self) -> None:
        if self._progress.wanted:  # with noise the best is a matter of the model, which takes time
            self._progress.show(self._finished, self._failed, self._study.best().f if self._done else None)

    def _blame(self, broken: list[Future[Any]]) -> None:
        """A process is gone, and its pool with it: which evaluation it was shows when each runs in
        a process of its own."""
        self._workers.replace()
        for future in broken:
            trial = self._pending[future]
            with ProcessPoolExecutor(1, initializer=_end_with_parent) as single:
                args, named = self._form.of(trial.x)
                again = single.submit(self._h, *args, **named)
                if isinstance(again.exception(), BrokenExecutor):
                    error = RuntimeError("the process that evaluated it ended abruptly")
                    self._fail(trial, reason_of(error), error)
                else:
                    self._record(trial, again)
            self._after(self._pending.pop(future))

    def _is_broken(self, future: Future[Any]) -> bool:
        return self._workers.pool and not future.cancelled() and isinstance(future.exception(), BrokenExecutor)

    def _is_lost(self, future: Future[Any]) -> bool:
        """Whether the machine that evaluated it is gone, of an executor that is not ours: h has not failed."""
        error = None if future.cancelled() else future.exception()
        return not self._workers.pool and (isinstance(error, BrokenExecutor) or type(error).__name__ in _LOST)

    def _run_again(self, future: Future[Any]) -> bool:
        """Submits the evaluation of a machine that was lost once more, some times."""
        trial = self._pending[future]
        self._lost[trial.number] = self._lost.get(trial.number, 0) + 1
        if self._lost[trial.number] > _ATTEMPTS:
            return False
        self._pending[self._submit(trial)] = self._pending.pop(future)
        return True

    def _collect(self) -> None:
        over, _ = wait(self._pending, return_when=FIRST_COMPLETED)
        if any(map(self._is_broken, over)):
            over, _ = wait(self._pending)  # nothing in a broken pool goes on
        ordered = sorted(over, key=lambda future: self._pending[future].number)
        for future in ordered:
            if self._is_lost(future) and self._run_again(future):
                continue
            if not self._is_broken(future):
                self._record(self._pending[future], future)
                self._after(self._pending.pop(future))
        if broken := [future for future in ordered if self._is_broken(future)]:
            self._blame(broken)

    def _rescue(self) -> None:
        """When the run ends in the middle: what was finished is kept, and what has not begun does
        not begin."""
        for future, trial in self._pending.items():
            future.cancel()
            if not future.done() or future.cancelled() or self._study.trial(trial.number).state != "open":
                continue
            if future.exception() is None:
                with suppress(Exception, KeyboardInterrupt):  # one is on its way already; what the study can't take is kept
                    self._record(trial, future)

    def result(self) -> Result:
        at_once = True
        self._study._running = True
        try:
            self._show()
            self._start()
            while self._pending:
                self._collect()
                self._start()
            at_once = False
        except KeyboardInterrupt:
            self._rescue()
            self._stop("interrupted", success=False)
        except BaseException as error:
            self._rescue()
            self._stop(f"ended by {shortened(reason_of(error))}", success=False)
            attach(error, self._gather())
            raise
        finally:
            self._study._running = False
            self._workers.end(at_once)
            self._progress.end()
        return self._gather()

    def _gather(self) -> Result:
        study = self._study
        history = [replace(t, y=self._untold[t.number]) if t.number in self._untold else t for t in study.trials]
        x, y, f = np.full(len(study.names), np.nan), np.full(sum(study.outputs.values()), np.nan), math.nan
        try:
            best: Trial | None = study.best()
        except EmptyError:
            best = next((t for t in history if t.state == "done"), None)
        if best is not None:  # where g needs what is missing from all of them, f of the first one is NaN
            x, f = best.x, best.f if not math.isnan(best.f) else math.inf if study.sense == "minimize" else -math.inf
            y = y if best.y is None else best.y
        sure, doubt = False, None
        if self._success and math.isfinite(f):
            try:
                assessment = study.assess()
                sure = assessment.success
                # "nothing more is expected: 31 of 60 used" says it already, as does "all allowed points have been tried"
                said = (self._message or "").partition(":")[0]
                doubt = "; ".join(part for part in assessment.message.split("; ") if part != said)
            except (Error, MemoryError) as error:  # the result is there all the same
                doubt = f"how sure it is can't be said: {error}"
        if self._message == "the target value is reached" and (doubt or "").startswith("the target of"):
            self._message = None  # it would be said twice
        reasons = [self._message, shortcoming(study, history), doubt]
        return Result(
            x=x,
            fun=f,
            y=y,
            nfev=sum(t.state != "open" and not t.imported for t in history),
            success=sure,
            message="; ".join(filter(None, reasons)),
            history=history,
            nfail=sum(t.state == "failed" for t in history),
            study=study,
        )


def attach(error: BaseException, result: Result) -> None:
    """What was done until an exception ended the run goes with it."""
    with suppress(AttributeError, TypeError):
        setattr(error, "result", result)
        count = len(result.history)
        done = f"{count} evaluation" if count == 1 else f"{count} evaluations"
        error.add_note(f"gofh: {done} before this, in the attribute result of this exception")


def shortcoming(study: Study, history: list[Trial]) -> str | None:
    """Why nothing usable was found; None if there was something, or nothing was tried."""
    done = [t for t in history if t.state == "done"]
    if done:
        return None if any(math.isfinite(t.f) for t in done) else study._why_infinite(done)
    failed = [t for t in history if t.state == "failed"]
    if not failed:
        return None
    first, last = shortened(failed[0].reason), shortened(failed[-1].reason)
    if len(failed) == 1:
        return f"the only evaluation failed: {first}"
    if first == last:
        return f"all {len(failed)} evaluations failed: {first}"
    return f"all {len(failed)} evaluations failed, the first: {first}; the last: {last}"
