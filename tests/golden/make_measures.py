#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes measures.json: scores of scikit-learn (made with 1.2.1) and assignments of SciPy (made with
1.10.1) for the tests of src/tyto/measure and src/tyto/math.

Usage: python3 make_measures.py > measures.json
"""
import json
import random
import sys
import warnings

import numpy
from scipy.optimize import linear_sum_assignment
from sklearn import metrics
from sklearn.metrics.cluster import contingency_matrix

warnings.simplefilter("ignore")  # a predicted class without samples is wanted here


def quality_ratio(actual, predicted):
    """Mutual information over joint entropy; the joint of one group with one group is the same."""
    joint = [f"{a}|{p}" for a, p in zip(actual, predicted)]
    whole = metrics.mutual_info_score(joint, joint)
    return 1.0 if whole == 0 else metrics.mutual_info_score(actual, predicted) / whole


def matrix(name, actual, predicted):
    counts = contingency_matrix(actual, predicted)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    made = {
        "name": name,
        "actual": actual,
        "predicted": predicted,
        "accuracy": metrics.accuracy_score(actual, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(actual, predicted),
        "mcc": metrics.matthews_corrcoef(actual, predicted),
        "mutual_information": metrics.mutual_info_score(actual, predicted),
        "nmi": metrics.normalized_mutual_info_score(actual, predicted),
        "information_quality_ratio": quality_ratio(actual, predicted),
        "ari": metrics.adjusted_rand_score(actual, predicted),
        "hungarian_accuracy": int(counts[rows, columns].sum()) / len(actual),
    }
    for method in ["geometric", "min", "max"]:
        made[f"nmi_{method}"] = metrics.normalized_mutual_info_score(
            actual, predicted, average_method=method)
    known = sorted({*actual, *predicted} - {"unknown"})
    for key, average in [("f_measure", "macro"), ("f_measure_micro", "micro")]:
        made[key] = metrics.f1_score(actual, predicted, labels=known, average=average)
    return made


def drawn(rng, name, n, classes, predicted_classes, right, unknown=0.0):
    def one(names):
        return "unknown" if rng.random() < unknown else f"c{rng.randrange(names)}"

    actual = [one(classes) for _ in range(n)]
    predicted = [a if rng.random() < right else one(predicted_classes) for a in actual]
    return matrix(name, actual, predicted)


def ranking(positive, score):
    made = {"score": score, "positive": positive, "auroc": metrics.roc_auc_score(positive, score)}
    for side, truth, value in [("novel", positive, score),
                               ("known", [1 - p for p in positive], [-s for s in score])]:
        precision, recall, _ = metrics.precision_recall_curve(truth, value)
        fpr, tpr, _ = metrics.roc_curve(truth, value, drop_intermediate=False)
        made[side] = {
            "average_precision": metrics.average_precision_score(truth, value),
            "aupr": metrics.auc(recall, precision),
            "fpr_at_95_tpr": fpr[numpy.argmax(tpr >= 0.95)],
        }
    return made


def drawn_ranking(rng, n, values, shift, share=0.5):
    positive = [0, 1] + [int(rng.random() < share) for _ in range(n - 2)]
    return ranking(positive, [float(rng.randrange(values) + shift * p) for p in positive])


def assignment(rng, rows, columns, values):
    cost = [[rng.randrange(-values, values) for _ in range(columns)] for _ in range(rows)]
    paired = linear_sum_assignment(cost)
    return {"cost": cost, "least": int(numpy.array(cost)[paired].sum())}


def main():
    rng = random.Random(718)
    known = list("AAAABBBBXXXYYY")
    called = ["A", "A", "A", "B", "B", "B", "unknown", "A", "unknown_0", "unknown_0", "A",
              "unknown_1", "unknown_0", "unknown"]
    matrices = [
        matrix("worked views, raw", known, called),
        matrix("one class, right", ["a"] * 3, ["a"] * 3),
        matrix("one class, called another", ["a"] * 3, ["b"] * 3),
        matrix("two classes, one name", ["a", "a", "b"], ["a", "a", "a"]),
        matrix("one class, two names", ["a", "a", "a"], ["a", "b", "a"]),
        matrix("one sample", ["a"], ["a"]),
        matrix("each sample its own class", list("abcd"), list("bcda")),
        matrix("each sample its own class, one name", list("abcd"), list("aaaa")),
        drawn(rng, "two classes", 60, 2, 2, 0.5),
        drawn(rng, "more names than classes", 90, 4, 9, 0.4),
        drawn(rng, "fewer names than classes", 90, 9, 3, 0.3),
        drawn(rng, "nothing right", 60, 5, 5, 0.0),
        drawn(rng, "nearly all right", 120, 12, 12, 0.95),
        drawn(rng, "some unknown", 100, 6, 6, 0.6, unknown=0.3),
        drawn(rng, "mostly unknown", 80, 5, 7, 0.4, unknown=0.8),
    ]
    rankings = [
        drawn_ranking(rng, 40, 5, 1),
        drawn_ranking(rng, 40, 1000, 100),
        drawn_ranking(rng, 40, 3, 0),
        drawn_ranking(rng, 90, 12, 3, share=0.1),
        drawn_ranking(rng, 90, 400, 200, share=0.9),
        ranking([1, 1, 0, 0, 0], [5.0, 4.0, 3.0, 2.0, 1.0]),
        ranking([0, 0, 0, 1, 1], [5.0, 4.0, 3.0, 2.0, 1.0]),
        ranking([0, 1, 0, 1], [2.0] * 4),
        ranking([1] + [0] * 19, [float(s) for s in range(20)]),
        ranking([0] + [1] * 20, [1.5] + [float(s) for s in range(20)]),
    ]
    assignments = [assignment(rng, rows, columns, values)
                   for rows, columns, values in [(1, 1, 9), (5, 5, 2), (12, 12, 50), (7, 15, 9),
                                                 (15, 7, 1000), (30, 30, 4), (25, 40, 300)]]
    json.dump({"matrices": matrices, "rankings": rankings, "assignments": assignments}, sys.stdout,
              indent=None)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
