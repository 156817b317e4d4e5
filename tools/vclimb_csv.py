#!/usr/bin/env python3
"""Turns a pickled list of tasks of vCLIMB (Villa et al. 2022) into the CSV that the world `tasks` reads.

    tools/vclimb_csv.py UCF101_data.pkl ucf101_10tasks.csv.gz
    tools/vclimb_csv.py --selftest

The file is {split: [task: {class: [item, ...]}, ...]}, an item being the name of a clip or a map with filename,
t_start, t_end, video_frames and fps. A pickle may run any code when it is read, so this reader knows plain containers
only: whoever names a class or a function is refused before anything of it is called.
"""
import argparse
import csv
import gzip
import io
import pathlib
import pickle
import sys

SPLITS = ("train", "val", "test")
COLUMNS = ["split", "task", "label", "class_name", "video_id"]
SEGMENT = ["t_start", "t_end", "video_frames", "fps"]


class PlainUnpickler(pickle.Unpickler):
    """Maps, lists, texts and numbers, which need no name to be looked up."""

    def find_class(self, module, name):
        raise ValueError(f"the pickle names {module}.{name}; a list of tasks holds plain containers only")

    def persistent_load(self, pid):
        raise ValueError(f"the pickle refers to {pid!r} outside itself; a list of tasks is whole")


def load(data, name):
    try:
        return PlainUnpickler(io.BytesIO(data)).load()
    except ValueError as problem:
        raise SystemExit(f"{name}: {problem}")
    except Exception as problem:  # whatever broken bytes lead to
        raise SystemExit(f"{name}: no pickle that can be read: {problem}")


def expect(good, sentence):
    if not good:
        raise SystemExit(sentence)


