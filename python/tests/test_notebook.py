"""Studies and results in a notebook: what they show, in a real Jupyter too, and h by names."""
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import matplotlib
import numpy as np
import pytest

import gofh
from gofh import plot
from gofh.named import Form

matplotlib.use("Agg")
TIMES = np.arange(6.0)
MEASURED = 1.2 * np.exp(-0.7 * TIMES)


def decay(a, k):
    return a * np.exp(-k * TIMES)


def calibrate(h=decay, **settings):
    settings = {"budget": 14, "seed": 1, **settings}
    return gofh.minimize(h, {"y": "measured"}, {"a": (0, 2), "k": (0.1, 5, "log")}, outputs=6, data={"measured": MEASURED},
                         sigma={"measured": np.full(6, 0.1)}, **settings)


@pytest.fixture(scope="module")
def result():
    return calibrate()


def test_h_may_take_its_parameters_by_name_as_a_dict_or_as_an_array(result):
    def by_dict(p: dict[str, float]):
        return decay(p["a"], p["k"])

    def by_mapping(p: "Mapping[str, float]"):
        return decay(p["a"], p["k"])

    forms = [by_dict, by_mapping, lambda x: decay(x[0], x[1]), lambda k, a: decay(a, k), lambda **p: decay(p["a"], p["k"]),
             lambda a, k, more=1: decay(a, k)]
    for h in forms:
        again = calibrate(h)
        assert [list(t.x) for t in again.history] == [list(t.x) for t in result.history]
        assert again.fun == result.fun


def test_a_function_of_one_argument_gets_an_array_whatever_it_is_called():
    x = np.array([0.25])
    for h in (lambda x: x, lambda x0: x0, lambda x, power=2: x, np.exp):
        args, named = Form(h, ["x"]).of(x)
        assert not named and isinstance(args[0], np.ndarray) and args[0] is not x
    args, named = Form(lambda *, x: x, ["x"]).of(x)
    assert (args, named) == ((), {"x": 0.25})
    args, named = Form(lambda a, b=3: a, ["a", "k"]).of(np.array([1.0, 2.0]))  # other names: as ever
    assert len(args) == 1 and not named


def test_arguments_that_are_called_otherwise_are_refused_before_h_runs():
    for h in (lambda a, b: 1, lambda a, b, k=3: 1, lambda a, *, k, b: 1):
        with pytest.raises(gofh.ArgumentError, match="the arguments of h are a, .*b, and the parameters a, k: call them alike"):
            calibrate(h)


def test_an_array_that_is_taken_for_a_dict_says_how_to_get_one():
    result = calibrate(lambda p: decay(p["a"], p["k"]), budget=3)
    assert result.nfail == 3 and "h gets an array; a dict, where it says so, def h(p: dict)" in result.history[0].reason
    assert "def h(a, k)" in result.history[0].reason
    result = calibrate(lambda x: x[7], budget=3)
    assert result.history[0].reason == "IndexError: index 7 is out of bounds for axis 0 with size 2"


def test_named_values_reach_other_processes():
    assert calibrate(workers=2, budget=6).nfail == 0


def test_a_result_prints_like_those_of_scipy(result):
    optimize = pytest.importorskip("scipy.optimize")
    theirs = optimize.OptimizeResult(message=result.message, success=result.success, fun=result.fun, x=result.x, y=result.y,
                                     nfev=result.nfev, nfail=result.nfail)
    assert repr(result) == repr(theirs)


def test_a_result_can_be_pickled_without_its_study(result):
    copy = pickle.loads(pickle.dumps(result))
    assert copy.study is None and copy.fun == result.fun and len(copy.history) == len(result.history)
    assert np.array_equal(copy.x, result.x) and repr(copy) == repr(result)
    assert "x0 = " in copy._repr_html_()


def test_names_and_messages_can_not_break_out_of_the_page():
    study = gofh.Study("y", {"a": (0, 1)}, outputs=1)
    trial = study.ask()
    study.fail(trial, "<script>alert(1)</script>")
    html = study._repr_html_()
    assert "1 failed" in html and "<script" not in html
    bad = gofh.results.Result(np.array([1.0]), 2.0, np.array([1.0]), 1, True, "<script>alert(1)</script>", [])
    assert "<script" not in bad._repr_html_() and "&lt;script" in bad._repr_html_()


