// SPDX-License-Identifier: Apache-2.0
// The views and scores that the page works out itself, against docs/measures.md.
import assert from "node:assert/strict";
import { test } from "node:test";
import { aligned_groups, shares, sorted_classes } from "../src/categories";
import type { SortedSplit } from "../src/categories";
import { cost_curve, expected_cost, least_cost, moments, precision, rates, share_of_misses } from "../src/detection";
import type { DetectionArm, Timeline } from "../src/detection";
import { bytes, percent, price, range_text, score, seconds, short } from "../src/format";
import { repeats } from "../src/looks";
import { along, calibration_error, class_temperatures, most_reliable, paired_classes, placed, risk_top } from "../src/reliability";
import type { ReliabilityTable, Temperatures } from "../src/reliability";
import { clumps, hull } from "../src/scatter";
import { sizes_text, stacks, tallest } from "../src/tasks";
import type { TaskArm } from "../src/tasks";
import { calls_of, decoded, is_certain, layout, points, round_at, samples_of } from "../src/streams";
import type { DiscoveryTest, Stream, Test } from "../src/streams";
import { add_view, agreement, all_known, class_scores, Counts, ordered, unknown } from "../src/views";
import type { View } from "../src/views";
import type { Page } from "../src/data";
import { Random } from "./fixture";

// "A worked example" of docs/measures.md: known are A and B.
const [U, A, B, X, Y, U0, U1] = [0, 1, 2, 3, 4, 5, 6];
const names = ["unknown", "A", "B", "X", "Y", "unknown_0", "unknown_1"];
const raw = [A, A, 3, A, B, 1, B, U, 1, B, A, 1, B, B, 2, X, A, 1, X, U0, 2, Y, U, 1, Y, U0, 1, Y, U1, 1];

function reduced(view: View, known = [A, B]): Counts {
  const counts = new Counts();
  add_view(counts, raw, known, view);
  return counts;
}

function cells(counts: Counts): string[] {
  const name = (id: number) => (id === all_known ? "known" : names[id]);
  const list: string[] = [];
  counts.each((a, p, n) => list.push(`${name(a)} ${name(p)} ${n}`));
  return list.sort();
}

test("the classification view merges every name outside the known set", () => {
  assert.deepEqual(cells(reduced("classification")), ["A A 3", "A B 1", "B A 1", "B B 2", "B unknown 1", "unknown A 1", "unknown unknown 5"]);
});

test("the detection view also merges the known ones", () => {
  assert.deepEqual(cells(reduced("detection")), ["known known 7", "known unknown 1", "unknown known 1", "unknown unknown 5"]);
});

test("the recognition view keeps the new names apart", () => {
  assert.deepEqual(cells(reduced("recognition")), ["X known 1", "X unknown_0 2", "Y unknown 1", "Y unknown_0 1", "Y unknown_1 1", "known known 7", "known unknown 1"]);
});

test("the raw view merges nothing", () => {
  assert.equal(cells(reduced("raw")).length, 10);
});

test("unknown is never known, even if it is listed", () => {
  assert.deepEqual(cells(reduced("detection", [U, A, B])), cells(reduced("detection")));
});

test("accuracy, balanced accuracy, MCC and NMI are those of the worked example", () => {
  const expected: Record<string, [number, number, number, number]> = {
    raw: [0.357143, 0.3125, 0.258509, 0.463243],
    classification: [0.714286, 0.694444, 0.566947, 0.383298],
    detection: [0.857143, 0.854167, 0.708333, 0.401977],
  };
  for (const [view, [accuracy, balanced, mcc, nmi]] of Object.entries(expected)) {
    const got = agreement(reduced(view as View));
    assert.equal(got.samples, 14);
    near(got.accuracy, accuracy);
    near(got.balanced_accuracy, balanced);
    near(got.mcc, mcc);
    near(got.nmi, nmi);
  }
  near(agreement(reduced("recognition")).nmi, 0.504935);
});

