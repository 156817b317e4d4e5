#!/usr/bin/env python3
"""Runs experiments/novelty_space.yaml and writes docs/results/novelty-space.md.

  tools/novelty_space_results.py [--tyto build/release/tyto] [--runs runs/novelty_space] [--write]

A run that is there already is not run again. Without --write the page is printed."""
import argparse
import csv
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUISANCES = ("dropout", "gain", "noise")
# Title, phase, split, measure.
COLUMNS = [("AUROC", "pre", "test", "auroc"), ("new noticed", "pre", "test", "detection_rate"),
           ("false alarms", "pre", "test", "false_alarm_rate"), ("after feedback", "post", "test", "false_alarm_rate")]
COLUMNS += [(name, "post", f"test:{name}", "false_alarm_rate") for name in NUISANCES]
HEAD = """# In which space to look for the new

`experiments/novelty_space.yaml`, written by `tools/novelty_space_results.py`. Digits, 5 classes at the start and the others in two
increments, all labels granted after each; the same network in every row, with a detector on its standardised
input, on its hidden layer (`space: embedding`) or on its scores of the known classes (`space: logits`). Thresholds accept 10 % of known
samples. Means over seeds {seeds} with their standard deviation.

The first three columns are before feedback, on `test`: chance that a new sample scores above a known one, share of new samples called
new, share of known samples called new. The others are after feedback, when every class is known: the share of test samples
called new as they are, and under a nuisance, which is no new class.

"""


def values_of(given):
    out = given.runs
    if not (out / "spread.csv").exists():
        subprocess.run([given.tyto, "run", ROOT / "experiments/novelty_space.yaml", "--out", out, "--force", "--quiet"], check=True)
    values, seeds = {}, []
    for seed in sorted(out.glob("seed-*")):
        seeds.append(seed.name.removeprefix("seed-"))
        for row in csv.DictReader(open(seed / "measures.csv")):
            if row["novel_to"] == "predictor" and row["view"] == "detection" and row["step"] == "all" and row["value"]:
                values.setdefault((row["predictor"], row["phase"], row["split"], row["measure"]), []).append(float(row["value"]))
    return values, seeds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tyto", type=pathlib.Path, default=ROOT / "build/release/tyto")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/novelty_space")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    values, seeds = values_of(given)
    page = HEAD.format(seeds=", ".join(seeds))
    page += "| detector | space | " + " | ".join(title for title, *_ in COLUMNS) + " |\n"
    page += "|---" * (2 + len(COLUMNS)) + "|\n"
    for predictor in dict.fromkeys(key[0] for key in values):
        detector, space = predictor.rsplit("-", 1)
        cells = []
        for _, *place in COLUMNS:
            found = values.get((predictor, *place), [])
            spread = f" ±{statistics.stdev(found):.3f}" if len(found) > 1 else ""
            cells.append(f"{statistics.mean(found):.3f}{spread}" if found else "")
        page += f"| `{detector}` | {space} | " + " | ".join(cells) + " |\n"
    if given.write:
        (ROOT / "docs/results/novelty-space.md").write_text(page)
    else:
        print(page, end="")


if __name__ == "__main__":
    main()
