// SPDX-License-Identifier: Apache-2.0
// Who was taken for whom: the matrix in any view, the most confused pairs, and the scores per class.
import type { ConfusionData } from "../data";
import { deferred, nothing } from "../charts";
import { bar, choice } from "../controls";
import { el, name_text, named, sentence } from "../dom";
import { count, percent, score } from "../format";
import { in_order, phase_text } from "../phases";
import { arm_label } from "../looks";
import { matrix } from "../matrix";
import type { Cells, MatrixChart } from "../matrix";
import { register } from "../section";
import type { Context } from "../section";
import { table } from "../table";
import { add_view, agreement, all_known, class_scores, Counts, ordered, unknown } from "../views";
import type { ClassScore, Order, View } from "../views";

type Piece = ConfusionData["matrices"][number];
interface Reduced {
  counts: Counts;
  scores: ClassScore[];
  orders: Map<Order, number[]>; // names, as far as asked for
}

const views: { value: View; text: string; about: string }[] = [
  { value: "classification", text: "classification", about: "Known ones by name, new ones as new?" },
  { value: "detection", text: "detection", about: "New or not?" },
  { value: "recognition", text: "recognition", about: "Are the new ones grouped as they should be?" },
  { value: "raw", text: "raw", about: "Did it get its very name?" },
];
const orders: { value: Order; text: string }[] = [
  { value: "similarity", text: "similarity" },
  { value: "frequency", text: "frequency" },
  { value: "error", text: "error" },
  { value: "name", text: "name" },
];

register<ConfusionData>("confusion", (data, context) => {
  const { page } = context;
  const of_arms = data.matrices.filter((m) => context.arms.includes(m.arm));
  if (of_arms.length === 0) return nothing("No arm is chosen, or nothing was predicted.");
  const arm = choice(context, "arm", "Arm", unique(of_arms.map((m) => m.arm)).map((a) => ({ value: String(a), text: arm_label(page, a) })));
  const of_arm = of_arms.filter((m) => String(m.arm) === arm.value);
  const split = choice(context, "split", "Split", unique(of_arm.map((m) => m.split)).sort().map((s) => ({ value: s, text: s })), "test");
  const of_split = of_arm.filter((m) => m.split === split.value);
  const phase = choice(
    context,
    "phase",
    "Phase",
    in_order(unique(of_split.map((m) => m.phase))).map((value) => ({ value, text: phase_text(value) })),
  );
  const of_phase = of_split.filter((m) => m.phase === phase.value);
  const steps = unique(of_phase.map((m) => m.step)).filter((s) => s >= 0).sort((a, b) => a - b);
  const step = choice(context, "step", "Increment", [
    { value: "all", text: "all" },
    ...steps.map((s) => ({ value: String(s), text: String(s) })),
  ]);
  const view = choice(context, "view", "View", views);
  const order = choice(context, "order", "Order by", orders);
  const pieces = chosen(of_phase, step.value);
  const reduced = reduce(data, pieces, view.value as View);
  const name = (id: number) => (id === all_known ? "known" : (page.names[id] ?? `name ${id}`));
  const chart = draw_matrix(context, reduced, view.value as View, order.value as Order, name);
  const go = (actual: number, predicted: number) => {
    chart.go(actual, predicted);
    chart.node.scrollIntoView({ block: "nearest" });
  };
  const { samples, accuracy, balanced_accuracy, mcc, nmi } = agreement(reduced.counts, reduced.scores);
  const judged = view.value !== "recognition"; // names of groups say nothing there
  const facts: [string, string][] = [
    ["samples", count(samples)],
    ...(judged
      ? ([["accuracy", score(accuracy)], ["balanced accuracy", score(balanced_accuracy)], ["MCC", score(mcc)]] as [string, string][])
      : []),
    ["NMI", score(nmi)],
  ];
  return [
    bar(arm.node, split.node, phase.node, step.node, view.node, order.node),
    el("dl", { class: "facts" }, facts.map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v)))),
    chart.node,
    el("p", { class: "about" },
      judged
        ? "The stronger the colour, the larger the share of the row. Blue on the diagonal: right. Orange with a cut corner: wrong. "
        : "The stronger the colour, the larger the share of the row. Blue: new ones called new, known ones known. Orange with a cut corner: the one taken for the other. ",
      "Where a cell stands for several classes, its upper left half is the right part.",
      el("span", { class: "screen-only" }, " Click or draw a rectangle to look closer."),
      data.note ? ` ${sentence(data.note)}` : ""),
    deferred(context, "pairs", () => pairs_table(context, reduced, chart.place, name, go)),
    deferred(context, "classes", () => class_table(context, reduced, chart.place, name, judged, go)),
  ];
});

