#!/usr/bin/env python3
"""Posteriors from few runs against long MCMC on the simulator: the largest difference of a marginal's
distribution function.

    bench/posterior/run.py run RESULTS.csv [--problem a,b] [--method a,b] [--runs 20,40,60,100] [--reps N] [--first-rep N]
    bench/posterior/run.py table RESULTS.csv [MORE.csv ...]

Methods: random and sobol designs, run (the search for the best f) and for-posterior, all with gofh's emulator; surmise
(PCGP, its sampler, the Sobol' design), vbmc (pyvbmc on the simulator), mcmc (Metropolis on the simulator). RESULTS.csv gets
a row for each; what it has already is not done again. It needs gofh, numpy and scipy; the peers surmise and pyvbmc."""
import argparse
import contextlib
import csv
import io
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import qmc

import gofh
import problems
import truth as true_posterior

METHODS = ("random", "sobol", "run", "for-posterior", "mcmc", "surmise", "vbmc")
FIELDS = ("problem", "method", "rep", "runs", "difference", "seconds")


def study_of(problem, seed, **settings):
    return gofh.Study({"y": "o"}, problem.parameters(), outputs=len(problem.data), data={"o": problem.data},
                      sigma={"o": problem.sigma}, seed=seed, stop="never", **settings)


def posterior_of(problem, study, samples=4000):
    return problem.to_unit(study.posterior(samples).samples)


def with_design(problem, points, seed, samples=4000):
    with study_of(problem, seed, budget=0) as study:
        for u in points:
            x = problem.to_user(u)
            study.add(x, problem.h(x))
        return posterior_of(problem, study, samples)


