#!/usr/bin/env python3
"""Makes noisy.csv of measured.csv: the decimal logarithms of the currents, with normal noise of 0.02."""
import csv
import math
import random
from pathlib import Path

here = Path(__file__).parent
random.seed(3)
with open(here / "measured.csv", newline="") as measured, open(here / "noisy.csv", "w") as noisy:
    noisy.write("voltage,log_current\n")
    for row in csv.DictReader(measured):
        noisy.write(f"{row['voltage']},{math.log10(float(row['current'])) + random.gauss(0, 0.02):.4f}\n")