def test_a_study_shows_its_best_and_how_it_came_about(result):
    html = result.study._repr_html_()
    assert f"{result.fun:.10g}" in html and "<svg" in html and f"{len(result.history)} done" in html
    assert "http" not in html
    closed = gofh.Study("y", {"a": (0, 1)}, outputs=1)
    closed.close()
    assert "gofh.Study: 1 parameters, 1 outputs" in closed._repr_html_() and "the study is closed" in closed._repr_html_()
    assert "none yet" in gofh.Study("y", {"a": (0, 1)}, outputs=1)._repr_html_()


def test_choices_are_shown_as_their_texts():
    result = gofh.minimize(lambda x: [x[0] + x[1]], "y", {"metal": ["steel", "<b>tin"], "count": gofh.integer(3, 5)}, budget=4,
                           stop="never")
    for html in (result._repr_html_(), result.study._repr_html_()):
        assert "metal = steel, count = 3" in html and "<b>tin" not in html
    nothing = gofh.Study("y", {"metal": ["steel", "tin"]}, outputs=1)
    nothing.fail(nothing.ask(), "no")
    assert "metal = " not in nothing._repr_html_()


def test_a_table_of_pandas_has_all_trials(result):
    pytest.importorskip("pandas")
    study = result.study
    table = study.to_dataframe()
    assert list(table.columns) == ["state", "origin", "a", "k", *(f"y[{j}]" for j in range(6)), "f", "expected", "reason"]
    assert table.index.name == "trial" and len(table) == len(study)
    best = table.loc[table["f"].idxmin()]
    np.testing.assert_array_equal(best[["a", "k"]].to_numpy(dtype=float), result.x)
    np.testing.assert_allclose(best[[f"y[{j}]" for j in range(6)]].to_numpy(dtype=float), decay(*result.x))


def test_a_forgotten_trial_keeps_its_result_and_counts_no_more(result):
    study = calibrate(budget=8).study
    best = study.best()
    study.forget(best)
    trial = study.trial(best.number)
    assert trial.state == "forgotten" and np.isnan(trial.f) and np.array_equal(trial.y, best.y)
    assert study.best().number != best.number
    study.forget(best.number, False)
    assert study.best().number == best.number


def test_a_report_has_all_figures_and_needs_nothing_else(result, tmp_path):
    report = result.study.report()
    report.save(tmp_path / "r.html")
    other = tmp_path / "other.txt"
    for link in (tmp_path / "symbolic.html", tmp_path / "hard.html"):
        other.write_text("mine")
        link.symlink_to(other) if link.stem == "symbolic" else link.hardlink_to(other)
        report.save(link)
        assert other.read_text() == "mine" and link.read_text() == report.html and not link.is_symlink()
    with pytest.raises(OSError):
        report.save(tmp_path)
    with pytest.raises(OSError):
        report.save(tmp_path / "none" / "r.html")
    assert not list(tmp_path.glob("*.part*"))
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page == report.html and "http://" not in page and "https://" not in page
    for part in ("convergence", "slices", "sensitivity", "scatter", "trials"):
        assert f'<section id="{part}"' in page, part
    shown = report._repr_html_()
    assert shown.startswith("<iframe") and "<script" not in shown and shown.count('"') < 20  # all of the page is escaped
    names = report.figures(tmp_path / "figures")
    assert {"convergence", "fit-y", "residuals-y", "normal-y", "posterior-a", "sensitivity", "effect-k"} <= set(names)
    assert all((tmp_path / "figures" / f"{name}.{kind}").exists() for name in names for kind in ("svg", "csv"))
    empty = gofh.Study("y", {"a": (0, 1)}, outputs=1).report()
    assert "There are none yet" in empty.html
    with pytest.raises(gofh.EmptyError):  # an unknown number of outputs
        gofh.Study("y", {"a": (0, 1)}).report()


PROBLEM = """study: {budget: 9, seed: 2}
parameters:
  a: {lower: 0, upper: 2}
  n: {lower: 1, upper: 300, integer: true, scale: log}
  metal: {choices: [steel, brass, "<oak>"]}
  e: {fixed: 2}
simulator: {command: "python3 ../../../h.py {params} {results}"}
outputs: {c: 3}
data: {m: {values: [1, 2, 3], sigma: 0.5, at: [10, 20, 40], unit: K, label: temperature}}
objective: {fit: {c: m}}
constraints: ["c[0] <= 1.5"]
"""


