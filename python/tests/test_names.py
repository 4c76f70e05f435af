"""Points and outputs by their names, and names that nobody knows."""
import numpy as np
import pytest
from conftest import BOUNDS, OBSERVED, decay

import gofh


def make(g="sum((c - observed)^2) + mass", **options):
    """A study of two outputs."""
    return gofh.Study(g, BOUNDS, **{"outputs": {"c": 6, "mass": 1}, "data": {"observed": OBSERVED}, **options})


@pytest.fixture(scope="module")
def study():
    made = make(budget=8, constraints=["mass <= 9"])
    made.optimize(lambda x: {"c": decay(x), "mass": x[0]})
    return made


def test_points_may_be_told_by_name(study):
    by_name, rows = [{"rate": 0.4, "amplitude": 4}, {"amplitude": 5, "rate": 0.5}], np.array([[4, 0.4], [5, 0.5]])
    for ask in (study.predict, study.predict_objective, study.predict_quantiles):
        for named, plain in zip(ask(by_name), ask(rows)):
            assert np.array_equal(named, plain)
    assert np.array_equal(study.acquisition(by_name), study.acquisition(rows))
    assert np.array_equal(study.predict(by_name[0]).f, study.predict(rows[0]).f)
    assert study.named(by_name[0]) == {"amplitude": 4, "rate": 0.4}
    other = make()
    assert other.add(by_name[0], {"c": OBSERVED, "mass": 1}).x.tolist() == [4, 0.4]
    assert other.add_failure(by_name[1]).x.tolist() == [5, 0.5]


def test_choices_in_points_are_texts():
    study = gofh.Study("y", {"layers": range(2, 6), "metal": ["steel", "brass"]}, outputs=1, budget=6)
    study.optimize(lambda layers, metal: layers + (metal == "brass"))
    assert study.predict({"layers": 3, "metal": "brass"}).f == study.predict([3, 1]).f
    with pytest.raises(gofh.ArgumentError, match="the value of metal is 'oak': its choices are steel, brass"):
        study.predict({"layers": 3, "metal": "oak"})


def test_outputs_may_be_told_by_their_labels(study):
    for label, index in (("c[0]", 0), ("c[5]", 5), ("mass", 6)):
        assert study.label(index) == label
        assert np.array_equal(study.hyperparameters(label).lengthscale, study.hyperparameters(index).lengthscale)
    fixed = make(hyper="fixed", method="ei-cf", initial=2)
    fixed.set_hyperparameters("mass", gofh.Hyperparameters(np.array([0.25, 4.0]), 9.0, 0.0, 1.0))
    with pytest.raises(gofh.ArgumentError, match="there is no output 'mas'"):
        fixed.set_hyperparameters("mas", gofh.Hyperparameters(np.ones(2), 1.0, 0.0, 0.0))


@pytest.mark.parametrize("output", ["c", "k", "c[6]", 7, -1, 1.5, None])
def test_an_output_that_there_is_not_is_told_with_those_that_there_are(study, output):
    with pytest.raises(gofh.ArgumentError, match=r"there is no output .*: there are c\[0\] to c\[5\], mass, or 0 to 6 in the"):
        study.hyperparameters(output)
    pytest.importorskip("matplotlib").use("Agg")
    if output is not None:
        with pytest.raises(gofh.ArgumentError, match="there is no output"):
            gofh.plot.slices(study, output=output)


def test_a_method_without_outputs_has_a_model_of_f():
    study = gofh.Study("sum((y - 1)^2)", [(0, 3)], outputs=2, method="ei", budget=6)
    study.optimize(lambda x: [x[0], x[0]])
    assert study.hyperparameters(0).lengthscale.shape == (1,)
    for output in ("y[1]", 1):
        with pytest.raises(gofh.ArgumentError, match="the method 'ei' models f alone, as 0"):
            study.hyperparameters(output)


def test_trials_may_be_told_by_their_numbers(study):
    best = study.best()
    assert study.margins(best.number) == study.margins(best) == {"mass <= 9": pytest.approx(9 - best.x[0])}
    assert study.trial(best).number == best.number
    with pytest.raises(gofh.ArgumentError, match="the trial is 'best': it is what ask gave, or its number"):
        study.trial("best")
    for index in (7, -1):
        with pytest.raises(gofh.ArgumentError, match=f"there is no output {index}: y has 7 values, from 0"):
            study.label(index)


@pytest.mark.parametrize("what, message", [
    ({"rat": 1, "amplitude": 2}, "a point has a value of 'rat', which is no parameter: did you mean 'rate'?"),
    ({"z": 1}, "a point has a value of 'z', which is no parameter: there are amplitude, rate"),
    ({"amplitude": 5}, "a point has no value of rate"),
    ([{"amplitude": 5, "rate": 1}, {}], "a point has no value of amplitude, rate"),
    ({"amplitude": 5, "rate": None}, "a point has no value of rate"),
])
def test_a_point_that_is_not_whole_is_refused(study, what, message):
    with pytest.raises(gofh.ArgumentError) as caught:
        study.predict(what)
    assert str(caught.value) == message


