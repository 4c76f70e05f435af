"""gofh.problems: the problems of gofh bench."""
import csv
import subprocess

import numpy as np
import pytest

import gofh


@pytest.mark.parametrize("name", gofh.problems.names())
def test_the_optimum_is_where_it_is_said_to_be(name):
    problem = gofh.problems.load(name)
    assert np.all(problem.lower <= problem.optimiser) and np.all(problem.optimiser <= problem.upper)
    f = problem.g(problem.h(problem.optimiser), problem.optimiser)[0]
    assert f == pytest.approx(problem.optimum, rel=1e-9, abs=1e-9)
    assert abs(problem.regret(problem.optimiser)) < 1e-9


def test_g_is_what_its_expression_says():
    for name in ("rosenbrock", "environment", "langermann"):
        problem = gofh.problems.load(name)
        x = problem.design(1, 1)[0]
        study = problem.study()
        assert study.add(x, problem.h(x)).f == pytest.approx(problem.g(problem.h(x), x)[0], rel=1e-12)


def test_the_gradient_of_g_is_that_of_differences():
    problem = gofh.problems.load("langermann")
    x = problem.design(1, 1)[:1]
    y = problem.h(x[0])[None]
    dy, dx = problem.gradient(y, x)
    step = 1e-6
    for j in range(problem.m):
        moved = np.eye(problem.m)[j] * step
        assert dy[0, j] == pytest.approx((problem.g(y + moved, x) - problem.g(y - moved, x))[0] / (2 * step), rel=1e-5, abs=1e-7)
    assert not dx.any()


def test_residuals_are_the_roots_of_g():
    problem = gofh.problems.load("environment")
    x = problem.design(1, 1)[0]
    y = problem.h(x)
    assert np.sum(problem.residuals(y) ** 2) == pytest.approx(abs(problem.g(y, x)[0]), rel=1e-12)


@pytest.mark.parametrize("draws", ["many", "one"])
def test_replications_start_as_those_of_the_program(draws, tmp_path, build):
    """The best point of the initial design has the regret that the program prints: on a draw of the
    replication's own, or on one that all share."""
    subprocess.run([build / "gofh", "bench", "run", "--quiet", "--problem", "gp2,rosenbrock,solar", "--method", "random", "--reps",
                    "2", "--evals", "0", "--seed", "7", "--no-recommend", "--draws", draws, "--csv",
                    tmp_path / "results.csv"], check=True)
    compared = 0
    with open(tmp_path / "results.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            problem = gofh.problems.load(row["problem"], int(row["rep"]) if draws == "many" else 0)
            best = min(map(problem.log_regret, problem.design(7, int(row["rep"]))))
            assert best == pytest.approx(float(row["log10_regret_observed"]), abs=1e-6)
            compared += 1
    assert compared == 6


def test_replications_from_the_start_have_the_design_of_the_program(tmp_path, build):
    """Rows of the design are numbered up to 0; the start is the first of it."""
    subprocess.run([build / "gofh", "bench", "run", "--quiet", "--problem", "mw07", "--method", "random", "--reps", "1", "--gradients",
                    "2", "--start", "--no-recommend", "--csv", tmp_path / "results.csv"], check=True)
    problem = gofh.problems.load("mw07", 1)
    design = problem.design(1, 1, start=True)
    assert np.array_equal(design[0], problem.start) and np.array_equal(problem.start, [-1.2, 1])
    best = np.minimum.accumulate([problem.log_regret(x) for x in design])
    with open(tmp_path / "results.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["evaluation"]) for row in rows] == list(range(-5, 1))
    assert {row["method"] for row in rows} == {"random+start"}
    assert [float(row["log10_regret_observed"]) for row in rows] == pytest.approx(best, abs=1e-6)
    with pytest.raises(ValueError, match="has no start"):
        gofh.problems.load("bard").design(1, 1, start=True)


def test_instances_of_a_drawn_problem_differ_and_noise_belongs_to_its_evaluation():
    first, second = gofh.problems.load("gp1", 1), gofh.problems.load("gp1", 2)
    x = first.design(1, 1)[0]
    assert not np.allclose(first.h(x), second.h(x))
    noisy = next(p for p in map(gofh.problems.load, gofh.problems.names()) if p.noise > 0)
    x = noisy.optimiser
    assert np.array_equal(noisy.observe(x, 3), noisy.observe(x, 3))
    assert not np.array_equal(noisy.observe(x, 3), noisy.observe(x, 4))


def test_an_unknown_problem_is_refused():
    with pytest.raises(gofh.ArgumentError, match="there is no problem 'qqq': gofh.problems.names"):
        gofh.problems.load("qqq")
    with pytest.raises(gofh.ArgumentError, match="there is no problem 'enviroment': did you mean 'environment'"):
        gofh.problems.load("enviroment")
    with pytest.raises(ValueError, match="instance -1"):
        gofh.problems.load("gp1", -1)
    with pytest.raises(gofh.ArgumentError, match=r"a point of shape \(2,\): there are 4 parameters"):
        gofh.problems.load("environment").h([1, 2])
