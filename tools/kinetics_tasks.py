#!/usr/bin/env python3
"""Deals the classes of a Kinetics list to tasks and writes the list of tasks that the world `tasks` reads.

    tools/kinetics_tasks.py kinetics400.csv.gz kinetics400_10tasks.csv.gz --tasks 10
    tools/kinetics_tasks.py --selftest

vCLIMB's own lists of Kinetics-400 are not to be had; these are tasks of the same sizes, not the same tasks. The
classes, sorted by name, are shuffled by the seed (Fisher-Yates from the end with Python's random.Random(seed)) and cut
into runs as equal as possible, odd classes in the first ones. Rows keep the order of the list within their class.
Columns read: youtube_id, label, split; rows without a label are left out. With --refreshed only rows whose column
`refreshed` is not 0, that is, without clips known to be gone.
"""
import argparse
import csv
import gzip
import io
import pathlib
import random
import sys

SPLITS = ("train", "val", "test")
WORDS = {"train": "train", "val": "val", "validate": "val", "validation": "val", "test": "test"}
# Rows a task of Table 1 of the paper, by number of tasks.
TABLE_1 = {10: (24628, 1988, 3977), 20: (12314, 994, 1988)}


def read(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def class_tasks(names, tasks, seed):
    """The classes in the order learned, and the task of each."""
    order = sorted(names)
    if not 1 <= tasks <= len(order):
        raise SystemExit(f"{len(order)} classes cannot be dealt to {tasks} tasks")
    random.Random(seed).shuffle(order)
    each, odd = divmod(len(order), tasks)
    return order, [t for t in range(tasks) for _ in range(each + (t < odd))]


def task_rows(text, name, tasks, seed, refreshed=False):
    by_place = {}
    seen = {}
    for line, row in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        if not row["label"] or (refreshed and row.get("refreshed") == "0"):
            continue
        if row["split"] not in WORDS:
            raise SystemExit(f"{name}: line {line}: split {row['split']!r} is none of {', '.join(WORDS)}")
        if row["youtube_id"] in seen:
            raise SystemExit(f"{name}: video {row['youtube_id']!r} stands at line {seen[row['youtube_id']]} and again "
                             f"at line {line}")
        seen[row["youtube_id"]] = line
        by_place.setdefault((WORDS[row["split"]], row["label"]), []).append(row["youtube_id"])
    untaught = {label for _, label in by_place} - {label for split, label in by_place if split == "train"}
    if untaught:
        raise SystemExit(f"{name}: class {min(untaught)!r} has no row in train")
    order, task = class_tasks({label for _, label in by_place}, tasks, seed)
    return [[split, str(task[label]), str(label), key, video] for split in SPLITS for label, key in enumerate(order)
            for video in by_place.get((split, key), [])]


def counts_text(rows, tasks):
    counts = [[0, 0, 0] for _ in range(tasks)]
    classes = [set() for _ in range(tasks)]
    for split, task, _, key, _ in rows:
        counts[int(task)][SPLITS.index(split)] += 1
        classes[int(task)].add(key)
    lines = ["task  classes   train    val   test"]
    lines += [f"{t + 1:4}  {len(classes[t]):7} {c[0]:7} {c[1]:6} {c[2]:6}" for t, c in enumerate(counts)]
    means = [sum(c[s] for c in counts) / tasks for s in range(3)]
    lines.append(f"mean          {means[0]:7.0f} {means[1]:6.0f} {means[2]:6.0f}")
    if tasks in TABLE_1:
        lines.append("Table 1       {:7} {:6} {:6}".format(*TABLE_1[tasks]))
    return "\n".join(lines)


def selftest():
    order, task = class_tasks("gfedcba", 3, 1)
    assert sorted(order) == list("abcdefg") and task == [0, 0, 0, 1, 1, 2, 2]
    assert class_tasks("abcdefg", 3, 1)[0] == order, "names alone matter, not how the list orders them"
    assert any(class_tasks("abcdefg", 3, seed)[0] != order for seed in range(2, 6))
    text = "youtube_id,label,split,refreshed\n1,b,train,-1\n2,a,val,0\n3,a,train,-1\n4,b,test,1\n5,,test,1\n6,b,train,-1\n"
    rows = task_rows(text, "k.csv", 2, 0)
    assert [row[4] for row in rows if row[3] == "b"] == ["1", "6", "4"], rows
    assert {row[3]: row[1] == row[2] for row in rows} == {"a": True, "b": True}
    assert all(row[4] != "2" for row in task_rows(text, "k.csv", 2, 0, refreshed=True))
    for bad, sentence in ((text + "1,b,test,1\n", "stands at line 2 and again at line 8"),
                          (text + "9,c,test,1\n", "class 'c' has no row in train"),
                          (text + "9,b,dev,1\n", "line 8: split 'dev'")):
        try:
            task_rows(bad, "k.csv", 2, 0)
        except SystemExit as said:
            assert sentence in str(said), said
        else:
            raise AssertionError(sentence)
    assert "Table 1         24628   1988   3977" in counts_text([], 10)
    print("the rule holds")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", nargs="?", type=pathlib.Path)
    parser.add_argument("csv", nargs="?", type=pathlib.Path, help=".csv, or .csv.gz to pack it")
    parser.add_argument("--tasks", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="of the order of the classes")
    parser.add_argument("--refreshed", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    given = parser.parse_args()
    if given.selftest:
        selftest()
        return
    if given.csv is None:
        parser.error("say which list, and where its tasks go")
    rows = task_rows(read(given.list), given.list.name, given.tasks, given.seed, given.refreshed)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["split", "task", "label", "class_name", "video_id"])
    writer.writerows(rows)
    data = out.getvalue().encode()
    given.csv.write_bytes(gzip.compress(data, mtime=0) if given.csv.suffix == ".gz" else data)
    print(counts_text(rows, given.tasks))
    print(f"seed {given.seed}, {len(rows)} rows in {given.csv}")


if __name__ == "__main__":
    sys.exit(main())
