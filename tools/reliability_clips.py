"""Drawn clips for tools/reliability_results.py: common and rare actions, three splits by people, and a small I3D and P3D trained for
each split, as Drive&Act has them in large. What is there already is not made again."""
import csv

NETWORKS = {"clips_i3d": "i3d_small", "clips_p3d": "p3d_small"}
WORLD = ["told_by=both", "classes=12", "videos=180", "subjects=15", "scenes=5", "noise=50", "subject_spread=0.6"]
MOST, LEAST = 180, 18  # videos of a class; sizes fall geometrically
PEOPLE, TESTED = 15, 5  # of each split a third of the people teaches, a third calibrates, a third is tested
TRAINING = ["epochs=20", "batch=16", "segments=8", "validation=0"]
SEED = 718


def datasets(name):
    return [f"{name}_split{k}" for k in (1, 2, 3)]


def option(key):
    return dict(setting.split("=") for setting in WORLD)[key]


def settings(words):
    return [word for setting in words for word in ("--set", setting)]


def side(person, split):
    """Everybody is tested once, calibrates once and teaches once."""
    return ("test", "validate", "train")[(person // TESTED - (split - 1)) % (PEOPLE // TESTED)]


def write_lists(videos, out):
    """segments.csv of the drawn videos, as many of each class as it may have, once for each split: all of it, and without the
    samples that calibrators are fitted on, so that no network has looked at them."""
    with open(videos / "segments.csv") as file:
        rows = list(csv.DictReader(file))
    classes = sorted({row["label"] for row in rows})
    size = {label: round(MOST * (LEAST / MOST) ** (i / (len(classes) - 1))) for i, label in enumerate(classes)}
    seen = dict.fromkeys(classes, 0)
    kept = []
    for row in rows:
        seen[row["label"]] += 1
        if seen[row["label"]] <= size[row["label"]]:
            kept.append(row)
    for split in (1, 2, 3):
        for list_name in ("all", "taught"):
            with open(out / f"{list_name}_split{split}.csv", "w", newline="") as file:
                writer = csv.DictWriter(file, ["video", "start", "end", "label", "group", "split"], extrasaction="ignore", lineterminator="\n")
                writer.writeheader()
                for row in kept:
                    of = side(int(row["group"].split()[-1]) - 1, split)
                    if list_name == "all" or of != "validate":
                        writer.writerow(row | {"split": of})


def make(call, runs, name):
    """The datasets of an experiment in runs/data: features z and logits y of the network of each split."""
    work = runs / "clips"
    work.mkdir(parents=True, exist_ok=True)
    videos = work / "made"
    if not videos.exists():
        call("data", "make", "clips", *settings(WORLD), "--seed", SEED, "--as", "videos", "--out", videos)
    write_lists(videos, work)
    for split, dataset in enumerate(datasets(name), 1):
        pictures, network = work / f"pictures_split{split}", work / f"{dataset}.safetensors"
        if not pictures.exists():
            call("extract", videos / "videos", "--segments", work / f"taught_split{split}.csv", "--pixels", 32, "--quiet", "--out", pictures)
        if not network.exists():
            call("train-backbone", pictures, "--backbone", NETWORKS[name], *settings(TRAINING), "--seed", split, "--quiet", "--out", network)
        if not (runs / "data" / dataset).exists():
            call("extract", videos / "videos", "--segments", work / f"all_split{split}.csv", "--backbone", network, "--logits", "--quiet",
                 "--out", runs / "data" / dataset)
