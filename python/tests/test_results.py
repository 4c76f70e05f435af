"""Results that NumPy has written, read by the program."""
import json
import subprocess
import sys

import numpy as np
import pytest

PROBLEM = """\
study: {{method: random, budget: 3}}
parameters: {{a: [0, 1], b: [1, 2]}}
simulator:
  command: {python} {simulator} {{a}} {{b}} {{results}}
  results: {results}
outputs: {{c: 1000, t: 1}}
objective: {{minimize: sum(c^2) + t}}
"""
SIMULATOR = """\
import sys
import numpy as np
a, b = float(sys.argv[1]), float(sys.argv[2])
y = np.append(np.sin(a * np.arange(1000.0) + b), a * b)
{save}
"""


def run(build, folder, results, save):
    """What `gofh run` says, and the trials that it made."""
    (folder / "sim.py").write_text(SIMULATOR.format(save=save))
    (folder / "p.yaml").write_text(PROBLEM.format(python=sys.executable, simulator=folder / "sim.py", results=results))
    done = subprocess.run([build / "gofh", "run", "p.yaml"], cwd=folder, capture_output=True, text=True)
    lines = subprocess.run([build / "gofh", "export", "p.yaml", "--json"], cwd=folder, capture_output=True, text=True)
    return done.stdout + done.stderr, [json.loads(line) for line in lines.stdout.splitlines()]


@pytest.mark.parametrize("results, save, kind", [
    ("npy", "np.save(sys.argv[3], y)", "<f8"),
    ("npy", "np.save(sys.argv[3], y.astype(np.float32))", "<f4"),
    ("npy", "np.save(sys.argv[3], y.reshape(7, 143))", "<f8"),
    ("npy", "np.save(sys.argv[3], y[:, None].T.copy(order='F'))", "<f8"),
    ("{format: npy, file: out/y.npy}", "import os; os.mkdir('out'); np.save(sys.argv[3], y)", "<f8"),
    ("npy", "np.lib.format.write_array(open(sys.argv[3], 'wb'), y, version=(2, 0))", "<f8"),
    ("npy", "np.lib.format.write_array(open(sys.argv[3], 'wb'), y, version=(3, 0))", "<f8"),
    ("raw", "y.tofile(sys.argv[3])", "<f8"),
])
def test_what_numpy_saves_are_the_outputs(build, tmp_path, results, save, kind):
    said, trials = run(build, tmp_path, results, save)
    assert len(trials) == 3, said
    for trial in trials:
        a, b = trial["parameters"]["a"], trial["parameters"]["b"]
        expected = np.append(np.sin(a * np.arange(1000.0) + b), a * b).astype(kind).astype(float)
        assert trial["outputs"]["c"] == expected[:1000].tolist()
        assert trial["outputs"]["t"] == expected[1000]


@pytest.mark.parametrize("results, save, reason", [
    ("npy", "np.save(sys.argv[3], np.arange(1001))", "results.npy holds numbers of type <i8"),
    ("npy", "np.save(sys.argv[3], y.astype('>f8'))", "results.npy holds numbers of type >f8"),
    ("npy", "np.save(sys.argv[3], np.asfortranarray(y.reshape(7, 143)))", "of 2 dimensions in Fortran's order"),
    ("npy", "np.save(sys.argv[3], y[1:])", "results.npy holds 1000 numbers, 1001 were expected"),
    ("npy", "y[3] = np.nan; np.save(sys.argv[3], y)", "results.npy: c[3] is not a finite number"),
    ("npy", "np.savez(open(sys.argv[3], 'wb'), y)", "results.npy is no .npy file"),
    ("npy", "np.save(sys.argv[3], np.array([y, None], object), allow_pickle=True)", "numbers of type |O"),
    ("raw", "y.astype('<f4').tofile(sys.argv[3])", "results.raw has 4004 bytes, 8008 were expected"),
])
def test_what_is_wrong_is_the_reason_of_the_failure(build, tmp_path, results, save, reason):
    said, trials = run(build, tmp_path, results, save)
    assert trials and all(reason in trial["reason"] for trial in trials), (said, trials)
