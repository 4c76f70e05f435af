"""h as jobs of a queue: an executor of concurrent.futures whose calls run wherever the queue puts them.

A call has a folder, which all machines must see: the call, the job's script, a claim that the job makes
before it begins (so that none runs twice), and the answer, put in place by a rename. The answer is the
truth; the queue only has to say which jobs are alive. What a run that ended left behind, finished or not,
the next one finds by the trial's number and its point.
"""
from __future__ import annotations

import hashlib
import importlib
import os
import pickle
import shlex
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from gofh.errors import ArgumentError, EvaluationError, reason_of

_SCRIPT, _CALL, _CLAIM, _ANSWER, _ID = "job.sh", "call.pickle", "job_claim", "answer.pickle", "job_id"

#: Words of Slurm for a job that is over: those of the cluster's doing, after which a call is made again, and the others.
_LOST = {"NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "LAUNCH_FAILED", "RECONFIG_FAIL"}
_ENDED = {"COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "DEADLINE", "CANCELLED"}
_ATTEMPTS = 3


def _pickler() -> Any:
    """cloudpickle where it is installed, which takes functions of scripts and notebooks too."""
    try:
        return importlib.import_module("cloudpickle")
    except ModuleNotFoundError:
        return pickle


def _put(path: Path, content: bytes) -> None:
    """Whole or not at all, and never through a link that somebody left there."""
    new = path.with_name(path.name + f".{os.getpid()}")
    new.unlink(missing_ok=True)
    with open(new, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def _environment() -> dict[str, str]:
    """Without what belongs to the job that we may be in."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))} | (
        {"SLURM_CONF": os.environ["SLURM_CONF"]} if "SLURM_CONF" in os.environ else {}
    )


def _slurm_options(options: Mapping[str, Any]) -> list[str]:
    names = {"partition": "--partition", "time": "--time", "cpus": "--cpus-per-task", "memory": "--mem"}
    return [f"{names[name]}={value}" for name, value in options.items() if name in names] + list(options.get("extra", ()))


class Slurm:
    """Jobs of Slurm, by its commands."""

    keys = {"partition", "time", "cpus", "memory", "extra"}

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = _slurm_options(options)

    def submit(self, folder: Path) -> str:
        command = ["sbatch", "--parsable", "--no-requeue", "--open-mode=append", f"--job-name=gofh-{folder.name}",
                   f"--output={folder / 'job.out'}", f"--chdir={folder}", *self._options, str(folder / _SCRIPT)]
        return _say(command).partition(";")[0].strip()

    def states(self, names: Mapping[str, str]) -> dict[str, str] | None:
        """The word for each job that the queue knows, by its number; None: it does not answer."""
        try:
            lines = _say(["squeue", "--me", "--states=all", "--noheader", "--format=%i|%T"]).splitlines()
        except EvaluationError:
            return None
        return dict(line.split("|", 1) for line in lines if "|" in line)

    def cancel(self, job: str) -> None:
        _say(["scancel", job])


class Steps:
    """Steps of the job of Slurm that we are in: processes of this machine that wait for srun."""

    keys = {"cpus", "memory", "time", "extra"}

    def __init__(self, options: Mapping[str, Any]) -> None:
        if "SLURM_JOB_ID" not in os.environ:
            raise ArgumentError('executor="srun" runs steps of the job of Slurm that it is in, and this is in none')
        self._options = _slurm_options(options)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def submit(self, folder: Path) -> str:
        command = ["srun", "--exact", "--nodes=1", "--ntasks=1", "--input=none", "--quiet", *self._options,
                   "/bin/sh", str(folder / _SCRIPT)]
        with open(folder / "job.out", "ab") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self._processes[str(process.pid)] = process
        return str(process.pid)

    def states(self, names: Mapping[str, str]) -> dict[str, str] | None:
        return {job: "RUNNING" if process.poll() is None else "ENDED" for job, process in self._processes.items()}

    def cancel(self, job: str) -> None:
        if job in self._processes:
            self._processes[job].terminate()


class Commands:
    """Any queue, by three commands for the shell: ``submit`` prints a number first, ``status`` the numbers of the jobs
    that are alive, ``cancel`` ends one. They may have {script}, {folder}, {name}, {output} and {id} in them."""

    keys = {"submit", "status", "cancel"}

    def __init__(self, options: Mapping[str, Any]) -> None:
        missing = [key for key in ("submit", "status") if key not in options]
        if missing:
            raise ArgumentError(f'executor="command" needs job={{"{missing[0]}": ...}}, a command of the queue')
        self._options = options

    def _fill(self, key: str, **values: str) -> str:
        text = str(self._options[key])
        for name, value in values.items():
            text = text.replace("{" + name + "}", shlex.quote(value))
        return text

    def submit(self, folder: Path) -> str:
        command = self._fill("submit", script=str(folder / _SCRIPT), folder=str(folder), name=f"gofh-{folder.name}",
                             output=str(folder / "job.out"))
        words = _say(["/bin/sh", "-c", command]).split()
        if not words:
            raise EvaluationError(f"the queue's submit command said no number: {command}")
        return words[0]

    def states(self, names: Mapping[str, str]) -> dict[str, str] | None:
        try:
            text = _say(["/bin/sh", "-c", self._fill("status")])
        except EvaluationError:
            return None
        return {job: "ALIVE" for job in text.split()}

    def cancel(self, job: str) -> None:
        if "cancel" in self._options:
            _say(["/bin/sh", "-c", self._fill("cancel", id=job)])


_SYSTEMS: dict[str, Callable[[Mapping[str, Any]], Any]] = {"slurm": Slurm, "srun": Steps, "command": Commands}


def _say(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120,
                              env=_environment())
    except (OSError, subprocess.TimeoutExpired) as reason:
        raise EvaluationError(f"{command[0]} can't be used: {reason_of(reason)}") from None
    if done.returncode != 0:
        raise EvaluationError(f"{command[0]} failed with status {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class _Job:
    def __init__(self, folder: Path, future: Future[Any]) -> None:
        self.folder, self.future, self.id, self.attempts, self.gone_since = folder, future, "", 0, 0.0


class Jobs(Executor):
    """An executor whose calls are jobs of ``system``: "slurm", "srun" or "command".

    ``folder`` has a folder for each call and must be seen by all machines. ``setup`` are lines of shell before the
    call; ``grace`` are the seconds for which a job that is gone may still have its answer on the way. The others are
    those of the system: partition, time, cpus, memory and extra of Slurm, as sbatch takes them; submit, status and
    cancel of "command".
    """

    def __init__(
        self,
        system: str,
        folder: str | os.PathLike[str] = "gofh-jobs",
        *,
        parallel: int = 4,
        setup: Sequence[str] = (),
        grace: float = 60.0,
        python: str = sys.executable,
        **options: Any,
    ) -> None:
        if system not in _SYSTEMS:
            raise ArgumentError(f"executor is {system!r}: it is {', '.join(map(repr, _SYSTEMS))}, or an executor")
        known = getattr(_SYSTEMS[system], "keys")
        if unknown := sorted(set(options) - known):
            raise ArgumentError(f"{unknown[0]!r} is no option of executor={system!r}: it takes {', '.join(sorted(known))}")
        self._system = _SYSTEMS[system](options)
        self._folder = Path(folder).absolute()
        self._setup, self._grace, self._python = list(setup), grace, python
        self._max_workers = parallel
        self._jobs: list[_Job] = []
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    # ---- Submitting ----

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        return self.submit_named(uuid.uuid4().hex[:12], function, *arguments, **named)

    def submit_named(self, name: str, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """The same for a call of that name: one of the same name and arguments, of whoever was here before, is found
        again."""
        if self._ended.is_set():
            raise RuntimeError("the executor was shut down")
        if getattr(function, "__module__", "") == "__main__" and _pickler() is pickle:
            raise ArgumentError("h of a script can't be sent to a job: define it in a module, or install cloudpickle")
        key = hashlib.sha256(pickle.dumps((arguments, sorted(named.items())))).hexdigest()[:12]
        folder, future = self._folder / f"{name}-{key}", Future[Any]()
        folder.mkdir(parents=True, exist_ok=True)
        job = _Job(folder, future)
        if not (folder / _CALL).exists():
            try:
                call = _pickler().dumps((function, arguments, named))
            except Exception as reason:
                raise ArgumentError(
                    f"h can't be sent to a job ({reason}): define it at the top of a module, or install cloudpickle"
                ) from None
            _put(folder / _CALL, call)
        if (folder / _ID).exists():
            job.id = (folder / _ID).read_text().strip()
        elif not (folder / _ANSWER).exists():
            self._send(job)
        with self._lock:
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()
        return future

    def _send(self, job: _Job) -> None:
        """Makes the script and submits it. What the queue refuses ends the run: nothing was tried."""
        folder = job.folder
        path = os.pathsep.join(p for p in sys.path if p and os.path.isdir(p) and "site-packages" not in p)
        script = ["#!/bin/sh", f"cd {shlex.quote(os.getcwd())}", f"mkdir {shlex.quote(str(folder / _CLAIM))} || exit 0",
                  f"export PYTHONPATH={shlex.quote(path)}${{PYTHONPATH:+:$PYTHONPATH}}", *self._setup,
                  f"exec {shlex.quote(self._python)} -m gofh.jobs {shlex.quote(str(folder))}"]
        _put(folder / _SCRIPT, ("\n".join(script) + "\n").encode())
        (folder / _SCRIPT).chmod(0o755)
        job.attempts += 1
        job.gone_since = 0.0
        job.id = self._system.submit(folder)
        _put(folder / _ID, job.id.encode())

    # ---- Watching ----

    def _watch(self) -> None:
        interval, looked = 0.2, 0.0
        states: dict[str, str] | None = None
        while not self._ended.wait(interval):
            with self._lock:
                jobs = list(self._jobs)
            if time.monotonic() - looked > min(5.0, max(1.0, interval * 5)) and jobs:
                states, looked = self._system.states({job.id: job.folder.name for job in jobs}), time.monotonic()
            over = [job for job in jobs if self._settle(job, states)]
            with self._lock:
                self._jobs = [job for job in self._jobs if job not in over]
            interval = 0.2 if over else min(2.0, 1.2 * interval)

    def _settle(self, job: _Job, states: Mapping[str, str] | None) -> bool:
        """Whether its future has come about."""
        try:
            return self._answer(job) or (states is not None and self._judge(job, states.get(job.id, "")))
        except Exception as reason:  # the queue refuses it
            self._give(job, reason, True)
            return True

    def _give(self, job: _Job, value: Any, failed: bool) -> None:
        if not job.future.set_running_or_notify_cancel():
            return
        if failed:
            job.future.set_exception(value)
        else:
            job.future.set_result(value)

    def _answer(self, job: _Job) -> bool:
        try:
            content = (job.folder / _ANSWER).read_bytes()
        except FileNotFoundError:
            return False
        failed, value = pickle.loads(content)
        self._give(job, value, failed)
        return True

    def _judge(self, job: _Job, word: str) -> bool:
        """Of a job without an answer: whether it is given up."""
        if word and word not in _LOST | _ENDED | {"ENDED"}:
            job.gone_since = 0.0
            return False
        job.gone_since = job.gone_since or time.monotonic()
        if time.monotonic() - job.gone_since < (min(self._grace, 10.0) if word else self._grace):
            return False
        begun = (job.folder / _CLAIM).exists()
        said = f"job {job.id} " + (f"ended: {word}" if word else "is gone") + " without an answer"
        if (word in _LOST or not word or not begun) and job.attempts < _ATTEMPTS:
            if begun:
                (job.folder / _CLAIM).rmdir()
            self._send(job)
            return False
        tail = _last_line(job.folder / "job.out")
        self._give(job, EvaluationError(said + (f": {tail}" if tail else "")), True)
        return True

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Jobs that were submitted stay where they are: whoever makes the same call in the same folder finds them."""
        if wait and not cancel_futures:
            while self._jobs:
                time.sleep(0.05)
        self._ended.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def cancel_jobs(self) -> None:
        """Takes all jobs out of the queue that have no answer."""
        with self._lock:
            for job in self._jobs:
                self._system.cancel(job.id)
                job.future.cancel()
            self._jobs = []


def _last_line(path: Path) -> str:
    try:
        lines = path.read_text(errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _run(folder: Path) -> None:
    """In the job: makes the call and leaves its answer."""
    failed = False
    try:
        function, arguments, named = pickle.loads((folder / _CALL).read_bytes())
        answer = function(*arguments, **named)
    except Exception as error:
        failed, answer = True, error
    try:
        content = pickle.dumps((failed, answer))
        pickle.loads(content)
    except Exception:
        text = reason_of(answer) if failed else f"what h returned can't be sent back: {type(answer).__name__}"
        content = pickle.dumps((True, RuntimeError(text)))
    _put(folder / _ANSWER, content)


if __name__ == "__main__":
    _run(Path(sys.argv[1]))
