"""Studies in files, and problem files."""
import re
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, ROOT, decay

import gofh

PROBLEM = """\
study: {budget: 12, seed: 7, initial: 6}
parameters:
  amplitude: [1, 10]
  rate: {lower: 0.01, upper: 10, scale: log}
outputs: {c: 6}
data: {observed: [5, 3, 2, 1, 0.7, 0.4], sigma: 0.1}
objective: {minimize: sum(((c - observed)/sigma)^2)}
constraints:
  - c[0] <= 9
  - c[5] >= -1
noise: {c: 0.1}
"""


def test_a_file_keeps_a_study_and_the_same_call_goes_on(tmp_path):
    options = {"data": {"observed": OBSERVED}, "initial": 6}  # else it depends on the budget
    file = {"path": tmp_path / "study.db"}
    first = gofh.minimize(decay, MISFIT, BOUNDS, outputs=6, budget=8, **options, **file)
    first.study.close()
    second = gofh.minimize(decay, MISFIT, BOUNDS, budget=11, **options, **file)
    whole = gofh.minimize(decay, MISFIT, BOUNDS, budget=11, **options)
    assert second.nfev == 11
    assert [t.x.tobytes() for t in second.history] == [t.x.tobytes() for t in whole.history]


@pytest.mark.parametrize("options", [{}, {"noise": 0.1}, {"noise": "estimated", "kernel": "matern-5/2", "seed": 2**64 - 1}])
def test_a_saved_study_goes_on_as_if_it_had_never_been_saved(tmp_path, make_study, options):
    study = make_study(budget=10, constraints=["y[0] <= 9", "y[5] >= -1"], **options)
    for trial in study.ask(7):
        study.tell(trial, decay(trial.x))
    study.save(tmp_path / "study.db")
    loaded = gofh.Study.load(tmp_path / "study.db")
    assert loaded.settings == study.settings or np.isnan(study.settings["target"])
    assert loaded._description.constraints == study._description.constraints
    assert (loaded.names, loaded.outputs, loaded.sense) == (study.names, study.outputs, study.sense)
    assert [t.f for t in loaded.trials] == [t.f for t in study.trials]
    for _ in range(3):
        ours, theirs = study.ask(), loaded.ask()
        assert np.array_equal(ours.x, theirs.x)
        study.tell(ours, decay(ours.x))
        loaded.tell(theirs, decay(theirs.x))
    assert loaded.log == study.log
    with pytest.raises(gofh.ArgumentError, match="exists: a study is saved to a new file"):
        study.save(tmp_path / "study.db")


def test_a_g_that_is_a_function_is_given_again(tmp_path, make_study):
    study = gofh.Study(lambda y: np.sum(y, axis=1), [(0, 1)], outputs=2, path=tmp_path / "study.db")
    study.tell(study.ask(), [1, 2])
    study.close()
    with pytest.raises(gofh.ProblemError, match="give it again as g"):
        gofh.Study.load(tmp_path / "study.db")
    with gofh.Study.load(tmp_path / "study.db", g=lambda y: np.prod(y, axis=1)) as study:
        assert study.best().f == 2
    with gofh.Study.load(tmp_path / "study.db", g="y[1] - y[0]") as study:
        assert study.best().f == 1


def test_weights_are_kept(tmp_path):
    with gofh.Study([2.0, -1.0], [(0, 1)], outputs=2, sense="maximize", path=tmp_path / "study.db") as study:
        study.tell(study.ask(), [1, 5])
    with gofh.Study.load(tmp_path / "study.db") as study:
        assert study.sense == "maximize" and study.best().f == -3


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path, make_study):
    with make_study(path=tmp_path / "study.db") as study:
        study.tell(study.ask(), OBSERVED)
        with pytest.raises(gofh.LockedError, match="open in this process already"):
            gofh.Study.load(tmp_path / "study.db")
        with gofh.Study.load(tmp_path / "study.db", read_only=True) as reader:
            assert reader.best().f == pytest.approx(0)
            with pytest.raises(gofh.ReadOnlyError, match="opened for reading: open it for writing"):
                reader.ask()


