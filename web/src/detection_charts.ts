// SPDX-License-Identifier: Apache-2.0
// Charts of novelty detection: trades with the point that was chosen, costs, and episodes along time.
import * as Plot from "@observablehq/plot";
import type { Child } from "./dom";
import { figure, plot } from "./charts";
import { clip, named } from "./dom";
import { count, percent, score } from "./format";
import { arm_label, arm_name, look } from "./looks";
import { moments } from "./detection";
import type { Timeline } from "./detection";
import type { Context } from "./section";

export interface TradePoint {
  arm: number;
  x: number;
  y: number;
  threshold?: number;
}

export interface Trade {
  key: string;
  title: string;
  x_label: string;
  y_label: string;
  lines: { arm: number; points: TradePoint[] }[];
  chosen: TradePoint[]; // one for each arm
  others?: [x: number, y: number][]; // a thin line to compare with
  least_x?: number; // of a logarithmic axis: what lies below stands at its left end
  about?: Child;
  top?: number;
}

/** A line per arm with the chosen point as a ringed marker. */
export function trade_chart(context: Context, width: number, spec: Trade): HTMLElement {
  const { page } = context;
  const { x_label, y_label, least_x, top = 1 } = spec;
  const x_of = (d: { x: number }) => (least_x === undefined ? d.x : Math.max(least_x, d.x));
  const all = spec.lines.flatMap((line) => line.points);
  const title = (d: TradePoint) => `${arm_label(page, d.arm)}\n${x_label} ${score(d.x)}\n${y_label} ${score(d.y)}${d.threshold === undefined ? "" : `\nthreshold ${score(d.threshold)}`}`;
  return figure<TradePoint>(context, width, {
    key: spec.key,
    title: spec.title,
    label: `${spec.title}: ${y_label} against ${x_label}`,
    about: spec.about,
    height: Math.min(340, Math.round(width * 0.86)),
    draw: (w, h) =>
      plot(w, h, {
        x: least_x === undefined ? { domain: [0, 1], label: x_label, ticks: 5 } : { type: "log", domain: [least_x, 1], label: x_label, ticks: 4, tickFormat: (d: number) => percent(d) },
        y: { domain: [0, top], label: y_label, ticks: 5 },
        marginTop: 26,
        marks: [
          Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.gridX({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 4 }),
          spec.others ? Plot.line(spec.others, { stroke: "var(--edge)" }) : null,
          spec.lines.flatMap(({ arm, points }) => {
            const { color, dash } = look(page, arm);
            return [Plot.line(points, { x: x_of, y: "y", stroke: color, strokeWidth: 1.8, strokeDasharray: dash, clip: top < 1 })];
          }),
          spec.chosen.filter((d) => d.y <= top).flatMap((d) => {
            const { color, symbol } = look(page, d.arm);
            return [Plot.dot([d], { x: x_of, y: "y", stroke: "var(--ink)", strokeWidth: 1.4, r: 8 }), Plot.dot([d], { x: x_of, y: "y", fill: color, symbol, r: 4.5 })];
          }),
          Plot.tip([...all, ...spec.chosen].filter((d) => d.y <= top), Plot.pointer({ x: x_of, y: "y", title })),
        ],
      }),
    numbers: {
      rows: all,
      columns: [
        { key: "arm", title: "Arm", value: (d) => arm_label(page, d.arm) },
        { key: "x", title: x_label, numeric: true, value: (d) => d.x, show: (d) => score(d.x) },
        { key: "y", title: y_label, numeric: true, value: (d) => d.y, show: (d) => score(d.y) },
        { key: "threshold", title: "Threshold", numeric: true, value: (d) => d.threshold ?? null, show: (d) => score(d.threshold) },
      ],
    },
  });
}

