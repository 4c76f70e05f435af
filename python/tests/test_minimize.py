"""minimize and maximize: what comes back, and what ends a run."""
import io

import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, TRUTH, decay

import gofh
from gofh.progress import Progress


def test_a_calibration_finds_the_parameters_that_made_the_data():
    result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=25)
    assert np.allclose(result.x, TRUTH, rtol=1e-2)
    assert result.fun == pytest.approx(np.sum((decay(result.x) - OBSERVED) ** 2), rel=1e-9)
    assert np.array_equal(result.y, decay(result.x))
    assert result.nfev == 25 and result.nfail == 0 and result.success
    assert result.message == "the budget of evaluations is used up"
    assert [trial.number for trial in result.history] == list(range(1, 26))
    assert min(trial.f for trial in result.history) == result.fun
    assert "fun: " in repr(result) and "history" not in repr(result)


def test_maximising_is_minimising_with_the_other_sign():
    low = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=9)
    high = gofh.maximize(decay, f"-{MISFIT}", BOUNDS, data={"observed": OBSERVED}, budget=9)
    assert [t.x.tobytes() for t in low.history] == [t.x.tobytes() for t in high.history]
    assert low.fun == -high.fun


def test_the_number_of_outputs_is_found_without_an_evaluation_more():
    calls = []

    def h(x):
        calls.append(x.tobytes())
        if len(calls) == 1:
            raise RuntimeError("cold start")
        return decay(x)

    found = gofh.minimize(h, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=7)
    assert len(calls) == found.nfev == 7
    assert calls == [t.x.tobytes() for t in found.history]
    assert found.history[0].reason == "RuntimeError: cold start"


def test_an_h_that_never_works_says_so_at_once():
    def h(x):
        raise ZeroDivisionError("no luck")

    with pytest.raises(ZeroDivisionError, match="no luck") as caught:
        gofh.minimize(h, "y", [(0, 1)], budget=30)
    assert "each of the first 4 points" in caught.value.__notes__[0]
    result = gofh.minimize(h, "y", [(0, 1)], outputs=1, budget=30)
    assert (result.nfev, result.nfail, result.success) == (4, 4, False)
    assert result.message == "nothing could be evaluated; the last failure: ZeroDivisionError: no luck"
    assert np.isnan(result.x).all() and np.isnan(result.fun)


def test_failures_are_recorded_with_their_reasons_and_the_run_goes_on():
    def h(x):
        if x[0] > 0.7:
            raise ValueError("diverged\nat step 3")
        return [x[0], np.nan] if x[0] < 0.2 else [x[0], 1.0]

    result = gofh.minimize(h, "(y[0] - 0.5)^2", [(0, 1)], budget=14, seed=3)
    for trial in result.history:
        expected = "ValueError: diverged at step 3" if trial.x[0] > 0.7 else "output y[1] is nan" if trial.x[0] < 0.2 else ""
        assert trial.reason == expected
        assert trial.state == ("failed" if expected else "done")
    assert 0 < result.nfail < result.nfev == 14
    assert result.x[0] == pytest.approx(0.5, abs=1e-3)


def test_on_failure_raise_hands_on_the_exception():
    study = gofh.Study("y", [(0, 1)], outputs=1)
    with pytest.raises(OSError, match="gone"):
        study.optimize(lambda x: (_ for _ in ()).throw(OSError("gone")), on_failure="raise")
    assert study.trial(1).reason == "OSError: gone"
    with pytest.raises(gofh.ArgumentError, match="on_failure is 'ignore'"):
        study.optimize(decay, on_failure="ignore")


def test_a_callback_sees_every_trial_and_can_stop():
    seen = []

    def callback(study, trial):
        assert trial.state == "done" and study.trial(trial.number).f == trial.f
        seen.append(trial.number)
        return trial.number == 4

    result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, callback=callback)
    assert seen == [1, 2, 3, 4] and result.nfev == 4 and result.success
    assert result.message == "the callback asked to stop"

    def stop(study, trial):
        raise StopIteration

    assert gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, callback=stop).nfev == 1