function chosen(pieces: Piece[], step: string): Piece[] {
  if (step !== "all") return pieces.filter((m) => String(m.step) === step);
  const together = pieces.filter((m) => m.step < 0);
  return together.length > 0 ? together : pieces;
}

// Reducing a large run takes tens of milliseconds, and readers go to and fro between views.
const reductions = new WeakMap<ConfusionData, Map<string, Reduced>>();

function reduce(data: ConfusionData, pieces: Piece[], view: View): Reduced {
  let known = reductions.get(data);
  if (!known) reductions.set(data, (known = new Map()));
  const key = `${view}/${pieces.map((piece) => data.matrices.indexOf(piece)).join()}`;
  let reduced = known.get(key);
  if (!reduced) {
    const counts = new Counts();
    for (const piece of pieces) add_view(counts, piece.cells, piece.known, view);
    known.set(key, (reduced = { counts, scores: class_scores(counts), orders: new Map() }));
  }
  return reduced;
}

interface Chart extends MatrixChart {
  place: Map<number, { row: number; column: number }>;
}

function draw_matrix(context: Context, { counts, scores, orders: known }: Reduced, view: View, order: Order, name: (id: number) => string): Chart {
  const ids = known.get(order) ?? ordered(counts, scores, order, name);
  known.set(order, ids);
  const samples = new Map(scores.map((s) => [s.id, s.samples]));
  const rows = ids.filter((id) => samples.get(id)! > 0);
  // Names never met (discovered classes, unknown) follow, so that the diagonal stays one.
  const never = ids.filter((id) => samples.get(id) === 0);
  const columns = [...never.filter((id) => id === unknown), ...rows, ...never.filter((id) => id !== unknown)];
  const row_of = new Map(rows.map((id, i) => [id, i]));
  const column_of = new Map(columns.map((id, i) => [id, i]));
  const size = counts.size;
  const cells: Cells = {
    rows: rows.map((id) => named(name(id))),
    columns: columns.map((id) => named(name(id))),
    row: new Int32Array(size),
    column: new Int32Array(size),
    value: new Float64Array(size),
    tone: new Uint8Array(size),
  };
  let i = 0;
  counts.each((actual, predicted, n) => {
    cells.row[i] = row_of.get(actual)!;
    cells.column[i] = column_of.get(predicted)!;
    cells.value[i] = n;
    const both_new = view === "recognition" && actual !== all_known && predicted !== all_known;
    cells.tone[i++] = actual === predicted || both_new ? 0 : 1;
  });
  const width = Math.min(context.width, 860);
  const side = Math.min(width, 760);
  const few = Math.max(rows.length, 1) * 34 + 150;
  const chart = matrix(context, {
    key: `matrix/${view}/${order}`,
    label: `Confusion matrix, ${view} view`,
    cells,
    shade: "row",
    width: Math.min(width, Math.max(420, columns.length * 44 + 180)),
    height: Math.min(side, Math.max(240, few)),
    row_title: "actual",
    column_title: "predicted",
    describe: ({ r0, r1, c0, c1 }, [right, wrong], total) => {
      const span = (list: string[], from: number, to: number) =>
        to - from === 1 ? list[from] : `${list[from]} … ${list[to - 1]} (${to - from})`;
      const value = right + wrong;
      const share = total > 0 ? ` (${percent(value / total)} of the row)` : "";
      return [
        `actual: ${span(cells.rows, r0, r1)}`,
        `predicted: ${span(cells.columns, c0, c1)}`,
        `${count(value)} samples${share}`,
        ...(right > 0 && wrong > 0 ? [`${count(right)} right, ${count(wrong)} wrong`] : []),
      ];
    },
  });
  const place = new Map(columns.map((id, column) => [id, { row: row_of.get(id) ?? -1, column }]));
  return { ...chart, place };
}

