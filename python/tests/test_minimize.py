"""minimize and maximize: what comes back, and what ends a run."""
import io
import math
import sys
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, TRUTH, decay

import gofh
from gofh.progress import Progress


def test_a_calibration_finds_the_parameters_that_made_the_data():
    result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=25, stop="never")
    assert np.allclose(result.x, TRUTH, rtol=1e-2)
    assert result.fun == pytest.approx(np.sum((decay(result.x) - OBSERVED) ** 2), rel=1e-9)
    assert np.array_equal(result.y, decay(result.x))
    assert result.nfev == 25 and result.nfail == 0 and result.success
    assert result.message.startswith("the budget of evaluations is used up; ")
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


@pytest.mark.parametrize("outputs", [None, 1])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_h_that_never_works_says_so_at_once(outputs, workers):
    result = gofh.minimize(broken, "y", [(0, 1)], outputs=outputs, workers=workers, budget=30)
    assert (result.nfev, result.nfail, result.success) == (result.nfev, result.nfev, False)
    assert 4 <= result.nfev <= 5  # the design, and what was under way
    assert result.message == f"all {result.nfev} evaluations failed: ZeroDivisionError: no luck"
    assert [trial.reason for trial in result.history] == ["ZeroDivisionError: no luck"] * result.nfev
    assert np.isnan(result.x).all() and np.isnan(result.fun)


def broken(x):
    raise ZeroDivisionError("no luck")


def test_failures_of_different_kinds_are_both_named():
    answers = [np.nan, [1, np.inf], None, RuntimeError("last")]

    def h(x):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    result = gofh.minimize(h, "y", [(0, 1)])
    assert [t.reason for t in result.history] == [
        "output y is nan", "output y[1] is inf", "h returned None: a return may be missing", "RuntimeError: last"]
    assert result.message == "all 4 evaluations failed, the first: output y is nan; the last: RuntimeError: last"
    assert gofh.minimize(broken, "y", [(0, 1)], budget=1).message == (
        "the budget of evaluations is used up; the only evaluation failed: ZeroDivisionError: no luck")


def test_an_interrupt_before_the_first_success_keeps_the_failures_and_the_study_goes_on():
    calls = []

    def h(x):
        calls.append(x.tobytes())
        if len(calls) == 2:
            raise KeyboardInterrupt
        if len(calls) == 1:
            raise RuntimeError("cold start")
        return {"c": decay(x)}

    misfit = MISFIT.replace("y", "c")
    first = gofh.minimize(h, misfit, BOUNDS, data={"observed": OBSERVED}, budget=8, noise={"c": 0.1})
    assert first.message == "interrupted; the only evaluation failed: RuntimeError: cold start" and not first.success
    assert [t.state for t in first.history] == ["failed", "open"] and first.y.size == 0
    assert first.study.outputs == {} and "not known yet" in repr(first.study)
    second = first.study.optimize(h)
    assert second.nfev == 8 and second.nfail == 1 and first.study.outputs == {"c": 6}
    assert second.history[0].reason == "RuntimeError: cold start"
    assert calls[1] == calls[2] and calls[:1] + calls[2:] == [t.x.tobytes() for t in second.history]
    assert np.allclose(first.study._description.noise, 0.01)


def test_an_answer_of_the_wrong_form_is_a_failure_with_its_reason():
    answers = [[1, 2, 3], "four", [1, 2], [[1, 2], [3]], {"y": 1}, np.nan, [1j, 2, 3], [1, None, 3], [3, 2, 1], [1, 2, 3], []]
    result = gofh.minimize(lambda x: answers.pop(0), "sum(y)", [(0, 1), (0, 1)], outputs=3, initial=11, budget=11)
    assert [t.reason for t in result.history] == [
        "",
        "h returned 'four', which is no array of numbers",
        "h returned 2 values, not 3",
        "h returned [[1, 2], [3]], which is no array of numbers",
        "h returned 1 value of y, not 3",
        "all outputs are nan",
        "h returned [1j, 2, 3], which is no array of numbers",
        "output y[1] is nan",
        "",
        "",
        "h returned no values",
    ]
    assert result.fun == 6 and result.nfail == 8


def test_a_masked_output_is_a_missing_one():
    result = gofh.minimize(lambda x: np.ma.masked_array([1, 9e36], [False, True]), "sum(y)", [(0, 1)], budget=1)
    assert result.history[0].reason == "output y[1] is nan"


