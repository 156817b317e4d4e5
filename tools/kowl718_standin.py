#!/usr/bin/env python3
"""Makes a dataset of STAND-IN features for the clips of a manifest of KOWL-718: numbers drawn around real class directions, of no video.

    tools/kowl718_standin.py MANIFEST ../shared/data/kinetics_class_vectors OUT [--share 0.1] [--ava FILE.csv.gz] [--heads]
    tools/kowl718_standin.py --selftest

With them the benchmark runs on lists whose videos are not at hand; they say nothing about methods on real video.

Direction of a class: its row of the last layer of a TSM-ResNet50 trained on Kinetics-400, without the mean of all rows, folded to
`--width` numbers by random signs. A class without such a row gets the mean of those of the five classes whose names are nearest (GloVe),
plus as much again of a direction of its own. A class without a GloVe vector takes the mean over the classes that share words with it.

A clip is its class's direction, one of three modes of the class, and noise; two sources, `timesformer` and `x3d`, the latter noisier.
Clips that train in Kinetics-400 have less noise, as the networks of the paper had learned from them. Everything hangs on the seed
and the names of class and clip alone. With --share a part of each class, increment and split is kept, one clip at least.

--ava adds the annotations of AVA-Kinetics by video: people, actions, type, mean box area. --heads adds `timesformer_head` and `x3d_head`,
the scores of the best linear head for the classes of the first increment.
"""
import argparse
import array
import csv
import gzip
import json
import math
import operator
import pathlib
import random
import sys

# Noise of every number, beside class directions of length 1. With these the nearest class mean names as many test clips of the
# start as the heads of the paper's Table 3 did, about three of four and two of three.
SOURCES = {"timesformer": 0.23, "x3d": 0.245}
SEEN = 0.85  # of the noise, for clips that trained the networks
SCALE = 4.0  # of everything, so that the numbers are about as large as those of a network
MODES, MODE = 3, 0.45
POOL = 1 << 20    # noise is cut from one long draw: a draw for every number would take minutes
TSM_WIDTH, GLOVE_WIDTH, NEAREST, FOLD = 2048, 300, 5, 64
AVA = ("ava_people", "ava_actions", "ava_type", "ava_mean_area")
TYPES = {"PERSON_MOVEMENT": "PM", "OBJECT_MANIPULATION": "OM", "PERSON_INTERACTION": "PI"}


def floats(path, width):
    values = array.array("f", gzip.decompress(path.read_bytes()))
    if sys.byteorder == "big":
        values.byteswap()
    return [list(values[i:i + width]) for i in range(0, len(values), width)]


def unit(vector):
    length = math.sqrt(sum(map(operator.mul, vector, vector))) or 1.0
    return [value / length for value in vector]


def mean(vectors):
    return [sum(column) / len(vectors) for column in zip(*vectors)]


def words_of(name):
    return {word for word in name.lower().replace("(", " ").replace(")", " ").split() if len(word) > 2}


class Directions:
    """A unit vector per class name and source."""

    def __init__(self, folder, seed, width):
        self.seed, self.width = seed, width
        with open(folder / "classes.csv", newline="") as file:
            names = [row["name"].lower() for row in csv.DictReader(file)]
        self.glove = dict(zip(names, map(unit, floats(folder / "glove42b_620_f32.bin.gz", GLOVE_WIDTH))))
        rows = floats(folder / "tsm_k400_fc_f32.bin.gz", TSM_WIDTH)
        centre = mean(rows)
        self.tsm = {name: [a - b for a, b in zip(row, centre)] for name, row in zip(names, rows)}
        self.folded = {}

    def fold(self, source, name):
        """A sparse random projection of the TSM row."""
        if source not in self.folded:
            draw = random.Random(f"{self.seed}/fold/{source}")
            self.folded[source] = [[(draw.randrange(TSM_WIDTH), draw.choice((-1.0, 1.0))) for _ in range(FOLD)] for _ in range(self.width)]
        row = self.tsm[name]
        return unit([sum(sign * row[at] for at, sign in terms) for terms in self.folded[source]])

    def meaning(self, name):
        """Its GloVe vector, or one made of those of classes that share words with it; none: nothing does."""
        if name in self.glove:
            return self.glove[name]
        own = words_of(name)
        shared = [(len(own & words_of(other)) / len(own | words_of(other)), other) for other in self.glove if own & words_of(other)]
        best = max((score for score, _ in shared), default=0)
        return unit(mean([self.glove[other] for score, other in shared if score == best])) if best else None

    def own(self, kind, name):
        draw = random.Random(f"{self.seed}/{kind}/{name}")
        return unit([draw.gauss(0, 1) for _ in range(self.width)])

    def of(self, source, name):
        name = name.lower()
        if name in self.tsm:
            return self.fold(source, name)
        sense, alone = self.meaning(name), self.own(f"class/{source}", name)
        if sense is None:
            return alone
        near = sorted(self.tsm, key=lambda other: -sum(map(operator.mul, sense, self.glove[other])))[:NEAREST]
        return unit([a + b for a, b in zip(unit(mean([self.fold(source, other) for other in near])), alone)])


