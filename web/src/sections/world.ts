// SPDX-License-Identifier: Apache-2.0
// What was shown and when: samples per increment, classes as they come, feedback asked and granted.
import * as Plot from "@observablehq/plot";
import type { World } from "../data";
import { figure, grid, plot } from "../charts";
import { bar, choice, details } from "../controls";
import { el, name_text, named, visible } from "../dom";
import { count, percent, price, short } from "../format";
import { arm_label, look } from "../looks";
import { matrix } from "../matrix";
import type { Cells } from "../matrix";
import { register } from "../section";
import type { Context } from "../section";
import { table } from "../table";

type OneWorld = World["worlds"][number];
type Increment = OneWorld["increments"][number];
interface Count {
  step: number;
  known: number;
  novel: number;
}

register<World>("world", (data, context) => {
  const { page } = context;
  const runs = data.worlds.filter((w) => page.arms.some((a, i) => a.run === w.run && context.arms.includes(i)));
  const shown = runs.length > 0 ? runs : data.worlds;
  const run = choice(context, "run", "Run", shown.map((w) => ({ value: String(w.run), text: page.runs[w.run]?.name ?? "?" })));
  const world = shown.find((w) => String(w.run) === run.value);
  if (!world) return el("p", { class: "quiet" }, "Nothing was shown.");
  const splits = [...new Set(world.increments.flatMap((i) => i.counts.map((c) => c.split)))];
  const feedback = world.feedback.filter((f) => context.arms.includes(f.arm));
  return [
    bar(run.node),
    grid(context, 400, [
      ...splits.map((split) => (width: number) => samples_chart(context, width, world, split)),
      (width: number) => classes_chart(context, width, world),
      ...(feedback.length > 0 ? [(width: number) => feedback_chart(context, width, feedback)] : []),
    ]),
    el("h3", {}, "Samples per class", el("span", { class: "question" }, "train and test together; classes in the order in which they come")),
    density(context, world),
    el("p", { class: "about" }, "Orange with a cut corner: the increment that shows the class for the first time. Blue: known from the start, or shown before."),
    el("h3", {}, "Schedule of introductions"),
    schedule(context, world),
  ];
});

function samples_chart(context: Context, width: number, world: OneWorld, split: string): HTMLElement {
  const rows: Count[] = world.increments.flatMap(({ step, counts }) =>
    counts.filter((c) => c.split === split).map(({ known, novel }) => ({ step, known, novel })),
  );
  return figure<Count>(context, width, {
    key: `samples/${split}`,
    title: `Samples, ${visible(split)}`,
    label: `Samples of known and novel classes per increment, ${split} split`,
    height: 220,
    about: [swatch("one"), "known ", swatch("two"), "novel"],
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: 56,
        x: { type: "band", label: "increment", padding: 0.2 },
        y: { label: null, ticks: 5, tickFormat: short },
        marks: two_tones(rows, (d) => d.known, (d) => d.known + d.novel, (d) => `increment ${d.step}\n${count(d.known)} known, ${count(d.novel)} novel`),
      }),
    numbers: {
      rows,
      columns: [
        { key: "step", title: "Increment", numeric: true, value: (d) => d.step },
        { key: "known", title: "Known", numeric: true, value: (d) => d.known, show: (d) => count(d.known) },
        { key: "novel", title: "Novel", numeric: true, value: (d) => d.novel, show: (d) => count(d.novel) },
      ],
    },
  });
}

/** Bars from 0 to `middle` in the first colour, from there to `top` hatched in the second. */
function two_tones<R extends { step: number }>(
  rows: R[],
  middle: (row: R) => number,
  top: (row: R) => number,
  title: (row: R) => string,
): Plot.Markish[] {
  const upper = { x: "step", y1: middle, y2: top };
  return [
    Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
    Plot.barY(rows, { x: "step", y1: 0, y2: middle, fill: "var(--one)", fillOpacity: 0.85 }),
    Plot.barY(rows, { ...upper, fill: "var(--two)", fillOpacity: 0.9 }),
    Plot.barY(rows, { ...upper, fill: "url(#hatch)" }),
    Plot.tip(rows, Plot.pointerX({ x: "step", y: top, title })),
    Plot.ruleY([0], { stroke: "var(--edge)" }),
  ];
}

