#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python3 datasets/make_near_far.py: writes datasets/near_far/near_far.csv.gz from the digits.

Digits 0 to 5 are normal. The other digits are near to them; textures of the same size, no writing at all, are far.
Whole numbers and a generator of its own, so that the rows are the same on every machine."""
import collections
import csv
import gzip
import io
import pathlib

SIDE, TOP, EACH = 8, 16, 60


def generator(state):
    """Numbers below n by a linear congruential generator (Numerical Recipes); its upper bits."""
    def below(n):
        nonlocal state
        state = (1664525 * state + 1013904223) % 2**32
        return (state >> 16) % n
    return below


def stripes(below):
    a, b = [(1, 0), (0, 1), (1, 1), (1, 7)][below(4)]
    width, shift = 1 + below(3), below(8)
    return lambda y, x: TOP * ((a * x + b * y + shift) // width % 2)


def checks(below):
    width, shift, turn = 1 + below(3), below(8), below(8)
    return lambda y, x: TOP * (((x + shift) // width + (y + turn) // width) % 2)


def ramps(below):
    a, b = [(2, 0), (0, 2), (1, 1), (-2, 0), (0, -2), (-1, -1), (1, -1), (-1, 1)][below(8)]
    low = min(0, 7 * a) + min(0, 7 * b)
    return lambda y, x: min(TOP, a * x + b * y - low)


def rings(below):
    top, left, width, shift = below(8), below(8), 6 + below(10), below(8)
    return lambda y, x: TOP * ((((x - left) ** 2 + (y - top) ** 2) // width + shift) % 2)


def noise(below):
    return lambda y, x: below(TOP + 1)


def textures():
    below = generator(1)
    for texture in (stripes, checks, ramps, rings, noise):
        for _ in range(EACH):
            shade = texture(below)
            # A little noise, so that no picture is there twice.
            values = [shade(y, x) + below(3) - 1 for y in range(SIDE) for x in range(SIDE)]
            # One kind is for choosing thresholds and options, as one of the near digits is.
            yield [texture.__name__, "validate" if texture is noise else "test", "far",
                   *(min(TOP, max(0, value)) for value in values)]


def digits(rows):
    total = collections.Counter(row[0] for row in rows)
    seen = collections.Counter()
    for digit, *values in rows:
        place = seen[digit]
        seen[digit] += 1
        if digit in "012345":
            # By their order, as writers follow one another in it.
            share = place / total[digit]
            split = "train" if share < 0.4 else "validate" if share < 0.7 else "test"
            # What is new is told from normal samples: either distance has every second one.
            distance = ["near", "far"][place % 2]
        else:
            split, distance = "validate" if digit == "6" else "test", "near"
        yield [digit, split, distance, *values]


def main():
    folder = pathlib.Path(__file__).parent
    with gzip.open(folder / "digits/digits.csv.gz", "rt") as file:
        head, *rows = csv.reader(file)
    table = io.StringIO()
    out = csv.writer(table, lineterminator="\n")
    out.writerow(["label", "split", "distance", *head[1:]])
    out.writerows([*digits(rows), *textures()])
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
        file.write(table.getvalue().encode())
    (folder / "near_far/near_far.csv.gz").write_bytes(packed.getvalue())


if __name__ == "__main__":
    main()
