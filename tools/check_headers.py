#!/usr/bin/env python3
"""check_headers.py [--all | BASE]: compiles alone each public header that may have ceased to: those that differ from BASE, or
include one that does. BASE is what tools/landed_before.sh prints unless given. --all, or a tree without history, or a change
of what they are compiled with (cmake/Dependencies.cmake, cmake/Warnings.cmake): every header. Needs the configured preset
release. Exit code 1 if one does not compile."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
COMPILED_WITH = ("cmake/Dependencies.cmake", "cmake/Warnings.cmake")


def with_those_that_include(changed, includes):
    """changed headers and all that reach one of them; includes: header -> the headers it names"""
    users = {}
    for header, named in includes.items():
        for name in named:
            users.setdefault(name, []).append(header)
    reached, waiting = set(), list(changed)
    while waiting:
        header = waiting.pop()
        if header not in reached:
            reached.add(header)
            waiting += users.get(header, [])
    return {header for header in reached if header in includes}


def selftest():
    includes = {"a.hpp": [], "b.hpp": ["a.hpp"], "c.hpp": ["b.hpp", "vector"], "d.hpp": []}
    assert with_those_that_include(["a.hpp"], includes) == {"a.hpp", "b.hpp", "c.hpp"}
    assert with_those_that_include(["d.hpp", "removed.hpp"], includes) == {"d.hpp"}
    assert with_those_that_include([], includes) == set()


def output(*words):
    return subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def headers_to_check(base):
    """paths relative to src, and why these"""
    includes = {str(path.relative_to(ROOT / "src")): re.findall(r'^#include "(tyto/[^"]+)"', path.read_text(), re.M)
                for path in (ROOT / "src/tyto").rglob("*.hpp")}
    if not base:
        return set(includes), "no commit to compare with"
    differ = (output("git", "diff", "--name-only", base) + output("git", "ls-files", "--others", "--exclude-standard")).split()
    if any(path.startswith(COMPILED_WITH) for path in differ):
        return set(includes), f"what they are compiled with differs from {base[:7]}"
    changed = [path.removeprefix("src/") for path in differ if path.startswith("src/") and path.endswith(".hpp")]
    return with_those_that_include(changed, includes), f"{len(changed)} differ from {base[:7]}"


def main(arguments):
    if arguments == ["--selftest"]:
        selftest()
        return 0
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-") and arguments[0] != "--all"):
        print(__doc__, file=sys.stderr)
        return 2
    if not (BUILD / "build.ninja").exists():
        print("check_headers: there is no build/release/build.ninja; configure with: cmake --preset release", file=sys.stderr)
        return 2
    if arguments == ["--all"]:
        base = None
    else:
        base = arguments[0] if arguments else output(ROOT / "tools/landed_before.sh").strip()
    headers, why = headers_to_check(base)
    known = output("ninja", "-C", BUILD, "-t", "targets", "all")
    objects = {match[2].replace("-", "/"): match[1]
               for match in re.finditer(r"^(\S+/header_checks/(\S+\.hpp)\.cpp\.o):", known, re.M)}
    wanted = sorted(objects[header] for header in headers if header in objects)  # private ones are not checked
    print(f"headers: {len(wanted)} of {len(objects)} compiled alone ({why})", flush=True)
    if not wanted:
        return 0
    return subprocess.run(["ninja", "-C", BUILD, "-j", os.environ.get("JOBS") or str(os.cpu_count()), *wanted]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
