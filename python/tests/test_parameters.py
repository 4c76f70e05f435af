"""Whole numbers, grids, catalogues, choices, fixed values and known constraints."""
import itertools
import math
from typing import Any

import numpy as np
import pytest

import gofh

BOUNDS = {
    "layers": range(2, 10),
    "metal": ["steel", "brass", "oak"],
    "plate": gofh.values([6, 8, 10, 12, 16, 20]),
    "step": gofh.grid(0, 1, 0.1),
    "density": gofh.fixed(7850),
    "width": (0, 1),
}


def h(x: np.ndarray) -> list[float]:
    layers, metal, plate, step, density, width = x
    assert density == 7850
    return [layers - 6, {0: 0.5, 1: 0.0, 2: 1.0}[metal], (plate - 12) / 4, step - 0.3, width - 0.61]


def test_every_suggestion_is_one_of_the_values() -> None:
    study = gofh.Study("sum(y^2)", BOUNDS, outputs=5, budget=25, stop="never")
    while trial := study.ask():
        layers, metal, plate, step, density, width = trial.x
        assert layers in range(2, 10) and metal in (0, 1, 2) and plate in (6, 8, 10, 12, 16, 20) and density == 7850
        assert step in [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0] and 0 <= width <= 1
        study.tell(trial, h(trial.x))
    assert study.named(study.best()) == {
        "layers": 6, "metal": "brass", "plate": 12, "step": 0.3, "density": 7850, "width": pytest.approx(0.61, abs=1e-3)
    }


def test_all_values_of_a_grid_are_those_that_are_suggested() -> None:
    third = gofh.grid(-2, 11 / 3, 1 / 3)
    tenth = gofh.grid(0, 2, 0.1)
    assert tenth.all()[:5] == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert third.all()[6] == 0.0 and third.all()[12] == 2.0
    assert gofh.grid(math.e, math.e + 5, 0.5).all()[0] == math.e
    for kind in (tenth, third):
        study = gofh.Study("y", {"v": kind}, outputs=1, budget=40, stop="never")
        asked = [float(trial.x[0]) for trial in study.ask(len(kind.all()))]
        assert len(asked) > 10 and set(asked) <= set(kind.all())


def test_values_by_name_are_what_was_said_and_arrays_are_numbers() -> None:
    seen: list[Any] = []

    def by_name(layers, metal, plate, step, density, width):
        seen.append([layers, metal, plate, step, density, width])
        return list(range(layers))[:1] + [{"steel": 1.0, "brass": 0.0, "oak": 2.0}[metal], plate, step, width]

    def by_dict(p: dict):
        return by_name(**p)

    for h_of_values in (by_name, by_dict, lambda **p: by_name(**p)):
        seen.clear()
        result = gofh.minimize(h_of_values, "sum(y^2)", BOUNDS, outputs=5, budget=6)
        assert result.nfail == 0 and len(seen) == 6
        for point, trial in zip(seen, result.history):
            assert [type(value) for value in point] == [int, str, int, float, int, float]
            assert dict(zip(BOUNDS, point)) == result.study.named(trial)
    array = gofh.minimize(lambda x: seen.append(x) or x[:5], "sum(y^2)", BOUNDS, outputs=5, budget=1)
    assert seen[-1].dtype == np.float64 and np.array_equal(seen[-1], array.history[0].x)


def test_tables_have_the_values_as_they_were_said_and_are_points_again() -> None:
    pytest.importorskip("pandas")
    study = gofh.Study("sum(y^2)", BOUNDS, outputs=5, budget=8)
    study.optimize(h)
    table = study.to_dataframe()[study.names]
    assert set(table["metal"]) <= {"steel", "brass", "oak"} and table["layers"].dtype.kind == "i"
    expected = study.predict([trial.x for trial in study.trials]).f
    assert np.array_equal(study.predict(table).f, expected)
    assert np.array_equal(study.predict(table[["width", "metal", "layers", "density", "step", "plate"]]).f, expected)
    with pytest.raises(gofh.ArgumentError, match="a point has no value of metal"):
        study.predict(table.drop(columns="metal"))