def test_answers_that_are_all_of_the_wrong_form_end_the_run_with_that():
    result = gofh.minimize(lambda x: [1, 2, 3], "sum(y)", [(0, 1)], outputs=4)
    assert result.message == "all 4 evaluations failed: h returned 3 values, not 4" and not result.success
    sizes = iter([3] + [4] * 60)
    result = gofh.minimize(lambda x: np.ones(next(sizes)), "sum(y)", [(0, 1)])
    assert result.message == "most answers of h have the wrong form; the last: h returned 4 values, not 3"
    assert result.nfev == 5 and not result.success


def test_where_nothing_is_feasible_the_message_says_why():
    options = {"budget": 5, "method": "random"}
    result = gofh.minimize(lambda x: x[0], "y", [(0, 1)], constraints="y >= 2", **options)
    largest = max(result.history, key=lambda trial: trial.y[0])
    assert result.message == (
        "the budget of evaluations is used up; no evaluation met the constraints; "
        f"trial {largest.number} violates them least: y >= 2 by {2 - largest.y[0]:.4g}"
    )
    assert result.x == largest.x
    assert not result.success and result.fun == np.inf and result.nfail == 0
    for g in ("log(y)", lambda y: y[:, 0] + np.nan):
        for constraints in ((), "y <= 2"):
            result = gofh.maximize(lambda x: -x[0], g, [(0, 1)], constraints=constraints, **options)
            assert result.message.endswith("; g has no finite value at any evaluation") and not result.success
            assert result.fun == -np.inf
    result = gofh.minimize(lambda x: x[0] - 0.5, "log(y)", [(0, 1)], constraints="y <= 0", **options)
    assert result.message.endswith("; no evaluation met the constraints where g has a finite value")


def test_failures_are_recorded_with_their_reasons_and_the_run_goes_on():
    def h(x):
        if x[0] > 0.7:
            raise ValueError("diverged\nat step 3")
        return [x[0], np.nan] if x[0] < 0.2 else [x[0], 1.0]

    result = gofh.minimize(h, "(y[0] - 0.5)^2", [(0, 1)], budget=14, seed=3, initial=4, stop="never")
    for trial in result.history:
        expected = "ValueError: diverged at step 3" if trial.x[0] > 0.7 else "output y[1] is nan" if trial.x[0] < 0.2 else ""
        assert trial.reason == expected
        assert trial.state == ("failed" if expected else "done")
    assert 0 < result.nfail < result.nfev == 14
    assert result.x[0] == pytest.approx(0.5, abs=1e-3)


def fail_at(number, error):
    """h that does so at its call of that number."""
    calls = []

    def h(x):
        calls.append(x)
        if len(calls) == number:
            raise error
        return decay(x)

    return h


@pytest.mark.parametrize("outputs", [None, 6])
@pytest.mark.parametrize("number", [1, 3])
def test_on_failure_raise_hands_on_the_exception_with_what_was_done(outputs, number):
    with pytest.raises(OSError, match="gone") as caught:
        gofh.minimize(fail_at(number, OSError("gone")), MISFIT, BOUNDS, outputs=outputs, data={"observed": OBSERVED},
                      on_failure="raise")
    result = caught.value.result
    assert result.nfev == number and result.history[-1].reason == "OSError: gone"
    assert result.message.startswith("ended by OSError: gone") and not result.success
    assert np.isfinite(result.fun) == (number > 1)
    assert caught.value.__notes__ == [
        f"gofh: {number} evaluation{'s' if number > 1 else ''} before this, in the attribute result of this exception"]
    with pytest.raises(gofh.ArgumentError, match="on_failure is 'ignore'"):
        gofh.minimize(decay, MISFIT, BOUNDS, on_failure="ignore")


@pytest.mark.parametrize("answer, message", [(np.nan, "output y is nan"), ("text", "h returned 'text'")])
def test_on_failure_raise_is_for_answers_too(answer, message):
    with pytest.raises(gofh.EvaluationError, match=message) as caught:
        gofh.minimize(lambda x: answer, "y", [(0, 1)], on_failure="raise")
    assert caught.value.result.nfev == 1


def test_the_exception_of_a_callback_comes_with_what_was_done():
    def callback(study, trial):
        if trial.number == 3:
            raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing") as caught:
        gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, callback=callback, budget=7)
    result = caught.value.result
    assert result.nfev == 3 and np.isfinite(result.fun)
    assert result.study.optimize(decay).nfev == 7


