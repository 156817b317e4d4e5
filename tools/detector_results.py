#!/usr/bin/env python3
"""Runs experiments/detection/features.yaml on several data sets and writes docs/results/detectors.md.

  tools/detector_results.py [--tyto build/release/tyto] [--runs runs/detectors] [--data ../shared/data]
      [--sets digits,letters] [--write]
  tools/detector_results.py --runs /tmp/look --sets utd_mhad --arms knn,softmax --seeds 1        a quick look

Runs that are there already are not run again. Data that are not there are left out, and the page says so."""
import argparse
import csv
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Folder of the data, where they do not ship; seeds.
SETS = {"digits": (None, "[1, 2, 3]"), "utd_mhad": ("utd_mhad", "[1, 2, 3]"), "letters": (None, "[1, 2, 3]"),
        "activity_images": ("activity_images", "[1]")}
CHOSEN_ON = ("letters", "digits")
MEASURES = (("auroc", "AUROC"), ("average_precision_novel", "AP"), ("recall_at_1pct", "recall 1/100"),
            ("false_alarms_at_1pct", "alarms 1/100"))


def datasets(given):
    """Folders by name, imported where they do not ship."""
    found = {}
    for name in given.sets.split(","):
        folder = SETS[name][0]
        if folder is None:
            found[name] = name
            continue
        source = given.data / folder
        if not source.exists():
            print(f"{source} is not there: {name} is left out")
            continue
        out = given.runs / "datasets" / name
        if not out.exists():
            subprocess.run([given.tyto, "data", "import", name, source, "--out", out], check=True)
        found[name] = str(out.resolve())
    return found


def run(given, name, data):
    out = given.runs / name
    if not any((out / place).exists() for place in ("spread.csv", "measures.csv")):
        subprocess.run([given.tyto, "run", experiment(given), "--set", f"data={data}", "--set", f"seeds={seeds_of(given, name)}", "--out", out,
                        "--force", "--no-report", "--quiet"], check=True)
    values = {}
    for seed in sorted(out.glob("seed-*")) or [out]:
        for row in csv.DictReader(open(seed / "measures.csv")):
            place = row["phase"], row["split"], row["step"], row["novel_to"], row["view"]
            if place == ("detect", "test", "0", "predictor", "detection") and row["value"]:
                values.setdefault((row["arm"], row["measure"]), []).append(float(row["value"]))
    return values


def experiment(given):
    """The experiment, or a copy with the detectors asked for alone."""
    whole = ROOT / "experiments/detection/features.yaml"
    if not given.arms:
        return whole
    wanted = given.arms.split(",")
    lines = [line for line in whole.read_text().splitlines()
             if not line.startswith("  - {name: ") or line.removeprefix("  - {name: ").split(",")[0] in wanted]
    part = given.runs / "features.yaml"
    part.write_text("\n".join(lines) + "\n")
    return part


def seeds_of(given, name):
    return f"[{given.seeds}]" if given.seeds else SETS[name][1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tyto", type=pathlib.Path, default=ROOT / "build/release/tyto")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/detectors")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--arms", help="these detectors alone")
    parser.add_argument("--seeds", help="1,2")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    given.runs.mkdir(parents=True, exist_ok=True)
    found = {name: run(given, name, data) for name, data in datasets(given).items()}
    arms = list(dict.fromkeys(arm for values in found.values() for arm, _ in values))
    text = page(given, found, arms)
    if given.write:
        (ROOT / "docs/results/detectors.md").write_text(text)
    else:
        print(text)


def shown(arm):
    return arm.removesuffix("-100pct")


def page(given, found, arms):
    lines = ["# Detectors on features", "",
             "Half of the classes are normal, a quarter is new in validation, a quarter in the test, drawn anew with each seed;",
             "`experiments/detection/features.yaml`, written by `tools/detector_results.py`. Thresholds are those that 1 in 100 normal",
             "*validation* samples reach; `alarms` is what they do on test, and 0.01 is what they promise. Means over seeds; the best of a",
             "column and what lies within its deviation over seeds are bold. Nothing was chosen on these results but the composition of",
             f"`tyto-detect`, by {' and '.join(CHOSEN_ON)} among others, and of `tyto`, by these and `utd_mhad` in another protocol. `tyto` learns from",
             "the labels of normal classes, `tyto-detect` from rows alone, for tables that have no labels: where there are some, take the former.", ""]
    for name, values in found.items():
        lines += [f"## {name}, seeds {seeds_of(given, name).strip('[]')}", "", "| detector | " + " | ".join(title for _, title in MEASURES) + " |",
                  "|---|" + "---|" * len(MEASURES)]
        means = {key: statistics.mean(v) for key, v in values.items()}
        best = {m: max((a for a in arms if (a, m) in means), key=lambda a: means[a, m], default=None)
                for m, _ in MEASURES[:3]}
        order = sorted((a for a in arms if (a, "auroc") in means), key=lambda a: -means[a, "auroc"])
        for arm in order:
            cells = []
            for measure, _ in MEASURES:
                if (arm, measure) not in means:
                    cells.append("-")
                    continue
                text = f"{means[arm, measure]:.3f}"
                if measure in best and best[measure]:
                    top = values[best[measure], measure]
                    spread = statistics.stdev(top) if len(top) > 1 else 0
                    if means[arm, measure] >= means[best[measure], measure] - spread:
                        text = f"**{text}**"
                cells.append(text)
            lines.append(f"| `{shown(arm)}` | " + " | ".join(cells) + " |")
        lines.append("")
    lines += ["## Mean rank", "", "By AUROC, over the data sets above.", "", "| detector | mean rank |", "|---|---|"]
    ranks = {}
    for values in found.values():
        means = {a: statistics.mean(values[a, "auroc"]) for a in arms if (a, "auroc") in values}
        for place, arm in enumerate(sorted(means, key=lambda a: -means[a]), 1):
            ranks.setdefault(arm, []).append(place)
    for arm in sorted(ranks, key=lambda a: statistics.mean(ranks[a])):
        lines.append(f"| `{shown(arm)}` | {statistics.mean(ranks[arm]):.1f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
