#!/usr/bin/env python3
"""check_headers.py [--all | BASE]: compiles alone each public header that may have ceased to: those that differ from BASE, or
include one that does. BASE is what tools/landed_before.sh prints unless given. --all, or a tree without history, or a change
of what they are compiled with (cmake/Dependencies.cmake, cmake/Warnings.cmake): every header. Needs the configured preset
release. Exit code 1 if one does not compile.

What has compiled is remembered beside the compiler's cache (~/.cache/tyto/headers), by a digest of the header, of all it includes
here and of what it is compiled with, and is not compiled again for 30 days: the precompiled header keeps ccache from doing so."""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
COMPILED_WITH = ("cmake/Dependencies.cmake", "cmake/Warnings.cmake")
ALSO_COMPILED_WITH = (*COMPILED_WITH, "CMakeLists.txt", "CMakePresets.json", "src/tyto/CMakeLists.txt", "packages.txt")
REMEMBERED = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tyto/headers"
REMEMBERED_DAYS = 30


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


def all_included(header, includes):
    reached, waiting = set(), [header]
    while waiting:
        name = waiting.pop()
        if name in includes and name not in reached:
            reached.add(name)
            waiting += includes[name]
    return sorted(reached)


def digest_of(header, includes, contents, compiled_with):
    parts = [compiled_with, header.encode()]
    for name in all_included(header, includes):
        parts += [name.encode(), contents[name]]
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def selftest():
    includes = {"a.hpp": [], "b.hpp": ["a.hpp"], "c.hpp": ["b.hpp", "vector"], "d.hpp": []}
    assert with_those_that_include(["a.hpp"], includes) == {"a.hpp", "b.hpp", "c.hpp"}
    assert with_those_that_include(["d.hpp", "removed.hpp"], includes) == {"d.hpp"}
    assert with_those_that_include([], includes) == set()
    assert all_included("c.hpp", includes) == ["a.hpp", "b.hpp", "c.hpp"]
    contents = {name: b"text" for name in includes}
    before = {name: digest_of(name, includes, contents, b"g++ 12") for name in includes}
    after = {name: digest_of(name, includes, {**contents, "b.hpp": b"other"}, b"g++ 12") for name in includes}
    assert [name for name in includes if before[name] != after[name]] == ["b.hpp", "c.hpp"]
    assert digest_of("a.hpp", includes, contents, b"g++ 13") != before["a.hpp"]


def output(*words):
    return subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def header_contents():
    return {str(path.relative_to(ROOT / "src")): path.read_bytes() for path in (ROOT / "src/tyto").rglob("*.hpp")}


def headers_to_check(base, includes):
    """paths relative to src, and why these"""
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
    contents = header_contents()
    includes = {name: re.findall(r'^#include "(tyto/[^"]+)"', text.decode(), re.M) for name, text in contents.items()}
    headers, why = headers_to_check(base, includes)
    known = output("ninja", "-C", BUILD, "-t", "targets", "all")
    objects = {match[2].replace("-", "/"): match[1]
               for match in re.finditer(r"^(\S+/header_checks/(\S+\.hpp)\.cpp\.o):", known, re.M)}
    headers &= set(objects)  # private ones are not checked
    compiled_with = output("c++", "--version").encode() + b"".join((ROOT / name).read_bytes() for name in ALSO_COMPILED_WITH)
    stamps = {header: REMEMBERED / digest_of(header, includes, contents, compiled_with) for header in headers}
    wanted = sorted(header for header in headers if not stamps[header].exists())
    print(f"headers: {len(wanted)} of {len(objects)} compiled alone ({why}; {len(headers) - len(wanted)} of these have compiled before)",
          flush=True)
    jobs = os.environ.get("JOBS") or str(os.cpu_count())
    if wanted:
        code = subprocess.run(["ninja", "-C", BUILD, "-j", jobs, *(objects[header] for header in wanted)]).returncode
        if code:
            return code
    remember(stamps[header] for header in wanted)
    return 0


def remember(stamps):
    try:
        REMEMBERED.mkdir(parents=True, exist_ok=True)
        for stamp in stamps:
            stamp.touch()
        for old in REMEMBERED.iterdir():
            if time.time() - old.stat().st_mtime > REMEMBERED_DAYS * 86400:
                old.unlink(missing_ok=True)
    except OSError as problem:  # they are compiled again next time
        print(f"headers: what compiled is not remembered: {problem}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
