#!/usr/bin/env python3
"""The best values known of the problems mw01 .. mw53 within their boxes: what bench/problems/more_wild_optima.c has.

    bench/more_wild_optima.py [--starts N] [--problem K[,K]] > bench/problems/more_wild_optima.c && make format

N is 150 unless said otherwise. Needs NumPy and SciPy. The functions are written here a second time,
apart from those in C, from the formulas of More, Garbow and Hillstrom (ACM TOMS 7, 1981) and of
More and Wild (SIAM J. Optim. 20, 2009). SciPy's bounded least squares goes from N random points of
the box, from the start, and from what was found for the same function from another start;
derivatives are those of a complex step, exact to rounding. The best point is then polished by
Newton's method on the parameters that are not at a bound, with residuals in extended precision. A
value below 1e-20 is written as 0. On standard error: how many of the searches ended at the best
value.
"""
import argparse
import sys

import numpy as np
from scipy.optimize import least_squares

KOWALIK_U = (4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625)
KOWALIK_Y = (0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246)
BARD_Y = (0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.1, 4.39)
MEYER_Y = (34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872)
OSBORNE1_Y = (844, 908, 932, 936, 925, 908, 881, 850, 818, 784, 751, 718, 685, 658, 628, 603, 580, 558, 538, 522, 506,
              490, 478, 467, 457, 448, 438, 431, 424, 420, 414, 411, 406)
OSBORNE2_Y = (1366, 1191, 1112, 1013, 991, 885, 831, 847, 786, 725, 746, 679, 608, 655, 616, 606, 602, 626, 651, 724,
              649, 649, 694, 644, 624, 661, 612, 558, 533, 495, 500, 423, 395, 375, 372, 391, 396, 405, 428, 429, 523,
              562, 607, 653, 672, 708, 633, 668, 645, 632, 591, 559, 597, 625, 739, 710, 729, 720, 636, 581, 428, 292,
              162, 98, 54)


def long(values):
    """Decimal fractions as they are written, in extended precision where x has it."""
    return np.array([np.longdouble(repr(v)) for v in values])


def count(m, first=1):
    return np.arange(first, first + m).astype(np.longdouble)


def linear_full_rank(x, m):
    return np.concatenate([x, np.zeros(m - len(x))]) - 2 * x.sum() / m - 1


def linear_rank_one(x, m):
    return count(m) * (count(len(x)) * x).sum() - 1


def linear_zeros(x, m):
    factor = count(m) - 1
    factor[-1] = 0
    return factor * (count(len(x)) * x)[1:-1].sum() - 1


def rosenbrock(x, m):
    return np.array([10 * (x[1] - x[0]**2), 1 - x[0]])


def helical_valley(x, m):
    half_turn = 0.5 if x[0].real < 0 else 0
    turns = np.arctan(x[1] / x[0]) / (8 * np.arctan(np.longdouble(1))) + half_turn
    return np.array([10 * (x[2] - 10 * turns), 10 * (np.sqrt(x[0]**2 + x[1]**2) - 1), x[2]])


def powell_singular(x, m):
    return np.array([x[0] + 10 * x[1], np.sqrt(np.longdouble(5)) * (x[2] - x[3]), (x[1] - 2 * x[2])**2,
                     np.sqrt(np.longdouble(10)) * (x[0] - x[3])**2])


def freudenstein_roth(x, m):
    return np.array([x[0] - x[1]**3 + 5 * x[1]**2 - 2 * x[1] - 13, x[0] + x[1]**3 + x[1]**2 - 14 * x[1] - 29])


def bard(x, m):
    u = count(m)
    v = 16 - u
    return long(BARD_Y) - x[0] - u / (v * x[1] + np.minimum(u, v) * x[2])


def kowalik_osborne(x, m):
    u = long(KOWALIK_U)
    return long(KOWALIK_Y) - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3])


def meyer(x, m):
    return x[0] * np.exp(x[1] / (45 + 5 * count(m) + x[2])) - MEYER_Y


def watson(x, m):
    t, j = count(29)[:, None] / 29, np.arange(len(x))
    slope = (j[1:] * x[1:] * t**(j[1:] - 1)).sum(axis=1)
    return np.concatenate([slope - (x * t**j).sum(axis=1)**2 - 1, [x[0], x[1] - x[0]**2 - 1]])


