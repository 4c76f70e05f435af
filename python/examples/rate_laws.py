#!/usr/bin/env python3
"""Which rate law, of which order, and with what constants? A batch reaction is measured at 8 times. The law is one of
three, its order a whole number; both are found beside the two constants that go with them."""
import numpy as np

import gofh

TIMES = np.array([0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0])
LAWS = ["power", "inhibited", "autocatalytic"]


def rate(law: str, order: int, k: float, a: float, c: float) -> float:
    if law == "power":
        return k * c**order
    if law == "inhibited":
        return k * c**order / (1 + a * c)
    return k * c**order * (0.05 + a * (1 - c))


def concentrations(law: str, order: int, k: float, a: float) -> np.ndarray:
    """From 1 on, by the classical Runge-Kutta method."""
    found, c, t = [], 1.0, 0.0
    for end in TIMES:
        steps = max(1, round(20 * (end - t)))
        h = (end - t) / steps
        for _ in range(steps):
            k1 = -rate(law, order, k, a, c)
            k2 = -rate(law, order, k, a, c + h / 2 * k1)
            k3 = -rate(law, order, k, a, c + h / 2 * k2)
            k4 = -rate(law, order, k, a, c + h * k3)
            c = max(c + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), 0.0)
        t = end
        found.append(c)
    return np.array(found)


def calibrate(seed: int = 1) -> gofh.Result:
    measured = concentrations("inhibited", 2, 0.8, 3.0)
    return gofh.minimize(
        lambda x: concentrations(LAWS[int(x[0])], int(x[1]), x[2], x[3]),
        "sum((y - measured)^2)",
        {"law": LAWS, "order": range(1, 4), "k": (0.01, 10, "log"), "a": (0.1, 10, "log")},
        data={"measured": measured}, budget=60, seed=seed, outputs=len(TIMES),
    )


if __name__ == "__main__":
    result = calibrate()
    print(f"{len(result.study)} evaluations: f = {result.fun:.2e} at {result.study.named(result.x)}")
