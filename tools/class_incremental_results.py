#!/usr/bin/env python3
"""Runs experiments/class_incremental/*.yaml on the sets that can be had and writes docs/results/class-incremental.md.

  tools/class_incremental_results.py [--tyto build/release/tyto] [--data ../shared/data] [--runs runs/class_incremental] [--only SET ...]
                                     [--questions methods frames strength probes open_world] [--jobs N] [--write]

A run that is done is not run again. Numbers are of the test samples, after the last task, in percent; +- half of a 95 %
interval over seeds (Student's t). --write writes the page from what has been run, without running anything; sections of
questions that were not run stay as they are."""
import argparse
import collections
import csv
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/results/class-incremental.md"
T_95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}

SEQUENCES = "{kind: sequences, classes: 20, videos: 40, "
# name -> importer, variant, world, seeds, what it is
SETS = {
    "appearance": (None, None, SEQUENCES + "told_by: appearance, tasks: 10}", 5, "made: frames tell"),
    "motion": (None, None, SEQUENCES + "told_by: motion, tasks: 10}", 5, "made: order tells"),
    "both": (None, None, SEQUENCES + "told_by: both, tasks: 10}", 5, "made: both tell"),
    "both-20": (None, None, SEQUENCES + "told_by: both, tasks: 20}", 5, "the same in 20 tasks"),
    "both-untrimmed": (None, None, SEQUENCES + "told_by: both, tasks: 10, trim: untrimmed}", 5, "the same, untrimmed"),
    "scene": (None, None, SEQUENCES + "told_by: motion, scenes: 20, scene_bias: 0.9, scene_spread: 1, tasks: 10}", 5,
              "made: the scene tells"),
    "sfinge3d": ("sfinge3d", "dictionary", "{kind: tasks, tasks: 6}", 5, "13 hand gestures"),
    "sfinge3d-trimmed": ("sfinge3d", "untrimmed", "{kind: tasks, tasks: 6}", 3, "the same out of sequences"),
    "sfinge3d-untrimmed": ("sfinge3d", "untrimmed", "{kind: tasks, tasks: 6, trim: untrimmed}", 3, "with what is around"),
    "ucf101": ("ucf101_vgg16_frames", "split1", "{kind: tasks, tasks: 5}", 5, "15 classes, VGG16, official split 1"),
    "ucf101-leaky": ("ucf101_vgg16_frames", "random", "{kind: tasks, tasks: 5, groups: ignore}", 2, "the same, random by video"),
    "utd_mhad": ("utd_mhad", "frames", "{kind: tasks, tasks: 9}", 3, "27 actions, skeleton"),
    "isl_kinect30": ("isl_kinect30", None, "{kind: tasks, tasks: 10}", 3, "30 signs, skeleton"),
    "sisfall": ("sisfall", None, "{kind: tasks, tasks: 10}", 3, "34 activities and falls, waist sensor"),
    "wear-trimmed": ("wear_untrimmed", "odd_even", "{kind: tasks, tasks: 6}", 3, "18 sports, four accelerometers"),
    "wear-untrimmed": ("wear_untrimmed", "odd_even", "{kind: tasks, tasks: 6, trim: untrimmed}", 3, "with what is around"),
    "mocap6": ("mocap6", "segments", "{kind: tasks, tasks: 4, groups: ignore}", 3, "12 exercises, 38 segments"),
    "house_a": ("house_sensors", "A", "{kind: tasks, tasks: 4}", 3, "8 activities at home, binary sensors"),
}
CHOSEN_ON = {"appearance", "motion", "both", "both-20", "both-untrimmed", "scene", "sfinge3d", "ucf101"}
FRAME_SETS = ["both", "both-untrimmed", "scene", "ucf101", "sfinge3d-untrimmed", "utd_mhad", "wear-untrimmed"]
STRENGTH_SETS = ["appearance", "ucf101"]
PROBE_SETS = ["appearance", "motion", "both", "scene", "ucf101", "ucf101-leaky", "utd_mhad", "isl_kinect30", "sfinge3d", "sisfall"]
QUESTIONS = {"methods": list(SETS), "frames": FRAME_SETS, "strength": STRENGTH_SETS, "probes": PROBE_SETS}
NOT_IN_METHODS = {"ucf101-leaky"}


def imported(tyto, data, runs, importer, variant):
    made = runs / "data" / (importer + (f"_{variant}" if variant else ""))
    if not made.exists():
        source = data / importer
        if not source.exists():
            print(f"{importer}: left out, {source} is not there", file=sys.stderr)
            return None
        subprocess.run([tyto, "data", "import", importer, source, "--out", made,
                        *(["--variant", variant] if variant else [])], check=True, stdout=subprocess.DEVNULL)
    return made


