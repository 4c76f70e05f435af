"""Study: ask and tell, what the model says, and what is refused."""
import inspect
import math
import threading

import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, decay

import gofh


def told(study, count):
    for trial in study.ask(count):
        study.tell(trial, decay(trial.x))
    return study


def test_trials_are_open_then_done_or_failed(make_study):
    study = make_study(budget=4)
    first, second, third = study.ask(3)
    study.tell(second, decay(second.x))
    study.fail(third, RuntimeError("no licence"))
    states = [(t.number, t.state, t.reason) for t in study.trials]
    assert states == [(1, "open", ""), (2, "done", ""), (3, "failed", "RuntimeError: no licence")]
    assert study.trials[1].f == pytest.approx(np.sum((decay(second.x) - OBSERVED) ** 2), rel=1e-12)
    assert study.trials[0].y is None and math.isnan(study.trials[0].f)
    assert study.trials[0].origin == "design"
    assert study.best().number == 2
    assert len(study.ask(5)) == 1 and study.stopped == "the budget of evaluations is used up"
    assert study.ask() is None
    study.tell(first.number, decay(first.x))
    assert len(study) == 4


def test_the_variance_of_an_observation_is_kept_and_used():
    study = gofh.Study("y^2", [(0, 1)], outputs=1, method="ei-cf", budget=30)
    for x in np.linspace(0, 1, 11):  # one of them is far off, and known to be
        off = x == 0.5
        added = study.add([x], [np.sin(4 * x) + (3 if off else 0)], variance=9.0 if off else 0.0)
        assert added.variance == [9.0 if off else 0.0]
    assert study.predict([[0.5]]).mean[0, 0] == pytest.approx(np.sin(2), abs=0.02)
    trial = study.ask()
    study.tell(trial, [0.5])
    assert study.trial(trial.number).variance is None
    study.tell(trial, [0.5], variance=[0.25], replace=True)
    assert study.trial(trial.number).variance == [0.25]
    study.tell(trial, [0.6], replace=True)
    assert study.trial(trial.number).variance == [0.25]
    study.tell(trial, [0.6], variance=math.nan, replace=True)
    assert study.trial(trial.number).variance is None


def test_variances_are_given_by_name_for_all_or_for_each_output(tmp_path):
    with gofh.Study("sum(c) + t", [(0, 1)], outputs={"c": 2, "t": 1}, path=tmp_path / "study.db") as study:
        answer = {"c": [1, 2], "t": 3}
        given = [{"c": [0.1, 0.2]}, {"t": 0.3}, 0.5, [0.1, math.nan, 0.0], {}]
        trials = [study.add([i / 9], answer, variance=variance) for i, variance in enumerate(given)]
        expected = [[0.1, 0.2, math.nan], [math.nan, math.nan, 0.3], [0.5] * 3, [0.1, math.nan, 0]]
        np.testing.assert_array_equal([trial.variance for trial in trials[:4]], expected)
        assert trials[4].variance is None
        for wrong, text in [({"d": 1}, "a variance of 'd', which is no output: there"), ([1, 2], "3 in all"), ("much", "3 in all"), (-1, "0 or above")]:
            with pytest.raises(gofh.ArgumentError, match=text):
                study.add([0.9], answer, variance=wrong)
    with gofh.Study.load(tmp_path / "study.db", read_only=True) as study:
        np.testing.assert_array_equal([trial.variance for trial in study.trials[:4]], expected)


def test_failures_made_elsewhere_are_taken_before_and_after_the_outputs_are_known():
    study = gofh.Study("sum(y)", [(0, 1)], budget=9)
    early = study.add_failure([0.25], ValueError("no licence"))
    assert (early.state, early.reason, early.imported) == ("failed", "ValueError: no licence", True)
    study.tell(study.ask(), [1.0, 2.0])
    late = study.add_failure([0.75])
    assert [(t.state, t.reason, t.imported) for t in study.trials] == [
        ("failed", "ValueError: no licence", True), ("done", "", False), ("failed", "", True)]
    assert late.x == [0.75] and early.x == study.trials[0].x
    assert len(study.ask(20)) == 8  # failures made elsewhere do not count against the budget


