#!/usr/bin/env python3
"""Runs the quickstart and the experiments of tests in rounds, and puts their true output into README.md,
docs/tutorial.md and docs/protocols/ond-condda.md. With names behind the program only these experiments are run.

In these files the lines of a fenced block after an HTML comment `<!-- output: quickstart table -->` or
`<!-- output: activities all -->` are replaced: `table` by the table alone, `all` by everything printed."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
program = sys.argv[1] if len(sys.argv) > 1 else "build/release/tyto"
output = {}
for world in sys.argv[2:] or ("quickstart", "activities", "ond", "condda", "ond_activities"):
    printed = subprocess.run([program, "run", f"experiments/{world}.yaml", "--force", "--quiet"],
                             cwd=root, check=True, capture_output=True, text=True).stdout.rstrip("\n")
    output[f"{world} all"] = printed
    output[f"{world} table"] = next(b for b in printed.split("\n\n") if b.startswith("predictor"))
for name in ("README.md", "docs/tutorial.md", "docs/protocols/ond-condda.md"):
    path = root / name
    text = path.read_text()
    for key, value in output.items():
        text = re.sub(rf"(<!-- output: {key} -->\n```\n)(?:[^`].*\n|\n)*(```)",
                      lambda m, v=value: m.group(1) + v + "\n" + m.group(2), text)
    path.write_text(text)
