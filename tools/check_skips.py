#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that tests were skipped for one reason alone: the larger data, ../shared/data, are not here. A message
of GTEST_SKIP names the file or folder it misses; where that is there, or the message names none, the skip is a
failure. Prints each breach; exit code 1 if any.

Usage: tools/check_skips.py LOG ...   (ctest leaves one at build/release/Testing/Temporary/LastTest.log)
       tools/check_skips.py --selftest
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIP = re.compile(r"^(\S+\.[ch]pp):(\d+): Skipped\n(.*)$", re.MULTILINE)
DATA = re.compile(r"shared/data(?:/[\w.-]+)*")


def breaches(log, exists):
    found = []
    for source, line, message in SKIP.findall(log):
        place = f"{os.path.relpath(source, ROOT)}:{line}"
        named = DATA.search(message)
        if named is None:
            found.append(f"{place}: skipped, and not for want of shared data: {message.strip()}")
        elif exists(named[0]):
            found.append(f"{place}: skipped, though {named[0]} is there: {message.strip()}")
    return found


def selftest():
    log = "\n".join(f"{ROOT}/tests/a_test.cpp:{line}: Skipped\n{message}\n\n[  SKIPPED ] A.b (0 ms)"
                    for line, message in enumerate([
                        '"/x/../shared/data/kinetics" is not here',
                        "/x/../shared/data/clips, the clips of this test, are not here",
                        "the program ffmpeg is not installed"], 1))
    assert [b.split(":")[1] for b in breaches(log, lambda path: path == "shared/data/clips")] == ["2", "3"]
    assert len(breaches(log, lambda path: False)) == 1
    assert breaches("no skip at all", lambda path: True) == []


def main():
    if sys.argv[1:] == ["--selftest"]:
        selftest()
        return 0
    if not sys.argv[1:]:
        print(__doc__)
        return 2
    found = []
    for name in sys.argv[1:]:
        log = pathlib.Path(name).read_text(errors="replace")
        found += breaches(log, lambda path: (ROOT.parent / path).exists())
    print("\n".join(found) if found else "no test was skipped for want of anything but the larger data")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