def test_evaluations_made_elsewhere_do_not_count_against_the_budget(make_study):
    study = make_study(budget=2)
    added = study.add([5.0, 0.4], decay([5.0, 0.4]))
    assert added.imported and added.state == "done" and added.origin == "import"
    assert len(study.ask(9)) == 2


def test_the_model_interpolates_what_was_told(make_study):
    study = told(make_study(), 12)
    x = np.array([t.x for t in study.trials])
    y = np.array([t.y for t in study.trials])
    found = study.predict(x)
    assert found.mean.shape == found.variance.shape == (12, 6) and found.f.shape == found.deviation.shape == (12,)
    assert np.allclose(found.mean, y, rtol=1e-3, atol=1e-3)
    assert np.all(found.variance >= 0)
    assert np.allclose(study.predict(x[0]).f, found.f[:1], rtol=1e-9)
    mean, variance = study.leave_one_out()
    assert mean.shape == variance.shape == (12, 6) and not np.allclose(mean, y, rtol=1e-9)
    chosen = study.ask()
    assert chosen is not None
    known = study.acquisition(np.vstack([x[:3], chosen.x]))
    assert known.shape == (4,) and np.all(known[:3] <= known[3] + 1e-12)


def test_the_recommendation_is_the_models_best_point(make_study):
    study = told(make_study(), 15)
    found = study.recommend()
    grid = np.array([(a, 10**e) for a in np.linspace(1, 10, 25) for e in np.linspace(-2, 1, 25)])
    assert found.f <= study.predict(grid).f.min() + 1e-6
    assert found.f == pytest.approx(study.predict(found.x).f[0], rel=1e-6, abs=1e-9)
    assert found.y.shape == (6,) and found.deviation >= 0


def test_a_method_that_models_only_f_knows_nothing_of_h(make_study):
    study = told(make_study(method="ei"), 8)
    found = study.predict([[5, 0.5]])
    assert found.mean is None and found.variance is None and found.f.shape == (1,)
    assert study.recommend().y is None
    with pytest.raises(gofh.ArgumentError, match="models f alone"):
        study.leave_one_out()


def test_hyperparameters_can_be_fixed_and_read(make_study):
    study = make_study(hyper="fixed", method="ei-cf")
    with pytest.raises(gofh.ProblemError, match="hyperparameters of output 0 are to be fixed"):
        told(told(study, 6), 1)
    for output in range(6):
        study.set_hyperparameters(output, gofh.Hyperparameters(np.array([0.3, 0.4]), 2.0, 0.0, math.nan))
    found = study.hyperparameters(3)
    assert np.allclose(found.lengthscale, [0.3, 0.4]) and found.variance == pytest.approx(2.0)


def test_notes_stay_with_a_trial(make_study):
    study = make_study()
    trial = study.ask()
    study.set_note(trial, "where", "node 7")
    assert study.note(trial, "where") == "node 7" and study.note(trial.number, "who") is None
    study.set_note(trial, "where", None)
    assert study.note(trial, "where") is None


