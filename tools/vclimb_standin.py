#!/usr/bin/env python3
"""Makes a dataset of STAND-IN features for the videos of a list of tasks: random numbers, of no video.

    tools/vclimb_standin.py ucf101_10tasks.csv.gz runs/vclimb/data/vclimb_standin_ucf101_10
    tools/vclimb_standin.py --selftest

With them the world `tasks` can be run on a published list whose videos are not at hand; they say nothing about methods
on real video. A frame is the sum of a vector of its class, one of its source (class and gNN of a UCF101 clip), one of its
video, and noise. A list of segments (t_start, t_end, video_frames, fps) gives one sample per whole video; frames
outside its segments have no class in them. A vector depends on the seed and the name of what it stands for alone, so
that two lists with the same videos get the same features.

With --videos-per-class N about N train videos of each class are taken, the first of the list, and of the other
splits as large a share. What was taken is written as tasks.csv.gz beside the features, in the columns of the list.
"""
import argparse
import array
import csv
import gzip
import io
import pathlib
import random
import re
import sys

COLUMNS = ("split", "task", "class_name", "video_id")
SEGMENT = ("t_start", "t_end", "video_frames", "fps")
CLIP = re.compile(r"v_.+_(g\d+)_c\d+")
# Sizes of the summands. With these the nearest class mean, all classes at once, is right for about three of four clips of UCF101.
CLASS, SOURCE, VIDEO, FRAME = 1.0, 0.9, 1.1, 2.0
POOL = 1 << 18  # noise is cut from one long draw: a draw for every number would take minutes