def run(tyto, data, runs, question, name, jobs):
    importer, variant, world, seeds, _ = SETS[name]
    out = runs / question / name
    if (out / "spread.csv").exists():
        return
    setting = ["--set", f"world={world}", "--set", f"seeds=[{', '.join(str(s + 1) for s in range(seeds))}]"]
    if question == "probes":
        setting[-1] = "seeds=[1, 2]"
    if importer:
        made = imported(tyto, data, runs, importer, variant)
        if made is None:
            return
        setting += ["--set", f"data={made}"]
    subprocess.run([tyto, "run", ROOT / "experiments/class_incremental" / f"{question}.yaml", "--out", out, "--jobs", str(jobs), *setting,
                    *(["--resume"] if (out / "experiment.yaml").exists() else [])],
                   check=True, stdout=subprocess.DEVNULL)


def read(out):
    """values[arm][measure] = list by seed, after the last task; phase post, or aware for task_aware_accuracy."""
    values = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted(out.glob("seed-*/measures.csv")):
        with open(path) as f:
            for row in csv.DictReader(f):
                if row["step"] == "all" and row["split"] == "test" and row["phase"] in ("post", "aware") and row["value"]:
                    if row["view"] == "raw":
                        values[row["predictor"]][row["measure"]].append(100 * float(row["value"]))
    return values


def seconds_of(out):
    """Mean seconds of an arm, learning and predicting."""
    times = collections.defaultdict(float)
    seeds = 0
    for path in sorted(out.glob("seed-*/times.csv")):
        seeds += 1
        with open(path) as f:
            for row in csv.DictReader(f):
                times[row["arm"].split("_feedback")[0]] += float(row["learn"])
    return {arm: value / seeds for arm, value in times.items()} if seeds else {}


def mean(v):
    return sum(v) / len(v)


def half(v):
    if len(v) < 2:
        return 0.0
    m = mean(v)
    s = math.sqrt(sum((x - m) ** 2 for x in v) / (len(v) - 1))
    return T_95.get(len(v) - 1, 1.96) * s / math.sqrt(len(v))


def cell(v, with_interval=True):
    if not v:
        return "-"
    return f"{mean(v):.1f}" + (f" ±{half(v):.1f}" if with_interval and len(v) > 1 else "")


def paired(a, b):
    """Mean difference a - b over the seeds, and half of its interval."""
    d = [x - y for x, y in zip(a, b)]
    return mean(d), half(d)


def table(rows):
    head, *body = rows
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])


def arms_of(results):
    arms = []
    for values in results.values():
        arms += [a for a in values if a not in arms]
    return arms


def kept(heading):
    """That section of the page as it is; nothing where it has none."""
    _, found, rest = PAGE.read_text().partition("\n" + heading)
    return found + rest.partition("\n## ")[0].rstrip() if found else ""