def sobol(problem, n, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return qmc.Sobol(problem.d, seed=seed).random(n)


def sequential(problem, runs, seed, goal):
    """The posterior after each number of runs."""
    with study_of(problem, seed, budget=max(runs), goal=goal) as study:
        for done in range(1, max(runs) + 1):
            trial = study.ask()
            study.tell(trial, problem.h(trial.x))
            if done in runs:
                yield done, posterior_of(problem, study)


def metropolis(problem, n, seed):
    """The second half of n steps that begin at the best of n / 5 points, with a scale that adapts."""
    rng = np.random.default_rng(seed)
    first = max(n // 5, 2)
    points = rng.random((first, problem.d))
    values = problem.log_likelihood(points)
    u, value, scale, chain = points[values.argmax()], values.max(), 0.1, []
    for _ in range(n - first):
        to = u + scale * rng.normal(size=problem.d)
        new = problem.log_likelihood(to)[0] if ((to > 0) & (to < 1)).all() else -np.inf
        if np.log(rng.random()) < new - value:
            u, value, scale = to, new, scale * 1.3
        else:
            scale *= 0.9
        chain.append(u)
    return np.array(chain[len(chain) // 2:])


def by_surmise(problem, n, seed):
    from surmise.calibration import calibrator
    from surmise.emulation import emulator

    class Prior:
        @staticmethod
        def lpdf(theta):
            return np.where(((theta > 0) & (theta < 1)).all(axis=1), 0.0, -np.inf)[:, None]

        @staticmethod
        def rnd(count):
            return np.random.random((count, problem.d))

    np.random.seed(seed)
    try:
        from surmise.set_RNG import set_RNG
        set_RNG(np.random.default_rng(seed))
    except RuntimeError:
        pass  # it can be set once
    theta = sobol(problem, n, seed)
    times = -(-5 // len(problem.data))  # it wants five outputs: as often, with as much more noise
    m = times * len(problem.data)
    x = np.arange(m, dtype=float)[:, None]
    # In units of sigma, for it wants variances between 1e-6 and 1e6.
    emulated = emulator(x=x, theta=theta, f=np.tile(problem.outputs(theta) / problem.sigma, times).T, method="PCGP")
    found = calibrator(emu=emulated, y=np.tile(problem.data / problem.sigma, times), x=x, thetaprior=Prior, method="directbayes",
                       yvar=np.full(m, float(times)),
                       args={"sampler": "PTLMC", "theta0": Prior.rnd(1000), "nSamples": 4000, "nChains": 16, "samplesPerChain": 600,
                             "maxTemperature": 30, "nTemperatures": 16, "verbose": False})
    return found.theta.rnd(4000)


def by_vbmc(problem, n, seed):
    from pyvbmc import VBMC

    np.random.seed(seed)
    d = problem.d
    start = sobol(problem, max(n // 5, 2), seed)
    best = start[problem.log_likelihood(start).argmax()]
    left = max(n - len(start), 10)
    vbmc = VBMC(lambda u: problem.log_likelihood(np.atleast_2d(u))[0], np.clip(best, 0.02, 0.98)[None, :], np.zeros((1, d)), np.ones((1, d)),
                np.full((1, d), 0.01), np.full((1, d), 0.99), options={"max_fun_evals": left, "display": "off"})
    found, _ = vbmc.optimize()
    samples, _ = found.sample(4000)
    return samples


def answers(problem, method, runs, seed):
    if method in ("run", "for-posterior"):
        yield from sequential(problem, runs, seed, "posterior" if method == "for-posterior" else "optimum")
        return
    for n in runs:
        make = {"random": lambda: with_design(problem, np.random.default_rng(1000 + seed).random((n, problem.d)), seed),
                "sobol": lambda: with_design(problem, sobol(problem, n, seed), seed),
                "mcmc": lambda: metropolis(problem, n, seed),
                "surmise": lambda: by_surmise(problem, n, seed),
                "vbmc": lambda: by_vbmc(problem, n, seed)}[method]
        try:
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                samples = make()
        except Exception as error:  # a peer that gives up has no answer
            print(f"{problem.name} {method} {n}: {type(error).__name__}: {error}", file=sys.stderr)
            samples = None
        yield n, samples


def read(paths):
    rows = []
    for path in paths:
        if Path(path).exists():
            with open(path, newline="") as file:
                rows += list(csv.DictReader(file))
    return rows


def command_run(arguments):
    path, runs = arguments.results[0], sorted(int(n) for n in arguments.runs.split(","))
    done = {(r["problem"], r["method"], int(r["rep"]), int(r["runs"])) for r in read([path])}
    fresh = not Path(path).exists()
    with open(path, "a", newline="") as file:
        out = csv.DictWriter(file, FIELDS)
        if fresh:
            out.writeheader()
        for rep in range(arguments.first_rep, arguments.first_rep + arguments.reps):
            for name in arguments.problem.split(","):
                problem = problems.make(name, rep)
                truth = None
                for method in arguments.method.split(","):
                    left = [n for n in runs if (name, method, rep, n) not in done]
                    if not left:
                        continue
                    if truth is None:
                        truth = true_posterior.sample(problem)
                    begun = time.monotonic()
                    for n, samples in answers(problem, method, left, rep):
                        difference = 1.0 if samples is None or len(samples) < 2 else true_posterior.difference(samples, truth)
                        seconds = time.monotonic() - begun
                        out.writerow(dict(zip(FIELDS, (name, method, rep, n, f"{difference:.4f}", f"{seconds:.1f}"))))
                        file.flush()
                        print(f"{name} {method} rep {rep} n {n}: {difference:.3f} ({seconds:.0f} s)", flush=True)


def command_table(arguments):
    """The median over replications."""
    found = {}
    for row in read(arguments.results):
        found.setdefault((row["problem"], row["method"], int(row["runs"])), []).append(float(row["difference"]))
    runs = sorted({key[2] for key in found})
    methods = [m for m in METHODS if any(key[1] == m for key in found)]
    print("| problem | n | " + " | ".join(methods) + " |\n|---" * 1 + "|---" * (1 + len(methods)) + "|")
    for name in problems.NAMES:
        for n in runs:
            cells = [found.get((name, m, n)) for m in methods]
            if any(cells):
                print(f"| {name} | {n} | " + " | ".join(f"{np.median(c):.3f}" if c else "" for c in cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "table"))
    parser.add_argument("results", nargs="+")
    parser.add_argument("--problem", default=",".join(problems.NAMES))
    parser.add_argument("--method", default=",".join(METHODS))
    parser.add_argument("--runs", default="20,40,60,100")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--first-rep", type=int, default=1)
    arguments = parser.parse_args()
    (command_run if arguments.command == "run" else command_table)(arguments)


if __name__ == "__main__":
    main()
