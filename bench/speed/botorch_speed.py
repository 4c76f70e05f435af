#!/usr/bin/env python3
"""Processor seconds that BoTorch's composite qLogEI, at the setting that finds best, takes for a
suggestion after 60 random evaluations.

    bench/speed/botorch_speed.py PROBLEM [SUGGESTIONS]
"""
import os
import sys
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))

import numpy as np  # noqa: E402

import botorch_methods  # noqa: E402
from history import History  # noqa: E402
from problems import Problem  # noqa: E402

DATA = 60


def main(name, suggestions):
    problem = Problem(name, 1)
    run = botorch_methods.composite(botorch_methods.BEST)
    history = History(problem, 1, DATA - problem.initial + suggestions)
    generator = np.random.default_rng(1)
    for _ in range(DATA - problem.initial):
        history.evaluate(generator.random(problem.d))
    history.start_choosing()
    run(history, 1)
    print(f"{sum(seconds for _, seconds in history.rows[-suggestions:]) / suggestions:.6f}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)
