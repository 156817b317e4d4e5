#!/usr/bin/env python3
"""Runs what docs/results/video.md tells and writes it.

  tools/video_results.py [--build build/release] [--data ../shared/data] [--runs runs/video] [--only PART ...] [--write]

Parts: clips (features of the real clips against those expected), speed (decoding and networks, alone on the machine), training (drawn
clips, networks of pictures and of clips), end_to_end (class after class from pictures), nuisance, reliability, activities (photographs
and clips in an open world). A part that is done is not done again: remove its file in the runs' folder to repeat it. --write
writes the page from what there is."""
import argparse
import array
import csv
import gzip
import json
import math
import os
import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
T_95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}


class Part:
    """A part's answers, kept as JSON in the runs' folder."""

    def __init__(self, given, name):
        self.file = given.runs / f"{name}.json"
        self.done = self.file.exists()
        self.value = json.loads(self.file.read_text()) if self.done else {}

    def keep(self, value):
        self.value = value
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(value, indent=1))


def call(given, *words, **more):
    return subprocess.run([str(given.build / "tyto"), *map(str, words)], check=True, text=True, capture_output=True, **more).stdout


def read_npy(path):
    content = path.read_bytes()
    header = struct.unpack("<H", content[8:10])[0]
    values = array.array("f")
    values.frombytes(content[10 + header:])
    return values


def index_of(dataset):
    with gzip.open(dataset / "index.csv.gz", "rt") as file:
        return list(csv.DictReader(file))


def describe_mobilenet(given):
    file = given.runs / "mobilenet.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    network = os.path.relpath(given.data / "backbone/mobilenetv2_coco_backbone.onnx", given.runs)
    file.write_text(f"network: {network}\nrecipe: {{resizer: area, fit: stretch, height: 224, width: 224, crop_height: 0, crop_width: 0, "
                    "mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5], sampling: uniform, clips: 8}\n")
    return file


def extracted_clips(given):
    out = given.runs / "clips"
    if not out.exists():
        call(given, "extract", given.data / "clips", "--backbone", describe_mobilenet(given), "--out", out, "--quiet")
    return out


def do_clips(given, part):
    out = extracted_clips(given)
    rows = index_of(out)
    features = read_npy(out / "features.npy")
    with open(given.data / "clips/index.csv") as file:
        listed = list(csv.DictReader(file))
    place = {row["file"].rsplit(".", 1)[0]: i for i, row in enumerate(listed)}
    expected = array.array("f")
    expected.frombytes((given.data / "clips/expected_mobilenetv2_mean8_f32.bin").read_bytes())
    worst = {}
    for i, row in enumerate(rows):
        j = place[row["id"]]
        ours, theirs = features[i * 1280:(i + 1) * 1280], expected[j * 1280:(j + 1) * 1280]
        distance = math.dist(ours, theirs) / math.hypot(*theirs)
        name = listed[j]["dataset"]
        worst[name] = max(worst.get(name, (0, 0))[0], distance), worst.get(name, (0, 0))[1] + 1
    part.keep({name: {"clips": count, "distance": distance} for name, (distance, count) in sorted(worst.items())})


def do_speed(given, part):
    out = {}
    for name, words in [("video", [given.data / "clips", given.data / "backbone/mobilenetv2_coco_backbone.onnx"]), ("backbone", [])]:
        program = given.build / "bench" / f"{name}_bench"
        if not program.exists():
            sys.exit(f"{program} is not there; configure with -DTYTO_BENCH=ON")
        answer = subprocess.run([str(program), *map(str, words)], check=True, text=True, capture_output=True)
        out[name] = answer.stdout
    part.keep(out)


def make_clips(given, name, told_by, seed=1):
    out = given.runs / f"made_{name}_{seed}"
    if not out.exists():
        call(given, "data", "make", "clips", "--set", f"told_by={told_by}", "--set", "classes=8", "--set", "videos=40", "--seed", seed, "--as",
             "dataset", "--out", out)
    return out


def do_training(given, part):
    out = []
    for told_by in ["appearance", "motion"]:
        for network, what in [("cnn_small", "pictures"), ("resnet_small_8", "pictures"), ("i3d_small", "clips"), ("p3d_small", "clips")]:
            segments = 16 if network == "p3d_small" else 8
            rights = []
            for seed in [1, 2, 3]:
                data = make_clips(given, told_by, told_by, seed)
                answer = json.loads(call(given, "train-backbone", data, "--backbone", network, "--set", "epochs=25", "--set", "batch=16",
                                         "--set", f"segments={segments}", "--set", "patience=0", "--seed", seed, "--json", "--quiet", "--out",
                                         given.runs / f"{network}_{told_by}_{seed}.safetensors"))
                rights.append(answer["test_accuracy"])
            out.append({"told_by": told_by, "network": network, "sees": what, "test": rights})
            print(told_by, network, rights, file=sys.stderr)
    part.keep({"rows": out})


def run_of(given, experiment, name, *settings):
    out = given.runs / name
    if not (out / "spread.csv").exists() and not (out / "summary.csv").exists():
        call(given, "run", ROOT / "experiments/video" / f"{experiment}.yaml", "--out", out, "--quiet",
             *(word for setting in settings for word in ("--set", setting)), *(["--resume"] if (out / "experiment.yaml").exists() else []))
    return out


def run_values(given, out, measures):
    answer = json.loads(call(given, "measure", out, "--measures", ",".join(measures), "--json", "--quiet"))
    return answer


