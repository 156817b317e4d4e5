#!/usr/bin/env python3
"""tidy_batches.py BUILD OUT FILE...: clang-tidy on sources that BUILD compiles in batches; exit code 1 if it finds something.

BUILD/compile_commands.json knows the batches that were compiled, not the sources in them. OUT gets batches of the
named files alone, at most 16 of one module and one set of flags, with a compile_commands.json of their own. Matching
checks against the headers is most of clang-tidy's time, and is done once for a batch. A batch holds
the text of its files: paths through the code are followed in the file that is looked at, not in what it includes.
A file that BUILD does not compile is named."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

BATCH = 16


def commands(database):
    """source -> (folder to compile in, command with @ for the source), of whole batches and of files by themselves"""
    found = {}
    for entry in database:
        file = entry["file"]
        if "/header_checks/" in file:
            continue
        command = entry["command"].replace(file, "@")
        for name in included(file):
            found.setdefault(name, (entry["directory"], command))
        found.setdefault(file, (entry["directory"], command))
    return found


def included(file):
    """what a batch includes: `path` relative to src, or a whole path"""
    if not re.search(r"/batches/|/Unity/", file) or not pathlib.Path(file).exists():
        return []
    return re.findall(r'^#include "([^"]+\.cpp)"', pathlib.Path(file).read_text(), re.M)


def batches(files, known, root):
    """groups of files that one call may look at, and those that nobody compiles"""
    groups, strangers = collections.defaultdict(list), []
    for file in files:
        path = root / file
        # Names in the unnamed namespaces of a module differ, of two modules they need not.
        key = known.get(str(path.relative_to(root / "src"))) or known.get(str(path))
        if key is None:
            strangers.append(file)
            continue
        flags = re.sub(r" -o \S+", "", key[1])
        groups[key[0], flags, path.relative_to(root / "src/tyto").parts[0]].append(path)
    out = []
    for (folder, flags, module), paths in groups.items():
        for i in range(0, len(paths), BATCH):
            out.append((folder, flags, module, paths[i:i + BATCH]))
    return out, strangers


def write_batch(batch, paths):
    """the files one after another, and for each the line of the batch before its first"""
    starts, lines = [], []
    for path in paths:
        starts.append((len(lines), path))
        lines += path.read_text().splitlines()
    batch.write_text("\n".join(lines) + "\n")
    return starts


def findings(batch, starts, out, root):
    """what clang-tidy says of a batch, each finding with its lines, in places of the sources; and its exit code"""
    done = subprocess.run(["clang-tidy", "--quiet", f"--config-file={root}/.clang-tidy", "-p", out, batch],
                          capture_output=True, text=True)

    def place(match):
        line = int(match[1])
        start, path = [s for s in starts if s[0] < line][-1]
        return f"{path}:{line - start}:"

    text = re.sub(rf"^{re.escape(str(batch))}:(\d+):", place, done.stdout, flags=re.M)
    found = re.split(r"^(?=\S+:\d+:\d+: (?:error|warning): )", text.replace(f"{root}/", ""), flags=re.M)
    if done.returncode and not text.strip():
        found.append(f"{batch}: clang-tidy failed\n{done.stderr}")
    return [f for f in found if f.strip()], done.returncode


def main(build, out, files):
    root = pathlib.Path(__file__).resolve().parent.parent
    build, out = pathlib.Path(build).resolve(), pathlib.Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    known = commands(json.loads((build / "compile_commands.json").read_text()))
    groups, strangers = batches(files, known, root)
    for file in strangers:
        print(f"{file}: not compiled in {build.name}, left out")
    database, work = [], []
    for number, (folder, flags, module, paths) in enumerate(groups):
        batch = out / f"{module}_{number}.cpp"
        database.append({"directory": folder, "file": str(batch), "command": flags.replace("@", str(batch))})
        work.append((batch, write_batch(batch, paths)))
    (out / "compile_commands.json").write_text(json.dumps(database, indent=1))
    shown, failed = set(), False
    jobs = int(os.environ.get("JOBS") or os.cpu_count())
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found, code in pool.map(lambda one: findings(*one, out, root), work):
            failed |= code != 0
            for finding in found:  # one in a header comes from every batch that includes it
                if finding not in shown:
                    print(finding, end="", flush=True)
                shown.add(finding)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