test("edges are decided as the program decides them", () => {
  const one = new Counts();
  assert.equal(agreement(one).accuracy, null);
  one.add(A, A, 5);
  assert.deepEqual([agreement(one).mcc, agreement(one).nmi], [0, 1]);
  one.add(A, B, 5); // one class, several names
  assert.deepEqual([agreement(one).mcc, agreement(one).nmi], [0, 0]);
});

test("increments are reduced first and added afterwards", () => {
  const sum = new Counts();
  add_view(sum, [X, U, 2], [A], "classification"); // X is novel here
  add_view(sum, [X, X, 3], [A, X], "classification"); // and known there
  assert.deepEqual(cells(sum), ["X X 3", "unknown unknown 2"]);
});

test("scores per class follow from rows and columns", () => {
  const scores = class_scores(reduced("classification"));
  const b = scores.find((s) => s.id === B)!;
  assert.deepEqual([b.samples, b.called, b.hits], [4, 3, 2]);
  near(b.recall, 0.5);
  near(b.precision, 2 / 3);
  near(b.f1, 4 / 7);
  assert.deepEqual([b.other, b.other_samples], [U, 1]); // a tie goes to the lower name
});

test("matrices begin with unknown and end with all the known together", () => {
  for (const order of ["frequency", "name", "error", "similarity"] as const) {
    const counts = reduced("recognition");
    const ids = ordered(counts, class_scores(counts), order, (id) => names[id] ?? "known");
    assert.equal(ids[0], unknown);
    assert.equal(ids.at(-1), all_known);
    assert.equal(new Set(ids).size, ids.length);
  }
});

test("the order by similarity puts confused classes side by side", () => {
  // Pairs (1, 7), (2, 8), ... are confused with one another and with no other.
  const counts = new Counts();
  for (let c = 1; c <= 6; ++c) {
    for (const id of [c, c + 6]) counts.add(id, id, 10);
    counts.add(c, c + 6, 5);
    counts.add(c + 6, c, 3);
  }
  const ids = ordered(counts, class_scores(counts), "similarity", String);
  for (let c = 1; c <= 6; ++c) assert.equal(Math.abs(ids.indexOf(c) - ids.indexOf(c + 6)), 1);
  assert.equal(ids.length, 12);
});

test("a hull holds the points it is drawn around, in convex position", () => {
  const random = new Random(5);
  const points = Array.from({ length: 200 }, (): [number, number] => [random.normal(), random.normal()]);
  const ring = hull(points);
  for (let i = 0; i < ring.length; ++i) {
    const [a, b] = [ring[i], ring[(i + 1) % ring.length]];
    for (const p of points) assert.ok((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) >= -1e-9);
  }
});

test("clumps are what steps of the reach link, against a search of all pairs", () => {
  const random = new Random(6);
  const points = Array.from({ length: 150 }, (): [number, number] => [random.next() * 10, random.next() * 10]);
  const reach = 0.7;
  const label = points.map((_, i) => i);
  for (let again = true; again; ) {
    again = false;
    for (let i = 0; i < points.length; ++i) {
      for (let k = 0; k < points.length; ++k) {
        if (label[k] < label[i] && Math.hypot(points[i][0] - points[k][0], points[i][1] - points[k][1]) <= reach) {
          label[i] = label[k];
          again = true;
        }
      }
    }
  }
  const sizes = new Map<number, number>();
  for (const l of label) sizes.set(l, (sizes.get(l) ?? 0) + 1);
  assert.deepEqual(clumps(points, reach).map((c) => c.length), [...sizes.values()].sort((a, b) => b - a));
});

