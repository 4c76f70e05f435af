"""What Study.ask costs more than gofh_study_ask, on the environmental problem. `make bench-python`
runs it.

    ask.py LIBRARY    LIBRARY: libgofh.so, of the same sources as the package

Times are the processor's, of this thread. What Python adds to a call is some microseconds: it is
measured where the library itself has next to nothing to do, on random points. Beside it, whole
suggestions by both, which go side by side with the same seed; a second study of the C library among
them shows how far such times can be trusted on the machine as it is.
"""
import ctypes
import sys
import time

import numpy as np

import gofh

EVALUATIONS, SEED = 40, 1
CALLS, REPETITIONS = 100, 30


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class LibraryStudy:
    """A study of the C library, called as C does."""

    def __init__(self, library, problem, seed, method=b"gofh"):
        self._library = library
        library.gofh_problem_create.restype = ctypes.c_void_p
        described = ctypes.c_void_p(library.gofh_problem_create())
        for name, (lower, upper, scale) in problem.bounds.items():
            library.gofh_problem_add_parameter(described, name.encode(), ctypes.c_double(lower), ctypes.c_double(upper),
                                               int(scale == "log"))
        library.gofh_problem_set_outputs(described, problem.m)
        for name, values in problem.data.items():
            library.gofh_problem_set_data(described, name.encode(), pointer(values), values.size)
        library.gofh_problem_maximize(described, problem.objective.encode())
        settings = (ctypes.c_uint64 * 512)()  # begins with its size, the seed, threads and budget, the method
        library.gofh_settings_defaults_sized(ctypes.byref(settings), ctypes.c_size_t(ctypes.sizeof(settings)))
        self._method = ctypes.create_string_buffer(method)
        settings[1], settings[2], settings[3] = seed, 1, ctypes.addressof(self._method)
        self._study = ctypes.c_void_p()
        if library.gofh_study_create(ctypes.byref(self._study), described, ctypes.byref(settings), None):
            raise RuntimeError("the library refused the problem")
        library.gofh_problem_free(described)
        self._trial = ctypes.c_int64()
        self._x = np.empty(problem.d)
        self._call = library.gofh_study_ask
        self._arguments = self._study, ctypes.byref(self._trial), pointer(self._x)

    def ask(self):
        """The point and the nanoseconds of the call itself."""
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
    """The point, the nanoseconds of Study.ask, and the trial."""
    began = time.thread_time_ns()
    trial = study.ask()
    spent = time.thread_time_ns() - began
    return trial.x, spent, trial


def added(library, problem):
    """Nanoseconds that Study.ask adds to the call, from the quickest of many rounds of each."""
    theirs, ours = LibraryStudy(library, problem, 1, b"random"), problem.study(seed=1, budget=0, method="random")
    rounds = [(sum(theirs.ask()[1] for _ in range(CALLS)), sum(ask(ours)[1] for _ in range(CALLS))) for _ in range(REPETITIONS)]
    in_call, in_python = np.min(rounds, axis=0) / CALLS
    theirs.close()
    return in_python - in_call


def side_by_side(library, problem):
    """Nanoseconds of each suggestion beyond the initial design: of the C call, of the same once
    more, and of Study.ask."""
    first, second = (LibraryStudy(library, problem, SEED) for _ in range(2))
    ours = problem.study(seed=SEED, budget=0)
    spent = []
    for number in range(EVALUATIONS):
        found = {}
        for who in np.roll([0, 1, 2], number):  # whoever comes later finds the caches warmer
            found[who] = ask(ours) if who == 2 else (first, second)[who].ask()
        x = found[0][0]
        assert x.tobytes() == found[2][0].tobytes(), "the package and the library disagree"
        y = problem.h(x)
        first.tell(y)
        second.tell(y)
        ours.tell(found[2][2], y)
        if number >= problem.initial:
            spent.append([found[who][1] for who in range(3)])
    first.close()
    second.close()
    return np.array(spent)


def main(path):
    library, problem = ctypes.CDLL(path), gofh.problems.load("environment")
    extra, spent = added(library, problem), side_by_side(library, problem)
    call = np.median(spent[:, 0])
    print(f"environmental problem: gofh_study_ask takes {call / 1e6:.1f} ms, to which Study.ask adds {extra / 1e3:.1f} us: "
          f"ratio {1 + extra / call:.5f}")
    print(f"side by side, medians of {len(spent)} suggestions: Study.ask to the C call {np.median(spent[:, 2] / spent[:, 0]):.3f}, "
          f"the C call to itself {np.median(spent[:, 1] / spent[:, 0]):.3f}")


if __name__ == "__main__":
    main(sys.argv[1])
