#!/usr/bin/env python3
"""Runs experiments/kowl718 on stand-in features and writes docs/results/kowl718.md, published values beside.

  tools/kowl718_results.py [--tyto build/release/tyto] [--data ../shared/data] [--runs runs/kowl718] [--share 0.05] [--only published ...]

What is done is not done again. Numbers of the tables: test samples, novel as the predictor has it, unless a title says otherwise."""
import argparse
import base64
import collections
import csv
import gzip
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STEPS = [str(step) for step in range(11)]
# Table 3 of the paper: MCC on train, validate, test, by arm of table3.yaml.
TABLE3 = {"x3d-original": (0.8701, 0.7067, 0.6893), "x3d-ann-100": (0.9891, 0.7054, 0.6890), "x3d-ann-1": (0.8414, 0.6929, 0.6740),
          "x3d-ann-1-evm": (0.5777, 0.4836, 0.4698), "tsf-original": (0.8988, 0.7548, 0.7361), "tsf-ann-100": (0.9817, 0.7546, 0.7344),
          "tsf-ann-1": (0.8566, 0.7410, 0.7237), "tsf-evm": (0.5552, 0.4995, 0.4938)}
# What a detector that calls everything known reaches by the paper's Table 1.
ALWAYS_KNOWN = {"1": .8630, "2": .5696, "3": .6486, "4": .6630, "5": .6417, "6": .9678, "7": .9600, "8": .9494, "9": .9301, "10": .8958}
GROUPS = (("type of activity (AVA)", "ava_type"), ("actions in the key frame", "ava_actions"), ("people in the key frame", "ava_people"),
          ("mean box area, thirds", "ava_mean_area:3"))


def call(*words):
    print("$", *words, file=sys.stderr)
    subprocess.run([str(word) for word in words], check=True)


def prepare(given):
    """Lists, splits, stand-ins; what is there is kept."""
    lists, data = given.runs / "lists", given.runs / "data"
    if not (lists / "lost.txt").exists():
        call(sys.executable, ROOT / "tools/kowl718_lists.py", given.data / "kinetics", lists)
    for test in ("separate", "union"):
        out = given.runs / f"split_{test}"
        if not out.exists():
            releases = [word for release in ("k400", "k600", "k700") for word in (f"--{release}", lists / f"{release}.csv.gz")]
            call(given.tyto, "split", "kowl718", *releases, "--blacklist", lists / "lost.txt", "--schedule", "table", "--novel", "taught", "--test", test, "--out", out)
    standin = [sys.executable, ROOT / "tools/kowl718_standin.py"]
    vectors = given.data / "kinetics_class_vectors"
    if not (data / "kowl718_standin/dataset.yaml").exists():
        call(*standin, given.runs / "split_separate/manifest.csv", vectors, data / "kowl718_standin", "--share", given.share,
             "--ava", given.data / "ava_kinetics/ava_kinetics_val_per_video.csv.gz")
    if "table3" in given.only and not (data / "kowl718_standin_k400/dataset.yaml").exists():
        call(*standin, lists / "k400_manifest.csv", vectors, data / "kowl718_standin_k400", "--share", given.share, "--heads")


def experiment(given, name):
    """The file of that name. Of few clips an epoch is few steps: the networks that learn for one see as many as one of all clips has."""
    source = ROOT / "experiments/kowl718" / f"{name}.yaml"
    epochs = f"{{epochs: {round(1 / given.share)}}}"
    lines = []
    for line in source.read_text().splitlines():
        if "preset: ann-published" in line and "classifier:" not in line:
            line = line.replace("preset: ann-published,", f"preset: ann-published, classifier: {epochs},")
        lines.append(line.replace("preset: ann-evm-released,", f"preset: ann-evm-released, representation: {epochs},"))
    made = given.runs / f"{name}.yaml"
    made.write_text("\n".join(lines) + "\n")
    return made if given.share < 1 else source


def run(given, name):
    out = given.runs / name
    if not (out / "measures.csv").exists():
        resume = ["--resume"] if (out / "run.json").exists() else []
        call(given.tyto, "run", experiment(given, name), "--out", out, "--data", given.runs / "data", "--set", "report=false", *resume)
    return out


def read(out):
    """values[phase, split, novel_to, view, measure][arm][step]"""
    values = collections.defaultdict(lambda: collections.defaultdict(dict))
    with open(out / "measures.csv", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["phase"], row["split"], row["novel_to"], row["view"], row["measure"])
            values[key][row["arm"]][row["step"]] = float(row["value"]) if row["value"] else math.nan
    return values