@pytest.mark.parametrize("options, message", [
    ({"g": {"k": "observed"}}, "the fit of 'k', which is no output: there are c, mass"),
    ({"g": {"c": "obs"}}, "a fit to 'obs', which are no data: there are observed"),
    ({"g": {"c": {"data": "observd"}}}, "a fit to 'observd', which are no data: did you mean 'observed'?"),
    ({"sigma": {"k": 1}}, "sigma of 'k', which are no data: there are observed"),
    ({"at": {"k": [1]}}, "at of 'k', which are no data: there are observed"),
    ({"discrepancy": {"k": [1]}}, "the discrepancy of 'k', which are no data: there are observed"),
    ({"prior": {"z": "uniform"}}, "a prior of 'z', which is no parameter: there are amplitude, rate"),
    ({"noise": {"z": 1}}, "noise of 'z', which is no output: there are c, mass"),
    ({"missing": "z"}, "missing has 'z', which is no output: there are c, mass"),
    ({"constraints": "z <= 1"}, 'constraint 1: unknown name "z" at column 1: there are c, mass, amplitude, rate, observed'),
])
def test_names_that_nobody_knows_are_told_with_those_that_there_are(options, message):
    with pytest.raises(gofh.ArgumentError) as caught:
        make(**options)
    assert str(caught.value) == message


def test_what_is_said_of_no_data_is_refused_before_h_runs():
    def never(x):
        raise AssertionError("h ran")

    with pytest.raises(gofh.ArgumentError, match="a fit to 'k', which are no data: there are none"):
        gofh.minimize(never, {"c": "k"}, BOUNDS)
    with pytest.raises(gofh.ArgumentError, match="the fit of 'k', which is no output: there are c, mass") as caught:
        gofh.minimize(lambda x: {"c": decay(x), "mass": 1}, {"k": "observed"}, BOUNDS, data={"observed": OBSERVED})
    assert len(caught.value.result.history) == 1


def test_the_words_of_others_lead_to_ours():
    for word, ours in (("maxiter", "budget"), ("n_trials", "budget"), ("random_state", "seed"), ("jac", "gradient")):
        with pytest.raises(TypeError, match=f"unknown setting '{word}': did you mean '{ours}'?"):
            gofh.minimize(decay, "sum(y^2)", BOUNDS, **{word: 5})


def test_arguments_in_the_wrong_order_are_told():
    for wrong in ("sum(y^2)", decay):
        with pytest.raises(gofh.ArgumentError, match="the order of the arguments is h, g, bounds"):
            gofh.minimize(decay, BOUNDS, wrong)


@pytest.mark.parametrize("g, message", [
    ("sum((y - observed)**2)", "a power is written"),
    ("sum((y - observed)^2", "at column"),
    ("sum((y - observed)^2) + sine(3)", "unknown function"),
])
def test_what_is_wrong_with_g_whatever_the_outputs_are_is_told_before_h_runs(g, message):
    def never(x):
        raise AssertionError("h ran")

    with pytest.raises(gofh.ArgumentError, match=message) as caught:
        gofh.minimize(never, g, BOUNDS, data={"observed": OBSERVED}, on_failure="raise")
    assert not hasattr(caught.value, "result")


def test_points_of_pandas_are_read_by_their_names(study):
    pandas = pytest.importorskip("pandas")
    one = pandas.Series({"rate": 0.4, "amplitude": 4.0})
    table = pandas.DataFrame({"rate": [0.4, 0.5], "note": ["a", "b"], "amplitude": [4.0, 5.0]})
    for x, rows in ((one, [[4, 0.4]]), ([one, one], [[4, 0.4]] * 2), (table, [[4, 0.4], [5, 0.5]]), (table.iloc[1], [[5, 0.5]]),
                    (one.reset_index(drop=True)[::-1], [[4, 0.4]]), (pandas.DataFrame([[4, 0.4]]), [[4, 0.4]])):
        assert np.array_equal(study.predict(x).f, study.predict(rows).f)
    result = gofh.minimize(decay, "sum(y)", BOUNDS, x0=[one, pandas.Series({"rate": 1.0})], budget=2)
    assert result.history[0].x.tolist() == [4, 0.4] and result.history[1].x[1] == 1.0
    assert make().add(one, {"c": OBSERVED, "mass": 1}).x.tolist() == [4, 0.4]
    for x, wrong in ((one.rename({"rate": "speed"}), "a point has a value of 'speed', which is no parameter"),
                     (pandas.Series([1.0, 2.0], ["rate", "rate"]), "a point has two values of 'rate'"),
                     (table.drop(columns="rate"), "a point has a value of 'note'")):
        with pytest.raises(gofh.ArgumentError, match=wrong):
            study.predict(x)


