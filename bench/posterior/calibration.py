#!/usr/bin/env python3
"""Simulation-based calibration: parameters are drawn from the prior, data from the simulator at these, and the rank of the
truth among samples of the posterior must be uniform.

    bench/posterior/calibration.py run RANKS.csv [--problem a,b] [--count 200] [--runs 25]
    bench/posterior/calibration.py table RANKS.csv
    bench/posterior/calibration.py draw RANKS.csv PICTURE.svg

Each calibration has a Sobol' design of its own, of so many runs. The table has how often the 95 % interval held the truth
and the p-value of a chi-squared test of uniform ranks. draw needs matplotlib."""
import argparse
import csv
from pathlib import Path

import numpy as np
from scipy import stats

import problems
from run import sobol, with_design

NAMES = ("environment", "unidentifiable", "banana", "bimodal")
RANKS = 100  # samples that the truth is ranked among, less one
BINS = 10


def one(name, seed, runs):
    """The rank of each parameter, and whether its 95 % interval held it."""
    problem, rng = problems.make(name), np.random.default_rng(seed)
    u = rng.random(problem.d)
    clean = problem.outputs(u)[0]
    problem.data = clean + problem.sigma * rng.normal(size=clean.shape)
    samples = with_design(problem, sobol(problem, runs, seed), seed, 1000)
    few = samples[rng.choice(len(samples), RANKS - 1, replace=False)]
    low, high = np.quantile(samples, (0.025, 0.975), axis=0)
    return (few < u).sum(axis=0), (low <= u) & (u <= high)


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def command_run(arguments):
    path = Path(arguments.ranks)
    done = {(r["problem"], int(r["seed"])) for r in read(path)} if path.exists() else set()
    fresh = not path.exists()
    with open(path, "a", newline="") as file:
        out = csv.writer(file)
        if fresh:
            out.writerow(("problem", "seed", "parameter", "rank", "held"))
        for seed in range(1, arguments.count + 1):
            for name in arguments.problem.split(","):
                if (name, seed) in done:
                    continue
                ranks, held = one(name, seed, arguments.runs)
                out.writerows((name, seed, k, rank, int(own)) for k, (rank, own) in enumerate(zip(ranks, held)))
                file.flush()


def by_parameter(path):
    found = {}
    for row in read(path):
        found.setdefault((row["problem"], int(row["parameter"])), []).append((int(row["rank"]), int(row["held"])))
    return {key: np.array(value) for key, value in found.items()}


def command_table(arguments):
    print("| problem | parameter | calibrations | 95 % interval holds | uniform ranks, p |\n|---|---|---|---|---|")
    for (name, k), value in by_parameter(arguments.ranks).items():
        counts = np.histogram(value[:, 0], BINS, (0, RANKS))[0]
        print(f"| {name} | {k + 1} | {len(value)} | {100 * value[:, 1].mean():.1f} % | {stats.chisquare(counts).pvalue:.3f} |")


def command_draw(arguments):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams["svg.hashsalt"] = "gofh"
    found = by_parameter(arguments.ranks)
    names = list(dict.fromkeys(name for name, _ in found))
    columns = max(k for _, k in found) + 1
    figure, axes = plt.subplots(len(names), columns, figsize=(1.7 * columns, 1.5 * len(names)), squeeze=False)
    for row, name in enumerate(names):
        for k in range(columns):
            axis = axes[row][k]
            if (name, k) not in found:
                axis.axis("off")
                continue
            ranks = found[name, k][:, 0]
            low, high = stats.binom.ppf((0.005, 0.995), len(ranks), 1 / BINS)
            axis.axhspan(low, high, color="0.88")
            axis.hist(ranks, BINS, range=(0, RANKS), color="#2a6f97", rwidth=0.9)
            axis.set(xticks=[], yticks=[], title=f"{name} {k + 1}")
            axis.title.set_fontsize(8)
    figure.tight_layout()
    figure.savefig(arguments.picture, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "table", "draw"))
    parser.add_argument("ranks")
    parser.add_argument("picture", nargs="?", default="ranks.svg")
    parser.add_argument("--problem", default=",".join(NAMES))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--runs", type=int, default=25)
    arguments = parser.parse_args()
    {"run": command_run, "table": command_table, "draw": command_draw}[arguments.command](arguments)


if __name__ == "__main__":
    main()