def box_3d(x, m):
    t = count(m) / 10
    return np.exp(-t * x[0]) - np.exp(-t * x[1]) - x[2] * (np.exp(-t) - np.exp(-10 * t))


def jennrich_sampson(x, m):
    i = count(m)
    return 2 + 2 * i - np.exp(i * x[0]) - np.exp(i * x[1])


def brown_dennis(x, m):
    t = count(m) / 5
    return (x[0] + t * x[1] - np.exp(t))**2 + (x[2] + x[3] * np.sin(t) - np.cos(t))**2


def chebyquad(x, m):
    z, rows = 2 * x - 1, []
    before, now = np.ones_like(z), z
    for i in range(1, m + 1):
        integral = 0 if i % 2 else -1 / (np.longdouble(i) * i - 1)
        rows.append(now.mean() - integral)
        before, now = now, 2 * z * now - before
    return np.array(rows)


def brown_almost_linear(x, m):
    return np.append(x[:-1] + x.sum() - (len(x) + 1), x.prod() - 1)


def osborne1(x, m):
    t = 10 * count(m, 0)
    return long(OSBORNE1_Y) / 1000 - x[0] - x[1] * np.exp(-t * x[3]) - x[2] * np.exp(-t * x[4])


def osborne2(x, m):
    t = count(m, 0) / 10
    peaks = [x[k] * np.exp(-x[k + 4] * (t - x[k + 7])**2) for k in (1, 2, 3)]
    return long(OSBORNE2_Y) / 1000 - x[0] * np.exp(-t * x[4]) - sum(peaks)


def bdqrtic(x, m):
    k = len(x) - 4
    quadratic = x[:k]**2 + 2 * x[1:k + 1]**2 + 3 * x[2:k + 2]**2 + 4 * x[3:k + 3]**2 + 5 * x[-1]**2
    return np.concatenate([3 - 4 * x[:k], quadratic])


def cube(x, m):
    return np.append(x[:1] - 1, 10 * (x[1:] - x[:-1]**3))


def mancino_sum(x):
    i = count(len(x))
    v = np.sqrt(x[:, None]**2 + i[:, None] / i)
    angle = np.log(v)
    return (v * (np.sin(angle)**5 + np.cos(angle)**5)).sum(axis=1)


def mancino(x, m):
    return 1400 * x + (count(len(x)) - 50)**3 + mancino_sum(x)


def heart(x, m):
    """Moments: x[0] + x[1] and the like are the real and imaginary parts of a z^k + b w^k, k = 0 .. 3."""
    a, b, c, d, t, u, v, w = x
    return np.array([
        a + b + np.longdouble("0.69"), c + d + np.longdouble("0.044"),
        t * a + u * b - v * c - w * d + np.longdouble("1.57"), v * a + w * b + t * c + u * d + np.longdouble("1.31"),
        a * (t**2 - v**2) - 2 * c * t * v + b * (u**2 - w**2) - 2 * d * u * w + np.longdouble("2.65"),
        c * (t**2 - v**2) + 2 * a * t * v + d * (u**2 - w**2) + 2 * b * u * w - 2,
        a * t * (t**2 - 3 * v**2) + c * v * (v**2 - 3 * t**2) + b * u * (u**2 - 3 * w**2)
        + d * w * (w**2 - 3 * u**2) + np.longdouble("12.6"),
        c * t * (t**2 - 3 * v**2) - a * v * (v**2 - 3 * t**2) + d * u * (u**2 - 3 * w**2)
        - b * w * (w**2 - 3 * u**2) - np.longdouble("9.48")])


FUNCTIONS = (linear_full_rank, linear_rank_one, linear_zeros, rosenbrock, helical_valley, powell_singular,
             freudenstein_roth, bard, kowalik_osborne, meyer, watson, box_3d, jennrich_sampson, brown_dennis, chebyquad,
             brown_almost_linear, osborne1, osborne2, bdqrtic, cube, mancino, heart)
