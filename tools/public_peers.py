#!/usr/bin/env python3
"""Runs the public SAIL-ON client against `tyto serve` and `tyto agent` against the public SAIL-ON server, on tests
made of digits, and prints Markdown tables of what came out. Neither peer is part of this repository: name a folder with
the package sail_on_client (and whatever it imports), and a command that starts the server.

    tools/public_peers.py build/release/tyto --client FOLDER \\
        --server 'python3 -m sail_on.api.server --url 127.0.0.1:{port} --data-directory {data} --results-directory {results}'

Needs what the client needs (requests, tenacity) and numpy."""
import argparse
import concurrent.futures
import csv
import gzip
import json
import math
import pathlib
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import numpy as np

ACTIVITY, IMAGE = "activity_recognition", "image_classification"
# name: protocol, domain, hints, feedback asked for after a round (":all" names no ids)
EXCHANGES = {
    "OND, system detection, activity": ("OND", ACTIVITY, [], "labels labels:all classification detection:all score"),
    "OND, system detection, image": ("OND", IMAGE, [], "classification detection:all score"),
    "OND, given detection, activity": ("OND", ACTIVITY, ["red_light"], "labels detection detection:all classification:all"),
    "OND, given detection, image": ("OND", IMAGE, ["red_light"], "classification:all detection"),
    "CONDDA, activity": ("CONDDA", ACTIVITY, [], ""),
    "CONDDA, image": ("CONDDA", IMAGE, [], ""),
}
AGENTS = {
    "OND, no feedback, activity": "",
    "OND, near names, activity": "--feedback labels",
    "OND, labels, activity": "--feedback labels --label-feedback labels",
    "OND, detection, activity": "--feedback detection",
    "OND, score, activity": "--feedback score",
    "OND, given detection, near names, activity": "--red-light --feedback labels",
    "OND, two at a time, near names, activity": "--jobs 2 --feedback labels",
    "OND, no feedback, image": f"--domain {IMAGE}",
    "OND, classes, image": f"--domain {IMAGE} --feedback labels",
    "OND, detection, image": f"--domain {IMAGE} --feedback detection",
    "CONDDA, activity": "--protocol CONDDA",
    "CONDDA, image": f"--protocol CONDDA --domain {IMAGE}",
}
KILLED = ["OND, no feedback, activity", "OND, near names, activity", "OND, detection, activity", "OND, classes, image",
          "CONDDA, activity"]


class Server:
    """A server on a port of its own, with the tests of both protocols."""

    def __init__(self, command, data, results):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.results, self.url = results, f"http://127.0.0.1:{self.port}"
        words = [word.format(port=self.port, data=data, results=results) for word in shlex.split(command)]
        self.log = open(f"{results}.log", "w")
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise SystemExit(f"no server at {self.url} in 30 s: {command}; see {results}.log")

    def rows(self, session):
        """The posted rows: name of the file without the session -> bytes."""
        return {path.name.replace(session, ""): path.read_bytes() for path in self.results.rglob(f"{session}*.csv")}


