#!/usr/bin/env python3
"""Runs experiments/open_world/*.yaml (those whose data can be had) and writes docs/results/open-world.md.

  tools/open_world_results.py [--tyto build/release/tyto] [--data ../shared/data] [--runs runs/open_world] [--only NAME ...] [--again PRESET]
      [--page docs/results/open-world.md] [--head tools/open_world_results.head.md]

A run that is done is not run again; --again runs one preset anew, in folders of its own, and its numbers
replace those it had: arms do not touch each other. Numbers: test samples, novel as the predictor has it, all increments."""
import argparse
import collections
import csv
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {  # name -> importer, or None where the data ship with Tyto
    "letters": None, "digits": None, "wisdm51": "wisdm51", "utd_mhad": "utd_mhad",
    "activity_images": "activity_images", "ucf101": "ucf101_vgg16", "sail_on_activity": "sail_on_activity",
}
TUNED = {"letters", "digits", "utd_mhad"}
# title, phase, view, measure, higher is better
COLUMNS = [
    ("accuracy", "post", "classification", "accuracy", True),
    ("MCC", "post", "classification", "mcc", True),
    ("NMI", "post", "classification", "nmi", True),
    ("AUROC", "pre", "detection", "auroc", True),
    ("FPR95", "pre", "detection", "fpr_at_95_tpr_known", False),
    ("det. MCC", "pre", "detection", "mcc", True),
    ("rec. NMI", "pre", "recognition", "nmi", True),
    ("new right", "pre", "raw", "hungarian_accuracy_novel", True),
    ("reaction", "pre", "detection", "reaction_time", False),
]
FALSE = ("pre", "detection", "false_alarm_rate")
T_95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


def t_tail(t, df):
    """Two-sided p-value of Student's t, by the incomplete beta function as a sum over a fine grid."""
    if not math.isfinite(t):
        return 0.0
    steps = 20000
    norm = math.gamma((df + 1) / 2) / (math.sqrt(df * math.pi) * math.gamma(df / 2))
    top = min(abs(t), 1e4)
    body = 0.0
    for i in range(steps):  # midpoint rule in u, t = u / (1 - u)
        u = (i + 0.5) / steps * top / (1 + top)
        x = u / (1 - u)
        body += norm * (1 + x * x / df) ** (-(df + 1) / 2) / (1 - u) ** 2
    return max(0.0, 1 - 2 * body / steps * top / (1 + top))


def run(tyto, name, data, runs, again):
    """The folders of the runs; later ones replace predictors of earlier ones."""
    importer = SETS[name]
    places = []
    if importer:
        source = data / importer
        if not source.exists():
            print(f"{name}: left out, {source} is not there", file=sys.stderr)
            return []
        made = runs / "data" / {"wisdm51": "wisdm51_watch"}.get(importer, importer)
        if not made.exists():
            subprocess.run([tyto, "data", "import", importer, source, "--out", made], check=True)
        places = ["--data", runs / "data"]
    outs = [runs / name] + ([runs / f"{name}+{again}"] if again else [])
    for out in outs:
        if not (out / "spread.csv").exists():
            subprocess.run([tyto, "run", ROOT / "experiments/open_world" / f"{name}.yaml", "--out", out, *places,
                            *(["--set", f"predictors=[{again}]"] if out != runs / name else []),
                            *(["--resume"] if (out / "run.json").exists() else [])], check=True)
    return outs


def read(out):
    """values[(predictor, feedback)][column] = list by seed; promises[predictor]"""
    wanted = {(p, v, m) for _, p, v, m, _ in COLUMNS} | {FALSE}
    values = collections.defaultdict(lambda: collections.defaultdict(list))
    for seed in sorted(out.glob("seed-*")):
        with open(seed / "measures.csv") as f:
            for row in csv.DictReader(f):
                key = (row["phase"], row["view"], row["measure"])
                if row["step"] == "all" and row["split"] == "test" and row["novel_to"] == "predictor" and key in wanted:
                    values[row["predictor"], row["feedback"]][key].append(float(row["value"]) if row["value"] else math.nan)
    return values


def mean(v):
    v = [x for x in v if x == x]
    return sum(v) / len(v) if v else math.nan


def half_width(v):
    v = [x for x in v if x == x]
    if len(v) < 2:
        return math.nan
    m = mean(v)
    s = math.sqrt(sum((x - m) ** 2 for x in v) / (len(v) - 1))
    return T_95[len(v) - 1] * s / math.sqrt(len(v))


