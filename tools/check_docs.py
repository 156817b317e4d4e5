#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the docs point to. Prints each breach as file:line; exit code 1 if there is any.

    python3 tools/check_docs.py                       links and anchors, pages nobody links to, names of files,
                                                      the table of modules
    python3 tools/check_docs.py --tyto PROGRAM        also that every `tyto ...` names verbs and options there are
    python3 tools/check_docs.py --compile BUILD       also that every whole C++ file in the docs compiles, and every
                                                      example in a promised header, with the flags of the build folder's tests
    python3 tools/check_docs.py --selftest"""
import argparse
import functools
import itertools
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from check_layers import BELOW

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = ["*.md", "docs/**/*.md", "experiments/**/*.md", "datasets/**/*.md", "web/*.md"]
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.*?)\s*#*$", re.M)
FENCE = re.compile(r"^(```|~~~)(\w*)[^\n]*\n(.*?)^\1\s*$", re.M | re.S)
CODE = re.compile(r"`([^`\n]+(?:\n(?!\s*\n)[^`\n]*)?)`")
# A file of the repository in backticks: of these folders, with an ending, nothing left open in it.
FILE = re.compile(r"(?:src|tests|tools|docs|experiments|presets|web|cmake|bench)/[\w./-]+\.\w+")
# Files that the pages about extending make up.
MADE_UP = re.compile(r"(distance_to_mean|/calls|/closed|/ladder|/tree_rings|/phases|/cnn_tiny|/plain_means|/one_factor)\.")
WHOLE_FILE = "// SPDX-License-Identifier"
COMMAND = re.compile(r"^(?:\$ )?(?:build/release/)?tyto\s")


def blank(match):
    """As many lines, without text: what follows keeps its line number."""
    return "\n" * match[0].count("\n")


def prose(text):
    return CODE.sub(lambda m: " " * len(m[0]) if "\n" not in m[0] else blank(m), FENCE.sub(blank, text))


def slug(heading):
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")


def anchors(text):
    seen, found = {}, set()
    for heading in HEADING.findall(FENCE.sub(blank, text)):
        name = slug(heading)
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.add(name if count == 0 else f"{name}-{count}")
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


@functools.lru_cache(None)
def anchors_of(path):
    return anchors(path.read_text())


def broken_links(path, text):
    searched = prose(text)
    for match in LINK.finditer(searched):
        target = match[1]
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        place = (path.parent / name).resolve() if name else path
        line = searched.count("\n", 0, match.start()) + 1
        if not place.exists():
            yield line, f"{target}: there is no such file"
        elif anchor and place.suffix == ".md" and anchor not in anchors_of(place):
            yield line, f"{target}: {place.name} has no heading #{anchor}"


def unlinked(pages):
    """Pages of docs/ to which no other leads."""
    linked = {(page.parent / target.partition("#")[0]).resolve() for page in pages
              for target in LINK.findall(prose(page.read_text())) if not target.startswith("#")}
    return [page for page in pages if page not in linked and (ROOT / "docs") in page.parents]


def missing_files(path, text):
    """Files of the repository that are named in backticks or in commands, and are not there."""
    for match in FILE.finditer(text):
        around = text[match.start() - 1:match.start()], text[match.end():match.end() + 1]
        if around[0] not in ("`", " ") or around[1] in ("*", "<", "{", "/"):
            continue
        there = (ROOT / match[0]).exists() or (path.parent / match[0]).exists()
        if not there and not MADE_UP.search(match[0]):
            yield text.count("\n", 0, match.start()) + 1, f"{match[0]}: there is no such file"


def commands(text):
    """(line, words) of each call of tyto in fenced and indented blocks, and in backticks."""
    found = []
    fenced = FENCE.sub(blank, text)
    for match in FENCE.finditer(text):
        if match[2] in ("sh", "bash", "console", ""):
            first = text.count("\n", 0, match.start(3)) + 1
            found += [(first + i, line) for i, line in enumerate(joined(match[3]))]
    found += [(i + 1, line) for i, line in enumerate(joined(fenced)) if line.startswith("    ")]
    found += [(fenced.count("\n", 0, m.start()) + 1, m[1]) for m in CODE.finditer(fenced)]
    for line, words in found:
        words = words.strip()
        if COMMAND.match(words):
            words = re.split(r"\s#\s|[|&;>]", words.removeprefix("$ "))[0]
            try:
                yield line, shlex.split(words)[1:]
            except ValueError:
                yield line, words.split()[1:]


def table_commands(text):
    """The same of the README's table, whose second column leaves `tyto` out."""
    for match in re.finditer(r"^\|[^|\n]*\|([^|\n]*)\|[^|\n]*\|$", text[text.index("| what do you want to do?"):], re.M):
        before = text.index(match[0])
        yield from ((text.count("\n", 0, before) + 1, call.split()) for call in CODE.findall(match[1])
                    if not call.startswith("build/"))


