// SPDX-License-Identifier: Apache-2.0
// The charts of the section "tasks".
import * as Plot from "@observablehq/plot";
import { figure, plot } from "./charts";
import type { MeasureText, Ranged, Tasks } from "./data";
import { clip, el } from "./dom";
import { bytes, count, percent, range_text, score, short } from "./format";
import { arm_label, arm_name, look } from "./looks";
import type { Context } from "./section";
import { arrowed } from "./sections/summary";
import { stacks } from "./tasks";
import type { Stack, TaskArm, Unit } from "./tasks";

interface Dot {
  arm: number;
  at: number; // place of the task, from 1
  task: number; // its number
  classes: number; // seen by then
  value: Ranged;
}

const y_ticks = (d: number) => score(d, 2).replace(/\.?0+$/, "") || "0";
const rules = (ticks = 6) => Plot.gridY({ ticks, stroke: "var(--rule)", strokeOpacity: 1 });

/** A measure after each task, a line for each arm. */
export function curve(context: Context, width: number, arms: TaskArm[], measure: MeasureText, place: number, axis: string): HTMLElement {
  const { page } = context;
  const dots: Dot[] = arms.flatMap((a) =>
    a.values.map((row, i) => ({
      arm: a.arm,
      at: i + 1,
      task: a.tasks[i],
      classes: a.classes.slice(0, i + 1).reduce((sum, c) => sum + c, 0),
      value: row[place],
    })),
  ).filter((d) => d.value[0] !== null);
  const last = Math.max(2, ...dots.map((d) => d.at));
  const x = (d: Dot) => d.at;
  const y = (d: Dot) => d.value[0];
  return figure<Dot>(context, width, {
    key: `curve/${measure.name}`,
    title: el("span", { title: measure.meaning }, arrowed(measure)),
    label: `${measure.title} after each task`,
    height: 300,
    draw: (w, h) => {
      const marks: Plot.Markish[] = [rules()];
      for (const { arm } of arms) {
        const { color, dash, symbol } = look(page, arm);
        const own = dots.filter((d) => d.arm === arm);
        if (own.some((d) => d.value[1] !== null && d.value[1] !== d.value[2])) {
          marks.push(Plot.areaY(own, { x, y1: (d: Dot) => d.value[1] ?? d.value[0], y2: (d: Dot) => d.value[2] ?? d.value[0], fill: color, fillOpacity: 0.12 }));
        }
        marks.push(Plot.line(own, { x, y, stroke: color, strokeWidth: 1.7, strokeDasharray: dash }), Plot.dot(own, { x, y, symbol, fill: color, r: 3.2 }));
      }
      marks.push(
        Plot.tip(dots, Plot.pointer({ x, y, title: (d: Dot) => `${arm_label(page, d.arm)}\nafter task ${d.task}, ${count(d.classes)} classes\n${range_text(d.value)}` })),
      );
      return plot(w, h, {
        x: { domain: [1, last], ticks: task_ticks(last, w), tickFormat: (d: number) => String(d), label: "after task" },
        y: { domain: domain(dots.flatMap((d) => d.value).filter((v): v is number => v !== null), axis), label: null, ticks: 6, tickFormat: y_ticks },
        marks,
      });
    },
    numbers: {
      rows: dots,
      columns: [
        { key: "arm", title: "Arm", value: (d) => arm_label(page, d.arm) },
        { key: "task", title: "After task", numeric: true, value: (d) => d.task },
        { key: "classes", title: "Classes", numeric: true, value: (d) => d.classes },
        { key: "value", title: measure.title, numeric: true, value: (d) => d.value[0], show: (d) => range_text(d.value) },
      ],
    },
  });
}

interface Cell {
  row: number;
  column: number;
  value: number;
}

