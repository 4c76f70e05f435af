#!/usr/bin/env python3
"""Constrained designs with whole numbers, grids, catalogues and choices: evaluations until within 0.1 % of the optimum.

    bench/mixed/mixed.py --csv FILE [--method gofh,random,optuna,smac,ax] [--problem all] [--seeds 20]
    bench/mixed/mixed.py --csv FILE --table

The problems are those of `gofh bench list` that have discrete parameters. All methods see the same black box: the cost
and the constraints' outputs. Each is told of the constraints as it can be: gofh of those of parameters alone as known
ones, of the others as outputs; random search by drawing again what breaks a known one; Optuna's TPE (multivariate) by
constraints_func; Ax of linear ones of numbers as constraints of parameters, of the others as constraints of outcomes;
SMAC3 (the facade for black boxes), which knows none, by a penalty of the violations. Whole numbers, grids and
catalogues are ordered for all, choices are categorical. A run ends at the first feasible point within 0.1 % of the
optimum, or after LIMIT evaluations. FILE keeps what it has: only what it lacks is run. --table prints what it has.
The package gofh, and those of the peers (optuna, smac, ax-platform), must be importable.
"""
from __future__ import annotations

import argparse
import csv
import math
import random
import re
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Callable

import gofh
from runs import read

LIMIT = {"gofh": 150, "random": 5000, "optuna": 400, "smac": 100, "ax": 60}
NAMES = {"gofh": "gofh", "random": "random", "optuna": "Optuna TPE", "smac": "SMAC3", "ax": "Ax"}
COLUMNS = ("problem", "method", "seed", "evaluations", "seconds")


class Limit:
    """One constraint: its excess is to be 0 or below."""

    def __init__(self, text: str) -> None:
        left, compared, right = re.split(r"\s*(<=|>=)\s*", text)
        if compared == ">=":
            left, right = right, left
        self.text = text
        self._left, self._right = (compile(side.replace("^", "**"), text, "eval") for side in (left, right))
        self.is_known = "y[" not in text

    def sides(self, x: dict[str, float], y: Any) -> tuple[float, float]:
        known = {"__builtins__": {}, "y": y, **x}
        return float(eval(self._left, known)), float(eval(self._right, known))

    def excess(self, x: dict[str, float], y: Any) -> float:
        """Relative to the larger side."""
        left, right = self.sides(x, y)
        return (left - right) / max(abs(left), abs(right), 1e-12)


class Parameter:
    """Its values by their numbers, or an interval."""

    def __init__(self, name: str, bound: Any) -> None:
        self.name = name
        self.words = getattr(bound, "words", ())
        self.values = bound.all() if isinstance(bound, gofh.parameters.Kind) else None
        self.is_grid = getattr(bound, "kind", "") == "grid"
        self.lower, self.upper = (bound[0], bound[1]) if self.values is None else (bound.lower, bound.upper)
        self.step = getattr(bound, "step", 0.0)


class Design:
    """A problem, as a black box that counts."""

    class Done(Exception):
        pass

    def __init__(self, name: str, limit: int) -> None:
        self.problem = gofh.problems.load(name)
        self.parameters = [Parameter(key, bound) for key, bound in self.problem.bounds.items()]
        self.limits = [Limit(text) for text in self.problem.constraints]
        self.limit, self.count, self.reached = limit, 0, math.inf

    def __call__(self, x: dict[str, float]) -> tuple[float, list[float]]:
        """The cost, and by how much each constraint is broken, 0 or below where it is not."""
        point = [float(x[parameter.name]) for parameter in self.parameters]
        y = self.problem.h(point)
        self.count += 1
        if self.problem.regret(point) <= 1e-3 * self.problem.optimum:
            self.reached = self.count
            raise Design.Done
        if self.count >= self.limit:
            raise Design.Done
        return float(y[0]), [limit.excess(x, y) for limit in self.limits]