def test_what_g_could_not_take_comes_with_its_exception():
    works = False

    def g(y):
        if not works:
            raise FloatingPointError("no g")
        return y[:, 0]

    with pytest.raises(FloatingPointError, match="no g") as caught:
        gofh.minimize(lambda x: [x[0], 7], g, [(0, 1)], budget=3)
    result = caught.value.result
    (trial,) = result.history
    assert trial.state == "open" and trial.y.tolist() == [trial.x[0], 7]
    works = True
    result.study.tell(trial, trial.y)
    assert result.study.optimize(lambda x: [x[0], 7]).nfev == 3
    with pytest.raises(gofh.ArgumentError, match='unknown name "z"') as caught:
        gofh.minimize(lambda x: [x[0], 7], "sum(z)", [(0, 1)])
    assert caught.value.result.history[0].y[1] == 7


def test_a_callback_sees_every_trial_and_can_stop():
    seen = []

    def callback(study, trial):
        assert trial.state == "done" and study.trial(trial.number).f == trial.f
        seen.append(trial.number)
        return trial.number == 4

    result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, callback=callback, initial=6)
    assert seen == [1, 2, 3, 4] and result.nfev == 4 and not result.success
    assert result.message.startswith("the callback asked to stop; no suggestion has been evaluated yet; ")

    def stop(study, trial):
        raise StopIteration

    assert gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, callback=stop).nfev == 1
    result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, callback=stop, workers=2)
    assert result.nfev == 2 and all(t.state == "done" for t in result.history)  # what was under way is kept


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
    assert result.message.startswith("the target of 0.01 is reached; ") and result.fun <= 1e-2 and result.nfev < 60
    result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, tolerance=1.0)
    assert result.message.startswith("no more improvement is expected; ")


def test_a_run_ends_when_nothing_more_is_expected_and_says_how_sure_it_is():
    result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED})
    assert result.nfev < 60 and result.success
    assert result.message.startswith(f"nothing more is expected: {result.nfev} of 60 used; ")
    assert np.allclose(result.x, TRUTH, rtol=1e-6)
    assert result.study.assess().message in result.message


def test_a_message_says_once_that_nothing_more_is_expected():
    off = np.array([0.1, -0.1, 0.1, -0.1, 0.1, -0.1])  # so that f is not as good as it can be, and the model sees it
    result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED + off})
    assert result.study.assess().message.startswith("nothing more is expected; ")
    assert result.message.count("nothing more is expected") == 1


def test_a_run_with_several_workers_ends_too():
    with ThreadPoolExecutor(3) as pool:
        result = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, workers=pool, parallel=3)
    assert result.nfev < 60 and result.success and all(trial.state == "done" for trial in result.history)


def test_an_optimum_at_a_bound_is_named():
    study = gofh.Study([1.0, 1.0], {"inner": (0, 1), "outer": (-1, 1)}, outputs=2, sense="maximize")
    study.optimize(lambda x: [x[0] * (1 - x[0]), x[1]])
    assert study.assess().bounds == {"outer": "upper"}
    assert "outer is at its upper bound" in study.assess().message


def test_stop_is_auto_or_never():
    with pytest.raises(gofh.ArgumentError, match='unknown stop "always": there are auto, never'):
        gofh.Study("y^2", [(0, 1)], outputs=1, stop="always")


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


def test_known_noise_is_given_as_deviations():
    study = gofh.Study("a + b[0]", [(0, 1)], outputs={"a": 1, "b": 2}, noise={"b": [0.1, 0.2]})
    assert np.isnan(study._description.noise[0]) and np.allclose(study._description.noise[1:], [0.01, 0.04])
    assert gofh.Study("y", [(0, 1)], outputs=1, noise="estimated").settings["noise"] == "estimated"
    with pytest.raises(gofh.ArgumentError, match="noise of 'c', which is no output: there is"):
        gofh.Study("a", [(0, 1)], outputs=["a"], noise={"c": 1})
    with pytest.raises(gofh.ArgumentError, match="it is a standard deviation"):
        gofh.Study("y[0]", [(0, 1)], outputs=3, noise=[1, 2])


def test_the_progress_line_says_how_far_it_is(capsys):
    gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=3, progress=True)
    shown = capsys.readouterr().err
    assert shown.startswith(f"\rgofh {'░' * 16} 0/3\r") and f"\rgofh {'█' * 16} 3/3  best " in shown and shown.endswith("\n")
    gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=3)
    assert capsys.readouterr().err == ""  # nobody looks


def test_a_notebook_has_the_progress_line_too(monkeypatch, capsys):
    class ZMQInteractiveShell:
        """What IPython's kernels have."""

    class TerminalInteractiveShell:
        """What a bare ipython has."""

    for shell in (ZMQInteractiveShell, TerminalInteractiveShell):
        monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=shell))
        gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=1)
        assert ("1/1" in capsys.readouterr().err) == (shell is ZMQInteractiveShell)