def promises(name):
    out = {}
    for preset in (ROOT / "presets").glob("*.yaml"):
        for line in preset.read_text().splitlines():
            if line.startswith("accepted_error:"):
                out[preset.stem] = line.split(":")[1].strip()
    out["gmm-finch-released"] = "none"
    out["nno"] = "none"
    return out


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--tyto", type=pathlib.Path, default=ROOT / "build/release/tyto")
    args.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data")
    args.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/open_world")
    args.add_argument("--only", nargs="*", default=list(SETS))
    args.add_argument("--again")
    args.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/results/open-world.md")
    args.add_argument("--head", type=pathlib.Path, default=ROOT / "tools/open_world_results.head.md")
    args = args.parse_args()
    args.runs.mkdir(parents=True, exist_ok=True)
    text = args.head.read_text()
    lost = []
    standing = []
    for name in args.only:
        outs = run(args.tyto, name, args.data, args.runs, args.again)
        if not outs:
            continue
        values = read(outs[0])
        for out in outs[1:]:
            values.update(read(out))
        promise = promises(name)
        feedbacks = list(dict.fromkeys(f for _, f in values))
        predictors = list(dict.fromkeys(p for p, _ in values))
        text += f"\n## {name}{' (composed and tuned on it)' if name in TUNED else ''}\n"
        for feedback in feedbacks:
            head = ["predictor", *(c[0] for c in COLUMNS), "false alarms", "promised"]
            lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
            best, reach = {}, {}  # who, and the half width of its interval
            for title, phase, view, measure, higher in COLUMNS:
                means = {p: mean(values[p, feedback][phase, view, measure]) for p in predictors}
                means = {p: m for p, m in means.items() if m == m}
                if means:
                    best[title] = (max if higher else min)(means, key=means.get)
                    h = half_width(values[best[title], feedback][phase, view, measure])
                    reach[title] = (means[best[title]], h if h == h else 0.0)
            place = []
            for predictor in predictors:
                own = values[predictor, feedback]
                line = [predictor]
                for title, phase, view, measure, higher in COLUMNS:
                    v = own[phase, view, measure]
                    m, h = mean(v), half_width(v)
                    cell = "-" if m != m else f"{m:.3f}" + (f" ±{h:.3f}" if h == h else "")
                    first = best.get(title)
                    if first and abs(m - reach[title][0]) <= reach[title][1]:
                        cell = f"**{cell}**"
                    if predictor == "tyto" and first and m == m:
                        others = values[first, feedback][phase, view, measure]
                        gaps = [(b - a) * (1 if higher else -1) for a, b in zip(v, others) if a == a and b == b]
                        if first != "tyto" and len(gaps) > 1:
                            s = half_width(gaps)
                            g = mean(gaps)
                            within = g <= s
                            t = g / (s / T_95[len(gaps) - 1]) if s > 0 else math.inf
                            place.append("level" if within else "behind")
                            lost.append((t_tail(t, len(gaps) - 1), name, feedback, title, first, g, name in TUNED))
                        else:
                            place.append("first")
                    line.append(cell)
                line.append(f"{mean(own[FALSE]):.3f}")
                line.append(promise.get(predictor, "0.1"))
                lines.append(line)
            standing.append((name, feedback, place))
            text += f"\nFeedback {feedback}\n\n" + "".join("| " + " | ".join(l) + " |\n" for l in lines)
    text += "\n## Where `tyto` stands\n\nColumns in which it has the best mean, is level with the best (the paired difference is within its 95 % interval), or behind.\n\n| data | feedback | first | level | behind |\n| --- | --- | ---: | ---: | ---: |\n"
    for name, feedback, place in standing:
        text += f"| {name} | {feedback} | {place.count('first')} | {place.count('level')} | {place.count('behind')} |\n"
    lost.sort()
    report = [l for l in lost if not l[6]]
    text += f"\nOn the sets for reporting there are {len(report)} comparisons with a better mean. "
    held = []
    for i, l in enumerate(report):  # Holm's steps
        if l[0] * (len(report) - i) > 0.05:
            break
        held.append(l)
    text += f"After Holm's correction {len(held)} of them remain at 5 %.\n"
    behind = [l for l in lost if l[0] <= 0.05]
    if behind:
        text += "\nBehind by more than the interval, uncorrected:\n\n| data | feedback | column | best | gap | p |\n| --- | --- | --- | --- | ---: | ---: |\n"
        for p, name, feedback, title, first, gap, _ in behind:
            text += f"| {name} | {feedback} | {title} | {first} | {gap:.3f} | {p:.3f} |\n"
    args.page.write_text(text)
    print(f"wrote {args.page}")


if __name__ == "__main__":
    main()
