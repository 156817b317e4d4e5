#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes calibration.json: a small table of logits and what calibrators, conformal sets and measures of
confidence make of it, for the tests of src/tyto/calibration and src/tyto/measure/calibration.

Plain Python, by definition rather than by speed: sums over samples, Newton's method with whole Hessians,
bisection, pools of adjacent violators. Keys are those of the larger check set that the same tests read where
it is at hand. Numbers are rounded to 15 significant digits.

The table: five classes, frequent ones first (weight 1 / (k + 1)^0.7); logits are 3 for the class plus normal
noise whose size hangs on the first of four features, so that they are over-confident for some samples more
than for others; everything by random.Random(2203). The first half of the rows is `val`, the rest `test`.

Usage: python3 make_calibration.py > calibration.json
"""
import json
import math
import random
import sys

ROWS, CLASSES, WIDTH, HIDDEN = 360, 5, 4, 3
HALF = ROWS // 2


def drawn():
    rng = random.Random(2203)
    weights = [1 / (k + 1) ** 0.7 for k in range(CLASSES)]
    logits, labels, features, uniforms = [], [], [], []
    for _ in range(ROWS):
        label = rng.choices(range(CLASSES), weights)[0]
        z = [round(rng.gauss(0, 1), 4) for _ in range(WIDTH)]
        noise = 2.4 * math.exp(0.5 * z[0])
        logits.append([round((3 if k == label else 0) + noise * rng.gauss(0, 1), 4) for k in range(CLASSES)])
        labels.append(label)
        features.append(z)
        uniforms.append(round(rng.random(), 6))
    return logits, labels, features, uniforms


def softmax(row):
    top = max(row)
    weights = [math.exp(v - top) for v in row]
    total = sum(weights)
    return [w / total for w in weights]


def log_softmax(row):
    top = max(row)
    total = top + math.log(sum(math.exp(v - top) for v in row))
    return [v - total for v in row]


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


def nll(logits, labels):
    return mean(-log_softmax(row)[y] for row, y in zip(logits, labels))


def best(row):
    return max(range(len(row)), key=lambda k: (row[k], -k))


# ---- measures of confidence; a bin is a list of (confidence, right)

def gap(cell):
    return mean(c for c, _ in cell) - mean(r for _, r in cell) if cell else 0.0


def ece(cells, n):
    return sum(len(cell) / n * abs(gap(cell)) for cell in cells)


def edges_of(bins, rule):
    if "linspace" in rule:
        return [i * (1 / bins) for i in range(bins)] + [1.0]
    return [i / bins for i in range(bins + 1)]


def bin_of(c, bins, rule):
    edges = edges_of(bins, rule)
    if rule.startswith("right"):
        return next(b for b in range(bins) if c <= edges[b + 1] or b == bins - 1)
    if rule.startswith("left_closed_extra") and c >= 1:
        return bins
    return max(b for b in range(bins) if c >= edges[b])


def binned(pairs, bins, rule="right_closed_edges_i_over_B"):
    cells = [[] for _ in range(bins + 1)]
    for c, r in pairs:
        cells[bin_of(c, bins, rule)].append((c, r))
    return cells if rule.startswith("left_closed_extra") else cells[:bins]


def runs_of(ordered, parts):
    size, longer = divmod(len(ordered), parts)
    at, runs = 0, []
    for p in range(parts):
        end = at + size + (p < longer)
        runs.append(ordered[at:end])
        at = end
    return runs


def quantile(ordered, q):
    at = q * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def block(logits, labels):
    n = len(labels)
    p = [softmax(row) for row in logits]
    pairs = [(max(row), int(best(scores) == y)) for row, scores, y in zip(p, logits, labels)]
    ordered = sorted(pairs, key=lambda pair: pair[0])
    made = {
        "n": n,
        "accuracy": mean(r for _, r in pairs),
        "mean_confidence": mean(c for c, _ in pairs),
        "nll": nll(logits, labels),
        "brier_sum": mean(sum((v - (k == y)) ** 2 for k, v in enumerate(row)) for row, y in zip(p, labels)),
    }
    for bins in (10, 15, 20):
        cells = binned(pairs, bins)
        full = [abs(gap(cell)) for cell in cells if cell]
        made[f"ece{bins}"] = ece(cells, n)
        made[f"mce{bins}"] = max(full)
        made[f"ace_nonempty_bins{bins}"] = mean(full)
        made[f"rmsce{bins}"] = math.sqrt(sum(len(cell) / n * gap(cell) ** 2 for cell in cells))
    confidences = [c for c, _ in ordered]
    edges = [0.0] + [quantile(confidences, b / 15) for b in range(1, 15)] + [1.0]
    cells = [[] for _ in range(15)]
    for c, r in ordered:
        cells[max(b for b in range(15) if c >= edges[b])].append((c, r))
    made["adaptive_ece15_quantile_edges"] = ece(cells, n)
    runs = runs_of(ordered, 15)
    made["adaptive_ece15_array_split"] = ece(runs, n)
    columns = [[(row[k], int(y == k)) for row, y in zip(p, labels)] for k in range(len(p[0]))]
    made["classwise_ece15"] = mean(ece(binned(column, 15), n) for column in columns)
    made["nixon_ace15"] = mean(
        mean(abs(gap(run)) for run in runs_of(sorted(column, key=lambda pair: pair[0]), 15)) for column in columns)
    square = 0.0
    for run in runs:
        if len(run) > 1:
            right = mean(r for _, r in run)
            square += len(run) / n * (gap(run) ** 2 - right * (1 - right) / (len(run) - 1))
    made["debiased_l2_equal_mass15"] = math.sqrt(max(0.0, square))
    made["mmce_laplace_0.4"] = math.sqrt(max(0.0, sum(
        (r - c) * (s - d) * math.exp(-abs(c - d) / 0.4) for c, r in pairs for d, s in pairs))) / n
    run, worst = 0.0, 0.0
    for i, (c, r) in enumerate(ordered):
        run += (r - c) / n
        if i + 1 == n or ordered[i + 1][0] != c:
            worst = max(worst, abs(run))
    made["ks_error"] = worst
    right = [c for c, r in pairs if r]
    wrong = [c for c, r in pairs if not r]
    made["failure_auroc_maxprob"] = sum(
        (c > d) + 0.5 * (c == d) for c in right for d in wrong) / (len(right) * len(wrong))
    errors, risks = 0, []
    for k, (_, r) in enumerate(sorted(pairs, key=lambda pair: -pair[0])):  # equals in their order
        errors += 1 - r
        risks.append(errors / (k + 1))
    made["aurc"] = mean(risks)
    return made


# ---- calibrators

def temperature(logits, labels):
    """Root of the loss's slope in s = 1 / T: mean of (sum p_k z_k) - z_y, which rises with s."""
    def slope(s):
        total = []
        for row, y in zip(logits, labels):
            p = softmax([s * v for v in row])
            total.append(sum(a * b for a, b in zip(p, row)) - row[y])
        return math.fsum(total)
    low, high = 1e-6, 1e3
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return 1 / math.sqrt(low * high)