def cell(value):
    return "" if value is None or value != value else f"{value:.3f}"


def table(values, key, steps=STEPS[1:], last="all"):
    lines = ["| arm | " + " | ".join(steps) + f" | {last} |", "|---|" + "---:|" * (len(steps) + 1)]
    for arm, by_step in values[key].items():
        lines.append(f"| {arm} | " + " | ".join(cell(by_step.get(step)) for step in steps + [last]) + " |")
    return "\n".join(lines) + "\n"


def mean(values):
    known = [value for value in values if value is not None and value == value]
    return sum(known) / len(known) if known else math.nan


def claims(values):
    """The paper's words, what is seen here, whether it holds."""
    post = values["post", "test", "predictor", "classification", "mcc"]
    train = values["post", "train", "predictor", "classification", "mcc"]
    detect = values["pre", "test", "predictor", "detection", "mcc"]
    recognise = values["pre", "test", "predictor", "recognition", "nmi"]
    react = {split: values["pre", split, "evaluator", "detection", "reaction_time"] for split in ("train", "test")}
    accuracy = values["post", "test", "predictor", "classification", "accuracy"]
    later = STEPS[1:]
    out = []

    def claim(text, seen, holds):
        out.append(f"| {text} | {seen} | {'holds' if holds else 'does not hold'} |")

    better = sum(post["tsf-ann-100pct"][s] > post["x3d-ann-100pct"][s] for s in later)
    claim("TimeSformer features beat X3D everywhere", f"ANN 100 %: better in {better} of {len(later)} increments (made so: less noise)", better == len(later))
    worse = [arm for arm, v in post.items() if arm.endswith("100pct") and v["10"] < v["0"]]
    claim("all predictors degrade over increments even at 100 % feedback",
          "; ".join(f"{arm} {post[arm]['0']:.2f} to {post[arm]['10']:.2f}" for arm in post if arm.endswith("100pct")), len(worse) == 3)
    g = "tsf-gmm-finch-100pct"
    claim("GMM-FINCH 100 %: very high train scores after feedback, low test scores",
          f"MCC {mean(train[g].get(s) for s in later):.2f} on train, {mean(post[g].get(s) for s in later):.2f} on test",
          mean(train[g].get(s) for s in later) > 0.9 and mean(post[g].get(s) for s in later) < 0.75)
    g = "tsf-gmm-finch-0pct"
    claim("GMM-FINCH 0 % calls most samples unknown: high classification accuracy, low MCC",
          f"accuracy {mean(accuracy[g].get(s) for s in later):.2f}, MCC {mean(post[g].get(s) for s in later):.2f}",
          mean(accuracy[g].get(s) for s in later) > 0.5 and mean(post[g].get(s) for s in later) < 0.3)
    best = max(detect, key=lambda arm: mean(detect[arm].get(s) for s in later))
    claim("detection is weak for all, the thresholded ANNs are best by MCC",
          f"best mean MCC {mean(detect[best].get(s) for s in later):.2f} ({best})", "ann" in best)
    top = max(value for arm in recognise.values() for step, value in arm.items() if step in later and value == value)
    first = [max(recognise, key=lambda arm: recognise[arm].get(s, -1) if recognise[arm].get(s, -1) == recognise[arm].get(s, -1) else -1) for s in STEPS[4:]]
    claim("recognition NMI never above 0.4, GMM-FINCH 0 % best from increment 4", f"at most {top:.2f}; best from increment 4 on: {', '.join(sorted(set(first)))}",
          top <= 0.4 and set(first) == {"tsf-gmm-finch-0pct"})
    speed = {arm: mean(v.get(s) for s in later) for arm, v in react["test"].items()}
    claim("GMM-FINCH 0 % reacts fastest, 50 % slowest", ", ".join(f"{arm} {value:.2f}" for arm, value in sorted(speed.items(), key=lambda item: item[1])),
          min(speed, key=speed.get) == "tsf-gmm-finch-0pct" and max(speed, key=speed.get) == "tsf-gmm-finch-50pct")
    return "| claim | here | |\n|---|---|---|\n" + "\n".join(out) + "\n"


def page_data(file):
    """What a report page is filled with."""
    html = file.read_text()
    data = html.split('<script id="data" type="application/octet-stream">', 1)[1].split("</script>", 1)[0]
    return json.loads(gzip.decompress(base64.b64decode(data)))


def ranged(value):
    """A value and its interval, as pages hold them."""
    middle, low, high = value
    return "" if middle is None else cell(middle) + ("" if low is None else f" [{cell(low)}, {cell(high)}]")


