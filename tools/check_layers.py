#!/usr/bin/env python3
"""Checks that modules include only what lies below them, third-party headers only where they may
stand, the keys to the store behind samples only where they may be held, that no two headers define a type of one
name, that every source file is listed in a build file, and that each says what it is for: a header, or a source
without a header of its name, in its second line. Prints each breach; exit code 1 if any."""
import pathlib
import re
import sys

# Only edges that are used: a new one is a decision, made here.
BELOW = {
    "core": [],
    "math": ["core"],
    "calibration": ["core", "math"],
    "cluster": ["core", "math"],
    "sample": ["core"],
    "data": ["core", "math", "sample", "nn"],
    "record": ["core", "sample", "sail_on"],
    "nn": ["core"],
    "video": ["core", "nn"],
    "parts": ["core", "math", "calibration", "cluster", "sample", "nn"],
    "predictor": ["core", "math", "calibration", "sample", "parts"],
    "sail_on": ["core", "math", "sample"],
    "client": ["core", "sample", "sail_on"],
    "world": ["core", "math", "sample", "data", "record", "sail_on", "client", "video"],
    "protocol": ["core", "sample", "record", "predictor", "world"],
    "measure": ["core", "math", "sample", "record", "sail_on"],
    "report": ["core", "math", "sample", "record", "measure"],
    "server": ["core", "sample", "record", "measure", "sail_on"],
}
BELOW["engine"] = sorted(set(BELOW) - {"server"})
BELOW["cli"] = sorted(BELOW)

# The truth is out of reach of whoever predicts: what a predictor includes, also through others.
BARRIER = {"parts", "predictor", "nn"}
TRUTH = {"data", "world", "protocol", "measure", "record"}

# Headers that tell which rows of a store samples are, and who may hold these keys. A part that did
# could gather rows of the future, or read the labels out of the order of a file.
KEYS = {
    "sample/store_access.hpp": ["sample/", "parts/memory/kept.cpp", "predictor/composition/composition_state.cpp",
                                "engine/", "world/"],
    "sample/samples_state.hpp": ["sample/", "parts/memory/kept.cpp", "protocol/oracle.cpp", "engine/",
                                 "world/"],
    "parts/memory/kept.hpp": ["parts/memory/", "engine/"],
}
KEY_WORD = "StoreAccess"  # a class of this name declared elsewhere would fit the lock too
KEY_HOLDERS = KEYS["sample/store_access.hpp"]

FACADE = "tyto.hpp"  # of the library, above all modules; none of them may include it

# Third-party headers and the only files (prefixes under src/tyto) that may include them.
WRAPPED = {
    r"(torch|ATen|c10)/": ["nn/"],
    r"(libsvm/)?svm\.h": ["math/one_class_svm.cpp"],
    r"faiss/": ["cluster/faiss_neighbours.cpp"],
    r"yaml-cpp/": ["core/config.cpp"],
    r"hdf5|H5": ["sample/stores/hdf5_store.cpp"],
    r"zlib\.h": ["core/files/files.cpp", "core/files/archive.cpp", "core/files/piece_reader.cpp", "report/page/pictures/png.cpp"],
    r"CLI/": ["cli/"],
    r"(restinio|asio)[/.]": ["server/"],
    r"curl/": ["client/"],
    r"(libav\w+|libsw\w+)/": ["video/ffmpeg/"],
    r"opencv2/": ["video/opencv/"],
    r"nlohmann/": ["core/files/archive.cpp", "measure/", "report/page/", "engine/", "cli/", "sail_on/",
                   "server/", "client/", "world/rounds/", "record/foreign/", "nn/tensors/", "data/novelcraft/"],
}
# A type at namespace level. Two of one name in two headers are one to the linker, which mixes them.
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)[^;]*?\{", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)


def reach(module, seen=None):
    seen = seen or set()
    for below in BELOW[module]:
        if below not in seen:
            seen.add(below)
            reach(below, seen)
    return seen


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve() / "src" / "tyto"
    problems = []
    for module in BARRIER:
        if leaked := reach(module) & TRUTH:
            problems.append(f"{module} could reach the truth through {', '.join(sorted(leaked))}")
    types = {}
    listed = "\n".join(f.read_text() for f in root.rglob("CMakeLists.txt"))
    for path in sorted([*root.rglob("*.cpp"), *root.rglob("*.hpp")]):
        name = path.relative_to(root).as_posix()
        module = name.split("/")[0]
        if (path.suffix == ".hpp" or not path.with_suffix(".hpp").exists()) and not path.read_text().split("\n")[1].startswith("//"):
            problems.append(f"{name} does not say in its second line what it is for")
        if name == FACADE:
            continue
        if module not in BELOW:
            problems.append(f"{name}: no module is called {module}")
            continue
        if KEY_WORD in path.read_text() and not name.startswith(tuple(KEY_HOLDERS)):
            problems.append(f"{name} names {KEY_WORD}: only {', '.join(KEY_HOLDERS)} may")
        for bracket, header in INCLUDE.findall(path.read_text()):
            if header.startswith("tyto/"):
                holders = KEYS.get(header.removeprefix("tyto/"))
                if holders and not name.startswith(tuple(holders)):
                    problems.append(f"{name} includes {header}: only {', '.join(holders)} may")
                target = header.split("/")[1]
                if target != module and target not in BELOW[module]:
                    problems.append(f"{name} includes {header}: {module} may not include {target}")
                continue
            for pattern, allowed in WRAPPED.items():
                third = re.match(pattern, header)
                if third and not any(name.startswith(prefix) for prefix in allowed):
                    problems.append(f"{name} includes {header}: only {', '.join(allowed)} may")
                if (third and path.suffix == ".hpp" and module != "nn"
                        and not header.endswith("_fwd.hpp")):
                    problems.append(f"{name} includes {header}: not in a header")
        for kind in TYPE.findall(path.read_text()) if path.suffix == ".hpp" else []:
            if types.setdefault(kind, name) != name:
                problems.append(f"{name}: a type {kind} is in {types[kind]} already")
        if path.suffix == ".cpp":
            inside = name.split("/", 1)[1]
            if not re.search(rf"(^|[\s(]){re.escape(inside)}|(^|\s){re.escape(inside[:-4])}(\s|$)",
                             listed, re.M):
                problems.append(f"{name}: no CMakeLists.txt lists it")
    for problem in problems:
        print(problem)
    print(f"{len(problems)} breaches of the layers" if problems else "layers hold")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