/** What is right of each task (across) after each task (down); numbers where they fit. */
export function heat_map(context: Context, width: number, own: TaskArm): HTMLElement {
  const { page } = context;
  const cells: Cell[] = own.accuracy.flatMap((row, i) =>
    row.flatMap((value, j) => (value === null ? [] : [{ row: own.tasks[i], column: own.tasks[j], value }])),
  );
  const size = own.tasks.length;
  const ahead = (d: Cell) => d.column > d.row;
  return figure<Cell>(context, width, {
    key: `matrix/${own.arm}`,
    title: arm_name(page, own.arm),
    label: `Share right of each task after each task, ${arm_label(page, own.arm)}`,
    height: Math.round(Math.max(180, Math.min(430, width * 0.82))),
    draw: (w, h) => {
      const left = 34;
      const room = Math.min((w - left - 14) / size, (h - 50) / size);
      const skip = Math.ceil(size / Math.max(2, Math.floor((w - left) / 26)));
      const shown = own.tasks.filter((_, i) => i % skip === 0);
      const ticks = { domain: own.tasks, ticks: shown, tickFormat: (d: number) => String(d), tickSize: 0 };
      return plot(w, h, {
        marginLeft: left,
        marginTop: 40,
        marginBottom: 8,
        x: { ...ticks, type: "band", axis: "top", label: "right of task", labelOffset: 36, padding: 0.04 },
        y: { ...ticks, type: "band", label: "after", padding: 0.04 },
        marks: [
          Plot.cell(cells.filter((d) => !ahead(d)), { x: "column", y: "row", fill: "var(--one)", fillOpacity: (d: Cell) => 0.06 + 0.94 * d.value }),
          Plot.cell(cells.filter(ahead), { x: "column", y: "row", fill: "none", stroke: "var(--edge)", strokeDasharray: "2 2" }),
          room >= 26
            ? Plot.text(cells, { x: "column", y: "row", text: (d: Cell) => (d.value === 1 ? "100" : (100 * d.value).toFixed(0)), fill: (d: Cell) => (!ahead(d) && d.value > 0.7 ? "var(--paper)" : "var(--ink)"), fontSize: 11 })
            : null,
          Plot.tip(cells, Plot.pointer({ x: "column", y: "row", title: (d: Cell) => `task ${d.column}, ${ahead(d) ? "before it was learned" : `after task ${d.row}`}\n${percent(d.value)} right` })),
        ],
      });
    },
    numbers: {
      rows: cells,
      columns: [
        { key: "row", title: "After task", numeric: true, value: (d) => d.row },
        { key: "column", title: "Right of task", numeric: true, value: (d) => d.column },
        { key: "value", title: "Share", numeric: true, value: (d) => d.value, show: (d) => score(d.value) },
      ],
    },
  });
}

interface Kept {
  arm: number;
  frames: number;
  value: Ranged;
}

/** A measure after the last task against frames in memory then. */
export function kept_chart(context: Context, width: number, arms: TaskArm[], measure: MeasureText, place: number, axis: string): HTMLElement {
  const { page } = context;
  const dots: Kept[] = arms
    .flatMap((a) => (a.frames === null ? [] : [{ arm: a.arm, frames: a.frames, value: a.values[a.values.length - 1][place] }]))
    .filter((d) => d.value[0] !== null);
  const x = (d: Kept) => d.frames;
  const y = (d: Kept) => d.value[0];
  const most = Math.max(1, ...dots.map(x));
  const wide = most > 1000 && dots.some((d) => d.frames * 20 < most);
  return figure<Kept>(context, width, {
    key: `kept/${measure.name}`,
    title: el("span", { title: measure.meaning }, arrowed(measure), " against frames kept"),
    label: `${measure.title} after the last task against frames in memory`,
    height: 300,
    draw: (w, h) =>
      plot(w, h, {
        insetLeft: 44, // half of a name
        insetRight: 44,
        marginRight: 20,
        x: wide
          ? { type: "symlog", constant: 100, domain: [0, most], ticks: [0, 100, 1000, 1e4, 1e5, 1e6, 1e7].filter((t) => t <= most), tickFormat: short, label: "frames in memory (logarithmic)" }
          : { domain: [0, most], tickFormat: short, ticks: 5, label: "frames in memory" },
        y: { domain: domain(dots.flatMap((d) => d.value).filter((v): v is number => v !== null), axis), label: null, ticks: 6, tickFormat: y_ticks },
        marks: [
          rules(),
          Plot.ruleX(dots.filter((d) => d.value[1] !== null), { x, y1: (d: Kept) => d.value[1]!, y2: (d: Kept) => d.value[2]!, stroke: (d: Kept) => look(page, d.arm).color, strokeWidth: 1.4 }),
          dots.map((d) => Plot.dot([d], { x, y, fill: look(page, d.arm).color, symbol: look(page, d.arm).symbol, r: 5 })),
          Plot.text(dots, { x, y, text: (d: Kept) => clip(arm_label(page, d.arm), 16), dy: -11, fill: "var(--soft)", fontSize: 11 }),
          Plot.tip(dots, Plot.pointer({ x, y, title: (d: Kept) => `${arm_label(page, d.arm)}\n${count(d.frames)} frames\n${range_text(d.value)}` })),
        ],
      }),
    numbers: {
      rows: dots,
      columns: [
        { key: "arm", title: "Arm", value: (d) => arm_label(page, d.arm) },
        { key: "frames", title: "Frames", numeric: true, value: (d) => d.frames, show: (d) => count(d.frames) },
        { key: "value", title: measure.title, numeric: true, value: (d) => d.value[0], show: (d) => range_text(d.value) },
      ],
    },
  });
}

