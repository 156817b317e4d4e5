#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/slots/: a page for each slot of a predictor with every part that fills it, from what the program
says of itself (`tyto list`, `tyto explain --json`), so that no part is missing and no option is out of date.

    python3 tools/slot_pages.py                      writes them, by build/release/tyto
    python3 tools/slot_pages.py --check              exit code 1 where a page is not what would be written
    python3 tools/slot_pages.py --tyto PROGRAM
    python3 tools/slot_pages.py --selftest"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/slots"
SLOTS = {  # what it does, in YAML, where more is told
    "representation": ("makes features of raw rows, each for itself, before anything else sees them",
                       "representation: standardise", []),
    "classifier": ("gives every sample a score for each class it has learned",
                   "classifier: {name: slda, shrinkage: 0.1}",
                   [("open-set classifiers", "../open-set.md"), ("Gaussians and mixtures", "../densities.md"),
                    ("class after class", "../protocols/cil.md")]),
    "calibrator": ("makes the scores of known classes into probabilities one can trust, on held-out samples",
                   "calibrator: temperature", [("confidence one can trust", "../calibration.md")]),
    "detector": ("gives every sample one number, its novelty; the threshold is set on held-out samples",
                 "detector: {name: knn, k: 1}",
                 [("formulas, costs and when each fails", "../detectors.md"), ("what is unusual", "../detect.md"),
                  ("results", "../results/detectors.md")]),
    "recogniser": ("makes classes of the samples nobody could name, and keeps their identities",
                   "recogniser: {name: finch, promote: [size]}",
                   [("discovering classes", "../discovery.md"), ("clustering methods", "../clustering-methods.md"),
                    ("category discovery", "../protocols/discover.md")]),
    "alarm": ("says along a stream whether the world has changed", "alarm: martingale",
              [("how it works", "../detectors.md#the-alarm-martingale")]),
    "feedback": ("orders samples by how much their labels are wanted", "feedback: margin",
                 [("what may be asked, and of whom", "../protocols/owl.md#the-oracle")]),
    "memory": ("keeps samples to be shown again", "memory: {name: herding, budget: 80, unit: frames}",
               [("budgets, and which samples and frames are kept", "../memory.md")]),
}
HEAD = "<!-- Written by tools/slot_pages.py from what the program says; do not edit. -->\n"


def plain(text):
    """Text for Markdown, in a table or out of it; what stands in backticks stays."""
    pieces = re.split(r"(`[^`]*`)", " ".join(text.split()))
    for i, piece in enumerate(pieces):
        pieces[i] = (piece if i % 2 else re.sub(r"([\\*<>\[\]])", r"\\\1", piece)).replace("|", r"\|")
    return "".join(pieces)


def code(text):
    return "`" + text.replace("|", r"\|") + "`"


def sentence(text):
    text = plain(text)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def option_rows(options):
    yield "| option | value | standard | |"
    yield "|---|---|---|---|"
    for option in options:
        value = option["type"]
        if option.get("range"):
            value += ", " + option["range"]
        standard = option.get("default", "")
        yield (f"| {code(option['key'])} | {plain(value)} | {code(standard) if standard != '' else ''} "
               f"| {plain(option['help'])} |")


def part_entry(part, presets):
    yield f"## `{part['name']}`"
    yield ""
    yield sentence(part["summary"])
    yield ""
    slots = part["kind"].split(", ")
    if len(slots) > 1:
        others = ", ".join(f"`{slot}`" for slot in slots[1:])
        yield f"- fills {others} too: `{slots[0]}: {{name: {part['name']}, also: [{', '.join(slots[1:])}]}}`"
    for fact in ("cost", "objective", "paper"):
        if part.get(fact):
            yield f"- {fact}: {plain(part[fact])}"
    if presets:
        yield "- in the presets " + ", ".join(f"`{name}`" for name in presets)
    yield ""
    if part["options"]:
        yield from option_rows(part["options"])
        yield ""


