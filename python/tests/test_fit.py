"""Fits: a g that pairs outputs with data."""
import numpy as np
import pytest

import gofh
from conftest import BOUNDS, OBSERVED, decay

SIGMA = np.array([0.1, 0.2, 0.1, 0.3, 0.1, 0.5])
GAPS = np.where(np.arange(6) == 3, np.nan, OBSERVED + 0.2)


def f_of(g, y, **named):
    with gofh.Study(g, BOUNDS, **named) as study:
        return study.add([2, 0.5], y).f


def test_a_fit_is_weighted_least_squares_without_what_is_missing():
    y = decay([4, 0.4])
    expected = np.nansum(((y - GAPS) / SIGMA) ** 2)
    assert f_of({"y": "gaps"}, y, outputs=6, data={"gaps": GAPS}, sigma={"gaps": SIGMA}) == pytest.approx(expected)
    masked = np.ma.masked_invalid(GAPS)
    assert f_of({"y": "gaps"}, y, outputs=6, data={"gaps": masked}) == pytest.approx(np.nansum((y - GAPS) ** 2))


def test_residuals_and_losses_are_chosen_by_their_names():
    y, data = decay([4, 0.4]), {"o": OBSERVED}
    r = (y - OBSERVED) / OBSERVED
    assert f_of({"c": {"data": "o", "residual": "relative"}}, y, outputs={"c": 6}, data=data) == pytest.approx(sum(r**2))
    huber = np.where(abs(r) <= 0.1, r**2, 0.2 * abs(r) - 0.01)
    fit = {"c": {"data": "o", "residual": "relative", "loss": "huber", "threshold": 0.1}}
    assert f_of(fit, y, outputs={"c": 6}, data=data) == pytest.approx(sum(huber))


def test_a_fit_needs_no_outputs_and_finds_the_parameters():
    result = gofh.minimize(lambda x: {"c": decay(x)}, {"c": "o"}, BOUNDS, data={"o": OBSERVED}, sigma={"o": 0.1}, budget=25)
    assert np.allclose(result.x, [5, 0.5], atol=0.05)
    assert [(one.data, one.deviation) for one in result.study.comparisons()] == [("o", 0.1)] * 6


@pytest.mark.parametrize(
    "g, message",
    [
        ({}, "an empty dict"),
        ({"y": 3}, "the name of data"),
        ({"y": {"data": "o", "los": "huber"}}, "did you mean 'loss'"),
        ({"y": {"data": "o", "loss": "cauchy"}}, "square, huber"),
        ({"y": {"data": "o", "threshold": 2}}, "for the loss 'huber'"),
        ({"y": "p"}, "which are no data"),
        ({"z": "o"}, "is no output"),
    ],
)
def test_a_wrong_fit_says_what_would_be_right(g, message):
    with pytest.raises(gofh.Error, match=message):
        gofh.Study(g, BOUNDS, outputs=6, data={"o": OBSERVED})


def test_a_fit_is_not_maximised():
    with pytest.raises(gofh.ArgumentError, match="minimised"):
        gofh.maximize(decay, {"y": "o"}, BOUNDS, outputs=6, data={"o": OBSERVED})


def test_a_file_keeps_data_with_gaps_at_their_end(tmp_path):
    gaps = np.array([1.0, np.nan, 2.0, np.nan])
    with gofh.Study({"y": "gaps"}, BOUNDS, outputs=4, data={"gaps": gaps}, path=tmp_path / "s.db") as study:
        f = study.add([2, 0.5], [1.5, 9, 2, 9]).f
    with gofh.Study.load(tmp_path / "s.db") as study:
        assert np.array_equal(study.data["gaps"], gaps, equal_nan=True)
        assert study.trials[0].f == f == 0.25


def test_a_problem_file_may_have_a_fit(tmp_path):
    (tmp_path / "m.csv").write_text("t,V,dV\n0,5,0.1\n1,NA,\n2,1.9,0.2\n")
    (tmp_path / "p.yaml").write_text(
        "parameters: {a: [1, 10]}\noutputs: {V: 3}\n"
        "data: {m: {file: m.csv, column: V, sigma: dV, at: t}}\n"
        "objective: {fit: {V: {data: m, loss: huber, threshold: 3}}}\n"
    )
    with gofh.Study.from_yaml(tmp_path / "p.yaml") as study:
        assert study.add([2], [5.2, 7, 2.1]).f == pytest.approx(4 + 1)
        assert [one.output for one in study.comparisons()] == [0, 2]


def gappy(x):
    y = decay(x)
    if x[0] > 6:
        y[4:] = np.nan
    return y


@pytest.mark.parametrize("named", [False, True])
def test_results_with_gaps_are_used_for_what_they_have(named):
    h = (lambda x: {"c": gappy(x)}) if named else gappy
    g, missing = ({"c": "o"}, ["c"]) if named else ({"y": "o"}, True)
    result = gofh.minimize(h, g, BOUNDS, data={"o": OBSERVED}, missing=missing, budget=25)
    partial = [t for t in result.history if t.x[0] > 6]
    assert partial and all(t.state == "done" and np.isnan(t.f) and np.isfinite(t.y[:4]).all() for t in partial)
    assert result.nfail == 0 and np.allclose(result.x, [5, 0.5], atol=0.05)


