"""What Study.ask costs more than gofh_study_ask, on the environmental problem. `make bench-python` runs it.

    ask.py LIBRARY    LIBRARY: libgofh.so, of the same sources as the package

Both studies go side by side with the same seed, so that they compute the same suggestions and meet the same moods of the
machine; the time is the processor's, of this thread.
"""
import ctypes
import sys
import time

import numpy as np

import gofh

EVALUATIONS, SEEDS = 40, 3


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class LibraryStudy:
    """A study of the C library, called as C does."""

    def __init__(self, library, problem, seed):
        self._library = library
        library.gofh_problem_create.restype = ctypes.c_void_p
        told = ctypes.c_void_p(library.gofh_problem_create())
        for name, (lower, upper, scale) in problem.bounds.items():
            library.gofh_problem_add_parameter(told, name.encode(), ctypes.c_double(lower), ctypes.c_double(upper),
                                               int(scale == "log"))
        library.gofh_problem_set_outputs(told, problem.m)
        for name, values in problem.data.items():
            library.gofh_problem_set_data(told, name.encode(), pointer(values), values.size)
        library.gofh_problem_maximize(told, problem.objective.encode())
        settings = (ctypes.c_uint64 * 512)()  # begins with its size and the seed
        library.gofh_settings_defaults(ctypes.byref(settings))
        settings[1] = seed
        self._study = ctypes.c_void_p()
        if library.gofh_study_create(ctypes.byref(self._study), told, ctypes.byref(settings), None):
            raise RuntimeError("the library refused the problem")
        library.gofh_problem_free(told)
        self._trial = ctypes.c_int64()
        self._x = np.empty(problem.d)
        self._call = library.gofh_study_ask
        self._arguments = self._study, ctypes.byref(self._trial), pointer(self._x)

    def ask(self):
        """The point and the nanoseconds of the call alone."""
        call, arguments = self._call, self._arguments
        began = time.thread_time_ns()
        status = call(*arguments)
        spent = time.thread_time_ns() - began
        assert status == 0
        return self._x.copy(), spent

    def tell(self, y):
        assert self._library.gofh_study_tell(self._study, self._trial, pointer(y)) == 0

    def close(self):
        self._library.gofh_study_free(self._study)


def ask(study):
    """The trial and the nanoseconds of Study.ask."""
    began = time.thread_time_ns()
    trial = study.ask()
    return trial, time.thread_time_ns() - began


def compare(library, problem, seed):
    """Nanoseconds in the C call and in Study.ask, beyond the initial design."""
    theirs, ours = LibraryStudy(library, problem, seed), problem.study(seed=seed)
    spent = np.zeros(2)
    for number in range(EVALUATIONS):
        if number % 2:  # whoever comes second finds the caches warm
            (x, in_call), (trial, in_python) = theirs.ask(), ask(ours)
        else:
            (trial, in_python), (x, in_call) = ask(ours), theirs.ask()
        assert x.tobytes() == trial.x.tobytes(), "the package and the library disagree"
        y = problem.h(x)
        theirs.tell(y)
        ours.tell(trial, y)
        if number >= problem.initial:
            spent += in_call, in_python
    theirs.close()
    return spent


def main(path):
    library, problem = ctypes.CDLL(path), gofh.problems.load("environment")
    spent = sum(compare(library, problem, seed) for seed in range(1, SEEDS + 1))
    suggestions = SEEDS * (EVALUATIONS - problem.initial)
    in_call, in_python = spent / suggestions
    print(f"environmental problem, {suggestions} suggestions: gofh_study_ask {in_call / 1e6:.3f} ms, "
          f"Study.ask {in_python / 1e6:.3f} ms, ratio {in_python / in_call:.4f}")


if __name__ == "__main__":
    main(sys.argv[1])