@pytest.mark.parametrize(("kind", "number", "said"), [
    (gofh.values([6, 8.5]), 6.0, "6.0"), (gofh.values([6, 8]), 6.0, "6"), (gofh.grid(0.5, 9, 1), 1.5, "1.5"),
    (gofh.grid(0, 9, 3), 3.0, "3"), (gofh.fixed(0.5), 0.5, "0.5"), (gofh.integer(1, 9), math.nan, "nan"),
])
def test_a_value_is_an_int_where_all_values_are_whole_numbers(kind, number, said) -> None:
    assert repr(kind.as_given(number)) == said


def test_all_points_are_tried_once_and_the_study_ends() -> None:
    bounds = {"a": range(0, 3), "b": ["u", "v"]}
    result = gofh.minimize(lambda x: [x[0] - 1, x[1]], "sum(y^2)+1", bounds, budget=50, outputs=2, stop="never")
    tried = [tuple(trial.x) for trial in result.study.trials]
    assert sorted(tried) == sorted(itertools.product([0, 1, 2], [0, 1]))
    assert result.message.count("all allowed points have been tried") == 1


def test_starts_may_be_words_and_must_be_values() -> None:
    study = gofh.Study("sum(y^2)", BOUNDS, outputs=5)
    study.enqueue({"metal": "oak", "plate": 16})
    trial = study.ask()
    assert trial is not None and study.named(trial)["metal"] == "oak" and study.named(trial)["plate"] == 16
    with pytest.raises(gofh.ArgumentError, match="its choices are steel, brass, oak"):
        study.enqueue({"metal": "iron"})
    with pytest.raises(gofh.ArgumentError, match="not one of its values: the nearest is 8"):
        study.enqueue({"plate": 7.2})


def test_known_constraints_hold_and_starts_that_break_one_are_refused() -> None:
    study = gofh.Study("sum(y^2)", [(0, 1), (0, 1), (0, 1)], outputs=3, budget=20,
                       constraints=["x0 + x1 + x2 == 1", "x0 <= 0.5*x1"])
    with pytest.raises(gofh.ArgumentError, match="breaks the constraint"):
        study.enqueue([0.5, 0.3, 0.2])
    while trial := study.ask():
        assert abs(trial.x.sum() - 1) < 3e-9 and trial.x[0] <= 0.5 * trial.x[1]
        study.tell(trial, trial.x - [0.4, 0.4, 0.2])
    # the nearest point of the plane within the edge x0 = x1/2: minimise by hand along it
    t = np.linspace(0, 0.4, 400001)
    truth = ((t - 0.4) ** 2 + (2 * t - 0.4) ** 2 + (1 - 3 * t - 0.2) ** 2).min()
    assert study.best().f == pytest.approx(truth, abs=1e-9)


def test_known_constraints_hold_before_the_outputs_are_known() -> None:
    seen: list[np.ndarray] = []

    def plane(x):
        seen.append(x.copy())
        if len(seen) == 2:
            raise RuntimeError("diverged")
        return {"p": x[0], "q": x[1]}

    runs = [gofh.minimize(plane, "p^2 + q^2", {"u": (-2, 2), "v": (-2, 2)}, budget=12, outputs=outputs,
                          constraints=["u + v >= 1", "p <= 1.9"]) for outputs in (None, {"p": 1, "q": 1})]
    for result in runs:
        assert all(trial.x.sum() >= 1 for trial in result.history)
        assert all(np.array_equal(trial.x, trial.y) for trial in result.history if trial.state == "done")
        assert result.fun == pytest.approx(0.5, abs=1e-6)  # at (1/2, 1/2)
    assert np.array_equal(seen[0], runs[0].history[0].x) and np.array_equal(runs[0].history[0].x, runs[1].history[0].x)
    with pytest.raises(gofh.ArgumentError, match="breaks the constraint"):
        gofh.minimize(plane, "p", {"u": (-2, 2), "v": (-2, 2)}, constraints=["u + v >= 1"], x0=[0, 0])
    with pytest.raises(gofh.ProblemError, match="no point meets the known constraints"):
        gofh.minimize(plane, "p", {"u": (-2, 2), "v": (-2, 2)}, constraints=["u + v >= 5"])


