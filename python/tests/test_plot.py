"""gofh.plot: what the pictures show."""
import pickle
import sys
import warnings

import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, decay

import gofh


@pytest.fixture(autouse=True)
def closed_figures():
    """However many of these tests one process runs, few figures are open at once: matplotlib warns above 20."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def result():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")

    def h(x):
        if x[0] > 9:
            raise ValueError("too much")
        return decay(x)

    return gofh.minimize(h, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=14, initial=6)


def _line(axes, label):
    return next(line for line in axes.lines if line.get_label() == label)


def _quick(h, g, bounds, points, **options):
    """A result made of evaluations at given points."""
    pytest.importorskip("matplotlib").use("Agg")
    study = gofh.Study(g, bounds, **options)
    for x in points:
        study.add(x, h(np.asarray(x)))
    return study


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

    for given, labels in (((result, result.study), ["first", "second"]), (([result, result.study],), ["first", "second"]),
                         (({"first": result, "second": result.study},), None)):
        both = plot.convergence(*given, labels=labels, optimum=0.0)
        assert [text.get_text() for text in both.axes[0].get_legend().get_texts()] == ["first", "second"]
        lines = [line.get_ydata() for line in both.axes[0].lines]
        assert np.array_equal(lines[0], lines[1], equal_nan=True) and lines[0][-1] == max(result.fun, 1e-16)
    with pytest.raises(gofh.ArgumentError, match="there are 1 labels for 2 runs"):
        plot.convergence([result, result], labels=["first"])
    with pytest.raises(gofh.ArgumentError, match="there is no run to plot"):
        plot.convergence([])
    with pytest.raises(gofh.ArgumentError, match="3 is no result and no study"):
        plot.convergence(3)


def test_what_is_not_feasible_is_marked():
    pytest.importorskip("matplotlib").use("Agg")
    from gofh import plot

    result = gofh.minimize(lambda x: {"mass": x[0], "stress": [1 - x[0], 0]}, "mass", [(0, 1)], constraints="stress[0] <= 0.5",
                           budget=8)
    axes = plot.convergence(result).axes[0]
    marked = next(line for line in axes.lines if line.get_label() == "no finite f").get_xdata()
    assert marked.tolist() == [t.number for t in result.history if np.isinf(t.f)] and len(marked)
    assert axes.get_yscale() == "linear"  # all between 0.5 and 1
    axes = plot.slices(result).axes[0]
    assert axes.get_xlim() == (0, 1)
    line = _line(axes, "the model's mean")
    assert np.allclose(line.get_ydata(), line.get_xdata(), atol=1e-3)  # the mass, also where it is not feasible
    shade = next(patch for patch in axes.collections if patch.get_label() == "probably not feasible")
    shaded = shade.get_paths()[0].vertices[:, 0]
    assert shaded.min() == 0 and 0.45 < shaded.max() < 0.52  # feasible from 0.5 on; points are 0.01 apart
    figure, axes = sys.modules["matplotlib.pyplot"].subplots()
    assert plot.fit(result, ax=axes) is figure
    assert [label.get_text() for label in axes.get_xticklabels()] == ["mass", "stress[0]", "stress[1]"]
    assert [len(line.get_xdata()) for line in axes.lines] == [1, 2]  # no line from one output to another


def test_slices_go_through_the_best_point(result, tmp_path):
    from gofh import plot

    figure = plot.slices(result, points=41)
    assert [axes.get_xlabel() for axes in figure.axes] == ["amplitude", "rate"]
    assert [axes.get_xscale() for axes in figure.axes] == ["linear", "log"]
    line = next(line for line in figure.axes[0].lines if line.get_label() == "the model's mean")
    assert result.x[0] in line.get_xdata()
    at = np.array([np.sort([*np.linspace(1, 10, 41), result.x[0]]), np.full(42, result.x[1])]).T
    assert np.allclose(line.get_ydata(), result.study.predict(at).f)
    figure.savefig(tmp_path / "slices.png")


@pytest.mark.parametrize("sense, values, label, drawn", [
    ("minimize", [5e3, 2.0, 0.0, 7.0], "f", [5e3, 2, None, None]),
    ("maximize", [-5e3, -2.0, -1e-7, -7.0], "\N{MINUS SIGN}f", [5e3, 2, 1e-7, 1e-7]),
    ("minimize", [5e3, 2.0, -1e-3, -0.01], "f \N{MINUS SIGN} best", [5e3 + 0.01, 2.01, 0.009, None]),
    ("maximize", [-5e3, -2.0, 1e-3, 0.01], "best \N{MINUS SIGN} f", [5e3 + 0.01, 2.01, 0.009, None]),
    ("minimize", [5e3, 2.0, -1e3, 7.0], "f", None),
    ("minimize", [50.0, 2.0, 3.0, 7.0], "f", None),
])
def test_convergence_is_logarithmic_where_f_spans_decades(sense, values, label, drawn):
    from gofh import plot

    study = _quick(lambda x: values[round(x[0])], "y", [(0, 3)], [[0], [1], [2], [3]], outputs=1, sense=sense)
    figure = plot.convergence(study)
    axes = figure.axes[0]
    assert (axes.get_yscale(), axes.get_ylabel()) == ("linear" if drawn is None else "log", label)
    if drawn is None:
        return
    steps = _line(axes, "best so far").get_ydata()
    edge = axes.get_ylim()[0]
    expected = [edge if value is None else value for value in drawn]  # 0 stands on the lower edge
    assert np.allclose(steps, expected, rtol=1e-12) and min(expected) >= edge and max(expected) <= axes.get_ylim()[1]
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert (f"on the lower edge: {label} = 0" in legend) == (None in drawn)


def test_slices_over_decades_are_logarithmic(result):
    from gofh import plot

    assert result.fun < 1e-4
    axes = plot.slices(result).axes[0]
    assert axes.get_yscale() == "log" and axes.get_ylim()[0] < 1e-3 < 1 < axes.get_ylim()[1]
    turned = plot.slices(_quick(lambda x: x, "-1e4*y^2 - 1e-3", [(-1, 1)], np.linspace(-1, 1, 9)[:, None], outputs=1,
                                sense="maximize")).axes[0]
    assert (turned.get_yscale(), turned.get_ylabel()) == ("log", "\N{MINUS SIGN}f")
    below = plot.slices(_quick(lambda x: x, "1e4*y^2 - 1", [(-1, 1)], np.linspace(-1, 1, 9)[:, None], outputs=1)).axes[0]
    assert below.get_yscale() == "asinh" and below.get_ylim()[0] < -1 and below.get_ylim()[1] > 9999
    ticks = below.get_yticks()
    assert 0 in ticks and 1e4 - 1 > max(ticks) >= 1e3


def test_slices_have_scales_of_their_own_where_one_would_be_flat():
    from gofh import plot

    points = np.random.default_rng(1).uniform(size=(8, 2))
    for factor, apart in ((1e-3, True), (0.5, False)):
        study = _quick(lambda x: x, f"5 + y[0] + {factor} * y[1]", [(0, 1), (0, 1)], points, outputs=2)
        first, second = plot.slices(study).axes
        assert (first.get_ylim() != second.get_ylim()) == apart
        assert first.get_ylabel() == ("f, each with its own scale" if apart else "f")
        heights = _line(second, "the model's mean").get_ydata()
        assert np.ptp(heights) > 0.2 * np.ptp(second.get_ylim())


def test_what_hardly_matters_beside_decades_is_drawn_near_its_value():
    """f is 1 to 1.001 along b, and up to a million along a."""
    points = [[a, b] for a in (1, 1.2, 1.7, 2.5, 4, 7, 12) for b in (0.0, 0.5, 1.0)]
    study = _quick(lambda x: x[0] ** 5.5 + 0.001 * x[1], "y", {"a": (1, 12, "log"), "b": (0, 1)}, points, outputs=1)
    along_a, along_b = gofh.plot.slices(study).axes[:2]
    assert along_a.get_yscale() == "log" and along_b.get_yscale() == "linear"
    low, high = along_b.get_ylim()
    assert 0 < low < 1 < high < 3


def test_ticks_between_powers_of_ten_have_no_numbers_where_those_are_enough():
    for bounds, numbered in (((0.1, 3, "log"), False), ((0.2, 0.9, "log"), True)):
        study = _quick(lambda x: x, "y", {"k": bounds}, [[0.2], [0.4], [0.9]], outputs=1)
        figure = gofh.plot.slices(study)
        figure.canvas.draw()
        assert any(text.get_text() for text in figure.axes[0].get_xminorticklabels()) == numbered


def test_each_output_is_shown_with_what_it_is_compared_with():
    from gofh import plot

    data = {"warm": [1.0, 2.0, 3.0], "sigma": [0.1, 0.2, 0.3], "steps": [1e-6, 1.0], "end": [4.0]}
    study = _quick(lambda x: {"T": x[0] * np.arange(1, 4), "flow": [1e-6, 1], "c": 3.5, "other": 7.0},
                   "sum(((T - warm)/sigma)^2) + sum((flow - steps)^2) + (c - end)^2", [(0, 2)], [[1.5], [0.5]],
                   outputs={"T": 3, "flow": 2, "c": 1, "other": 1}, data=data)
    first, second, third = plot.fit(study).axes
    assert np.array_equal(_line(first, "warm").get_ydata(), data["warm"])
    assert np.array_equal(_line(first, "best evaluation").get_ydata(), study.best().y[:3])
    bars = next(c for c in first.collections if c.get_segments())
    assert np.allclose([segment[:, 1] for segment in bars.get_segments()], [[0.9, 1.1], [1.8, 2.2], [2.7, 3.3]])
    assert (first.get_xlabel(), first.get_yscale()) == ("index of T", "linear")
    assert np.array_equal(_line(second, "steps").get_ydata(), data["steps"]) and second.get_yscale() == "log"
    assert np.array_equal(_line(third, "end").get_ydata(), [4])
    assert [label.get_text() for label in third.get_xticklabels()] == ["c"]  # nothing is said of the other
    everything = [label for axes in (first, second, third) for label in axes.get_legend_handles_labels()[1]]
    assert "sigma" not in everything and everything.count("standard deviation of the data") == 1


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


def test_discrete_parameters_are_drawn_at_their_values():
    """f = level of the choice + 3 x: the variances of both parts are known."""
    pytest.importorskip("matplotlib").use("Agg")
    level = np.array([0.0, 1.0, 5.0])
    study = gofh.Study("y[0]", {"c": ["p", "q", "r"], "x": (0, 1), "n": range(1, 4), "fix": gofh.fixed(2)}, outputs=1,
                       budget=25, stop="never")
    while trial := study.ask():
        study.tell(trial, [level[int(trial.x[0])] + 3 * trial.x[1]])
    found = gofh.plot.sobol(study)
    parts = np.array([level.var(), 9 / 12, 0.0, 0.0])
    assert np.allclose(found.first, parts / parts.sum(), atol=0.08)
    assert np.allclose(found.total, parts / parts.sum(), atol=0.08)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = gofh.plot.parameters(study)
        gofh.plot.sensitivity(study)
        gofh.plot.slices(study)
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_ylabel() for axes in shown] == ["x", "n", ""]  # what is fixed has no panel
    # The lowest panel of a column names its choices, and no other.
    assert [[label.get_text() for label in axes.get_xticklabels()] for axes in shown[:2]] == [[], ["p", "q", "r"]]
    assert all(tick == round(tick) for tick in shown[1].get_yticks())
    names = [text.get_text() for text in gofh.plot.sensitivity(study).axes[0].get_yticklabels()]
    assert names == ["c", "x", "n"] and len(gofh.plot.slices(study).axes) == 3


def boxes_overlap(figure):
    """Whether labels of ticks that are seen touch each other, on one axis."""
    figure.canvas.draw()
    for axes in figure.axes:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels() if axes.get_visible() and label.get_visible()]
        turned = any(label.get_rotation() for label in axes.get_xticklabels())
        # Turned by 30 degrees, a label of height h needs 2 h beside it.
        near = [(b.x1 - a.x1 < 2 * 10 if turned else b.x0 < a.x1) for a, b in zip(boxes, boxes[1:])]
        if any(near):
            return True
    return False


def test_names_of_choices_do_not_touch():
    pytest.importorskip("matplotlib").use("Agg")
    laws = ["first order", "second order", "Michaelis-Menten", "zeroth"]
    study = gofh.Study({"y": "o"}, {"x": (0, 1), "law": laws, "n": range(1, 4), "z": gofh.fixed(0.4)}, outputs=1,
                       data={"o": [0.5]}, sigma={"o": 0.1})
    for i in range(16):
        study.add([i / 15, i % 4, 1 + i // 4 % 3, 0.4], [i / 15 + 0.1 * (i % 4)])
    posterior = study.posterior(500)
    drawn = [gofh.plot.main_effects(study), gofh.plot.parameters(study), gofh.plot.slices(study), gofh.plot.marginals(posterior)]
    corner = gofh.plot.corner(posterior)
    assert not any(map(boxes_overlap, [*drawn, corner]))
    shown = [axes for axes in corner.axes if axes.get_visible()]
    assert len(shown) == 6 and shown[-1].get_xlabel() == "n"  # z is fixed
    assert all(tick == round(tick) for tick in shown[-1].get_xticks())
    # Of two parameters with values on their own each pair has one mark, as large as its share.
    marks = shown[4].collections[0]
    pairs, counts = np.unique(posterior.samples[:, 1:3], axis=0, return_counts=True)
    assert np.array_equal(marks.get_offsets(), pairs)
    assert np.allclose(marks.get_sizes(), 90 * counts / counts.max())
    bars = shown[5].collections[0].get_segments()
    assert [bar[1, 1] for bar in bars] == [np.sum(posterior.samples[:, 2] == n) for n in sorted({*posterior.samples[:, 2]})]


def test_what_is_at_the_limits_like_the_best_is_not_shaded():
    """Three outputs are at their limits at the best, (0.5, 0.25): that all hold there has a small probability."""
    pytest.importorskip("matplotlib").use("Agg")
    study = gofh.Study("-y[0]", {"a": (0, 1), "b": (0, 1)}, outputs=3, stop="never",
                       constraints=["max(0.25 - y[1], y[2] - 0.525000001, y[0] - 0.25) <= 0"])
    for a in np.linspace(0, 1, 5):
        for b in np.linspace(0, 1, 5):
            study.add([a, b], [a - b, b, a + 0.1 * b])
    assert list(study.best().x) == [0.5, 0.25]
    along_a = gofh.plot.slices(study).axes[0]
    shaded = along_a.collections[-1].get_paths()[0].get_extents()
    assert abs(shaded.x0 - 0.5) < 0.03 and shaded.x1 == 1


def test_what_is_not_feasible_is_shaded_about_its_value():
    pytest.importorskip("matplotlib").use("Agg")
    study = gofh.Study("y[0]", {"c": ["p", "q", "a word that is too long"], "x": (0, 1)}, outputs=2, budget=12, stop="never",
                       constraints=["y[1] <= 0.5"])
    while trial := study.ask():
        study.tell(trial, [trial.x[1], float(trial.x[0] == 1)])
    axes = gofh.plot.slices(study).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["p", "q", "a word that is to\N{HORIZONTAL ELLIPSIS}"]
    shaded = [patch.get_window_extent().transformed(axes.transData.inverted()) for patch in axes.patches]
    assert [(round(box.x0, 6), round(box.x1, 6)) for box in shaded] == [(0.5, 1.5)]


def test_it_comes_with_the_package(result):
    assert len(gofh.plot.convergence(result).axes) == 1


def test_without_matplotlib_it_says_what_is_missing(monkeypatch, make_study):
    from gofh import plot

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(gofh.Error, match="gofh.plot needs matplotlib"):
        plot.convergence(make_study())


def test_a_result_without_its_study_says_why(result):
    with pytest.raises(gofh.ArgumentError, match="stays behind when a result is pickled"):
        gofh.plot.convergence(pickle.loads(pickle.dumps(result)))


def test_keys_are_above_the_panels_and_tell_what_lines_are():
    pytest.importorskip("matplotlib").use("Agg")
    study = gofh.Study({"y": "o"}, {"metal": ["aluminium alloy", "brass"], "a": (0, 2)}, outputs=1, data={"o": [1.0]},
                       sigma={"o": 0.2}, constraints=["y <= 1.9"])
    for a in np.linspace(0, 2, 6):
        for metal in range(2):
            study.add([metal, a], [a + 0.1 * metal])
    posterior = study.posterior(400)
    for figure, labels in ((gofh.plot.corner(posterior), ["best evaluation", "95 % interval"]),
                           (gofh.plot.marginals(posterior), ["posterior", "prior", "best evaluation"]),
                           (gofh.plot.sensitivity(study), ["alone (first order)", "with all others (total)"])):
        figure.canvas.draw()
        [key] = figure.legends
        assert [text.get_text() for text in key.get_texts()] == labels
        assert not any(key.get_window_extent().overlaps(axes.get_window_extent()) for axes in figure.axes if axes.get_visible())
    [axes] = gofh.plot.parameters(study).axes
    circles = [line for line in axes.lines if line.get_marker() == "o"]
    assert [len(line.get_xdata()) for line in circles] == [2]  # y is 2 and 2.1 at a = 2
    assert not any(mark.get_clip_on() for mark in (*axes.lines, *axes.collections))
    assert [text.get_text() for text in axes.get_xticklabels()] == ["aluminium alloy", "brass"]


def test_data_of_several_names_have_marks_of_their_own():
    pytest.importorskip("matplotlib").use("Agg")
    data = {"hares": [1.0, 2.0], "lynxes": [3.0, 4.0]}
    study = gofh.Study({"h": "hares", "l": "lynxes"}, [(0, 1)], outputs={"h": 2, "l": 2}, data=data)
    study.add([0.5], [1, 2, 3, 4])
    axes = pytest.importorskip("matplotlib.pyplot").subplots()[1]
    gofh.plot.fit(study, ax=axes)
    marks = {line.get_label(): line.get_marker() for line in axes.lines}
    assert marks["hares"] != marks["lynxes"] and axes.get_ylabel() == "outputs"