def slot_page(slot, parts, users):
    """`parts`: by name, as explained; `users`: presets by (slot, name)."""
    does, yaml, more = SLOTS[slot]
    yield f"# The slot `{slot}`"
    yield ""
    yield HEAD
    yield sentence(does)
    yield ""
    yield "```yaml"
    yield yaml
    yield "```"
    yield ""
    if more:
        yield "More: " + ", ".join(f"[{name}]({target})" for name, target in more) + "."
        yield ""
    yield "Symbols of costs: n samples, d features, k classes, m remembered samples. `tyto explain NAME` prints the same."
    yield ""
    yield "| part | |"
    yield "|---|---|"
    for name, part in parts.items():
        first = part["kind"].split(", ")[0]
        where = f"#{name}" if first == slot else f"{first}.md#{name}"
        yield f"| [`{name}`]({where}) | {plain(part['summary'])} |"
    yield ""
    for name, part in parts.items():
        if part["kind"].split(", ")[0] == slot:
            yield from part_entry(part, users.get((slot, name), []))


def index_page(pages):
    yield "# Slots and parts"
    yield ""
    yield HEAD
    yield ("A predictor is a composition: each slot is filled by one part, or left empty (`none`). Samples pass from the first to the "
           "last; alarm, feedback and memory stand beside them. [How it works](../architecture.md#how-a-composed-predictor-works), "
           "[a part of your own](../extending/part.md).")
    yield ""
    yield "| slot | parts | |"
    yield "|---|---|---|"
    for slot, parts in pages.items():
        yield f"| [`{slot}`]({slot}.md) | {len(parts)} | {plain(SLOTS[slot][0])} |"


def said(tyto, *arguments):
    done = subprocess.run([tyto, *arguments, "--json"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tyto {' '.join(arguments)} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def parts_in_presets(tyto, listed):
    """Presets by (slot, part): what their YAML says of the slot."""
    users = {}
    for preset in listed["preset"]:
        for entry in said(tyto, "explain", preset["name"]):
            if entry["kind"] != "preset":
                continue
            for slot, name in re.findall(r"^(\w+):\n  name: (\S+)$", entry["yaml"], re.M):
                users.setdefault((slot, name), []).append(preset["name"])
    return users


def all_pages(tyto):
    listed = said(tyto, "list")
    users = parts_in_presets(tyto, listed)
    pages = {}
    for slot in SLOTS:
        names = sorted(part["name"] for part in listed[slot])
        pages[slot] = {}
        for name in names:
            for entry in said(tyto, "explain", name):
                if slot in entry["kind"].split(", "):
                    pages[slot][name] = entry
        if list(pages[slot]) != names:
            sys.exit(f"tyto explain does not know every {slot} of tyto list: {sorted(set(names) - set(pages[slot]))}")
    texts = {f"{slot}.md": slot_page(slot, parts, users) for slot, parts in pages.items()}
    texts["README.md"] = index_page(pages)
    return {name: "\n".join(lines).rstrip() + "\n" for name, lines in texts.items()}


def selftest():
    assert plain("a | b * `c | *d*` <e>") == r"a \| b \* `c \| *d*` \<e\>"
    assert sentence("the first") == "The first."
    part = {"name": "x", "kind": "classifier, detector", "summary": "both at once", "cost": "O(n)",
            "options": [{"key": "k", "type": "word", "range": "a | b", "default": "a", "help": "which"}]}
    entry = "\n".join(part_entry(part, ["p"]))
    assert "`classifier: {name: x, also: [detector]}`" in entry and r"| `k` | word, a \| b | `a` | which |" in entry
    other = "\n".join(slot_page("detector", {"x": part}, {}))
    assert "[`x`](classifier.md#x)" in other and "## `x`" not in other
    print("slot pages are made as they should be")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tyto", default=str(ROOT / "build/release/tyto"), help="the program that is asked")
    options.add_argument("--check", action="store_true", help="write nothing; say which pages are stale")
    options.add_argument("--selftest", action="store_true")
    given = options.parse_args()
    if given.selftest:
        return selftest()
    if not pathlib.Path(given.tyto).is_file():
        sys.exit(f"{given.tyto}: there is no such program; make build, or --tyto PROGRAM")
    texts = all_pages(str(pathlib.Path(given.tyto).resolve()))
    stale = [name for name, text in texts.items()
             if not (FOLDER / name).is_file() or (FOLDER / name).read_text() != text]
    if FOLDER.is_dir():
        stale += sorted(page.name for page in FOLDER.glob("*.md") if page.name not in texts)
    if given.check:
        for name in stale:
            print(f"docs/slots/{name} is stale: run tools/slot_pages.py")
        if not stale:
            print("the pages of the slots are what the program says")
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts.items():
        (FOLDER / name).write_text(text)
    for name in set(stale) - set(texts):
        (FOLDER / name).unlink()
    print(f"{len(texts)} pages, {len(stale)} of them changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