def test_the_report_is_that_of_the_program(tmp_path):
    program = Path(os.environ["GOFH_BUILD"]) / "gofh"
    (tmp_path / "p.yaml").write_text(PROBLEM)
    (tmp_path / "h.py").write_text(
        "import json, sys\np = json.load(open(sys.argv[1]))\n"
        "json.dump({'c': [p['a'] * k + p['n'] / 300 for k in (1, 2, 3)]}, open(sys.argv[2], 'w'))\n")
    for command in ("run", "report"):
        subprocess.run([program, command, "p.yaml"], cwd=tmp_path, check=True, capture_output=True)
    theirs = (tmp_path / "p.gofh" / "report.html").read_text(encoding="utf-8")
    with gofh.Study.from_yaml(tmp_path / "p.yaml", read_only=True) as study:
        ours = study.report().html

    def same(page):  # but for when it was made, the title's folder, and where links lead
        page = re.sub(r'\d{4}-\d\d-\d\d \d\d:\d\d', "", page.replace(f"{tmp_path}/", ""))
        return re.sub(r'<a href="[^"]*runs/', '<a href="runs/', page)

    assert same(ours) == same(theirs)


def test_trials_that_another_thread_adds_while_a_report_is_made_have_no_run():
    """What is known of the runs is found first: of fewer trials than there are then, it is left out."""
    study = gofh.Study("y", {"a": (0, 1)}, outputs=1)
    for a in np.linspace(0, 1, 40):
        study.add([a], a)
    given = gofh.report.about(study)

    def page(runs):
        return study._core.report(*given[:6], [(1.5, None, False)] * runs, *given[7:])

    assert 'data-key="seconds"' in page(40)
    for runs in (1, 2, 39):
        assert 'data-key="seconds"' not in page(runs)


def test_other_threads_go_on_while_a_report_is_made(result):
    """None of them is given a turn unless the report lets go of the interpreter."""
    study = result.study
    given = gofh.report.about(study)
    begin, ran = threading.Event(), threading.Event()
    other = threading.Thread(target=lambda: (begin.wait(), study.best(), ran.set()))
    other.start()
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        begin.set()
        for _ in range(100):
            study._core.report(*given)
            if ran.is_set():
                break
        assert ran.is_set()
    finally:
        sys.setswitchinterval(before)
        other.join()


def test_reports_and_evaluations_of_several_threads_wait_for_each_other():
    study = gofh.Study({"y": "measured"}, {"a": (0, 2), "k": (0.1, 5, "log")}, outputs=6, data={"measured": MEASURED},
                       budget=12, stop="never")
    pages, failures = [], []

    def report():
        try:
            while not study.trials or len(study.trials) < 12:
                pages.append(study.report().html)
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    readers = [threading.Thread(target=report) for _ in range(2)]
    for reader in readers:
        reader.start()
    study.optimize(decay)
    for reader in readers:
        reader.join()
    assert not failures and pages and all(page.rstrip().endswith("</html>") for page in pages)


def test_a_report_that_is_refused_leaves_the_study_usable(result):
    given = gofh.report.about(result.study)
    for wrong in (given[:-1], (*given[:2], [("a", 0.0)], *given[3:]), (*given[:6], [(1.0,)], *given[7:])):
        with pytest.raises(TypeError):
            result.study._core.report(*wrong)
        with pytest.raises(TypeError):
            result.study._core.figures(wrong, "nowhere", None)
    assert result.study.best().f == result.fun


def test_sensitivities_are_those_of_a_function_that_is_known():
    """f = y with y = a + 2 b: shares 1/5 and 4/5, first order and total the same."""
    study = gofh.Study("y", {"a": (0, 1), "b": (0, 1), "c": (0, 1)}, outputs=1, budget=0)
    for point in np.random.default_rng(1).random((20, 3)):
        study.add(point, point[0] + 2 * point[1])
    found = plot.sobol(study)
    np.testing.assert_allclose(found.first, [0.2, 0.8, 0.0], atol=0.1)
    np.testing.assert_allclose(found.total, [0.2, 0.8, 0.0], atol=0.05)
    for value, error, true in ((found.first, found.first_error, [0.2, 0.8, 0.0]), (found.total, found.total_error, [0.2, 0.8, 0.0])):
        assert np.all(np.abs(value - true) <= 4 * error + 1e-3) and np.all(error >= 0)


def test_main_effects_are_those_of_a_function_that_is_known():
    """f = a + 2 b on the unit square: 1 + a along a, and 1/2 + 2 b along b."""
    study = gofh.Study("y", {"a": (0, 1), "b": (0, 1)}, outputs=1, budget=0)
    for point in np.random.default_rng(1).random((15, 2)):
        study.add(point, point[0] + 2 * point[1])
    for axes, begin, slope in zip(plot.main_effects(study).axes, (1.0, 0.5), (1.0, 2.0)):
        x, y = axes.lines[0].get_data()
        np.testing.assert_allclose(y, begin + slope * x, atol=0.05)


