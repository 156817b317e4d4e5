#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes dp_mixture.json: steps of scikit-learn's BayesianGaussianMixture (made with 1.2.1) from a
given assignment, for the tests of src/tyto/cluster.

Usage: python3 make_dp_mixture.py > dp_mixture.json
"""
import json
import sys

import numpy
from sklearn.mixture import BayesianGaussianMixture


def case(name, rows, start, components, steps, concentration):
    model = BayesianGaussianMixture(
        n_components=components, covariance_type="diag", reg_covar=1e-6,
        weight_concentration_prior_type="dirichlet_process",
        weight_concentration_prior=concentration)
    model._check_parameters(rows)
    model._initialize(rows, numpy.eye(components)[start])
    for _ in range(steps):
        _, log_share = model._e_step(rows)
        model._m_step(rows, log_share)
    model._set_parameters(model._get_parameters())  # fills weights_
    _, log_share = model._e_step(rows)
    return {
        "name": name,
        "rows": rows.tolist(),
        "start": start.tolist(),
        "components": components,
        "steps": steps,
        "concentration": concentration,
        "weights": model.weights_.tolist(),
        "means": model.means_.tolist(),
        "variances": model.covariances_.tolist(),
        "best": log_share.argmax(axis=1).tolist(),
    }


def main():
    random = numpy.random.RandomState(4)
    centres = numpy.array([[0.0, 0.0, 3.0], [6.0, 1.0, 0.0], [-4.0, 5.0, -2.0]])
    rows = numpy.vstack([c + random.normal(size=(m, 3)) * [1.0, 0.5, 2.0]
                         for c, m in zip(centres, (20, 12, 7))]).astype(numpy.float32)
    rows = numpy.round(rows, 3).astype(float)
    start = random.randint(0, 6, size=len(rows))
    cases = [
        case("one step", rows, start, 6, 1, 0.5),
        case("five steps", rows, start, 6, 5, 0.5),
        case("forty steps, few components wanted", rows, start, 6, 40, 0.01),
        case("one column", rows[:, :1], start, 6, 7, 2.0),
    ]
    json.dump(cases, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
