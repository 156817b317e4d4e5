#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/novelty_sets.svg: three spaces as circles, the seven sets where they meet.

    python3 tools/draw_novelty_sets.py > docs/images/novelty_sets.svg
"""

WIDTH, HEIGHT, RADIUS = 720, 580, 170
CIRCLES = [  # centre, colour, name, where the name stands
    (265, 215, "#4a7ebb", "world", 110, 40),
    (455, 215, "#c0703a", "observation", 620, 40),
    (360, 370, "#5b9a68", "predictor", 360, 560),
]
SETS = [  # centre of the text, lines
    (185, 190, ["imperceptible"]),
    (535, 185, ["ignored faux", "observation"]),
    (360, 470, ["faux agent"]),
    (360, 150, ["ignored", "observed"]),
    (258, 318, ["unverifiable"]),
    (462, 318, ["faux", "observed"]),
    (360, 258, ["unanimous"]),
]
LINE = 18


def text(x, y, lines, size, weight="normal", colour="#222"):
    top = y - LINE * (len(lines) - 1) / 2
    for number, line in enumerate(lines):
        yield (f'<text x="{x}" y="{top + LINE * number:g}" font-size="{size}" font-weight="{weight}" '
               f'fill="{colour}" text-anchor="middle" dominant-baseline="middle">{line}</text>')


def main():
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
          f'font-family="sans-serif" role="img">')
    print("<title>The seven sets of novelty</title>")
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>')
    for x, y, colour, *_ in CIRCLES:
        print(f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{colour}" fill-opacity="0.18" '
              f'stroke="{colour}" stroke-width="2"/>')
    for _, _, colour, name, x, y in CIRCLES:
        print("\n".join(text(x, y, [f"new: {name}"], 17, "bold", colour)))
    for x, y, lines in SETS:
        print("\n".join(text(x, y, lines, 15)))
    print("</svg>")


if __name__ == "__main__":
    main()