export function swatch(kind: string): HTMLElement {
  return el("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
}

function classes_chart(context: Context, width: number, world: OneWorld): HTMLElement {
  let sum = 0;
  const rows = world.increments.map(({ step, introduced }, i) => {
    const before = i === 0 ? introduced.length : sum; // those of the start are known from the start
    return { step, before, fresh: introduced.length, now: (sum += introduced.length) };
  });
  type Row = (typeof rows)[number];
  return figure<Row>(context, width, {
    key: "classes",
    title: "Classes so far",
    label: "Number of classes shown so far, per increment",
    height: 220,
    about: [swatch("one"), "known from the start, or met before ", swatch("two"), "first shown"],
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: 56,
        x: { type: "band", label: "increment", padding: 0.2 },
        y: { label: null, ticks: 5 },
        marks: two_tones(rows, (d) => d.before, (d) => d.now, (d) => `increment ${d.step}\n${d.fresh} new classes, ${d.now} so far`),
      }),
    numbers: {
      rows,
      columns: [
        { key: "step", title: "Increment", numeric: true, value: (d) => d.step },
        { key: "fresh", title: "First shown", numeric: true, value: (d) => d.fresh },
        { key: "now", title: "So far", numeric: true, value: (d) => d.now },
      ],
    },
  });
}

function feedback_chart(context: Context, width: number, rows: OneWorld["feedback"]): HTMLElement {
  const { page } = context;
  type Row = OneWorld["feedback"][number];
  const arms = [...new Set(rows.map((r) => r.arm))];
  const priced = rows.some((r) => r.spent !== undefined);
  const told = (r: Row) => (r.spent === undefined ? "" : `\n${count(r.asked ?? 0)} answers for ${price(r.spent)}, ${count(r.wrong ?? 0)} labels wrong`);
  return figure<Row>(context, width, {
    key: "feedback",
    title: "Feedback: labels granted of samples shown",
    label: "Labels granted per increment",
    height: 220,
    about: `Thin line: samples shown. With marker: labels granted.${priced ? " Dotted: what their answers cost." : ""}`,
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: 56,
        x: { label: "increment", tickFormat: "d", ticks: Math.min(12, Math.max(2, new Set(rows.map((r) => r.step)).size)) },
        y: { label: null, ticks: 5, tickFormat: short, zero: true },
        marks: [
          Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
          arms.flatMap((arm) => {
            const { color, dash, symbol } = look(page, arm);
            const own = rows.filter((r) => r.arm === arm);
            return [
              Plot.line(own, { x: "step", y: "shown", stroke: "var(--soft)", strokeWidth: 0.8 }),
              Plot.line(own, { x: "step", y: "granted", stroke: color, strokeDasharray: dash, strokeWidth: 1.6 }),
              Plot.dot(own, { x: "step", y: "granted", fill: color, symbol, r: 3 }),
              Plot.line(own.filter((r) => r.spent !== undefined), { x: "step", y: "spent", stroke: color, strokeDasharray: "1 3", strokeWidth: 1.2 }),
            ];
          }),
          Plot.tip(rows, Plot.pointer({ x: "step", y: "granted", title: (d: Row) => `${arm_label(page, d.arm)}\nincrement ${d.step}: ${count(d.granted)} of ${count(d.shown)} shown (${percent(d.shown > 0 ? d.granted / d.shown : null)})\n${d.classes} classes${told(d)}` })),
        ],
      }),
    numbers: {
      rows,
      columns: [
        { key: "arm", title: "Arm", value: (d) => arm_label(page, d.arm) },
        { key: "step", title: "Increment", numeric: true, value: (d) => d.step },
        { key: "shown", title: "Shown", numeric: true, value: (d) => d.shown, show: (d) => count(d.shown) },
        { key: "granted", title: "Granted", numeric: true, value: (d) => d.granted, show: (d) => count(d.granted) },
        { key: "classes", title: "Classes", numeric: true, value: (d) => d.classes },
        ...(priced
          ? [
              { key: "asked", title: "Asked", about: "Answers paid for, also where none came.", numeric: true, value: (d: Row) => d.asked ?? null, show: (d: Row) => count(d.asked ?? null) },
              { key: "wrong", title: "Wrong", about: "Of the labels granted, those that are not the truth.", numeric: true, value: (d: Row) => d.wrong ?? null, show: (d: Row) => count(d.wrong ?? null) },
              { key: "spent", title: "Spent", about: "Of the budget.", numeric: true, value: (d: Row) => d.spent ?? null, show: (d: Row) => price(d.spent ?? null) },
            ]
          : []),
      ],
    },
  });
}

