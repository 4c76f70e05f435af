#!/usr/bin/env python3
"""What the paper says of its experiments, counted in our results.

    bench/claims.py FILE...        CSV files of `gofh bench run` with recommended regrets

Prints, as Markdown, for each problem: how much smaller the regret of EI-CF is than that of the best
standard method (of ei, pi, pes, random) after 50 evaluations, after how many evaluations EI-CF is
where that method is after 100, and how Random-CF and PI-CF compare. Regrets are those of the
recommended points, means of log10 over replications.
"""
import csv
import sys
from collections import defaultdict

STANDARD = ("ei", "pi", "pes", "random")
PROBLEMS = ("gp1", "gp2", "langermann", "rosenbrock", "environment")


def read(paths):
    values = defaultdict(lambda: defaultdict(list))
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["log10_regret_recommended"]:
                    values[row["problem"], row["method"]][int(row["evaluation"])].append(
                        float(row["log10_regret_recommended"]))
    return {key: {n: sum(v) / len(v) for n, v in curve.items()} for key, curve in values.items()}


def best_standard(means, problem, n):
    return min((means[problem, method][n], method) for method in STANDARD)


def first_reached(curve, level):
    return next((n for n in sorted(curve) if curve[n] <= level), None)


def main(paths):
    means = read(paths)
    print("| problem | after 50: ei-cf | best standard | orders of magnitude | after 100: best standard | ei-cf is there after | "
          "random-cf after 50, 100 | pi-cf ahead of ei-cf at n |")
    print("|---|---|---|---|---|---|---|---|")
    for problem in PROBLEMS:
        ours, pi = means[problem, "ei-cf"], means[problem, "pi-cf"]
        half, half_name = best_standard(means, problem, 50)
        full, full_name = best_standard(means, problem, 100)
        chance = means[problem, "random-cf"]
        ahead = [n for n in range(1, 21) if pi[n] < ours[n]]
        print(f"| {problem} | {ours[50]:.1f} | {half:.1f} ({half_name}) | {half - ours[50]:.1f} | {full:.1f} ({full_name}) | "
              f"{first_reached(ours, full)} | {chance[50]:.1f}, {chance[100]:.1f} | "
              f"{', '.join(map(str, ahead)) or 'none of 1 to 20'} |")


if __name__ == "__main__":
    main(sys.argv[1:])
