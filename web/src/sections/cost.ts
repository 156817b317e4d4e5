// SPDX-License-Identifier: Apache-2.0
// What it cost: seconds and memory per increment, labels, and the size of what is kept.
import * as Plot from "@observablehq/plot";
import type { Cost } from "../data";
import { figure, grid, nothing, plot } from "../charts";
import { bar, choice } from "../controls";
import { el } from "../dom";
import { bytes, count, price, seconds } from "../format";
import { arm_label, arm_name, look, repeats } from "../looks";
import { register } from "../section";
import type { Context } from "../section";
import { table } from "../table";
import { ticks } from "./progress";

const phases = ["learn", "predict", "other", "around"] as const;
type Phase = (typeof phases)[number];
const phase_text: Record<Phase, string> = {
  learn: "learning",
  predict: "predicting",
  other: "other work of the predictor",
  around: "everything around it",
};
// Told apart by how dark they are, hence also in grey.
const phase_opacity: Record<Phase, number> = { learn: 1, predict: 0.62, other: 0.36, around: 0.16 };

interface Spent {
  arm: number;
  step: number;
  phase: Phase;
  from: number;
  to: number;
}

interface Line {
  arm: number;
  step: number;
  value: number;
}

register<Cost>("cost", (data, context) => {
  const mine = (row: { arm: number }) => context.arms.includes(row.arm);
  const steps = data.steps.filter(mine);
  const labels = data.labels.filter(mine);
  const sizes = data.sizes.filter(mine);
  const priced = labels.flatMap((l) => (l.spent === undefined ? [] : [{ arm: l.arm, step: l.step, value: l.spent }]));
  if (steps.length + labels.length + sizes.length === 0) return nothing("No arm is chosen, or nothing was timed.");
  const arms = context.arms.filter((arm) => steps.some((s) => s.arm === arm));
  const spent = mean_seconds(steps.filter((s) => s.step >= 0));
  const scale = choice(context, "scale", "Scale", [
    { value: "same", text: "same for all" },
    { value: "own", text: "of its own" },
  ]);
  const top = (arm: number) =>
    Math.max(1e-9, ...spent.filter((s) => scale.value === "same" || s.arm === arm).map((s) => s.to));
  const memory = largest(steps.filter((s) => s.step >= 0).map((s) => ({ arm: s.arm, step: s.step, value: s.anonymous_mb })));
  return [
    totals(context, data),
    arms.length > 0
      ? [
          el("h3", {}, "Seconds per increment", el("span", { class: "question" }, `mean of the ${repeats(context.page)}`)),
          arms.length > 1 ? bar(scale.node) : null,
          grid(context, 300, arms.map((arm) => (width: number) => time_chart(context, width, arm, spent.filter((s) => s.arm === arm), top(arm)))),
          el("p", { class: "about" }, phases.map((p) => [el("span", { class: "swatch", style: `background:var(--ink);opacity:${phase_opacity[p]}` }), `${phase_text[p]} `])),
        ]
      : null,
    el("h3", {}, "Memory, labels, sizes"),
    grid(context, 300, [
      ...(memory.length > 0 ? [(w: number) => line_chart(context, w, "memory", "Memory of the process, MB", memory, (v) => `${count(v)} MB`)] : []),
      ...(labels.length > 0
        ? [(w: number) => line_chart(context, w, "labels", "Labels granted so far", labels.map((l) => ({ arm: l.arm, step: l.step, value: l.total })), count)]
        : []),
      ...(priced.length > 0
        ? [(w: number) => line_chart(context, w, "spent", "Spent on feedback so far", priced, price)]
        : []),
      ...(sizes.length > 0
        ? [
            (w: number) => line_chart(context, w, "model", "Size of the model", sizes.map((s) => ({ arm: s.arm, step: s.step, value: s.model_bytes })), bytes),
            (w: number) => line_chart(context, w, "remembered", "Samples remembered", sizes.map((s) => ({ arm: s.arm, step: s.step, value: s.remembered })), count),
          ]
        : []),
    ]),
  ];
});