def page(tyto, runs):
    results = {q: {n: read(runs / q / n) for n in names if (runs / q / n / "spread.csv").exists()} for q, names in QUESTIONS.items()}
    parts = [(ROOT / "tools/class_incremental_results.head.md").read_text().rstrip()]
    acc, bwf = "task_accuracy", "backward_forgetting"

    methods = results["methods"]
    if methods:
        arms = arms_of(methods)
        parts.append("## Method by set\n\nFinal accuracy, mean over the tasks, then backward forgetting (published form).\n")
        parts.append(table([["set", *arms]] + [[n + ("" if n in CHOSEN_ON else " †"), *(cell(v[a][acc]) for a in arms)]
                                               for n, v in methods.items()]))
        parts.append("\n" + table([["forgetting", *arms]] + [[n, *(cell(v[a][bwf], False) for a in arms)] for n, v in methods.items()]))
        learners = [a for a in arms if not a.startswith("joint")]
        lines = []
        for n, v in methods.items():
            own = v["tyto-cil"][acc]
            rivals = [a for a in learners if a != "tyto-cil" and v[a][acc]]
            best = max(rivals, key=lambda a: mean(v[a][acc]))
            d, h = paired(own, v[best][acc])
            verdict = "first" if d > h else "behind" if d < -h else "level"
            lines.append([n + ("" if n in CHOSEN_ON else " †"), best, f"{d:+.1f} ±{h:.1f}", verdict])
        parts.append("\n### `tyto-cil` against the best other method of each set\n\nDifference of final accuracy, paired by seed. The rival is "
                     "picked after the fact, on the same numbers, which is hard on `tyto-cil`.\n")
        parts.append(table([["set", "best other", "difference", "verdict"]] + lines))
        cost = seconds_of(runs / "methods" / "both")
        if cost:
            parts.append("\n### Cost\n\nSeconds of learning in ten tasks of `both` (mean over seeds; one thread, other work beside it).\n")
            parts.append(table([["method", *cost], ["seconds", *(f"{s:.1f}" for s in cost.values())]]))
    else:
        parts.append(kept("## Method by set"))
    frames = results["frames"]
    if frames:
        arms = arms_of(frames)
        parts.append("\n## Which frames\n\niCaRL, 16 frames per class: k frames of 16/k videos. `tc`: temporal consistency as in the paper. Names after a "
                     "dash: how frames (k_centre, typical, foreground, condensed) or videos (random, else herding) are chosen. Final accuracy.\n")
        parts.append(table([["set", *arms]] + [[n, *(cell(v[a][acc]) for a in arms)] for n, v in frames.items()]))
        lines = []
        for n, v in frames.items():
            row = [n]
            for a, b in (("k4-tc", "k4"), ("k1", "k4"), ("k4-kcentre", "k4"), ("k4-typical", "k4"), ("k4-foreground", "k4"), ("k4-condensed", "k4"), ("k4", "k4-random")):
                d, h = paired(v[a][acc], v[b][acc])
                row.append(f"{d:+.1f} ±{h:.1f}")
            lines.append(row)
        parts.append("\nDifferences, paired by seed:\n")
        parts.append(table([["set", "consistency (k4)", "1 frame of 16 videos - 4 of 4", "k-centre - uniform", "typical - uniform", "foreground - uniform",
                             "condensed - uniform", "herding - random"]] + lines))
    else:
        parts.append(kept("## Which frames"))
    strength = results["strength"]
    if strength:
        for n, v in strength.items():
            parts.append(f"\n## EWC and MAS over their strength: {n}\n\nAccuracy of the last task, of all earlier ones, and of all with the task told.\n" if n == next(iter(strength))
                         else f"\n{n}:\n")
            parts.append(table([["", *v]] + [[t, *(cell(v[a][m]) for a in v)] for t, m in
                                            (("new", "new_accuracy"), ("old", "old_accuracy"), ("task told", "task_aware_accuracy"))]))
    else:
        parts.append(kept("## EWC and MAS over their strength"))
    probes = results["probes"]
    if probes:
        arms = arms_of(probes)
        parts.append("\n## What tells the classes\n\nJoint training: on one frame, on eight, on eight with their changes, on changes of frames in random order; "
                     "`linear`: eight frames, no encoder. The difference between the two rows of UCF101 is the leak of a random partition.\n")
        parts.append(table([["set", *arms]] + [[n, *(cell(v[a][acc]) for a in arms)] for n, v in probes.items()]))
    else:
        parts.append(kept("## What tells the classes"))
    open_world = runs / "open_world"
    if (open_world / "spread.csv").exists():
        shown = subprocess.run([tyto, "report", open_world, "--markdown"], check=True, capture_output=True, text=True).stdout
        parts.append("\n## Under `owl`\n\n`experiments/class_incremental/open_world.yaml`: iCaRL with a memory of 40 frames per class in an open "
                     "world, 8 classes known at the start, 3 more with each increment, half of the labels asked for; shares, mean over three seeds.\n")
        parts.append(shown.strip())
    else:
        parts.append(kept("## Under `owl`"))
    return "\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tyto", default=ROOT / "build/release/tyto", type=pathlib.Path)
    parser.add_argument("--data", default=ROOT.parent / "shared/data", type=pathlib.Path)
    parser.add_argument("--runs", default=ROOT / "runs/class_incremental", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=list(SETS))
    parser.add_argument("--questions", nargs="*", default=[*QUESTIONS, "open_world"])
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not options.write:
        for question in options.questions:
            for name in QUESTIONS.get(question, []):
                if name in options.only and not (question == "methods" and name in NOT_IN_METHODS):
                    print(f"{question}: {name}", file=sys.stderr, flush=True)
                    run(options.tyto, options.data, options.runs, question, name, options.jobs)
        if "open_world" in options.questions and not (options.runs / "open_world/spread.csv").exists():
            subprocess.run([options.tyto, "run", ROOT / "experiments/class_incremental/open_world.yaml", "--out", options.runs / "open_world",
                            "--jobs", str(options.jobs)], check=True, stdout=subprocess.DEVNULL)
    PAGE.write_text(page(options.tyto, options.runs))


if __name__ == "__main__":
    main()
