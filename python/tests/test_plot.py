"""gofh.plot: what the pictures show."""
import sys

import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, decay

import gofh


@pytest.fixture
def result():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")

    def h(x):
        if x[0] > 9:
            raise ValueError("too much")
        return decay(x)

    return gofh.minimize(h, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=14)


def test_convergence_shows_the_best_so_far(result, tmp_path):
    from gofh import plot

    figure = plot.convergence(result)
    line = next(line for line in figure.axes[0].lines if line.get_label() == "best so far")
    f = np.array([trial.f for trial in result.history])
    expected = [np.nanmin(f[: i + 1]) if np.isfinite(f[: i + 1]).any() else np.nan for i in range(len(f))]
    assert np.array_equal(line.get_ydata(), expected, equal_nan=True)
    figure.savefig(tmp_path / "convergence.png")
    legend = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert legend == ["evaluations", "failed", "end of the design", "best so far"]


def test_several_runs_come_as_arguments_as_a_list_or_by_label(result):
    from gofh import plot

    for told, labels in (((result, result.study), ["first", "second"]), (([result, result.study],), ["first", "second"]),
                         (({"first": result, "second": result.study},), None)):
        both = plot.convergence(*told, labels=labels, optimum=0.0)
        assert [text.get_text() for text in both.axes[0].get_legend().get_texts()] == ["first", "second"]
        lines = [line.get_ydata() for line in both.axes[0].lines]
        assert np.array_equal(lines[0], lines[1], equal_nan=True) and lines[0][-1] == max(result.fun, 1e-16)
    with pytest.raises(gofh.ArgumentError, match="there are 1 labels for 2 runs"):
        plot.convergence([result, result], labels=["first"])
    with pytest.raises(gofh.ArgumentError, match="there is no run to plot"):
        plot.convergence([])
    with pytest.raises(gofh.ArgumentError, match="3 is no result and no study"):
        plot.convergence(3)


def test_what_is_not_allowed_is_marked():
    pytest.importorskip("matplotlib").use("Agg")
    from gofh import plot

    result = gofh.minimize(lambda x: {"mass": x[0], "stress": [1 - x[0], 0]}, "mass", [(0, 1)], constraints="stress[0] <= 0.5",
                           budget=8)
    axes = plot.convergence(result).axes[0]
    marked = next(line for line in axes.lines if line.get_label() == "not allowed").get_xdata()
    assert marked.tolist() == [t.number for t in result.history if np.isinf(t.f)] and len(marked)
    assert axes.get_yscale() == "linear"  # all between 0.5 and 1
    axes = plot.slices(result).axes[0]
    assert axes.get_xlim() == (0, 1)
    line = next(line for line in axes.lines if line.get_label() == "the model's f")
    assert np.isnan(line.get_ydata()[line.get_xdata() < 0.45]).all()
    axes = plot.fit(result).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["mass", "stress[0]", "stress[1]"]
    assert [len(line.get_xdata()) for line in axes.lines] == [1, 2]  # no line from one output to another


def test_slices_go_through_the_best_point(result, tmp_path):
    from gofh import plot

    figure = plot.slices(result, points=41)
    assert [axes.get_xlabel() for axes in figure.axes] == ["amplitude", "rate"]
    assert [axes.get_xscale() for axes in figure.axes] == ["linear", "log"]
    line = next(line for line in figure.axes[0].lines if line.get_label() == "the model's f")
    at = np.array([np.linspace(1, 10, 41), np.full(41, result.x[1])]).T
    assert np.allclose(line.get_ydata(), result.study.predict(at).f)
    figure.savefig(tmp_path / "slices.png")


def test_fit_shows_data_and_the_best_evaluation(result, tmp_path):
    from gofh import plot

    figure = plot.fit(result)
    lines = {line.get_label(): line.get_ydata() for line in figure.axes[0].lines}
    assert np.array_equal(lines["observed"], OBSERVED) and np.array_equal(lines["best evaluation"], result.y)
    figure.savefig(tmp_path / "fit.png")
    with pytest.raises(gofh.ArgumentError, match="there are no data 'measured': there are observed"):
        plot.fit(result, "measured")
    with pytest.raises(gofh.ArgumentError, match="2 observed values for 6 outputs"):
        plot.fit(result, [1, 2])


def test_it_comes_with_the_package(result):
    assert len(gofh.plot.convergence(result).axes) == 1


def test_without_matplotlib_it_says_what_is_missing(monkeypatch, make_study):
    from gofh import plot

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(gofh.Error, match="gofh.plot needs matplotlib"):
        plot.convergence(make_study())
