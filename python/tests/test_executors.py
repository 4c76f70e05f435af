"""h wherever an executor runs it: pools, Dask, Parsl, jobs of a queue; and what happens when workers die."""
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import gofh

OBSERVED = 5 * np.exp(-0.5 * np.arange(6))
BOUNDS = {"a": (1, 10), "k": (0.01, 10, "log")}


def decay(x):
    return x[0] * np.exp(-x[1] * np.arange(6))


def mortal(x):
    """Its process dies the first time that it is called in this folder."""
    try:
        os.mkdir("dead")
    except FileExistsError:
        return decay(x)
    os.kill(os.getpid(), signal.SIGKILL)


def study(path=None, budget=12):
    return gofh.Study("sum((y - observed)^2)", BOUNDS, outputs=6, data={"observed": OBSERVED}, path=path, budget=budget,
                      stop="never")


def check(result, budget=12):
    failed = [trial.reason for trial in result.history if trial.state == "failed"]
    assert result.nfev == budget and not failed, (failed, result.message)
    assert result.fun < 40


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_runs_h(pool):
    with pool(2) as executor:
        check(study().optimize(decay, executor=executor, parallel=3))


def test_a_pool_that_breaks_ends_the_run_and_fails_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mine = study(tmp_path / "study.db")
    with ProcessPoolExecutor(1) as executor, pytest.raises(gofh.EvaluationError, match="takes nothing more"):
        mine.optimize(mortal, executor=executor, parallel=2)
    assert all(trial.state == "open" for trial in mine.trials)
    with ProcessPoolExecutor(1) as executor:
        check(mine.optimize(mortal, executor=executor, parallel=2))


def test_workers_of_dask_that_are_killed_cost_no_evaluation(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            check(study().optimize(mortal, executor=client.get_executor(), parallel=4))
    assert os.path.isdir("dead")


def test_a_task_that_dask_gives_up_is_tried_again(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    monkeypatch.chdir(tmp_path)
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                check(study().optimize(mortal, executor=client.get_executor(), parallel=1))


def test_parsl_runs_h(tmp_path, monkeypatch):
    pytest.importorskip("parsl")
    from parsl.concurrent import ParslPoolExecutor
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor
    from parsl.providers import LocalProvider

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.abspath(__file__)))
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    config = Config(executors=[HighThroughputExecutor(address="127.0.0.1", max_workers_per_node=2,
                                                      provider=LocalProvider(init_blocks=1, max_blocks=1))],
                    run_dir=str(tmp_path / "parsl"), usage_tracking=0)
    with ParslPoolExecutor(config) as executor:
        check(study().optimize(decay, executor=executor, parallel=4))


# ---- Jobs ----

#: A queue of one machine: jobs are processes in the background.
QUEUE = {"submit": "setsid /bin/sh {script} > {output} 2>&1 & echo $!", "status": "ps -eo pid=", "cancel": "kill {id}"}


def test_h_runs_as_jobs_of_any_queue(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    from test_executors import decay as named

    with study(tmp_path / "study.db", 8) as mine:
        check(mine.optimize(named, executor="command", parallel=4, job=QUEUE | {"setup": ["echo begun >> begun"]}), 8)
    assert (tmp_path / "begun").read_text().count("begun") == 8
    assert len(os.listdir(tmp_path / "study.db.jobs")) == 8


def test_a_job_that_dies_is_tried_again_and_what_h_raises_is_its_failure(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    from test_executors import mortal as named, refuse

    with study(None, 3) as mine:
        check(mine.optimize(named, executor="command", parallel=1, job=QUEUE | {"grace": 1}), 3)
    result = study(None, 2).optimize(refuse, executor="command", parallel=2, job=QUEUE)
    assert result.nfail == 2 and "ValueError: no" in result.message


def refuse(x):
    raise ValueError("no")


SCRIPT = """
import sys
import gofh
sys.path.insert(0, {tests!r})
from test_executors import QUEUE, study
from slow_h import slow
print(study(sys.argv[1], 6).optimize(slow, executor="command", parallel=3, job=QUEUE).nfev)
"""


def test_jobs_of_a_run_that_was_killed_are_found_again(tmp_path):
    tests = os.path.dirname(os.path.abspath(__file__))
    (tmp_path / "script.py").write_text(SCRIPT.format(tests=tests))
    (tmp_path / "slow_h.py").write_text(
        "import time\nimport numpy as np\n"
        "def slow(x):\n    open('begun', 'a').write('x')\n    time.sleep(2)\n    return x[0] * np.exp(-x[1] * np.arange(6))\n")
    command = [sys.executable, "script.py", "study.db"]
    first = subprocess.Popen(command, cwd=tmp_path)
    while not (tmp_path / "begun").exists():
        assert first.poll() is None
        time.sleep(0.05)
    first.kill()
    first.wait()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "6"
    assert (tmp_path / "begun").read_text() == 6 * "x"


def test_wrong_executors_and_options_are_refused():
    with pytest.raises(gofh.ArgumentError, match="executor is 'cloud': it is 'local'"):
        study().optimize(decay, executor="cloud")
    with pytest.raises(gofh.ArgumentError, match="'partitions' is no option of executor='slurm': it takes cpus"):
        study().optimize(decay, executor="slurm", job={"partitions": "short", "folder": "x"})
    with pytest.raises(gofh.ArgumentError, match='needs job={"submit"'):
        study().optimize(decay, executor="command", job={"folder": "x"})
    with pytest.raises(gofh.ArgumentError, match="both workers and executor"), ThreadPoolExecutor(1) as executor:
        study().optimize(decay, executor=executor, workers=2)


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_nothing_is_written_through_links_in_the_folder_of_a_job(tmp_path, link):
    thesis, folder = tmp_path / "thesis.tex", tmp_path / "job"
    thesis.write_text("years of work")
    folder.mkdir()
    for name in ("answer.pickle", f"answer.pickle.{os.getpid()}"):
        link(thesis, folder / name)
    gofh.jobs._put(folder / "answer.pickle", b"42")
    assert thesis.read_text() == "years of work"
    assert (folder / "answer.pickle").read_bytes() == b"42" and not (folder / "answer.pickle").is_symlink()
