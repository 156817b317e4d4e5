#!/usr/bin/env python3
"""An agent for a SAIL-ON evaluation in plain Python: nearest class means, new where far from all of them.

Usage: python_agent.py http://127.0.0.1:12345 FOLDER, where FOLDER was written by `tyto make-tests --features`:
FOLDER/train has features with labels, FOLDER/features the samples of the tests by id."""
import array
import csv
import gzip
import json
import math
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid

PROTOCOL, DOMAIN = "OND", "activity_recognition"


def call(url, method="GET", parts=None, **query):
    """One request; parts become a multipart form, as the public client sends it."""
    body, headers = None, {}
    if parts:
        mark = uuid.uuid4().hex
        body = "".join(f'--{mark}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n{text}\r\n'
                       for name, text in parts.items()) + f"--{mark}--\r\n"
        headers = {"Content-Type": f"multipart/form-data; boundary={mark}"}
    if query:
        url += "?" + urllib.parse.urlencode(query)
    request = urllib.request.Request(url, body and body.encode(), headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        sys.exit(f"{method} {url}: {json.loads(refused.read())['message']}")


def read_rows(folder):
    """id -> features, and id -> label where there are labels. (With NumPy: numpy.load of the .npy.)"""
    with gzip.open(f"{folder}/index.csv.gz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(f"{folder}/features.npy", "rb") as file:
        file.seek(8)
        header = file.read(int.from_bytes(file.read(2), "little"))
        assert b"'<f4'" in header and b"'fortran_order': False" in header
        values = array.array("f", file.read())
    width = len(values) // len(rows)
    features = {row["id"]: values[i * width:(i + 1) * width] for i, row in enumerate(rows)}
    return features, {row["id"]: row.get("label", "") for row in rows}


class NearestMean:
    def __init__(self, features, labels, numbers):
        self.means = {}
        for name, number in numbers.items():
            mine = [features[i] for i in features if labels[i] == name]
            self.means[number] = [sum(column) / len(mine) for column in zip(*mine)]
        nearest = sorted(min(self.distances(features[i])) for i in features)
        self.far = nearest[int(0.95 * len(nearest))]  # 5 % of what it has learned lies farther out

    def distances(self, row):
        return [math.dist(row, self.means[number]) for number in sorted(self.means)]

    def answer(self, row):
        """K known classes, then unknown."""
        distances = self.distances(row)
        weights = [math.exp(-d / self.far * 4) for d in distances] + [math.exp(-4)]
        return [w / sum(weights) for w in weights]


def main(server, folder):
    with open(f"{folder}/train.csv", newline="") as file:
        numbers = {r["label"]: int(r["class"]) for r in csv.DictReader(file)}
    model = NearestMean(*read_rows(f"{folder}/train"), numbers)
    features, _ = read_rows(f"{folder}/features")
    _, ids = call(f"{server}/test/ids", parts={
        "test_requirements": json.dumps({"protocol": PROTOCOL, "domain": DOMAIN, "detector_seed": "1"}),
        "test_assumptions": "{}"})
    _, answer = call(f"{server}/session", "POST", parts={"test_ids": ids, "configuration": json.dumps({
        "protocol": PROTOCOL, "domain": DOMAIN, "novelty_detector_version": "nearest-mean-1.0",
        "hints": [], "detection_threshold": 0.5})})
    session = json.loads(answer)["session_id"]
    for test in ids.split():
        changed, about = 0.0, {"session_id": session, "test_id": test}
        for number in range(1_000_000):
            status, samples = call(f"{server}/session/dataset", round_id=number, **about)
            if status == 204:
                break
            detection, classification = "", ""
            for sample in samples.split():
                beliefs = model.answer(features[sample])
                # Evidence of a change grows with every sample that looks new, and fades slowly.
                changed = min(1.0, max(0.0, changed * 0.97 + (0.08 if beliefs[-1] == max(beliefs) else 0.0)))
                detection += f"{sample},{changed:.4f},{beliefs[-1]:.4f}\n"
                classification += sample + "".join(f",{p:.6f}" for p in beliefs) + "\n"
            call(f"{server}/session/results", "POST", parts={
                "test_identification": json.dumps({**about, "round_id": number,
                                                   "result_types": "detection|classification"}),
                "detection_file": detection, "classification_file": classification})
        call(f"{server}/test", "DELETE", **about)
        scores = json.loads(call(f"{server}/session/evaluations", **about)[1])
        print(f"{test}: top-1 before {scores['m_acc']['pre_top1']}, after {scores['m_acc']['post_top1']}, "
              f"change at {scores['m_num_stats']['GT_indx']}, declared at {scores['m_num_stats']['P_indx_0.5']}")
    call(f"{server}/session", "DELETE", session_id=session)
    print(f"session {session}")


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), sys.argv[2])
