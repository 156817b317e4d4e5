#!/usr/bin/env python3
"""What limits the recognition of new classes by the preset tyto? Writes docs/results/recognition-bounds.md.

  tools/recognition_bounds.py [--tyto build/release/tyto] [--runs runs/recognition_bounds] [--seeds 10]

Each limit is lifted in turn. Perfect detection is a run: the data get a second source that tells the class (one column a
class, 1 or 0, and noise of deviation 0.02), and the detector looks at that source alone; nothing else does. Perfect merging
and perfect groups are counted from the confusion matrix of tyto's own answers."""
import argparse
import collections
import csv
import gzip
import math
import pathlib
import random
import re
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {"letters": (10, 5), "digits": (4, 3)}  # classes at the start, increments: as in experiments/open_world
T_95 = {2: 4.303, 4: 2.776, 9: 2.262}
SOURCE = "{name: mahalanobis, features: truth}, {name: mahalanobis, features: truth, shrinkage: 0.01}"
ARMS = [
    "{preset: tyto}",
    "{preset: tyto, name: without-group-evidence, stream: tyto, group_evidence: false}",
    "{preset: tyto, name: perfect-detection, stream: tyto, accepted_error: 0.001, suspected: 0.001, "
    "detector: {name: multimodal, detectors: [" + SOURCE + "]}}",
]
ROWS = [  # title, arm, how the confusion matrix is read
    ("`tyto`", "tyto", "as it is"), ("without `group_evidence`", "without-group-evidence", "as it is"),
    ("groups of one class merged", "tyto", "merged"), ("perfect groups of what is called new", "tyto", "perfect groups"),
    ("perfect detection", "perfect-detection", "as it is"),
    ("perfect detection, groups of one class merged", "perfect-detection", "merged"),
]


