"""What the tests share: a small problem whose answer is known, and where the C library and the
program are."""
import os
from pathlib import Path

import numpy as np
import pytest

import gofh

ROOT = Path(__file__).resolve().parents[2]
TRUTH = np.array([5.0, 0.5])
BOUNDS = {"amplitude": (1, 10), "rate": (0.01, 10, "log")}
OBSERVED = TRUTH[0] * np.exp(-TRUTH[1] * np.arange(6))
MISFIT = "sum((y - observed)^2)"


def decay(x):
    """h: what decays from x[0] at the rate x[1], at six times."""
    return x[0] * np.exp(-x[1] * np.arange(6))


@pytest.fixture
def make_study():
    """A study of the decay, with other arguments."""

    def make(**options):
        return gofh.Study(MISFIT, BOUNDS, outputs=6, data={"observed": OBSERVED}, **options)

    return make


@pytest.fixture
def build():
    """The folder that the program and the C library were built into."""
    folder = Path(os.environ.get("GOFH_BUILD", ROOT / "build"))
    if not (folder / "gofh").exists():
        pytest.skip(f"the program is not built in {folder}")
    return folder