def descended(logits, labels, steps, rate):
    t = 1.0
    for _ in range(steps):
        by_t = mean((row[y] - sum(a * b for a, b in zip(softmax([v / t for v in row]), row))) / t ** 2
                    for row, y in zip(logits, labels))
        t -= rate * by_t
    return t


def solve(matrix, right):
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            if factor:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x


def newton(design, targets, start, ridge, centre):
    """Least mean cross entropy of softmax(design . x) + sum ridge (x - centre)^2. design[i][k]: {p: value}."""
    n, size = len(design), len(start)
    x = list(start)

    def scores(at):
        return [[sum(v * at[p] for p, v in one.items()) for one in row] for row in design]

    def objective(at):
        return mean(-sum(t * v for t, v in zip(target, log_softmax(row)))
                    for row, target in zip(scores(at), targets)) + sum(
                        r * (a - c) ** 2 for r, a, c in zip(ridge, at, centre))
    for _ in range(100):
        gradient = [2 * r * (a - c) for r, a, c in zip(ridge, x, centre)]
        hessian = [[0.0] * size for _ in range(size)]
        for p in range(size):
            hessian[p][p] = 2 * ridge[p] + 1e-13
        for row, one, target in zip(scores(x), design, targets):
            prob = softmax(row)
            average = {}
            for k, cells in enumerate(one):
                for p, v in cells.items():
                    average[p] = average.get(p, 0.0) + prob[k] * v
                    gradient[p] += (prob[k] - target[k]) * v / n
                    for q, w in cells.items():
                        hessian[p][q] += prob[k] * v * w / n
            for p, v in average.items():
                for q, w in average.items():
                    hessian[p][q] -= v * w / n
        step = solve(hessian, gradient)
        size_of, now = 1.0, objective(x)
        while size_of > 1e-9 and objective([a - size_of * s for a, s in zip(x, step)]) > now:
            size_of /= 2
        x = [a - size_of * s for a, s in zip(x, step)]
        if max(abs(s) for s in step) < 1e-12:
            break
    return x, objective(x)


