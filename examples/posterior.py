#!/usr/bin/env python3
"""The posterior of an example beside what least squares and its covariance say.

    examples/posterior.py [--gofh PROGRAM] [--picture FILE.png] FOLDER/PROBLEM.yaml

Runs `gofh run --for posterior` in a copy, then SciPy's least_squares on the simulator itself from gofh's best point, with
covariance (J'J)^-1 of the residuals over sigma, the prior's among them. Prints a Markdown table and how many runs each took.
Needs NumPy, SciPy and PyYAML; the picture needs the Python package gofh with matplotlib."""
import argparse
import csv
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import yaml
from scipy.optimize import least_squares

import simulate

STEP = 1e-3  # of finite differences: simulators print six or seven digits


class Fit(simulate.Problem):
    """A problem file with one output that is fitted to data with a sigma."""

    def __init__(self, path):
        super().__init__(path.parent)
        content = yaml.safe_load(path.read_text())
        (output, data), = content["objective"]["fit"].items()
        about = content["data"][data]
        self.measured = self._column(about["file"], about["column"])
        sigma = about["sigma"]
        self.sigma = self._column(about["file"], sigma) if isinstance(sigma, str) else float(sigma)
        words = {name: re.fullmatch(r"normal\((.*),(.*)\)", text) for name, text in content.get("prior", {}).items()}
        self.prior = {name: (float(found[1]), float(found[2])) for name, found in words.items()}
        self.runs = 0

    def weighted(self, u):
        x = self.point(u)
        y = self.run(x)
        self.runs += 1
        known = [(x[self.names.index(name)] - centre) / spread for name, (centre, spread) in self.prior.items()]
        return np.concatenate([(y - self.measured) / self.sigma, known])


def by_least_squares(fit, start):
    """Mean and deviation of each parameter on its scale, and the ends of its interval."""
    found = least_squares(lambda v: fit.weighted(v - 1), start + 1, bounds=(1, 2), diff_step=STEP)
    u, deviation = found.x - 1, np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)))
    return fit.point(u), fit.point(np.clip(u - 1.96 * deviation, 0, 1)), fit.point(np.clip(u + 1.96 * deviation, 0, 1))


def draw(path, picture):
    import gofh
    from gofh import plot
    with gofh.Study.from_yaml(path, read_only=True) as study:
        plot.corner(study.posterior()).savefig(picture, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", type=Path)
    parser.add_argument("--gofh", default="gofh")
    parser.add_argument("--picture")
    options = parser.parse_args()
    gofh = str(Path(options.gofh).resolve()) if "/" in options.gofh else options.gofh
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "example"
        shutil.copytree(options.problem.resolve().parent, folder, ignore=shutil.ignore_patterns("*.gofh"))
        path = folder / options.problem.name
        call = lambda *words: subprocess.run([gofh, *words], check=True, capture_output=True, text=True).stdout
        call("run", str(path), "--for", "posterior")
        found = json.loads(call("posterior", str(path), "--json"))
        runs = sum(row["status"] == "done" for row in csv.DictReader(call("export", str(path)).splitlines()))
        if options.picture:
            draw(path, options.picture)
        fit = Fit(path)
        best = np.array([found["parameters"][name]["best"] for name in fit.names])
        low, high = (np.where(fit.logarithmic, np.log(np.abs(side)), side) for side in (fit.lower, fit.upper))
        at = np.where(fit.logarithmic, np.log(np.abs(best)), best)
        squares = by_least_squares(fit, (at - low) / (high - low))
    print("| parameter | gofh: mean | 95 % from | to | least squares | 95 % from | to |\n|---|---|---|---|---|---|---|")
    for k, name in enumerate(fit.names):
        own = found["parameters"][name]
        print("| " + " | ".join([name, *(f"{value:.4g}" for value in (own["mean"], own["lower"], own["upper"],
                                                                    *(part[k] for part in squares)))]) + " |")
    print(f"\ngofh: {runs} runs; least squares from its best point: {fit.runs} more. {found['message']}")


if __name__ == "__main__":
    main()
