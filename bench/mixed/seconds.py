#!/usr/bin/env python3
"""Processor seconds of a suggestion beside 60 evaluations: ten intervals and three choices.

    bench/mixed/seconds.py [--choices 3,5] [--at 60] [--suggestions 10]

h: four outputs, each a sine of a random combination of the intervals, plus a random number for each value of each
choice; g: the sum of squares of what a planted point leaves. The evaluations are those of the study itself. The package
gofh must be importable.
"""
from __future__ import annotations

import argparse
import time

import gofh
import numpy as np

INTERVALS, CHOICES, OUTPUTS = 10, 3, 4


def measure(values: int, at: int, suggestions: int) -> list[float]:
    draw = np.random.default_rng(values)
    weights = draw.normal(size=(OUTPUTS, INTERVALS))
    offsets = 0.3 * draw.normal(size=(OUTPUTS, CHOICES, values))

    def h(x: np.ndarray) -> np.ndarray:
        chosen = [offsets[:, i, int(x[INTERVALS + i])] for i in range(CHOICES)]
        return np.sin(weights @ x[:INTERVALS]) + np.sum(chosen, axis=0)

    bounds: dict[str, object] = {f"x{i}": (0.0, 1.0) for i in range(INTERVALS)}
    bounds |= {f"c{i}": [f"v{j}" for j in range(values)] for i in range(CHOICES)}
    planted = np.concatenate([np.full(INTERVALS, 0.4), np.arange(CHOICES) % values])
    study = gofh.Study("sum((y - t)^2)", bounds, outputs=OUTPUTS, data={"t": h(planted)}, budget=at + suggestions,
                       stop="never")
    seconds = []
    while True:
        start = time.process_time()
        trial = study.ask()
        if trial is None:
            return seconds[at:]
        seconds.append(time.process_time() - start)
        study.tell(trial, h(trial.x))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--choices", default="3,5")
    parser.add_argument("--at", type=int, default=60)
    parser.add_argument("--suggestions", type=int, default=10)
    wanted = parser.parse_args()
    print("| values of each choice | seconds, mean | longest |\n|---|---|---|")
    for values in map(int, wanted.choices.split(",")):
        seconds = measure(values, wanted.at, wanted.suggestions)
        print(f"| {values} | {np.mean(seconds):.3f} | {max(seconds):.3f} |")


if __name__ == "__main__":
    main()
