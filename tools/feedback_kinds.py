#!/usr/bin/env python3
"""Runs experiments/feedback_kinds.yaml once for each kind of oracle at the same cost and prints a table of what was
asked, learned, wrong and named right, for docs/protocols/owl.md.

  tools/feedback_kinds.py [--tyto build/release/tyto] [--out runs/feedback_kinds] [--threads 1]"""
import argparse
import collections
import csv
import math
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = "experiments/feedback/letter_meanings.csv"
SHARE = 0.02  # the budget
KINDS = {  # name in the table: options
    "none": ["oracle=none"],
    "labels": ["oracle=labels"],
    "corrections": ["oracle=corrections"],
    "predictor, slda with 20 % of the labels": ["oracle=predictor"],
    "groups, all members": ["oracle=groups"],
    "groups, half of the members": ["oracle=groups", "groups.weight=0.5"],
    "groups, the sample asked about": ["oracle=groups", "groups.learn=asked"],
    "foreign, looked up": ["oracle=foreign", "foreign.interpret=table", f"foreign.table={TABLE}"],
    "foreign, learned": ["oracle=foreign"],
}


def rows_of(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def measured(folder, phase, view, name):
    """Of all increments together, on test, novel to the predictor."""
    found = [row for row in rows_of(folder / "measures.csv")
             if row["phase"] == phase and row["view"] == view and row["measure"] == name and row["step"] == "all"
             and row["split"] == "test" and row["novel_to"] in ("", "predictor")]
    if not found:
        raise SystemExit(f"{folder}: no {name} of the view {view}")
    return float(found[0]["value"])


def plain_labels(folder):
    """Granted at 1 apiece: the share of every increment's train samples, rounded down."""
    shown = collections.Counter(row["increment"] for row in rows_of(folder / "manifest.csv")
                                if row["split"] == "train" and row["increment"] != "0")
    return sum(math.floor(SHARE * samples + 1e-9) for samples in shown.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tyto", default=ROOT / "build/release/tyto")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "runs/feedback_kinds")
    parser.add_argument("--threads", default="1")
    given = parser.parse_args()
    print("| oracle | spent | answers | labels learned | wrong | named right after |")
    print("|---|---|---|---|---|---|")
    for number, (name, options) in enumerate(KINDS.items()):
        folder = given.out / f"{number}"
        sets = [word for option in options for word in ("--set", f"protocol.{option}")]
        subprocess.run([given.tyto, "run", "experiments/feedback_kinds.yaml", "--out", folder, "--quiet",
                        "--no-report", "--force", "--threads", given.threads, "--set", f"feedback=[{SHARE}]", *sets], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
        right = measured(folder, "post", "raw", "accuracy")
        if (folder / "feedback.csv").exists():
            rows = rows_of(folder / "feedback.csv")
            spent, asked, labels, wrong = (sum(float(row[key]) for row in rows)
                                           for key in ("spent", "asked", "labels", "wrong"))
            counts = f"{spent:g} | {asked:g} | {labels:g} | {wrong:g}"
        else:
            labels = 0 if name == "none" else plain_labels(folder)
            counts = f"{labels} | {labels} | {labels} | 0"
        print(f"| {name} | {counts} | {right:.3f} |", flush=True)


if __name__ == "__main__":
    main()