def one_hot(labels):
    return [[float(k == y) for k in range(CLASSES)] for y in labels]


def vector_scaling(rows, labels, ridge=0.0):
    """Score k: w_k z_k + b_k. Without a ridge the shifts are held near 0 by next to nothing, then centred."""
    design = [[{k: row[k], CLASSES + k: 1.0} for k in range(CLASSES)] for row in rows]
    hold = [ridge] * (2 * CLASSES) if ridge else [0.0] * CLASSES + [1e-10] * CLASSES
    x, objective = newton(design, one_hot(labels), [1.0] * CLASSES + [0.0] * CLASSES, hold,
                          [1.0] * CLASSES + [0.0] * CLASSES)
    return x[:CLASSES], x[CLASSES:], objective


def odir(rows, labels, lam, mu, start):
    """Score k: sum_j W_kj z_j + b_k with lam on W off the diagonal and mu on b."""
    wide = CLASSES + 1
    design = [[{**{k * wide + j: row[j] for j in range(CLASSES)}, k * wide + CLASSES: 1.0}
               for k in range(CLASSES)] for row in rows]
    ridge = [mu if j == CLASSES else lam if j != k else 0.0 for k in range(CLASSES) for j in range(wide)]
    x, objective = newton(design, one_hot(labels), [start if j == k else 0.0 for k in range(CLASSES)
                                                    for j in range(wide)], ridge, [0.0] * (CLASSES * wide))
    return [x[k * wide:(k + 1) * wide] for k in range(CLASSES)], objective


def affine(rows, wb):
    return [[sum(a * b for a, b in zip(line, row)) + line[-1] for line in wb] for row in rows]


def binary(features, targets, size):
    design = [[dict(enumerate(row)), {}] for row in features]
    x, objective = newton(design, [[t, 1 - t] for t in targets], [0.0] * size, [0.0] * size, [0.0] * size)
    return x, objective


def isotonic(pairs):
    pools = []  # first x, last x, sum, count
    for c, r in sorted(pairs, key=lambda pair: pair[0]):
        if pools and pools[-1][1] == c:
            pools[-1][2] += r
            pools[-1][3] += 1
        else:
            pools.append([c, c, r, 1])
        while len(pools) > 1 and pools[-2][2] / pools[-2][3] >= pools[-1][2] / pools[-1][3]:
            last = pools.pop()
            pools[-1] = [pools[-1][0], last[1], pools[-1][2] + last[2], pools[-1][3] + last[3]]
    x, y = [], []
    for first, last, total, count in pools:
        for end in ([first] if first == last else [first, last]):
            x.append(end)
            y.append(total / count)
    return x, y


def interpolated(x, y, at):
    if at <= x[0]:
        return y[0]
    for i in range(1, len(x)):
        if at <= x[i]:
            return y[i - 1] + (y[i] - y[i - 1]) * (at - x[i - 1]) / (x[i] - x[i - 1])
    return y[-1]


# ---- conformal sets

def set_scores(row, u, kind, lam, k):
    """One minus probability; or the sum of those at least as likely, part of its own by u, and a penalty of rank."""
    p = softmax(row)
    if kind == "lac":
        return [1 - v for v in p]
    order = sorted(range(CLASSES), key=lambda c: -p[c])
    out, total = [0.0] * CLASSES, 0.0
    for rank, c in enumerate(order, 1):
        total += p[c]
        out[c] = total - p[c] + (u if u is not None else 1.0) * p[c] + lam * max(0, rank - k)
    return out


def before_scores(row):
    p = softmax(row)
    order = sorted(range(CLASSES), key=lambda c: -p[c])
    out, total = [0.0] * CLASSES, 0.0
    for c in order:
        out[c] = total
        total += p[c]
    return out


