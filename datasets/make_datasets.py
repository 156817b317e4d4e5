#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the shipped datasets from Debian packages: letters from r-cran-mlbench, digits from
python3-sklearn. The same packages give the same bytes.

    datasets/make_datasets.py                    # fetches the packages by `apt-get download`
    datasets/make_datasets.py mlbench.deb sklearn.deb
"""
import csv
import gzip
import io
import lzma
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["r-cran-mlbench", "python3-sklearn"]


class RData:
    """The little of R's serialisation (XDR, version 2 or 3) that a data frame needs."""

    def __init__(self, data):
        if not data.startswith((b"RDX2\nX\n", b"RDX3\nX\n")):
            raise SystemExit("not an R data file in XDR form")
        self.data, self.at, self.symbols = data, 7, []
        version = self.integers(3)[0]
        if version == 3:
            self.at += self.integers(1)[0]

    def integers(self, count):
        values = struct.unpack_from(f">{count}i", self.data, self.at)
        self.at += 4 * count
        return values

    def pairs(self, flags):
        result = {}
        while flags & 0xFF == 2:
            if flags & 0x200:
                self.item()
            key = self.item() if flags & 0x400 else ""
            result[key] = self.item()
            flags = self.integers(1)[0]
        return result

    def item(self):
        flags = self.integers(1)[0]
        kind = flags & 0xFF
        if kind in (254, 251, 242):  # NULL, missing argument, empty environment
            return None
        if kind == 1:
            self.symbols.append(self.item())
            return self.symbols[-1]
        if kind == 255:
            return self.symbols[(flags >> 8 or self.integers(1)[0]) - 1]
        if kind == 2:
            return self.pairs(flags)
        if kind == 9:
            length = self.integers(1)[0]
            text = self.data[self.at:self.at + max(length, 0)].decode()
            self.at += max(length, 0)
            return text
        length = self.integers(1)[0]
        if kind in (10, 13):
            values = list(self.integers(length))
        elif kind == 14:
            values = list(struct.unpack_from(f">{length}d", self.data, self.at))
            self.at += 8 * length
        elif kind in (16, 19):
            values = [self.item() for _ in range(length)]
        else:
            raise SystemExit(f"an R value of type {kind} was not expected")
        attributes = self.pairs(self.integers(1)[0]) if flags & 0x200 else {}
        return {"values": values, **attributes}


def write_csv_gz(path, header, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def make_letters(root):
    path = root / "usr/lib/R/site-library/mlbench/data/LetterRecognition.rda"
    frame = RData(lzma.decompress(path.read_bytes())).item()["LetterRecognition"]
    names = [name.replace(".", "_") for name in frame["names"]["values"]]
    columns = [column["values"] for column in frame["values"]]
    levels = frame["values"][0]["levels"]["values"]
    letters = [levels[code - 1] for code in columns[0]]
    features = [[int(value) for value in column] for column in columns[1:]]
    if names[0] != "lettr" or len(letters) != 20000 or len(features) != 16:
        raise SystemExit(f"{path}: not the letters: {names}, {len(letters)} rows")
    rows = ([letter, "train" if i < 16000 else "test", *values]
            for i, (letter, *values) in enumerate(zip(letters, *features)))
    write_csv_gz(HERE / "letters/letters.csv.gz", ["letter", "split", *names[1:]], rows)


def make_digits(root):
    path = root / "usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"
    rows = list(csv.reader(io.StringIO(gzip.decompress(path.read_bytes()).decode())))
    if len(rows) != 1797 or any(len(row) != 65 for row in rows):
        raise SystemExit(f"{path}: not the digits")
    header = ["digit", *(f"p{y}{x}" for y in range(8) for x in range(8))]
    write_csv_gz(HERE / "digits/digits.csv.gz", header,
                 ([row[64], *(int(value) for value in row[:64])] for row in rows))


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        packages = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
        if not packages:
            subprocess.run(["apt-get", "download", *PACKAGES], cwd=root, check=True)
            packages = sorted(root.glob("*.deb"))
        for package in packages:
            subprocess.run(["dpkg-deb", "-x", package, root], check=True)
        make_letters(root)
        make_digits(root)


if __name__ == "__main__":
    main()
