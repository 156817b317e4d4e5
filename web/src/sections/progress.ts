// SPDX-License-Identifier: Apache-2.0
// Measures over the increments: before feedback at whole steps, after it at half ones.
import * as Plot from "@observablehq/plot";
import type { MeasureText, Progress } from "../data";
import { figure, grid, nothing, plot } from "../charts";
import { bar, choice } from "../controls";
import { el, visible } from "../dom";
import { range_text, score } from "../format";
import { in_order, phase_text } from "../phases";
import { arm_label, look, repeats } from "../looks";
import { register } from "../section";
import type { Context } from "../section";
import { arrowed } from "./summary";

type Line = Progress["lines"][number];
type Point = Line["points"][number];
interface Dot extends Point {
  line: Line;
}

const questions: Record<string, string> = {
  classification: "Are known classes called by name, and new ones new?",
  detection: "Is it told whether a sample is new?",
  recognition: "Are the new ones grouped as they should be?",
  raw: "Did each sample get its very name?",
};
const view_order = ["classification", "detection", "recognition", "raw"];

register<Progress>("progress", (data, context) => {
  const lines = data.lines.filter((line) => context.arms.includes(line.arm));
  const splits = unique(lines.map((line) => line.split)).sort((a, b) => rank(a) - rank(b));
  const split = choice(context, "split", "Split", [
    ...splits.map((value) => ({ value, text: value })),
    ...(splits.length > 1 ? [{ value: "*", text: "all" }] : []),
  ]);
  const novel_to = choice(
    context,
    "novel_to",
    "Novel to",
    unique(lines.map((line) => line.novel_to)).map((value) => ({
      value,
      text: novel_to_text(value),
      about: novel_to_about(value),
    })),
    "predictor",
  );
  const phases = in_order(unique(lines.flatMap((line) => line.points.map((p) => p.phase))));
  const phase = choice(context, "phase", "Phase", [
    ...(phases.length > 1 ? [{ value: "both", text: "all" }] : []),
    ...phases.map((value) => ({ value, text: phase_text(value) })),
  ]);
  const measure = choice(context, "measure", "Measure", [
    { value: "*", text: "all" },
    ...data.measures.map((m) => ({ value: m.name, text: m.title })),
  ]);
  const axis = choice(context, "axis", "Axis", [
    { value: "whole", text: "from 0" },
    { value: "fit", text: "fit" },
  ]);
  const shown = lines.filter(
    (line) =>
      (split.value === "*" || line.split === split.value) &&
      line.novel_to === novel_to.value &&
      (measure.value === "*" || line.measure === measure.value),
  );
  const views = unique(shown.map((line) => line.view)).sort(
    (a, b) => place(view_order, a) - place(view_order, b),
  );
  return [
    bar(split.node, novel_to.node, phase.node, measure.node, axis.node),
    shown.length === 0 ? nothing("No arm is chosen, or nothing was measured.") : null,
    views.map((view) => {
      const measures = data.measures.filter((m) =>
        shown.some((l) => l.view === view && l.measure === m.name && l.points.some((p) => p.value[0] !== null)),
      );
      if (measures.length === 0) return null;
      return [
        el("h3", { class: "view" }, visible(view), el("span", { class: "question" }, questions[view] ?? "")),
        grid(
          context,
          measure.value === "*" ? 300 : 560,
          measures.map((m) => (width) => {
            const own = shown.filter((line) => line.view === view && line.measure === m.name);
            return one_measure(context, width, view, m, own, phase.value, axis.value);
          }),
        ),
      ];
    }),
    el("p", { class: "about" },
      `Filled markers at whole steps: before feedback. Hollow ones on thinner lines at half steps: after it. Bands: from the least to the greatest of the ${repeats(context.page)}, or the interval of one.`,
      split.value === "*" ? " Pale lines: the train split." : ""),
  ];
});

function one_measure(
  context: Context,
  width: number,
  view: string,
  measure: MeasureText,
  lines: Line[],
  phase: string,
  axis: string,
): HTMLElement {
  const { page } = context;
  const dots: Dot[] = lines.flatMap((line) =>
    line.points
      .filter((p) => phase === "both" || p.phase === phase)
      .map((p) => ({ ...p, line }))
      .sort((a, b) => a.at - b.at),
  );
  const several_splits = unique(lines.map((l) => l.split)).length > 1;
  const name = (line: Line) => arm_label(page, line.arm) + (several_splits ? ` (${line.split})` : "");
  return figure<Dot>(context, width, {
    key: `${view}/${measure.name}`,
    title: el("span", { title: measure.meaning }, arrowed(measure)),
    label: `${measure.title}, ${view}, over the increments`,
    height: 210,
    draw: (w, h) => draw(context, w, h, lines, dots, name, axis),
    numbers: {
      rows: dots,
      columns: [
        { key: "arm", title: "Arm", value: (d) => name(d.line) },
        { key: "at", title: "Step", numeric: true, value: (d) => d.at },
        { key: "phase", title: "Phase", value: (d) => phase_text(d.phase) },
        { key: "value", title: measure.title, numeric: true, value: (d) => d.value[0], show: (d) => range_text(d.value) },
      ],
    },
  });
}