def conformal(val, val_y, test, test_y, u, name):
    kind = "lac" if "_lac" in name else "aps"
    lam, k = ((0.01, 5) if "lam0.01" in name else (0.1, 2)) if "_raps" in name else (0.0, 0)
    drawn_u = "randomized" in name

    def given(i):
        return u[i] if drawn_u else None
    scores = sorted(set_scores(row, given(i), kind, lam, k)[y] for i, (row, y) in enumerate(zip(val, val_y)))
    q = scores[math.ceil((len(scores) + 1) * 0.9 - 1e-9) - 1]
    sets = []
    for i, row in enumerate(test):
        if "crossing" in name:
            s = before_scores(row)
            sets.append([c for c in range(CLASSES) if s[c] < q])
        else:
            s = set_scores(row, given(HALF + i), kind, lam, k)
            sets.append([c for c in range(CLASSES) if s[c] <= q])
    sizes = [len(one) for one in sets]
    return {"qhat": q, "coverage": mean(int(y in one) for one, y in zip(sets, test_y)), "mean_size": mean(sizes),
            "empty": sizes.count(0), "size_hist": [sizes.count(s) for s in range(CLASSES + 1)]}


# ---- a temperature for every sample

class Net:
    def __init__(self, rng):
        self.w1 = [[round(rng.gauss(0, 0.5), 4) for _ in range(WIDTH)] for _ in range(HIDDEN)]
        self.b1 = [round(rng.gauss(0, 0.3), 4) for _ in range(HIDDEN)]
        self.w2 = [round(rng.gauss(0.5, 0.3), 4) for _ in range(HIDDEN)]
        self.b2 = 0.5

    def get(self):
        return [v for row in self.w1 for v in row] + self.b1 + self.w2 + [self.b2]

    def put(self, x):
        self.w1 = [x[h * WIDTH:(h + 1) * WIDTH] for h in range(HIDDEN)]
        at = HIDDEN * WIDTH
        self.b1, self.w2, self.b2 = x[at:at + HIDDEN], x[at + HIDDEN:at + 2 * HIDDEN], x[-1]

    def passed(self, logits, labels, features):
        n = len(labels)
        temperatures, losses, gradient = [], [], [0.0] * (HIDDEN * WIDTH + 2 * HIDDEN + 1)
        for row, y, z in zip(logits, labels, features):
            hidden = [max(0.0, sum(a * b for a, b in zip(w, z)) + b) for w, b in zip(self.w1, self.b1)]
            out = sum(a * b for a, b in zip(self.w2, hidden)) + self.b2
            t = 1 + max(0.0, out)
            scaled = [v / t for v in row]
            temperatures.append(t)
            losses.append(-log_softmax(scaled)[y])
            by_out = 0.0
            if out > 0:
                by_out = (row[y] - sum(a * b for a, b in zip(softmax(scaled), row))) / t ** 2 / n
            for h in range(HIDDEN):
                by_hidden = by_out * self.w2[h] if hidden[h] > 0 else 0.0
                for d in range(WIDTH):
                    gradient[h * WIDTH + d] += by_hidden * z[d]
                gradient[HIDDEN * WIDTH + h] += by_hidden
                gradient[HIDDEN * WIDTH + HIDDEN + h] += by_out * hidden[h]
            gradient[-1] += by_out
        return temperatures, mean(losses), gradient


def trained(net, logits, labels, features, steps):
    x = net.get()
    first, second = [0.0] * len(x), [0.0] * len(x)
    trace = []
    for step in range(1, steps + 1):
        net.put(x)
        _, loss, gradient = net.passed(logits, labels, features)
        if step == 1 or step % 50 == 0:
            trace.append(loss)
        for i, g in enumerate(gradient):
            g += 1e-6 * x[i]
            first[i] = 0.9 * first[i] + 0.1 * g
            second[i] = 0.999 * second[i] + 0.001 * g * g
            x[i] -= 0.005 * (first[i] / (1 - 0.9 ** step)) / (math.sqrt(second[i] / (1 - 0.999 ** step)) + 1e-8)
    net.put(x)
    return trace


def caring(val, val_y, test, test_y, features):
    net = Net(random.Random(44))
    made = {"hidden": HIDDEN, "W1": net.w1, "b1": net.b1, "W2": net.w2, "b2": net.b2}
    t, loss, g = net.passed(val, val_y, features[:HALF])
    at = HIDDEN * WIDTH
    made["initial"] = {
        "nll_val": loss, "T_first10": t[:10], "T_mean": mean(t), "T_min": min(t),
        "grad_W1": [g[h * WIDTH:(h + 1) * WIDTH] for h in range(HIDDEN)], "grad_b1": g[at:at + HIDDEN],
        "grad_W2": g[at + HIDDEN:at + 2 * HIDDEN], "grad_b2": g[-1]}
    trace = trained(net, val, val_y, features[:HALF], 300)
    t, loss, _ = net.passed(val, val_y, features[:HALF])
    made["adam_full_batch_lr0.005_wd1e-6_300"] = {
        "nll_trace_every50": trace, "T_val_mean": mean(t), "val": {"nll": loss},
        "test": {"nll": net.passed(test, test_y, features[HALF:])[1]}}
    return made


