"""The benchmark problems of gofh, as the peers see them: in the unit cube, and to be maximised."""
import numpy as np

import gofh


class Problem:
    """One replication's instance. Points are in the unit cube, logarithmic scales taken into
    account, as for gofh."""

    def __init__(self, name, rep, one_draw=False):
        self._problem = gofh.problems.load(name, rep)
        if self._problem.drawn and one_draw:
            self._problem = gofh.problems.load(name)
        self.name, self.rep = name, rep
        self.d, self.m, self.initial = self._problem.d, self._problem.m, self._problem.initial
        self.lower, self.upper, self.logarithmic = self._problem.lower, self._problem.upper, self._problem.logarithmic
        self.least_squares = self._problem.least_squares
        self.start = self._problem.start  # None where there is no such point
        self.noisy = self._problem.noise > 0  # every method that has an option for noise gets it
        self._sign = 1.0 if self._problem.sense == "maximize" else -1.0

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

    def design(self, seed, start=False):
        """The initial design that gofh's own methods start from, in the user's units; its first point is the start if so
        wanted."""
        return self._problem.design(seed, self.rep, start)

    def observe(self, x, evaluation):
        """h(x), or None where the evaluation fails. evaluation counts from 1, the initial design
        included."""
        try:
            y = self._problem.observe(x, evaluation)
        except ArithmeticError:
            return None
        return y if np.isfinite(y).all() else None

    def outer(self, y, x, gradient=False):
        """g of y (count x m) at x (count x d), to be maximised; with its gradients in y and x if
        asked for."""
        value = self._sign * self._problem.g(y, x)
        if not gradient:
            return value
        dy, dx = self._problem.gradient(y, x)
        return value, self._sign * dy, self._sign * dx

    def residuals(self, y):
        return self._problem.residuals(y)

    def log_regret(self, x):
        return self._problem.log_regret(x)