def test_a_file_that_this_process_has_open_is_named_as_such(tmp_path):
    options = {"g": "y", "bounds": [(0, 1)], "outputs": 1, "path": tmp_path / "study.db", "method": "random"}
    with gofh.Study(**options), pytest.raises(gofh.LockedError, match="study.db is open in this process already.* close"):
        gofh.Study(**options)
    first = gofh.minimize(lambda x: x, budget=3, **options)
    second = gofh.minimize(lambda x: x, budget=5, **options)  # as a cell of a notebook that is run again
    assert (first.nfev, second.nfev) == (3, 5)
    with pytest.raises(gofh.Error, match="the study is closed"):
        first.study.best()

    def callback(study, trial):
        gofh.minimize(lambda x: x, budget=9, **options)

    with pytest.raises(gofh.LockedError):
        gofh.minimize(lambda x: x, budget=7, callback=callback, **options)


def test_what_is_no_study_is_refused(tmp_path, make_study):
    (tmp_path / "text.db").write_text("not a database, but long enough to look like one" * 20)
    with pytest.raises(gofh.DamagedError, match="is no study of gofh"):
        gofh.Study.load(tmp_path / "text.db")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(gofh.DamagedError, match="no such table"):
        gofh.Study.load(tmp_path / "other.db")
    with pytest.raises(gofh.EmptyError, match="there is no study at"):
        gofh.Study.load(tmp_path / "none.db")
    with pytest.raises(gofh.DiskError, match="folder"):
        make_study(path=tmp_path / "none" / "study.db")
    with make_study(path=tmp_path / "study.db") as study:
        study.ask()
    with pytest.raises(gofh.ChangedError):
        gofh.Study("sum(y)", [(0, 1)], outputs=6, path=tmp_path / "study.db")


def test_a_study_without_trials_takes_another_problem(tmp_path, make_study):
    make_study(path=tmp_path / "study.db").close()
    with gofh.Study("sum(y)", [(0, 1)], outputs=7, path=tmp_path / "study.db") as study:
        assert study.outputs == {"y": 7} and len(study.ask().x) == 1


def test_a_problem_file_opens_the_programs_study(tmp_path, build):
    path = tmp_path / "problem.yaml"
    path.write_text(PROBLEM)
    gofh_ask = [build / "gofh", "ask", path, "-n", "3"]
    subprocess.run(gofh_ask, check=True, stdout=subprocess.DEVNULL)
    with gofh.Study.from_yaml(path) as study:
        assert [t.state for t in study.trials] == ["open"] * 3
        assert study.outputs == {"c": 6} and study.settings["budget"] == 12
        study.tell(1, {"c": decay(study.trial(1).x)})
        study.fail(2, "no licence")
        asked = study.ask()
        assert study.log == []  # the problem is the same to the last bit
        f = study.trial(1).f
    exported = subprocess.run([build / "gofh", "export", path], check=True, capture_output=True, text=True).stdout
    rows = exported.splitlines()
    assert [row.split(",")[1] for row in rows[1:]] == ["done", "failed", "open", "open"]
    assert float(rows[1].split(",")[rows[0].split(",").index("f")]) == f
    tell = [build / "gofh", "tell", path, str(asked.number), "c=1,2,3,4,5,6"]
    subprocess.run(tell, check=True, stdout=subprocess.DEVNULL)
    with gofh.Study.from_yaml(path, read_only=True) as study:
        assert study.trial(asked.number).y.tolist() == [1, 2, 3, 4, 5, 6]
        assert study.note(asked.number, "asked by hand") == "yes"
    with gofh.Study.load(tmp_path / "problem.gofh" / "study.db") as study:
        assert study.log == [] and study._description.constraints == ["c[0] <= 9", "c[5] >= -1"]


