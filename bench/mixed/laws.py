#!/usr/bin/env python3
"""The calibration of python/examples/rate_laws.py, whose law is a choice of three and whose order a whole number, with
the laws in their order and shuffled: the numbers of choices mean nothing, so that the results must be alike.

    bench/mixed/laws.py --csv FILE [--seeds 20]
    bench/mixed/laws.py --csv FILE --table

A run ends where the sum of squares is below 1e-10, which only the true law and order reach, or after 60 evaluations.
FILE keeps what it has: only what it lacks is run. The package gofh must be importable.
"""
from __future__ import annotations

import argparse
import importlib.util
import math
import statistics
import sys
from pathlib import Path

import gofh
from runs import evaluations_to_solve, measure, read

LIMIT, SOLVED = 60, 1e-10
ORDERS = {"as given": (0, 1, 2), "shuffled": (2, 0, 1), "reversed": (2, 1, 0)}


def load_example():
    path = Path(__file__).parents[2] / "python" / "examples" / "rate_laws.py"
    spec = importlib.util.spec_from_file_location("rate_laws", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def evaluations(example, order: tuple[int, ...], seed: int) -> float:
    laws = [example.LAWS[i] for i in order]
    measured = example.concentrations("inhibited", 2, 0.8, 3.0)
    study = gofh.Study("sum((y - measured)^2)", {"law": laws, "order": range(1, 4), "k": (0.01, 10, "log"), "a": (0.1, 10, "log")},
                       data={"measured": measured}, outputs=len(measured), budget=LIMIT, seed=seed, stop="never")

    def h(x):
        return example.concentrations(laws[int(x[0])], int(x[1]), x[2], x[3])

    return evaluations_to_solve(study, h, measured, SOLVED)


def print_table(path: Path) -> None:
    print("| laws | found within 60 evaluations | median evaluations |\n|---|---|---|")
    for name in ORDERS:
        found = [float(row["evaluations"]) for row in read(path) if row["order"] == name]
        median = statistics.median(found) if found else math.nan
        print(f"| {name} | {sum(map(math.isfinite, found))} of {len(found)} | {median:g} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--csv", type=Path, required=True)
    parser.add_argument("--table", action="store_true")
    wanted = parser.parse_args()
    if wanted.table:
        print_table(wanted.csv)
    else:
        example = load_example()
        keys = ((name, seed) for seed in range(1, wanted.seeds + 1) for name in ORDERS)
        measure(wanted.csv, ("order", "seed", "evaluations"), keys,
                lambda name, seed: evaluations(example, ORDERS[name], seed))


if __name__ == "__main__":
    sys.exit(main())
