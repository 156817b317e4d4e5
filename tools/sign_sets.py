#!/usr/bin/env python3
"""Small sets of whole skeleton sequences, cut out of isl_kinect30, to choose compositions on.

  tools/sign_sets.py [--data ../shared/data] --out FOLDER

Writes FOLDER/signs14 and FOLDER/signs20: 14 signs by 40 sequences and 20 by 30, four each (three) of ten signers, either drawn
by a seed of its own out of thirty signs, so that some are in both. A row is a sequence: mean and standard deviation over
its frames of eleven joints, divided by the distance of head and hip. The column `group` is the signer: no world
puts one on both sides of a split."""
import argparse
import csv
import gzip
import math
import pathlib
import random
import struct

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {"signs14": (slice(14), 4, 1), "signs20": (slice(-20, None), 3, 2)}  # of the drawn signs, sequences of each signer, seed
WIDTH, JOINTS = 36, 11  # values of a frame, joints relative to the hip


def sequences(source):
    """signer -> sign -> rows of features"""
    with open(source / "index.csv", newline="") as file:
        index = [row for row in csv.DictReader(file) if not row["duplicate_of"]]
    frames = gzip.decompress((source / "skeleton_f16.bin.gz").read_bytes())
    found = {}
    for row in index:
        first, count = int(row["start"]), int(row["frames"])
        values = struct.unpack_from(f"<{count * WIDTH}e", frames, first * WIDTH * 2)
        size = sum(math.hypot(*values[f * WIDTH:f * WIDTH + 3]) for f in range(count)) / count
        means, spreads = [], []
        for column in range(3 * JOINTS):
            one = [v / size for v in values[column::WIDTH]]
            mean = sum(one) / count
            means.append(mean)
            spreads.append(math.sqrt(sum((v - mean) ** 2 for v in one) / count))
        found.setdefault(row["subject"], {}).setdefault(row["class"], []).append((row["seq"], means + spreads))
    return found


def write(name, found, out):
    signs, each, seed = SETS[name]
    draw = random.Random(seed)
    classes = sorted({sign for by_sign in found.values() for sign in by_sign})
    draw.shuffle(classes)
    chosen = sorted(classes[signs])
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "sequences.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "label", "group", *(f"mean{i}" for i in range(3 * JOINTS)), *(f"spread{i}" for i in range(3 * JOINTS))])
        for subject in sorted(found, key=int):
            for sign in chosen:
                for sequence, row in sorted(draw.sample(found[subject][sign], each)):
                    table.writerow([sequence, sign, subject, *(f"{v:.5g}" for v in row)])
    (folder / "dataset.yaml").write_text(
        f"name: {name}\nsummary: \"{len(chosen)} signs of ten signers, whole sequences of skeletons\"\nindex: sequences.csv\n"
        f"features:\n  - {{source: features, columns: [mean0..spread{3 * JOINTS - 1}]}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    found = sequences(given.data / "isl_kinect30")
    for name in SETS:
        write(name, found, given.out)


if __name__ == "__main__":
    main()
