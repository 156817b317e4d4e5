#!/usr/bin/env python3
"""Completes the Kinetics lists at hand so that `tyto split kowl718` meets every cell of the paper's Table 2, and of Table 1 all that agree with it.

    tools/kowl718_lists.py ../shared/data/kinetics runs/kowl718/lists
    tools/kowl718_lists.py --check experiments/kowl718/tables.csv TABLE COUNTS.CSV

Real are: all clips of Kinetics-400 that the lists have, and of Kinetics-600 and -700 the clips that validate and test, as many as the
paper had. INVENTED are the train clips of Kinetics-600 and -700, which no list at hand has, and the few that others lack; their ids
begin with "standin". A clip that the authors' count of label changes calls otherwise later is repeated in the list of Kinetics-700
under its later name. lost.txt names the real clips that the paper's counts leave no room for, as its authors' lost files did.

Written are k400.csv.gz, k600.csv.gz, k700.csv.gz and lost.txt for `tyto split`, and k400_manifest.csv, Kinetics-400 under its own
400 names as a world of one increment (the paper's Table 3).

How the cells are met: a stratified fold of n rows in k parts gives parts that differ by one at most, the first ones larger, so the
rows of each group of classes follow from the table (KNOWN and NOVEL below).
"""
import argparse
import csv
import functools
import gzip
import io
import pathlib
import random
import sys

RELEASES = ("k400", "k600", "k700")
FILES = {"k400": "kinetics400.csv.gz", "k600": "kinetics600_val_test.csv.gz", "k700": "kinetics700_2020_val_test.csv.gz"}
K400_ROWS = {"train": 218371, "validate": 18016, "test": 35257}  # Table 2
CHANGED = 10  # classes of Kinetics-400 that only a later release names
LARGE = 6  # rows of a known class that is dealt over five increments, at least
GROUPS = {"k600": (46, 46, 46, 46, 43), "k700": (17, 17, 17, 17, 14)}
# Rows of known classes and of each group of novel classes, (folded, whole): the former in classes large enough to be dealt over
# the increments left, the latter in smaller ones, which stay in the first.
KNOWN = {("k600", "train"): (79925, 97), ("k600", "validate"): (0, 333), ("k600", "test"): (915, 612),
         ("k700", "train"): (171210, 45), ("k700", "validate"): (24135, 65)}
NOVEL = {("k600", "train"): ((15814, 0), (22051, 0), (23190, 0), (24596, 0), (25538, 0)),
         ("k600", "validate"): ((100, 55), (100, 47), (129, 25), (136, 7), (124, 0)),
         ("k600", "test"): ((520, 0), (637, 0), (594, 0), (593, 0), (488, 0)),
         ("k700", "train"): ((9348, 0), (9658, 0), (9991, 0), (10546, 0), (10144, 0)),
         ("k700", "validate"): ((815, 0), (829, 0), (829, 0), (821, 0), (684, 0))}
SMALL_KNOWN = {("k600", "train"): 30, ("k600", "validate"): 333, ("k600", "test"): 289, ("k700", "train"): 13, ("k700", "validate"): 20}


def read(path):
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["split"] = "validate" if row["split"] in ("val", "validate") else row["split"]
        row["key"] = (row["youtube_id"], int(row["time_start"]), int(row["time_end"]))
    return rows