@pytest.mark.parametrize(
    "given, message",
    [
        ({"g": "sum(z)"}, 'unknown name "z"'),
        ({"bounds": [(1, 0)]}, "upper bound"),
        ({"bounds": [(0, 1, "log")]}, "log"),
        ({"bounds": [(0,)]}, r"the bounds of x0 are \(0,\): they are \(lower, upper\)"),
        ({"bounds": {"a": (0, 1, "cubic")}}, "the scale of a is 'cubic': it is 'linear' or 'log'"),
        ({"bounds": []}, "no parameters"),
        ({"bounds": None}, r"bounds is None: it has a pair for each parameter, such as \[\(0, 1\)"),
        ({"bounds": (0, 1)}, r"bounds is \(0, 1\): it has a pair for each parameter"),
        ({"bounds": [(0, 1, "log", 3)]}, r"the bounds of x0 are \(0, 1, 'log', 3\): they are \(lower, upper\)"),
        ({"outputs": 6.0}, r"outputs is 6.0: it is how many there are \(6\)"),
        ({"outputs": True}, "outputs is True: it is a whole number, how many values h returns"),
        ({"outputs": 10**12}, "outputs is 1000000000000: it is a whole number"),
        ({"outputs": {"c": 2.7}}, "the size of c is 2.7: it is a whole number, how many values h returns"),
        ({"outputs": {"c": "six"}}, "the size of c is 'six': it is a whole number"),
        ({"outputs": {"c": [1, 2]}}, r"the size of c is \[1, 2\]: it is a whole number"),
        ({"outputs": {"c": 2**40}}, "the size of c is 1099511627776: it is a whole number"),
        ({"data": [1, 2]}, r"data is \[1, 2\]: it is a dict of numbers by name"),
        ({"data": {"o": np.ma.masked_array([1, 2], [False, True])}, "g": "sum(y - o)"}, "1 of 2 values of \"o\" at"),
        ({"data": {"o": "abc"}}, "the data 'o' are 'abc': they are numbers"),
        ({"constraints": abs}, "a constraint is <built-in function abs>: it is an expression"),
        ({"constraints": ["y > 1", 3]}, "a constraint is 3: it is an expression"),
        ({"noise": -1}, "noise is -1: it is a standard deviation"),
        ({"noise": {"y": "much"}}, "noise is {'y': 'much'}: it is a standard deviation"),
        ({"outputs": 0}, "outputs"),
        ({"sense": "best"}, "sense is 'best'"),
        ({"data": {"o": [math.inf]}}, "it must be finite"),
        ({"constraints": "y > 1 >"}, "constraint"),
        ({"method": "magic"}, 'unknown method "magic"'),
        ({"design": "grid"}, 'unknown design "grid": there are uniform, sobol'),
        ({"kernel": "rq"}, 'unknown kernel "rq": there are squared-exponential, matern-5/2, matern-3/2'),
        ({"budget": -1}, "setting budget is -1"),
        ({"gradient": "torch"}, "a gradient is given of a g that is no function"),
        ({"g": [1.0, 2.0]}, "2 weights for 1 outputs"),
    ],
)
def test_a_wrong_problem_is_refused_with_what_is_wrong(given, message):
    right = {"g": "y", "bounds": [(0, 1)], "outputs": 1}
    with pytest.raises(ValueError, match=message) as caught:
        gofh.Study(**{**right, **given})
    assert isinstance(caught.value, gofh.Error)


@pytest.mark.parametrize(
    "setting, kind, message",
    [
        ({"budgte": 3}, TypeError, "unknown setting 'budgte': did you mean 'budget'"),
        ({"qqq": 3}, TypeError, "unknown setting 'qqq': gofh.Settings lists them"),
        ({"budget": "3"}, TypeError, "setting budget is '3': it is a whole number"),
        ({"budget": 3.5}, TypeError, "setting budget is 3.5: it is a whole number"),
        ({"budget": True}, TypeError, "setting budget is True"),
        ({"target": "low"}, TypeError, "setting target is .low.: it is a number"),
        ({"method": 7}, TypeError, "setting method is 7: it is a text"),
        ({"seed": -1}, ValueError, "setting seed is -1: it is between 0 and 18446744073709551615"),
        ({"budget": 2**40}, ValueError, "setting budget is 1099511627776: it is between"),
    ],
)
def test_wrong_settings_are_refused(tmp_path, setting, kind, message):
    with pytest.raises(kind, match=message):
        gofh.Study("y", [(0, 1)], outputs=1, **setting)
    gofh.Study("y", [(0, 1)], outputs=1, path=tmp_path / "study.db").close()
    with pytest.raises(kind, match=message):
        gofh.Study.load(tmp_path / "study.db", **setting)