class Maker:
    def __init__(self, directions, source, noise):
        self.directions, self.source = directions, source
        self.width, self.seed = directions.width, directions.seed
        draw = random.Random(f"{self.seed}/noise/{source}")
        self.noise = [draw.gauss(0, SCALE * noise) for _ in range(POOL)]
        self.seen = [SEEN * value for value in self.noise]
        self.kept = {}

    def modes(self, name):
        if name not in self.kept:
            direction = self.directions.of(self.source, name)
            self.kept[name] = [[SCALE * (a + MODE * b) for a, b in zip(direction, self.directions.own(f"mode {m}/{self.source}", name))]
                               for m in range(MODES)]
        return self.kept[name]

    def clip(self, key, name, seen):
        draw = random.Random(f"{self.seed}/{self.source}/{key}")
        base = self.modes(name)[draw.randrange(MODES)]
        at = draw.randrange(POOL - self.width)
        return list(map(operator.add, base, (self.seen if seen else self.noise)[at:at + self.width]))


def thinned(rows, share, seed):
    """A part of each class, increment and split, one at least; in the order of the list."""
    cells = {}
    for at, row in enumerate(rows):
        cells.setdefault((row["label"], row["increment"], row["split"]), []).append(at)
    kept = []
    for cell, places in cells.items():
        draw = random.Random(f"{seed}/share/{cell}")
        kept += draw.sample(places, max(1, math.floor(share * len(places) + draw.random())))
    return [rows[at] for at in sorted(kept)]


def people(path):
    """What AVA-Kinetics says of a video: of several key frames the first."""
    with open(path.parent / "ava_actions.csv", newline="") as file:
        kind = {row["action_id"]: TYPES[row["type"]] for row in csv.DictReader(file)}
    found = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            kinds = [kind[action] for action in row["action_ids"].split()]
            most = max(sorted(set(kinds)), key=kinds.count) if kinds else ""
            area = row["mean_box_area"] if row["persons"] != "0" else ""
            found.setdefault(row["youtube_id"], (row["persons"], row["distinct_actions"], most, area))
    return found


def descriptor(name, given, kept, full, heads):
    sources = "".join(f"  - {{source: {source}, file: {source}.bin, width: {given.width}}}\n" for source in SOURCES)
    sources += "".join(f"  - {{source: {source}_head, file: {source}_head.bin, width: {len(heads)}, columns: {json.dumps(heads)}}}\n"
                       for source in SOURCES if heads)
    return f"""name: {name}
summary: STAND-IN features for {kept} of {full} clips of KOWL-718, drawn around class directions, of no video
about:
  prior_knowledge: none, stand-in features; class directions are those of a TSM trained on Kinetics-400
  origin: tools/kowl718_standin.py, seed {given.seed}, share {given.share}, width {given.width}
  intended_use: to run lists, increments, budgets and measures; never to compare methods
index: index.csv
features:
{sources}"""


