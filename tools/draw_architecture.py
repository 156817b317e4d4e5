#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/architecture.svg: the modules, what flows between them in a run, and the information barrier.

    python3 tools/draw_architecture.py            writes it
    python3 tools/draw_architecture.py --check    exit code 1 where the file is not what would be written

The modules are those of check_layers.py: one that has no box here is refused."""
import pathlib
import sys

from check_layers import BARRIER, BELOW, TRUTH

WIDTH, HEIGHT = 980, 592
BOXES = {  # left, top, width, height, what it holds; a module that opens a library on demand ends in *
    "cli": (20, 20, 940, 46, "one file for each verb"),
    "engine": (20, 76, 740, 46, "an experiment from YAML to a run folder; learn, search, predict, extract, page"),
    "server": (780, 76, 180, 46, "pages, evaluations"),
    "data": (45, 185, 120, 56, "labels, importers"),
    "world": (230, 185, 130, 56, "what comes when"),
    "protocol": (430, 185, 130, 56, "the exchange"),
    "report": (45, 320, 120, 56, "tables, the page"),
    "measure": (230, 320, 130, 56, "functions of it"),
    "record": (430, 320, 130, 56, "what was said"),
    "predictor": (680, 185, 250, 56, "a composition of parts"),
    "parts": (680, 270, 250, 106, ""),
    "sail_on": (20, 422, 150, 46, "tests in rounds"),
    "client": (180, 422, 150, 46, "a server elsewhere *"),
    "video": (340, 422, 150, 46, "pictures, frames *"),
    "nn": (500, 422, 150, 46, "networks *"),
    "calibration": (660, 422, 145, 46, "trusted scores"),
    "cluster": (815, 422, 145, 46, "groups of rows *"),
    "sample": (20, 478, 465, 46, "rows of numbers under opaque ids, label space, prediction"),
    "math": (495, 478, 465, 46, "distances, neighbours, statistics, quantiles"),
    "core": (20, 534, 940, 46, "errors, options and YAML, CSV, random streams, archives, states, files"),
}
SLOTS = ["representation → classifier", "→ calibrator → detector → recogniser", "alarm, feedback, memory"]
STYLE = """
  .paper { fill: #ffffff } .truth { fill: #eaf1fa } .blind { fill: #e9f5ec }
  .box { fill: #ffffff; stroke: #5b6b7c; stroke-width: 1.2 } .base { fill: #f4f4f2 }
  .name { fill: #14202c; font-weight: bold; font-size: 15px } .about { fill: #44525f; font-size: 12px }
  .zone { fill: #3a5f8c; font-size: 13px; font-style: italic } .zone.right { fill: #2f7446 }
  .way { stroke: #14202c; stroke-width: 1.6; fill: none } .tip { fill: #14202c }
  .barrier { stroke: #b3402a; stroke-width: 2; stroke-dasharray: 7 5 } .wall { fill: #b3402a; font-size: 13px }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0f151b } .truth { fill: #16263a } .blind { fill: #15291d }
    .box { fill: #1b2530; stroke: #8da0b3 } .base { fill: #20272e }
    .name { fill: #f0f4f8 } .about { fill: #b9c6d2 } .zone { fill: #9cc0ec } .zone.right { fill: #97d3aa }
    .way { stroke: #f0f4f8 } .tip { fill: #f0f4f8 }
    .barrier { stroke: #ff8f78 } .wall { fill: #ff8f78 }
  }
"""


def text(x, y, words, kind, anchor="middle"):
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{words}</text>'


def box(module):
    left, top, width, height, about = BOXES[module]
    base = " base" if top > 400 else ""
    yield f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="5" class="box{base}"/>'
    centre = left + width / 2
    if module == "parts":
        yield text(centre, top + 24, "parts", "name")
        for number, line in enumerate(SLOTS):
            yield text(centre, top + 48 + 19 * number, line, "about")
    else:
        yield text(centre, top + height / 2 - 4, module, "name")
        yield text(centre, top + height / 2 + 14, about, "about")


def arrow(x1, y1, x2, y2):
    return f'<path d="M{x1} {y1} L{x2} {y2}" class="way" marker-end="url(#tip)"/>'


def drawing():
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
           f'font-family="sans-serif" role="img">')
    yield "<title>The twenty modules of Tyto, and what flows between them in a run</title>"
    yield f"<style>{STYLE}</style>"
    yield ('<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
           'orient="auto-start-reverse"><path d="M0 0 L10 5 L0 10 z" class="tip"/></marker></defs>')
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" class="paper"/>'
    yield '<rect x="20" y="140" width="560" height="264" rx="8" class="truth"/>'
    yield '<rect x="660" y="140" width="300" height="264" rx="8" class="blind"/>'
    yield text(35, 162, "may know the truth", "zone", "start")
    yield text(945, 162, "sees samples and granted names only", "zone right", "end")
    yield '<path d="M620 136 L620 408" class="barrier"/>'
    yield f'<g transform="rotate(-90 636 335)">{text(636, 339, "information barrier", "wall")}</g>'
    yield arrow(165, 213, 230, 213)
    yield text(197, 206, "rows", "about")
    yield arrow(360, 203, 430, 203)
    yield text(395, 196, "splits", "about")
    yield arrow(430, 225, 360, 225)
    yield text(395, 241, "questions", "about")
    yield arrow(560, 203, 680, 203)
    yield '<rect x="584" y="178" width="72" height="16" class="paper"/>'
    yield text(620, 190, "samples", "about")
    yield arrow(680, 225, 560, 225)
    yield '<rect x="584" y="233" width="72" height="16" class="paper"/>'
    yield text(620, 245, "answers", "about")
    yield arrow(495, 241, 495, 320)
    yield text(487, 285, "every answer", "about", "end")
    yield arrow(430, 348, 360, 348)
    yield text(395, 341, "phases", "about")
    yield arrow(230, 348, 165, 348)
    yield text(197, 341, "numbers", "about")
    yield arrow(805, 241, 805, 270)
    for module in BOXES:
        yield from box(module)
    yield "</svg>"


def main():
    if set(BOXES) != set(BELOW):
        print(f"no box for {sorted(set(BELOW) - set(BOXES))}, no module {sorted(set(BOXES) - set(BELOW))}")
        return 1
    for module, (left, *_) in BOXES.items():
        if (module in TRUTH and left > 600) or (module in BARRIER - {"nn"} and left < 600):
            print(f"{module} stands on the wrong side of the barrier")
            return 1
    path = pathlib.Path(__file__).resolve().parent.parent / "docs/images/architecture.svg"
    svg = "\n".join(line for line in drawing() if line) + "\n"
    if "--check" in sys.argv[1:]:
        same = path.is_file() and path.read_text() == svg
        print(f"{path.name} is {'as drawn' if same else 'stale: run tools/draw_architecture.py'}")
        return 0 if same else 1
    path.write_text(svg)
    return 0


if __name__ == "__main__":
    sys.exit(main())