export const unit_text: Record<Unit, (value: number) => string> = { frames: count, samples: count, bytes };

/** What is in memory at each step, the oldest task at the bottom. */
export function memory_chart(context: Context, width: number, arm: number, memory: Tasks["memory"], unit: Unit, top: number): HTMLElement {
  const { page } = context;
  const { color } = look(page, arm);
  const bars = stacks(memory.filter((m) => m.arm === arm), unit);
  const newest = Math.max(1, ...bars.map((b) => b.task));
  const show = unit_text[unit];
  return figure<Stack>(context, width, {
    key: `memory/${arm}`,
    title: arm_name(page, arm),
    label: `In memory at each step by task, ${unit}, ${arm_label(page, arm)}`,
    height: 200,
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: 58,
        x: { type: "band", label: "increment", padding: 0.15, ticks: band_ticks(bars, w) },
        y: { domain: [0, top], label: null, ticks: 4, tickFormat: (v: number) => (unit === "bytes" ? bytes(v) : short(v)) },
        marks: [
          rules(4),
          // Old tasks have the full colour, and a line parts them, so that grey tells them too.
          Plot.barY(bars, { x: "step", y1: "from", y2: "to", fill: color, fillOpacity: (d: Stack) => 1 - 0.85 * ((d.task - 1) / Math.max(1, newest - 1)), stroke: "var(--paper)", strokeWidth: 0.6 }),
          Plot.ruleY([0], { stroke: "var(--edge)" }),
          Plot.tip(bars, Plot.pointer({ x: "step", y: (d: Stack) => (d.from + d.to) / 2, title: (d: Stack) => `increment ${d.step}, ${d.task === 0 ? "of no task" : `task ${d.task}`}\n${show(d.to - d.from)}${unit === "bytes" ? "" : ` ${unit}`} of ${count(d.classes)} classes` })),
        ],
      }),
    numbers: {
      rows: bars,
      columns: [
        { key: "step", title: "Increment", numeric: true, value: (d) => d.step },
        { key: "task", title: "Task", numeric: true, value: (d) => d.task },
        { key: "classes", title: "Classes", numeric: true, value: (d) => d.classes },
        { key: "held", title: unit, numeric: true, value: (d) => d.to - d.from, show: (d) => show(d.to - d.from) },
      ],
    },
  });
}

function band_ticks(bars: Stack[], width: number): number[] {
  const steps = [...new Set(bars.map((b) => b.step))];
  const skip = Math.ceil(steps.length / Math.max(2, Math.floor(width / 30)));
  return steps.filter((_, i) => i % skip === 0);
}

function task_ticks(last: number, width: number): number[] {
  const step = Math.max(1, Math.ceil(last / Math.max(2, Math.floor(width / 42))));
  return Array.from({ length: Math.ceil(last / step) }, (_, i) => 1 + i * step).filter((t) => t <= last);
}

/** From 0, and to 1 for shares unless that would flatten them; or just what the values reach. */
function domain(values: number[], axis: string): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = Math.max(0.005, (high - low) * 0.06);
  if (axis === "fit") return [low - margin, high + margin];
  return [low < 0 ? low - margin : 0, high <= 1 && high > 0.4 ? 1 : Math.max(0.1, high + margin)];
}