function pairs_table(
  context: Context,
  { counts, scores }: Reduced,
  place: Chart["place"],
  name: (id: number) => string,
  go: (row: number, column: number) => void,
): HTMLElement {
  const samples = new Map(scores.map((s) => [s.id, s.samples]));
  const shown = 200;
  // Only those that can be among the first are made into rows.
  const sizes = new Float64Array(counts.size);
  let k = 0;
  counts.each((actual, predicted, n) => (sizes[k++] = actual === predicted ? 0 : n));
  sizes.sort();
  const least = Math.max(1, sizes[Math.max(0, sizes.length - shown)] ?? 1);
  const rows: { actual: number; predicted: number; n: number; share: number; back: number }[] = [];
  counts.each((actual, predicted, n) => {
    if (actual === predicted || n < least) return;
    rows.push({ actual, predicted, n, share: n / samples.get(actual)!, back: counts.at(predicted, actual) });
  });
  rows.sort((a, b) => b.n - a.n || b.share - a.share || a.actual - b.actual || a.predicted - b.predicted);
  rows.length = Math.min(rows.length, shown);
  return el(
    "div",
    {},
    el("h3", {}, "Most confused pairs"),
    table(context, "pairs", {
      caption: "Most confused pairs",
      page: 10,
      rows,
      search: (p) => `${name(p.actual)} ${name(p.predicted)}`,
      search_label: "Search a class",
      pick: (p) => go(place.get(p.actual)!.row, place.get(p.predicted)!.column),
      pick_label: () => "Show in the matrix",
      sort: ["n", "descending"],
      columns: [
        { key: "actual", title: "Actual", value: (p) => name(p.actual), show: (p) => name_text(name(p.actual)) },
        { key: "predicted", title: "Taken for", value: (p) => name(p.predicted), show: (p) => name_text(name(p.predicted)) },
        { key: "n", title: "Samples", numeric: true, value: (p) => p.n, show: (p) => count(p.n) },
        { key: "share", title: "Share of actual", numeric: true, value: (p) => p.share, show: (p) => percent(p.share) },
        { key: "back", title: "The other way", numeric: true, value: (p) => p.back, show: (p) => count(p.back) },
      ],
    }),
  );
}

function class_table(
  context: Context,
  { scores }: Reduced,
  place: Chart["place"],
  name: (id: number) => string,
  judged: boolean,
  go: (row: number, column: number) => void,
): HTMLElement {
  const share = (value: number | null) => (value === null ? "–" : score(value));
  return el(
    "div",
    {},
    el("h3", {}, "Classes"),
    table<ClassScore>(context, "classes", {
      caption: "Scores per class",
      page: 25,
      rows: scores,
      search: (c) => name(c.id),
      search_label: "Search a class",
      pick: (c) => {
        const { row, column } = place.get(c.id)!;
        go(Math.max(0, row), column);
      },
      pick_label: () => "Show in the matrix",
      sort: ["samples", "descending"],
      columns: [
        { key: "name", title: "Class", value: (c) => name(c.id), show: (c) => name_text(name(c.id)) },
        { key: "samples", title: "Samples", numeric: true, value: (c) => c.samples, show: (c) => count(c.samples) },
        { key: "called", title: "Called so", about: "Samples that were given this name.", numeric: true, value: (c) => c.called, show: (c) => count(c.called) },
        ...(judged
          ? [
              { key: "recall", title: "Recall", about: "Share of its samples that got its name.", numeric: true, value: (c: ClassScore) => c.recall, show: (c: ClassScore) => share(c.recall) },
              { key: "precision", title: "Precision", about: "Share of what was given its name that is of it.", numeric: true, value: (c: ClassScore) => c.precision, show: (c: ClassScore) => share(c.precision) },
              { key: "f1", title: "F1", about: "Harmonic mean of recall and precision.", numeric: true, value: (c: ClassScore) => c.f1, show: (c: ClassScore) => share(c.f1) },
            ]
          : []),
        {
          key: "other",
          title: judged ? "Most confused with" : "Largest other group",
          value: (c) => (c.other === null ? null : c.other_samples),
          show: (c) =>
            c.other === null ? "–" : [name_text(name(c.other)), el("span", { class: "interval" }, ` ${count(c.other_samples)}`)],
        },
      ],
    }),
  );
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}
