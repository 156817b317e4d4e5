#!/usr/bin/env python3
"""Runs experiments/vclimb/*.yaml and writes docs/results/vclimb.md: the tables of the vCLIMB paper, ours beside the printed.

    tools/vclimb_tables.py --quick
    tools/vclimb_tables.py --data FOLDER --prior-knowledge "a ResNet-34 trained on ImageNet"
    tools/vclimb_tables.py --selftest

FOLDER has real features as datasets called ucf101, activitynet and kinetics400, whose ids are the video_id of the
lists; for a set that is not there stand-ins are made (tools/vclimb_standin.py), and every column of it says so. --quick
thins the lists and lowers budgets and epochs, as the page tells. A run that is done is not run again. A memory that ever
held more than its budget, or a task of another size than in the list, stops everything: no page is written."""
import argparse
import csv
import gzip
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from vclimb_page import LISTS, page
from vclimb_standin import read_list, thinned, unpacked

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPERIMENTS = [f"{name}_{tasks}" for name in ("kinetics400", "activitynet_trim", "activitynet_untrim", "ucf101") for tasks in (10, 20)]
QUICK_VIDEOS = {"kinetics400": 8, "activitynet": 12, "ucf101": 20}  # train videos of a class
QUICK_EPOCHS = 20
LEAST_PER_CLASS = 2  # samples a class has in the memory at the end, however thin the list
ACC, BWF = "task_accuracy_by_class", "backward_forgetting_by_class"


def list_of(experiment):
    """The list of tasks an experiment reads: activitynet_10 of activitynet_trim_10."""
    return re.sub("_(un)?trim", "", experiment)


def predictors_of(text):
    """Name and memory budget of each predictor of an experiment, in order; no budget: None."""
    found = []
    for item in re.split(r"^  - ", text.partition("\npredictors:\n")[2], flags=re.M)[1:]:
        name = re.match(r"\{preset: (\w+)(?:, name: ([\w-]+))?", item)
        budget = re.search(r"budget: (\d+)", item)
        found.append((name[2] or name[1], int(budget[1]) if budget else None))
    return found


def train_rows(rows):
    return sum(row["split"] == "train" for row in rows)


def thin_budget(budget, rows, few):
    """As large a share of the train rows, but some for every class."""
    classes = len({row["class_name"] for row in rows})
    return max(round(budget * train_rows(few) / train_rows(rows)), LEAST_PER_CLASS * classes)


def get_lists(args):
    """Rows of every list that can be had, by name; they lie in the folder of the runs afterwards."""
    folder = args.runs / "lists"
    folder.mkdir(parents=True, exist_ok=True)
    lists = {}
    for name in LISTS:
        base, tasks = name.rsplit("_", 1)
        path = folder / f"{base}_{tasks}tasks.csv.gz"
        if base == "kinetics400" and args.kinetics.exists() and not path.exists():
            subprocess.run([sys.executable, ROOT / "tools/kinetics_tasks.py", args.kinetics, path, "--tasks", tasks], check=True,
                           stdout=subprocess.DEVNULL)
        elif (args.lists / path.name).exists() and not path.exists():
            shutil.copy(args.lists / path.name, path)
        if path.exists():
            lists[name] = read_list(unpacked(path), path.name)[1]
    return lists