test("classes of two arms are paired by name, the most frequent first, and one may lack a class", () => {
  const first = { arm: 0, split: "test", rows: [[4, 50, 9, 0.9, 0.8, 0.1], [2, 10, 3, 0.5, 0.6, 0.2]] } as Parameters<typeof paired_classes>[0][number];
  const second = { arm: 3, split: "test", rows: [[7, 30, 5, 0.7, 0.7, 0.3], [2, 10, 3, 0.5, 0.5, 0.1]] } as typeof first;
  assert.deepEqual(paired_classes([first, second]), [
    { name: 4, in_data: 50, of: [first.rows[0], null] },
    { name: 7, in_data: 30, of: [null, second.rows[0]] },
    { name: 2, in_data: 10, of: [first.rows[1], second.rows[1]] },
  ]);
  assert.deepEqual(paired_classes([]), []);
});

test("the most reliable arm has the least error over all classes; unknown errors come last", () => {
  const table = (arm: number, classes: string, ece: number | null) => ({ arm, classes, values: [[0, 0, 0], [ece, null, null]] }) as unknown as ReliabilityTable;
  const tables = [table(1, "rare", 0.01), table(1, "all", 0.2), table(2, "all", 0.1), table(3, "all", null)];
  assert.equal(most_reliable([3, 1, 2], tables, 1), 2);
  assert.equal(most_reliable([3, 4], tables, 1), 3);
  assert.equal(most_reliable([], tables, 1), undefined);
});

test("the calibration error weighs gaps by samples and passes over empty bins", () => {
  // (30 x |0.8 - 0.5| + 10 x |0.2 - 0.3|) / 40 = (9 + 1) / 40
  near(calibration_error([[10, 0.2, 0.3], [0, null, null], [30, 0.8, 0.5]]), 0.25);
  assert.equal(calibration_error([[0, null, null]]), null);
  assert.equal(calibration_error([]), null);
});

test("bins stand side by side from 0 to 1, and empty ones hold nothing", () => {
  const bins = placed([[4, 0.2, 0.5], [0, 0, 0], [0, null, null], [2, 0.9, 1]]);
  assert.deepEqual(bins.map((b) => [b.from, b.to]), [[0, 0.25], [0.25, 0.5], [0.5, 0.75], [0.75, 1]]);
  assert.deepEqual(bins.map((b) => b.accuracy), [0.5, null, null, 1]);
  assert.deepEqual(bins.map((b) => b.confidence), [0.2, null, null, 0.9]);
});

test("an error among the surest few does not stretch the axis of risk", () => {
  near(risk_top([[[0.01, 1], [0.1, 0.1], [1, 0.2]]]), 0.22);
  near(risk_top([[[0.05, 0.4]]]), 0.44); // the last point counts wherever it is
  assert.equal(risk_top([[[0.5, 0.99]]]), 1);
  assert.equal(risk_top([]), 0.01);
});

test("points without a place on an axis are left out of it", () => {
  const axes = [{ name: "a", about: "" }, { name: "b", about: "" }];
  const data = { arm: 0, axes, points: [[1, 4, 1.5, 7, 8], [0, 5, 2, 9]] as Temperatures["points"] };
  assert.deepEqual(along(data, "a").map((p) => p.x), [7, 9]);
  assert.deepEqual(along(data, "b"), [{ right: true, name: 4, temperature: 1.5, x: 8 }]);
  assert.deepEqual(along(data, "c"), []);
});

test("temperatures by class come with the most deviating first", () => {
  // Mean of all (1 + 3 + 2 + 2 + 6) / 5 = 2.8; class 1: 2, class 2: 2, class 3: 6.
  const points: Parameters<typeof class_temperatures>[0] = [[1, 1, 1], [0, 1, 3], [1, 2, 2], [1, 2, 2], [0, 3, 6]];
  const rows = class_temperatures(points, 1);
  assert.deepEqual(rows.map((r) => [r.name, r.samples, r.mean]), [[3, 1, 6], [1, 2, 2], [2, 2, 2]]); // a tie goes to the lower name
  near(rows[0].deviation, 3.2);
  assert.equal(rows[0].error, null);
  near(rows[1].error, 1); // deviation sqrt(2), by sqrt(2 samples)
  assert.deepEqual(class_temperatures(points, 2).map((r) => r.name), [1, 2]);
  near(class_temperatures(points, 2)[0].deviation, -0.8); // from the mean of all, also of those left out
});

