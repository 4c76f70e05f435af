#!/usr/bin/env python3
"""Colours that stand for different things look different, to people with red-green blindness too, and stand out from the
page.

    test_colours.py PALETTE
"""
import itertools
import re
import sys

# What is seen without one kind of cone: Machado, Oliveira and Fernandes (2009), of full severity, on linear RGB.
EYES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}
# They stand side by side in one chart. A difference of 10 (CIE 1976) is seen at a glance; glyphs and dashes differ too.
APART = ("model", "star", "local", "restart", "import", "design")
DIFFERENCE, CONTRAST = 20.0, 3.0  # the latter: WCAG 2 for graphics; greys of the background are meant to be faint


def linear(colour):
    if len(colour) == 4:
        colour = "#" + "".join(2 * c for c in colour[1:])
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def luminance(rgb):
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def lab(rgb):
    x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047
    z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (max(v, 0) for v in (x, luminance(rgb), z)))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(rgb, eye):
    return lab([sum(a * b for a, b in zip(row, rgb)) for row in eye])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        blocks = file.read().split("@media")
    failed = 0
    for theme, block in zip(("light", "dark"), blocks):
        colours = {n: linear(c) for n, c in re.findall(r"--(\w+): (#[0-9a-f]+)", block)}
        page = luminance(colours["paper"])
        for name in (*APART, "failed", "ink", "soft"):
            own = luminance(colours[name])
            contrast = (max(own, page) + 0.05) / (min(own, page) + 0.05)
            if contrast < CONTRAST:
                print(f"FAILED: {theme}: {name} on the page: contrast {contrast:.1f}")
                failed = 1
        for kind, eye in EYES.items():
            for a, b in itertools.combinations(APART, 2):
                pair = seen(colours[a], eye), seen(colours[b], eye)
                difference = sum((p - q) ** 2 for p, q in zip(*pair)) ** 0.5
                if difference < DIFFERENCE:
                    print(f"FAILED: {theme}: {a} and {b} with {kind}: difference {difference:.1f}")
                    failed = 1
    return failed


sys.exit(main())
