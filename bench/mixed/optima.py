#!/usr/bin/env python3
"""The optima of the designs with discrete parameters (bench/problems/mixed.c), by other means than gofh's.

    bench/mixed/optima.py

All values of the discrete parameters are tried. What is continuous then is solved exactly: of the spring and the
beam, one parameter, in which the cost grows, so that the least feasible one is wanted; of the vessel the radius, for
the volume says the length; of the speed reducer six of them, by SciPy's SLSQP from many starts. The formulas are
written down once more here, from the publications. Needs NumPy and SciPy.
"""
import itertools
import math

import numpy as np
from scipy.optimize import brentq, minimize, minimize_scalar

WIRES = [
    0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015, 0.0162, 0.0173, 0.018, 0.020, 0.023, 0.025, 0.028, 0.032,
    0.035, 0.041, 0.047, 0.054, 0.063, 0.072, 0.080, 0.092, 0.105, 0.120, 0.135, 0.148, 0.162, 0.177, 0.192, 0.207, 0.225,
    0.244, 0.263, 0.283, 0.307, 0.331, 0.362, 0.394, 0.4375, 0.500,
]  # fmt: skip
SIXTEENTHS = [i / 16 for i in range(1, 321)]


def least_feasible(margin, low, high, points=400):
    """The least x in [low, high] where the margin is 0 or above, or None."""
    if low > high:
        return None
    grid = np.linspace(low, high, points)
    held = [margin(x) >= 0 for x in grid]
    if held[0]:
        return low
    if True not in held:
        return None
    i = held.index(True)
    return brentq(margin, grid[i - 1], grid[i], xtol=1e-15, rtol=1e-15)


def vessel():
    best = (math.inf,)
    for shell, head in itertools.product(SIXTEENTHS[:99], SIXTEENTHS[:99]):
        top = min(shell / 0.0193, head / 0.00954, 200.0)

        def length(radius):
            return max(10.0, (1296000 - 4 / 3 * math.pi * radius**3) / (math.pi * radius**2))

        def cost(radius):
            x = length(radius)
            if x > 200 * (1 + 1e-15):
                return 1e9 * x
            return 0.6224 * shell * radius * x + 1.7781 * head * radius**2 + 3.1661 * shell**2 * x + 19.84 * shell**2 * radius

        if top < 10 or length(top) > 200:
            continue
        low = brentq(lambda r: length(r) - 200, 10, top) if length(10) > 200 else 10.0
        for radius in (low, top, minimize_scalar(cost, bounds=(low, top), method="bounded", options={"xatol": 1e-12}).x):
            best = min(best, (cost(radius), shell, head, radius, length(radius)))
    return best


def reducer():
    best = (math.inf,)
    bounds = [(2.6, 3.6), (0.7, 0.8), (7.3, 8.3), (7.3, 8.3), (2.9, 3.9), (5, 5.5)]
    draw = np.random.default_rng(1)
    for z in range(17, 29):

        def cost(x):
            b, m, l1, l2, d1, d2 = x
            return (0.7854 * b * m**2 * (3.3333 * z**2 + 14.9334 * z - 43.0934) - 1.508 * b * (d1**2 + d2**2)
                    + 7.4777 * (d1**3 + d2**3) + 0.7854 * (l1 * d1**2 + l2 * d2**2))

        def margins(x):
            b, m, l1, l2, d1, d2 = x
            return 1 - np.array([
                27 / (b * m**2 * z), 397.5 / (b * m**2 * z**2), 1.93 * l1**3 / (m * z * d1**4), 1.93 * l2**3 / (m * z * d2**4),
                math.sqrt((745 * l1 / (m * z)) ** 2 + 16.9e6) / (110 * d1**3),
                math.sqrt((745 * l2 / (m * z)) ** 2 + 157.5e6) / (85 * d2**3), m * z / 40, 5 * m / b, b / (12 * m),
                (1.5 * d1 + 1.9) / l1, (1.1 * d2 + 1.9) / l2])

        for _ in range(10):
            start = [draw.uniform(*pair) for pair in bounds]
            found = minimize(lambda x: cost(x) / 3000, start, method="SLSQP", bounds=bounds,
                             constraints={"type": "ineq", "fun": margins}, options={"ftol": 1e-13, "maxiter": 500})
            if margins(found.x).min() > -1e-9:
                b, m, *rest = found.x
                best = min(best, (float(cost(found.x)), b, m, z, *rest))
    return best


def spring():
    best = (math.inf,)
    force, strength, preload, shear = 1000.0, 189000.0, 300.0, 11.5e6
    for wire, turns in itertools.product(WIRES, range(1, 71)):
        if wire < 0.2:
            continue

        def margin(coil):
            index = coil / wire
            factor = (4 * index - 1) / (4 * index - 4) + 0.615 / index
            stiffness = shear * wire**4 / (8 * turns * coil**3)
            return min(1 - 8 * factor * force * coil / (math.pi * wire**3 * strength),
                       1 - (force / stiffness + 1.05 * (turns + 2) * wire) / 14, 1 - preload / stiffness / 6,
                       ((force - preload) / stiffness - 1.25) / 1.25)

        coil = least_feasible(margin, max(0.6, 3 * wire), 3 - wire)
        if coil is not None:
            best = min(best, (math.pi**2 * coil * wire**2 * (turns + 2) / 4, wire, coil, turns))
    return best


def beam():
    best = (math.inf,)
    load, span = 6000.0, 14.0
    materials = [(0.1047, 0.0481, 30e3, 30e6, 12e6), (0.0489, 0.0224, 8e3, 14e6, 6e6), (0.5235, 0.2405, 5e3, 10e6, 4e6),
                 (0.5584, 0.2566, 8e3, 16e6, 6e6)]
    for number, (labour, price, strength, young, shear) in enumerate(materials):
        for t, b in itertools.product([x for x in SIXTEENTHS if 2 <= x <= 20], [x for x in SIXTEENTHS if x <= 2]):
            buckling = 4.013 * t * b**3 * math.sqrt(young * shear) / (6 * span**2) * (1 - t / (4 * span) * math.sqrt(young / shear))
            if (6 * load * span / (t**2 * b) > strength or 4 * load * span**3 / (young * t**3 * b) > 0.25 or buckling < load
                    or price * t * b * span > best[0]):
                continue
            for joint, h in itertools.product((0, 1), [x for x in SIXTEENTHS if x <= b]):

                def margin(l):
                    two = math.sqrt(2) * h * l * ((h + t) ** 2 / 4 + l**2 / 12)
                    four = two + math.sqrt(2) * h * t * ((h + l) ** 2 / 4 + t**2 / 12)
                    area = math.sqrt(2) * h * (l + joint * t)
                    far = 0.5 * (max(math.hypot(l, h + t), math.hypot(t, h + l)) if joint else math.hypot(l, h + t))
                    direct, twist = load / area, load * (span + l / 2) * far / (four if joint else two)
                    stress = math.sqrt(direct**2 + twist**2 + direct * twist * l / far)
                    return 1 - stress / (0.577 * strength)

                l = least_feasible(margin, 0.1, 10.0)
                if l is not None:
                    cost = (1 + labour) * h**2 * (l + joint * t) + price * t * b * (span + l)
                    best = min(best, (cost, joint, number, h, l, t, b))
    return best


if __name__ == "__main__":
    for solve in (vessel, reducer, spring, beam):
        cost, *x = solve()
        print(f"{solve.__name__:8s} {cost!r:20}  at {', '.join(repr(float(value)) for value in x)}", flush=True)