test("numbers are written for readers", () => {
  assert.equal(range_text([0.8124, 0.79, 0.83]), "0.812 [0.790, 0.830]");
  assert.equal(range_text([0.5, null, null]), "0.500");
  assert.equal(score(null), "–");
  assert.equal(score(-0.25), "−0.250");
  assert.equal(score(0.00001), "1.0e-5");
  assert.equal(score(12345.6), "12,346");
  assert.equal(percent(0.054), "5.4 %");
  assert.equal(percent(-0.0001), "0.0 %");
  assert.equal(seconds(0.0123), "12 ms");
  assert.equal(seconds(125), "2.1 min");
  assert.equal(bytes(1536000), "1.5 MB");
  assert.equal(short(25000), "25k");
});

function near(value: number | null, expected: number): void {
  assert.ok(value !== null && Math.abs(value - expected) < 5e-7, `${value} is not ${expected}`);
}

const base64 = (...bytes: number[]) => Buffer.from(bytes).toString("base64");

// Two rounds of two; the third sample is the first of a changed world, the fourth is novel.
const four: Test = {
  run: 0, id: "OND.1", samples: 7, every: 2, change: 4, first_novel: 6, rounds: [0, 4], novel: "0001",
  truth: { names: [1, 2, 3], places: base64(0, 0, 1, 2) },
};
const said: Stream = {
  arm: 0, setting: "system", test: 0, changed: base64(0, 127, 254, 255), low: -1, high: 1, novelty: base64(0, 127, 254, 255),
  said: { names: [1, 2, 0, 5], places: base64(0, 1, 2, 3) }, granted: [],
};

test("prices are whole numbers where they can be", () => {
  assert.deepEqual([price(6), price(1234.5), price(null), price(0)], ["6", "1234.50", "–", "0"]);
});

test("what a run was repeated over is called by its name", () => {
  const page = (...runs: [repeat: string, seeds: number][]) =>
    ({ runs: runs.map(([repeat]) => ({ repeat })), arms: runs.map(([, seeds], run) => ({ run, seeds: Array.from({ length: seeds }, (_, i) => i) })) }) as unknown as Page;
  assert.equal(repeats(page(["seed", 3])), "seeds");
  assert.equal(repeats(page(["fold", 5], ["seed", 1])), "folds");
  assert.equal(repeats(page(["fold", 5], ["seed", 2])), "runs");
  assert.equal(repeats(page(["seed", 1])), "seeds");
});

test("a stream is read from its bytes, and what was said of each sample", () => {
  const samples = samples_of(four, said, ["unknown", "A", "B", "X", "Y", "discovered_0"]);
  assert.deepEqual(samples.map((s) => s.at), [0, 2, 4, 6]); // every second one
  assert.deepEqual(samples.map((s) => s.answer), ["right", "wrong", "unknown", "cluster"]);
  assert.deepEqual(samples.map((s) => s.novel), [false, false, false, true]);
  assert.deepEqual(samples.map((s) => s.changed), [0, 0.5, 1, null]);
  assert.deepEqual(samples.map((s) => s.novelty), [-1, 0, 1, null]);
  assert.deepEqual([0, 3, 4, 6].map((at) => round_at(four, at)), [1, 1, 2, 2]);
});

test("what was not recorded is missing", () => {
  const samples = samples_of(four, { ...said, changed: "", novelty: "" }, ["unknown", "A", "B"]);
  assert.deepEqual(samples.map((s) => [s.changed, s.novelty]), Array(4).fill([null, null]));
});

test("more than 256 names need a second byte each", () => {
  const names = Array.from({ length: 300 }, (_, i) => 1000 + i);
  assert.deepEqual(decoded({ names, places: base64(0, 43, 255, 0, 1, 0) }, 3), [1000, 1299, 1255]);
});