def test_wrong_arguments_of_minimize_are_refused():
    with pytest.raises(TypeError, match="unknown setting 'calback': did you mean 'callback'"):
        gofh.minimize(decay, MISFIT, BOUNDS, calback=print)
    with pytest.raises(TypeError, match=r"maximize\(\) missing a required argument: 'bounds'"):
        gofh.maximize(decay, MISFIT)
    assert list(inspect.signature(gofh.minimize).parameters)[:4] == ["h", "g", "bounds", "outputs"]


def test_wrong_calls_are_refused_and_change_nothing(make_study):
    study = make_study()
    with pytest.raises(gofh.EmptyError):
        study.best()
    trial = study.ask()
    with pytest.raises(gofh.ArgumentError, match="h returned 5 values, not 6"):
        study.tell(trial, np.zeros(5))
    with pytest.raises(gofh.ArgumentError, match="h returned outputs called c, not y"):
        study.tell(trial, {"c": 1})
    with pytest.raises(gofh.ArgumentError, match="h returned 2 values of y, not 6"):
        study.tell(trial, {"y": [1, 2]})
    with pytest.raises(gofh.TrialError):
        study.tell(7, np.zeros(6))
    with pytest.raises(gofh.TrialError):
        study.trial(0)
    for n in (0, 2.0, "3"):
        with pytest.raises(gofh.ArgumentError, match=f"{n!r} points are asked for: it is a whole number"):
            study.ask(n)
    with pytest.raises(gofh.ArgumentError, match="it is what ask gave, or its number"):
        study.tell(trial.x, OBSERVED)
    with pytest.raises(gofh.ArgumentError, match="is no point: it is an array of numbers, a dict by name, or several"):
        study.predict("here")
    with pytest.raises(gofh.ArgumentError, match="outside its bounds 1 to 10"):
        study.add([11, 1], np.zeros(6))
    with pytest.raises(gofh.ArgumentError, match=r"points of shape \(3,\): there are 2 parameters"):
        study.add([1, 2, 3], np.zeros(6))
    with pytest.raises(gofh.ArgumentError, match="one row per point"):
        study.predict(np.zeros((4, 3)))
    assert [t.state for t in study.trials] == ["open"]


def test_a_closed_study_is_refused(make_study):
    with make_study() as study:
        study.ask()
    study.close()
    with pytest.raises(gofh.Error, match="the study is closed"):
        study.ask()


def test_what_is_given_may_be_of_any_layout(make_study):
    study = told(make_study(), 8)
    wide = np.zeros((4, 4))
    wide[:, :2] = [5, 0.5]
    assert np.allclose(study.predict(wide[:, :2]).f, study.predict([[5, 0.5]] * 4).f)
    assert np.array_equal(study.predict(np.asfortranarray(wide[:, :2])).mean, study.predict([[5, 0.5]] * 4).mean)
    trial = study.ask()
    study.tell(trial, np.arange(12, dtype=np.float32)[::2])
    assert study.trial(trial.number).y.tolist() == [0, 2, 4, 6, 8, 10]


def test_what_was_asked_by_hand_is_left_alone_also_in_memory():
    study = gofh.Study("y^2", [(-1, 1)], outputs=1, budget=5, method="random")
    mine = study.ask(2)
    study.optimize(lambda x: x[0])
    assert [t.number for t in study.trials if t.state == "open"] == [t.number for t in mine]
    study.tell(mine[0], 0.25)


class Interrupted:
    """A study of the library whose calls return, but not to the caller: as when ^C comes at that
    moment."""

    def __init__(self, core, call, times):
        self._core, self._call, self._times = core, call, times

    def __getattr__(self, name):
        def call(*given):
            answer = getattr(self._core, name)(*given)
            if name == self._call:
                self._times -= 1
                if self._times == 0:
                    raise KeyboardInterrupt
            return answer

        return call