def write_list(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def is_real(args, name):
    return args.data is not None and (args.data / name.rsplit("_", 1)[0] / "dataset.yaml").exists()


def settings(args, experiment, rows):
    """What is changed of an experiment's file: pairs of key and value."""
    name = list_of(experiment)
    base, tasks = name.rsplit("_", 1)
    text = (ROOT / "experiments/vclimb" / f"{experiment}.yaml").read_text()
    shown = thinned(rows, QUICK_VIDEOS[base]) if args.quick else rows
    path = args.work / "lists" / f"{base}_{tasks}tasks.csv.gz"
    write_list(path, shown)
    changed = [("world.file", path)]
    if is_real(args, name):
        changed += [("data", base), ("prior_knowledge", json.dumps(args.prior_knowledge)), ("summary", f"vCLIMB, {experiment}")]
        changed += [("world.lost", "leave_out")] if args.quick else []
    for i, (_, budget) in enumerate(predictors_of(text)):
        if args.quick and budget:
            changed.append((f"predictors.{i}.memory.budget", thin_budget(budget, rows, shown)))
        if args.epochs:
            changed.append((f"predictors.{i}.classifier.epochs", args.epochs))
    return changed


def make_standins(args, name):
    base, tasks = name.rsplit("_", 1)
    folder = args.work / "data" / f"vclimb_standin_{name}"
    if not (folder / "dataset.yaml").exists():
        subprocess.run([sys.executable, ROOT / "tools/vclimb_standin.py", args.runs / "lists" / f"{base}_{tasks}tasks.csv.gz", folder,
                        "--videos-per-class", str(QUICK_VIDEOS[base] if args.quick else 0)], check=True)


def run(args, experiment, rows):
    name = list_of(experiment)
    out = args.work / experiment
    changed = settings(args, experiment, rows) + [tuple(given.split("=", 1)) for given in args.set]
    # What a run was made with, lest a page tell of its numbers under other settings.
    told = args.work / f"{experiment}.settings.json"
    text = json.dumps([[key, str(value)] for key, value in changed], indent=0)
    if out.exists() and (not told.exists() or told.read_text() != text):
        raise SystemExit(f"{out} was run with other settings ({told.name}); remove it, or say --runs elsewhere")
    if not (out / "measures.csv").exists():
        if not is_real(args, name):
            make_standins(args, name)
        told.write_text(text)
        command = [args.tyto, "run", ROOT / "experiments/vclimb" / f"{experiment}.yaml", "--out", out, "--threads", "1", "--no-table", "--no-report",
                   "--data", args.data if is_real(args, name) else args.work / "data", *(["--resume"] if out.exists() else []),
                   *(f"--set={key}={value}" for key, value in changed)]
        if subprocess.run(command).returncode != 0:
            raise SystemExit(f"{experiment} could not be run; the reason stands above")
    return out


def values_of(folder):
    """(Acc, BWF) in percent by predictor, after the last task, each task counted by its classes."""
    values = {}
    with open(folder / "measures.csv") as f:
        for row in csv.DictReader(f):
            if (row["step"], row["phase"], row["split"]) == ("all", "post", "test") and row["measure"] in (ACC, BWF):
                values.setdefault(row["predictor"], {})[row["measure"]] = 100 * float(row["value"])
    return {name: (of[ACC], of[BWF]) for name, of in values.items()}


def memory_of(rows, where):
    """By predictor the most samples and frames it ever held, and its budget. Stops where a budget was not kept."""
    most = {}
    for row in rows:
        if row["class"] or not row["budget"]:
            continue
        samples, frames, budget = (int(row[key]) for key in ("samples", "frames", "budget"))
        held = {"samples": samples, "frames": frames}[row["unit"]]
        each = samples * int(row["frames_each"]) if row["frames_each"] not in ("", "all") else frames
        if held > budget or frames > each:
            raise SystemExit(f"{where}: after task {row['increment']} the memory of {row['arm']} holds {samples} samples and {frames} frames; "
                             f"its budget is {budget} {row['unit']}, {row['frames_each']} frames a sample")
        before = most.get(row["arm"], (0, 0, 0))
        most[row["arm"]] = (max(before[0], samples), max(before[1], frames), budget)
    return most


def check_tasks(folder, rows):
    """Classes of each task as run, which are those of the list."""
    listed, shown = {}, {}
    for row in rows:
        listed.setdefault(int(row["task"]) + 1, set()).add(row["class_name"])
    with open(folder / "manifest.csv") as f:
        for row in csv.DictReader(f):
            shown.setdefault(int(row["task"]), set()).add(row["label"])
    if shown != listed:
        task = min(t for t in listed | shown if listed.get(t) != shown.get(t))
        raise SystemExit(f"{folder}: task {task} has {len(shown.get(task, ()))} classes, in the list {len(listed.get(task, ()))}")
    return [len(shown[task]) for task in sorted(shown)]


def outcome(args, experiment, rows):
    folder = run(args, experiment, rows)
    with open(folder / "memory.csv") as f:
        memory = memory_of(csv.DictReader(f), folder)
    values = values_of(folder)
    named = [name for name, _ in predictors_of((ROOT / "experiments/vclimb" / f"{experiment}.yaml").read_text())]
    if sorted(named) != sorted(values):
        raise SystemExit(f"{folder}: has {', '.join(sorted(values))}, the experiment {', '.join(sorted(named))}")
    return {"values": values, "memory": memory, "sizes": check_tasks(folder, rows), "real": is_real(args, list_of(experiment))}


def selftest():
    for experiment in EXPERIMENTS:
        names = [name for name, _ in predictors_of((ROOT / "experiments/vclimb" / f"{experiment}.yaml").read_text())]
        assert len(names) == (2 if "untrim_20" in experiment else 6 if "untrim" in experiment else 11 if experiment.endswith("_10") else 5), names
    ucf = predictors_of((ROOT / "experiments/vclimb/ucf101_10.yaml").read_text())
    assert ucf[0] == ("ewc", None) and ucf[3] == ("icarl", 2020) and ucf[-1] == ("icarl-tc-k16", 2020), ucf
    row = {"arm": "a", "increment": "2", "class": "", "samples": "5", "frames": "20", "budget": "5", "unit": "samples", "frames_each": "4"}
    assert memory_of([row, {**row, "samples": "3", "frames": "12"}], "run") == {"a": (5, 20, 5)}
    for broken in ({"samples": "6"}, {"frames": "21"}, {"unit": "frames"}):
        try:
            memory_of([{**row, **broken}], "run")
        except SystemExit as said:
            assert "after task 2 the memory of a holds" in str(said), said
        else:
            raise AssertionError(broken)
    rows = [{"split": "train", "class_name": str(i % 4)} for i in range(400)]
    assert thin_budget(80, rows, rows[:200]) == 40 and thin_budget(80, rows, rows[:8]) == 8
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "manifest.csv").write_text("id,label,task\nx,a,1\ny,b,1\nz,c,2\n")
        listed = [{"task": "0", "class_name": "a"}, {"task": "0", "class_name": "b"}, {"task": "1", "class_name": "c"}]
        assert check_tasks(pathlib.Path(folder), listed) == [2, 1]
        try:
            check_tasks(pathlib.Path(folder), listed + [{"task": "1", "class_name": "d"}])
        except SystemExit as said:
            assert "task 2 has 1 classes, in the list 2" in str(said), said
        else:
            raise AssertionError("a class that was not shown")
    print("budgets, tasks and names are checked")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tyto", type=pathlib.Path, default=ROOT / "build/release/tyto")
    parser.add_argument("--lists", type=pathlib.Path, default=ROOT.parent / "shared/data/vclimb", help="folder with the four published lists")
    parser.add_argument("--kinetics", type=pathlib.Path, default=ROOT.parent / "shared/data/kinetics/kinetics400.csv.gz")
    parser.add_argument("--data", type=pathlib.Path, help="folder with real features")
    parser.add_argument("--prior-knowledge", help="what made the real features")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/vclimb")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/results/vclimb.md")
    parser.add_argument("--only", nargs="+", choices=EXPERIMENTS, default=EXPERIMENTS, metavar="EXPERIMENT")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--epochs", type=int, default=0, help="0: as in the files, with --quick %d" % QUICK_EPOCHS)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="given on to every run")
    parser.add_argument("--selftest", action="store_true")
    args = parser.parse_args()
    if args.selftest:
        selftest()
        return
    if args.data is not None and not args.prior_knowledge:
        parser.error("say with --prior-knowledge what made the features of --data")
    args.epochs = args.epochs or (QUICK_EPOCHS if args.quick else 0)
    args.work = args.runs / ("quick" if args.quick else "full")
    lists = get_lists(args)
    if not lists:
        parser.error(f"no list of tasks in {args.lists}; tools/vclimb_csv.py makes them of the published pickles")
    outcomes = {e: outcome(args, e, lists[list_of(e)]) for e in args.only if list_of(e) in lists}
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = page(lists, outcomes, args, QUICK_VIDEOS, LEAST_PER_CLASS)
    args.page.write_text(text)
    print(f"{args.page}: {len(outcomes)} experiments, {spent.ru_utime + spent.ru_stime:.0f} s of processor time")


if __name__ == "__main__":
    sys.exit(main())
