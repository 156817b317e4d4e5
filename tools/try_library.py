#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build, then builds and runs the program of docs/library.md against it.

    python3 tools/try_library.py BUILD"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def called(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def main():
    page = (ROOT / "docs/library.md").read_text()
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        for language, name in (("cpp", "main.cpp"), ("cmake", "CMakeLists.txt")):
            (place / name).write_text(re.search(rf"```{language}\n(.*?)```", page, re.S)[1])
        called("cmake", "--install", sys.argv[1], "--prefix", place / "tyto")
        called("cmake", "-G", "Ninja", "-S", place, "-B", place / "build", f"-DCMAKE_PREFIX_PATH={place / 'tyto'}")
        called("cmake", "--build", place / "build")
        said = called(place / "build/uses_tyto")
    print(said, end="")
    noticed = re.match(r"(\d+) of 100 samples of a new class are called new\n", said)
    if not noticed or int(noticed[1]) < 90:
        sys.exit("at least 90 were expected")


if __name__ == "__main__":
    main()