def run_gofh(design: Design, seed: int) -> None:
    study = design.problem.study(seed=seed, budget=design.limit, stop="never")
    while trial := study.ask():
        design(dict(zip(design.problem.bounds, map(float, trial.x))))
        study.tell(trial, design.problem.h(trial.x))


def run_random(design: Design, seed: int) -> None:
    draw = random.Random(seed)
    while True:
        x = {p.name: draw.uniform(p.lower, p.upper) if p.values is None else draw.choice(p.values) for p in design.parameters}
        if all(limit.excess(x, None) <= 0 for limit in design.limits if limit.is_known):
            design(x)


def run_optuna(design: Design, seed: int) -> None:
    import warnings

    import optuna

    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        x = {}
        for p in design.parameters:
            if p.values is None:
                x[p.name] = trial.suggest_float(p.name, p.lower, p.upper)
            elif p.words:
                x[p.name] = float(p.words.index(trial.suggest_categorical(p.name, p.words)))
            else:  # ordered values: their places
                x[p.name] = p.values[trial.suggest_int(p.name, 0, len(p.values) - 1)]
        cost, excess = design(x)
        trial.set_user_attr("excess", excess)
        return cost

    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True,
                                         constraints_func=lambda trial: trial.user_attrs.get("excess", (1.0,)))
    optuna.create_study(sampler=sampler).optimize(objective, n_trials=design.limit + 1)


def run_smac(design: Design, seed: int) -> None:
    import logging
    import tempfile

    from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer
    from smac import BlackBoxFacade, Scenario
    from smac.runhistory.dataclasses import TrialValue

    logging.disable(logging.CRITICAL)
    space = ConfigurationSpace(seed=seed)
    for p in design.parameters:
        if p.values is None:
            space.add(Float(p.name, (p.lower, p.upper)))
        elif p.words:
            space.add(Categorical(p.name, list(p.words)))
        else:
            space.add(Integer(p.name, (0, len(p.values) - 1)))

    def value(p: Parameter, given: Any) -> float:
        return float(given) if p.values is None else float(p.words.index(given)) if p.words else p.values[int(given)]

    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(space, n_trials=design.limit + 1, seed=seed, deterministic=True, output_directory=Path(folder))
        facade = BlackBoxFacade(scenario, lambda config, seed=0: 0.0, overwrite=True)
        while True:
            info = facade.ask()
            cost, excess = design({p.name: value(p, info.config[p.name]) for p in design.parameters})
            penalty = 10 * abs(design.problem.optimum) * sum(max(value, 0.0) for value in excess)
            facade.tell(info, TrialValue(cost=cost + penalty))


def linear_of(limit: Limit, design: Design) -> str | None:
    """A known constraint in Ax's numbers, where it is linear in intervals and grids; None: it is not."""
    scales = {p.name: (1.0, 0.0) if p.values is None else (p.step, p.lower)
              for p in design.parameters if p.values is None or p.is_grid}
    fixed = {p.name: p.lower for p in design.parameters}

    def margin(z: dict[str, float]) -> float:
        left, right = limit.sides({**fixed, **{n: scales[n][0] * value + scales[n][1] for n, value in z.items()}}, None)
        return left - right

    others = [p for p in design.parameters if p.name not in scales and re.search(rf"\b{p.name}\b", limit.text)]
    if others or not limit.is_known:
        return None
    base = dict.fromkeys(scales, 1.0)
    at = margin(base)
    weights = {n: margin({**base, n: 2.0}) - at for n in scales}
    for i in range(5):
        z = {n: 1.0 + (i + 1) * 0.7 * (k + 1) for k, n in enumerate(scales)}
        straight = at + sum(weights[n] * (z[n] - 1.0) for n in scales)
        if abs(margin(z) - straight) > 1e-9 * (abs(straight) + 1):
            return None
    bound = sum(weights.values()) - at
    terms = [f"{weight!r}*{n}" for n, weight in weights.items() if abs(weight) > 1e-12]
    return " + ".join(terms) + f" <= {bound!r}"


