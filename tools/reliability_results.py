#!/usr/bin/env python3
"""Runs experiments/reliability/*.yaml (those whose data can be had) and writes docs/results/reliability.md.

  tools/reliability_results.py [--tyto build/release/tyto] [--data ../shared/data] [--runs runs/reliability] [--only NAME ...]

With --only, what the page says of other sets stays. A run that is done is not run again. Differences are method - the default,
which was chosen on the sets of CHOSEN."""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import sys

import reliability_clips
from open_world_results import ROOT, half_width, mean

DEFAULT = "caring"
WITHOUT_FEATURES = "temperature"  # which CARING is without them
CHOSEN = {"check_set", "letters"}
SETS = ["check_set", "letters", "drive_and_act_demo", "wisdm51", "activity_images", "hmdb51", "drive_and_act", "clips_i3d",
        "clips_p3d"]
IMPORTS = {"wisdm51": ("wisdm51", "wisdm51_watch"), "activity_images": ("activity_images", "activity_images"),
           "drive_and_act_demo": ("drive_and_act", "drive_and_act")}
# Official splits, whose features nobody ships: imported into RUNS/data by hand, as the experiments say.
SPLITS = {"hmdb51": [f"hmdb51_split{k}" for k in (1, 2, 3)],
          "drive_and_act": [f"drive_and_act_chunks_split{k}" for k in (0, 1, 2)]}
# Which rows of published.csv stand beside.
BESIDE = {"hmdb51": ("hmdb51", "I3D"), "drive_and_act": ("drive_and_act", "I3D"), "clips_i3d": ("drive_and_act", "I3D"),
          "clips_p3d": ("drive_and_act", "P3D")}
TITLES = {"native": "native", "temperature-published": "temperature, 50 steps as published", "temperature": "temperature, exact",
          "caring-published": "CARING as published", "caring": "CARING", "structured-vector": "structured vector"}
MEASURES = ["nll", "brier_sum", "ece10", "ks_error", "failure_auroc_maxprob", "closed_accuracy"]
HEAD = """# Confidence one can trust: what calibrators do to it

Written by `tools/reliability_results.py` from the runs of `experiments/reliability/`. Every row of a table is the same model
with the same random numbers; the calibrator alone differs, fitted on held-out samples of known classes, never on test. `±` and
the brackets are 95 % intervals of the paired difference to the default: over seeds (t) where there are several, else by 1,000
paired resamples of the test samples. Below 0 the method is better than the default. NLL and Brier are proper scores; ECE (10
bins) stands beside them, and is biased upwards on few samples: differences of it below a percent or two mean little. Accuracy
and its like are those given that the sample is known; a temperature cannot change them.

**The default is CARING** (from the exact temperature, stopped early, and kept only if the gain on the samples that say when to
stop is beyond its standard error), and without features the exact temperature. On the check set and the letters, the sets to
choose on, it is level with the structured vector, which has the best means there; of methods that are level the one is taken
that never changes a decision. That rule was settled after a first look at the other sets, where the structured vector, tried
first, fell behind on `wisdm51` and `activity_images`: there the classes of the test samples come in other proportions than those
of the held-out ones, and what is fitted class by class follows the latter. So the standing of the default on these two is not
that of a blind test.

"""
CLIP_FACTS = (f"{reliability_clips.option('classes')} actions told by motion and appearance through noise, {reliability_clips.MOST} down to "
              f"{reliability_clips.LEAST} videos of a class")
REAL = " on Drive&Act: 34 activities of real videos, by networks tuned from Kinetics, so that it is the order of the methods that may be compared"
ABOUT = {
    "check_set": "Synthetic logits of 20 classes, 1,000 samples to fit on, 1,000 to test; the model's noise depends on the input, "
                 "which only CARING sees.",
    "letters": "Protocol `owl`: 26 letters, ten at the start, five increments, half of the labels; a network of one hidden layer. "
               "Test samples after feedback, mean over increments, five seeds.",
    "drive_and_act_demo": "Softmax of an I3D network on chunks of Drive&Act: fitted on 479 chunks of two videos it was trained on, tested on 256 "
                     "chunks of another person's drive. No features, so no CARING. The network is right on 89 % of its training videos and on "
                     "72 to 74 % of the test drive: whatever is fitted there comes out too sure, which is why `validate` should be "
                     "samples the model was not trained on.",
    "wisdm51": "Protocol `owl`: 18 activities by a watch's accelerometer, eight at the start, four increments, half of the labels; "
               "nobody is in train and test. Five seeds.",
    "activity_images": "Protocol `owl`: 37 activities in images (features of a network trained on COCO), fifteen at the start, four "
                       "increments, half of the labels. Five seeds.",
    **{name: f"Drawn clips of {CLIP_FACTS}: logits and z (128 numbers) of a small {name[-3:].upper()} trained from nothing, mean over three splits by "
             "people. Everybody teaches, calibrates and is tested in one split each; the network never saw those that calibrate."
       for name in reliability_clips.NETWORKS},
    "hmdb51": "Logits of I3D networks tuned on the three official splits of HMDB-51, mean over them.",
    "drive_and_act": "Logits of I3D networks tuned on the three official splits of Drive&Act, mean over them.",
}