def even(total, count):
    """`total` in `count` whole parts that differ by one at most."""
    return [total // count + (i < total % count) for i in range(count)]


def climbing(total, count):
    """Parts that are six apart at most: groups of classes come by the size of these, and must not mix."""
    half = count // 2
    offsets = [-(1 + (half - 1 - i) * 5 // half) for i in range(half)]
    offsets += [0] * (count % 2) + [-each for each in reversed(offsets)]
    return [size + offset for size, offset in zip(sorted(even(total, count)), offsets)]


def filled(total, available, least):
    """As many of each as are available, then one more or less in turn until the sum is right."""
    sizes = [max(least, count) for count in available]
    left, at = total - sum(sizes), 0
    while left:
        if left > 0 or sizes[at % len(sizes)] > least:
            sizes[at % len(sizes)] += 1 if left > 0 else -1
            left -= 1 if left > 0 else -1
        at += 1
    return sizes


class Lists:
    """The rows of the three lists, as they are added: real ones, and invented ones for what these lack."""

    def __init__(self, folder, seed):
        self.rng = random.Random(f"{seed}/kowl718")
        with open(folder / "classes.csv", newline="") as file:
            self.names = {row["label"]: row for row in csv.DictReader(file)}
        with open(folder / "label_changes.csv", newline="") as file:
            self.changes = list(csv.DictReader(file))
        self.real = {release: read(folder / FILES[release]) for release in RELEASES}
        self.untimed = {row["youtube_id"] for row in self.real["k400"] if row["key"][1] < 0}
        self.newest = {}  # by clip (of one without times: by video), the class the newest list gives it
        for release in RELEASES:
            for row in self.real[release]:
                if row["label"]:
                    self.newest[self.clip(row)] = self.unified(row["label"])
        self.out = {release: [] for release in RELEASES}
        self.written = {release: set() for release in RELEASES}
        self.shown, self.lost, self.invented = set(), {}, 0

    def clip(self, row):
        return row["youtube_id"] if row["youtube_id"] in self.untimed else row["key"]

    def unified(self, label):
        return self.names[label]["unified_label"]

    @functools.cache
    def listed_names(self, release):
        column = {"k700": "in_k700_2020"}.get(release, f"in_{release}")
        return {row["unified_label"]: label for label, row in sorted(self.names.items()) if row[column] == "1"}

    def earlier_name(self, release, name):
        """Under which the release lists clips that Kinetics-700 calls otherwise."""
        return next(change["from_label"] for change in self.changes if change["from_dataset"] == release
                    and self.unified(change["to_label"]) == name and change["from_label"] in self.names)

    def add(self, release, split, key, label):
        self.out[release].append((label, *key, split))
        self.written[release].add(key)

    def show(self, release, split, key, label):
        self.add(release, split, key, label)
        self.shown.add(key)

    def rename(self, key, name):
        self.add("k700", "train", key, self.listed_names("k700")[name])

    def invent(self, release, split, name):
        self.invented += 1
        key = (f"standin{self.invented:06d}", 0, 10)
        listed = self.listed_names(release).get(name)
        self.show(release, split, key, listed or self.earlier_name(release, name))
        if not listed:
            self.rename(key, name)

    def start(self):
        """Kinetics-400: 409 classes that train, and one more with a single clip that tests."""
        own = set(self.listed_names("k400"))
        counted = {}
        for change in self.changes:
            name = self.unified(change["to_label"])
            if change["from_dataset"] == "k400" and name not in own:
                counted[name] = counted.get(name, 0) + int(change["samples"])
        by_count = sorted(counted, key=lambda name: (-counted[name], name))
        changed, self.single = by_count[:CHANGED], by_count[CHANGED]
        self.known = own | set(changed)
        train = [row for row in self.real["k400"] if row["split"] == "train"]
        sizes = {}
        for row in train:
            self.show("k400", "train", row["key"], row["label"])
            sizes[row["label"]] = sizes.get(row["label"], 0) + 1
        carried = {self.newest[self.clip(row)] for row in train}
        for name in (name for name in changed if name not in carried):
            label = self.earlier_name("k400", name)
            clips = [row["key"] for row in train if row["label"] == label and row["key"] not in self.written["k700"]
                     and self.newest[self.clip(row)] == self.unified(label)]
            for key in self.rng.sample(clips, min(counted[name], len(clips) // 3)):
                self.rename(key, name)
        for _ in range(K400_ROWS["train"] - len(train)):
            label = min(sizes, key=lambda each: (sizes[each], each))
            sizes[label] += 1
            self.invent("k400", "train", self.unified(label))
        for split in ("validate", "test"):
            rows = [row for row in self.real["k400"] if row["split"] == split]
            usable = [row["key"] for row in rows if row["refreshed"] == "1" and self.newest[self.clip(row)] in self.known]
            if len(usable) < K400_ROWS[split]:
                raise SystemExit(f"Kinetics-400 has {len(usable)} clips that {split}, {K400_ROWS[split]} are needed")
            kept = set(self.rng.sample(usable, K400_ROWS[split]))
            for row in rows:
                if row["key"] in kept:
                    self.show("k400", split, row["key"], row["label"])
                else:
                    self.lose("k400", row)
        label = self.earlier_name("k400", self.single)
        later = {row["key"] for release in RELEASES[1:] for row in self.real[release]}
        self.rename(next(row["key"] for row in self.real["k400"] if row["split"] == "test" and row["label"] == label
                         and row["key"] in self.shown and row["key"] not in later), self.single)

    def lose(self, release, row):
        self.add(release, row["split"], row["key"], row["label"])
        self.lost[row["key"]] = None

    def unseen(self, release, split):
        """Real clips that no earlier list has, by class."""
        earlier = {row["youtube_id"] for each in RELEASES[:RELEASES.index(release)] for row in self.real[each]}
        found = {}
        for row in self.real[release]:
            if row["split"] == split and row["label"] and row["youtube_id"] not in earlier:
                found.setdefault(self.newest[self.clip(row)], []).append(row)
        return found

    def known_sizes(self, release, split, known, real):
        folded, whole = KNOWN[release, split]
        names = sorted(known)
        self.rng.shuffle(names)
        names.sort(key=lambda name: -len(real.get(name, [])))  # few where few are real
        cut = len(names) - SMALL_KNOWN[release, split]
        large, small = names[:cut], names[cut:]
        sizes = dict(zip(small, even(whole, len(small))))
        if folded:
            sizes.update(zip(large, filled(folded, [len(real.get(name, [])) for name in large], LARGE)))
        return sizes

    def novel_sizes(self, release, split, novel):
        sizes, begin = {}, 0
        for j, count in enumerate(GROUPS[release]):
            group = novel[begin:begin + count]
            begin += count
            left = len(GROUPS[release]) - j  # increments over which these are dealt
            folded, whole = NOVEL[release, split][j]
            if split == "train":
                sizes.update(zip(group, climbing(folded, count)))
                continue
            small = -(-whole // max(1, left - 1)) if whole else 0
            large = min(count - small, folded // left)
            sizes.update(zip(group[:large], even(folded, large)))
            if whole:
                sizes.update(zip(group[large:], even(whole, count - large)))
        return sizes

    def carried(self, release):
        """Classes that clips of the release can have."""
        changed = {self.unified(change["to_label"]) for change in self.changes if change["from_dataset"] == release}
        return set(self.listed_names(release)) | changed

    def later(self, release, novel):
        for split in ("train", "validate", "test") if release == "k600" else ("train", "validate"):
            real = self.unseen(release, split)
            sizes = self.known_sizes(release, split, self.known & self.carried(release), real) | self.novel_sizes(release, split, novel)
            for name, size in sizes.items():
                for row in real.get(name, [])[:size]:
                    self.show(release, split, row["key"], row["label"])
                for _ in range(size - len(real.get(name, []))):
                    self.invent(release, split, name)
        for row in self.real[release]:
            if row["key"] in self.written[release]:
                continue
            if not row["label"] or row["key"] in self.shown or row["youtube_id"] in self.untimed:
                self.add(release, row["split"], row["key"], row["label"])
            else:
                self.lose(release, row)
        self.known |= set(novel)

    def complete(self):
        self.start()
        k600 = sorted(self.carried("k600") - self.known - {self.single})
        k700 = sorted({row["unified_label"] for row in self.names.values()} - self.known - set(k600))
        for novel, count in ((k600, sum(GROUPS["k600"])), (k700, sum(GROUPS["k700"]))):
            if len(novel) != count:
                raise SystemExit(f"{len(novel)} classes are new where the paper has {count}")
            self.rng.shuffle(novel)
        self.later("k600", k600)
        self.later("k700", k700)


def write(lists, out):
    out.mkdir(parents=True, exist_ok=True)
    for release in RELEASES:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["label", "youtube_id", "time_start", "time_end", "split"])
        writer.writerows(lists.out[release])
        (out / f"{release}.csv.gz").write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))
    (out / "lost.txt").write_text("".join(f"{key[0]}_{key[1]:06d}_{key[2]:06d}\n" for key in lists.lost))
    with open(out / "k400_manifest.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "label", "increment", "split", "dataset"])
        for label, video, begin, end, split in lists.out["k400"]:
            if (video, begin, end) not in lists.lost:
                writer.writerow([video if begin < 0 else f"{video}_{begin:06d}_{end:06d}", label, 0, split, "k400"])


def check(tables, table, counts):
    """Cells of `tyto split`'s counts.csv that are not the paper's."""
    with open(tables, newline="") as file:
        wanted = {row["row"]: row for row in csv.DictReader(file) if row["table"] == table}
    with open(counts, newline="") as file:
        got = list(csv.DictReader(file))
    cells = [(name, step, row[step], here[name]) for name, row in wanted.items()
             for step, here in ((here["increment"], here) for here in got)]
    wrong = [cell for cell in cells if cell[2] != cell[3]]
    for name, step, paper, here in wrong:
        print(f"increment {step}, {name}: {here}, in Table {table} {paper}")
    print(f"Table {table}: {len(cells) - len(wrong)} of {len(cells)} cells are met")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="+", metavar="FOLDER OUT | TABLES TABLE COUNTS")
    parser.add_argument("--check", action="store_true", help="compare counts with the paper's tables")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if len(given.words) != (3 if given.check else 2):
        parser.error("two folders, or with --check the tables, the number of one and counts.csv")
    if given.check:
        return check(*given.words)
    lists = Lists(pathlib.Path(given.words[0]), given.seed)
    lists.complete()
    write(lists, pathlib.Path(given.words[1]))
    rows = sum(len(rows) for rows in lists.out.values())
    print(f"{rows} rows, {lists.invented} clips of them invented, {len(lists.lost)} real ones lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
