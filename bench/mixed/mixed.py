#!/usr/bin/env python3
"""Constrained designs with whole numbers, grids and catalogues: evaluations until within 0.1 % of the optimum.

    bench/mixed/mixed.py [--method gofh,random,optuna,smac] [--problem all] [--seeds 20] [--csv FILE]

All methods see the same black box: the cost and the constraints' left sides, each to be 0 or below. Each is told of
the constraints as it can be: gofh of those of parameters alone as known ones, of the others as outputs; Optuna's TPE
(multivariate) by constraints_func; SMAC3 (the facade for black boxes) and random search, which know none, by a penalty of
the violations. A run ends at the first feasible point within 0.1 % of the published optimum, or after LIMIT evaluations.
The package gofh, and those of the peers, must be importable.
"""
from __future__ import annotations

import argparse
import csv
import math
import statistics
import sys
from dataclasses import dataclass
from typing import Any, Callable

LIMIT = {"gofh": 150, "random": 2000, "optuna": 400, "smac": 150}
WIRES = [
    0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015, 0.0162, 0.0173, 0.018, 0.020, 0.023, 0.025, 0.028, 0.032,
    0.035, 0.041, 0.047, 0.054, 0.063, 0.072, 0.080, 0.092, 0.105, 0.120, 0.135, 0.148, 0.162, 0.177, 0.192, 0.207, 0.225,
    0.244, 0.263, 0.283, 0.307, 0.331, 0.362, 0.394, 0.4375, 0.500,
]  # fmt: skip


@dataclass
class Problem:
    parameters: dict[str, tuple[Any, ...]]  # ("real", low, high), ("grid", low, high, step), ("values", [...])
    evaluate: Callable[..., list[float]]  # cost, then left sides that must be 0 or below
    optimum: float
    known: dict[int, str]  # which of the left sides are of parameters alone, as constraints of gofh


def vessel(shell: float, head: float, radius: float, length: float) -> list[float]:
    cost = (0.6224 * shell * radius * length + 1.7781 * head * radius**2 + 3.1661 * shell**2 * length
            + 19.84 * shell**2 * radius)
    volume = math.pi * radius**2 * length + 4 / 3 * math.pi * radius**3
    return [cost, 0.0193 * radius - shell, 0.00954 * radius - head, 1 - volume / 1296000]


def reducer(b: float, m: float, z: float, l1: float, l2: float, d1: float, d2: float) -> list[float]:
    cost = (0.7854 * b * m**2 * (3.3333 * z**2 + 14.9334 * z - 43.0934) - 1.508 * b * (d1**2 + d2**2)
            + 7.4777 * (d1**3 + d2**3) + 0.7854 * (l1 * d1**2 + l2 * d2**2))
    return [cost,
            27 / (b * m**2 * z) - 1, 397.5 / (b * m**2 * z**2) - 1,
            1.93 * l1**3 / (m * z * d1**4) - 1, 1.93 * l2**3 / (m * z * d2**4) - 1,
            math.sqrt((745 * l1 / (m * z)) ** 2 + 16.9e6) / (110 * d1**3) - 1,
            math.sqrt((745 * l2 / (m * z)) ** 2 + 157.5e6) / (85 * d2**3) - 1,
            m * z / 40 - 1, 5 * m / b - 1, b / (12 * m) - 1, (1.5 * d1 + 1.9) / l1 - 1, (1.1 * d2 + 1.9) / l2 - 1]


def spring(wire: float, coil: float, turns: float) -> list[float]:
    force, strength, preload, shear = 1000.0, 189000.0, 300.0, 11.5e6
    index = coil / wire
    factor = (4 * index - 1) / (4 * index - 4) + 0.615 / index if index != 1 else 1e9
    stiffness = shear * wire**4 / (8 * turns * coil**3)
    free = force / stiffness + 1.05 * (turns + 2) * wire
    return [math.pi**2 * coil * wire**2 * (turns + 2) / 4,
            8 * factor * force * coil / (math.pi * wire**3 * strength) - 1, free / 14 - 1, 0.2 - wire, coil + wire - 3,
            3 - index, preload / stiffness / 6 - 1, 1.25 - (force - preload) / stiffness]


PROBLEMS = {
    "pressure vessel": Problem(
        {"shell": ("grid", 0.0625, 6.1875, 0.0625), "head": ("grid", 0.0625, 6.1875, 0.0625), "radius": ("real", 10, 200),
         "length": ("real", 10, 200)},
        vessel, 6059.714, {1: "0.0193*radius <= shell", 2: "0.00954*radius <= head"}),
    "speed reducer": Problem(
        {"b": ("real", 2.6, 3.6), "m": ("real", 0.7, 0.8), "z": ("grid", 17, 28, 1), "l1": ("real", 7.3, 8.3),
         "l2": ("real", 7.3, 8.3), "d1": ("real", 2.9, 3.9), "d2": ("real", 5, 5.5)},
        reducer, 2994.4711,
        {7: "m*z <= 40", 8: "5*m <= b", 9: "b <= 12*m", 10: "1.5*d1 + 1.9 <= l1", 11: "1.1*d2 + 1.9 <= l2"}),
    "spring": Problem(
        {"wire": ("values", WIRES), "coil": ("real", 0.6, 3), "turns": ("grid", 1, 70, 1)},
        spring, 2.65856, {3: "wire >= 0.2", 4: "coil + wire <= 3", 5: "3*wire <= coil"}),
}


