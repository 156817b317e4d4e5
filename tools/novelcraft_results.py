#!/usr/bin/env python3
"""Generates a world in the layout of NovelCraft, runs experiments/novelcraft on it and writes docs/results/novelcraft.md.

  tools/novelcraft_results.py [--tyto build/release/tyto] [--runs runs/novelcraft] [--size 64] [--episodes 16]
      [--item-episodes 3] [--plus 16] [--width 32] [--without odin,ensemble] [--times] [--write]

What is there already is not made again. --width: maps of the first layer of the patch autoencoders; 8 take a sixteenth of the time."""
import argparse
import csv
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Table 3 of the paper, base and with NovelCraft+: AUROC.
PRINTED = {"ndcc": (80.58, 74.52), "odin": (65.54, 70.45), "ensemble": (58.89, 55.41), "ocsvm": (57.67, 58.37),
           "autoencoder": (57.53, 68.87)}
# Table 4: AUROC of episodes, delay at 95 % recall (as printed, divided by five).
PRINTED_EPISODES = {"autoencoder": (81.62, 5.32), "symbolic-2": (76.12, 10.39), "symbolic-5": (81.51, 10.19)}
FRAMES = ("auroc", "average_precision_novel", "tnr_at_95_tpr", "tpr_at_80_ppv", "recall_at_1pct", "false_alarms_at_1pct",
          "distinct_scores")
EPISODES = ("episode_auroc", "episode_auroc_running_mean", "episode_auroc_cusum", "episode_auroc_martingale",
            "episode_delay", "episodes_undetected")


def call(given, *words):
    subprocess.run([str(given.tyto), *map(str, words)], check=True, cwd=given.runs)


def prepare(given):
    world = given.runs / "craft"
    if not world.exists():
        call(given, "data", "make", "novelcraft", "--seed", 3, "--set", f"size={given.size}", "--set",
             f"episodes={given.episodes}", "--set", f"item_episodes={given.item_episodes}", "--set", f"plus={given.plus}", "--out", world)
    for name, options in (("craft_frames", []), ("craft_plus", ["--set", "plus=true"]), ("craft_episodes", ["--set", "of=episodes"])):
        out = given.runs / "datasets" / name
        if not out.exists():
            table = given.runs / f"{name}.csv"
            call(given, "data", "lists", "novelcraft", world, *options, "--out", table)
            call(given, "extract", world, "--single-pictures", "--segments", table, "--pixels", given.size, "--out", out, "--quiet")
    states = given.runs / "datasets/craft_states"
    if not states.exists():
        call(given, "data", "import", "novelcraft", world, "--variant", "states", "--set", "history=5", "--out", states)


def run(given, name):
    out = given.runs / name
    if not (out / "measures.csv").exists():
        began = time.monotonic()
        lines = [line[4:].strip() for line in open(ROOT / f"experiments/novelcraft/{name}.yaml") if line.startswith("  - ")]
        lines = [line for line in lines if not any(f"name: {arm}," in line for arm in given.without)]
        narrow = ["--set", f"predictors=[{', '.join(lines)}]"]
        for place, line in enumerate(lines):
            if "patch_autoencoder" in line:
                narrow += ["--set", f"predictors.{place}.detector.width={given.width}"]
        call(given, "run", ROOT / f"experiments/novelcraft/{name}.yaml", "--data", given.runs / "datasets", "--out", out, "--force",
             "--quiet", "--no-report", *narrow)
        (out / "seconds.txt").write_text(f"{time.monotonic() - began:.0f}")
    values = {}
    for row in csv.DictReader(open(out / "measures.csv")):
        if row["value"] and row["split"] == "test" and row["novel_to"] == "predictor" and row["step"] in ("0", "all"):
            values[row["predictor"], row["phase"], row["view"], row["measure"]] = float(row["value"])
    return values


def arms(values):
    return list(dict.fromkeys(key[0] for key in values))


def number(value, form="{:.3f}"):
    return "-" if value is None else form.format(value)


def detection(values, measures):
    return {arm: [values.get((arm, "detect", "detection", m)) for m in measures] for arm in arms(values)}


