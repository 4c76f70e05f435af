"""Studies and results in a notebook: what they show, in a real Jupyter too, and h by names."""
import pickle
from collections.abc import Mapping

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
    args, named = Form(lambda a, b: a, ["a", "k"]).of(np.array([1.0, 2.0]))  # other names: as ever
    assert len(args) == 1 and not named


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
    assert "none yet" in gofh.Study("y", {"a": (0, 1)}, outputs=1)._repr_html_()


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
    for title in ("convergence", "fit", "residuals", "slices", "parameters", "sensitivity", "model"):
        assert title in repr(report)
    assert "not drawn" not in report._repr_html_()
    report.save(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page.count("<img") >= 7 and "http" not in page and page.count('alt="') == page.count("<img")
    assert gofh.Study("y", {"a": (0, 1)}, outputs=1).report()._repr_html_()  # with nothing evaluated yet


def test_sensitivities_are_those_of_a_function_that_is_known():
    """f = y with y = a + 2 b: shares 1/5 and 4/5, first order and total the same."""
    study = gofh.Study("y", {"a": (0, 1), "b": (0, 1), "c": (0, 1)}, outputs=1, budget=0)
    for point in np.random.default_rng(1).random((20, 3)):
        study.add(point, point[0] + 2 * point[1])
    first, total = plot.sobol(study, 2048)
    np.testing.assert_allclose(first, [0.2, 0.8, 0.0], atol=0.05)
    np.testing.assert_allclose(total, [0.2, 0.8, 0.0], atol=0.05)


def test_a_figure_that_has_nothing_to_show_says_so(result):
    study = gofh.Study("y", {"a": (0, 1)}, outputs=1)
    study.add([0.5], 1.0)
    for draw in (plot.residuals, plot.model, plot.parameters, plot.run_times):
        with pytest.raises(plot.NothingToDraw):
            draw(study)


def test_changed_and_read_only_files_come_with_a_remedy(tmp_path):
    path = tmp_path / "study.db"
    gofh.Study("y", {"a": (0, 1)}, outputs=1, path=path).close()
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
    assert html(shown[3]).count("<img") >= 5
    assert any("message:" in o.get("text", "") for o in shown[4])