STARTS = {4: (-1.2, 1), 5: (-1, 0, 0), 6: (3, -1, 0, 1), 7: (0.5, -2), 8: (1, 1, 1), 9: (0.25, 0.39, 0.415, 0.39),
          10: (0.02, 4000, 250), 12: (0, 10, 20), 13: (0.3, 0.4), 14: (25, 5, -5, -1), 17: (0.5, 1.5, 1, 0.01, 0.02),
          18: (1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5),
          22: (-0.3, -0.39, 0.3, -0.344, -1.2, 2.69, 1.59, -1.5)}
# function from 1, n, m, factor of the start
ROWS = [(1, 9, 45, 1), (1, 9, 45, 10), (2, 7, 35, 1), (2, 7, 35, 10), (3, 7, 35, 1), (3, 7, 35, 10), (4, 2, 2, 1),
        (4, 2, 2, 10), (5, 3, 3, 1), (5, 3, 3, 10), (6, 4, 4, 1), (6, 4, 4, 10), (7, 2, 2, 1), (7, 2, 2, 10),
        (8, 3, 15, 1), (8, 3, 15, 10), (9, 4, 11, 1), (10, 3, 16, 1), (11, 6, 31, 1), (11, 6, 31, 10), (11, 9, 31, 1),
        (11, 9, 31, 10), (11, 12, 31, 1), (11, 12, 31, 10), (12, 3, 10, 1), (13, 2, 10, 1), (14, 4, 20, 1),
        (14, 4, 20, 10), (15, 6, 6, 1), (15, 7, 7, 1), (15, 8, 8, 1), (15, 9, 9, 1), (15, 10, 10, 1), (15, 11, 11, 1),
        (16, 10, 10, 1), (17, 5, 33, 1), (18, 11, 65, 1), (18, 11, 65, 10), (19, 8, 8, 1), (19, 10, 12, 1),
        (19, 11, 14, 1), (19, 12, 16, 1), (20, 5, 5, 1), (20, 6, 6, 1), (20, 8, 8, 1), (21, 5, 5, 1), (21, 5, 5, 10),
        (21, 8, 8, 1), (21, 10, 10, 1), (21, 12, 12, 1), (21, 12, 12, 10), (22, 8, 8, 1), (22, 8, 8, 10)]


def start_of(function, n, factor):
    if function in STARTS:
        x = np.array(STARTS[function], dtype=float)
    elif function == 15:
        x = np.arange(1, n + 1) / (n + 1)
    elif function == 21:
        x = -8.710996e-4 * ((np.arange(1, n + 1) - 50.0)**3 + mancino_sum(np.zeros(n)).astype(float))
    else:
        x = np.full(n, 0.5 if function in (11, 16, 20) else 1.0)
    return factor * x


