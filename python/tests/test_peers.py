"""What the comparison with others rests on: bench/peers. DFO-LS and BoTorch are not needed to test
it; with BoTorch installed its noise is looked at too."""
import subprocess
import sys
import types

import numpy as np
import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "bench" / "peers"))

import botorch_methods  # noqa: E402
import local_methods  # noqa: E402
from history import History  # noqa: E402
from problems import Problem  # noqa: E402


@pytest.mark.parametrize("name, noisy", [("bard", False), ("dosing", True)])
def test_dfo_ls_knows_of_noise_where_there_is_some(name, noisy, monkeypatch):
    given = []

    def solve(objective, start, **options):
        given.append(options["objfun_has_noise"])
        for shift in (0.01, 0.02, 0.03):
            objective(np.clip(start + shift, 0, 1))

    monkeypatch.setitem(sys.modules, "dfols", types.SimpleNamespace(solve=solve))
    history = History(Problem(name, 1), seed=1, evaluations=5)
    local_methods.dfo_ls()(history, 1)
    assert set(given) == {noisy} and history.left == 0


def test_a_history_from_the_start_counts_it_as_an_evaluation():
    problem = Problem("mw11", 1)
    for begins, initial in (("alone", 1), ("design", problem.initial), (None, problem.initial)):
        history = History(problem, seed=1, evaluations=3, start=begins)
        assert len(history.rows) == history.initial == initial
        # f = 215 at the start of Powell's singular function, and 0 at the optimum
        assert (10**history.rows[0][0] == pytest.approx(215)) == (begins is not None)
        assert [row[0] for row in history.rows] == sorted((row[0] for row in history.rows), reverse=True)


def test_dfo_ls_goes_from_the_start_in_the_units_of_the_problem(monkeypatch):
    given = []

    def solve(objective, start, **options):
        given.append((start, options["bounds"][1], options["rhobeg"]))
        for shift in (0.01, 0.02, 0.03):
            objective(start + shift)

    monkeypatch.setitem(sys.modules, "dfols", types.SimpleNamespace(solve=solve))
    history = History(Problem("mw11", 1), seed=1, evaluations=2, start="alone")
    local_methods.dfo_ls()(history, 1)
    start, upper, region = given[0]
    assert start == pytest.approx([3, -1, 0, 1]) and upper == pytest.approx([10.5, 1.5, 2.5, 3.5])
    assert region == pytest.approx(0.5) and history.left == 0


def test_a_point_evaluated_again_is_free_without_noise_only():
    for name, cost in (("bard", 1), ("dosing", 2)):
        history = History(Problem(name, 1), seed=1, evaluations=5)
        middle = np.full(history.problem.d, 0.5)
        history.evaluate(middle)
        history.evaluate(middle)
        assert 5 - history.left == cost, name


def test_a_run_is_at_the_floor_once_it_has_the_optimum():
    history = History(Problem("rosenbrock", 1), seed=1, evaluations=5)
    assert not history.at_floor
    history.evaluate(history.problem.to_unit(np.ones(history.problem.d)))
    assert history.at_floor


def test_botorch_gets_the_noise_that_the_settings_name():
    torch = pytest.importorskip("torch")
    pytest.importorskip("botorch")
    from gpytorch.settings import min_fixed_noise
    assert min_fixed_noise.value(torch.double) == botorch_methods.DEFAULT.noise
    for settings in (botorch_methods.BEST, botorch_methods.DEFAULT):
        torch.set_default_dtype(torch.double)
        u = torch.rand(8, 2, generator=torch.Generator().manual_seed(1))
        with botorch_methods.precision(settings):
            model, _, _ = botorch_methods.fit(torch, u, np.sin(3 * u.numpy()), settings.noise)
            assert model.likelihood.noise.max().item() == pytest.approx(settings.noise)


def test_batches_of_peers_stand_in_the_table_of_gofh_bench_batch(tmp_path, build):
    import batches

    # A design of 6 points and 9 more, in fours: solved by the sixth of them, in round 2 + 2.
    regrets = [-1.0] * 6 + [-9.0] * 4
    rows = "".join(f"gp1,botorch-cf-q4,1,{n},{r},,0.5\n" for n, r in enumerate(regrets))
    single = "".join(f"gp1,botorch-cf,1,{n},{r},,0.5\n" for n, r in enumerate(regrets))
    header = "problem,method,rep,evaluation,log10_regret_observed,log10_regret_recommended,seconds\n"
    (tmp_path / "peers.csv").write_text(header + rows + single)
    for _ in range(2):  # what is there is not added again
        batches.main(tmp_path / "peers.csv", str(tmp_path / "batch.csv"), lambda problem: 6)
    assert (tmp_path / "batch.csv").read_text() == batches.HEADER + (
        "gp1,botorch-cf,rounds,1,1,12,12,12,-9.0000,inf,0.500\n"
        "gp1,botorch-cf,rounds,4,1,12,12,4,-9.0000,inf,2.000\n")
    table = subprocess.run([build / "gofh", "bench", "batch", "--problem", "langermann", "--method", "random", "--reps", "1",
                            "--evals", "2", "--at-once", "1", "--csv", "batch.csv", "--quiet"], cwd=tmp_path, text=True,
                           capture_output=True, check=True).stdout
    assert "botorch-cf       rounds        4         1  0.33" in table
    assert "random" in table
