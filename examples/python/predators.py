#!/usr/bin/env python3
"""Hares and lynxes, by the equations of Lotka and Volterra: predators.py PARAMETERS RESULTS

PARAMETERS is a JSON object with birth, hunting, death and feeding, the four rates a year. RESULTS gets the thousands of
hares and of lynxes after 1, 2, ..., 12 years, from 34.9 and 3.86.
"""
import json
import sys

YEARS, STEPS = 12, 50  # Runge and Kutta's steps a year


def slope(state, rates):
    hares, lynxes = state
    return (hares * (rates["birth"] - rates["hunting"] * lynxes),
            lynxes * (rates["feeding"] * hares - rates["death"]))


def moved(state, step, direction):
    return [value + step * change for value, change in zip(state, direction)]


def step_forward(state, step, rates):
    first = slope(state, rates)
    second = slope(moved(state, step / 2, first), rates)
    third = slope(moved(state, step / 2, second), rates)
    fourth = slope(moved(state, step, third), rates)
    mean = [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(first, second, third, fourth)]
    return moved(state, step, mean)


def main():
    parameters, results = sys.argv[1:]
    with open(parameters) as file:
        rates = json.load(file)
    state, hares, lynxes = [34.9, 3.86], [], []
    for _ in range(YEARS):
        for _ in range(STEPS):
            state = step_forward(state, 1 / STEPS, rates)
        hares.append(state[0])
        lynxes.append(state[1])
    with open(results, "w") as file:
        json.dump({"hares": hares, "lynxes": lynxes}, file)


if __name__ == "__main__":
    main()
