#!/usr/bin/env python3
"""Runs the peers on gofh's benchmark problems, into a CSV file as that of `gofh bench run`, from
the same designs.

    bench/peers/run.py --csv FILE [--method M[,M]] [--problem P[,P]] [--reps R] [--first-rep K] [--evals N]
                       [--seed S] [--jobs J] [--draws one|many] [--start] [--own-design] [--gradients K]

--start and --gradients are those of gofh bench run; least-squares methods then start from the problem's start alone, and
spend on their own steps what a design would have cost. With --own-design they start from the first point of the design
alone, where gofh has the smaller design that it has by default.

What the file has is not run again. A method that is not installed is skipped with a line that says
so, as is a least-squares method where g is not a sum of squares. The package gofh must be
installed: `make peers` does that.
"""
import argparse
import concurrent.futures
import csv
import fcntl
import multiprocessing
import os
import sys
from functools import partial
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # processor time is time, and several replications run at once
sys.path.insert(0, str(Path(__file__).resolve().parent))

import botorch_methods  # noqa: E402
import local_methods  # noqa: E402
from history import History  # noqa: E402
from problems import Problem  # noqa: E402

# name: what makes the method, or fails to import it; whether it needs residuals
METHODS = {
    "botorch-cf": (partial(botorch_methods.composite, botorch_methods.BEST), False),
    "botorch-cf-default-noise": (partial(botorch_methods.composite, botorch_methods.DEFAULT), False),
    "botorch-cf-q4": (partial(botorch_methods.composite, botorch_methods.BEST, 4), False),
    "botorch-cf-q16": (partial(botorch_methods.composite, botorch_methods.BEST, 16), False),
    "botorch": (partial(botorch_methods.standard, botorch_methods.BEST), False),
    "botorch-default-noise": (partial(botorch_methods.standard, botorch_methods.DEFAULT), False),
    "dfo-ls": (local_methods.dfo_ls, True),
    "pounders": (local_methods.pounders, True),
    "scipy": (local_methods.scipy_least_squares, True),
}
PAPER = ("gp1", "gp2", "langermann", "rosenbrock", "environment")
MORE_WILD = tuple(f"mw{number:02d}" for number in range(1, 54))
SETS = {"paper": PAPER, "more-wild": MORE_WILD, "more-wild-even": MORE_WILD[1::2], "more-wild-odd": MORE_WILD[::2],
        "more-wild-small": tuple(f"mw{number:02d}" for number in (*range(7, 19), 25, 26, 27, 28, 36, 43, 46, 47))}
HEADER = "problem,method,rep,evaluation,log10_regret_observed,log10_regret_recommended,seconds\n"


def begins(options, method):
    """What a method begins with, as History has it."""
    if METHODS[method][1] and not options.start:
        return "first" if options.own_design else None
    return None if not options.start else "alone" if METHODS[method][1] else "design"


def recorded(options, method):
    return method + ("+own" if begins(options, method) == "first" else "") + ("+start" if options.start else "")


def evaluations_of(options, method, problem):
    """After those that it begins with."""
    if not options.gradients:
        return options.evals
    return options.gradients * (problem.d + 1) - (1 if begins(options, method) in ("alone", "first") else problem.initial)


def replicate(method, problem_name, rep, options):
    problem = Problem(problem_name, rep, options.draws == "one")
    evaluations = evaluations_of(options, method, problem)
    history = History(problem, options.seed, evaluations, begins(options, method))
    before = len(history.rows) - 1
    run = METHODS[method][0]()
    history.start_choosing()
    run(history, options.seed)
    rows = [(f"{regret:.6f}", f"{seconds:.6f}") for regret, seconds in history.rows]
    rows += [(rows[-1][0], "")] * (before + evaluations + 1 - len(rows))  # it ended early: nothing more was chosen
    return history.remark, [f"{problem_name},{recorded(options, method)},{rep},{number},{regret},,{seconds}\n"
                            for number, (regret, seconds) in enumerate(rows, -before)]


def read_done(file):
    """(problem, method, rep): the number of its last evaluation. A torn last line is cut off."""
    text = file.read()
    whole = text[:text.rfind("\n") + 1]
    if whole != text:
        file.truncate(len(whole.encode()))
    if not whole:
        file.write(HEADER)
    elif not whole.startswith(HEADER):
        raise SystemExit(f"peers: {file.name} is not a file of results")
    done = {}
    for row in csv.DictReader(whole.splitlines()):
        key = row["problem"], row["method"], int(row["rep"])
        done[key] = max(done.get(key, -1), int(row["evaluation"]))
    return done


def append(file, rows):
    file.seek(0, os.SEEK_END)
    file.write("".join(rows))
    file.flush()
    os.fsync(file.fileno())


def installed(names):
    found = []
    for name in names:
        try:
            METHODS[name][0]()
            found.append(name)
        except Exception as error:  # whatever keeps it from loading is the reason
            print(f"peers: {name} is skipped: {type(error).__name__}: {error}", file=sys.stderr)
    return found


def list_jobs(options, methods, done):
    jobs = []
    for problem_name in options.problem:
        problem = Problem(problem_name, options.first_rep)
        if options.start and problem.start is None:
            raise SystemExit(f"peers: --start needs problems that have a start; {problem_name} has none")
        for method in methods:
            if METHODS[method][1] and not problem.least_squares:
                print(f"peers: {method} is skipped on {problem_name}: its g is not a sum of squares", file=sys.stderr)
                continue
            jobs += [(method, problem_name, rep) for rep in range(options.first_rep, options.first_rep + options.reps)
                     if done.get((problem_name, recorded(options, method), rep), -1) < evaluations_of(options, method, problem)]
    return sorted(jobs, key=lambda job: job[2])


def read_options(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--csv", required=True)
    one_at_a_time = [name for name in METHODS if "-q" not in name]
    parser.add_argument("--method", default=",".join(one_at_a_time))
    parser.add_argument("--problem", default=",".join(PAPER))
    parser.add_argument("--draws", choices=("one", "many"), default="many")
    parser.add_argument("--start", action="store_true")
    parser.add_argument("--own-design", action="store_true")
    for name, value in (("reps", 10), ("first-rep", 1), ("evals", 50), ("seed", 1), ("jobs", 1), ("gradients", 0)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args(arguments)
    options.method = options.method.split(",")
    options.problem = [name for given in options.problem.split(",") for name in SETS.get(given, (given,))]
    if unknown := set(options.method) - set(METHODS):
        parser.error(f"there is no method {sorted(unknown)[0]}; there are: {' '.join(METHODS)}")
    return options


def main(arguments):
    options = read_options(arguments)
    methods = installed(options.method)
    with open(options.csv, "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.seek(0)
        jobs = list_jobs(options, methods, read_done(file))
        file.flush()
        workers = concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("spawn"))
        with workers as pool:
            running = {pool.submit(replicate, *job, options): job for job in jobs}
            for number, future in enumerate(concurrent.futures.as_completed(running), 1):
                remark, rows = future.result()
                append(file, rows)
                method, problem, rep = running[future]
                print(f"{number} of {len(jobs)}: {problem}, {method}, replication {rep}: log10 regret "
                      f"{float(rows[-1].split(',')[4]):.2f}{remark and '; ' + remark}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
