#!/usr/bin/env bash
# libgofh_bench.so, which the peers use, has the problems and the initial designs of gofh bench run.
#
#   test_bench_library.sh GOFH LIBRARY
set -euo pipefail
gofh=$1
library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$gofh" bench run --quiet --problem gp2,rosenbrock,solar --method random --reps 2 --evals 0 --seed 7 --no-recommend \
    --csv "$work/results.csv"
python3 - "$library" "$work/results.csv" << 'PYTHON'
import csv
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.gofh_bench_open.restype = ctypes.c_void_p
library.gofh_bench_log_regret.restype = ctypes.c_double
assert not library.gofh_bench_open(b"nonsense", 1, 0)
compared = 0
for row in csv.DictReader(open(sys.argv[2], encoding="utf-8")):
    rep = int(row["rep"])
    problem = ctypes.c_void_p(library.gofh_bench_open(row["problem"].encode(), rep, 0))
    d, m, initial, maximise, least_squares = (ctypes.c_int() for _ in range(5))
    library.gofh_bench_shape(problem, *map(ctypes.byref, (d, m, initial, maximise, least_squares)))
    x = (ctypes.c_double * (initial.value * d.value))()
    assert library.gofh_bench_design(problem, ctypes.c_uint64(7), rep, x) == 0
    lower, upper = (ctypes.c_double * d.value)(), (ctypes.c_double * d.value)()
    logarithmic = (ctypes.c_int * d.value)()
    library.gofh_bench_bounds(problem, lower, upper, logarithmic)
    assert all(lower[i % d.value] <= x[i] <= upper[i % d.value] for i in range(len(x)))
    point = ctypes.c_double * d.value
    best = min(library.gofh_bench_log_regret(problem, point(*x[i * d.value:(i + 1) * d.value])) for i in range(initial.value))
    assert abs(best - float(row["log10_regret_observed"])) < 1e-6, (row, best)

    # Where g is least squares, its value is the sum of the squares of the residuals.
    y, residual, value = (ctypes.c_double * m.value)(), (ctypes.c_double * m.value)(), ctypes.c_double()
    assert library.gofh_bench_observe(problem, x, ctypes.c_int64(1), y) == 0
    assert library.gofh_bench_outer(problem, y, x, 1, ctypes.byref(value), None, None) == 0
    if least_squares.value:
        library.gofh_bench_residuals(problem, y, residual)
        squares = sum(r * r for r in residual)
        assert abs(squares - abs(value.value)) <= 1e-12 * squares, (squares, value.value)
    library.gofh_bench_close(problem)
    compared += 1
assert compared == 6, compared
PYTHON
