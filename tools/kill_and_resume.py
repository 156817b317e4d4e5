#!/usr/bin/env python3
"""Kills runs with SIGKILL at random moments, resumes them, and compares every byte of what they end
with (but times.csv and the report, which shows it) with an uninterrupted run. Writes a Markdown
table of what happened.

    tools/kill_and_resume.py build/release/tyto --kills 1000 --out docs/results/resume.md
"""
import argparse
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COMMON = """
prior_knowledge: none
data: digits
world: {kind: increments, start: {classes: 5}, increments: 3, split: {test: 0.3, validate: 0.1}}
feedback: [0.5]
"""
CASES = {
    "ann": "predictors: [{preset: ann, classifier: {steps_at_least: 60}}]",
    "slda": "predictors: [slda]",
    "ncm": "predictors: [ncm]",
    "always_unknown": "predictors: [always_unknown]",
    "batches, late and wrong labels": "protocol: {kind: owl, batch: 100, delay: 1, noise: 0.1}\n"
    "predictors: [slda, ncm]",
    "two seeds, a search, kept states": "seeds: [3, 4]\nrecord: {states: true}\n"
    "search: {method: grid, trials: 3, options: {ncm: {accepted_error: [0.05, 0.2]}}}\n"
    "predictors: [ncm, {name: knn, classifier: {name: ridge, projection: 50}, detector: knn,"
    " feedback: margin, memory: {name: class_balanced, budget: 100}}]",
}


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("times.csv", "report.html")
    }


def torture(tyto, datasets, name, yaml, threads, kills, rng):
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        (root / "e.yaml").write_text("name: e\n" + COMMON + yaml + "\n")
        command = [tyto, "run", str(root / "e.yaml"), "--quiet", "--threads", str(threads), "--data", datasets]
        start = time.monotonic()
        subprocess.run([*command, "--out", str(root / "whole")], check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - start
        expected = contents(root / "whole")
        killed = runs = wrong = 0
        while killed < kills:
            out = root / "cut"
            shutil.rmtree(out, ignore_errors=True)
            code, row = None, 0
            while code != 0:
                how = "--resume" if (out / "run.json").exists() else "--force"
                program = subprocess.Popen(
                    [*command, "--out", str(out), how], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
                )
                try:
                    _, err = program.communicate(timeout=rng.uniform(0, seconds / 2 * (1 + row / 5)))
                except subprocess.TimeoutExpired:
                    program.send_signal(signal.SIGKILL)
                    _, err = program.communicate()
                code = program.returncode
                if code not in (0, -signal.SIGKILL):
                    sys.exit(f"{name}, {threads} threads: exit code {code}\n{err}")
                killed += code != 0
                row += 1  # on a busy machine a short life may never reach the next commit
            runs += 1
            actual = contents(out)
            different = sorted(k for k in expected.keys() | actual.keys() if expected.get(k) != actual.get(k))
            if different:
                wrong += 1
                print(f"{name}, {threads} threads: {len(different)} files differ: {different[:5]}", file=sys.stderr)
        return killed, runs, wrong, len(expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tyto")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    given = parser.parse_args()
    datasets = str(pathlib.Path(__file__).resolve().parent.parent / "datasets")
    rng = random.Random(given.seed)
    share = -(-given.kills // (2 * len(CASES)))
    rows, total, wrong = [], 0, 0
    for name, yaml in CASES.items():
        for threads in (1, 2):
            killed, runs, bad, files = torture(given.tyto, datasets, name, yaml, threads, share, rng)
            rows.append(f"| {name} | {threads} | {killed} | {runs} | {files} | {bad} |")
            print(rows[-1], flush=True)
            total += killed
            wrong += bad
    version = subprocess.run([given.tyto, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
    text = "\n".join(
        [
            "# Killed and resumed",
            "",
            "Runs killed with SIGKILL at moments drawn uniformly between nothing and half the length of the run (a tenth",
            "of that length more after each kill in a row), resumed, killed again, until they ended; then every file but",
            "`times.csv` and the report that shows it was compared with an uninterrupted run, byte by byte.",
            "",
            f"**{total} kills; {wrong} runs that ended differently.**",
            "",
            f"    tools/kill_and_resume.py build/release/tyto --kills {given.kills} --seed {given.seed} --out docs/results/resume.md",
            "",
            *version,
            "",
            "| run | threads | kills | runs finished | files compared | runs that differ |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
        ]
    )
    if given.out:
        pathlib.Path(given.out).write_text(text)
    print(f"{total} kills, {wrong} runs that ended differently")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