def test_an_empty_domain_is_refused() -> None:
    with pytest.raises(gofh.ProblemError, match="no point meets the known constraints"):
        gofh.Study("y[0]", [(0, 1), (0, 1)], outputs=1, constraints=["x0 + x1 >= 1.5", "x0 <= 0.2"])


def test_a_study_file_keeps_the_kinds(tmp_path) -> None:
    path = tmp_path / "study.db"
    with gofh.Study("sum(y^2)", BOUNDS, outputs=5, path=path) as study:
        trial = study.ask()
        study.tell(trial, h(trial.x))
        before = study.named(trial)
    with gofh.Study.load(path) as study:
        assert study.named(study.trial(1)) == before
        assert study.kinds["plate"].all() == [6, 8, 10, 12, 16, 20]
        assert math.isinf(study.hyperparameters().lengthscale[4])


def test_choices_may_be_added_but_not_removed_once_used(tmp_path) -> None:
    path = tmp_path / "study.db"
    with gofh.Study("y[0]", {"m": ["a", "b"], "x": (0, 1)}, outputs=1, path=path) as study:
        for word in "ab":
            study.enqueue({"m": word})
            trial = study.ask()
            study.tell(trial, [trial.x[1]])
    with gofh.Study("y[0]", {"m": ["new", "b", "a"], "x": (0, 1)}, outputs=1, path=path) as study:
        assert [study.named(trial)["m"] for trial in study.trials] == ["a", "b"]
    with gofh.Study.load(path) as study:
        assert [study.named(trial)["m"] for trial in study.trials] == ["a", "b"]
    with pytest.raises(gofh.ChangedError, match="the choice a is no longer there, but trials have it"):
        gofh.Study("y[0]", {"m": ["new", "b"], "x": (0, 1)}, outputs=1, path=path)


def test_slices_of_all_kinds_are_drawn() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    result = gofh.minimize(h, "sum(y^2)", BOUNDS, budget=14, outputs=5)
    figure = gofh.plot.slices(result)
    assert [label.get_text() for label in figure.axes[1].get_xticklabels()] == ["steel", "brass", "oak"]


@pytest.mark.parametrize(("bound", "message"), [
    (("1", "10"), "parameter a: the bounds are .* numbers, not texts; texts to choose from are a list"),
    (["steel"], "parameter a: the choices are .* 2 or more texts"),
    (range(3, 4), "parameter a: .* 2 or more are needed"),
    ([False, True], "the bounds of a are .* true or false is gofh.integer"),
    ([1, 2, 3, "log"], "a range, a list of texts, .* gofh.integer, gofh.grid, gofh.values, gofh.choices or gofh.fixed"),
    ("abc", "the bounds of a are 'abc': they are .* a list of texts"),
    ((2, 9, "integer"), r"the scale of a is 'integer': .* whole numbers are gofh.integer\(2, 9\)"),
])
def test_what_can_be_no_parameter_is_named_with_what_would_be_right(bound, message) -> None:
    with pytest.raises(gofh.ArgumentError, match=message):
        gofh.Study("y", {"a": bound}, outputs=1)


def test_a_list_of_two_numbers_as_texts_is_a_choice() -> None:
    assert gofh.Study("y", {"a": ["1", "10"]}, outputs=1).kinds["a"].words == ("1", "10")