def unpacked(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def read_list(text, name):
    """Columns and rows, the latter as maps."""
    reader = csv.DictReader(io.StringIO(text))
    lacking = [column for column in COLUMNS if column not in (reader.fieldnames or [])]
    if lacking:
        raise SystemExit(f"{name}: no column {lacking[0]!r}; a list of tasks has {', '.join(COLUMNS)}")
    rows = list(reader)
    if not rows:
        raise SystemExit(f"{name}: no row below the header")
    return reader.fieldnames, rows


def thinned(rows, videos_per_class):
    """Rows of the videos taken, in the order of the list."""
    videos = {}
    for row in rows:
        videos.setdefault((row["class_name"], row["split"]), {})[row["video_id"]] = None
    taken = set()
    for (key, split), of_class in videos.items():
        train = len(videos.get((key, "train"), of_class))
        count = -(-len(of_class) * min(videos_per_class, train) // train)  # rounded up: none is left without
        taken.update(list(of_class)[:count])
    return [row for row in rows if row["video_id"] in taken]


def action_frames(row, frames):
    """Which of the frames kept of a video the world cuts out for this segment: [first, end)."""
    length = int(row["video_frames"])
    first = min(round(float(row["t_start"]) * float(row["fps"])), length)
    end = min(round(float(row["t_end"]) * float(row["fps"])), length)
    at = min(first * frames // length, frames - 1)
    return at, max(-(-end * frames // length), at + 1)


def source_of(row):
    """What clips of one recording share; "" where the list tells of none."""
    clip = CLIP.fullmatch(row["video_id"])
    return f"{row['class_name']}_{clip.group(1)}" if clip else row["video_id"] if "t_start" in row else ""


class Maker:
    def __init__(self, seed, frames, width):
        self.seed, self.frames, self.width = seed, frames, width
        draw = random.Random(f"{seed}/noise")
        self.noise = [draw.gauss(0, FRAME) for _ in range(POOL)]
        self.kept = {}

    def vector(self, kind, name, size):
        draw = random.Random(f"{self.seed}/{kind}/{name}")
        return [draw.gauss(0, size) for _ in range(self.width)]

    def shared(self, kind, name, size):
        if (kind, name) not in self.kept:
            self.kept[kind, name] = self.vector(kind, name, size)
        return self.kept[kind, name]

    def video(self, rows):
        """All frames of one video, row after row."""
        name = rows[0]["video_id"]
        scene = self.vector("video", name, VIDEO)
        source = source_of(rows[0])
        if source not in ("", name):
            scene = [a + b for a, b in zip(scene, self.shared("source", source, SOURCE))]
        shown = [""] * self.frames
        for row in rows:
            first, end = action_frames(row, self.frames) if "t_start" in row else (0, self.frames)
            shown[first:end] = [row["class_name"]] * (end - first)
        base = {"": scene}
        for key in set(shown) - {""}:
            base[key] = [a + b for a, b in zip(scene, self.shared("class", key, CLASS))]
        draw = random.Random(f"{self.seed}/frames/{name}")
        out = array.array("f")
        for key in shown:
            at = draw.randrange(POOL - self.width)
            out.extend([a + b for a, b in zip(base[key], self.noise[at:at + self.width])])
        if sys.byteorder == "big":
            out.byteswap()
        return out


def descriptor(name, list_name, given, videos, full):
    took = f"all {full}" if videos == full else f"{videos} of {full}"
    return f"""name: {name}
summary: STAND-IN features for {took} videos of {list_name}, random numbers of no video
about:
  prior_knowledge: none, stand-in features drawn at random; no video was looked at
  origin: tools/vclimb_standin.py, seed {given.seed}
  intended_use: to run lists, tasks, budgets and measures; never to compare methods
index: index.csv
features:
  - {{source: features, file: features.bin, width: {given.width}}}
"""


def make(text, list_name, out, given):
    columns, rows = read_list(text, list_name)
    full = len({row["video_id"] for row in rows})
    if given.videos_per_class:
        rows = thinned(rows, given.videos_per_class)
    by_video = {}
    for row in rows:
        by_video.setdefault(row["video_id"], []).append(row)
    out.mkdir(parents=True, exist_ok=True)
    maker = Maker(given.seed, given.frames, given.width)
    with open(out / "features.bin", "wb") as features, open(out / "index.csv", "w", newline="") as index:
        writer = csv.writer(index, lineterminator="\n")
        writer.writerow(["id", "label", "group", "frames"])
        for video, own in by_video.items():
            keys = {row["class_name"] for row in own}
            # A video of two classes has no label of its own; its segments have.
            writer.writerow([video, keys.pop() if len(keys) == 1 else "", source_of(own[0]), given.frames])
            maker.video(own).tofile(features)
    listed = io.StringIO()
    writer = csv.DictWriter(listed, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    (out / "tasks.csv.gz").write_bytes(gzip.compress(listed.getvalue().encode(), mtime=0))
    (out / "dataset.yaml").write_text(descriptor(out.name, list_name, given, len(by_video), full))
    return len(by_video), full


def selftest():
    import tempfile
    clips = "split,task,label,class_name,video_id\n" + "".join(
        f"{split},0,{label},{key},v_{key}_g0{g}_c0{c}\n" for label, key in enumerate("AB") for split, cs in
        (("train", (1, 2, 3, 4)), ("test", (5, 6))) for g in (1, 2) for c in cs)
    rows = read_list(clips, "list.csv")[1]
    few = thinned(rows, 2)
    assert [sum(row["split"] == s and row["class_name"] == "A" for row in few) for s in ("train", "test")] == [2, 1]
    assert thinned(rows, 8) == rows and thinned(rows, 99) == rows
    segment = {"class_name": "A", "video_id": "v_x", "t_start": "3.0", "t_end": "4.0", "video_frames": "240", "fps": "30"}
    assert action_frames(segment, 8) == (3, 4)
    assert action_frames({**segment, "t_end": "99"}, 8) == (3, 8), "clipped to the video"
    assert action_frames({**segment, "t_start": "8", "t_end": "8"}, 8) == (7, 8), "within the video"
    assert action_frames({**segment, "t_end": "3.0"}, 8) == (3, 4), "never without a frame"
    maker = Maker(1, 8, 4)
    assert maker.video([segment]) == Maker(1, 8, 4).video([segment]) != Maker(2, 8, 4).video([segment])
    plain = maker.video([{**segment, "class_name": "B"}])
    differs = [maker.video([segment])[4 * f:4 * f + 4] != plain[4 * f:4 * f + 4] for f in range(8)]
    assert differs == [False] * 3 + [True] + [False] * 4, "the class is in the frames of its segment alone"
    with tempfile.TemporaryDirectory() as folder:
        given = argparse.Namespace(seed=1, frames=3, width=5, videos_per_class=0)
        out = pathlib.Path(folder) / "set"
        assert make(clips, "list.csv", out, given) == (24, 24)
        assert (out / "features.bin").stat().st_size == 24 * 3 * 5 * 4
        assert (out / "index.csv").read_text().splitlines()[1] == "v_A_g01_c01,A,A_g01,3"
        assert unpacked(out / "tasks.csv.gz") == clips and "STAND-IN" in (out / "dataset.yaml").read_text()
    for bad, sentence in (("split,task,class_name\n", "no column 'video_id'"), (clips.splitlines()[0] + "\n", "no row")):
        try:
            read_list(bad, "list.csv")
        except SystemExit as said:
            assert sentence in str(said), said
        else:
            raise AssertionError(sentence)
    print("the stand-ins are as described")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", nargs="?", type=pathlib.Path, help="list of tasks, .csv or .csv.gz")
    parser.add_argument("out", nargs="?", type=pathlib.Path, help="folder of the dataset")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--frames", type=int, default=24, help="of each video")
    parser.add_argument("--width", type=int, default=32, help="numbers of each frame")
    parser.add_argument("--videos-per-class", type=int, default=0, metavar="N", help="0: all")
    parser.add_argument("--selftest", action="store_true")
    given = parser.parse_args()
    if given.selftest:
        selftest()
        return
    if given.out is None:
        parser.error("say which list, and where its stand-ins go")
    if not (1 <= given.frames <= 10000 and 1 <= given.width <= 100000 and given.videos_per_class >= 0):
        parser.error("--frames and --width are at least 1, --videos-per-class at least 0")
    videos, full = make(unpacked(given.list), given.list.name, given.out, given)
    size = videos * given.frames * given.width * 4 / 1e6
    print(f"stand-in features, of no video, for {videos} of {full} videos in {given.out}: {size:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
