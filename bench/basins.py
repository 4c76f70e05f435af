#!/usr/bin/env python3
"""How soon a method finds the basin of the optimum, on drawn problems whose lengthscales are
between 0.2 and 0.5.

    bench/basins.py [--method gofh] [--draws 20] [--designs 3] [--first-draw 1] [--at 15,20,30]

Runs each draw of gp1-mixed and gp2-mixed from several initial designs. The basin is found when a
local search of the true f (SciPy's, whose evaluations count for nothing) ends at the optimum from
the best point so far. Prints the share of runs, with its standard error, as Markdown. Needs the
package gofh and SciPy: build/peers-venv has both after `make peers`.
"""
import argparse

import numpy as np
from scipy.optimize import least_squares, minimize

import gofh

FOUND = 1e-6  # regret of the end of the local search; f is of the order of 1


def climb(problem, x):
    """The regret where a local search of the true f from x ends."""
    bounds = (problem.lower, problem.upper)
    if problem.least_squares:
        end = least_squares(lambda p: problem.residuals(problem.h(p)), x, bounds=bounds, xtol=1e-12, ftol=1e-12, gtol=1e-12).x
    else:
        sign = -1.0 if problem.sense == "maximize" else 1.0
        end = minimize(lambda p: sign * problem.g(problem.h(p), p)[0], x, bounds=list(zip(*bounds)), method="L-BFGS-B",
                       options={"ftol": 1e-15, "gtol": 1e-9}).x
    return problem.regret(np.clip(end, *bounds))


def run(problem, method, seed, at):
    """For each count of evaluations beyond the initial design, whether the basin was found."""
    study = problem.study(method=method, seed=seed, budget=problem.initial + max(at))
    found, known = [], {}
    for number in range(1, problem.initial + max(at) + 1):
        trial = study.ask()
        study.tell(trial, problem.h(trial.x))
        if number - problem.initial in at:
            best = tuple(study.best().x)
            if best not in known:
                known[best] = climb(problem, np.array(best)) < FOUND
            found.append(known[best])
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--method", default="gofh")
    parser.add_argument("--at", default="15,20,30")
    for name, value in (("draws", 20), ("designs", 3), ("first-draw", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    at = sorted(int(n) for n in options.at.split(","))
    print(f"| problem, {options.draws} draws, {options.designs} designs each | " + " | ".join(f"n = {n}" for n in at) + " |")
    print("|---|" + "---|" * len(at))
    for name in ("gp1-mixed", "gp2-mixed"):
        shares = []
        for draw in range(options.first_draw, options.first_draw + options.draws):
            problem = gofh.problems.load(name, draw)
            shares.append(np.mean([run(problem, options.method, 1000 * draw + design, at) for design in range(options.designs)], axis=0))
        mean, error = np.mean(shares, axis=0), np.std(shares, axis=0, ddof=1) / np.sqrt(len(shares))
        print(f"| {name} | " + " | ".join(f"{100 * m:.0f} ± {100 * e:.0f} %" for m, e in zip(mean, error)) + " |", flush=True)


if __name__ == "__main__":
    main()
