"""h as jobs of a real Slurm on this machine, which the test starts: by executor="slurm", and by Dask's cluster."""
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_executors import check, study

import gofh

TOOLS = Path(__file__).resolve().parents[2] / "tests/slurm/slurm_tools.sh"


def missing():
    if os.geteuid() != 0:
        return "it needs root"
    absent = [p for p in ("slurmctld", "slurmd", "sbatch", "munged") if shutil.which(p) is None]
    return f"{absent[0]} is not installed" if absent else "" if TOOLS.exists() else f"{TOOLS} is not there"


pytestmark = pytest.mark.skipif(bool(missing()), reason=f"no Slurm can be started: {missing()}")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    # munged trusts no folder that others may write.
    work = Path(subprocess.run(["mktemp", "-d", "/var/tmp/gofh-slurm-XXXXXX"], capture_output=True, text=True).stdout.strip())
    script = f"""
await() {{ for _ in $(seq 600); do "$@" && return; sleep 0.1; done; return 1; }}
fail() {{ echo "$*" >&2; }}
work={work}
. {TOOLS}
slurm_start 4 || exit 1
echo "ready $SLURM_CONF"
read -r _
slurm_stop
"""
    process = subprocess.Popen(["bash", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline().split()
    assert line[:1] == ["ready"], "Slurm does not start"
    os.environ["SLURM_CONF"] = line[1]
    yield work
    process.communicate("\n")
    del os.environ["SLURM_CONF"]
    shutil.rmtree(work, ignore_errors=True)


H = """
import os, time
import numpy as np
def logged(x):
    with open({log!r}, "a") as file:
        file.write(os.environ["SLURM_JOB_ID"] + "\\n")
    time.sleep(1)
    return x[0] * np.exp(-x[1] * np.arange(6))
"""


def make_h(folder, monkeypatch):
    (folder / "logged_h.py").write_text(H.format(log=str(folder / "log")))
    monkeypatch.syspath_prepend(folder)
    sys.modules.pop("logged_h", None)
    import logged_h

    return logged_h.logged


def test_each_evaluation_is_a_job(slurm, tmp_path, monkeypatch):
    h = make_h(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    with study(tmp_path / "study.db", 8) as mine:
        check(mine.optimize(h, executor="slurm", parallel=4, job={"time": "5", "cpus": 1}), 8)
    assert len(set((tmp_path / "log").read_text().split())) == 8


def test_a_job_out_of_time_is_a_failure_with_that_reason(slurm, tmp_path, monkeypatch):
    (tmp_path / "sleeps_h.py").write_text("import time\ndef sleeps(x):\n    time.sleep(600)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    import sleeps_h

    result = study(None, 1).optimize(sleeps_h.sleeps, executor="slurm", parallel=1, job={"time": "0:01", "grace": 5})
    assert result.nfail == 1
    assert "TIMEOUT" in result.history[0].reason or "TIME LIMIT" in result.history[0].reason


def test_what_slurm_refuses_ends_the_run_and_fails_nothing(slurm, tmp_path, monkeypatch):
    h = make_h(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    mine = study(tmp_path / "study.db", 8)
    with pytest.raises(gofh.EvaluationError, match="[Ii]nvalid partition"):
        mine.optimize(h, executor="slurm", job={"partition": "nowhere"})
    assert [trial.state for trial in mine.trials] == ["open"]


def test_dask_jobs_whose_workers_are_cancelled_cost_no_evaluation(slurm, tmp_path, monkeypatch):
    dask_jobqueue = pytest.importorskip("dask_jobqueue")
    distributed = pytest.importorskip("distributed")
    h = make_h(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    cancelled = []

    def cancel_one(study, trial):
        if trial.number == 5 and not cancelled:
            jobs = subprocess.run(["squeue", "--noheader", "--states=RUNNING", "--format=%i"], capture_output=True, text=True)
            cancelled.append(jobs.stdout.split()[0])
            subprocess.run(["scancel", cancelled[0]])

    with dask_jobqueue.SLURMCluster(cores=1, processes=1, memory="200MB", walltime="00:10:00", interface="lo", python=sys.executable,
                                    job_extra_directives=["--mem=1"], job_script_prologue=[f"export PYTHONPATH={tmp_path}"],
                                    scheduler_options={"dashboard_address": None}) as cluster:
        cluster.adapt(minimum=2, maximum=2)
        with distributed.Client(cluster) as client:
            client.wait_for_workers(2, timeout=3600)
            check(study(None, 12).optimize(h, executor=client.get_executor(), parallel=3, callback=cancel_one))
    assert cancelled
    for _ in range(100):
        if not subprocess.run(["squeue", "--noheader"], capture_output=True, text=True).stdout.strip():
            break
        time.sleep(0.2)
