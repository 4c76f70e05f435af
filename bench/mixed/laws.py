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
import csv
import importlib.util
import math
import statistics
import sys
from pathlib import Path

import gofh

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
    count = 0
    while trial := study.ask():
        y = example.concentrations(laws[int(trial.x[0])], int(trial.x[1]), trial.x[2], trial.x[3])
        count += 1
        if ((y - measured) ** 2).sum() < SOLVED:
            return count
        study.tell(trial, y)
    return math.inf


def read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def measure(path: Path, seeds: int) -> None:
    have, example = {(row["order"], int(row["seed"])) for row in read(path)}, load_example()
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(("order", "seed", "evaluations"))
        for seed in range(1, seeds + 1):
            for name, order in ORDERS.items():
                if (name, seed) not in have:
                    writer.writerow((name, seed, evaluations(example, order, seed)))
                    file.flush()


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
        measure(wanted.csv, wanted.seeds)


if __name__ == "__main__":
    sys.exit(main())
