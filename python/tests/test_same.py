"""Same seed, same suggestions: the C library, the program and this package, bit for bit."""
import json
import subprocess
from pathlib import Path

from conftest import ROOT

import gofh

PROBLEM = """\
study: {budget: 11, seed: 11}
parameters: {a: [0, 4], b: {lower: 0.1, upper: 10, scale: log}}
outputs: {c: 4}
data: {observed: [2, 2.5, 3, 3.25]}
objective: {minimize: sum((c - observed)^2)}
"""


def h(x):
    """As in same.c, operation by operation."""
    a, b = float(x[0]), float(x[1])
    return [a + i * b - 0.25 * i * a * b for i in range(4)]


def from_library(folder, build):
    program = folder / "same"
    subprocess.run(["cc", "-ffp-contract=off", Path(__file__).with_name("same.c"), "-o", program, f"-I{ROOT / 'include'}",
                    f"-L{build}", f"-Wl,-rpath,{build}", "-lgofh"], check=True)
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return [tuple(map(float.fromhex, line.split())) for line in output.splitlines()]


def from_program(path, build, most):
    """Asks and tells until it is stopped or there are as many as that."""
    points = []
    while len(points) < most:
        asked = subprocess.run([build / "gofh", "ask", path], capture_output=True, text=True)
        if asked.returncode:
            break
        line = json.loads(asked.stdout)
        points.append((line["parameters"]["a"], line["parameters"]["b"]))
        subprocess.run([build / "gofh", "tell", path, str(line["trial"]), "--results", "-"], check=True,
                       input=json.dumps({"c": h(points[-1])}), text=True, stdout=subprocess.DEVNULL)
    return points


def from_package():
    result = gofh.minimize(h, "sum((c - observed)^2)", {"a": (0, 4), "b": (0.1, 10, "log")}, outputs={"c": 4},
                           data={"observed": [2, 2.5, 3, 3.25]}, seed=11, budget=11)
    return [tuple(trial.x.tolist()) for trial in result.history]


def in_turns(folder, build):
    """The package makes a study and saves it; program and package go on with it, two evaluations
    each."""
    path = folder / "turns.yaml"
    path.write_text(PROBLEM)
    path.with_suffix(".gofh").mkdir()
    study = gofh.Study("sum((c - observed)^2)", {"a": (0, 4), "b": (0.1, 10, "log")}, outputs={"c": 4},
                       data={"observed": [2, 2.5, 3, 3.25]}, seed=11, budget=11)
    study.optimize(h, callback=lambda study, trial: trial.number == 7)
    study.save(path.with_suffix(".gofh") / "study.db")
    from_program(path, build, 2)
    with gofh.Study.from_yaml(path) as study:
        study.optimize(h, callback=lambda study, trial: trial.number == 10)
        assert study.log == []  # it is the same problem to both
    from_program(path, build, 1)
    with gofh.Study.load(path.with_suffix(".gofh") / "study.db", read_only=True) as study:
        assert all(trial.state == "done" for trial in study.trials)
        return [tuple(trial.x.tolist()) for trial in study.trials]


def from_file(folder):
    """The package on the program's problem file."""
    path = folder / "again.yaml"
    path.write_text(PROBLEM)
    with gofh.Study.from_yaml(path) as study:
        return [tuple(trial.x.tolist()) for trial in study.optimize(h).history]


def test_library_program_and_package_suggest_the_same_points(tmp_path, build):
    package = from_package()
    assert len(package) == 11
    assert [tuple(map(float.hex, x)) for x in package] == [tuple(map(float.hex, x)) for x in from_library(tmp_path, build)]
    path = tmp_path / "problem.yaml"
    path.write_text(PROBLEM)
    assert package == from_program(path, build, 99)
    assert package == from_file(tmp_path)


def test_package_and_program_in_turns_suggest_what_one_alone_does(tmp_path, build):
    assert in_turns(tmp_path, build) == from_package()