def edge_cases():
    cases = [("tenths", [i / 10 for i in range(11)], [0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1], 10),
             ("sevenths", [i / 7 for i in range(8)], [1, 0, 0, 1, 0, 1, 1, 0], 7),
             ("multiples of a tenth", [i * 0.1 for i in range(10)], [1, 1, 0, 0, 1, 0, 1, 0, 1, 0], 10),
             ("all sure", [1.0] * 4, [1, 1, 0, 1], 15),
             ("one bin", [0.0, 0.25, 1.0], [0, 1, 1], 1)]
    rules = ["right_closed_edges_i_over_B", "left_closed_edges_i_over_B", "right_closed_numpy_linspace_edges",
             "left_closed_numpy_linspace_edges", "left_closed_extra_bin_for_1.0"]
    made = []
    for name, conf, correct, bins in cases:
        pairs = list(zip(conf, correct))
        expected = {}
        for rule in rules:
            cells = binned(pairs, bins, rule)
            full = [abs(gap(cell)) for cell in cells if cell]
            expected[rule] = {"ece": ece(cells, len(pairs)), "mce": max(full), "ace": mean(full),
                              "rmsce": math.sqrt(sum(len(c) / len(pairs) * gap(c) ** 2 for c in cells))}
        made.append({"name": name, "conf": conf, "correct": correct, "bins": bins, "expected": expected,
                     "bin_index_right": [bin_of(c, bins, rules[0]) for c in conf],
                     "bin_index_left": [bin_of(c, bins, rules[1]) for c in conf]})
    return made


def by_class(logits, labels):
    rows = []
    for k in sorted(set(labels)):
        own = [(max(softmax(row)), int(best(row) == y)) for row, y in zip(logits, labels) if y == k]
        recall, confidence = mean(r for _, r in own), mean(c for c, _ in own)
        rows.append({"cls": k, "n": len(own), "recall": recall, "mean_conf": confidence,
                     "delta_acc": confidence - recall, "ece10": ece(binned(own, 10), len(own))})
    return rows