@pytest.mark.parametrize("call", ["ask", "set_note"])
def test_what_an_interrupted_ask_suggested_is_what_the_next_one_gives(make_study, call):
    expected = [trial.x.tolist() for trial in make_study().ask(4)]
    study = make_study()
    core = study._core
    study._core = Interrupted(core, call, 2)
    with pytest.raises(KeyboardInterrupt):
        study.ask(3)
    study._core = core
    made = len(study)
    assert made == (2 if call == "ask" else 3)
    first = study.ask()
    assert first.number == 1 and len(study) == made
    rest = study.ask(3)
    assert [trial.number for trial in rest] == [2, 3, 4] and len(study) == 4
    assert [trial.x.tolist() for trial in [first, *rest]] == expected


def test_what_an_interrupted_ask_suggested_is_evaluated_by_a_run(make_study):
    study = make_study(budget=4, method="random")
    core = study._core
    study._core = Interrupted(core, "set_note", 1)
    with pytest.raises(KeyboardInterrupt):
        study.ask(2)
    study._core = core
    assert study.optimize(decay).nfev == 4 and all(trial.state == "done" for trial in study.trials)
    study = make_study(budget=4, method="random")
    study._core = Interrupted(study._core, "ask", 2)
    with pytest.raises(KeyboardInterrupt):
        study.ask(2)
    study.tell(1, OBSERVED)  # by whoever looked at the trials
    assert study.ask().number == 2


def test_outputs_may_be_left_to_the_first_result(tmp_path):
    study = gofh.Study(MISFIT, BOUNDS, data={"observed": OBSERVED}, budget=9)
    known = gofh.Study(MISFIT, BOUNDS, outputs=6, data={"observed": OBSERVED}, budget=9)
    for one in (study, known):
        first, second = one.ask(2)
        one.fail(first, "no licence")
        one.set_note(second, "where", "node 7")
    with pytest.raises(gofh.EmptyError, match="the outputs are not known before the first result is told"):
        study.save(tmp_path / "study.db")
    with pytest.raises(gofh.EmptyError, match="give them as outputs"):
        study.label(0)
    with pytest.raises(gofh.EmptyError):
        study.best()
    with pytest.raises(gofh.TrialError):
        study.tell(7, np.zeros(3))  # and nothing is learned of it
    for one in (study, known):
        one.tell(second, np.full(6, np.nan)) if one is known else one.tell(second, np.nan)
        third = one.ask()
        one.tell(third, decay(third.x))
        for trial in iter(one.ask, None):
            one.tell(trial, decay(trial.x))
    assert [t.x.tobytes() for t in study.trials] == [t.x.tobytes() for t in known.trials]
    assert [t.state for t in study.trials] == ["failed"] * 2 + ["done"] * 7
    assert study.trial(1).reason == "no licence" and study.trial(2).reason == "output y is nan"
    assert study.note(2, "where") == "node 7" and study.outputs == {"y": 6}
    with pytest.raises(gofh.ArgumentError, match="h returned 5 values, not 6"):
        study.add([5, 1], np.zeros(5))
    study.save(tmp_path / "study.db")
    learned = gofh.Study("a", [(0, 1)])
    assert learned.add([0.5], {"a": 1, "b": [2, 3]}).f == 1 and learned.outputs == {"a": 1, "b": 2}


def test_a_file_needs_the_outputs_from_the_beginning(tmp_path):
    with pytest.raises(gofh.ArgumentError, match="path needs outputs: .* Say how many values h returns"):
        gofh.Study("y", [(0, 1)], path=tmp_path / "study.db")
    gofh.Study("y", [(0, 1)], outputs=1, path=tmp_path / "study.db").close()
    with gofh.Study("y", [(0, 1)], path=tmp_path / "study.db") as study:
        assert study.outputs == {"y": 1}