function sum(step: Cost["steps"][number]): number {
  return phases.reduce((total, p) => total + step.seconds[p], 0);
}

function mean_seconds(steps: Cost["steps"]): Spent[] {
  const groups = new Map<string, Cost["steps"]>();
  for (const step of steps) {
    const key = `${step.arm}/${step.step}`;
    groups.set(key, [...(groups.get(key) ?? []), step]);
  }
  return [...groups.values()].flatMap((group) => {
    let from = 0;
    return phases.map((phase) => {
      const value = group.reduce((total, s) => total + s.seconds[phase], 0) / group.length;
      return { arm: group[0].arm, step: group[0].step, phase, from, to: (from += value) };
    });
  });
}

function largest(lines: Line[]): Line[] {
  const most = new Map<string, Line>();
  for (const line of lines) {
    const key = `${line.arm}/${line.step}`;
    if ((most.get(key)?.value ?? -1) < line.value) most.set(key, line);
  }
  return [...most.values()];
}

function totals(context: Context, data: Cost): HTMLElement {
  const { page } = context;
  const rows = context.arms.map((arm) => {
    const steps = data.steps.filter((s) => s.arm === arm);
    const seeds = Math.max(1, new Set(steps.map((s) => s.seed)).size);
    const phase = (p: Phase) => steps.filter((s) => s.step >= 0).reduce((total, s) => total + s.seconds[p], 0) / seeds;
    const labels = data.labels.filter((l) => l.arm === arm);
    const sizes = data.sizes.filter((s) => s.arm === arm).sort((a, b) => a.step - b.step);
    return {
      arm,
      timed: steps.length > 0,
      whole: steps.reduce((total, s) => total + sum(s), 0) / seeds,
      measuring: steps.filter((s) => s.step < 0).reduce((total, s) => total + sum(s), 0) / seeds,
      learn: phase("learn"),
      predict: phase("predict"),
      memory: Math.max(0, ...steps.map((s) => s.anonymous_mb)),
      mapped: Math.max(0, ...steps.map((s) => s.mapped_mb)),
      labels: labels.length > 0 ? Math.max(...labels.map((l) => l.total)) : null,
      spent: labels.some((l) => l.spent !== undefined) ? Math.max(...labels.map((l) => l.spent ?? 0)) : null,
      model: sizes.at(-1)?.model_bytes ?? null,
      kept: sizes.at(-1)?.memory_bytes ?? null,
    };
  });
  type Row = (typeof rows)[number];
  const time = (key: string, title: string, about: string, value: (r: Row) => number) => ({
    key,
    title,
    about,
    numeric: true,
    value: (r: Row) => (r.timed ? value(r) : null),
    show: (r: Row) => (r.timed ? seconds(value(r)) : "–"),
  });
  return table<Row>(context, "totals", {
    caption: "Cost of each arm",
    rows,
    columns: [
      { key: "arm", title: "Arm", value: (r) => arm_label(page, r.arm), show: (r) => arm_name(page, r.arm) },
      time("whole", "Time", `All increments and the measuring, mean of the ${repeats(page)}.`, (r) => r.whole),
      time("learn", "learning", `Mean of the ${repeats(page)}.`, (r) => r.learn),
      time("predict", "predicting", `Mean of the ${repeats(page)}.`, (r) => r.predict),
      time("measuring", "measuring", `Mean of the ${repeats(page)}.`, (r) => r.measuring),
      { key: "memory", title: "Memory", about: "Most the process held itself.", numeric: true, value: (r) => r.memory, show: (r) => (r.timed ? `${count(r.memory)} MB` : "–") },
      { key: "mapped", title: "Mapped", about: "Most of files mapped into memory.", numeric: true, value: (r) => r.mapped, show: (r) => (r.timed ? `${count(r.mapped)} MB` : "–") },
      { key: "labels", title: "Labels", about: "Granted in all.", numeric: true, value: (r) => r.labels, show: (r) => count(r.labels) },
      ...(rows.some((r) => r.spent !== null)
        ? [{ key: "spent", title: "Spent", about: "On answers, of the budget; a label at 1 apiece where answers have no price of their own.", numeric: true, value: (r: Row) => r.spent, show: (r: Row) => price(r.spent) }]
        : []),
      { key: "model", title: "Model", about: "Size at the end.", numeric: true, value: (r) => r.model, show: (r) => (r.model === null ? "–" : bytes(r.model)) },
      { key: "kept", title: "Kept samples", about: "Bytes of remembered samples at the end.", numeric: true, value: (r) => r.kept, show: (r) => (r.kept === null ? "–" : bytes(r.kept)) },
    ],
  });
}

