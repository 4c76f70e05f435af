#!/usr/bin/env python3
"""An epidemic by Kermack and McKendrick's equations: epidemic.py PARAMETERS.json RESULTS.json

Of 10,000 people `first` are infected on day 0; each infects `contact` others a day while all are susceptible, and recovers at
the rate `recovery`. The results are the new cases of each of 30 days, of which a share `reported` is known."""
import json
import sys

PEOPLE, DAYS, STEPS = 10_000, 30, 20


def simulate(contact, recovery, reported):
    susceptible, infected = PEOPLE - 5.0, 5.0
    cases = []
    for _ in range(DAYS):
        new = 0.0
        for _ in range(STEPS):  # the midpoint rule
            half_new = contact * susceptible * infected / PEOPLE
            half_s = susceptible - 0.5 / STEPS * half_new
            half_i = infected + 0.5 / STEPS * (half_new - recovery * infected)
            rate = contact * half_s * half_i / PEOPLE
            susceptible -= rate / STEPS
            infected += (rate - recovery * half_i) / STEPS
            new += rate / STEPS
        cases.append(reported * new)
    return cases


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        parameters = json.load(file)
    with open(sys.argv[2], "w") as file:
        json.dump({"cases": simulate(**parameters)}, file)
