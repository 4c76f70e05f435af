"""Uses each library that the wheel brings along, and looks which ones are used. Argument: where the
wheel was unpacked."""
import ctypes
import sys
from pathlib import Path

import numpy as np

import gofh

home = Path(sys.argv[1]).resolve()
assert Path(gofh.__file__).is_relative_to(home), gofh.__file__

# Of these libraries, those of the wheel are used, and of OpenBLAS one copy.
mapped = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
bundled = {path for path in mapped if Path(path).is_relative_to(home / "gofh.libs")}
blas = [path for path in bundled if "libopenblas" in path]
assert len(blas) == 1, bundled
names = ("libopenblas", "liblapack", "libblas", "libsqlite3", "libfyaml", "libgfortran", "libtmglib")
strangers = [path for path in mapped - bundled if Path(path).name.startswith(names) and "numpy.libs" not in path]
assert not strangers, strangers

# OpenBLAS is held to one thread while a suggestion is computed, and gets back what it had.
openblas = ctypes.CDLL(blas[0])
openblas.openblas_set_num_threads(2)
threads = []


def misfit(y):
    threads.append(openblas.openblas_get_num_threads())
    return np.sum((y - 1) ** 2, axis=1)


result = gofh.minimize(lambda x: [x[0] + x[1], x[0] - x[1] ** 2], misfit, [(-2, 2), (-2, 2)], budget=12)
assert result.fun < 1e-6, result  # 0, at (1, 0) and (2, -1)
assert min(threads) == 1 and openblas.openblas_get_num_threads() == 2, threads
assert threads.count(1) > 100, threads.count(1)

# SQLite, and libfyaml.
Path("problem.yaml").write_text("parameters: {x: [0, 1]}\noutputs: {y: 1}\nobjective: {minimize: (y - 0.5)^2}\n")
with gofh.Study.from_yaml("problem.yaml", budget=6, stop="never") as study:
    study.optimize(lambda x: x[0])
with gofh.Study.from_yaml("problem.yaml", read_only=True) as study:
    assert len(study) == 6 and abs(study.best().x[0] - 0.5) < 1e-3