def test_gaps_are_failures_where_they_are_not_allowed():
    result = gofh.minimize(gappy, {"y": "o"}, BOUNDS, data={"o": OBSERVED}, budget=8)
    assert result.nfail > 0
    nothing = gofh.minimize(lambda x: np.full(6, np.nan), {"y": "o"}, BOUNDS, data={"o": OBSERVED}, missing=True, budget=3)
    assert nothing.nfail == 3
    with pytest.raises(gofh.ArgumentError, match="did you mean 'c'"):
        gofh.Study({"c": "o"}, BOUNDS, outputs={"c": 6}, data={"o": OBSERVED}, missing=["cc"])


def test_a_file_keeps_gaps_in_results(tmp_path):
    with gofh.Study("y[0]", BOUNDS, outputs=3, missing=True, path=tmp_path / "s.db") as study:
        study.add([2, 0.5], [1, np.nan, 3])
    with gofh.Study.load(tmp_path / "s.db") as study:
        assert np.array_equal(study.trials[0].y, [1, np.nan, 3], equal_nan=True) and study.trials[0].f == 1
        study.add([3, 0.5], [np.nan, 2, 3])


TIMES = np.array([0.0, 1.5, 4.0])


def curve(x, end=5.0):
    t = np.linspace(0, end, 301)
    return {"c": x[0] * np.exp(-x[1] * t), "t": t}


def curve_study(**named):
    outputs = named.pop("outputs", {"c": {"at": "t"}})
    return gofh.Study({"c": "m"}, BOUNDS, outputs=outputs, data={"m": 5 * np.exp(-0.5 * TIMES)}, at={"m": TIMES}, **named)


def test_a_curve_is_interpolated_where_its_data_are():
    with curve_study() as study:
        answer = curve([4, 0.4])
        assert study.outputs == {"c": 3}
        assert np.array_equal(study.add([4, 0.4], answer).y, np.interp(TIMES, answer["t"], answer["c"]))
        result = study.optimize(curve)
    assert np.allclose(result.x, [5, 0.5], atol=0.05)


def test_a_curve_that_ends_early_fails_is_extended_or_missing():
    early = curve([4, 0.4], end=2.0)
    with curve_study() as study:
        trial = study.ask()
        with pytest.raises(gofh.ArgumentError, match="ends at 2, before 4"):
            study.tell(trial, early)
    with curve_study(outputs={"c": {"at": "t", "extend": "last"}}) as study:
        assert study.add([4, 0.4], early).y[2] == early["c"][-1]
    with curve_study(missing=True) as study:
        assert np.isnan(study.add([4, 0.4], early).y).tolist() == [False, False, True]


@pytest.mark.parametrize(
    "answer, message",
    [
        ({"c": [1, 2]}, "without t"),
        ({"c": [1, 2], "t": [0, 1, 2]}, "2 values of c, but 3 of t"),
        ({"c": [1, 2, 3], "t": [0, 5, 5]}, "not above the 5 before it"),
        ({"c": [1, 2], "t": [0, np.nan]}, "t\\[1\\] is not a finite"),
        ([1, 2, 3], "it is a dict"),
    ],
)
def test_a_wrong_curve_says_what_is_wrong(answer, message):
    with curve_study() as study, pytest.raises(gofh.ArgumentError, match=message):
        study.add([4, 0.4], answer)


def test_a_curve_needs_places():
    with pytest.raises(gofh.ArgumentError, match="at says where"):
        gofh.Study({"c": "m"}, BOUNDS, outputs={"c": {"at": "t"}}, data={"m": TIMES})
    with pytest.raises(gofh.ArgumentError, match="it is a size"):
        curve_study(outputs={"c": {"att": "t"}})


def test_a_problem_file_may_have_a_curve(tmp_path):
    (tmp_path / "p.yaml").write_text(
        "parameters: {a: [1, 10], k: [0.1, 1]}\noutputs: {c: {at: s}}\n"
        "data: {m: {values: [5, 2.4, 0.7], at: [0, 1.5, 4]}}\nobjective: {fit: {c: m}}\n"
    )
    with gofh.Study.from_yaml(tmp_path / "p.yaml") as study:
        answer = curve([4, 0.4])
        assert np.allclose(study.add([4, 0.4], {"c": answer["c"], "s": answer["t"]}).y, 4 * np.exp(-0.4 * TIMES), atol=1e-4)


@pytest.mark.parametrize("argument", ["data", "sigma"])
def test_complex_numbers_are_refused_instead_of_cut(argument):
    given = {"data": {"o": [1.0, 2.0]}, "sigma": {"o": [0.1, 0.1]}}
    given[argument] = {"o": np.array([1 + 1j, 2])}
    with pytest.raises(gofh.ArgumentError, match=f"the {argument} 'o' are .* they are numbers"):
        gofh.Study({"y": "o"}, {"a": (0, 1)}, outputs=2, **given)


@pytest.mark.parametrize("g", ["sum((y - o)^2)", lambda y: np.sum(y, axis=1), [1.0] * 6])
@pytest.mark.parametrize("outputs", [6, None])
def test_a_sigma_that_weighs_nothing_is_refused(g, outputs):
    with pytest.raises(gofh.ArgumentError, match="sigma of 'o' is not used by g: a fit, such as g={'y': 'o'}, is weighted by it"):
        gofh.Study(g, BOUNDS, outputs=outputs, data={"o": OBSERVED}, sigma={"o": 0.1})


def test_an_expression_may_use_a_sigma():
    study = gofh.Study("sum(((y - o)/o_sigma)^2)", BOUNDS, outputs=6, data={"o": OBSERVED}, sigma={"o": 0.5})
    assert study.add([1, 1], OBSERVED + 1).f == pytest.approx(6 * 4)