def tyto(args, *words):
    done = subprocess.run([args.tyto, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tyto {' '.join(map(str, words))}\n{done.stderr}")
    return done.stdout


def get_data(args, name):
    """False where the data are not there."""
    folder = args.runs / "data"
    if name == "check_set":
        source = args.data / "calibration"
        if not source.exists():
            return False
        if not (folder / "calibration_check").exists():
            tables = args.runs / "tables" / "calibration_check"
            tables.mkdir(parents=True, exist_ok=True)
            for file in ["logits.csv", "labels.csv", "features.csv"]:
                (tables / file).write_bytes((source / file).read_bytes())
            (tables / "splits.csv").write_text("validate\n" * 1000 + "test\n" * 1000)
            tyto(args, "data", "import", "scores", tables, "--out", folder / "calibration_check")
    elif name in reliability_clips.NETWORKS:
        reliability_clips.make(lambda *words: tyto(args, *words), args.runs, name)
    elif name in SPLITS:
        return all((folder / split).exists() for split in SPLITS[name])
    elif name in IMPORTS:
        importer, made = IMPORTS[name]
        if not (args.data / importer).exists():
            return False
        if not (folder / made).exists():
            tyto(args, "data", "import", importer, args.data / importer, "--out", folder / made)
    return True


def run(args, name):
    out = args.runs / name
    if not (out / ("spread.csv" if list(out.glob("seed-*")) else "measures.csv")).exists():
        subprocess.run([args.tyto, "run", ROOT / "experiments/reliability" / f"{name}.yaml", "--out", out, "--data", args.runs / "data",
                        *(["--resume"] if (out / "run.json").exists() else [])], check=True)
    return out


def values_of(folder):
    """values[predictor][measure]: test, after feedback, all increments"""
    values = {}
    with open(folder / "measures.csv") as f:
        for row in csv.DictReader(f):
            if (row["step"], row["phase"], row["split"], row["view"], row["novel_to"]) == ("all", "post", "test", "classification",
                                                                                           "predictor") and row["measure"] in MEASURES:
                values.setdefault(row["predictor"], {})[row["measure"]] = float(row["value"]) if row["value"] else math.nan
    return values


def arms_of(folder):
    return {arm["predictor"]: arm["arm"] for arm in json.loads((folder / "run.json").read_text())["arms"]}


def difference(args, folder, default, method, measure):
    """mean, low, high of method - default on the samples of one run"""
    arms = arms_of(folder)
    rows = json.loads(tyto(args, "measure", folder, "--arm", arms[default], "--arm2", arms[method], "--measures", measure, "--split", "test",
                           "--phase", "post", "--json", "--quiet"))
    rows = rows.get("rows", rows) if isinstance(rows, dict) else rows
    for row in rows:
        if str(row["step"]) == "all":
            return row["difference"], row["low"], row["high"]
    return math.nan, math.nan, math.nan


def table(args, name, out):
    seeds = sorted(out.glob("seed-*"))
    runs = [values_of(folder) for folder in seeds or [out]]
    methods = list(runs[0])
    default = DEFAULT if DEFAULT in methods else WITHOUT_FEATURES
    lines = [["", "NLL", "to the default", "Brier", "to the default", "ECE", "KS", "failure AUROC", "accuracy"], ["---"] + ["---:"] * 8]
    behind = []
    for method in methods:
        line = [TITLES[method]]
        for measure in MEASURES:
            own = [values[method][measure] for values in runs]
            line.append(f"{mean(own):.3f}" if mean(own) == mean(own) else "infinite" if measure == "nll" else "-")
            if measure not in ("nll", "brier_sum"):
                continue
            if method == default:
                line.append("")
            elif seeds:
                gaps = [a[method][measure] - a[default][measure] for a in runs]
                gap, half = mean(gaps), half_width(gaps)
                line.append(f"{gap:+.3f} ±{half:.3f}" if gap == gap else "-")
                if gap < -half:
                    behind.append((TITLES[method], measure, gap))
            else:
                gap, low, high = difference(args, out, default, method, measure)
                line.append("-" if gap is None or gap != gap else f"{gap:+.3f} [{low:+.3f}, {high:+.3f}]")
                if high is not None and high < 0:
                    behind.append((TITLES[method], measure, gap))
        lines.append(line)
    text = "".join("| " + " | ".join(l) + " |\n" for l in lines)
    about = "" if seeds else "Of these trained models, not of the methods: "
    if behind:
        text += f"\n{about}Better than the default beyond the interval: " + "; ".join(f"{m} in {w} ({g:+.3f})" for m, w, g in behind) + ".\n"
    else:
        text += f"\n{about}No method is better than the default beyond its interval.\n"
    return text


def published(name):
    """values[classes, method]: ECE validate, ECE test, NLL validate, NLL test, as printed"""
    if name not in BESIDE:
        return {}
    with open(ROOT / "experiments/reliability/published.csv") as f:
        return {(row["classes"], row["method"]): [row[c] for c in ("ece_validate", "ece_test", "nll_validate", "nll_test")]
                for row in csv.DictReader(f) if (row["set"], row["network"]) == BESIDE[name]}


def parts(name, out):
    """Table I's layout: validation and test, all, common and rare classes; what was published in brackets."""
    rows = {}
    for folder in sorted(out.glob("seed-*")) or [out]:
        with open(folder / "reliability.csv") as f:
            for row in csv.DictReader(f):
                if row["measure"] in ("ece10", "nll") and row["value"]:
                    rows.setdefault((row["predictor"], row["classes"], row["measure"], row["split"]), []).append(float(row["value"]))
    beside = published(name)
    text = "\n| classes | | ECE validate | ECE test | NLL validate | NLL test |\n| --- | --- | ---: | ---: | ---: | ---: |\n"
    for classes in ["common", "rare", "all"]:
        for method in dict.fromkeys(key[0] for key in rows):
            cells = []
            for measure in ["ece10", "nll"]:
                for split in ["validate", "test"]:
                    values = rows.get((method, classes, measure, split))
                    scale = 100 if measure == "ece10" else 1
                    cells.append(f"{mean(values) * scale:.2f}" if values else "-")
            cells = [f"{own} ({paper})" for own, paper in zip(cells, beside[classes, method])] if (classes, method) in beside else cells
            text += f"| {classes} | {TITLES[method]} | " + " | ".join(cells) + " |\n"
    return (text + "\nECE in percent; `validate` is what calibrators were fitted on, so in-sample for all but native."
            + (f" In brackets: Table I of the paper, {BESIDE[name][1]}{REAL if name in reliability_clips.NETWORKS else ''}." if beside else "")
            + "\n")


def temperatures(out):
    """Of the exact temperature, split by split: what the network itself lacks."""
    found = []
    for folder in sorted(out.glob("seed-*")):
        with open(folder / "calibration.csv") as f:
            found += [float(row["value"]) for row in csv.DictReader(f) if (row["arm"], row["parameter"]) == ("temperature", "temperature")]
    return ("\nThe exact temperatures of the splits are " + ", ".join(f"{value:.2f}" for value in found) + ". Below 1 a network is less sure of those who "
            "calibrate than it may be, which CARING as published, with temperatures from 1 on, cannot mend. What is fitted to the people who "
            "calibrate is tested on others.\n")


def sections_of(page):
    """What a page says, by set; its beginning is that of no set."""
    parts = re.split(r"^(?=## )", page, flags=re.M)
    return {part[3:].split(maxsplit=1)[0] if part.startswith("## ") else "": part for part in parts}


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--tyto", type=pathlib.Path, default=ROOT / "build/release/tyto")
    args.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data")
    args.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/reliability")
    args.add_argument("--only", nargs="*", choices=SETS)
    args = args.parse_args()
    args.runs.mkdir(parents=True, exist_ok=True)
    page = ROOT / "docs/results/reliability.md"
    sections = sections_of(page.read_text()) if args.only else {"": HEAD}
    for name in args.only or SETS:
        if not get_data(args, name):
            print(f"{name}: left out, its data are not in {args.data}", file=sys.stderr)
            continue
        out = run(args, name)
        text = f"## {name}{' (the default was chosen on it)' if name in CHOSEN else ''}\n\n{ABOUT[name]}\n\n" + table(args, name, out)
        if (out / "reliability.csv").exists() or name in SPLITS or name in reliability_clips.NETWORKS:
            text += parts(name, out)
        if name in reliability_clips.NETWORKS:
            text += temperatures(out)
        sections[name] = text
    page.write_text("\n".join(text.rstrip() + "\n" for text in sections.values()))
    print("wrote docs/results/reliability.md")


main()