// Known: B and A, in the order of their names; X is matched with discovered_1, Y with none.
const found: DiscoveryTest = {
  id: "CONDDA.1", samples: 9, change: 3, clusters: 2, values: [], rounds: [],
  classes: [
    { name: 4, cluster: 6, samples: 2, until: 0, found: [4, 2], steps: [4, 3], calls: "mu" },
    { name: 3, cluster: null, samples: 1, until: null, found: null, steps: [5], calls: "k" },
  ],
  cells: [0, 2, 2, 3, 0, 1, 0, 1, 1, 4, 6, 1, 1, 4, 0, 1, 1, 3, 2, 1, 1, 3, 5, 1],
};

test("what is right stands on the diagonal of known classes and clusters", () => {
  const { rows, columns } = layout(found, ["unknown", "B", "A", "Y", "X", "discovered_0", "discovered_1"]);
  assert.deepEqual(rows, [{ novel: false, name: 2 }, { novel: false, name: 1 }, { novel: true, name: 4 }, { novel: true, name: 3 }]);
  assert.deepEqual(columns, [2, 1, 6, 5, 0]); // B is never called and keeps its column; unknown is last
});

test("samples of a class are found along the stream", () => {
  assert.deepEqual(calls_of(found.classes[0]), [{ at: 4, call: "m" }, { at: 7, call: "u" }]);
});

test("a difference is told in points, and as certain where its interval leaves zero out", () => {
  assert.deepEqual([0.0231, -0.004, 0.0001, null].map(points), ["+2.3", "−0.4", "0.0", "–"]);
  assert.equal(is_certain([0.02, 0.01, 0.03]), true);
  assert.equal(is_certain([0.02, -0.01, 0.05]), false);
  assert.equal(is_certain([0.02, null, null]), false);
});

test("memory is stacked from the oldest task up, what is of no task on top", () => {
  const held = (arm: number, step: number, task: number, frames: number) => ({ arm, step, task, classes: 1, samples: 1, frames, bytes: 8 * frames });
  const memory = [held(0, 1, 0, 5), held(0, 1, 2, 3), held(0, 0, 1, 9), held(0, 1, 1, 4)];
  assert.deepEqual(stacks(memory, "frames").map((s) => [s.step, s.task, s.from, s.to]), [[0, 1, 0, 9], [1, 1, 0, 4], [1, 2, 4, 7], [1, 0, 7, 12]]);
  assert.equal(tallest([...memory, held(1, 0, 1, 11)], "frames"), 12);
  assert.equal(tallest([...memory, held(1, 0, 1, 20)], "bytes"), 160);
  assert.equal(tallest([], "frames"), 1);
});

test("tasks are said to be of one size where they are", () => {
  const arm = (classes: number[]) => ({ classes, tasks: classes.map((_, i) => i + 1) }) as TaskArm;
  assert.equal(sizes_text(arm([10, 10])), "2 tasks, 10 classes each");
  assert.equal(sizes_text(arm([11, 10, 10])), "3 tasks, the first of 11 classes, then 10 each");
  assert.equal(sizes_text(arm([3, 2, 1])), "3 tasks, 3, 2, 1 classes");
  assert.equal(sizes_text(arm(Array.from({ length: 30 }, (_, i) => 1 + (i % 4)))), "30 tasks of different sizes");
});

// Normal 10, novel 4; thresholds 9, 5 and 1. On validate 5 finds nothing more than 9 does.
const detector = {
  arm: 0, normal: 10, novel: 4,
  curve: [[9, 0, 1], [5, 2, 3], [1, 10, 4]],
  choices: [[8, 0, 0.5, 1, 2], [1, 1, 1, 10, 4]],
} as unknown as DetectionArm;

