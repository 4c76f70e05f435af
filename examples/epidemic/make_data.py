#!/usr/bin/env python3
"""Makes counted.csv: the cases of the answer, with normal noise of one case and six tenths of their root."""
import json
import math
import random
from pathlib import Path

from epidemic import simulate

here = Path(__file__).parent
random.seed(7)
answer = json.loads((here / "answer.json").read_text())["parameters"]
with open(here / "counted.csv", "w") as file:
    file.write("day,cases,sigma\n")
    for day, cases in enumerate(simulate(**answer)):
        sigma = round(1 + 0.6 * math.sqrt(cases), 2)
        file.write(f"{day},{max(cases + random.gauss(0, sigma), 0):.1f},{sigma}\n")