def make(rows, out, given, directions):
    full = len(rows)
    if given.share < 1:
        rows = thinned(rows, given.share, given.seed)
    annotations = people(given.ava) if given.ava else {}
    out.mkdir(parents=True, exist_ok=True)
    columns = [column for column in rows[0] if column != "novelty"] + (list(AVA) if annotations else [])
    with open(out / "index.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        for row in rows:
            if annotations:
                row.update(zip(AVA, annotations.get(row.get("youtube_id", ""), ("", "", "", ""))))
            writer.writerow(row)
    heads = sorted({row["label"] for row in rows if row["increment"] == "0" and row["split"] == "train"}) if given.heads else []
    for source, noise in SOURCES.items():
        maker = Maker(directions, source, noise)
        rules = [mean(maker.modes(name)) for name in heads]
        rules = [(rule, sum(map(operator.mul, rule, rule)) / 2) for rule in rules]
        head_file = open(out / f"{source}_head.bin", "wb") if heads else None
        with open(out / f"{source}.bin", "wb") as features:
            for row in rows:
                seen = row["increment"] == "0" and row["split"] == "train"
                clip = maker.clip(row["id"], row["label"], seen)
                write(features, clip)
                if head_file:
                    write(head_file, [(sum(map(operator.mul, rule, clip)) - half) / (SCALE * noise)**2 for rule, half in rules])
        if head_file:
            head_file.close()
    (out / "dataset.yaml").write_text(descriptor(out.name, given, len(rows), full, heads))
    return len(rows), full


def write(file, values):
    out = array.array("f", values)
    if sys.byteorder == "big":
        out.byteswap()
    out.tofile(file)


def selftest():
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        vectors = pathlib.Path(folder)
        names = ["playing guitar", "playing piano", "skiing", "running", "eating", "tapping guitar"]
        (vectors / "classes.csv").write_text("class_id,name\n" + "".join(f"{i},{name}\n" for i, name in enumerate(names)))
        draw = random.Random(1)
        for name, rows, width in (("glove42b_620_f32", 6, GLOVE_WIDTH), ("tsm_k400_fc_f32", 5, TSM_WIDTH)):
            values = array.array("f", [draw.gauss(0, 1) for _ in range(rows * width)])
            (vectors / f"{name}.bin.gz").write_bytes(gzip.compress(values.tobytes()))
        directions = Directions(vectors, 1, 8)
        for name in names + ["Playing Guitar", "guitar repair", "zzz"]:
            assert abs(sum(value * value for value in directions.of("x3d", name)) - 1) < 1e-6, name
        assert directions.of("x3d", "playing guitar") == directions.of("x3d", "Playing Guitar") != directions.of("timesformer", "playing guitar")
        assert directions.meaning("guitar repair") is not None and directions.meaning("zzz") is None
        rows = [{"id": f"v{i}", "label": names[i % 2], "increment": "0", "split": "train" if i < 30 else "test"} for i in range(40)]
        assert len(thinned(rows, 0.5, 1)) in range(18, 24) and len(thinned(rows, 0.001, 1)) >= 4, "one of each cell"
        given = argparse.Namespace(seed=1, share=1.0, width=8, ava=None, heads=True)
        out = vectors / "set"
        assert make(rows, out, given, directions) == (40, 40)
        assert (out / "x3d.bin").stat().st_size == 40 * 8 * 4 and (out / "x3d_head.bin").stat().st_size == 40 * 2 * 4
        first = (out / "x3d.bin").read_bytes()
        make(rows, out, given, Directions(vectors, 1, 8))
        assert (out / "x3d.bin").read_bytes() == first, "the seed alone decides"
        assert "STAND-IN" in (out / "dataset.yaml").read_text()
    print("the stand-ins are as described")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=pathlib.Path, help="manifest.csv of `tyto split`")
    parser.add_argument("vectors", type=pathlib.Path, help="folder of the class vectors")
    parser.add_argument("out", type=pathlib.Path, help="folder of the dataset")
    parser.add_argument("--share", type=float, default=1.0, help="of the clips of each class, increment and split")
    parser.add_argument("--width", type=int, default=96)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ava", type=pathlib.Path, help="ava_kinetics_val_per_video.csv.gz, beside ava_actions.csv")
    parser.add_argument("--heads", action="store_true", help="scores of the best linear head too")
    given = parser.parse_args()
    if not 0 < given.share <= 1 or given.width < 1:
        parser.error("the share is above 0 and at most 1, the width at least 1")
    with open(given.manifest, newline="") as file:
        rows = list(csv.DictReader(file))
    kept, full = make(rows, given.out, given, Directions(given.vectors, given.seed, given.width))
    print(f"{kept} of {full} clips are in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