@pytest.mark.parametrize(
    "given, message",
    [
        ({"sense": "best"}, "sense is 'best'"),
        ({"gradient": "torch"}, "a gradient is given of a g that is no function"),
        ({"g": None}, "g is None: it is an expression, a function, a fit, or weights"),
        ({"g": {"y": 1}}, "the fit of 'y' is 1: it is the name of data"),
        ({"bounds": [(1, 0)]}, "upper bound"),
        ({"data": {"o": [math.inf]}}, "it must be finite"),
        ({"bounds": {"a b": (0, 1)}}, "\"a b\" can't be a name"),
        ({"g": "sum(y"}, "is never closed"),
        ({"noise": -1}, "noise is -1: it is a standard deviation"),
        ({"g": "sum(y**2)"}, r"a power is written \^"),
        ({"constraints": "y[0]"}, "a constraint is a comparison"),
    ],
)
def test_what_is_wrong_is_said_before_the_outputs_are_known(given, message):
    with pytest.raises(gofh.ArgumentError, match=message):
        gofh.Study(**{"g": "y", "bounds": [(0, 1)], **given})


@pytest.mark.parametrize(
    "g, answer",
    [("y[0] + y[7]", np.ones(8)), ("sum((y - o)^2)", np.ones(3)), ("sum(c) + d", {"c": [1, 2], "d": 3}), ("y", 1.0),
     ("sum((y[0:3] - o)^2) + y[3]", np.ones(4))],
)
def test_what_may_be_right_is_not_refused_before_the_outputs_are_known(g, answer):
    study = gofh.Study(g, [(0, 1)], data={"o": [1, 2, 3]})
    study.tell(study.ask(), answer)
    assert study.trial(1).state == "done"


def test_threads_may_tell_a_study_its_outputs():
    study = gofh.Study("sum(y)", [(0, 1)], budget=0)
    trials = study.ask(40)
    errors = []

    def work(mine):
        try:
            for trial in mine:
                if trial.number % 3:
                    study.tell(trial, [trial.x[0], 1])
                else:
                    study.fail(trial, "third")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(trials[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert [t.state for t in study.trials] == ["done" if t.number % 3 else "failed" for t in trials]
    assert [t.x.tobytes() for t in study.trials] == [t.x.tobytes() for t in trials]


def test_the_trial_that_ask_gives_is_the_one_the_study_has():
    study = gofh.Study("sum((y - 1)^2)", [(0, 2), (0, 2)], outputs=2, budget=9, initial=3, stop="never")
    seen = set()
    for _ in range(9):
        trial = study.ask()
        kept = study.trials[-1]
        assert (trial.number, trial.origin, trial.state) == (kept.number, kept.origin, "open")
        assert trial.expected == kept.expected or (np.isnan(trial.expected) and trial.origin == "design")
        assert (trial.x == kept.x).all()
        seen.add(trial.origin)
        study.tell(trial, trial.x**2)
    assert "design" in seen and len(seen) > 1 and "" not in seen


def test_a_result_can_be_corrected_and_the_log_says_so():
    study = gofh.Study("sum((y - 1)^2)", [(0, 2)], outputs=1)
    first, second = study.ask(2)
    study.tell(first, [100.0])
    study.fail(second, "no licence")
    study.tell(first, [1.5], replace=True)
    study.tell(second, [3.0], replace=True)
    assert [trial.f for trial in study.trials] == [0.25, 4.0]
    study.fail(second, "it leaked", replace=True)
    assert study.trials[1].reason == "it leaked" and study.trials[1].y is None
    assert sum("its result was replaced" in line for line in study.log) == 3
    with pytest.raises(gofh.TrialError, match="nothing to replace yet"):
        study.tell(study.ask(), [1.0], replace=True)


def test_an_answer_that_is_not_aligned_in_memory_is_taken():
    """As Dask hands arrays over: NumPy says "=d" of them."""
    unaligned = np.frombuffer(b"x" + np.array([1.0, 2.0]).tobytes(), dtype=np.float64, offset=1)
    assert not unaligned.flags.aligned
    study = gofh.Study("sum(y^2)", [(0, 1)], outputs=2)
    study.tell(study.ask(), unaligned)
    assert study.best().f == 5.0
