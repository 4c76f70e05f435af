"""A study's budget, which may be raised later; and what else of a study can't be changed."""
import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, decay

import gofh


def points(study):
    return [trial.x.tobytes() for trial in study.trials]


@pytest.mark.parametrize("outputs", [6, None])
@pytest.mark.parametrize("where", ["memory", "file"])
def test_a_study_whose_budget_is_raised_goes_on_as_if_it_had_been_larger(tmp_path, where, outputs):
    path = tmp_path / "study.db" if where == "file" else None
    outputs = 6 if path else outputs
    at_once, later = (gofh.Study(MISFIT, BOUNDS, outputs=outputs, data={"observed": OBSERVED}, stop="never", budget=budget,
                                 path=own) for budget, own in ((12, None), (1, path)))
    at_once.enqueue([3, 1])
    later.enqueue([3, 1])
    at_once.optimize(decay)
    later.budget = 2
    assert later.budget == later.settings["budget"] == 2
    later.optimize(decay)
    assert len(later) == 2
    result = later.optimize(decay, budget=8)
    assert result.nfev == 8 and later.optimize(decay).nfev == 8
    assert later.optimize(decay, budget=np.int64(12)).nfev == 12
    assert points(later) == points(at_once) and later.stopped == at_once.stopped


def test_open_trials_notes_and_fixed_hyperparameters_stay(tmp_path):
    study = gofh.Study("sum(y^2)", [(0, 1)], outputs=1, hyper="fixed", method="ei-cf", initial=2, budget=3)
    study.set_hyperparameters(0, gofh.Hyperparameters(np.array([0.25]), 9.0, 0.0, 1.0))
    first, second = study.ask(2)
    study.tell(first, 2.0)
    study.set_note(second, "place", "here")
    study.budget = 5
    assert study.hyperparameters(0).lengthscale.tolist() == [0.25] and study.hyperparameters(0).variance == 9
    assert study.trial(2).state == "open" and study.note(2, "place") == "here"
    study.tell(second, 1.0)
    assert len(study.ask(9)) == 3


@pytest.mark.parametrize("where", ["memory", "file"])
def test_a_budget_that_is_wrong_changes_nothing(make_study, tmp_path, where):
    study = make_study(budget=3, path=tmp_path / "study.db" if where == "file" else None)
    for wrong, kind in (("3", TypeError), (-1, gofh.ArgumentError)):
        with pytest.raises(kind, match="budget"):
            study.budget = wrong
        assert study.budget == 3
    assert len(study.ask(9)) == 3
    with pytest.raises(gofh.ArgumentError, match="while a run is under way"):
        make_study().optimize(decay, callback=lambda study, trial: setattr(study, "budget", 9))
    with make_study(path=tmp_path / "closed.db") as closed:
        pass
    with pytest.raises(gofh.Error, match="closed"):
        closed.budget = 9


def test_what_can_not_be_set_is_refused(make_study):
    study = make_study()
    with pytest.raises(AttributeError, match="a study has no attribute 'seed' to set: seed is a setting, given when"):
        study.seed = 3
    with pytest.raises(AttributeError, match="a study has no attribute 'colour' to set$"):
        study.colour = "red"
    with pytest.raises(AttributeError):
        study.names = ["a"]
    with pytest.raises(TypeError):
        study.settings["budget"] = 50


@pytest.mark.parametrize("name, hint", [
    ("x0", r"study.enqueue\(x\) queues a point that you have"),
    ("seed", "it is given when a study is made"),
    ("data", "it is given when a study is made"),
    ("worker", "did you mean 'workers'"),
])
def test_arguments_that_optimize_has_not_are_refused_with_what_to_do(make_study, name, hint):
    with pytest.raises(TypeError, match=rf"optimize\(\) has no argument {name!r}: {hint}"):
        make_study().optimize(decay, **{name: 1})