def group_tables(data):
    """Fig. 12, out of the section Groups of a page: its first three measures are those of the figure."""
    section = next(section["data"] for section in data["sections"] if section["kind"] == "groups")
    columns = {column["column"]: column for column in section["columns"]}
    text = ""
    for title, name in GROUPS:
        column = columns[name]
        titles = [measure["title"] for measure in column["measures"][:column["main"]]]
        text += f"\n**{title}**\n\n" + (f"{column['note']}.\n\n" if column["note"] else "")
        text += f"| arm | group | samples | {' | '.join(titles)} |\n|---|---|" + "---:|" * (1 + len(titles)) + "\n"
        for row in column["rows"]:
            numbers = " | ".join(ranged(value) for value in row["values"][:column["main"]])
            text += f"| {data['arms'][row['arm']]['name']} | {row['group']} | {row['samples']} | {numbers} |\n"
    return text


def by_groups(given, out):
    """The page is made anew: another program may have written the one that is there."""
    wanted = [word for _, column in GROUPS for word in ("--by", column)]
    call(given.tyto, "report", out, "--data", given.runs / "data", *wanted, "--force", "--quiet", "--out", out / "report.html")
    return group_tables(page_data(out / "report.html"))


def table3(given, out):
    values = read(out)
    seconds = collections.defaultdict(float)
    with open(out / "times.csv", newline="") as file:
        for row in csv.DictReader(file):
            seconds[row["arm"]] += float(row["seconds"])
    text = "| arm | train | validate | test | paper: train | validate | test | seconds |\n|---|" + "---:|" * 7 + "\n"
    for arm, paper in TABLE3.items():
        name = f"{arm}-0pct"
        here = [values["post", split, "predictor", "classification", "mcc"][name].get("0") for split in ("train", "validate", "test")]
        text += f"| {arm} | " + " | ".join(cell(value) for value in here) + " | " + " | ".join(f"{value:.4f}" for value in paper) + \
            f" | {seconds[name]:.0f} |\n"
    return text


def bar(value):
    """20 characters at 1."""
    return "█" * round(20 * value) if value is not None and value > 0 else ""


def bars(values):
    """Fig. 16: the heads side by side, by split."""
    text = "| head | split | accuracy | MCC | NMI | MCC as a bar |\n|---|---|---:|---:|---:|---|\n"
    for arm in TABLE3:
        for split in ("train", "validate", "test"):
            here = {measure: values["post", split, "predictor", "classification", measure][f"{arm}-0pct"].get("0") for measure in ("accuracy", "mcc", "nmi")}
            text += f"| {arm} | {split} | " + " | ".join(cell(value) for value in here.values()) + f" | {bar(here['mcc'])} |\n"
    return text


def check(given, number, test):
    done = subprocess.run([sys.executable, str(ROOT / "tools/kowl718_lists.py"), "--check", str(ROOT / "experiments/kowl718/tables.csv"), str(number),
                           str(given.runs / f"split_{test}/counts.csv")], capture_output=True, text=True)
    return done.stdout.strip()


def always_known(given):
    with open(given.runs / "split_union/counts.csv", newline="") as file:
        rows = {row["increment"]: row for row in csv.DictReader(file)}
    worst = max(abs(int(rows[s]["test_known"]) / (int(rows[s]["test_known"]) + int(rows[s]["test_novel"])) - value) for s, value in ALWAYS_KNOWN.items())
    return f"A detector that calls everything known would be right as often as the paper's Table 1 implies, to {worst:.4f}."