/** The score of one arm along an episode, the threshold, the moment of novelty and of the alarm. */
export function timeline_chart(context: Context, width: number, timeline: Timeline, arm: number, threshold: number | null): HTMLElement {
  const { page } = context;
  const { color } = look(page, arm);
  const values = timeline.scores.find((s) => s.arm === arm)?.values ?? [];
  const frames = values.map((value, i) => ({ at: i * timeline.every, value, novel: timeline.novel[i] === "1" }));
  type Frame = (typeof frames)[number];
  const finite = frames.filter((f) => f.value !== null);
  const alarms = moments(timeline, values, threshold).map((m) => ({ ...m, value: values[Math.floor(m.at / timeline.every)] }));
  const numbers = [...finite.map((f) => f.value!), ...(threshold === null ? [] : [threshold])];
  const [low, high] = numbers.length > 0 ? [Math.min(...numbers), Math.max(...numbers)] : [0, 1];
  const pad = high > low ? 0.08 * (high - low) : 1;
  return figure<Frame>(context, width, {
    key: `timeline/${arm}`,
    title: arm_name(page, arm),
    label: `Score along episode ${clip(named(timeline.id), 60)}, ${arm_label(page, arm)}`,
    height: 210,
    about: moment_text(timeline, alarms, threshold),
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: 52,
        x: { domain: [0, Math.max(1, timeline.frames - 1)], label: "frame", ticks: Math.max(3, Math.floor(w / 90)) },
        y: { domain: [low - pad, high + pad], label: "novelty score", ticks: 4 },
        marginTop: 26,
        marks: [
          Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.rect(frames.filter((f) => f.novel), { x1: "at", x2: (f: Frame) => f.at + timeline.every, y1: low - pad, y2: high + pad, fill: "var(--two)", fillOpacity: 0.12, clip: true }),
          timeline.first_novel === null ? null : Plot.ruleX([timeline.first_novel], { stroke: "var(--two)", strokeWidth: 1.6 }),
          threshold === null ? null : Plot.ruleY([threshold], { stroke: "var(--ink)", strokeDasharray: "4 3" }),
          Plot.line(finite, { x: "at", y: "value", stroke: color, strokeWidth: 1.6 }),
          Plot.dot(finite.length < 80 ? finite : finite.slice(0, 1), { x: "at", y: "value", fill: color, r: 2 }),
          Plot.dot(alarms.filter((a) => a.value !== null), { x: "at", y: "value", symbol: (a: (typeof alarms)[number]) => (a.early ? "times" : "triangle"), stroke: "var(--ink)", strokeWidth: 1.6, fill: "var(--paper)", r: 6 }),
          Plot.tip(finite, Plot.pointerX({ x: "at", y: "value", title: (f: Frame) => `frame ${count(f.at)}\nscore ${score(f.value)}\n${f.novel ? "novel" : "normal"}` })),
        ],
      }),
    numbers: {
      rows: frames,
      columns: [
        { key: "at", title: "Frame", numeric: true, value: (f) => f.at },
        { key: "value", title: "Score", numeric: true, value: (f) => f.value, show: (f) => score(f.value) },
        { key: "novel", title: "Kind", value: (f) => (f.novel ? "novel" : "normal") },
      ],
    },
  });
}

function moment_text(timeline: Timeline, alarms: { at: number; early: boolean }[], threshold: number | null): string {
  if (threshold === null) return "This arm has no such threshold.";
  const early = alarms.find((a) => a.early);
  const right = alarms.find((a) => !a.early);
  if (timeline.first_novel === null) return early ? `False alarm at frame ${count(early.at)} (cross).` : "No alarm: nothing was new.";
  const late = right ? right.at - timeline.first_novel : 0;
  const told = right ? (late === 0 ? "Noticed at the first novel frame (triangle)." : `Noticed ${count(late)} frame${late === 1 ? "" : "s"} after the novelty came (triangle).`) : "Never noticed.";
  return early ? `${told} A false alarm before, at frame ${count(early.at)} (cross).` : told;
}
