"""Reads a problem file of the examples and runs its simulator, for methods that are not gofh's.

Knows only what the examples use of the format.
"""
import csv
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import yaml

FUNCTIONS = {"sum": np.sum, "log10": np.log10, "log": np.log, "exp": np.exp, "sqrt": np.sqrt, "abs": np.abs}


def evaluate(expression, values):
    return eval(expression.replace("^", "**"), {"__builtins__": {}}, {**FUNCTIONS, **values})


class Problem:
    """A problem file. Points are in the unit cube, logarithmic scales taken into account."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.text = (self.folder / "problem.yaml").read_text()
        content = yaml.safe_load(self.text)
        self.budget = content["study"]["budget"]
        self.parameters = content["parameters"]
        self.names = list(self.parameters)
        # PyYAML takes 1e-3 for a word.
        self.lower, self.upper = (np.array([float(p[side]) for p in self.parameters.values()]) for side in ("lower", "upper"))
        self.logarithmic = np.array([p.get("scale") == "log" for p in self.parameters.values()])
        self.simulator = content["simulator"]
        self.outputs = content["outputs"]
        self.data = {name: self._column(**where) for name, where in content.get("data", {}).items()}
        (self.sense, self.objective), = content["objective"].items()
        self.constraints = content.get("constraints", [])
        self.answer = json.loads((self.folder / "answer.json").read_text())

    def _column(self, file, column, **about):
        with open(self.folder / file, newline="") as rows:
            return np.array([float(row[column]) for row in csv.DictReader(rows)])

    @property
    def d(self):
        return len(self.names)

    @property
    def m(self):
        return sum(self.outputs.values())

    def point(self, u):
        low, high = (np.where(self.logarithmic, np.log(np.abs(side)), side) for side in (self.lower, self.upper))
        x = low + np.asarray(u) * (high - low)
        return np.clip(np.where(self.logarithmic, np.exp(np.where(self.logarithmic, x, 0)), x), self.lower, self.upper)

    def named(self, x, y):
        """All names of an expression."""
        values = {**self.data, **dict(zip(self.names, x))}
        at = 0
        for name, size in self.outputs.items():
            values[name] = y[at:at + size] if size > 1 else y[at]
            at += size
        return values

    def residuals(self, x, y):
        """What is squared and added up in the objective: sum((a - b)^2) + sum(c^2)."""
        inner = re.findall(r"sum\((.*?)\^2\)", self.objective)
        return np.concatenate([evaluate(part, self.named(x, y)) for part in inner])

    def value(self, x, y):
        return float(evaluate(self.objective, self.named(x, y)))

    def margins(self, x, y):
        """Of each constraint and element, how far it is on the right side; negative: it does not hold."""
        margins = []
        for constraint in self.constraints:
            left, relation, right = re.fullmatch(r"(.*?)(<=|>=)(.*)", constraint).groups()
            sign = 1 if relation == "<=" else -1
            margins.append(np.ravel(sign * (evaluate(f"{right.strip()} - ({left})", self.named(x, y)))))
        return np.concatenate(margins) if margins else np.zeros(0)

    # ---- Running the simulator ----

    def run(self, x):
        """The outputs at x; None if the run fails."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self._prepare(folder, x)
            command = self.simulator["command"].replace("{params}", "params.in").replace("{results}", "results.out")
            if command.startswith("./"):
                command = f"'{self.folder}'/{command[2:]}"
            environment = {**os.environ, "DAKOTA_PARAMETERS_FILE": "params.in", "DAKOTA_RESULTS_FILE": "results.out"}
            try:
                subprocess.run(command, shell=True, cwd=folder, env=environment, check=True, capture_output=True,
                               timeout=float(self.simulator["timeout"].rstrip("s")))
                y = np.array(self._results(folder), dtype=float)
            except (subprocess.SubprocessError, OSError, ValueError, KeyError, IndexError):
                return None
        return y if len(y) == self.m and np.all(np.isfinite(y)) else None

    def _prepare(self, folder, x):
        values = dict(zip(self.names, map(float, x)))
        for file in self.simulator.get("files", []):
            shutil.copy(self.folder / file, folder)
        for template in self.simulator.get("templates", []):
            text = re.sub(r"\{\{(\w+):(%.*?)\}\}", lambda field: field[2] % values[field[1]],
                          (self.folder / template["from"]).read_text())
            (folder / template["to"]).write_text(text)
        writers = {"json": self._write_json, "plain": self._write_plain, "dakota": self._write_dakota}
        if self.simulator["params"] in writers:
            (folder / "params.in").write_text(writers[self.simulator["params"]](values))

    def _write_json(self, values):
        return json.dumps(values)

    def _write_plain(self, values):
        return "".join(f"{value!r}\n" for value in values.values())

    def _write_dakota(self, values):
        lines = [(self.d, "variables"), *((f"{value:.15e}", name) for name, value in values.items()),
                 (self.m, "functions"), *((1, f"ASV_{k + 1}:{k + 1}") for k in range(self.m)),
                 (self.d, "derivative_variables"), *((k + 1, f"DVV_{k + 1}:{name}") for k, name in enumerate(values)),
                 (0, "analysis_components"), (1, "eval_id")]
        return "".join(f"{value:>43} {label}\n" for value, label in lines)

    def _results(self, folder):
        results = self.simulator["results"]
        if isinstance(results, dict):
            return (folder / results["file"]).read_text().split()
        if results == "instruction":
            return [value for job in self.simulator["instructions"]
                    for value in follow((self.folder / job["instruction"]).read_text(), (folder / job["file"]).read_text())]
        text = (folder / "results.out").read_text()
        if results == "json":
            content = json.loads(text)
            return np.concatenate([np.ravel(content[name]) for name in self.outputs])
        if results == "dakota":
            return [line.split()[0] for line in text.splitlines()]
        return text.split()


def follow(instructions, text):
    """The values that an instruction file reads, in its order: of PEST's language the markers, line advances and !names!."""
    header, *lines = instructions.splitlines()
    delimiter = header.split()[1]
    rows = iter(text.splitlines())
    values = []
    for line in lines:
        markers = re.findall(f"{delimiter}(.*?){delimiter}", line)
        if markers:
            row = next((row for row in rows if all(marker in row for marker in markers)), None)
            if row is None:
                raise ValueError(f"{markers[0]} was not found")
            continue
        advance, *fields = line.split()
        row = [*rows_after(rows, int(advance[1:]))][-1].split()
        values += [number for number, field in zip(row, fields, strict=False) if field != "!dum!"]
    return values


def rows_after(rows, count):
    for _, row in zip(range(count), rows):
        yield row