class Counter:
    """Counts evaluations, and ends the run at the first that is good enough."""

    class Done(Exception):
        pass

    def __init__(self, problem: Problem, limit: int) -> None:
        self.problem, self.limit, self.count, self.reached = problem, limit, 0, math.inf

    def __call__(self, x: dict[str, float]) -> list[float]:
        values = self.problem.evaluate(**x)
        self.count += 1
        feasible = all(value <= 1e-9 for value in values[1:])
        if feasible and values[0] <= 1.001 * self.problem.optimum:
            self.reached = self.count
            raise Counter.Done
        if self.count >= self.limit:
            raise Counter.Done
        return values


def penalised(values: list[float], problem: Problem) -> float:
    return values[0] + 10 * abs(problem.optimum) * sum(max(value, 0) for value in values[1:])


def run_gofh(problem: Problem, counter: Counter, seed: int) -> None:
    import gofh

    kinds = {"real": lambda low, high: (low, high), "grid": gofh.grid, "values": gofh.values}
    bounds = {name: kinds[about[0]](*about[1:]) for name, about in problem.parameters.items()}
    count = len(problem.evaluate(**{name: middle(about) for name, about in problem.parameters.items()}))
    learned = [i for i in range(1, count) if i not in problem.known]
    outputs = {"cost": 1, **({"limit": len(learned)} if learned else {})}
    study = gofh.Study("cost", bounds, outputs=outputs, seed=seed, budget=counter.limit, stop="never",
                       constraints=[*problem.known.values(), *(["limit <= 0"] if learned else [])])
    while trial := study.ask():
        values = counter(dict(zip(problem.parameters, map(float, trial.x))))
        study.tell(trial, [values[0], *(values[i] for i in learned)])


def middle(about: tuple[Any, ...]) -> float:
    return about[1][len(about[1]) // 2] if about[0] == "values" else about[1]


def run_random(problem: Problem, counter: Counter, seed: int) -> None:
    import random

    draw = random.Random(seed)
    while True:
        x = {}
        for name, about in problem.parameters.items():
            if about[0] == "real":
                x[name] = draw.uniform(about[1], about[2])
            elif about[0] == "grid":
                x[name] = about[1] + about[3] * draw.randrange(round((about[2] - about[1]) / about[3]) + 1)
            else:
                x[name] = draw.choice(about[1])
        counter(x)


def run_optuna(problem: Problem, counter: Counter, seed: int) -> None:
    import warnings

    import optuna

    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        x = {}
        for name, about in problem.parameters.items():
            if about[0] == "real":
                x[name] = trial.suggest_float(name, about[1], about[2])
            elif about[0] == "grid":
                x[name] = trial.suggest_float(name, about[1], about[2], step=about[3])
            else:  # ordered values: their places
                x[name] = about[1][trial.suggest_int(name, 0, len(about[1]) - 1)]
        values = counter(x)
        trial.set_user_attr("limits", values[1:])
        return values[0]

    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True,
                                         constraints_func=lambda trial: trial.user_attrs.get("limits", (1.0,)))
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=counter.limit + 1)


def run_smac(problem: Problem, counter: Counter, seed: int) -> None:
    import logging
    import tempfile
    from pathlib import Path

    from ConfigSpace import ConfigurationSpace, Float, Integer
    from smac import BlackBoxFacade, Scenario

    logging.disable(logging.CRITICAL)
    space = ConfigurationSpace(seed=seed)
    for name, about in problem.parameters.items():
        if about[0] == "real":
            space.add(Float(name, (about[1], about[2])))
        else:
            size = len(about[1]) if about[0] == "values" else round((about[2] - about[1]) / about[3]) + 1
            space.add(Integer(name, (0, size - 1)))

    def target(config: Any, seed: int = 0) -> float:
        x = {}
        for name, about in problem.parameters.items():
            value = config[name]
            x[name] = value if about[0] == "real" else about[1][value] if about[0] == "values" else about[1] + about[3] * value
        return penalised(counter(x), problem)

    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(space, n_trials=counter.limit + 1, seed=seed, deterministic=True, output_directory=Path(folder))
        facade = BlackBoxFacade(scenario, target, overwrite=True)
        while True:  # by hand: what ends a run is an exception of the target
            info = facade.ask()
            from smac.runhistory.dataclasses import TrialValue

            facade.tell(info, TrialValue(cost=target(info.config)))


METHODS = {"gofh": run_gofh, "random": run_random, "optuna": run_optuna, "smac": run_smac}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="gofh,random,optuna,smac")
    parser.add_argument("--problem", default="all")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--csv")
    wanted = parser.parse_args()
    rows = []
    for name, problem in PROBLEMS.items():
        if wanted.problem not in ("all", name):
            continue
        for method in wanted.method.split(","):
            found = []
            for seed in range(1, wanted.seeds + 1):
                counter = Counter(problem, LIMIT[method])
                try:
                    METHODS[method](problem, counter, seed)
                except Counter.Done:
                    pass
                found.append(counter.reached)
                rows.append((name, method, seed, counter.reached))
            reached = [count for count in found if math.isfinite(count)]
            median = statistics.median(found)
            text = f"{median:.0f}" if math.isfinite(median) else f"> {LIMIT[method]}"
            print(f"{name:16s} {method:8s} median {text:>7s}   reached {len(reached)} of {len(found)}", flush=True)
    if wanted.csv:
        with open(wanted.csv, "w", newline="") as file:
            csv.writer(file).writerows([("problem", "method", "seed", "evaluations"), *rows])


if __name__ == "__main__":
    sys.exit(main())