def test_a_trial_that_gofh_run_is_running_is_not_told_by_chance(tmp_path, build):
    path = tmp_path / "problem.yaml"
    wait = 'until [ -e "$GOFH_PROBLEM_DIR/go" ]; do sleep 0.05; done'
    path.write_text(f"""study: {{budget: 4, stop: never}}
parameters: {{x: [0, 1]}}
simulator: {{command: 'touch began; {wait}; echo "{{\\"c\\": 1}}" > {{results}}', parallel: 3}}
outputs: {{c: 1}}
objective: {{minimize: c^2}}
""")
    process = subprocess.Popen([build / "gofh", "run", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(list(tmp_path.glob("problem.gofh/runs/*/began"))) < 3:
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    try:
        with gofh.Study.from_yaml(path) as study:
            with pytest.raises(gofh.TrialError, match='trial 1 has a run of "gofh run" .local.'):
                study.tell(1, 7.0)
            with pytest.raises(gofh.TrialError, match="anyway=True"):
                study.fail(2, "no")
            study.tell(2, 7.0, anyway=True)
            assert study.note(2, "run") is None
            # What that program has is left to it; the rest of the budget is ours.
            assert study.optimize(lambda x: x).nfev == 2
            assert [t.state for t in study.trials] == ["open", "done", "open", "done"]
    finally:
        (tmp_path / "go").touch()
    subprocess.run([build / "gofh", "run", path], check=True, stdout=subprocess.DEVNULL)
    with gofh.Study.from_yaml(path) as study:
        assert [t.y[0] for t in study.trials][:3] == [1, 7, 1]
        study.tell(1, 3.0, replace=True)
    subprocess.run([build / "gofh", "reread", path], check=True, stdout=subprocess.DEVNULL)
    with gofh.Study.from_yaml(path, read_only=True) as study:
        assert [t.y[0] for t in study.trials][:3] == [3, 7, 1]


def test_an_error_in_a_problem_file_has_line_and_column(tmp_path):
    path = tmp_path / "problem.yaml"
    path.write_text(PROBLEM.replace("budget", "budgte"))
    with pytest.raises(gofh.ProblemError, match=r'problem.yaml:1:9: unknown key "budgte" in study: did you mean "budget"'):
        gofh.Study.from_yaml(path)
    with pytest.raises(gofh.Error, match="none.yaml"):
        gofh.Study.from_yaml(tmp_path / "none.yaml")
    assert not (tmp_path / "problem.gofh").exists()


def test_without_sqlite_in_python_only_load_is_refused(tmp_path, make_study, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with make_study(path=tmp_path / "study.db") as study:
        study.ask()
    with pytest.raises(gofh.MissingError, match="this Python lacks its module sqlite3"):
        gofh.Study.load(tmp_path / "study.db")


def test_the_numbers_of_a_file_are_read_as_the_documentation_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y = np.array([[1 / 3, -1e-300, 5e-324], [0.0, 2.5, -1.7976931348623157e308]])
    study = gofh.Study("sum(c) + t", [(0, 1)], outputs={"c": 3, "t": 1}, path="study.db")
    for i in range(2):
        study.add([0.25 * i], np.append(y[i], 4.0))
    study.close()
    block = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "store.md").read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(compile(block[1], "docs/store.md", "exec"), names)
    names["connection"].close()
    assert names["trials"] == [1, 2]
    assert np.array_equal(names["c"], y)


def test_a_study_of_version_2_is_loaded(tmp_path):
    connection = sqlite3.connect(tmp_path / "study.db")
    connection.executescript((ROOT / "tests" / "data" / "store" / "version_2.sql").read_text(encoding="utf-8"))
    connection.close()
    study = gofh.Study.load(tmp_path / "study.db")
    assert np.array_equal(study._description.data["observed"], [0.5, -1.25, 0.1])
    assert np.array_equal(study._description.noise, [np.nan, np.nan, np.nan, 1e-4], equal_nan=True)
    assert np.array_equal(study.trials[0].y, [0.125, -1, 1e-300, 3])
    study.close()
    again = gofh.Study.load(tmp_path / "study.db")  # now of version 3
    assert np.array_equal(again._description.data["observed"], [0.5, -1.25, 0.1])
    assert np.array_equal(again._description.noise, [np.nan, np.nan, np.nan, 1e-4], equal_nan=True)


def test_a_message_that_is_cut_within_a_letter_is_that_of_its_exception(tmp_path):
    for start in ("", "a"):  # letters of two bytes: one of them is cut
        with pytest.raises(gofh.DiskError, match="ää"):
            gofh.Study(MISFIT, BOUNDS, outputs=6, data={"observed": OBSERVED}, path=f"nowhere/{start}{'ä' * 700}/study.db")


def test_a_reason_in_another_encoding_is_read(tmp_path, make_study):
    path = tmp_path / "study.db"
    with make_study(path=path) as study:
        study.fail(study.ask(), "diverged")
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "UPDATE trials SET reason = CAST(x'556e67fc6c746967' AS TEXT); DROP TABLE checksums; PRAGMA user_version = -3"
        )
    connection.close()
    with gofh.Study.load(path) as study:
        assert study.trials[0].reason == "Ung\ufffdltig"
        assert "ltig" in study.report().html