function draw(
  context: Context,
  width: number,
  height: number,
  lines: Line[],
  dots: Dot[],
  name: (line: Line) => string,
  axis: string,
): Element {
  const values = dots.flatMap((d) => d.value).filter((v): v is number => v !== null);
  const last = Math.max(1, ...dots.map((d) => d.at));
  const marks: Plot.Markish[] = [Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 })];
  for (const line of lines) {
    const { color, dash, symbol } = look(context.page, line.arm);
    const own = dots.filter((d) => d.line === line && d.value[0] !== null);
    const pale = lines.length > 1 && line.split === "train" && lines.some((l) => l.split !== "train");
    const opacity = pale ? 0.4 : 1;
    const x = (d: Dot) => d.at;
    const y = (d: Dot) => d.value[0];
    // Each phase is joined on its own: from before feedback to after it and back would be a zigzag in
    // which arms cannot be followed. The first has full marks.
    const phases = in_order(unique(own.map((d) => d.phase)));
    for (const phase of phases) {
      const joined = own.filter((d) => d.phase === phase);
      const before = phase === phases[0] && phase !== "post";
      if (joined.some((d) => d.value[1] !== null && d.value[2] !== d.value[1])) {
        marks.push(Plot.areaY(joined, { x, y1: (d) => d.value[1] ?? d.value[0], y2: (d) => d.value[2] ?? d.value[0], fill: color, fillOpacity: pale ? 0.05 : 0.12 }));
      }
      marks.push(
        Plot.line(joined, { x, y, stroke: color, strokeWidth: before ? 1.7 : 1, strokeDasharray: dash, strokeOpacity: before ? opacity : opacity * 0.75 }),
        before
          ? Plot.dot(joined, { x, y, symbol, fill: color, r: 3, fillOpacity: opacity })
          : Plot.dot(joined, { x, y, symbol, stroke: color, fill: "var(--paper)", strokeWidth: 1.3, r: 2.6, strokeOpacity: opacity }),
      );
    }
  }
  marks.push(
    Plot.tip(
      dots.filter((d) => d.value[0] !== null),
      Plot.pointer({
        x: (d: Dot) => d.at,
        y: (d: Dot) => d.value[0],
        title: (d: Dot) => `${name(d.line)}\nstep ${Math.floor(d.at)}, ${phase_text(d.phase)}\n${range_text(d.value)}`,
      }),
    ),
  );
  return plot(width, height, {
    x: { domain: [0, last], ticks: ticks(last, width), tickFormat: (d: number) => String(d), label: "increment" },
    y: { domain: domain(values, axis), label: null, ticks: 5, tickFormat: (d: number) => score(d, 2).replace(/\.?0+$/, "") || "0" },
    marks,
  });
}

/** From 0, and to 1 for shares unless that would flatten them; or just what the values reach. */
function domain(values: number[], axis: string): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = Math.max(0.005, (high - low) * 0.06);
  if (axis === "fit") return [low - margin, high + margin];
  const top = high <= 1 && high > 0.4 ? 1 : Math.max(0.1, high + margin);
  return [low < 0 ? low - margin : 0, top];
}

export function ticks(last: number, width: number): number[] {
  const step = Math.max(1, Math.ceil(last / Math.max(2, Math.floor(width / 42))));
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step);
}

const again = /^evaluator_again_(\d+)$/;

export function novel_to_text(value: string): string {
  const after = again.exec(value)?.[1];
  return after ? `evaluator, again after ${after}` : value;
}

function novel_to_about(value: string): string {
  const after = again.exec(value)?.[1];
  if (after) return `New are the classes that were not shown in the last ${after} increments`;
  return value === "evaluator"
    ? "New are the classes this increment shows for the first time"
    : "New are the classes nobody has named to the predictor yet";
}

function unique(values: string[]): string[] {
  return [...new Set(values)];
}

function rank(split: string): number {
  return place(["test", "train"], split);
}

function place(list: string[], value: string): number {
  const at = list.indexOf(value);
  return at < 0 ? list.length : at;
}