def number(text, name, what):
    """Decimal text without a needless end: "30.0" becomes 30."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        raise SystemExit(f"{name}: {what} is {text!r}, no number")
    return str(int(value)) if value == int(value) else str(text)


def labels_of(top, name):
    """Classes count from 0 in the order of the tasks, and within a task in that of its keys in train."""
    labels = {}
    for task, classes in enumerate(top["train"]):
        for key in classes:
            expect(key not in labels, f"{name}: class {key!r} is in task {task} and in one before it")
            labels[key] = len(labels)
    for split in top:
        expect(len(top[split]) == len(top["train"]),
               f"{name}: {split} has {len(top[split])} tasks, train {len(top['train'])}")
        for task, classes in enumerate(top[split]):
            expect(list(classes) == list(top["train"][task]),
                   f"{name}: the classes of task {task} are named or ordered otherwise in {split} than in train")
    return labels


def segment_of(item, name, key):
    lacking = [field for field in ["filename", *SEGMENT[:2], "video_duration", *SEGMENT[2:]] if field not in item]
    expect(not lacking, f"{name}: an item of class {key!r} lacks {', '.join(lacking)}")
    frames, fps = float(item["video_frames"]), float(item["fps"])
    expect(abs(float(item["video_duration"]) * fps - frames) < 1e-6 * max(frames, 1),
           f"{name}: {item['filename']} lasts {item['video_duration']} s and has {item['video_frames']} frames at "
           f"{item['fps']} a second; the duration could not be left out")
    what = f"of {item['filename']}"
    return [item["filename"], str(item["t_start"]), str(item["t_end"]),
            number(item["video_frames"], name, "video_frames " + what), number(item["fps"], name, "fps " + what)]


def rows_of(top, name):
    """The header and every row, in the order of the file."""
    expect(isinstance(top, dict) and "train" in top, f"{name}: no map of splits with \"train\" in it")
    strange = [split for split in top if split not in SPLITS]
    expect(not strange, f"{name}: a split is called {strange[0] if strange else ''!r}; there are {', '.join(SPLITS)}")
    for split, tasks in top.items():
        expect(isinstance(tasks, list) and all(isinstance(task, dict) for task in tasks),
               f"{name}: {split} is no list of maps, one for each task")
    labels = labels_of(top, name)
    has_segments = None
    rows = []
    for split in [split for split in SPLITS if split in top]:
        for task, classes in enumerate(top[split]):
            for key, items in classes.items():
                for item in items:
                    expect(isinstance(item, (str, dict)), f"{name}: an item of class {key!r} is {item!r}")
                    is_segment = isinstance(item, dict)
                    expect(has_segments in (None, is_segment), f"{name}: clips and segments are mixed in class {key!r}")
                    has_segments = is_segment
                    cells = segment_of(item, name, key) if is_segment else [item]
                    rows.append([split, str(task), str(labels[key]), key, *cells])
    return COLUMNS + (SEGMENT if has_segments else []), rows


def text_of(header, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def write(path, text):
    data = text.encode()
    # Without name and time, so that the same list is the same bytes.
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def rebuilt(text):
    """The structure that the rows of a CSV came from."""
    top = {}
    for row in csv.DictReader(io.StringIO(text)):
        tasks = top.setdefault(row["split"], [])
        while len(tasks) <= int(row["task"]):
            tasks.append({})
        item = row["video_id"]
        if "t_start" in row:
            frames, fps = int(row["video_frames"]), float(row["fps"])
            item = {"filename": item, "t_start": row["t_start"], "t_end": row["t_end"],
                    "video_duration": str(frames / fps), "fps": str(fps), "video_frames": str(float(frames))}
        tasks[int(row["task"])].setdefault(row["class_name"], []).append(item)
    return top


CLIPS = """split,task,label,class_name,video_id
train,0,0,Surfing,v_Surfing_g22_c02
train,0,0,Surfing,v_Surfing_g10_c06
train,0,1,Archery,v_Archery_g01_c01
train,1,2,"Run, jump",v_Run_g01_c01
val,0,0,Surfing,v_Surfing_g09_c01
val,0,1,Archery,v_Archery_g02_c01
val,1,2,"Run, jump",v_Run_g02_c01
test,0,0,Surfing,v_Surfing_g08_c01
test,0,1,Archery,v_Archery_g03_c01
test,1,2,"Run, jump",v_Run_g03_c01
"""
SEGMENTS = """split,task,label,class_name,video_id,t_start,t_end,video_frames,fps
train,0,0,Making a lemonade,v_Z8yNbpjUSLc,52.46359126365054,143.36585335413415,4992,30
train,0,0,Making a lemonade,v_p800u2wCKbE,8.523823970358814,15.532301457098287,1212,30
train,0,0,Making a lemonade,v_p800u2wCKbE,20.0,30.5,1212,30
val,0,0,Making a lemonade,v_abc,0.01,7.25,900,30
"""


class Harmful:
    def __reduce__(self):
        return (print, ("a pickle ran code",))


def refusal(data):
    try:
        rows_of(load(data, "list.pkl"), "list.pkl")
    except SystemExit as sentence:
        return str(sentence)
    return "none"


def selftest(lists):
    texts = [CLIPS, SEGMENTS]
    for path in lists:
        data = path.read_bytes()
        texts.append((gzip.decompress(data) if path.suffix == ".gz" else data).decode())
    for text in texts:
        top = rebuilt(text)
        for protocol in (2, 3, 4):
            again = load(pickle.dumps(top, protocol), "list.pkl")
            assert again == top and [list(task) for task in again["train"]] == [list(task) for task in top["train"]]
            made = text_of(*rows_of(again, "list.pkl"))
            assert made == text, f"protocol {protocol}: other rows came back"
    refused = {
        "builtins.print": pickle.dumps(Harmful(), 3),
        "collections.OrderedDict": pickle.dumps({"train": __import__("collections").OrderedDict()}, 3),
        "no pickle that can be read": b"split,task",
        "in task 1 and in one before it": pickle.dumps({"train": [{"a": ["x"]}, {"a": ["y"]}]}),
        "ordered otherwise in val": pickle.dumps({"train": [{"a": ["x"], "b": ["y"]}],
                                                  "val": [{"b": ["z"], "a": ["w"]}]}),
        "val has 2 tasks, train 1": pickle.dumps({"train": [{"a": ["x"]}], "val": [{"a": ["z"]}, {}]}),
        "a split is called 'dev'": pickle.dumps({"train": [{"a": ["x"]}], "dev": []}),
        "lacks t_start": pickle.dumps({"train": [{"a": [{"filename": "x"}]}]}),
        "mixed in class": pickle.dumps({"train": [{"a": ["x", rebuilt(SEGMENTS)["val"][0]["Making a lemonade"][0]]}]}),
        "no map of splits": pickle.dumps([1, 2]),
    }
    for sentence, data in refused.items():
        said = refusal(data)
        assert sentence in said, f"{said!r} instead of {sentence!r}"
    print(f"{len(texts)} lists came back as they were, {len(refused)} refusals")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pickle", nargs="?", type=pathlib.Path)
    parser.add_argument("csv", nargs="?", type=pathlib.Path, help=".csv, or .csv.gz to pack it")
    parser.add_argument("--selftest", nargs="*", type=pathlib.Path, metavar="CSV",
                        help="pickle rows made here, and these lists, and read them back")
    given = parser.parse_args()
    if given.selftest is not None:
        selftest(given.selftest)
        return
    if given.csv is None:
        parser.error("say which pickle, and where its rows go")
    header, rows = rows_of(load(given.pickle.read_bytes(), given.pickle.name), given.pickle.name)
    write(given.csv, text_of(header, rows))
    print(f"{len(rows)} rows, {len({row[3] for row in rows})} classes, "
          f"{len({row[1] for row in rows})} tasks in {given.csv}")


if __name__ == "__main__":
    sys.exit(main())