def page(given):
    text = f"""# KOWL-718

Written by `tools/kowl718_results.py`. **Stand-in features**: numbers drawn around real class directions, of no video ([how](../../experiments/kowl718/README.md));
{given.share:g} of the clips of each class, increment and split. What is shown is that lists, increments, budgets and measures are the paper's;
which method is better on real video is not. The counts of Tables 1 and 2 are those of the whole benchmark. Networks that learn for one epoch see as many steps
here as one epoch of all clips has ({round(1 / given.share)} epochs).

## Tables 1 and 2: what is shown when

```
{check(given, 1, "union")}
{check(given, 2, "separate")}
```

Where Table 2 prints one novel test sample at increment 0, Table 1 leaves it out: no count meets both. {always_known(given)}
"""
    for name, title in (("published", "The seven arms of the paper, in their published forms"), ("sound", "The same in sound forms, and the default preset")):
        if name not in given.only:
            continue
        out = run(given, name)
        values = read(out)
        text += f"\n## {title}\n"
        if name == "published":
            text += "\n### The paper's claims\n\n" + claims(values)
        for heading, key in (("MCC of the classification task after feedback, test", ("post", "test", "predictor", "classification", "mcc")),
                             ("The same on train", ("post", "train", "predictor", "classification", "mcc")),
                             ("NMI of the classification task after feedback, test", ("post", "test", "predictor", "classification", "nmi")),
                             ("MCC of novelty detection before feedback, test", ("pre", "test", "predictor", "detection", "mcc")),
                             ("False alarms before feedback, test", ("pre", "test", "predictor", "detection", "false_alarm_rate")),
                             ("NMI of novelty recognition before feedback, test", ("pre", "test", "predictor", "recognition", "nmi")),
                             ("Reaction time, novel to the evaluator, test", ("pre", "test", "evaluator", "detection", "reaction_time"))):
            text += f"\n### {heading} (stand-in features)\n\n" + table(values, key)
        if name == "published":
            text += "\n### By what AVA-Kinetics says of the clips (stand-in features)\n\nCumulative over the increments, after feedback, the classification " \
                    "task: the numbers of the section Groups of the run's page (`tyto report RUN --by COLUMN`), with 95 % bootstrap intervals over the samples of each group; N/A: " \
                    "AVA-Kinetics says nothing. The stand-ins know nothing of people or boxes, so that groups differ by their classes alone. A resample has fewer different samples, " \
                    "which flatters NMI: [its interval may lie off the value](../measuring.md#intervals).\n" + by_groups(given, out)
    if "table3" in given.only:
        text += "\n## Table 3: heads on Kinetics-400 (stand-in features)\n\nMCC by split, in the published forms; seconds of learning and prediction here, on one thread. The paper " \
                "needed about 8 h for 100 epochs, half an hour for one, 8 to 16 h for EVM, on all clips.\n\n" + table3(given, run(given, "table3"))
        text += "\n### The heads as bars, by split (Fig. 16; stand-in features)\n\nAll measures are those of the classification task, at increment 0.\n\n" + \
            bars(read(run(given, "table3")))
    return text


def selftest():
    """What is made of pages and measures, on invented ones."""
    column = {"column": "ava_type", "note": "", "main": 2, "measures": [{"title": "accuracy"}, {"title": "MCC"}, {"title": "other"}],
              "rows": [{"arm": 1, "group": "PM", "samples": 7, "values": [[0.5, 0.25, 0.75], [0.125, None, None], [1, 1, 1]]},
                       {"arm": 1, "group": "N/A", "samples": 2, "values": [[None, None, None], [1, 0, 1], [1, 1, 1]]}]}
    others = [{**column, "column": name, "note": "cut into 3 parts"} for _, name in GROUPS[1:]]
    data = {"arms": [{"name": "a"}, {"name": "b"}], "sections": [{"kind": "cost", "data": {}}, {"kind": "groups", "data": {"columns": others + [column]}}]}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.html"
        packed = base64.b64encode(gzip.compress(json.dumps(data).encode())).decode()
        file.write_text(f'<html><script id="data" type="application/octet-stream">{packed}</script></html>')
        text = group_tables(page_data(file))
    assert text.startswith("\n**type of activity (AVA)**\n\n| arm | group | samples | accuracy | MCC |\n|---|---|---:|---:|---:|\n"
                           "| b | PM | 7 | 0.500 [0.250, 0.750] | 0.125 |\n| b | N/A | 2 |  | 1.000 [0.000, 1.000] |\n"), text
    assert text.count("cut into 3 parts.\n") == 3, text
    assert (bar(1.0), bar(0.26), bar(0.0), bar(-0.5), bar(None), bar(math.nan)) == ("█" * 20, "█" * 5, "", "", "", "")
    values = collections.defaultdict(lambda: collections.defaultdict(dict))
    values["post", "test", "predictor", "classification", "mcc"]["tsf-evm-0pct"]["0"] = 0.5
    assert "| tsf-evm | test |  | 0.500 |  | ██████████ |\n" in bars(values), bars(values)
    print("ok")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tyto", type=pathlib.Path, default=ROOT / "build/release/tyto")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/kowl718")
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--only", nargs="*", default=["published", "sound", "table3"])
    parser.add_argument("--selftest", action="store_true")
    given = parser.parse_args()
    if given.selftest:
        return selftest()
    if not (given.data / "kinetics").exists():
        raise SystemExit(f"{given.data / 'kinetics'} is not there: the lists are needed")
    prepare(given)
    (ROOT / "docs/results/kowl718.md").write_text(page(given))


if __name__ == "__main__":
    main()