def test_an_interrupt_keeps_what_was_done_and_the_study_goes_on():
    interrupt = True

    def h(x):
        if interrupt and len(points) == 5:
            raise KeyboardInterrupt
        points.append(x.tobytes())
        return decay(x)

    points = []
    first = gofh.minimize(h, MISFIT, BOUNDS, outputs=6, data={"observed": OBSERVED}, budget=9)
    assert first.message == "interrupted" and not first.success
    assert first.nfev == 5 and first.history[5].state == "open" and np.isfinite(first.fun)
    interrupt = False
    rest = first.study.optimize(h)
    whole = gofh.minimize(decay, MISFIT, BOUNDS, outputs=6, data={"observed": OBSERVED}, budget=9)
    assert rest.nfev == 9
    assert points == [t.x.tobytes() for t in whole.history]


def test_stop_rules_of_the_library_end_a_run_with_its_message():
    result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, target=1e-2)
    assert result.message == "the target value is reached" and result.fun <= 1e-2 and result.nfev < 60
    result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, tolerance=1.0)
    assert result.message == "no more improvement is expected"


def test_outputs_have_names_where_h_returns_a_dict():
    def h(x):
        return {"mass": 2 * x[0], "stress": [300 - 100 * x[0], 10.0]}

    result = gofh.minimize(h, "mass", {"thickness": (0.1, 3)}, constraints="max(stress) <= 250", budget=15)
    assert result.study.outputs == {"mass": 1, "stress": 2}
    assert result.x[0] == pytest.approx(0.5, abs=1e-2) and result.x[0] >= 0.5
    assert result.y.tolist() == [2 * result.x[0], 300 - 100 * result.x[0], 10.0]
    shuffled = gofh.Study("mass", {"thickness": (0.1, 3)}, outputs={"mass": 1, "stress": 2})
    assert shuffled.flatten({"stress": (1, 2), "mass": 0}).tolist() == [0, 1, 2]


def test_weights_make_a_linear_objective():
    result = gofh.maximize(lambda x: [x[0], x[0] ** 2], [1.0, -1.0], [(0, 1)], budget=10)
    assert result.x[0] == pytest.approx(0.5, abs=1e-3) and result.fun == pytest.approx(0.25, abs=1e-6)


def test_bounds_of_scipy_are_understood():
    class Bounds:
        lb, ub = np.array([0.0, 1.0]), np.array([1.0, 2.0])

    study = gofh.Study("y", Bounds(), outputs=1)
    assert study.names == ["x0", "x1"] and study.bounds.tolist() == [[0, 1], [1, 2]]


def test_known_noise_is_told_as_deviations():
    study = gofh.Study("a + b[0]", [(0, 1)], outputs={"a": 1, "b": 2}, noise={"b": [0.1, 0.2]})
    assert np.isnan(study._description.noise[0]) and np.allclose(study._description.noise[1:], [0.01, 0.04])
    assert gofh.Study("y", [(0, 1)], outputs=1, noise="estimated").settings["noise"] == "estimated"
    with pytest.raises(gofh.ArgumentError, match="noise of 'c': there is no such output"):
        gofh.Study("a", [(0, 1)], outputs=["a"], noise={"c": 1})
    with pytest.raises(gofh.ArgumentError, match="it is a standard deviation"):
        gofh.Study("y[0]", [(0, 1)], outputs=3, noise=[1, 2])


def test_the_progress_line_says_how_far_it_is(capsys):
    gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=3, progress=True)
    shown = capsys.readouterr().err
    assert "\rgofh 3/3  best " in shown and shown.endswith("\n")
    gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=3)
    assert capsys.readouterr().err == ""  # nobody looks

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    line = Progress(None, 60, 0, terminal)
    line._began -= 600
    line.show(10, 2, 0.5)
    line.end()
    assert terminal.getvalue() == "\rgofh 10/60  best 0.5  2 failed  50:00 left\n"