def expected_values(logits, labels, features, uniforms):
    val, test, val_y, test_y = logits[:HALF], logits[HALF:], labels[:HALF], labels[HALF:]
    t_val, t_all = temperature(val, val_y), temperature(logits, labels)

    def cooled(rows, t=t_val):
        return [[v / t for v in row] for row in rows]
    made = {
        "raw_all": block(logits, labels), "raw_val": block(val, val_y), "raw_test": block(test, test_y),
        "temperature_exact": {"all": t_all, "val": t_val, "test": temperature(test, test_y)},
        "ts_fit_val_eval_val": block(cooled(val), val_y), "ts_fit_val_eval_test": block(cooled(test), test_y),
        "ts_fit_all_eval_all": block(cooled(logits, t_all), labels),
        "temperature_gradient_descent_full_batch_val": {
            "init1.0_lr0.01_steps50": descended(val, val_y, 50, 0.01),
            "init1.0_lr0.1_steps1000": descended(val, val_y, 1000, 0.1)},
    }
    counts = [labels.count(k) for k in range(CLASSES)]
    order = sorted(range(CLASSES), key=lambda k: (-counts[k], k))
    common, rare = sorted(order[:(CLASSES + 1) // 2]), sorted(order[(CLASSES + 1) // 2:])
    made["split"] = {"order_by_frequency": order, "common": common, "rare": rare}
    for word, part in (("common", common), ("rare", rare)):
        rows = [i for i, y in enumerate(test_y) if y in part]
        own, truth = [test[i] for i in rows], [test_y[i] for i in rows]
        made[f"raw_test_{word}"] = block(own, truth)
        made[f"ts_test_{word}"] = block(cooled(own), truth)
    made["per_true_class_test_raw"] = by_class(test, test_y)
    made["per_true_class_test_ts"] = by_class(cooled(test), test_y)
    pairs = [(max(softmax(row)), int(best(row) == y)) for row, y in zip(logits, labels)]
    for bins in (10, 15):
        made[f"reliability_raw_all_{bins}"] = [
            {"lower": b / bins, "count": len(cell), "mean_conf": mean(c for c, _ in cell) if cell else 0.0,
             "accuracy": mean(r for _, r in cell) if cell else 0.0}
            for b, cell in enumerate(binned(pairs, bins))]

    w, b, objective = vector_scaling(val, val_y)
    b = [v - mean(b) for v in b]
    scaled = [[w[k] * row[k] + b[k] for k in range(CLASSES)] for row in test]
    made["vector_scaling_val"] = {"w": w, "b_zero_mean": b, "test": {
        "nll": nll(scaled, test_y), "accuracy": mean(int(best(row) == y) for row, y in zip(scaled, test_y))}}
    cool = [log_softmax(row) for row in cooled(val)]
    w, b, objective = vector_scaling(cool, val_y, CLASSES / HALF)
    cool_test = [log_softmax(row) for row in cooled(test)]
    made["structured_vector_scaling_val"] = {"w": w, "b": b, "objective": objective, "test": {
        "nll": nll([[w[k] * row[k] + b[k] for k in range(CLASSES)] for row in cool_test], test_y)}}
    matrices = {}
    for key, rows, new, start in (
            ("matrix_scaling_odir", val, test, 1 / t_val),
            ("dirichlet_odir", [log_softmax(r) for r in val], [log_softmax(r) for r in test], 1 / t_val)):
        wb, objective = odir(rows, val_y, 1e-3, 1e-3, start)
        made[f"{key}_val"] = {"objective": objective, "test": {"nll": nll(affine(new, wb), test_y)}}
        matrices[key + "_Wb"] = wb

    p0 = [softmax(row)[0] for row in val]
    hit = [float(y == 0) for y in val_y]
    plus = sum(hit)
    odds = [[math.log(p) - math.log1p(-p), 1.0] for p in p0]
    plain, loss = binary(odds, hit, 2)
    smooth, _ = binary(odds, [(plus + 1) / (plus + 2) if h else 1 / (HALF - plus + 2) for h in hit], 2)
    abc, _ = binary([[math.log(p), -math.log1p(-p), 1.0] for p in p0], hit, 3)
    made["binary_class0_val"] = {
        "platt_mle": {"a": plain[0], "b": plain[1], "nll": loss},
        "platt_smoothed_targets": {"a": smooth[0], "b": smooth[1]},
        "beta_abm_unconstrained": {"a": abc[0], "b": abc[1], "c": abc[2]}}

    top = pairs[:HALF]
    x, y = isotonic(top)
    grid = [i / 12 for i in range(13)]
    cells = binned(top, 10)
    equal = runs_of(sorted(top, key=lambda pair: pair[0]), 15)
    made["top_label_val"] = {
        "grid": grid, "isotonic_thresholds_x": x, "isotonic_thresholds_y": y,
        "isotonic_at_grid": [interpolated(x, y, g) for g in grid],
        "histogram10_equal_width": [mean(r for _, r in cell) if cell else (b + 0.5) / 10
                                    for b, cell in enumerate(cells)],
        "histogram15_equal_mass_upper_edges": [
            (run[-1][0] + after[0][0]) / 2 for run, after in zip(equal, equal[1:])] + [1.0],
        "histogram15_equal_mass_values": [mean(r for _, r in run) for run in equal]}
    names = ["lac", "aps_deterministic", "aps_include_crossing", "aps_randomized", "raps_randomized_lam0.1_k2",
             "raps_deterministic_lam0.1_k2", "raps_randomized_lam0.01_k5", "raps_deterministic_lam0.01_k5"]
    made["conformal_alpha0.1"] = {"results": {
        f"{kind}_{name}": conformal(*((val, val_y, test, test_y) if kind == "raw" else
                                      (cooled(val), val_y, cooled(test), test_y)), uniforms, f"{kind}_{name}")
        for kind in ("raw", "ts") for name in names}}
    made["caring"] = caring(val, val_y, test, test_y, features)
    return made, matrices


def rounded(value):
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.15g}") if isinstance(value, float) else value


def main():
    logits, labels, features, uniforms = drawn()
    expected, matrices = expected_values(logits, labels, features, uniforms)
    json.dump({"logits": logits, "labels": labels, "features": features, "uniforms": uniforms,
               "expected": rounded(expected), "tables": rounded(matrices), "edge_cases": edge_cases()},
              sys.stdout, indent=None, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
