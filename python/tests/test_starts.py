"""Points that the user has: evaluated first, whatever form they come in."""
import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, decay

import gofh

DATA = {"observed": OBSERVED}


def run(x0, **more):
    return gofh.minimize(decay, MISFIT, BOUNDS, data=DATA, x0=x0, **{"budget": 5, **more})


@pytest.mark.parametrize(
    "x0, expected",
    [
        ([5, 0.3], [[5, 0.3]]),
        ((5, 0.3), [[5, 0.3]]),
        (np.array([5, 0.3]), [[5, 0.3]]),
        ([[5, 0.3], [2, 7.7]], [[5, 0.3], [2, 7.7]]),
        (np.array([[5, 0.3], [2, 7.7]]), [[5, 0.3], [2, 7.7]]),
        ({"rate": 0.3, "amplitude": 5}, [[5, 0.3]]),
        ([{"rate": 0.3, "amplitude": 5}, {"amplitude": 2, "rate": 7.7}], [[5, 0.3], [2, 7.7]]),
        ([[5, 0.3], {"amplitude": 2, "rate": 7.7}], [[5, 0.3], [2, 7.7]]),
        ([[5, 0.3], [5, 0.3]], [[5, 0.3], [5, 0.3]]),
        ([], []),
        (None, []),
    ],
)
@pytest.mark.parametrize("outputs", [None, len(OBSERVED)])
def test_starts_are_evaluated_first_as_they_are(x0, expected, outputs):
    result = run(x0, outputs=outputs)
    starts = [trial for trial in result.history if trial.origin == "start"]
    assert [trial.x.tolist() for trial in starts] == expected
    assert [trial.number for trial in starts] == list(range(1, len(expected) + 1))
    assert result.nfev == 5


@pytest.mark.parametrize("x0", [{"amplitude": 5}, [{"amplitude": 5}], [5, np.nan], [[5, None]]])
def test_what_is_left_out_is_that_of_the_design(x0):
    plain, result = run(None).history[0], run(x0).history[0]
    assert result.x.tolist() == [5, plain.x[1]]


def test_starts_are_part_of_the_design():
    result = run([[5, 0.3], [2, 7.7]], initial=4, budget=6)
    assert [trial.origin for trial in result.history][:4] == ["start", "start", "design", "design"]
    assert not {"start", "design"} & {trial.origin for trial in result.history[4:]}


def test_maximize_takes_them_too():
    result = gofh.maximize(lambda x: x, "y*(1 - y)", [(0, 1)], x0=0.5, budget=3)
    assert result.history[0].x.tolist() == [0.5] and result.fun == 0.25


@pytest.mark.parametrize(
    "x0, message",
    [
        ([11, 0.3], 'start value 11 of parameter "amplitude" is outside its bounds 1 to 10'),
        ({"rate": 0.001}, 'start value 0.001 of parameter "rate" is outside its bounds 0.01 to 10'),
        ([5], r"points of shape \(1,\): there are 2 parameters, one row per point"),
        ([[[5, 0.3]]], r"points of shape \(1, 1, 2\): there are 2 parameters, one row per point"),
        ({"amplitud": 5}, "a point has a value of 'amplitud', which is no parameter: did you mean 'amplitude'?"),
        ({"z": 5}, "a point has a value of 'z', which is no parameter: there are amplitude, rate"),
        ({"amplitude": "five"}, "is no point: it is an array of numbers, a dict by name, or several of them"),
        ("here", "'here' is no point: it is an array of numbers, a dict by name, or several of them"),
    ],
)
def test_a_wrong_start_is_refused_before_anything_runs(x0, message):
    def never(x):
        raise AssertionError("h ran")

    with pytest.raises(gofh.ArgumentError, match=message):
        gofh.minimize(never, MISFIT, BOUNDS, data=DATA, x0=x0, on_failure="raise", budget=5)


def test_enqueued_points_are_asked_next_also_before_the_outputs_are_known():
    told, untold = (gofh.Study(MISFIT, BOUNDS, data=DATA, outputs=n, initial=6) for n in (len(OBSERVED), None))
    asked = []
    for study in (told, untold):
        study.enqueue({"amplitude": 2})
        first = study.ask()
        study.enqueue([3, 0.3])
        study.enqueue([3, 0.3])
        study.enqueue({"rate": 4})
        assert study.queued == 3
        second = study.ask()
        study.fail(first, "no luck")
        study.tell(second, decay(second.x))  # here the outputs become known
        assert study.queued == 2
        asked.append([(t.x.tolist(), t.origin, t.state) for t in (*study.trials, *study.ask(3))])
    assert asked[0] == asked[1]
    assert [x[0] for x, _, _ in asked[0]][:3] == [2, 3, 3] and asked[0][3][0][1] == 4
    assert [origin for _, origin, _ in asked[0]] == ["start"] * 4 + ["design"]
    with pytest.raises(gofh.ArgumentError, match="2 points: enqueue takes one"):
        told.enqueue([[1, 1], [2, 2]])


def test_a_run_that_goes_on_with_its_file_does_not_repeat_its_starts(tmp_path):
    path = tmp_path / "study.db"
    for budget, x0, starts in ((2, [[5, 0.3], {"rate": 1}, [7, 7]], 2), (4, [[5, 0.3], {"rate": 1}, [7, 7]], 3)):
        result = run(x0, path=path, outputs=len(OBSERVED), budget=budget, initial=9)
        assert sum(trial.origin == "start" for trial in result.history) == starts
        result.study.close()
    with gofh.Study.load(path, read_only=True) as study:
        assert study.queued == 0
        with pytest.raises(gofh.ReadOnlyError):
            study.enqueue([5, 0.3])


def test_the_starts_of_a_problem_file_are_queued_at_the_first_ask(tmp_path):
    problem = tmp_path / "p.yaml"
    problem.write_text(
        "parameters: {a: [0, 2], b: [0, 1]}\nstart: [{a: 1, b: 0.5}, {b: 0.25}]\n"
        "outputs: {c: 1}\nobjective: {minimize: c^2}\n"
    )
    with gofh.Study.from_yaml(problem) as study:
        study.add([1, 0.5], 3.0)  # known, then
        trial = study.ask()
        assert (trial.x[1], trial.origin) == (0.25, "start")
        assert study.ask().origin != "start"
    with gofh.Study.from_yaml(problem) as study:
        assert study.ask().origin != "start"
    with gofh.Study.from_yaml(problem, read_only=True) as study:
        assert len(study) == 4
