"""Processes and threads: pools, executors, forks, the interpreter's lock."""
import concurrent.futures
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, decay

import gofh


def decay_and_process(x):
    return np.append(decay(x), os.getpid())


def crash(x):
    if x[0] > 0.6:
        os.kill(os.getpid(), signal.SIGKILL)
    return x[0]


def test_a_pool_of_processes_evaluates_h():
    result = gofh.minimize(decay_and_process, "sum((y[0:6] - observed)^2)", BOUNDS, data={"observed": OBSERVED}, workers=2,
                           budget=10)
    processes = {trial.y[6] for trial in result.history}
    assert result.nfev == 10 and os.getpid() not in processes and 1 <= len(processes) <= 2


def test_an_executor_is_used_and_left_alive():
    with concurrent.futures.ThreadPoolExecutor(3) as executor:
        busy, most = [], []

        def h(x):
            busy.append(1)
            most.append(len(busy))
            time.sleep(0.02)
            busy.pop()
            return decay(x)

        result = gofh.minimize(h, MISFIT, BOUNDS, outputs=6, data={"observed": OBSERVED}, workers=executor, budget=9)
        assert result.nfev == 9 and 2 <= max(most) <= 3
        for one in (1, np.int64(1)):
            most.clear()
            gofh.minimize(h, MISFIT, BOUNDS, outputs=6, data={"observed": OBSERVED}, workers=executor, parallel=one, budget=4)
            assert max(most) == 1
        assert executor.submit(int).result() == 0


def test_an_evaluation_that_kills_its_process_is_the_only_one_that_failed():
    result = gofh.minimize(crash, "(y - 0.5)^2", [(0, 1)], outputs=1, workers=2, budget=6)
    assert result.nfev == 6 and result.nfail > 0
    for trial in result.history:
        assert trial.state == ("failed" if trial.x[0] > 0.6 else "done")
        assert trial.state == "done" or trial.reason == "RuntimeError: the process that evaluated it ended abruptly"


def test_wrong_numbers_of_workers_are_refused():
    with pytest.raises(gofh.ArgumentError, match="workers is 0"):
        gofh.minimize(decay, MISFIT, BOUNDS, workers=0)
    for wrong in (2.0, "all", None):
        with pytest.raises(gofh.ArgumentError, match=f"workers is {wrong!r}: 1 or more processes"):
            gofh.minimize(decay, MISFIT, BOUNDS, workers=wrong)
    for wrong in (0, "2"):
        with pytest.raises(gofh.ArgumentError, match=f"parallel is {wrong!r}: it is how many"):
            gofh.minimize(decay, MISFIT, BOUNDS, parallel=wrong)
    with pytest.raises(gofh.ArgumentError, match="callback is 3: it is a function of the study and a trial"):
        gofh.minimize(decay, MISFIT, BOUNDS, callback=3)


def test_an_h_that_other_processes_can_not_get_is_refused():
    def closure(x):
        return x

    for h in (closure, lambda x: x):
        with pytest.raises(gofh.ArgumentError, match="h can't be sent to other processes .*: define it by def at the top"):
            gofh.minimize(h, "y", [(0, 1)], workers=2)
        with concurrent.futures.ProcessPoolExecutor(1) as executor, pytest.raises(gofh.ArgumentError, match="in threads"):
            gofh.minimize(h, "y", [(0, 1)], workers=executor)
        with concurrent.futures.ThreadPoolExecutor(2) as executor:
            assert gofh.minimize(h, "y", [(0, 1)], workers=executor, budget=3).nfev == 3
    with pytest.raises(gofh.ArgumentError, match="h is 'decay': it is a function of a point"):
        gofh.minimize("decay", "y", [(0, 1)])


class Picky(Exception):
    """Can be sent, but not received: pickle calls it with one argument."""

    def __init__(self, code, text):
        super().__init__(f"{code}, {text}")


def raise_picky(x):
    raise Picky(7, "diverged")


def test_an_exception_that_can_not_be_sent_is_still_the_reason():
    result = gofh.minimize(raise_picky, "y", [(0, 1)], workers=2, budget=2)
    # Where Dask was imported before, its exceptions can be sent.
    assert [t.reason.removeprefix("RuntimeError: ") for t in result.history] == ["Picky: 7, diverged"] * 2


