#!/usr/bin/env python3
"""How many simulator runs each example needs to reach its known answer: gofh, SciPy and random search.

    examples/compare.py [--gofh PROGRAM] [--seeds N] [--most N] [--example NAME]...

Prints a Markdown table. All methods call the simulator as the problem file says, in the same parameters and scales:

gofh     `gofh run` and what `gofh export` tells of it, with seeds 1 to N; at most the problem file's budget.
SciPy    least_squares, or SLSQP where there are constraints: from the midpoint, and from random points, with seeds 1 to N,
         starting again when it ends without the answer; at most --most runs. Finite differences are runs as well. Their steps
         are of 0.001 of the range: SciPy's own step of 1e-8 is lost in the six or seven digits that simulators print.
random   uniform points, with seeds 1 to N; at most --most runs for each.

Reached: all parameters are within 1 % of the answer; or, where answer.json has an objective, that one is within 1 % and
all constraints hold to 0.001. Of several seeds the median is shown. Needs NumPy, SciPy and PyYAML.
"""
import argparse
import csv
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.optimize

from simulate import Problem

EXAMPLES = ("channel", "diode", "plasticity", "filter", "python", "dakota")
NEEDS = {"diode": "ngspice", "filter": "ngspice", "plasticity": "ccx"}
SLACK = 1e-3  # of a constraint
FAILED = 1e6  # stands for each residual of a failed run
STEP = 1e-3  # of SciPy's finite differences, of a parameter's range
NEVER = float("inf")


class Enough(Exception):
    """Ends a method in the middle: the answer is reached, or there are no runs left."""


class Counter:
    """Runs the simulator, once for each point, until the answer is reached."""

    def __init__(self, problem, most):
        self.problem, self.most, self.known, self.reached = problem, most, {}, NEVER

    def outputs(self, u):
        key = np.asarray(u).tobytes()
        if key not in self.known:
            if len(self.known) == self.most:
                raise Enough
            x = self.problem.point(u)
            y = self.known[key] = self.problem.run(x)
            if y is not None and is_answer(self.problem, x, y):
                self.reached = len(self.known)
                raise Enough
        return self.known[key]


def is_answer(problem, x, y):
    answer = problem.answer
    if np.any(problem.margins(x, y) < -SLACK):
        return False
    if "objective" in answer:
        sign = 1 if problem.sense == "minimize" else -1
        return sign * (problem.value(x, y) - answer["objective"]) <= answer["within"] * abs(answer["objective"])
    truth = np.array([answer["parameters"][name] for name in problem.names])
    return bool(np.all(np.abs(x - truth) <= answer["within"] * np.abs(truth)))


def scipy_method(problem):
    return "SLSQP" if problem.constraints else "least_squares"


def solve(problem, counter, start):
    """One run of SciPy, which the counter ends when the answer is reached."""
    sign = 1 if problem.sense == "minimize" else -1

    def residuals(u):
        y = counter.outputs(u)
        return np.full(problem.m, FAILED) if y is None else problem.residuals(problem.point(u), y)

    def objective(u):
        y = counter.outputs(u)
        return FAILED if y is None else sign * problem.value(problem.point(u), y)

    def margins(u):
        y = counter.outputs(u)
        return np.full(problem.m, -FAILED) if y is None else problem.margins(problem.point(u), y)

    if problem.constraints:
        scipy.optimize.minimize(objective, start, method="SLSQP", bounds=[(0, 1)] * problem.d, options={"eps": STEP},
                                constraints={"type": "ineq", "fun": margins})
    else:
        # Its step is relative to the point, which is STEP for all parameters once they lie between 1 and 2.
        scipy.optimize.least_squares(lambda v: residuals(v - 1), start + 1, bounds=(1, 2), diff_step=STEP)


def run_scipy(problem, starts, most):
    """How many runs it takes to the answer, and how many there were in all."""
    counter = Counter(problem, most)
    try:
        for start in starts:
            solve(problem, counter, start)
    except Enough:
        pass
    return counter.reached, len(counter.known)


def random_points(problem, seed):
    points = np.random.default_rng(seed)
    while True:
        yield points.random(problem.d)


def run_random(problem, most, seed):
    counter = Counter(problem, most)
    try:
        for point in random_points(problem, seed):
            counter.outputs(point)
    except Enough:
        return counter.reached


def run_gofh(problem, program, seed):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, problem.folder.name)
        shutil.copytree(problem.folder, folder, ignore=shutil.ignore_patterns("*.gofh"))
        file = folder / "problem.yaml"
        file.write_text(re.sub(r"seed: \d+", f"seed: {seed}", problem.text, count=1))
        subprocess.run([program, "run", file], check=True, stdout=subprocess.DEVNULL)
        exported = subprocess.run([program, "export", file], check=True, capture_output=True, text=True).stdout
    return first_answer(problem, exported)


def first_answer(problem, exported):
    header, *rows = csv.reader(exported.splitlines())
    first = header.index(problem.names[0])
    for number, row in enumerate(rows, 1):
        numbers = row[first:first + problem.d + problem.m]
        if all(numbers):
            x, y = np.split(np.array(numbers, dtype=float), [problem.d])
            if is_answer(problem, x, y):
                return number
    return NEVER


def show(counts, most):
    middle = statistics.median_high(counts)
    return f"more than {most}" if middle == NEVER else str(middle)


def compare(name, options):
    folder = Path(__file__).resolve().parent / name
    if name in NEEDS and not shutil.which(NEEDS[name]):
        return f"| {name} | {NEEDS[name]} is not installed | | | | |"
    if (folder / "Makefile").exists():
        subprocess.run(["make", "--silent", "-C", folder], check=True)
    problem, seeds = Problem(folder), range(1, options.seeds + 1)
    gofh = "not run"
    if options.gofh:
        gofh = show([run_gofh(problem, options.gofh, seed) for seed in seeds], problem.budget)
    most = options.most
    reached, runs = run_scipy(problem, [np.full(problem.d, 0.5)], most)
    middle = reached if reached < NEVER else f"never: it ends after {runs}"
    restarted = [run_scipy(problem, random_points(problem, seed), most)[0] for seed in seeds]
    random = [run_random(problem, most, seed) for seed in seeds]
    return f"| {name} | {gofh} | {scipy_method(problem)} | {middle} | {show(restarted, most)} | {show(random, most)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gofh", default=shutil.which("gofh"), help="the program; default: the one on the PATH")
    parser.add_argument("--seeds", type=int, default=5, help="default: 5")
    parser.add_argument("--most", type=int, default=300, metavar="N", help="most runs of the others; default: 300")
    parser.add_argument("--example", action="append", choices=EXAMPLES, help="default: all")
    options = parser.parse_args()
    print("| example | gofh | SciPy's method | from the midpoint | from random points | random search |\n|---|---|---|---|---|---|", flush=True)
    for name in options.example or EXAMPLES:
        print(compare(name, options), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
