#!/usr/bin/env python3
"""Probabilities of the values of a discrete parameter, by the program and by the simulator itself on a grid.

    bench/posterior/values.py [--gofh build/gofh] [--problem laws,phases,shifts,smooth] [--kind choices,integer,many]
                              [--seeds 6] [--plain RUNS]

Each problem has two intervals and four cases, some of which fit the data about as well; of kind many they are eight values
of an integer. A study runs for the posterior until it ends by itself, at most 80 runs; with --plain it is an ordinary one
of so many runs. A row has the mean number of runs, in how many studies a value with a probability above 0.05 has less than
a fifth of it, the mean and the largest of the largest differences of a probability, and in how many of the studies that
differ by more than 0.1 the message says that probabilities are not to be trusted."""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

OUTPUTS, GRID, BUDGET = 8, 200, 80
CASES = {"choices": 4, "integer": 4, "many": 8}
ERRORS = (0.4, -0.7, 0.5, 0.9, -0.6, 0.2, -0.8, 0.5)  # of the data, in units of sigma


def laws(a, b, case, t):
    """Laws of decay."""
    return a * (math.exp(-b * t), 1 / (1 + b * t), math.exp(-b * b * t * t / 2), 1 - b * t / 3)[case % 4]


def phases(a, b, case, t):
    """A wave with a phase and an offset of its own in each case."""
    return math.sin(3 * a + 2 * t + (0, 1.1, -0.8, 2.0, 0.7, -1.3, 1.6, 0.3)[case]) + b * t + (0, 0.6, -0.5, 1.1, 0.2, 0.9, -0.3, -0.7)[case] * (1 - t) * a


def shifts(a, b, case, t):
    """The same function elsewhere in each case."""
    a, b = a + (0, 0.35, -0.3, 0.2, 0.1, -0.2, 0.3, -0.1)[case], b + (0, -0.4, 0.3, 0.5, -0.2, 0.15, -0.35, 0.4)[case]
    return math.exp(-2 * a * t) * math.cos(4 * b * t) + 0.3 * a * b


def smooth(a, b, case, t):
    """A number that neighbours tell of."""
    return a * math.exp(-b * t) + 0.1 * case * t * t


# The function, the bounds of a and b, sigma.
PROBLEMS = {"laws": (laws, ((0.1, 2.0), (0.1, 3.0)), 0.12),
            "phases": (phases, ((0.0, 1.0), (-1.0, 1.0)), 0.35),
            "shifts": (shifts, ((0.0, 1.0), (0.0, 1.0)), 0.05),
            "smooth": (smooth, ((0.1, 2.0), (0.1, 3.0)), 0.12)}


def outputs(name, a, b, case):
    return [PROBLEMS[name][0](a, b, case, j / (OUTPUTS - 1)) for j in range(OUTPUTS)]


def observed(name):
    _, bounds, sigma = PROBLEMS[name]
    (a_low, a_high), (b_low, b_high) = bounds
    clean = outputs(name, a_low + 0.55 * (a_high - a_low), b_low + 0.45 * (b_high - b_low), 1)
    return [y + sigma * error for y, error in zip(clean, ERRORS)]


def truth(name, cases):
    _, ((a_low, a_high), (b_low, b_high)), sigma = PROBLEMS[name]
    data, weight = observed(name), []
    for case in range(cases):
        total = 0.0
        for i in range(GRID):
            for j in range(GRID):
                a, b = a_low + (a_high - a_low) * (i + 0.5) / GRID, b_low + (b_high - b_low) * (j + 0.5) / GRID
                y = outputs(name, a, b, case)
                total += math.exp(-0.5 * sum(((p - q) / sigma) ** 2 for p, q in zip(y, data)))
        weight.append(total)
    return [own / sum(weight) for own in weight]


def study(gofh, name, kind, seed, plain):
    """What `gofh posterior` and `gofh status` say of it."""
    _, ((a_low, a_high), (b_low, b_high)), sigma = PROBLEMS[name]
    case = "{choices: [A, B, C, D]}" if kind == "choices" else f"{{lower: 0, upper: {CASES[kind] - 1}, integer: true}}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "problem.yaml")
        path.write_text(f"""study: {{budget: {plain or BUDGET}, seed: {seed}}}
parameters:
  a: {{lower: {a_low}, upper: {a_high}}}
  b: {{lower: {b_low}, upper: {b_high}}}
  case: {case}
simulator:
  command: {sys.executable} -S {Path(__file__).resolve()} --simulate {name} {{params}} {{results}}
  params: json
  results: json
outputs: {{y: {OUTPUTS}}}
data: {{o: {{values: {observed(name)}, sigma: {sigma}}}}}
objective: {{fit: {{y: o}}}}
""")
        goal = [] if plain else ["--for", "posterior"]
        subprocess.run([gofh, "run", path, "--quiet", *goal], check=True, stdout=subprocess.DEVNULL)
        told = json.loads(subprocess.run([gofh, "posterior", path, "--json"], check=True, capture_output=True).stdout)
        status = json.loads(subprocess.run([gofh, "status", path, "--json"], check=True, capture_output=True).stdout)
    return told, status


def simulate(name, params, results):
    x = json.loads(Path(params).read_text())
    case = "ABCD".index(x["case"]) if isinstance(x["case"], str) else int(x["case"])
    Path(results).write_text(json.dumps({"y": outputs(name, x["a"], x["b"], case)}))


def row(gofh, name, kind, seeds, plain):
    expected, runs, lost, wrong, said, differences = truth(name, CASES[kind]), 0, 0, 0, 0, []
    for seed in range(1, seeds + 1):
        told, status = study(gofh, name, kind, seed, plain)
        found = list(told["parameters"]["case"]["probabilities"].values())
        difference = max(abs(p - q) for p, q in zip(found, expected))
        differences.append(difference)
        runs += status["done"] / seeds
        lost += any(q > 0.05 and p < 0.2 * q for p, q in zip(found, expected))
        wrong += difference > 0.1
        said += difference > 0.1 and ("evaluations have case" in told["message"] or "the probability of case" in told["message"])
    print(f"| {name} | {kind} | {runs:.1f} | {lost} of {seeds} | {sum(differences) / seeds:.3f} | {max(differences):.3f} "
          f"| {said} of {wrong} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gofh", default="build/gofh")
    parser.add_argument("--problem", default=",".join(PROBLEMS))
    parser.add_argument("--kind", default="choices,integer")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--plain", type=int, default=0)
    arguments = parser.parse_args()
    print("| problem | case | runs | lost | mean difference | largest | said |\n|---|---|---|---|---|---|---|")
    for name in arguments.problem.split(","):
        for kind in arguments.kind.split(","):
            row(arguments.gofh, name, kind, arguments.seeds, arguments.plain)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--simulate"]:
        simulate(*sys.argv[2:])
    else:
        main()