def joined(text):
    """Lines, those that end in a backslash with the next one; the lines it took are left empty."""
    lines = text.split("\n")
    for i in range(len(lines) - 1, 0, -1):
        if lines[i - 1].endswith("\\"):
            lines[i - 1], lines[i] = lines[i - 1][:-1] + " " + lines[i].strip(), ""
    return lines


class Program:
    """What the program's help says there is."""

    def __init__(self, path):
        self.path = path

    @functools.lru_cache(None)
    def help(self, *verbs):
        done = subprocess.run([self.path, *verbs, "--help"], capture_output=True, text=True, cwd=ROOT)
        text = done.stdout
        subcommands = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
        return (set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text)),
                set(re.findall(r"^  (\S+)", subcommands[1], re.M)) if subcommands else set())

    def refuses(self, words):
        verbs, options, there = (), *self.help()
        words = [word for word in words if word not in ("...", "…")]
        while there and words and not words[0].startswith("-"):
            if not re.fullmatch(r"[a-z][\w-]*", words[0]):
                return None  # VERB, <name>: left open
            if words[0] not in there:
                return f"tyto {' '.join([*verbs, words[0]])}: there is no such verb"
            verbs = (*verbs, words.pop(0))
            options, there = self.help(*verbs)
        for word in words:
            option = re.match(r"--[a-z][\w-]*", word)
            if option and option[0] not in options:
                return f"tyto {' '.join(verbs)}: there is no option {option[0]}"
        return None


def module_table(text):
    """Breaches of: the table of modules in docs/architecture.md is that of check_layers.py."""
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]*) \|$", text[text.index("## Modules"):text.index("## The contracts")], re.M)
    told = {module: set(re.findall(r"\w+", below)) for module, below in rows}
    for module in sorted(set(BELOW) | set(told)):
        if module in ("core", "engine", "cli") and module in told:
            continue  # told in words
        if told.get(module) != (set(BELOW[module]) if module in BELOW else None):
            yield 1, f"the table of modules says {sorted(told.get(module, []))} of {module}, check_layers.py {BELOW.get(module)}"