def test_the_table_of_trials_is_points_of_a_prediction():
    pytest.importorskip("pandas")
    study = gofh.Study("y", {"layers": range(2, 6), "metal": ["steel", "brass"]}, outputs=1, budget=6)
    study.optimize(lambda layers, metal: layers + (metal == "brass"))
    assert np.array_equal(study.predict(study.to_dataframe()).f, study.predict([t.x for t in study.trials]).f)


def test_outputs_of_pandas_are_read_by_their_names():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series({"w": 100.0, "v": 1.0})
    for answer in (series, pandas.DataFrame([series]), pandas.DataFrame([series, series])):
        size = len(answer) if answer.ndim == 2 else 1
        study = gofh.Study("sum(v) + 0*sum(w)", [(0, 1)], outputs={"v": size, "w": size})
        study.tell(study.ask(), answer, variance=series / 2)
        assert study.best().y.tolist() == [1] * size + [100] * size
        assert study.best().variance.tolist() == [0.5] * size + [50] * size
    study = gofh.Study("sum(c) - mass", BOUNDS, outputs={"c": 2, "mass": 1}, noise=pandas.Series({"mass": 3.0, "c": 1.0}))
    study.add([1, 1], pandas.Series([7.0, 1.0, 2.0], ["mass", "c", "c"]))
    assert study.best().y.tolist() == [1, 2, 7]
    with pytest.raises(gofh.ArgumentError, match="h returned outputs called w, v, not c, mass"):
        study.add([1, 1], series)
    for outputs, first in ((None, None), (["v", "w"], None), (2, 100.0)):  # y has no names to read by
        result = gofh.minimize(lambda x: series, "v - w" if first is None else "y[1] - y[0]", [(0, 1)], outputs=outputs, budget=1)
        assert result.fun == -99


def test_a_curve_may_be_a_table():
    pandas = pytest.importorskip("pandas")
    study = gofh.Study({"V": "o"}, [(0, 1)], outputs={"V": {"at": "t"}}, data={"o": [1.0, 2.0]}, at={"o": [0.5, 1.5]})
    study.add([0.5], pandas.DataFrame({"V": [0.0, 4.0], "t": [0.0, 2.0]}))
    assert study.best().y.tolist() == [1, 3]


@pytest.mark.parametrize("outputs", [-1, 0, {"y": -1}, {"y": 0}, {"y": 1.5}, {}, []])
def test_outputs_that_can_not_be_are_refused_with_what_is_right(outputs):
    with pytest.raises(gofh.ArgumentError, match="outputs is|the size of y is .*: it is a whole number, how many values h returns: 1 or more"):
        gofh.Study("sum(y)", [(0, 1)], outputs=outputs)


@pytest.mark.parametrize("bounds", [{(1, 10), (0.01, 10)}, {"a": {1, 10}}, {"a": {"steel", "brass"}}, {"a": frozenset([1, 2])}])
def test_bounds_without_an_order_are_refused(bounds):
    with pytest.raises(gofh.ArgumentError, match="a set has no order"):
        gofh.Study("sum(y)", bounds, outputs=1)


def test_trials_are_numbered_from_one(study):
    for number in (0, -1):
        for call in (study.trial, study.margins, lambda n: study.note(n, "a"), lambda n: study.tell(n, 1), study.fail):
            with pytest.raises(gofh.TrialError, match=f"there is no trial {number}: they are numbered from 1"):
                call(number)


def test_several_evaluations_are_added_all_or_none():
    pandas = pytest.importorskip("pandas")
    points, answers = [[4, 0.4], [5, 0.5]], [{"c": OBSERVED, "mass": 1}, {"mass": 2, "c": OBSERVED}]
    study = make(budget=3)
    assert [t.number for t in study.add_all(points, answers)] == [1, 2] and all(t.imported for t in study.trials)
    copy = make()
    copy.add_all(study.to_dataframe(), study.to_dataframe())
    assert [t.f for t in copy.trials] == [t.f for t in study.trials] == [1, 2]
    assert [t.x.tolist() for t in copy.trials] == points
    untold = gofh.Study("sum(y)", BOUNDS)
    assert untold.add_all(pandas.DataFrame({"rate": [0.4], "amplitude": [4.0]}), np.array([[1.0, 2.0]]))[0].f == 3
    for x, y, wrong in (
        (points, answers[:1], "2 points, and outputs of 1"),
        (points, [answers[0], {"c": OBSERVED, "mass": np.nan}], "output mass is nan at point 1"),
        ([[4, 0.4], [50, 0.5]], answers, "amplitude"),
        (points, study.to_dataframe().drop(columns="c[3]"), r"the table of outputs has no column 'c\[3\]'"),
    ):
        with pytest.raises(gofh.ArgumentError, match=wrong):
            study.add_all(x, y)
    assert len(study) == 2 and study.add_all([], []) == []
    with pytest.raises(gofh.ArgumentError, match="2 points: add takes one, and add_all several"):
        study.add(points, answers)
