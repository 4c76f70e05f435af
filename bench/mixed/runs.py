"""What the scripts of this folder share: the file that keeps what was run, and a calibration until it is solved."""
from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import gofh


def read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def measure(path: Path, columns: Sequence[str], keys: Iterable[tuple], run: Callable[..., float]) -> None:
    """Adds a row for each key that the file lacks: the key, then what `run` finds for it."""
    have, is_new = {tuple(row[name] for name in columns[:-1]) for row in read(path)}, not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(columns)
        for key in keys:
            if tuple(map(str, key)) not in have:
                writer.writerow((*key, run(*key)))
                file.flush()


def evaluations_to_solve(study: gofh.Study, h: Callable[[Any], np.ndarray], measured: np.ndarray, solved: float) -> float:
    """After how many evaluations the sum of squares is below `solved`; infinite: not within the budget."""
    count = 0
    while trial := study.ask():
        y = h(trial.x)
        count += 1
        if ((y - measured) ** 2).sum() < solved:
            return count
        study.tell(trial, y)
    return math.inf