function time_chart(context: Context, width: number, arm: number, rows: Spent[], top: number): HTMLElement {
  const { page } = context;
  const { color } = look(page, arm);
  return figure<Spent>(context, width, {
    key: `time/${arm}`,
    title: arm_name(page, arm),
    label: `Seconds per increment, ${arm_label(page, arm)}`,
    height: 190,
    draw: (w, h) =>
      plot(w, h, {
        x: { type: "band", label: "increment", padding: 0.2 },
        y: { label: "s", domain: [0, top], ticks: 5 },
        marginTop: 22,
        marks: [
          Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.barY(rows, { x: "step", y1: "from", y2: "to", fill: color, fillOpacity: (d: Spent) => phase_opacity[d.phase], opacity: 1, stroke: color, strokeWidth: 0.5 }),
          Plot.tip(rows, Plot.pointer({ x: "step", y: (d: Spent) => (d.from + d.to) / 2, title: (d: Spent) => `increment ${d.step}, ${phase_text[d.phase]}\n${seconds(d.to - d.from)}` })),
          Plot.ruleY([0], { stroke: "var(--edge)" }),
        ],
      }),
    numbers: {
      rows,
      columns: [
        { key: "step", title: "Increment", numeric: true, value: (d) => d.step },
        { key: "phase", title: "For", value: (d) => phase_text[d.phase] },
        { key: "seconds", title: "Seconds", numeric: true, value: (d) => d.to - d.from, show: (d) => seconds(d.to - d.from) },
      ],
    },
  });
}

function line_chart(context: Context, width: number, key: string, title: string, rows: Line[], text: (value: number) => string): HTMLElement {
  const { page } = context;
  const arms = [...new Set(rows.map((r) => r.arm))];
  const last = Math.max(1, ...rows.map((r) => r.step));
  return figure<Line>(context, width, {
    key,
    title,
    label: `${title}, per increment`,
    height: 190,
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: 58,
        x: { domain: [0, last], ticks: ticks(last, w), tickFormat: String, label: "increment" },
        y: { zero: true, label: null, ticks: 4, tickFormat: (v: number) => text(v) },
        marks: [
          Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
          arms.flatMap((arm) => {
            const { color, dash, symbol } = look(page, arm);
            const own = rows.filter((r) => r.arm === arm).sort((a, b) => a.step - b.step);
            return [
              Plot.line(own, { x: "step", y: "value", stroke: color, strokeDasharray: dash, strokeWidth: 1.6 }),
              Plot.dot(own, { x: "step", y: "value", fill: color, symbol, r: 2.8 }),
            ];
          }),
          Plot.tip(rows, Plot.pointer({ x: "step", y: "value", title: (d: Line) => `${arm_label(page, d.arm)}\nincrement ${d.step}: ${text(d.value)}` })),
        ],
      }),
    numbers: {
      rows,
      columns: [
        { key: "arm", title: "Arm", value: (d) => arm_label(page, d.arm) },
        { key: "step", title: "Increment", numeric: true, value: (d) => d.step },
        { key: "value", title, numeric: true, value: (d) => d.value, show: (d) => text(d.value) },
      ],
    },
  });
}