def table(header, rows):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header), *("| " + " | ".join(r) + " |" for r in rows), ""]


def counts(given):
    shares = [float(r["novel_percent"]) for r in csv.DictReader(open(given.runs / "craft/targets.csv"))]
    return len(shares), sum(s >= 0.01 for s in shares)


def page(given, found):
    rows, visible = counts(given)
    ran = {arm for values in found.values() for arm in arms(values)}
    widths = [f"Patch autoencoders begin with {given.width} maps (published: 32)."] if any("autoencoder" in arm for arm in ran) else []
    left = [f"Not run here: {', '.join(f'`{arm}`' for arm in given.without)}."] if given.without else []
    lines = ["# NovelCraft on a generated world", "",
             "The experiments of NovelCraft on a world in its layout that is drawn and played here (`tyto data make novelcraft --seed 3`,",
             f"{given.size} x {given.size} pixels, {given.episodes} episodes of each class of gameplay, {given.item_episodes} of each item, {given.plus} of NovelCraft+: {rows} frames of",
             f"classes other than `normal`, {visible} of them with 1 % of the new block in sight).",
             *widths, *left, "Made by `tools/novelcraft_results.py`. Printed values are of the published frames and of networks that this page does not have: they",
             "tell the order of size, nothing more. One seed; networks start from drawn weights and learn for minutes, not days.", "",
             "## Single frames", "",
             "Five kinds of frames are normal, five others are new in validation, the rest in the test (Tables 3 and E.1). Recall and false",
             "alarms at the threshold that 1 in 100 normal validation frames reaches.", ""]
    for name, which in (("visual", 0), ("visual_plus", 1)):
        lines += ["With NovelCraft+:" if which else "Base:", ""]
        body = []
        for arm, values in detection(found[name], FRAMES).items():
            printed = PRINTED.get(arm)
            body.append([f"`{arm}`", *(number(v) for v in values[:-1]), number(values[-1], "{:.0f}"),
                         f"{printed[which]:.2f}" if printed else "-"])
        lines += table(["detector", "AUROC", "AP", "TNR at TPR 95", "TPR at PPV 80", "recall 1/100", "alarms 1/100", "distinct scores",
                        "AUROC printed, %"], body)
    lines += ["## Episodes", "",
              "The game itself changes: fences, easy trees, a supplier, a thief (Table 4). The score of an episode is the greatest of its frames;",
              "beside it a running mean, CUSUM and a martingale. Delay in frames, mean over kinds of novelty, where 95 % of the novel episodes are",
              "found.", ""]
    body = []
    for name in ("episodes", "symbolic"):
        for arm, values in detection(found[name], EPISODES).items():
            printed = PRINTED_EPISODES.get(arm)
            body.append([f"{'pictures' if name == 'episodes' else 'states'}: `{arm}`", *(number(v) for v in values[:4]), number(values[4], "{:.1f}"),
                         number(values[5]), f"{printed[0]:.2f}" if printed else "-", f"{printed[1]:.2f}" if printed else "-"])
    lines += table(["detector", "AUROC", "running mean", "CUSUM", "martingale", "delay", "never", "AUROC printed, %", "delay printed"], body)
    if given.times:
        lines += ["## Time", "", "Seconds of each experiment, all detectors, learning and scoring:", ""]
        lines += table(["experiment", "seconds"], [[n, (given.runs / n / "seconds.txt").read_text()] for n in found])
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tyto", type=pathlib.Path, default=ROOT / "build/release/tyto")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/novelcraft")
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--episodes", type=int, default=16)
    parser.add_argument("--item-episodes", type=int, default=3)
    parser.add_argument("--plus", type=int, default=16)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--without", type=lambda text: [arm for arm in text.split(",") if arm], default=[])
    parser.add_argument("--times", action="store_true", help="of a machine that does nothing else")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    given.tyto = given.tyto.resolve()
    given.runs = given.runs.resolve()
    given.runs.mkdir(parents=True, exist_ok=True)
    prepare(given)
    text = page(given, {name: run(given, name) for name in ("visual", "visual_plus", "episodes", "symbolic")})
    if given.write:
        (ROOT / "docs/results/novelcraft.md").write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
