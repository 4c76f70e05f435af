"""The benchmark problems of gofh, by way of build/libgofh_bench.so: nothing is rewritten here."""
import ctypes
from pathlib import Path

import numpy as np

LIBRARY = Path(__file__).resolve().parents[2] / "build" / "libgofh_bench.so"


def _load():
    library = ctypes.CDLL(str(LIBRARY))
    library.gofh_bench_open.restype = ctypes.c_void_p
    library.gofh_bench_log_regret.restype = ctypes.c_double
    return library


def _pointer(array):
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


class Problem:
    """One replication's instance. Points are in the unit cube, logarithmic scales taken into account, as for gofh."""

    def __init__(self, name, rep, one_draw=False):
        self._library = _load()
        self._instance = ctypes.c_void_p(self._library.gofh_bench_open(name.encode(), rep, int(one_draw)))
        if not self._instance:
            raise ValueError(f'there is no problem "{name}"')
        self.name, self.rep = name, rep
        shape = [ctypes.c_int() for _ in range(5)]
        self._library.gofh_bench_shape(self._instance, *map(ctypes.byref, shape))
        self.d, self.m, self.initial, self.maximise, self.least_squares = (value.value for value in shape)
        self.lower, self.upper = np.empty(self.d), np.empty(self.d)
        logarithmic = np.empty(self.d, dtype=np.intc)
        self._library.gofh_bench_bounds(self._instance, *map(_pointer, (self.lower, self.upper, logarithmic)))
        self.logarithmic = logarithmic.astype(bool)

    def close(self):
        self._library.gofh_bench_close(self._instance)
        self._instance = None

    def _ends(self):
        return (np.where(self.logarithmic, np.log(np.where(self.logarithmic, bound, 1.0)), bound)
                for bound in (self.lower, self.upper))

    def to_user(self, u):
        low, high = self._ends()
        x = low + (high - low) * np.clip(u, 0.0, 1.0)
        return np.clip(np.where(self.logarithmic, np.exp(np.where(self.logarithmic, x, 0.0)), x), self.lower, self.upper)

    def to_unit(self, x):
        low, high = self._ends()
        return (np.where(self.logarithmic, np.log(np.where(self.logarithmic, x, 1.0)), x) - low) / (high - low)

    def design(self, seed):
        """The initial design that gofh's own methods start from, in the user's units."""
        x = np.empty((self.initial, self.d))
        if self._library.gofh_bench_design(self._instance, ctypes.c_uint64(seed), self.rep, _pointer(x)):
            raise RuntimeError("the initial design failed")
        return x

    def observe(self, x, evaluation):
        """h(x), or None where the evaluation fails. evaluation counts from 1, the initial design included."""
        x, y = np.ascontiguousarray(x, dtype=float), np.empty(self.m)
        failed = self._library.gofh_bench_observe(self._instance, _pointer(x), ctypes.c_int64(evaluation), _pointer(y))
        return None if failed or not np.isfinite(y).all() else y

    def outer(self, y, x, gradient=False):
        """g of y (count x m) at x (count x d), to be maximised; with its gradients in y and x if asked for."""
        y, x = np.ascontiguousarray(y, dtype=float), np.ascontiguousarray(x, dtype=float)
        value = np.empty(len(y))
        dy, dx = (np.zeros_like(y), np.zeros_like(x)) if gradient else (None, None)
        if self._library.gofh_bench_outer(self._instance, _pointer(y), _pointer(x), len(y), *map(_pointer, (value, dy, dx))):
            raise RuntimeError("g failed")
        sign = 1.0 if self.maximise else -1.0
        return (sign * value, sign * dy, sign * dx) if gradient else sign * value

    def residuals(self, y):
        y, residual = np.ascontiguousarray(y, dtype=float), np.empty(self.m)
        self._library.gofh_bench_residuals(self._instance, _pointer(y), _pointer(residual))
        return residual

    def log_regret(self, x):
        x = np.ascontiguousarray(x, dtype=float)
        return self._library.gofh_bench_log_regret(self._instance, _pointer(x))
