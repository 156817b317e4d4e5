#!/usr/bin/env python3
"""Runs what docs/results/video.md tells and writes it.

  tools/video_results.py [--build build/release] [--data ../shared/data] [--runs runs/video] [--only PART ...] [--write]

Parts: clips (features of the real clips against those expected), speed (decoding and networks, alone on the machine), training (drawn
clips, networks of pictures and of clips), end_to_end (class after class from pictures), nuisance, activities (photographs and
clips in an open world). A part that is done is not done again: remove its file in the runs' folder to repeat it. --write
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
    for name in ["video", "backbone"]:
        program = given.build / "bench" / f"{name}_bench"
        if not program.exists():
            sys.exit(f"{program} is not there; configure with -DTYTO_BENCH=ON")
        answer = subprocess.run([str(program)], check=True, text=True, capture_output=True, cwd=ROOT)
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
        for network, what in [("cnn_small", "pictures"), ("i3d_small", "clips")]:
            rights = []
            for seed in [1, 2, 3]:
                data = make_clips(given, told_by, told_by, seed)
                answer = json.loads(call(given, "train-backbone", data, "--backbone", network, "--set", "epochs=25", "--set", "batch=16",
                                         "--set", "segments=8", "--set", "patience=0", "--seed", seed, "--json", "--quiet", "--out",
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
    part.keep({"methods": out, "frames": final_accuracies(run_of(given, "frames", "cil_frames"))})


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
    head = json.loads(call(given, "measure", "--head", data, "--split", "test", "--json"))
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
    part.keep({"table": call(given, "report", out, "--markdown").split("\n\n")[0]})


PARTS = {"clips": do_clips, "speed": do_speed, "training": do_training, "end_to_end": do_end_to_end, "nuisance": do_nuisance, "activities": do_activities}


def percent(values):
    mean = 100 * sum(values) / len(values)
    if len(values) < 2:
        return f"{mean:.1f}"
    deviation = math.sqrt(sum((100 * v - mean) ** 2 for v in values) / (len(values) - 1))
    return f"{mean:.1f} ±{T_95[len(values) - 1] * deviation / math.sqrt(len(values)):.1f}"


def spread_text(mean, deviation, runs):
    return f"{100 * mean:.1f}" + (f" ±{100 * T_95[runs - 1] * deviation / math.sqrt(runs):.1f}" if runs > 1 else "")


def page_clips(value):
    yield "## Features of real clips\n"
    yield "`tyto extract` with the MobileNetV2 on 45 clips of three collections, the mean of 8 frames each, against features computed with OpenCV's own"
    yield "decoder and resizer: largest relative distance. The expected values hold to rounding.\n"
    yield "| collection | clips | distance |"
    yield "|---|---:|---:|"
    for name, row in value.items():
        yield f"| {name} | {row['clips']} | {row['distance']:.1e} |"


def page_speed(value):
    yield "## Speed\n"
    yield "Two cores, alone on the machine. `bench/video_bench`: decoding against `ffmpeg -f null` on the same files, and extraction against the network alone."
    yield "`bench/backbone_bench`: networks at batch 8 against the machine's own matrix product in the same run.\n"
    for name in ("video", "backbone"):
        yield "```"
        yield value[name].strip()
        yield "```\n"


def page_training(value):
    yield "## Networks that learn\n"
    yield "`tyto train-backbone` on drawn clips (8 classes x 40 videos of 32 x 32 pixels, 25 epochs from drawn weights, people apart): share of the test"
    yield "right in percent, ± half of a 95 % interval over three worlds. The world allows above 99 %; chance is 12.5. A network of pictures sees the mean over"
    yield "frames, which told by motion says nothing.\n"
    yield "| network | sees | told by appearance | told by motion |"
    yield "|---|---|---:|---:|"
    rows = {}
    for row in value["rows"]:
        rows.setdefault((row["network"], row["sees"]), {})[row["told_by"]] = percent(row["test"])
    for (network, sees), row in rows.items():
        yield f"| `{network}` | {sees} | {row['appearance']} | {row['motion']} |"


def page_end_to_end(value):
    yield "## Class after class, from pictures\n"
    yield "`experiments/video/end_to_end.yaml`: 10 classes of drawn clips in 5 tasks; the network (`cnn_small`, of pictures; `i3d_small` for `naive-clips`) learns with every"
    yield "task, 8 epochs each, and remembers 160 frames. Accuracy after the last task in percent, mean over the tasks, two seeds: Student's interval of two is as wide as it must be.\n"
    arms = list(next(iter(value["methods"].values())))
    yield "| clips | " + " | ".join(f"`{arm}`" for arm in arms) + " |"
    yield "|---|" + "---:|" * len(arms)
    for name, row in value["methods"].items():
        yield f"| {name} | " + " | ".join(spread_text(*row[arm]) for arm in arms) + " |"
    yield ""
    yield "`experiments/video/frames.yaml`: `icarl` on untrimmed clips told by appearance; the same 160 frames, few of many videos or all of few.\n"
    yield "| frames of a video | plain | with temporal consistency |"
    yield "|---|---:|---:|"
    for name in ["k4", "k8", "k16", "all"]:
        yield f"| {name.lstrip('k')} | {spread_text(*value['frames'][name])} | {spread_text(*value['frames'][name + '-tc'])} |"
    yield ""


def page_nuisance(value):
    yield "## Nuisance\n"
    yield "Drawn clips told by appearance. Left, a network's own classes on the test clips and on the same clips transformed (`tyto extract --nuisance`, `tyto measure"
    yield "--head`; paired intervals over people): what Fig. 13's caption says. Right, the accuracy that a recogniser in the open world loses"
    yield "(`experiments/video/nuisance.yaml`; over all increments, three seeds): what the paper's text describes. In percent; the paper prints no ranges, so sizes cannot be compared with its own.\n"
    head = value["head"]["rows"]
    arms = list(value["owl"])
    yield "| nuisance | accuracy of the head | lost | " + " | ".join(f"lost by `{arm}`" for arm in arms) + " |"
    yield "|---|---:|---:|" + "---:|" * len(arms)
    yield f"| none | {100 * head[0]['accuracy']:.1f} | |" + " |" * len(arms)
    for row in head[1:]:
        low, high = row["accuracy_interval"]
        cells = []
        for arm in arms:
            entry = value["owl"][arm].get("test:" + row["nuisance"], {}).get("nuisance_loss")
            cells.append(f"{100 * entry[0]:.1f}" if entry else "")
        yield (f"| `{row['nuisance']}` | {100 * row['accuracy']:.1f} | {0.0 - 100 * row['accuracy_difference']:.1f} [{0.0 - 100 * high:.1f}, {0.0 - 100 * low:.1f}] | "
               + " | ".join(cells) + " |")


def page_activities(value):
    yield "## Photographs and clips in an open world\n"
    yield "`experiments/video/activities.yaml`: 37 activities known from photographs, then 45 real clips of activities that are mostly new, all by one network. 22 clips are"
    yield "tests: this shows that the way from files to an open-world run is whole, and little more.\n"
    yield value["table"].strip()


PAGES = {"clips": page_clips, "speed": page_speed, "training": page_training, "end_to_end": page_end_to_end, "nuisance": page_nuisance,
         "activities": page_activities}


def write_page(given):
    lines = ["# From pictures and video to features", "", "Every number here is made by `tools/video_results.py`.", ""]
    for name, page in PAGES.items():
        part = Part(given, name)
        if part.done:
            lines += [*page(part.value), ""]
    (ROOT / "docs/results/video.md").write_text("\n".join(lines).rstrip() + "\n")


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
    write_page(given)


if __name__ == "__main__":
    main()