def in_child(function):
    """The exit status of a forked child that runs it."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(function())
        except BaseException:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_child_may_not_use_its_parents_study(tmp_path, make_study):
    study = make_study(path=tmp_path / "study.db")
    study.ask()

    def use():
        try:
            study.ask()
        except gofh.Error as error:
            return 7 if "made by another process" in str(error) else 8
        return 9

    assert in_child(use) == 7
    assert study.ask().number == 2  # and the parent goes on, its file untouched


@pytest.mark.parametrize("use", [lambda study: study.ask(), lambda study: study.add([0.5], 1), lambda study: study.fail(1)])
def test_a_child_is_refused_also_while_a_thread_of_its_parent_works(use):
    study = gofh.Study("y", [(0, 1)])
    study.ask()
    working, over = threading.Event(), threading.Event()

    def work():
        with study._changing():
            working.set()
            over.wait()

    thread = threading.Thread(target=work)
    thread.start()
    working.wait()

    def refused():
        signal.alarm(20)  # instead of waiting for ever
        try:
            use(study)
        except gofh.Error as error:
            return 7 if "made by another process" in str(error) else 8
        return 9

    status = in_child(refused)
    over.set()
    thread.join()
    assert status == 7


def test_a_child_does_not_keep_the_lock_of_its_parents_study(tmp_path, make_study):
    study = make_study(path=tmp_path / "study.db")
    study.ask()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)  # until the parent is through
        os._exit(0)
    study.close()
    try:
        with gofh.Study.load(tmp_path / "study.db") as again:
            assert len(again) == 1
    finally:
        os.close(writing)
        os.waitpid(child, 0)


def test_threads_take_turns_on_one_study(make_study):
    study = make_study(budget=0, stop="never")
    errors = []

    def work():
        try:
            for _ in range(4):
                trial = study.ask()
                study.tell(trial, decay(trial.x))
                study.predict([[5, 0.5]])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(study) == 16 and all(t.state == "done" for t in study.trials)


def test_the_interpreter_runs_while_the_library_works():
    problem = gofh.problems.load("environment")
    study = problem.study(budget=0, method="ei-cf")
    for trial in study.ask(12):
        study.tell(trial, problem.h(trial.x))
    ticks = []
    over = threading.Event()

    def tick():
        while not over.wait(0.0005):
            ticks.append(1)

    ticking = threading.Thread(target=tick)
    ticking.start()
    began = len(ticks)
    study.ask()
    during = len(ticks) - began
    over.set()
    ticking.join()
    assert during > 2


def test_a_study_is_not_sent_to_other_processes(make_study):
    with pytest.raises(TypeError, match="a study can't be pickled or copied: send points and results"):
        pickle.dumps(make_study())
    problem = pickle.loads(pickle.dumps(gofh.problems.load("gp1", 3)))
    assert (problem.name, problem.instance) == ("gp1", 3)


INTERRUPTED = """
import sys, time, gofh
def h(x):
    time.sleep(0.05 if x[0] < 0 else 0.02)
    return x[0]
def callback(study, trial):
    print(trial.number, flush=True)
    if trial.number == 4 and "idle" in sys.argv:
        time.sleep(60)
if __name__ == "__main__":
    result = gofh.minimize(h, "y^2", [(-1, 1)], outputs=1, workers=2, path=sys.argv[1], budget=0, method="random",
                           callback=callback)
    print(result.message, result.nfev, flush=True)
"""


@pytest.mark.parametrize("workers", ["busy", "idle"])
def test_control_c_ends_a_pool_and_keeps_what_was_done(tmp_path, workers):
    (tmp_path / "script.py").write_text(INTERRUPTED)
    process = subprocess.Popen([sys.executable, tmp_path / "script.py", tmp_path / "study.db", workers],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               # Where the tests run in the background, ^C is ignored, and that is
                               # inherited.
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    lines = [process.stdout.readline() for _ in range(4)]
    time.sleep(0.3 if workers == "idle" else 0)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the processes of the pool too
    rest, complaints = process.communicate(timeout=3600)
    assert lines[0] and process.returncode == 0 and complaints == ""
    message, count = rest.splitlines()[-1].split()
    assert message == "interrupted" and int(count) >= 4
    with gofh.Study.load(tmp_path / "study.db", read_only=True) as study:
        assert sum(t.state == "done" for t in study.trials) == int(count)
        assert not any(t.state == "failed" for t in study.trials)


@pytest.mark.parametrize("workers", ["busy", "idle"])
def test_the_processes_of_a_pool_end_when_the_run_is_killed(tmp_path, workers):
    (tmp_path / "script.py").write_text(INTERRUPTED)
    process = subprocess.Popen([sys.executable, tmp_path / "script.py", tmp_path / "study.db", workers],
                               stdout=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(4):
        assert process.stdout.readline()
    process.kill()
    try:
        process.communicate(timeout=600)  # until nobody has the other end of the pipe, which they inherit
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
