#!/usr/bin/env python3
"""Runs an example and draws it: how the search went, and what it found.

    examples/draw.py EXAMPLE [--gofh GOFH] [--output FILE] [--dpi N]

The example runs in a copy, whose folder is removed. It needs the Python package gofh and matplotlib; a
picture of docs/gallery.md is made by

    examples/draw.py diode --output docs/figures/gallery-diode.png
"""
import argparse
import csv
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

import gofh  # noqa: E402
from gofh import plot  # noqa: E402

HERE = Path(__file__).resolve().parent


def draw_filter(study, axes):
    """The loss against the mask."""
    y = study.best().y
    for at, value in (([k / 10 for k in range(1, 11)], y[:10]), ([2, 3, 4], y[10:])):
        axes.plot(at, value, "o-", color="#1f66b5", markersize=4)
    axes.plot([0.1, 1, 1], [1, 1, 100], color="#c92a2a", label="at most 1 dB")
    axes.plot([2, 2, 4], [0, 30, 30], color="#d9480f", label="at least 30 dB")
    axes.set_ylim(-3, 105)
    axes.set_xlabel("MHz")
    axes.set_ylabel("loss, dB")
    axes.legend(frameon=False)


def draw_path(study, axes):
    """Where the evaluations were, from light to dark."""
    x = [trial.x for trial in study.trials if trial.state == "done"]
    axes.scatter([p[0] for p in x], [p[1] for p in x], c=range(len(x)), cmap="Blues", vmin=-5, edgecolors="#1f66b5", s=28)
    axes.plot(*study.best().x[:2], "*", color="#d9480f", markersize=14, label="best")
    axes.set_xlabel(study.names[0])
    axes.set_ylabel(study.names[1])
    axes.legend(frameon=False)


def draw_diode(study, axes):
    """The current on a logarithmic scale, as it is compared."""
    with open("measured.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    names = list(rows[0])
    volts = [float(row[names[0]]) for row in rows]
    axes.semilogy(volts, [float(row["current"]) for row in rows], "o", color="#1d2330", markersize=4, label="measured")
    axes.semilogy(volts, 10.0 ** study.best().y, color="#1f66b5", label="best fit")
    axes.set_xlabel("voltage, V")
    axes.set_ylabel("current, A")
    axes.legend(frameon=False)


def draw_fit(study, axes):
    plot.fit(study, ax=axes)
    axes.legend(frameon=False, fontsize=8)


DRAW = {"filter": draw_filter, "dakota": draw_path, "diode": draw_diode}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("example")
    parser.add_argument("--gofh", default="gofh")
    parser.add_argument("--output")
    parser.add_argument("--dpi", type=int, default=100)
    given = parser.parse_args()
    program = shutil.which(given.gofh)
    if program is None:
        parser.error(f"there is no program {given.gofh}: --gofh build/gofh")
    program = str(Path(program).resolve())
    output = Path(given.output or f"{given.example}.png").resolve()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / given.example
        shutil.copytree(HERE / given.example, work, ignore=shutil.ignore_patterns("*.gofh"))
        if (work / "Makefile").exists():
            subprocess.run(["make", "--silent"], cwd=work, check=True)
        done = subprocess.run([program, "run", "problem.yaml"], cwd=work, check=True, capture_output=True, text=True)
        os.chdir(work)
        study = gofh.Study.from_yaml("problem.yaml", read_only=True)
        figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
        plot.convergence(study, ax=left)
        DRAW.get(given.example, draw_fit)(study, right)
        for axes in (left, right):
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(color="#e9ecf1", linewidth=0.6)
        figure.savefig(output, dpi=given.dpi)
        print("\n".join(done.stdout.splitlines()[-8:]))


if __name__ == "__main__":
    main()