def test_marginals_enclose_as_much_as_the_posterior_says(result):
    posterior = result.study.posterior()
    for axes, lower, upper in zip(plot.marginals(posterior).axes, posterior.lower, posterior.upper):
        x, y = axes.lines[0].get_data()
        mean = 0.5 * (y[1:] + y[:-1]) * np.diff(np.log(x) if axes.get_xscale() == "log" else x)
        inside = (x[1:] <= upper) & (x[:-1] >= lower)
        assert 0.8 < mean[inside].sum() / mean.sum() <= 0.97


def test_constraints_are_drawn_with_their_margins():
    study = gofh.Study("y[0]", {"a": (0, 1)}, outputs=2, constraints=["y[1] <= 0.5"])
    for a in (0.1, 0.4, 0.9):
        study.add([a], [a, a])
    (axes,) = plot.constraints(study).axes
    met, broken, best = axes.lines[1:4]
    np.testing.assert_allclose(met.get_ydata(), [0.4, 0.1])
    np.testing.assert_allclose(broken.get_ydata(), [-0.4])
    assert list(best.get_xdata()) == [1]


def test_a_slice_of_an_output_goes_through_what_was_seen(result):
    figure = plot.slices(result, output="y[2]")
    assert figure.axes[0].get_ylabel().startswith("y[2]")
    line = figure.axes[0].lines[0]
    at = np.argmin(np.abs(line.get_xdata() - result.x[0]))
    np.testing.assert_allclose(line.get_ydata()[at], result.y[2], rtol=1e-3)
    with pytest.raises(gofh.ArgumentError, match=r"there is no output 'z': there are y\[0\] to y\[5\]"):
        plot.slices(result, output="z")


def test_every_figure_of_the_report_is_drawn_or_says_that_there_is_nothing(result):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for part, draw in plot.FIGURES.items():
        try:
            assert draw(result.study).axes, part
        except plot.NothingToDraw:
            assert part in ("constraints", "times")
        pyplot.close("all")


def test_a_figure_that_has_nothing_to_show_says_so(result):
    study = gofh.Study("y", {"a": (0, 1)}, outputs=1)
    study.add([0.5], 1.0)
    for draw in (plot.residuals, plot.model, plot.parameters, plot.run_times):
        with pytest.raises(plot.NothingToDraw):
            draw(study)


def test_changed_and_read_only_files_come_with_a_remedy(tmp_path):
    path = tmp_path / "study.db"
    with gofh.Study("y", {"a": (0, 1)}, outputs=1, path=path) as study:
        study.add([0.5], 1.0)
    with pytest.raises(gofh.ChangedError, match="Study.load"):
        gofh.Study("y", {"a": (0, 2)}, outputs=1, path=path)
    with gofh.Study("y", {"a": (0, 1)}, outputs=1, path=path, read_only=True) as study:
        with pytest.raises(gofh.ReadOnlyError, match="copies it elsewhere"):
            study.add([0.5], 1.0)


def test_a_real_notebook_shows_them(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = [
        "import gofh, numpy as np\nt = np.arange(6.0)",
        "result = gofh.minimize(lambda a, k: a*np.exp(-k*t), 'sum((y - 1.2*exp(-0.7*t))^2)',\n"
        "                       {'a': (0, 2), 'k': (0.1, 5, 'log')}, outputs=6, data={'t': t}, budget=12)\nresult",
        "study = result.study\nstudy",
        "study.report()",
        "print(result)",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    client = nbclient.NotebookClient(book, timeout=None, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [cell["outputs"] for cell in book.cells]

    def html(outputs):
        return next(o["data"]["text/html"] for o in outputs if o["output_type"] == "execute_result")

    assert "gofh.Result" in html(shown[1]) and "gofh.Study" in html(shown[2])
    assert "<iframe" in html(shown[3]) and "Sensitivities" in html(shown[3])
    assert any("message:" in o.get("text", "") for o in shown[4])


def test_a_report_that_can_not_be_saved_names_the_file_that_was_asked_for(tmp_path):
    report = calibrate(budget=3).study.report()
    with pytest.raises(FileNotFoundError) as caught:
        report.save(tmp_path / "nosuch" / "x.html")
    assert caught.value.filename == str(tmp_path / "nosuch" / "x.html")