function density(context: Context, world: OneWorld): HTMLElement {
  const { page } = context;
  const first = new Map<number, number>();
  for (const { step, introduced } of world.increments) {
    for (const name of introduced) if (!first.has(name)) first.set(name, step);
  }
  const names = [...new Set(world.density.map(([name]) => name))].sort(
    (a, b) => (first.get(a) ?? 0) - (first.get(b) ?? 0) || a - b,
  );
  const steps = world.increments.map((i) => i.step);
  const row_of = new Map(steps.map((step, i) => [step, i]));
  const column_of = new Map(names.map((name, i) => [name, i]));
  const inside = world.density.filter(([, step]) => row_of.has(step));
  const cells: Cells = {
    rows: steps.map(String),
    columns: names.map((name) => named(page.names[name] ?? "?")),
    row: Int32Array.from(inside, ([, step]) => row_of.get(step)!),
    column: Int32Array.from(inside, ([name]) => column_of.get(name)!),
    value: Float64Array.from(inside, ([, , samples]) => samples),
    tone: Uint8Array.from(inside, ([name, step]) => (first.get(name) === step && step !== steps[0] ? 1 : 0)),
  };
  return matrix(context, {
    key: "density",
    label: "Samples per class and increment",
    cells,
    shade: "whole",
    width: context.width,
    height: Math.min(420, 150 + steps.length * 20),
    row_title: "increment",
    column_title: "class",
    describe: ({ r0, r1, c0, c1 }, [known, novel]) => [
      r1 - r0 === 1 ? `increment ${cells.rows[r0]}` : `increments ${cells.rows[r0]}–${cells.rows[r1 - 1]}`,
      c1 - c0 === 1 ? cells.columns[c0] : `${cells.columns[c0]} … ${cells.columns[c1 - 1]} (${c1 - c0} classes)`,
      `${count(known + novel)} samples${novel > 0 ? `, ${count(novel)} of them of new classes` : ""}`,
    ],
  }).node;
}

function schedule(context: Context, world: OneWorld): HTMLElement {
  const { page } = context;
  const at_once = 12;
  const total = (i: Increment) => i.counts.reduce((sum, c) => sum + c.known + c.novel, 0);
  const list = (names: number[]) => names.map((n, k) => [k > 0 ? ", " : "", name_text(page.names[n] ?? "?")]);
  return table<Increment>(context, "schedule", {
    caption: "Schedule of introductions",
    rows: world.increments,
    columns: [
      { key: "step", title: "Increment", numeric: true, value: (i) => i.step },
      { key: "samples", title: "Samples", numeric: true, value: total, show: (i) => count(total(i)) },
      { key: "fresh", title: "New classes", numeric: true, value: (i) => i.introduced.length },
      {
        key: "names",
        title: "Which",
        value: (i) => i.introduced.length,
        show: (i) =>
          i.introduced.length === 0
            ? "–"
            : i.introduced.length <= at_once
              ? el("span", { class: "names" }, list(i.introduced))
              : details(context, `introduced-${i.step}`, el("span", { class: "names" }, list(i.introduced.slice(0, 4)), ` and ${i.introduced.length - 4} more`), () =>
                  el("span", { class: "names" }, list(i.introduced)),
                ),
      },
    ],
  });
}