def with_truth(name, folder):
    """A copy of a shipped dataset with a source that tells the class."""
    folder.mkdir(parents=True, exist_ok=True)
    about = (ROOT / "datasets" / name / "dataset.yaml").read_text()
    with gzip.open(ROOT / "datasets" / name / f"{name}.csv.gz", "rt") as file:
        header, *rows = csv.reader(file)
    label = header.index(re.search(r"label: (\w+)", about).group(1))
    classes = sorted({row[label] for row in rows})
    noise = random.Random(1)
    with open(folder / f"{name}.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(header + [f"is_{c}" for c in classes])
        for row in rows:
            out.writerow(row + [f"{(row[label] == c) + noise.gauss(0, 0.02):.3f}" for c in classes])
    about = about.replace(f"{name}.csv.gz", f"{name}.csv").replace(f"name: {name}", f"name: {name}_told")
    source = f"  - {{source: truth, columns: [is_{classes[0]}..is_{classes[-1]}]}}\n"
    about = re.sub(r"(  - \{source: features.*\n)", lambda found: found.group(1) + source, about)
    (folder / "dataset.yaml").write_text(about)


def experiment(name, seeds):
    classes, increments = SETS[name]
    return f"""name: {name}
seeds: {list(range(1, seeds + 1))}
prior_knowledge: none; one arm is told what is new
data: {name}_told
world:
  kind: increments
  start: {{classes: {classes}, choose: random, share: 0.5}}
  increments: {increments}
  order: shuffled
protocol: owl
feedback: [0, 0.5]
predictors:
""" + "".join(f"  - {arm}\n" for arm in ARMS)


def read_as(matrix, how):
    """The confusion matrix of the view recognition with other columns; rows and columns called known are the known classes."""
    if how == "as it is":
        return matrix
    out = collections.Counter()
    if how == "perfect groups":  # what is called new bears its own name
        for (actual, predicted), count in matrix.items():
            out[actual, "known" if predicted == "known" else f"group of {actual}"] += count
        return out
    most = {}  # merged: a group bears the name of most of its samples
    for (actual, predicted), count in matrix.items():
        if predicted not in ("known", "unknown") and count > most.get(predicted, ("", 0))[1]:
            most[predicted] = (actual, count)
    for (actual, predicted), count in matrix.items():
        out[actual, f"group of {most[predicted][0]}" if predicted in most else predicted] += count
    return out


def nmi(matrix):
    """2 I / (H + H), as the measure nmi."""
    rows, columns = collections.Counter(), collections.Counter()
    for (actual, predicted), count in matrix.items():
        rows[actual] += count
        columns[predicted] += count
    total = sum(rows.values())
    entropy = lambda counts: -sum(c / total * math.log(c / total) for c in counts.values() if c)
    mutual = sum(c / total * math.log(c * total / rows[a] / columns[p]) for (a, p), c in matrix.items() if c)
    return 2 * mutual / (entropy(rows) + entropy(columns))


def values(tyto, run):
    """(arm, how) -> NMI of all increments; checks the program's own value against the one counted here."""
    table = run / "confusion.csv"
    subprocess.run([tyto, "measure", run, "--confusion", table, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    matrices = collections.defaultdict(collections.Counter)
    with open(table) as file:
        for row in csv.DictReader(file):
            place = row["step"], row["phase"], row["split"], row["novel_to"], row["view"], row["rank"]
            if place == ("all", "pre", "test", "predictor", "recognition", "1"):
                matrices[row["arm"]][row["actual"], row["predicted"]] += int(row["count"])
    with open(run / "measures.csv") as file:
        for row in csv.DictReader(file):
            place = row["step"], row["phase"], row["split"], row["novel_to"], row["view"], row["measure"]
            if place == ("all", "pre", "test", "predictor", "recognition", "nmi"):
                assert abs(float(row["value"]) - nmi(matrices[row["arm"]])) < 1e-6, (row, nmi(matrices[row["arm"]]))
    return {(arm, how): nmi(read_as(matrix, how)) for arm, matrix in matrices.items()
            for how in ("as it is", "merged", "perfect groups")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tyto", default=ROOT / "build/release/tyto")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/recognition_bounds")
    parser.add_argument("--seeds", type=int, choices=[n + 1 for n in T_95], default=10)
    options = parser.parse_args()
    lines = ["# What limits the recognition of new classes", "",
             "Written by `tools/recognition_bounds.py`: worlds as in [open-world results](open-world.md), "
             f"{options.seeds} seeds, mean and half width of the 95 % t interval. NMI of the view `recognition`,",
             "test samples before feedback, all increments. Each limit is lifted in turn: *perfect detection* is a run whose detector "
             "alone is told the class; *groups of one class merged* gives every",
             "discovered group the name of most of its samples, which a perfect number of groups could do at best; "
             "*perfect groups* gives everything that is called new its own name.", "",
             "|  | " + " | ".join(f"{name}, {share}" for name in SETS for share in ("0 %", "50 %")) + " |",
             "| --- |" + " ---: |" * (2 * len(SETS))]
    found = collections.defaultdict(list)
    for name in SETS:
        with_truth(name, options.runs / "data" / f"{name}_told")
        file = options.runs / f"{name}.yaml"
        file.write_text(experiment(name, options.seeds))
        subprocess.run([options.tyto, "run", file, "--data", options.runs / "data", "--out", options.runs / name, "--jobs", "2",
                        "--threads", "1", "--no-report", "--no-table", "--quiet", "--resume"], check=True)
        for seed in range(1, options.seeds + 1):
            for (arm, how), value in values(options.tyto, options.runs / name / f"seed-{seed}").items():
                found[name, arm, how].append(value)
    for title, arm, how in ROWS:
        cells = []
        for name in SETS:
            for share in ("0pct", "50pct"):
                own = found[name, f"{arm}-{share}", how]
                half = T_95[len(own) - 1] * statistics.stdev(own) / math.sqrt(len(own))
                cells.append(f"{statistics.mean(own):.3f} ±{half:.3f}")
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    (ROOT / "docs/results/recognition-bounds.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
