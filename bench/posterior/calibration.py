#!/usr/bin/env python3
"""Simulation-based calibration: parameters are drawn from the prior, data from the simulator at these, and the rank of the
truth among samples of the posterior must be uniform.

    bench/posterior/calibration.py run RANKS.csv [--problem a,b] [--count 200] [--first 1] [--runs 25] [--exact]
    bench/posterior/calibration.py table RANKS.csv [EXACT.csv]
    bench/posterior/calibration.py draw RANKS.csv PICTURE.svg

Each calibration has a Sobol' design of its own, of so many runs. With --exact the posterior is that of the simulator itself
(truth.py), for the same parameters and data: what its intervals miss is the luck of the draws, not the emulator's. The table
has how often the 95 % interval held the truth and the p-value of a chi-squared test of uniform ranks; beside it how often
the exact one did, and of the calibrations in which only one of them did, how many each way. draw needs matplotlib."""
import argparse
import csv
from pathlib import Path

import numpy as np
from scipy import stats

import problems
import truth
from run import sobol, with_design

NAMES = ("environment", "unidentifiable", "banana", "bimodal")
RANKS = 100  # samples that the truth is ranked among, less one
BINS = 10


def one(name, seed, runs, exact):
    """The rank of each parameter, and whether its 95 % interval held it."""
    problem, rng = problems.make(name), np.random.default_rng(seed)
    u = rng.random(problem.d)
    clean = problem.outputs(u)[0]
    problem.data = clean + problem.sigma * rng.normal(size=clean.shape)
    samples = truth.sample(problem, 4000, seed) if exact else with_design(problem, sobol(problem, runs, seed), seed, 1000)
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
        for seed in range(arguments.first, arguments.first + arguments.count):
            for name in arguments.problem.split(","):
                if (name, seed) in done:
                    continue
                ranks, held = one(name, seed, arguments.runs, arguments.exact)
                out.writerows((name, seed, k, rank, int(own)) for k, (rank, own) in enumerate(zip(ranks, held)))
                file.flush()


def by_parameter(path):
    """Seed, rank and whether it held, of each problem and parameter."""
    found = {}
    for row in read(path):
        found.setdefault((row["problem"], int(row["parameter"])), []).append((int(row["seed"]), int(row["rank"]), int(row["held"])))
    return {key: np.array(value) for key, value in found.items()}


def command_table(arguments):
    exact = by_parameter(arguments.other) if arguments.other else {}
    print("| problem | parameter | calibrations | 95 % interval holds | uniform ranks, p |"
          + (" exact one holds | only exact, only this |" if exact else "") + "\n|---|---|---|---|---|" + ("---|---|" if exact else ""))
    for (name, k), value in by_parameter(arguments.ranks).items():
        counts = np.histogram(value[:, 1], BINS, (0, RANKS))[0]
        line = f"| {name} | {k + 1} | {len(value)} | {100 * value[:, 2].mean():.1f} % | {stats.chisquare(counts).pvalue:.3f} |"
        if exact:
            held = {seed: own for seed, _, own in exact.get((name, k), [])}
            pairs = [(own, held[seed]) for seed, _, own in value if seed in held]
            line += f" {100 * np.mean([b for _, b in pairs]):.1f} % | {sum(b > a for a, b in pairs)}, {sum(a > b for a, b in pairs)} |"
        print(line)


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
            ranks = found[name, k][:, 1]
            low, high = stats.binom.ppf((0.005, 0.995), len(ranks), 1 / BINS)
            axis.axhspan(low, high, color="0.88")
            axis.hist(ranks, BINS, range=(0, RANKS), color="#2a6f97", rwidth=0.9)
            axis.set(xticks=[], yticks=[], title=f"{name} {k + 1}")
            axis.title.set_fontsize(8)
    figure.tight_layout()
    figure.savefig(arguments.other or "ranks.svg", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "table", "draw"))
    parser.add_argument("ranks")
    parser.add_argument("other", nargs="?", help="of table: the exact ranks; of draw: the picture")
    parser.add_argument("--problem", default=",".join(NAMES))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=1, help="seed")
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--exact", action="store_true")
    arguments = parser.parse_args()
    {"run": command_run, "table": command_table, "draw": command_draw}[arguments.command](arguments)


if __name__ == "__main__":
    main()
