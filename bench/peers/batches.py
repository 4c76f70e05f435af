#!/usr/bin/env python3
"""Batches of a peer (botorch-cf-q4, botorch-cf-q16, and botorch-cf, one at a time) as lines of `gofh bench batch`.

    bench/peers/batches.py PEERS.csv BATCH.csv

Adds what BATCH.csv lacks of the replications in PEERS.csv, a file of bench/peers/run.py; `gofh bench batch --csv BATCH.csv`
then prints one table of all. The design, 2(d+1) points for a peer, counts, in rounds of q; peers wait for the whole batch.
"""
import csv
import math
import os
import re
import sys

SOLVED = -8.0  # log10 of the regret, as in bench/batch.c
HEADER = "problem,method,mode,at_once,rep,evaluations,solved,rounds,log10_regret,closest,seconds\n"


def read(path):
    """(problem, method, rep): a list of (evaluation, log10 regret, seconds), in order."""
    runs = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = row["problem"], row["method"], int(row["rep"])
            runs.setdefault(key, []).append((int(row["evaluation"]), float(row["log10_regret_observed"]),
                                             float(row["seconds"] or 0.0)))
    return {key: sorted(rows) for key, rows in runs.items()}


def line(problem, method, rep, rows, initial):
    """Evaluations count from the design's last, which is 0."""
    base, size = re.fullmatch(r"(.*?)(?:-q(\d+))?", method).groups()
    at_once = int(size or 1)
    rounds_of_design = math.ceil(initial / at_once)
    solved = next((number for number, regret, _ in rows if regret <= SOLVED), None)
    last = rows[-1][0] if solved is None else solved
    rounds = rounds_of_design + math.ceil(max(last, 0) / at_once)
    seconds = max(sum(cost for number, _, cost in rows if first < number <= first + at_once)
                  for first in range(0, max(rows[-1][0], 1), at_once))
    return (f"{problem},{base},rounds,{at_once},{rep}", f",{initial + last},{0 if solved is None else initial + solved},{rounds},"
            f"{min(regret for _, regret, _ in rows):.4f},inf,{seconds:.3f}\n")


def main(peers, batch, initial):
    known = ""
    if os.path.exists(batch):
        with open(batch, encoding="utf-8") as file:
            known = file.read()
        if not known.startswith(HEADER):
            raise SystemExit(f"batches: {batch} is not a file of gofh bench batch")
    added = 0
    with open(batch, "a", encoding="utf-8") as file:
        if not known:
            file.write(HEADER)
        for (problem, method, rep), rows in sorted(read(peers).items()):
            begin, rest = line(problem, method, rep, rows, initial(problem))
            if begin + "," not in known:
                file.write(begin + rest)
                added += 1
    print(f"{added} replications were added to {batch}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    import gofh

    main(sys.argv[1], sys.argv[2], lambda name: gofh.problems.load(name).initial)
