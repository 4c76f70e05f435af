#!/usr/bin/env python3
"""Prints answer.json: what Chebyshev's filter of order 5 with 1 dB does at 2 MHz. No ladder of five lossless parts that
keeps to 1 dB at all frequencies up to 1 MHz does better."""
import json
import math

ORDER, RIPPLE, STOP = 5, 1.0, 2.0

# The elements of a ladder for 1 rad/s between 1 ohm and 1 ohm (Matthaei, Young and Jones, section 4.05).
beta = math.log(1 / math.tanh(RIPPLE / (40 / math.log(10))))
gamma = math.sinh(beta / (2 * ORDER))
a = [math.sin((2 * k - 1) * math.pi / (2 * ORDER)) for k in range(1, ORDER + 1)]
b = [gamma**2 + math.sin(k * math.pi / ORDER)**2 for k in range(1, ORDER + 1)]
g = [2 * a[0] / gamma]
for k in range(1, ORDER):
    g.append(4 * a[k - 1] * a[k] / (b[k - 1] * g[-1]))

omega = 2 * math.pi * 1e6
parts = {}
for k, value in enumerate(g, 1):
    name, unit = (f"C{k}", 1e-9 * 50) if k % 2 else (f"L{k}", 1e-6 / 50)
    parts[name] = float(f"{value / omega / unit:.5g}")
loss = 10 * math.log10(1 + (10**(RIPPLE / 10) - 1) * math.cosh(ORDER * math.acosh(STOP))**2)
print(json.dumps({"parameters": parts, "objective": round(loss, 4), "within": 0.01}))
