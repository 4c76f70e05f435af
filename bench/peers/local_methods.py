"""Local least-squares methods, started again from the next point when they end, until the budget is
spent."""
import os
import warnings
from pathlib import Path

import numpy as np

from history import BudgetSpent

# Stands for the residuals of an evaluation that failed.
FAILED = 1e6
# Where there is noise: the last trust region of DFO-LS, and the relative step of SciPy's
# differences. Smaller ones did worse; POUNDERS has no such option.
NOISY_REGION, NOISY_STEP = 1e-2, 0.3


def _residuals(history):
    def function(u):
        y = history.evaluate(u)
        return np.full(history.problem.m, FAILED) if y is None else history.problem.residuals(y)

    return function


def _restart(history, seed, solve):
    """solve(function, start) until the budget is spent. A start that costs nothing any more is the
    last."""
    function = _residuals(history)
    free = 0
    try:
        for start in history.starts(seed):
            before = history.left
            solve(function, start)
            free = free + 1 if history.left == before else 0
            if history.left == 0 or free > 100:
                break
    except BudgetSpent:
        pass


def dfo_ls():
    import dfols

    def run(history, seed):
        problem = history.problem

        def solve(function, start):
            d, noisy = len(start), problem.noisy
            lower, upper = np.zeros(d), np.ones(d)
            objective = function
            if history.start == "alone":  # the user's units did better than the unit cube from the starts of More and Wild
                lower, upper, start = problem.lower, problem.upper, problem.to_user(start)

                def objective(x):
                    return function(problem.to_unit(x))

            region = 0.1 * (upper - lower).min()
            try:
                dfols.solve(objective, start, bounds=(lower, upper), rhobeg=region,
                            rhoend=NOISY_REGION if noisy else 1e-9 * region, maxfun=10000, objfun_has_noise=noisy,
                            do_logging=False, print_progress=False,
                            user_params={"model.abs_tol": 1e-30, "model.rel_tol": 1e-30})
            except (np.linalg.LinAlgError, ValueError):
                pass  # it gave up on this start

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _restart(history, seed, solve)

    return run


def scipy_least_squares():
    from scipy.optimize import least_squares

    def run(history, seed):
        def solve(function, start):
            inside = np.clip(start, 1e-10, 1.0 - 1e-10)
            least_squares(function, inside, bounds=(0.0, 1.0), method="trf", xtol=1e-15, ftol=1e-15, gtol=1e-15,
                          max_nfev=10000, diff_step=NOISY_STEP if history.problem.noisy else None)

        _restart(history, seed, solve)

    return run


def _find_petsc():
    """Debian's petsc4py lies outside Python's path unless PETSC_DIR says where."""
    if "PETSC_DIR" not in os.environ:
        for folder in sorted(Path("/usr/lib/petscdir").glob("*/*-real")):
            os.environ["PETSC_DIR"] = str(folder)
            import sys
            sys.path.append(str(folder / "lib/python3/dist-packages"))


def pounders():
    _find_petsc()
    import petsc4py
    petsc4py.init(["peers", "-tao_pounders_delta", "0.1"])
    from petsc4py import PETSc

    def run(history, seed):
        spent = []

        def solve(function, start):
            d, m = history.problem.d, history.problem.m
            x, lower, upper, residual = (PETSc.Vec().createSeq(size) for size in (d, d, d, m))
            x.setArray(start)
            lower.set(0.0)
            upper.set(1.0)
            last = [np.zeros(m)]

            def callback(_tao, point, target):
                # Out of its budget it gets what it got last, and ends by its own limit.
                if not spent:
                    try:
                        last[0] = function(point.getArray(readonly=True).copy())
                    except BudgetSpent:
                        spent.append(True)
                target.setArray(last[0])

            tao = PETSc.TAO().create(PETSc.COMM_SELF)
            tao.setType(PETSc.TAO.Type.POUNDERS)
            tao.setResidual(callback, residual)
            tao.setVariableBounds((lower, upper))
            tao.setMaximumFunctionEvaluations(history.left + 2)
            tao.setTolerances(gatol=1e-15, grtol=0.0, gttol=0.0)
            tao.setFromOptions()
            try:
                tao.solve(x)
            except PETSc.Error:
                pass  # it gave up on this start
            tao.destroy()
            if spent:
                raise BudgetSpent

        _restart(history, seed, solve)

    return run
