#!/usr/bin/env python3
"""Runs experiments/discovery/*.yaml (those whose data can be had) and writes docs/results/discovery.md.

  tools/discovery_results.py [--tyto build/release/tyto] [--data ../shared/data] [--runs runs/discovery] [--only NAME ...]
  tools/discovery_results.py --contrast [--tyto ...] [--runs ...]     docs/results/discovery-contrast.md alone
  tools/discovery_results.py --pictures [--tyto ...] [--runs ...]     the part of it about pictures; the other part stays

A run that is done is not run again. Letters and digits are drawn from the shipped data first: balanced, and with class
sizes that fall tenfold. Where python3-sklearn is installed, its KMeans is run by the same recipe."""
import argparse
import csv
import gzip
import os
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRAWN = {"letters_balanced": ("letters", "letter", 150, 1.0), "letters_imbalanced": ("letters", "letter", 300, 0.1),
         "digits_balanced": ("digits", "digit", 170, 1.0), "digits_imbalanced": ("digits", "digit", 170, 0.1)}
REAL = {"utd_mhad": "utd_mhad", "activity_images": "activity_images"}
COLUMNS = [("All", "hungarian_accuracy"), ("Old", "hungarian_accuracy_known"), ("New", "hungarian_accuracy_novel"),
           ("Old v1", "hungarian_accuracy_known_apart"), ("New v1", "hungarian_accuracy_novel_apart"),
           ("groups", "groups_used"), ("NMI", "nmi"), ("ARI", "ari"), ("swallowed", "swallowed")]
HEAD = """# Category discovery

Written by `tools/discovery_results.py` from the runs of `experiments/discovery/`, protocol [discover](../protocols/discover.md): half of
the classes are known, half of their samples labelled; all other samples are shown without labels and judged (transductive). Mean and
standard deviation over the seeds, each of which draws classes and samples anew. All, Old and New by one matching of groups and
classes (v2); v1 matches old and new apart. Numbers of classes are *given* to the predictor or *estimated* by it.

Letters and digits are the sets the preset `tyto-discover` was composed on: 150 samples a letter, 170 a digit; imbalanced,
class sizes fall from 300 (170) to a tenth, by a drawn order of the classes. The other sets were run once, for reporting.
The preset is `simgcd` in a space learned by contrast. Between the two these sets decide nothing: the same arms on digits, drawn
again under other names, differed by up to 0.11 in All. A set that is missing here has not been run.
`sklearn KMeans` is scikit-learn's, 10 starts, on standardised features of labelled and unlabelled samples together, with the
number of classes given and seeds of its own.
"""

CONTRAST = """# What contrast owes to labels and to its rate

`gcd_contrastive` on the shipped digits, five classes known and five new, their number given; written by
`tools/discovery_results.py --contrast` from `experiments/discovery/contrast.yaml`. `published` weighs the contrast among labelled
samples 0.35 and that among views 0.65, `views-alone` 0 and 1, `labels-alone` 1 and 0; `slow` and `fast` learn at a tenth and at ten times
the rate, `unlearned` not at all. Columns as in [discovery](discovery.md); mean and standard deviation over three seeds.

"""

PICTURES = """## Pictures, end to end

`gcd_network` on pictures of 16 x 16 drawn here: things of ten looks (colour, shape, texture) at any place before any background,
{samples} of them, five looks known and five new, their number given; written by `tools/discovery_results.py --pictures` from
`experiments/discovery/contrast_pictures.yaml`. `cnn_small` learns from nothing, and what it makes of a picture is grouped by k-means. Names
as above; `head-on-pixels` is `gcd_contrastive`, which learns a projection of the pixels, `pixels` is k-means of these. A
view is the picture mirrored and moved, background and all, so that views alone do not teach to pass over the background; labels do.

"""
THINGS = {"told_by": "appearance", "classes": 10, "videos": 40, "width": 16, "height": 16, "background": 0}