def flags_of_tests(build):
    """The compiler and its flags for a test of parts: they see sources and test helpers."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if "parts_test" in entry["command"]:
            words = shlex.split(entry["command"])
            while not re.search(r"(\+\+|clang|gcc)(-\d+)?$", words[0]):  # a launcher before the compiler
                words = words[1:]
            cut = words.index("-o")
            words = [w for i, w in enumerate(words) if i not in (cut, cut + 1) and w not in ("-c", entry["file"])]
            return entry["directory"], words
    sys.exit(f"{build}: no test of parts is compiled there")


def uncompiled(path, text, build):
    directory, flags = flags_of_tests(build)
    for match in FENCE.finditer(text):
        if match[2] != "cpp" or not match[3].startswith(WHOLE_FILE):
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
            source.write(match[3])
            source.flush()
            done = subprocess.run([*flags, "-fsyntax-only", source.name], cwd=directory, capture_output=True, text=True)
        if done.returncode != 0:
            error = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
            yield text.count("\n", 0, match.start()) + 1, f"does not compile: {error}"


def example_of(text):
    """Line and code of the example at the end of a header: what is indented below `Example:`."""
    lines = text.split("\n")
    if "// Example:" not in lines:
        return 0, ""
    first = lines.index("// Example:") + 1
    first += lines[first] == "//"
    code = list(itertools.takewhile(lambda line: line.startswith("//"), lines[first:]))
    return first + 1, "\n".join(line.removeprefix("//").removeprefix("   ") for line in code)


def broken_examples(build):
    """Promised headers (src/tyto/tyto.hpp) without an example, and examples that do not compile."""
    facade = ROOT / "src/tyto/tyto.hpp"
    source = "#include <cstdio>\n#include <memory>\n#include \"tyto/tyto.hpp\"\nusing namespace tyto;\n"
    for number, name in enumerate(re.findall(r'#include "(tyto/.*?)"', facade.read_text())):
        line, code = example_of((ROOT / "src" / name).read_text())
        if not code:
            yield f"src/{name}:1: tyto.hpp promises it, and it has no example"
        source += f'void example_{number}() {{\n#line {line} "src/{name}"\n{code}\n}}\n'
    directory, flags = flags_of_tests(build)
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
        file.write(source)
        file.flush()
        done = subprocess.run([*flags, "-w", "-fsyntax-only", file.name], cwd=directory, capture_output=True, text=True)
    yield from (line for line in done.stderr.splitlines() if " error: " in line)


def selftest():
    text = "# A `b` c\n\n## Two, words\n## Two, words\n```sh\n# no heading\ntyto run a \\\n  --set b\n```\n"
    assert anchors(text) == {"a-b-c", "two-words", "two-words-1"}, anchors(text)
    assert list(commands(text)) == [(7, ["run", "a", "--set", "b"])], list(commands(text))
    assert list(commands("say `tyto list\n  part --json` here")) == [(1, ["list", "part", "--json"])]
    assert list(commands("    tyto cluster a.csv | head -1   # two\n")) == [(1, ["cluster", "a.csv"])]
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "a.md"
        page.write_text(text + "[x](b.md) [y](#two-words)\n[z](a.md#three) `[n](o)` [w](https://a.b)\n")
        found = [line for line, _ in broken_links(page, page.read_text())]
        assert found == [10, 11], found
    assert example_of("// L\n// What.\n//\n// Example:\n//\n//   a;\n//   b;\n#pragma once\n") == (6, "a;\nb;")
    assert [line for line, _ in missing_files(ROOT / "a.md", "\n`tools/none.py`, `tools/<a>.py`, `tools/check_docs.py`")] == [2]
    print("checks of docs find what they should")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tyto", help="the program whose verbs and options count")
    options.add_argument("--compile", type=pathlib.Path, metavar="BUILD", help="a build folder with compile_commands.json")
    options.add_argument("--selftest", action="store_true")
    given = options.parse_args()
    if given.selftest:
        return selftest()
    program = Program(str(pathlib.Path(given.tyto).resolve())) if given.tyto else None
    breaches = 0
    pages = sorted({page for place in PLACES for page in ROOT.glob(place)})
    for page in pages:
        text, name = page.read_text(), page.relative_to(ROOT).as_posix()
        found = [*broken_links(page, text)]
        if name != "CHANGELOG.md":  # tells what was
            found += missing_files(page, text)
        if name == "docs/architecture.md":
            found += module_table(text)
        if program and name != "CHANGELOG.md":
            calls = [*commands(text), *(table_commands(text) if name == "README.md" else [])]
            found += [(line, said) for line, words in calls if (said := program.refuses(words))]
        if given.compile:
            found += uncompiled(page, text, given.compile)
        for line, said in sorted(found):
            print(f"{name}:{line}: {said}")
        breaches += len(found)
    for said in broken_examples(given.compile) if given.compile else []:
        print(said)
        breaches += 1
    for page in unlinked(pages):
        print(f"{page.relative_to(ROOT).as_posix()}:1: no page links to it")
        breaches += 1
    print(f"{breaches} breaches in {len(pages)} pages" if breaches else f"{len(pages)} pages point to what is there")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
