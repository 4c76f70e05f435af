"""What a peer evaluates, counted and recorded as gofh bench run does it."""
import time

import numpy as np


FLOOR = -16.0  # of log10 of the regret


class BudgetSpent(Exception):
    """Raised in the middle of a method when it asks for one evaluation more than it may have."""


class History:
    """The evaluations of one replication, in the unit cube: `initial` of them first, then as many as `evaluations`. The
    first ones are the initial design, from the problem's start if so wanted (start "design"), its start alone (start
    "alone": local methods need no design), or the first point of the design alone (start "first")."""

    def __init__(self, problem, seed, evaluations, start=None):
        self.problem = problem
        self.left = evaluations
        points = problem.start[None, :] if start == "alone" else problem.design(seed, start == "design")
        if start == "first":
            points = points[:1]
        self.initial, self.start = len(points), start
        self.u, self.y, self.f, self.regrets, self.seconds = [], [], [], [], []
        self.remark = ""  # what the method has to say of its run
        self._known = {}
        self._best = np.inf
        self._clock = None
        self.rows = []
        for x in points:
            self._evaluate(problem.to_unit(x), x)
            self.rows.append((self._best, 0.0))
        if problem.start is None:  # gofh bench run has rows of the design where there is a start
            del self.rows[:-1]
        self.start_choosing()

    def _evaluate(self, u, x):
        y = self.problem.observe(x, len(self.u) + 1)
        f = -np.inf if y is None else float(self.problem.outer(y[None, :], x[None, :])[0])
        self.u.append(np.array(u))
        self.y.append(y)
        self.f.append(f)
        self._known[np.asarray(u).tobytes()] = y
        if y is not None:
            self._best = min(self._best, self.problem.log_regret(x))
        return y

    @property
    def at_floor(self):
        """Whether no evaluation could lower the regret any more, as it is recorded."""
        return self._best <= FLOOR

    def start_choosing(self):
        self._clock = time.process_time()

    def evaluate(self, u):
        """h at u; None where it fails. Without noise what was evaluated before is free. Time since
        the last one counts as choosing."""
        u = np.clip(np.asarray(u, dtype=float), 0.0, 1.0)
        if u.tobytes() in self._known and not self.problem.noisy:
            return self._known[u.tobytes()]
        if self.left == 0:
            raise BudgetSpent
        seconds = time.process_time() - self._clock
        self.left -= 1
        y = self._evaluate(u, self.problem.to_user(u))
        self.rows.append((self._best, seconds))
        self.start_choosing()
        return y

    def starts(self, seed):
        """Where local methods start, one after another: what was evaluated at first, the best
        first, then random points."""
        for i in sorted(range(self.initial), key=lambda i: -self.f[i]):
            yield self.u[i]
        generator = np.random.default_rng([seed, self.problem.rep])
        while True:
            yield generator.random(self.problem.d)