def do_end_to_end(given, part):
    out = {}
    for told_by in ["appearance", "motion"]:
        for trim in ["trimmed", "untrimmed"]:
            world = f"world={{kind: clips, classes: 10, videos: 24, told_by: {told_by}, tasks: 5, trim: {trim}}}"
            out[f"{told_by}, {trim}"] = final_accuracies(run_of(given, "end_to_end", f"cil_{told_by}_{trim}", world))
            print(told_by, trim, out[f"{told_by}, {trim}"], file=sys.stderr)
    for frames in [4, 16, "all"]:
        kept = 160
        memory = f"{{name: herding, budget: {kept}, unit: frames, frames: {frames}}}" if frames != "all" else f"{{name: herding, budget: {kept}, unit: frames}}"
        world = "world={kind: clips, classes: 10, videos: 24, told_by: appearance, tasks: 5, trim: untrimmed}"
        settings = [world, f"predictors.1.memory={memory}", f"predictors.2.memory={memory}"]
        out[f"appearance, untrimmed, {frames} frames"] = final_accuracies(run_of(given, "end_to_end", f"cil_frames_{frames}", *settings))
        print(frames, out[f"appearance, untrimmed, {frames} frames"], file=sys.stderr)
    part.keep(out)


def final_accuracies(out):
    """Mean and half of a 95 % interval over seeds of the final average accuracy, by arm."""
    values = {}
    with open(out / "spread.csv") as file:
        for row in csv.DictReader(file):
            if row["measure"] == "task_accuracy" and row["step"] == "all" and row["view"] == "raw" and row["phase"] == "post":
                values[row["predictor"]] = [float(row["mean"]), float(row["deviation"] or 0), int(row["runs"])]
    return values


def do_nuisance(given, part):
    out = run_of(given, "nuisance", "nuisance")
    losses = {}
    with open(out / "spread.csv") as file:
        for row in csv.DictReader(file):
            if row["measure"] in ("nuisance_loss", "nuisance_loss_mcc"):
                losses.setdefault(row["predictor"], {}).setdefault(row["split"], {})[row["measure"]] = [float(row["mean"]), float(row["deviation"] or 0)]
    data = given.runs / "made_head"
    videos = given.runs / "made_head_videos"
    if not videos.exists():
        call(given, "data", "make", "clips", "--set", "told_by=appearance", "--set", "classes=8", "--set", "videos=40", "--seed", 1, "--as",
             "videos", "--out", videos)
    names = ["blur", "flip", "invert", "jitter", "noise", "perspective", "rotation"]
    if not data.exists():
        network = given.runs / "cnn_small_appearance_1.safetensors"
        call(given, "extract", videos / "videos", "--segments", videos / "segments.csv", "--backbone", network, "--logits", "--quiet", "--out", data,
             *(word for name in names for word in ("--nuisance", name)))
    head = json.loads(call(given, "measure", "--head", data, "--head-split", "test", "--json"))
    part.keep({"owl": losses, "head": head})


def do_activities(given, part):
    clips = extracted_clips(given)
    projected = given.runs / "data" / "clips"
    if not projected.exists():
        # y = (x - mean) components', as the photographs' features were made
        table = array.array("f")
        table.frombytes(gzip.decompress((given.data / "activity_images/pca_f32.bin.gz").read_bytes()))
        mean, rows = table[:1280], [table[1280 * (k + 1):1280 * (k + 2)] for k in range(128)]
        features = read_npy(clips / "features.npy")
        with open(given.data / "clips/index.csv") as file:
            label = {row["file"].rsplit(".", 1)[0]: row["label"] for row in csv.DictReader(file)}
        projected.mkdir(parents=True)
        with open(projected / "clips.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "label", "split", *(f"p{k}" for k in range(128))])
            for i, row in enumerate(index_of(clips)):
                x = [v - m for v, m in zip(features[i * 1280:(i + 1) * 1280], mean)]
                writer.writerow([row["id"], label[row["id"]], "test" if i % 2 else "train", *(sum(a * b for a, b in zip(x, r)) for r in rows)])
        (projected / "dataset.yaml").write_text("name: clips\nsummary: real clips, projected\nindex: clips.csv\nfeatures:\n  - {source: features, columns: [p0..p127]}\n")
    images = given.runs / "data" / "activity_images"
    if not images.exists():
        call(given, "data", "import", "activity_images", given.data / "activity_images", "--out", images)
    out = given.runs / "activities"
    if not (out / "spread.csv").exists():
        call(given, "run", ROOT / "experiments/video/activities.yaml", "--out", out, "--quiet", "--data", given.runs / "data")
    rows = []
    with open(out / "spread.csv") as file:
        for row in csv.DictReader(file):
            if row["measure"] in ("novelty_auroc", "accuracy") and row.get("phase", "") in ("post", "") and row["split"] == "test":
                rows.append({key: row[key] for key in row})
    part.keep({"rows": rows})


PARTS = {"clips": do_clips, "speed": do_speed, "training": do_training, "end_to_end": do_end_to_end, "nuisance": do_nuisance, "activities": do_activities}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/video")
    parser.add_argument("--only", nargs="*", choices=list(PARTS))
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for name, do in PARTS.items():
        part = Part(given, name)
        if not given.write and not part.done and (not given.only or name in given.only):
            print(name, file=sys.stderr)
            do(given, part)


if __name__ == "__main__":
    main()
