#!/usr/bin/env python3
"""A calibration with a choice of six, three and three of which are the same: what places of choices gain (section 2 of
docs/method.md), and what they cost where all six differ.

    bench/mixed/groups.py --csv FILE [--seeds 20] [--method gofh,gofh-no-places]
    bench/mixed/groups.py --csv FILE --table

Outputs are eight waves over four parameters. In "groups" the choices of a group are the same, and one group fits the
measured values; in "order" the phases of the six are evenly spaced, in no order that the list shows; in "different"
each choice has waves of its own. A run ends where the sum of squares is below 1e-6, or after 100 evaluations. FILE
keeps what it has: only what it lacks is run. The package gofh must be importable.
"""
from __future__ import annotations

import argparse
import math
import statistics
from pathlib import Path

import numpy as np

import gofh
from runs import evaluations_to_solve, measure, read

LIMIT, SOLVED = 100, 1e-6
LEVELS = ["a", "b", "c", "d", "e", "f"]
PHASES = {"groups": [0.0, 2.0, 0.0, 2.0, 2.0, 0.0], "order": [1.5, 0.0, 2.5, 0.5, 2.0, 1.0]}
TRUE_X = np.array([0.62, 0.35, 0.71, 0.28])
WAVES = np.random.default_rng(17).uniform(0.5, 4.0, (8, 4))
TRUE_LEVEL = 3
KINDS = ("groups", "order", "different")


def outputs(kind: str, level: int, x: np.ndarray) -> np.ndarray:
    if kind == "different":
        waves, phases = np.random.default_rng(level).uniform(0.5, 3.0, WAVES.shape), np.full(8, level)
    else:
        waves, phases = WAVES, PHASES[kind][level] * np.linspace(0.6, 1.4, 8)
    return np.sin(waves @ x + phases) * (1 + x[0] * x[1])


def evaluations(kind: str, method: str, seed: int) -> float:
    measured = outputs(kind, TRUE_LEVEL, TRUE_X)
    study = gofh.Study("sum((y - measured)^2)", {"level": LEVELS} | {f"x{i}": (0, 1) for i in range(1, 5)},
                       data={"measured": measured}, outputs=8, budget=LIMIT, seed=seed, stop="never", method=method)
    return evaluations_to_solve(study, lambda x: outputs(kind, int(x[0]), np.asarray(x[1:])), measured, SOLVED)


def print_table(path: Path, methods: list[str]) -> None:
    print("| six choices | " + " | ".join(methods) + " |\n" + "|---" * (len(methods) + 1) + "|")
    for kind in KINDS:
        cells = []
        for method in methods:
            found = [float(row["evaluations"]) for row in read(path) if (row["kind"], row["method"]) == (kind, method)]
            median = statistics.median(found) if found else math.nan
            cells.append(f"{median:g} ({sum(map(math.isfinite, found))} of {len(found)})")
        print(f"| {kind} | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="gofh,gofh-no-places")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--csv", type=Path, required=True)
    parser.add_argument("--table", action="store_true")
    wanted = parser.parse_args()
    methods = wanted.method.split(",")
    if wanted.table:
        print_table(wanted.csv, methods)
    else:
        keys = ((kind, method, seed) for seed in range(1, wanted.seeds + 1) for kind in KINDS for method in methods)
        measure(wanted.csv, ("kind", "method", "seed", "evaluations"), keys, evaluations)


if __name__ == "__main__":
    main()
