# SPDX-License-Identifier: Apache-2.0
"""Writes measures.json: scores of scikit-learn (made with 1.2.1) for the tests of src/tyto/measure.

Usage: python3 make_measures.py > measures.json
"""
import json
import random
import sys
import warnings

from sklearn import metrics

warnings.simplefilter("ignore")  # a predicted class without samples is wanted here


def matrix(name, actual, predicted):
    return {
        "name": name,
        "actual": actual,
        "predicted": predicted,
        "accuracy": metrics.accuracy_score(actual, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(actual, predicted),
        "mcc": metrics.matthews_corrcoef(actual, predicted),
        "mutual_information": metrics.mutual_info_score(actual, predicted),
        "nmi": metrics.normalized_mutual_info_score(actual, predicted),
    }


def drawn(rng, name, n, classes, predicted_classes, right):
    actual = [f"c{rng.randrange(classes)}" for _ in range(n)]
    predicted = [a if rng.random() < right else f"c{rng.randrange(predicted_classes)}" for a in actual]
    return matrix(name, actual, predicted)


def ranking(rng, n, values, shift):
    positive = [0, 1] + [rng.randrange(2) for _ in range(n - 2)]
    score = [float(rng.randrange(values) + shift * p) for p in positive]
    return {"score": score, "positive": positive, "auroc": metrics.roc_auc_score(positive, score)}


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
        drawn(rng, "two classes", 60, 2, 2, 0.5),
        drawn(rng, "more names than classes", 90, 4, 9, 0.4),
        drawn(rng, "fewer names than classes", 90, 9, 3, 0.3),
        drawn(rng, "nothing right", 60, 5, 5, 0.0),
        drawn(rng, "nearly all right", 120, 12, 12, 0.95),
    ]
    rankings = [ranking(rng, 40, 5, 1), ranking(rng, 40, 1000, 100), ranking(rng, 40, 3, 0)]
    json.dump({"matrices": matrices, "rankings": rankings}, sys.stdout, indent=None)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