def draw_things(args, places):
    """One frame of every drawn video, each at another moment, as a dataset of pictures. Returns how many."""
    out, made = places / "drawn_things", args.runs / "things"
    if not made.exists():
        subprocess.run([args.tyto, "data", "make", "clips", "--seed", "718", "--as", "videos", "--out", made,
                        *(word for key, value in THINGS.items() for word in ("--set", f"{key}={value}"))], check=True)
    with open(made / "segments.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    if not out.exists():
        with open(args.runs / "things.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["video", "first_frame", "end_frame", "label", "group"])
            for i, row in enumerate(rows):
                frame = i % int(row["frames"])
                writer.writerow([row["video"], frame, frame + 1, row["label"], row["group"]])
        subprocess.run([args.tyto, "extract", made / "videos", "--segments", args.runs / "things.csv", "--pixels", str(THINGS["width"]), "--quiet",
                        "--out", out], check=True)
    return len(rows)


def pictures(args):
    places = args.runs.resolve() / "data"
    places.mkdir(parents=True, exist_ok=True)
    samples = draw_things(args, places)
    out = args.runs / "contrast_pictures"
    if not (out / "spread.csv").exists():
        subprocess.run([args.tyto, "run", ROOT / "experiments/discovery/contrast_pictures.yaml", "--out", out, "--quiet", "--no-report", "--data", places,
                        *(["--resume"] if (out / "run.json").exists() else [])], check=True)
    page = ROOT / "docs/results/discovery-contrast.md"
    head = page.read_text().split("\n## Pictures", 1)[0].rstrip() + "\n"
    page.write_text(head + "\n" + PICTURES.format(samples=samples) + table(spread(out / "spread.csv")))


def draw(name, folder):
    """A dataset of some rows of a shipped one, sizes falling geometrically to `least` of the largest."""
    source, column, most, least = DRAWN[name]
    out = folder / name
    if (out / "dataset.yaml").exists():
        return
    out.mkdir(parents=True, exist_ok=True)
    with gzip.open(ROOT / f"datasets/{source}/{source}.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    chance = random.Random(718)
    classes = sorted({row[column] for row in rows})
    chance.shuffle(classes)
    kept = []
    for i, label in enumerate(classes):
        own = [row for row in rows if row[column] == label]
        chance.shuffle(own)
        kept += own[:round(most * least ** (i / (len(classes) - 1)))]
    names = [key for key in rows[0] if key != "split"]
    with open(out / "index.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    first, last = [key for key in names if key != column][0], names[-1]
    (out / "dataset.yaml").write_text(f"name: {name}\nsummary: \"{len(kept)} rows of {source}\"\nindex: index.csv\n"
                                      f"columns: {{label: {column}}}\nfeatures:\n"
                                      f"  - {{source: features, columns: [{first}..{last}]}}\n")


def spread(path):
    """predictor -> measure -> (mean, standard deviation), of the phase discover, split test, raw, over all steps."""
    out = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["phase"] == "discover" and row["split"] == "test" and row["view"] == "raw" and row["step"] == "all":
                if row.get("novel_to", "predictor") == "predictor" and not row.get("group"):
                    out.setdefault(row["predictor"], {})[row["measure"]] = row
    return out


def peer(folder, name):
    """sklearn's KMeans on the same recipe: (mean, deviation) of All, Old, New; None where it is not installed."""
    code = """
import csv, sys, numpy as np
from sklearn.cluster import KMeans
from scipy.optimize import linear_sum_assignment
rows = list(csv.reader(open(sys.argv[1]))); head, rows = rows[0], rows[1:]
at = head.index(sys.argv[2]); y = np.unique([r[at] for r in rows], return_inverse=True)[1]
x = np.array([[float(v) for j, v in enumerate(r) if j != at] for r in rows]); s = x.std(0); s[s == 0] = 1; x = (x - x.mean(0)) / s
k = y.max() + 1; out = []
for seed in (1, 2, 3):
    r = np.random.RandomState(seed); known = np.isin(y, r.permutation(k)[:k // 2]); free = ~(known & (r.rand(len(y)) < 0.5))
    g = KMeans(k, n_init=10, random_state=seed).fit_predict(x)
    m = np.zeros((k, k), int); np.add.at(m, (y[free], g[free]), 1)
    a, b = linear_sum_assignment(-m); right = dict(zip(a, b)); ok = np.array([right[c] == h for c, h in zip(y, g)])
    out.append((ok[free].mean(), ok[free & known].mean(), ok[free & ~known].mean()))
o = np.array(out); print(*o.mean(0), *o.std(0, ddof=1))"""
    found = subprocess.run(["/usr/bin/python3", "-c", code, str(folder / name / "index.csv"), DRAWN[name][1]],
                           capture_output=True, text=True, check=False)
    return [float(x) for x in found.stdout.split()] if found.returncode == 0 else None


def cell(row):
    value = row["mean"] if row and row.get("mean") else ""
    if not value:
        return ""
    deviation = row.get("sd") or row.get("standard_deviation") or row.get("deviation") or ""
    digits = 1 if row["measure"] == "groups_used" else 3
    text = f"{float(value):.{digits}f}"
    return f"{text} ± {float(deviation):.{digits}f}" if deviation else text


def table(found):
    text = "| predictor | " + " | ".join(t for t, _ in COLUMNS) + " |\n|" + "---|" * (len(COLUMNS) + 1) + "\n"
    for predictor, measures in found.items():
        text += f"| `{predictor}` | " + " | ".join(cell(measures.get(measure)) for _, measure in COLUMNS) + " |\n"
    return text


def contrast(args):
    out = args.runs / "contrast"
    if not (out / "spread.csv").exists():
        subprocess.run([args.tyto, "run", ROOT / "experiments/discovery/contrast.yaml", "--out", out, "--quiet", "--no-report"], check=True)
    (ROOT / "docs/results/discovery-contrast.md").write_text(CONTRAST + table(spread(out / "spread.csv")))


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--tyto", type=pathlib.Path, default=ROOT / "build/release/tyto")
    args.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data")
    args.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/discovery")
    args.add_argument("--only", nargs="*")
    args.add_argument("--contrast", action="store_true")
    args.add_argument("--pictures", action="store_true")
    args = args.parse_args()
    if args.contrast:
        contrast(args)
    if args.contrast or args.pictures:
        pictures(args)
        return
    places = args.runs.resolve() / "data"
    places.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, TYTO_DATA=str(places))
    text = HEAD
    for name in [*DRAWN, *REAL]:
        if args.only and name not in args.only:
            continue
        if name in DRAWN:
            draw(name, places)
        elif not (args.data / REAL[name]).exists():
            print(f"{name}: left out, {args.data / REAL[name]} is not there", file=sys.stderr)
            continue
        elif not (places / name).exists():
            subprocess.run([args.tyto, "data", "import", REAL[name], args.data / REAL[name], "--out", places / name],
                           check=True, env=environment)
        text += f"\n## {name.replace('_', ' ')}\n"
        for classes in ["given", "estimated"]:
            out = args.runs / f"{name}_{classes}"
            if not (out / "spread.csv").exists():
                subprocess.run([args.tyto, "run", ROOT / f"experiments/discovery/{name}.yaml", "--out", out,
                                "--set", f"protocol.classes={classes}"], check=True, env=environment)
            found = spread(out / "spread.csv")
            text += f"\nNumber of classes {classes}:\n\n" + table(found)
            if classes == "given" and name in DRAWN:
                other = peer(places, name)
                if other:
                    cells = [f"{other[i]:.3f} ± {other[i + 3]:.3f}" for i in range(3)]
                    text += "| sklearn KMeans | " + " | ".join(cells) + " |" + " |" * (len(COLUMNS) - 3) + "\n"
    (ROOT / "docs/results/discovery.md").write_text(text)


if __name__ == "__main__":
    main()
