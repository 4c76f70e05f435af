"""The problem that a study's file keeps."""
from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from gofh import _gofh
from gofh.description import Description, Objective, Outputs, PathLike
from gofh.errors import ArgumentError, DamagedError, EmptyError, MissingError, ProblemError
from gofh.parameters import Kind
from gofh.results import Array

if TYPE_CHECKING:
    from sqlite3 import Connection

KERNELS = ("squared-exponential", "matern-5/2", "matern-3/2")

_CHOICES = {
    "design": ("uniform", "sobol"),
    "kernel": KERNELS,
    "stop": ("auto", "never"),
    "goal": ("optimum", "posterior"),
    "hyper": ("sample", "map", "fixed"),
    "noise": ("none", "estimated"),
}


def _stored_settings(meta: Mapping[str, str]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for name, default in _gofh.default_settings().items():
        if name not in meta:
            continue
        convert: Callable[[str], Any] = type(default)
        settings[name] = _CHOICES[name][int(float(meta[name]))] if name in _CHOICES else convert(meta[name])
    return settings


def _stored_objective(text: str, numbers: Mapping[tuple[str, str], Array], g: Objective | None) -> tuple[str, Objective]:
    sense, _, objective = text.partition(" ")
    if g is not None:
        return sense, g
    if objective == "(weights . y)":
        return sense, numbers["weights", "outputs"]
    if objective == "(a function)":
        raise ProblemError("the study's g is a function, which its file can't keep: give it again as g")
    return sense, objective


def _numbers(rows: Iterable[tuple[str, str, int, float]], m: int) -> dict[tuple[str, str], Array]:
    """Of files of versions 1 and 2: a row for each number."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    for kind, name, position, value in rows:
        found.setdefault((kind, name), {})[position] = value
    result = {}
    for (kind, name), values in found.items():
        size = m if kind == "noise" else int(found.get(("size", name), {0: max(values) + 1})[0])
        array = np.full(size, math.nan)
        array[list(values)] = list(values.values())
        result[kind, name] = array
    return result


def _lists(rows: Iterable[tuple[str, str, bytes]]) -> dict[tuple[str, str], Array]:
    return {(kind, name): np.frombuffer(value, "<f8").astype(float) for kind, name, value in rows}


def _stored_missing(numbers: Mapping[tuple[str, str], Array], outputs: list[tuple[str, int]]) -> list[str]:
    allowed = set(np.flatnonzero(numbers.get(("missing", "outputs"), np.zeros(0)) == 1))
    begins = np.cumsum([0] + [size for _, size in outputs])
    return [name for (name, _), begin in zip(outputs, begins) if begin in allowed]


def _stored_kinds(parameters: list[tuple[str, float, float, int]], meta: Mapping[str, str]) -> dict[str, Kind]:
    """Of the parameters in a study's file that are no intervals."""
    found = {}
    for name, lower, upper, scale in parameters:
        kind, _, rest = meta.get(f"kind of {name}", "").partition(" ")
        words = tuple(meta.get(f"choices of {name}", "").split("\n"))
        if kind == "fixed":
            found[name] = Kind("fixed", float(rest), float(rest), words=words if words != ("",) else ())
        elif words != ("",):
            found[name] = Kind("choices", 0.0, len(words) - 1.0, words=words, ordered=kind == "ordered")
        elif kind == "step":
            found[name] = Kind("grid", lower, upper, step=float(rest), logarithmic=bool(scale))
        elif kind == "values":
            numbers = tuple(float(value) for value in rest.split())
            found[name] = Kind("values", lower, upper, values=numbers, logarithmic=bool(scale))
    return found


def _select(connection: Connection, g: Objective | None) -> Description:
    parameters = connection.execute("SELECT name, lower, upper, scale = 'log' FROM parameters ORDER BY position").fetchall()
    outputs = connection.execute("SELECT name, size FROM outputs ORDER BY position").fetchall()
    meta = dict(connection.execute("SELECT name, value FROM meta"))
    m = sum(size for _, size in outputs)
    if connection.execute("PRAGMA user_version").fetchone()[0] in (1, 2):
        numbers = _numbers(connection.execute("SELECT kind, name, position, value FROM data"), m)
    else:
        numbers = _lists(connection.execute("SELECT kind, name, value FROM data"))
    sense, objective = _stored_objective(meta["objective"], numbers, g)
    kinds = _stored_kinds(parameters, meta)
    return Description(
        parameters=[
            (name, kinds[name].lower, kinds[name].upper, False) if name in kinds else (name, lower, upper, bool(scale))
            for name, lower, upper, scale in parameters
        ],
        kinds=kinds,
        outputs=m if [name for name, _ in outputs] == ["y"] else outputs,
        objective=objective,
        sense=sense,
        data={name: values for (kind, name), values in numbers.items() if kind == "data"},
        constraints=meta["constraints"].split("; ") if meta["constraints"] else [],
        noise=numbers.get(("noise", "outputs")),
        missing=_stored_missing(numbers, outputs),
        settings=_stored_settings(meta),
    )


def of_study_file(path: PathLike, g: Objective | None = None) -> Description:
    """The problem that a study's file keeps; g where it is a function or should be another one."""
    if not Path(path).is_file():
        raise EmptyError(f"there is no study at {os.fspath(path)}")
    try:
        import sqlite3
    except ImportError:
        raise MissingError("this Python lacks its module sqlite3, which finds the problem in a study's file") from None
    connection = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)
    try:
        return _select(connection, g)
    except (sqlite3.Error, KeyError, ValueError, TypeError) as reason:
        if isinstance(reason, ProblemError):
            raise
        problem = ": a problem file is opened by Study.from_yaml" if Path(path).suffix in (".yaml", ".yml") else ""
        raise DamagedError(f"{os.fspath(path)} is no study of gofh, or it is damaged: {reason}{problem}") from None
    finally:
        connection.close()


def outputs_of_file(path: PathLike, g: Objective) -> Outputs:
    """Those of the study that a file keeps."""
    if not Path(path).exists() or Path(path).stat().st_size == 0:
        raise ArgumentError(
            "path needs outputs: the file is made before h is evaluated, so that nothing is lost. "
            "Say how many values h returns (outputs=6) or their names and sizes (outputs={'c': 6})"
        )
    kept = of_study_file(path, g).outputs
    return kept if isinstance(kept, int) else dict(kept)