def make_tests(tyto, work):
    """Tests of digits for both protocols; of image classification the same, new classes as negative numbers."""
    for protocol in ("OND", "CONDDA"):
        made = work / protocol.lower()
        subprocess.run([tyto, "make-tests", "--data", "digits", "--protocol", protocol, "--known", "5", "--tests", "2",
                        "--length", "200", "--before", "64", "--features", "--out", made, "--seed", "7"],
                       check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(made / protocol, work / "data" / protocol)
        images = work / "data" / protocol / IMAGE
        images.mkdir()
        for path in (made / protocol / ACTIVITY).iterdir():
            text = path.read_text()
            if path.name.endswith("_metadata.json"):
                text = json.dumps({**json.loads(text), "domain": IMAGE}, indent=2)
            elif path.name.endswith("_single_df.csv"):
                rows = list(csv.DictReader(text.splitlines(), quotechar="|"))
                text = "id,detection,classification\n" + "".join(
                    f"{row['anonymous_id']},{row['detection']},"
                    f"{-10 - int(row['annotation_value_4']) if row['novel'] == '1' else row['ontology_id']}\n" for row in rows)
            (images / path.name).write_text(text)


class NearestMeans:
    """The agent behind the client: distances to class means, a cumulated sum for the change of the world."""

    def __init__(self, made):
        def load(name):
            index = list(csv.DictReader(gzip.open(made / name / "index.csv.gz", "rt")))
            return index, np.load(made / name / "features.npy").astype(float)

        number = {row["label"]: int(row["class"]) for row in csv.DictReader(open(made / "train.csv"))}
        index, features = load("train")
        classes = np.array([number[row["label"]] for row in index])
        self.means = np.stack([features[classes == k].mean(0) for k in range(len(number))])
        self.scale = np.mean([np.linalg.norm(row - self.means, axis=1).min() for row in features])
        index, features = load("features")
        self.features = {row["id"]: features[i] for i, row in enumerate(index)}
        self.begin()

    def begin(self):
        self.sum = self.changed = 0.0

    def answer(self, sample, red_light):
        distances = np.linalg.norm(self.features[sample] - self.means, axis=1) / self.scale
        unknown = 1 / (1 + np.exp(-8 * (distances.min() - 1.3)))
        self.sum = max(0.0, self.sum + unknown - 0.3)
        self.changed = max(self.changed, 1 - np.exp(-self.sum / 2), 1.0 if sample == red_light else 0.0)
        known = np.exp(-3 * distances)
        return self.changed, unknown, np.append(known / known.sum() * (1 - unknown), unknown)


def refusal(error):
    return f"`{error.error_code} {error.reason}`"


def exchange(client, server, work, name):
    """One session through the public harness, every step of it; gives rows, answers to feedback, evaluations."""
    protocol, domain, hints, feedback = EXCHANGES[name]
    folder = pathlib.Path(tempfile.mkdtemp(dir=work))
    harness, agent = client.ParHarness(server.url, str(folder)), NearestMeans(work / protocol.lower())
    (folder / "assumptions.json").write_text("{}")
    tests = open(harness.test_ids_request(protocol, domain, "5678", str(folder / "assumptions.json"))).read().split()
    session = harness.session_request(tests, protocol, domain, "nearest-means-1.0", hints, 0.5)
    told, evaluations, rounds = [], {}, 0
    for done, test in enumerate(tests, 1):
        red_light = harness.get_test_metadata(session, test).get("red_light")
        agent.begin()
        for number in range(10**6):
            try:
                batch = open(harness.dataset_request(test, number, session)).read().splitlines()
            except client.RoundError:
                break
            rounds += 1
            answers = [(sample, *agent.answer(sample, red_light)) for sample in batch]
            second = "classification" if protocol == "OND" else "characterization"
            posts = {"detection": [f"{i},{changed:.6f}" + (f",{unknown:.6f}" if domain == ACTIVITY else "")
                                   for i, changed, unknown, _ in answers],
                     second: [",".join([i, *(f"{p:.8f}" for p in known)]) for i, _, _, known in answers]}
            for kind, lines in posts.items():
                (folder / "post.csv").write_text("\n".join(lines) + "\n")
                harness.post_results({kind: str(folder / "post.csv")}, test, number, session)
            for asked in feedback.split():
                kind, _, everything = asked.partition(":")
                try:
                    told.append(open(harness.get_feedback_request([] if everything else batch[:3], kind, test, number, session)).read())
                except client.ApiError as error:
                    told.append(refusal(error))
        harness.complete_test(session, test)
        try:
            evaluations[test] = harness.evaluate(test, 0, session)
        except client.ApiError as error:
            evaluations[test] = refusal(error)
        if harness.resume_session(session) != tests[:done]:
            raise SystemExit(f"{name}: the finished tests of {session} are not the first {done}")
    harness.terminate_session(session)
    return {"rounds": rounds, "rows": server.rows(session), "told": told, "evaluations": evaluations}


def numbers(value):
    if isinstance(value, dict):
        return [x for key in sorted(value) for x in numbers(value[key])]
    return [value]


def alike(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) < 1e-9


def client_tables(client, servers, work):
    names = list(EXCHANGES)
    outcome = {}

    def against(label):  # the public server mixes up sessions that use one test at a time: one of each domain
        for pair in (names[0:2], names[2:4], names[4:6]):
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                for name, result in zip(pair, pool.map(lambda n: exchange(client, servers[label], work, n), pair)):
                    outcome[label, name] = result

    with concurrent.futures.ThreadPoolExecutor(len(servers)) as pool:
        list(pool.map(against, servers))
    print("| exchange | rounds | files of rows equal | answers to feedback equal | with `--compat` | values of evaluations equal |")
    print("|---|---|---|---|---|---|")
    for name in names:
        ours, compat, theirs = (outcome[label, name] for label in ("tyto", "compat", "public"))
        share = lambda a, b: f"{sum(x == y for x, y in zip(a, b))} of {len(b)}" if b else "-"
        files = sum(ours["rows"].get(key) == compat["rows"].get(key) == rows for key, rows in theirs["rows"].items())
        a, b = numbers(ours["evaluations"]), numbers(theirs["evaluations"])
        refused = [isinstance(values[0], str) for values in (a, b)]
        values = (f"ours {a[0] if refused[0] else 'answered'}, theirs {b[0] if refused[1] else 'answered'}" if any(refused) else
                  f"{sum(map(alike, a, b))} of {max(len(a), len(b))}")
        print(f"| {name} | {ours['rounds']} | {files} of {len(theirs['rows'])} | {share(ours['told'], theirs['told'])} | "
              f"{share(compat['told'], theirs['told'])} | {values} |")


def take(tyto, server, work, options, out, kill_after=None):
    """Runs the agent; gives its session, or None when it was killed."""
    made = work / ("condda" if "CONDDA" in options else "ond")
    command = [tyto, "agent", "--server", server.url, "--preset", "slda", "--set", "alarm=martingale", "--threads", "1",
               "--quiet", "--train", made / "train", "--features", made / "features", "--out", out, *options.split()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        text, _ = process.communicate(timeout=kill_after or 300)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if kill_after:
            return None
        raise
    if process.returncode != 0:
        raise SystemExit(f"tyto agent {options}: {text}")
    return re.search(r"session (\S+) is over", text).group(1)


def agent_tables(tyto, servers, work, kills, seed):
    whole, seconds = {}, {}
    print("\n| agent | files of rows | equal |\n|---|---|---|")
    for number, (name, options) in enumerate(AGENTS.items()):
        rows = {}
        for label in ("tyto", "public"):
            begun = time.monotonic()
            rows[label] = servers[label].rows(take(tyto, servers[label], work, options, work / f"agent-{number}-{label}"))
            seconds[name] = time.monotonic() - begun
        whole[name] = rows["public"]
        print(f"| {name} | {len(rows['public'])} | {sum(rows['tyto'].get(k) == v for k, v in rows['public'].items())} |")
    draw = random.Random(seed)
    print("\n| agent, killed | kills | sessions finished | sessions that differ |\n|---|---|---|---|")
    for number, name in enumerate(KILLED):
        killed = finished = different = row = 0
        while killed < kills:
            after = draw.uniform(0.0, seconds[name] * (0.6 + 0.1 * row))
            session = take(tyto, servers["public"], work, AGENTS[name], work / f"killed-{number}-{finished}", max(after, 0.01))
            if session is None:
                killed, row = killed + 1, row + 1
                continue
            different += servers["public"].rows(session) != whole[name]
            finished, row = finished + 1, 0
        last = take(tyto, servers["public"], work, AGENTS[name], work / f"killed-{number}-{finished}")
        different += servers["public"].rows(last) != whole[name]
        print(f"| {name} | {killed} | {finished + 1} | {different} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tyto", type=pathlib.Path)
    parser.add_argument("--client", required=True, action="append", help="folder to import sail_on_client from; may repeat")
    parser.add_argument("--server", required=True, help="command with {port}, {data} and {results}")
    parser.add_argument("--kills", type=int, default=20, help="of each agent that is killed")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    sys.path[:0] = arguments.client
    from sail_on_client.errors import ApiError, RoundError
    from sail_on_client.harness.par_harness import ParHarness
    client = argparse.Namespace(ParHarness=ParHarness, ApiError=ApiError, RoundError=RoundError)
    tyto = arguments.tyto.resolve()
    ours = f"{shlex.quote(str(tyto))} serve --listen 127.0.0.1:{{port}} --data {{data}} --results {{results}}"
    work = pathlib.Path(tempfile.mkdtemp(prefix="public-peers-"))
    servers = {}
    try:
        make_tests(tyto, work)
        for label, command in {"tyto": ours, "compat": ours + " --compat", "public": arguments.server}.items():
            servers[label] = Server(command, work / "data", work / f"results-{label}")
        client_tables(client, servers, work)
        agent_tables(tyto, servers, work, arguments.kills, arguments.seed)
    finally:
        for server in servers.values():
            server.process.terminate()
            server.process.wait()
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
