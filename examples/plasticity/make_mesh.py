#!/usr/bin/env python3
"""Prints the mesh of a beam for CalculiX, bricks of 20 nodes: make_mesh.py > mesh.inp"""

COUNTS = (6, 1, 2)  # bricks along x, y, z
SIZE = (100.0, 10.0, 10.0)  # mm

# The places of a brick's nodes in CalculiX's order, in halves of its edges: corners, then the middles of edges.
PLACES = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2),
          (1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2),
          (0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]


def bricks():
    for i in range(COUNTS[0]):
        for j in range(COUNTS[1]):
            for k in range(COUNTS[2]):
                yield [(2 * i + a, 2 * j + b, 2 * k + c) for a, b, c in PLACES]


def main():
    numbers = {}
    for brick in bricks():
        for place in brick:
            numbers.setdefault(place, len(numbers) + 1)
    print("*NODE, NSET=ALL")
    for place, number in numbers.items():
        print(number, *(f"{p * s / (2 * n):g}" for p, s, n in zip(place, SIZE, COUNTS)), sep=", ")
    print("*ELEMENT, TYPE=C3D20R, ELSET=BEAM")
    for number, brick in enumerate(bricks(), 1):
        nodes = [str(numbers[place]) for place in brick]
        print(f"{number}, {', '.join(nodes[:10])},\n{', '.join(nodes[10:])}")
    for name, x in (("CLAMPED", 0), ("TIP", 2 * COUNTS[0])):
        print(f"*NSET, NSET={name}")
        for place, number in numbers.items():
            if place[0] == x:
                print(f"{number},")


if __name__ == "__main__":
    main()
