#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes open_set.json: Weibull fits of tails, and an Extreme Value Machine on 80 points of whole numbers, for
the tests of src/tyto/math/weibull.hpp and src/tyto/parts/extremes.

Plain Python from the definitions. Weibull: the most likely shape solves 1/k = sum t^k ln t / sum t^k - mean ln t,
by bisection. libMR translates a tail to t = sign x + 1 - small_score, small_score the least of sign x in it, and
the score of x is the fitted distribution at t. Extreme Value Machine (Rudd et al. 2018): the tail of a point is
the half distances to the nearest points of other classes. Form paper: psi(d) = exp(-(d / scale)^shape); form
libmr: the score of d in the low tail. A class's psi: the mean of its largest ones. Cover: in every class, as long
as a point is not covered, the first of those that cover most of them (psi >= 0.5).

The points: five classes about whole centres, 16 columns in 0..15; four are known, by random.Random(31).

Usage: python3 make_open_set.py > open_set.json
"""
import json
import math
import random
import sys

KNOWN, EACH, TAIL, WIDTH = "ABCD", 20, 8, 16


def fit_weibull(values):
    logs = [math.log(t) for t in values]
    top = max(logs)
    average = math.fsum(logs) / len(logs)

    def excess(k):  # rises with k
        powers = [math.exp(k * (v - top)) for v in logs]
        return math.fsum(p * v for p, v in zip(powers, logs)) / math.fsum(powers) - average - 1 / k
    low, high = 1e-4, 1e5
    for _ in range(300):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    shape = math.sqrt(low * high)
    mean_power = math.fsum(math.exp(shape * (v - top)) for v in logs) / len(logs)
    return math.exp(top + math.log(mean_power) / shape), shape


def cdf(t, scale, shape):
    return -math.expm1(-((t / scale) ** shape)) if t > 0 else 0.0


def tail_fit(data, tail, direction):
    sign = -1.0 if direction == "low" else 1.0
    extreme = sorted((sign * x for x in data), reverse=True)[:tail]
    small = min(extreme)
    scale, shape = fit_weibull([v + 1 - small for v in extreme])
    return {"scale": scale, "shape": shape, "small_score": small, "sign": sign}


def weibull_cases(rng):
    drawn = [("normal, low", "low", [rng.gauss(5, 2) for _ in range(60)], 15),
             ("normal, high", "high", [rng.gauss(5, 2) for _ in range(60)], 15),
             ("long tail", "high", [rng.expovariate(0.3) ** 1.5 for _ in range(80)], 20),
             ("all of them", "low", [rng.uniform(0, 9) for _ in range(12)], 12),
             ("far below 0", "high", [rng.gauss(-400, 30) for _ in range(50)], 10),
             ("two values", "low", [3.0, 4.5], 2)]
    cases = []
    for name, direction, data, tail in drawn:
        data = [round(v, 4) for v in data]
        fit = tail_fit(data, tail, direction)
        query = sorted(data)[::7] + [min(data) - 1, max(data) + 1]
        cases.append({"name": name, "direction": direction, "data": data, "tail": tail, "libmr": fit,
                      "exact_mle": {"scale": fit["scale"], "shape": fit["shape"]}, "query": query,
                      "wscore": [cdf(fit["sign"] * x + 1 - fit["small_score"], fit["scale"], fit["shape"])
                                 for x in query]})
    return cases


def point(rng, centre):
    return [min(15, max(0, round(rng.gauss(c, 1.6)))) for c in centre]


def distance(a, b):
    return math.sqrt(sum((u - v) ** 2 for u, v in zip(a, b)))


def psi_libmr(fit, d):
    return cdf(1 - fit["small_score"] - d, fit["scale"], fit["shape"])


def psi_paper(fit, d):
    return math.exp(-((d / fit["scale"]) ** fit["shape"]))


def answers(train, fits, kept, test, psi, fuse):
    made = {"max_psi": [], "pred": []}
    right = 0
    for label, row in test:
        by_class = {}
        for i in kept:
            by_class.setdefault(train[i][0], []).append(psi(fits[i], distance(train[i][1], row)))
        means = {c: sum(sorted(values, reverse=True)[:fuse]) / min(fuse, len(values))
                 for c, values in by_class.items()}
        best = max(sorted(means), key=lambda c: means[c])
        made["max_psi"].append(means[best])
        made["pred"].append(best)
        right += label in KNOWN and (best if means[best] > 0 else "A") == label
    made["known_accuracy"] = right / sum(label in KNOWN for label, _ in test)
    return made


def machine(rng):
    centres = {c: [rng.randint(3, 12) for _ in range(WIDTH)] for c in KNOWN + "U"}
    train = [(c, point(rng, centres[c])) for c in KNOWN for _ in range(EACH)]
    test = [(c, point(rng, centres[c])) for c in KNOWN for _ in range(5)]
    test += [("U", point(rng, centres["U"])) for _ in range(10)]
    libmr, paper = [], []
    for label, row in train:
        margins = sorted(0.5 * distance(row, other) for c, other in train if c != label)[:TAIL]
        libmr.append(tail_fit(margins, TAIL, "low"))
        scale, shape = fit_weibull(margins)
        paper.append({"scale": scale, "shape": shape})
    kept = []
    for c in KNOWN:
        own = [i for i, (label, _) in enumerate(train) if label == c]
        covers = {i: {j for j in own if psi_libmr(libmr[i], distance(train[i][1], train[j][1])) >= 0.5}
                  for i in own}
        left = set(own)
        while left:
            chosen = max(own, key=lambda i: (len(covers[i] & left), -i))
            kept.append(chosen)
            left -= covers[chosen] | {chosen}
    every = list(range(len(train)))
    return {
        "tail": TAIL, "each": EACH, "known_test": 5 * len(KNOWN), "train": train, "test": test, "weibull": libmr,
        "kept_indices": kept,
        "results": {"reduced_nfuse1": answers(train, libmr, kept, test, psi_libmr, 1),
                    "reduced_nfuse4": answers(train, libmr, kept, test, psi_libmr, 4),
                    "full_nfuse1": answers(train, libmr, every, test, psi_libmr, 1),
                    "full_nfuse4": answers(train, libmr, every, test, psi_libmr, 4)},
        "paper_form_full_max": {"weibull": paper, **answers(train, paper, every, test, psi_paper, 1)}}


def main():
    rng = random.Random(31)
    json.dump({"weibull": weibull_cases(rng), "evm": machine(rng)}, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
