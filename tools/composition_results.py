#!/usr/bin/env python3
"""Runs experiments/composition/*.yaml and writes docs/results/composition.md: the preset tyto with one part exchanged.

  tools/composition_results.py [--tyto build/release/tyto] [--runs runs/composition]

A run that is done is not run again. Numbers: test samples, novel as the predictor has it, all increments."""
import argparse
import pathlib
import subprocess

from open_world_results import FALSE, ROOT, half_width, mean, read

SETS = ["letters", "digits", "activities"]
COLUMNS = [  # title, phase, view, measure
    ("accuracy", "post", "classification", "accuracy"),
    ("AUROC", "pre", "detection", "auroc"),
    ("det. MCC", "pre", "detection", "mcc"),
    ("rec. NMI", "pre", "recognition", "nmi"),
    ("new right", "pre", "raw", "hungarian_accuracy_novel"),
    ("false alarms", *FALSE),
]
HEAD = """# What each part of the preset tyto is worth

Written by `tools/composition_results.py` from the runs of `experiments/composition/`: the preset, and under it the same with
one part exchanged, as the difference to the preset. All draw the same random numbers, on one thread. Means over three seeds, test samples,
all increments; ± is the half width of the 95 % t interval of the paired difference over the seeds. Columns as in [open-world results](open-world.md).
These are the sets the preset was composed on; [decision 0009](../decisions/0009-the-preset-tyto.md) draws from them.
"""


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--tyto", type=pathlib.Path, default=ROOT / "build/release/tyto")
    args.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/composition")
    args = args.parse_args()
    args.runs.mkdir(parents=True, exist_ok=True)
    text = HEAD
    for name in SETS:
        out = args.runs / name
        if not (out / "spread.csv").exists():
            subprocess.run([args.tyto, "run", ROOT / "experiments/composition" / f"{name}.yaml", "--out", out, "--threads", "1",
                            *(["--resume"] if (out / "run.json").exists() else [])], check=True)
        values = read(out)
        text += f"\n## {name}\n"
        for feedback in dict.fromkeys(f for _, f in values):
            lines = [["", *(c[0] for c in COLUMNS)], ["---"] + ["---:"] * len(COLUMNS)]
            for predictor in dict.fromkeys(p for p, _ in values):
                line = [predictor]
                for _, *key in COLUMNS:
                    own, full = values[predictor, feedback][tuple(key)], values["tyto", feedback][tuple(key)]
                    if predictor == "tyto":
                        line.append(f"{mean(own):.3f}")
                        continue
                    gaps = [a - b for a, b in zip(own, full) if a == a and b == b]
                    line.append("-" if not gaps else "same" if not any(gaps) else
                                f"{mean(gaps):+.3f} ±{half_width(gaps):.3f}")
                lines.append(line)
            text += f"\nFeedback {feedback}\n\n" + "".join("| " + " | ".join(l) + " |\n" for l in lines)
    (ROOT / "docs/results/composition.md").write_text(text)
    print("wrote docs/results/composition.md")


main()