def test_a_run_needs_no_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)  # as where it was closed: python script.py 2>&-
    for progress in (None, True):
        assert gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=1, progress=progress).nfev == 1


class Terminal(io.StringIO):
    encoding = "ascii"

    def isatty(self):
        return True


def shown_after(seconds, budget, *shown):
    terminal = Terminal()
    line = Progress(None, budget, 0, terminal)
    line._began -= seconds
    line.show(*shown)
    line.end()
    return terminal.getvalue()


def test_the_progress_line_has_the_time_that_is_left_and_fits_the_terminal(monkeypatch):
    assert shown_after(600, 60, 15, 2, 0.5) == "\rgofh ####............ 15/60  best 0.5  2 failed  30:00 left\n"
    assert shown_after(7, 60, 60, 0, -3.0) == "\rgofh ################ 60/60  best -3  in 0:07\n"
    assert shown_after(7, 0, 4, 0, np.inf) == "\rgofh 4  no finite f yet  in 0:07\n"
    monkeypatch.setenv("COLUMNS", "33")
    assert shown_after(600, 60, 15, 2, 0.5) == "\rgofh ####............ 15/60  bes\n"


def test_a_long_reason_is_shortened():
    def h(x):
        raise RuntimeError("begin " + 50000 * "x" + " end")

    result = gofh.minimize(h, "y", [(0, 1)], budget=2)
    assert len(result.history[0].reason) == 2000 and len(result.message) < 300
    for text in (result.history[0].reason, result.message):
        assert "RuntimeError: begin xxx" in text and " ... xxx" in text and text.endswith(" end")
    with pytest.raises(gofh.EmptyError, match="outputs; 2 of 2 trials failed, the last: RuntimeError: begin"):
        result.study.report()


@pytest.mark.parametrize("sense, worst", [("minimize", math.inf), ("maximize", -math.inf)])
def test_where_g_is_nowhere_finite_fun_is_infinite_and_x_a_point(sense, worst):
    search = getattr(gofh, sense)
    missing = search(lambda x: [math.nan, 1], "y[0] + y[1]", [(0, 1)], outputs=2, missing=True, budget=3)
    function = search(lambda x: [1, 1], lambda y: np.full(len(y), math.nan), [(0, 1)], outputs=2, budget=3)
    for result in (missing, function):
        assert result.fun == worst and not result.success and "g has no finite value at any evaluation" in result.message
        assert result.x.tobytes() in [trial.x.tobytes() for trial in result.history] and result.y[1] == 1


def test_none_and_whole_floats_are_taken_as_settings():
    settings = {"seed": None, "target": None, "budget": None, "constraints": None}
    study = gofh.Study("y", [(0, 1)], outputs=1, **settings)
    assert study.settings["seed"] == 1 and study.budget == 60
    result = gofh.minimize(lambda x: x[0], "y", [(0, 1)], budget=3.0, seed=np.float64(2), constraints=None)
    assert result.nfev == 3 and result.study.settings["seed"] == 2 and isinstance(result.study.budget, int)
    with pytest.raises(TypeError, match="setting budget is 3.5: it is a whole number"):
        gofh.minimize(lambda x: x[0], "y", [(0, 1)], budget=3.5)


def test_a_result_has_its_fields_by_name_as_scipys_have():
    result = gofh.minimize(lambda x: x[0], "y", [(0, 1)], budget=3)
    assert result["x"] is result.x and dict(result)["fun"] == result.fun and "message" in result
    with pytest.raises(KeyError):
        result["jac"]


def test_a_target_that_is_reached_is_said_once():
    result = gofh.minimize(lambda x: x[0], "y", [(0, 1)], target=0.9)
    assert result.success and result.message.count("target") == 1


@pytest.mark.parametrize("given, message", [
    ({"g": 3}, "g is 3: it is an expression, a function, a fit, or weights of the outputs, one for each"),
    ({"g": "np.sum(y)"}, r'unexpected character "\." at column 3: an expression has functions of its own, such as sum\(y\)'),
    ({"h": lambda: 1}, "h has no arguments: it is a function of a point"),
    ({"args": (1,)}, r"unknown setting 'args': h gets a point alone; .* h=lambda x: f\(x, ...\)"),
])
def test_what_newcomers_try_is_told_what_to_do(given, message):
    with pytest.raises((gofh.ArgumentError, TypeError), match=message):
        gofh.minimize(**{"h": lambda x: x[0], "g": "y", "bounds": [(0, 1)], **given})