test("the cheapest threshold is chosen on validate and told as it does on test", () => {
  const costs = { miss: 10, false_alarm: 1, frequency: 0.1 };
  assert.deepEqual(rates(detector).map((r) => [r.false_alarms, r.recall]), [[0, 0], [0, 0.25], [0.2, 0.75], [1, 1]]);
  const chosen = least_cost(detector, costs)!; // on validate: never 1, at 8 0.5, always 0.9
  assert.deepEqual([chosen.threshold, chosen.on], [8, "validate"]);
  assert.ok(Math.abs(chosen.cost - (0.1 * 0.5 * 10 + 0.9 * 0.1)) < 1e-12);
  const on_test = least_cost({ ...detector, choices: [] }, costs)!; // 0.1 * 0.25 * 10 + 0.9 * 0.2
  assert.deepEqual([on_test.threshold, on_test.on], [5, "test"]);
  assert.ok(Math.abs(on_test.cost - 0.43) < 1e-12);
  assert.equal(least_cost({ ...detector, novel: 0 }, costs), null);
  assert.equal(least_cost(detector, { miss: 0, false_alarm: 1, frequency: 0.5 })!.threshold, Infinity); // of equal ones the strictest: never
  assert.equal(precision({ false_alarms: 0.2, recall: 0.75 }, 0.25), 0.1875 / (0.1875 + 0.15));
  assert.equal(precision({ false_alarms: 0, recall: 0 }, 0.25), null);
});

test("a cost curve lies below never and always, and ends at nothing", () => {
  const curve = cost_curve({ ...detector, choices: [] }, 20);
  assert.equal(curve.length, 21);
  for (const [share, cost] of curve) assert.ok(cost <= Math.min(share, 1 - share) + 1e-12);
  assert.deepEqual([curve[0][1], curve[20][1]], [0, 0]);
  assert.ok(Math.abs(curve[10][1] - (0.5 * 0.25 + 0.5 * 0.2)) < 1e-12);
  assert.equal(share_of_misses({ miss: 10, false_alarm: 1, frequency: 0.1 }), 1 / 1.9);
  assert.equal(expected_cost({ false_alarms: 1, recall: 1 }, { miss: 10, false_alarm: 2, frequency: 0.1 }), 1.8);
});

test("alarms before the novelty are told from those after it", () => {
  const timeline = { every: 2, frames: 9, first_novel: 5 } as Timeline;
  assert.deepEqual(moments(timeline, [0, 7, null, 1, 8], 6), [{ at: 2, early: true }, { at: 8, early: false }]);
  assert.deepEqual(moments(timeline, [0, 0, 7, 1, 8], 6), [{ at: 5, early: false }]); // frames 4 and 5
  assert.deepEqual(moments({ ...timeline, first_novel: null }, [9], 6), [{ at: 0, early: true }]);
  assert.deepEqual(moments(timeline, [9], null), []);
});

test("classes are matched with groups, and those in groups of a larger one are swallowed", () => {
  // Class 1 (taught, 6 samples) and 2 (new, 3): group 1 holds four of 1 and two of 2, group 9 the rest.
  const split = {
    known: [1], cells: [1, 1, 4, 2, 1, 2, 1, 9, 2, 2, 9, 1],
    groups: [{ name: 9, size: 3, mix: [[1, 2], [2, 1]], matched: 2 }, { name: 1, size: 6, mix: [[1, 4], [2, 2]], matched: 1 }],
  } as unknown as SortedSplit;
  const classes = sorted_classes(split);
  assert.deepEqual(classes, [
    { name: 1, known: true, samples: 6, right: 4, group: 1, swallowed: 0, by: null },
    { name: 2, known: false, samples: 3, right: 1, group: 9, swallowed: 3, by: 1 },
  ]);
  assert.deepEqual(shares(classes), { all: 5 / 9, old: 4 / 6, fresh: 1 / 3 });
  assert.deepEqual(aligned_groups(split, classes).map((g) => g.name), [1, 9]);
});