def run_ax(design: Design, seed: int) -> None:
    import logging
    import warnings

    import torch
    from ax.api.client import Client
    from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    client = Client(random_seed=seed)
    described: list[Any] = []
    for p in design.parameters:
        if p.values is None:
            described.append(RangeParameterConfig(name=p.name, bounds=(p.lower, p.upper), parameter_type="float"))
        elif p.is_grid:
            described.append(RangeParameterConfig(name=p.name, bounds=(0, len(p.values) - 1), parameter_type="int"))
        else:
            listed = list(range(len(p.values)))
            described.append(ChoiceParameterConfig(name=p.name, values=listed, parameter_type="int", is_ordered=not p.words))
    linear = {i: text for i, limit in enumerate(design.limits) if (text := linear_of(limit, design))}
    learned = [i for i in range(len(design.limits)) if i not in linear]
    client.configure_experiment(parameters=described, parameter_constraints=list(linear.values()))
    client.configure_optimization(objective="-cost", outcome_constraints=[f"c{i} <= 0" for i in learned])
    while True:
        for index, given in client.get_next_trials(max_trials=1).items():
            cost, excess = design({p.name: given[p.name] if p.values is None else p.values[int(given[p.name])]
                                   for p in design.parameters})
            client.complete_trial(trial_index=index, raw_data={"cost": cost, **{f"c{i}": excess[i] for i in learned}})


METHODS: dict[str, Callable[[Design, int], None]] = {
    "gofh": run_gofh, "random": run_random, "optuna": run_optuna, "smac": run_smac, "ax": run_ax}


def measure(path: Path, problems: list[str], methods: list[str], seeds: int) -> None:
    have = {(row["problem"], row["method"], int(row["seed"])) for row in read(path)}
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        for name in problems:
            for method in methods:
                for seed in range(1, seeds + 1):
                    if (name, method, seed) in have:
                        continue
                    design, start = Design(name, LIMIT[method]), time.process_time()
                    try:
                        METHODS[method](design, seed)
                    except Design.Done:
                        pass
                    seconds = (time.process_time() - start) / design.count
                    writer.writerow((name, method, seed, design.reached, f"{seconds:.4f}"))
                    file.flush()
                    print(f"{name:14s} {method:7s} seed {seed}: {design.reached} of {design.count}", file=sys.stderr)


def print_table(path: Path, problems: list[str]) -> None:
    rows = read(path)
    methods = [method for method in METHODS if any(row["method"] == method for row in rows)]
    print("| problem | " + " | ".join(f"{NAMES[m]}, at most {LIMIT[m]}" for m in methods) + " |")
    print("|---" * (len(methods) + 1) + "|")
    for name in problems:
        cells = []
        for method in methods:
            found = [float(row["evaluations"]) for row in rows if (row["problem"], row["method"]) == (name, method)]
            if not found:
                cells.append("not run")
                continue
            median, reached = statistics.median(found), sum(map(math.isfinite, found))
            text = f"{median:g}" if math.isfinite(median) else f"> {LIMIT[method]}"
            cells.append(f"{text} ({reached} of {len(found)})")
        print(f"| {name} | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default=",".join(METHODS))
    parser.add_argument("--problem", default="all")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--csv", type=Path, required=True)
    parser.add_argument("--table", action="store_true")
    wanted = parser.parse_args()
    mixed = [n for n in gofh.problems.names()
             if any(isinstance(bound, gofh.parameters.Kind) for bound in gofh.problems.load(n).bounds.values())]
    problems = mixed if wanted.problem == "all" else wanted.problem.split(",")
    if wanted.table:
        print_table(wanted.csv, problems)
    else:
        measure(wanted.csv, problems, wanted.method.split(","), wanted.seeds)


if __name__ == "__main__":
    main()
