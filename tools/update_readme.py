#!/usr/bin/env python3
"""Runs the quickstart and puts its true output into README.md and docs/tutorial.md.

In both files the lines of a fenced block after an HTML comment `<!-- output: table -->` or
`<!-- output: all -->` are replaced: `table` by the table alone, `all` by everything printed."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
program = sys.argv[1] if len(sys.argv) > 1 else "build/release/tyto"
printed = subprocess.run([program, "run", "experiments/quickstart.yaml", "--force", "--quiet"],
                         cwd=root, check=True, capture_output=True, text=True).stdout.rstrip("\n")
blocks = printed.split("\n\n")
output = {"all": printed, "table": next(b for b in blocks if b.startswith("predictor"))}
for name in ("README.md", "docs/tutorial.md"):
    path = root / name
    text = path.read_text()
    for key, value in output.items():
        text = re.sub(rf"(<!-- output: {key} -->\n```\n).*?(\n```)",
                      lambda m, v=value: m.group(1) + v + m.group(2), text, flags=re.S)
    path.write_text(text)
