#!/usr/bin/env python3
"""Makes counted.csv: what predators.py says for the true rates of answer.json, to ten animals."""
import json
import subprocess
import tempfile
from pathlib import Path

here = Path(__file__).resolve().parent
rates = json.loads((here / "answer.json").read_text())["parameters"]
with tempfile.TemporaryDirectory() as folder:
    parameters, results = Path(folder, "parameters.json"), Path(folder, "results.json")
    parameters.write_text(json.dumps(rates))
    subprocess.run([here / "predators.py", parameters, results], check=True)
    populations = json.loads(results.read_text())
lines = ["year,hares,lynxes"]
for year, (hares, lynxes) in enumerate(zip(populations["hares"], populations["lynxes"]), 1):
    lines.append(f"{year},{hares:.2f},{lynxes:.2f}")
(here / "counted.csv").write_text("\n".join(lines) + "\n")