class Problem:
    def __init__(self, number):
        self.number = number
        function, self.n, self.m, factor = ROWS[number - 1]
        self.base, self.function = function, FUNCTIONS[function - 1]
        self.start = start_of(function, self.n, factor)
        half = 2.5 * np.maximum(1, np.abs(self.start))
        self.lower, self.upper = self.start - half, self.start + half

    def residuals(self, x):
        with np.errstate(all="ignore"):
            return self.function(np.asarray(x, dtype=np.longdouble), self.m)

    def value(self, x):
        return (self.residuals(x)**2).sum()

    def jacobian(self, x):
        """By a complex step of 1e-40, too small to be seen in the real parts."""
        columns = []
        for k in range(self.n):
            point = np.asarray(x).astype(np.clongdouble)
            point[k] += 1e-40j
            with np.errstate(all="ignore"):
                columns.append(self.function(point, self.m).imag / np.longdouble(1e-40))
        return np.array(columns).T

    def gradient(self, x):
        return 2 * self.jacobian(x).T @ self.residuals(x)

    def search(self, start):
        """A local minimiser in the box; None where an evaluation overflows."""
        margin = 1e-9 * (self.upper - self.lower)
        inside = np.clip(start, self.lower + margin, self.upper - margin)
        try:
            with np.errstate(all="ignore"):
                return least_squares(lambda x: self.residuals(x).astype(float), inside,
                                     jac=lambda x: self.jacobian(x).astype(float), x_scale=self.upper - self.lower,
                                     bounds=(self.lower, self.upper), xtol=1e-15, ftol=1e-15, gtol=1e-15,
                                     max_nfev=400).x
        except (ValueError, np.linalg.LinAlgError):
            return None

    def polish(self, x):
        """Newton's method in extended precision on what is not held at a bound; never uphill."""
        x = np.asarray(x, dtype=np.longdouble)
        width = self.upper - self.lower
        for side in (self.lower, self.upper):
            x = np.where(np.abs(x - side) < 1e-7 * width, side, x)
        for _ in range(200):
            value, gradient = self.value(x), self.gradient(x)
            free = ~((x <= self.lower) & (gradient > 0) | (x >= self.upper) & (gradient < 0))
            hessian = np.zeros((self.n, self.n))
            for k in range(self.n):
                step = np.longdouble(1e-7) * max(1, abs(x[k]))
                ahead, behind = x.copy(), x.copy()
                ahead[k] += step
                behind[k] -= step
                hessian[:, k] = (self.gradient(ahead) - self.gradient(behind)) / (2 * step)
            scale = 1 / np.sqrt(np.maximum(np.abs(np.diag(hessian)), 1e-300))[free]
            matrix = (hessian[np.ix_(free, free)] * scale * scale[:, None]).astype(float)
            matrix = (matrix + matrix.T) / 2
            moved = False
            for damping in (0, 1e-12, 1e-9, 1e-6, 1e-3, 1, 1e3):
                values, vectors = np.linalg.eigh(matrix)
                values = np.maximum(np.abs(values), 1e-15) + damping
                step = np.zeros(self.n, dtype=np.longdouble)
                step[free] = -scale * (vectors @ ((vectors.T @ (scale * gradient[free]).astype(float)) / values))
                trial = np.clip(x + step, self.lower, self.upper)
                if self.value(trial) < value:
                    x, moved = trial, True
                    break
            if not moved:
                break
        return x


def best_of(problem, starts, others):
    generator = np.random.default_rng(problem.number)
    width = problem.upper - problem.lower
    points = [problem.start, *others]
    points += [problem.lower + width * generator.random(problem.n) for _ in range(starts)]
    points += [problem.start + 0.1 * width * generator.uniform(-1, 1, problem.n) for _ in range(starts // 4)]
    found = [x for x in map(problem.search, points) if x is not None]
    found.sort(key=problem.value)
    values = [float(problem.value(x)) for x in found]
    near = sum(value <= 1.0001 * values[0] + 1e-12 for value in values)
    x = min((problem.polish(x) for x in found[:5]), key=problem.value)
    return x, near, len(found)


def written(values):
    """Numbers for C, in lines of at most 100 columns."""
    lines, line = [], "    "
    for text in (f"{float(value):.17g}" for value in values):
        if len(line) + len(text) + 2 > 100:
            lines.append(line.rstrip())
            line = "    "
        line += text + ", "
    return "\n".join([*lines, line.rstrip(", ")])


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--starts", type=int, default=150)
    parser.add_argument("--problem", type=lambda text: list(map(int, text.split(","))), default=range(1, 54))
    options = parser.parse_args(arguments)
    pool, results = {}, {}
    for number in options.problem:
        problem = Problem(number)
        key = problem.base, problem.n
        x, near, searches = best_of(problem, options.starts, pool.get(key, []))
        pool.setdefault(key, []).append(np.asarray(x, dtype=float))
        x = np.clip(np.asarray(x, dtype=float), problem.lower, problem.upper)
        value = problem.value(x)
        results[number] = 0.0 if value < 1e-20 else float(value), x
        at_bounds = int(((x <= problem.lower) | (x >= problem.upper)).sum())
        print(f"mw{number:02d}: f(x0) {float(problem.value(problem.start)):.5e}, best {float(value):.5e}, "
              f"found by {near} of {searches} searches, {at_bounds} parameters at a bound",
              file=sys.stderr, flush=True)
    print("/* Written by bench/more_wild_optima.py: the best values known within the boxes, and where they are. */")
    print('#include "bench/problems/more_wild.h"\n\nconst more_wild_optimum bench_more_wild_optima[MORE_WILD_COUNT] = {')
    for number, (value, x) in results.items():
        print(f"    {{{value:.17g},\n     {{{written(x).strip()}}}}},")
    print("};")


if __name__ == "__main__":
    main(sys.argv[1:])
