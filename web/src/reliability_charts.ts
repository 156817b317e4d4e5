// SPDX-License-Identifier: Apache-2.0
// The charts of the section "reliability".
import * as Plot from "@observablehq/plot";
import { figure, grid, plot } from "./charts";
import type { Reliability } from "./data";
import { clip, el, named, visible } from "./dom";
import { count, missing, percent, score, short, signed } from "./format";
import { arm_label, arm_name, look } from "./looks";
import { along, calibration_error, class_temperatures, extent, mean, placed } from "./reliability";
import type { Bin, ClassTemperature, ReliabilityTable, TemperaturePoint, Temperatures } from "./reliability";
import type { Context } from "./section";
import { ticks } from "./sections/progress";

type Training = Reliability["training"][number];
type LineName = Training["lines"][number]["name"];

const quarters = [0, 0.25, 0.5, 0.75, 1];
const shares = { domain: [0, 1], ticks: quarters, tickFormat: (d: number) => String(d) };
const rules = (ticks: number | number[]) => Plot.gridY({ ticks, stroke: "var(--rule)", strokeOpacity: 1 });

/** Below this width the parts of the classes stand below one another. */
export const stacked = 560;

/** Accuracy by confidence; `ece` is the measure, where there is one. */
export function diagram(context: Context, width: number, table: ReliabilityTable, ece: number | null): HTMLElement {
  const bins = placed(table.bins);
  const filled = bins.filter((b) => b.accuracy !== null && b.confidence !== null);
  const over = filled.filter((b) => b.confidence! > b.accuracy!);
  const under = filled.filter((b) => b.confidence! < b.accuracy!);
  const place = { x1: "from", x2: "to", insetLeft: 0.5, insetRight: 0.5 };
  const gap = { ...place, y1: "accuracy", y2: "confidence" };
  const middle = (b: Bin) => (b.from + b.to) / 2;
  const title = (b: Bin) =>
    `confidence ${score(b.from, 2)} to ${score(b.to, 2)}\n` +
    (b.samples === 0 ? "no samples" : `${count(b.samples)} samples\nmean confidence ${score(b.confidence)}\naccuracy ${score(b.accuracy)}`);
  const facts = `ECE ${score(ece ?? calibration_error(table.bins))}, n = ${count(table.samples)}`;
  return figure<Bin>(context, width, {
    key: `diagram/${table.arm}/${table.classes}`,
    title: [table.classes === "all" ? "all classes" : table.classes, " ", el("span", { class: "facts-line" }, facts)],
    label: `Accuracy by confidence, ${arm_label(context.page, table.arm)}, ${table.classes} classes, ${table.split}: ${facts}`,
    height: context.width < stacked ? 220 : Math.round(Math.max(210, Math.min(330, width * 0.9))),
    draw: (w, h) => {
      const [left, right] = [40, 8];
      const room = (w - left - right) / Math.max(1, bins.length);
      const upright = room >= 27; // four figures and a comma fit, else they stand on end
      return plot(w, h, {
        marginLeft: left,
        marginRight: right,
        marginTop: 8,
        insetBottom: upright ? 18 : 36,
        x: { ...shares, ticks: w < 240 ? [0, 0.5, 1] : quarters, label: "confidence", labelAnchor: "center" },
        y: { ...shares, label: null },
        marks: [
          rules(quarters),
          Plot.rectY(filled, { ...place, y1: 0, y2: "accuracy", fill: "var(--one)", fillOpacity: 0.85, className: "accuracy" }),
          Plot.rectY(over, { ...gap, fill: "var(--two)", fillOpacity: 0.32, stroke: "var(--two)", strokeOpacity: 0.6, strokeWidth: 0.8, className: "over" }),
          Plot.rectY(over, { ...gap, fill: "url(#hatch)" }),
          Plot.rectY(under, { ...gap, fill: "var(--paper)", fillOpacity: 0.55, stroke: "var(--one)", strokeDasharray: "2 2", strokeWidth: 0.9, className: "under" }),
          Plot.line([[0, 0], [1, 1]], { stroke: "var(--ink)", strokeWidth: 1.1, strokeDasharray: "4 3" }),
          Plot.ruleY([0], { stroke: "var(--edge)" }),
          Plot.text(bins.filter((b) => b.samples > 0), {
            x: middle,
            y: 0,
            text: (b: Bin) => short(b.samples),
            fill: "var(--soft)",
            fontSize: 9.5,
            className: "counts",
            ...(upright ? { dy: 10 } : { rotate: -90, textAnchor: "end" as const, dy: 4 }),
          }),
          Plot.tip(bins, Plot.pointerX({ x: middle, y: (b: Bin) => Math.max(b.accuracy ?? 0, b.confidence ?? 0), title })),
        ],
      });
    },
    numbers: {
      rows: bins,
      columns: [
        { key: "from", title: "From", numeric: true, value: (b) => b.from, show: (b) => score(b.from, 2) },
        { key: "to", title: "To", numeric: true, value: (b) => b.to, show: (b) => score(b.to, 2) },
        { key: "samples", title: "Samples", numeric: true, value: (b) => b.samples, show: (b) => count(b.samples) },
        { key: "confidence", title: "Mean confidence", numeric: true, value: (b) => b.confidence, show: (b) => score(b.confidence) },
        { key: "accuracy", title: "Accuracy", numeric: true, value: (b) => b.accuracy, show: (b) => score(b.accuracy) },
      ],
    },
  });
}

/** Right and wrong samples by confidence; `top` is the same for all arms. */
export function confidence_chart(context: Context, width: number, table: ReliabilityTable, top: number): HTMLElement {
  const size = table.right.length;
  const rows = table.right.map((right, i) => {
    const wrong = table.wrong[i] ?? 0;
    return { from: i / size, to: (i + 1) / size, right, wrong, both: right + wrong };
  });
  type Row = (typeof rows)[number];
  const place = { x1: "from", x2: "to", insetLeft: 0.5, insetRight: 0.5 };
  const title = (d: Row) =>
    `confidence ${score(d.from, 2)} to ${score(d.to, 2)}\n${count(d.right)} right, ${count(d.wrong)} wrong` +
    (d.both > 0 ? `\naccuracy ${percent(d.right / d.both)}` : "");
  return figure<Row>(context, width, {
    key: `confidence/${table.arm}`,
    title: arm_name(context.page, table.arm),
    label: `Right and wrong samples by confidence, ${arm_label(context.page, table.arm)}, ${table.classes} classes, ${table.split}`,
    height: 190,
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: 50,
        x: { ...shares, label: "confidence" },
        y: { domain: [0, top], label: null, ticks: 4, tickFormat: short },
        marks: [
          rules(4),
          Plot.rectY(rows, { ...place, y1: 0, y2: "right", fill: "var(--one)", fillOpacity: 0.85 }),
          Plot.rectY(rows, { ...place, y1: "right", y2: "both", fill: "var(--two)", fillOpacity: 0.9 }),
          Plot.rectY(rows, { ...place, y1: "right", y2: "both", fill: "url(#hatch)" }),
          Plot.ruleY([0], { stroke: "var(--edge)" }),
          Plot.tip(rows, Plot.pointerX({ x: (d: Row) => (d.from + d.to) / 2, y: "both", title })),
        ],
      }),
    numbers: {
      rows,
      columns: [
        { key: "from", title: "From", numeric: true, value: (d) => d.from, show: (d) => score(d.from, 2) },
        { key: "to", title: "To", numeric: true, value: (d) => d.to, show: (d) => score(d.to, 2) },
        { key: "right", title: "Right", numeric: true, value: (d) => d.right, show: (d) => count(d.right) },
        { key: "wrong", title: "Wrong", numeric: true, value: (d) => d.wrong, show: (d) => count(d.wrong) },
      ],
    },
  });
}

interface Epoch {
  epoch: number;
  value: number;
  low: number;
  high: number;
  line: string;
}

interface Panel {
  key: string;
  title: string;
  with: number[]; // values its axis shows whatever the lines reach
  native?: boolean; // has the line of the classifier itself
  lines: { name: LineName; text: string; band?: LineName }[];
}

const panels: Panel[] = [
  {
    key: "ece",
    title: "ECE",
    with: [0],
    native: true,
    lines: [
      { name: "ece_test", text: "test" },
      { name: "ece_validation", text: "validation" },
    ],
  },
  { key: "nll", title: "Negative log-likelihood", with: [], lines: [{ name: "nll", text: "loss" }] },
  { key: "temperature", title: "Temperature", with: [1], lines: [{ name: "temperature_mean", text: "mean", band: "temperature_deviation" }] },
];

function epochs(training: Training, panel: Panel): Epoch[] {
  const values = (name?: LineName) => training.lines.find((l) => l.name === name)?.values ?? [];
  return panel.lines.flatMap(({ name, text, band }) => {
    const spread = values(band);
    return values(name).flatMap((value, i) => {
      if (value === null) return [];
      const half = spread[i] ?? 0;
      return [{ epoch: i + 1, value, low: value - half, high: value + half, line: text }];
    });
  });
}

/** A row per arm that trained; each kind of chart has the same scale for all of them. */
export function training_charts(context: Context, training: Training[]): HTMLElement[] {
  const shown = panels
    .map((panel) => ({ panel, all: training.flatMap((t) => epochs(t, panel)) }))
    .filter(({ all }) => all.length > 0);
  return training.map((t) =>
    el(
      "div",
      { class: "arm-row" },
      el("h4", {}, arm_name(context.page, t.arm)),
      grid(
        context,
        260,
        // Not every calibrator tells of every kind.
        shown.filter(({ panel }) => epochs(t, panel).length > 0).map(({ panel, all }) => (width: number) => {
          const natives = panel.native ? training.flatMap((other) => other.native ?? []) : [];
          const domain = extent([...panel.with, ...natives, ...all.flatMap((d) => [d.low, d.high])]);
          return epoch_chart(context, width, t, panel, domain, Math.max(2, ...all.map((d) => d.epoch)));
        }),
        shown.length,
      ),
    ),
  );
}

function epoch_chart(context: Context, width: number, training: Training, panel: Panel, domain: [number, number], last: number): HTMLElement {
  const { page } = context;
  const { arm } = training;
  const rows = epochs(training, panel);
  const native = panel.native ? (training.native ?? null) : null;
  const { color, symbol } = look(page, arm);
  const [first, second] = panel.lines.map((l) => rows.filter((d) => d.line === l.text));
  const banded = rows.some((d) => d.high > d.low);
  const lines = [
    panel.lines.length > 1 && first?.length ? "Full line: test." : "",
    second?.length ? "Dashed: validation." : "",
    native !== null ? `Level, dotted: test without calibrator (${score(native)}).` : "",
  ].filter(Boolean);
  const about = lines.length > 0 ? lines.join(" ") : banded ? "Band: one standard deviation of the samples." : undefined;
  return figure<Epoch>(context, width, {
    key: `training/${arm}/${panel.key}`,
    title: panel.title,
    label: `${panel.title} over the epochs, ${arm_label(page, arm)}`,
    height: 190,
    about,
    draw: (w, h) =>
      plot(w, h, {
        x: { domain: [1, last], ticks: ticks(last, w).map((t) => Math.max(1, t)), tickFormat: (d: number) => String(d), label: "epoch" },
        y: { domain, label: null, ticks: 4, nice: true },
        marks: [
          rules(4),
          native !== null ? Plot.ruleY([native], { stroke: "var(--soft)", strokeWidth: 1.4, strokeDasharray: "1 3", className: "native" }) : null,
          banded ? Plot.areaY(rows, { x: "epoch", y1: "low", y2: "high", fill: color, fillOpacity: 0.16 }) : null,
          Plot.line(first, { x: "epoch", y: "value", stroke: color, strokeWidth: 1.8 }),
          first.length <= 30 ? Plot.dot(first, { x: "epoch", y: "value", fill: color, symbol, r: 2.6 }) : null,
          second ? Plot.line(second, { x: "epoch", y: "value", stroke: color, strokeWidth: 1.4, strokeDasharray: "5 3" }) : null,
          Plot.tip(rows, Plot.pointer({ x: "epoch", y: "value", title: (d: Epoch) => `epoch ${d.epoch}\n${d.line} ${score(d.value)}${banded ? ` ± ${score(d.high - d.value)}` : ""}` })),
        ],
      }),
    numbers: {
      rows,
      columns: [
        { key: "epoch", title: "Epoch", numeric: true, value: (d) => d.epoch },
        { key: "line", title: "Of", value: (d) => d.line },
        { key: "value", title: panel.title, numeric: true, value: (d) => d.value, show: (d) => score(d.value) },
        ...(banded ? [{ key: "deviation", title: "Deviation", numeric: true, value: (d: Epoch) => d.high - d.value, show: (d: Epoch) => score(d.high - d.value) }] : []),
      ],
    },
  });
}

/** Temperature of every point against one of the axes. */
export function temperature_chart(context: Context, width: number, data: Temperatures, axis: string, range: { x: [number, number]; temperature: [number, number] }): HTMLElement {
  const { page } = context;
  const rows = along(data, axis);
  const name = (d: TemperaturePoint) => named(page.names[d.name] ?? `name ${d.name}`);
  const place = { x: "x", y: "temperature" };
  return figure<TemperaturePoint>(context, width, {
    key: `temperature/${data.arm}`,
    title: arm_name(page, data.arm),
    label: `Temperature against ${axis}, ${arm_label(page, data.arm)}`,
    height: 260,
    draw: (w, h) =>
      plot(w, h, {
        marginTop: 24,
        x: { domain: range.x, nice: true, label: visible(axis), ticks: 5 },
        y: { domain: range.temperature, nice: true, label: "temperature", ticks: 5 },
        marks: [
          rules(5),
          range.temperature[0] < 1 && range.temperature[1] > 1 ? Plot.ruleY([1], { stroke: "var(--soft)", strokeDasharray: "4 3" }) : null,
          Plot.dot(rows.filter((d) => d.right), { ...place, r: 2, fill: "var(--one)", fillOpacity: 0.5 }),
          Plot.dot(rows.filter((d) => !d.right), { ...place, r: 2.6, symbol: "times", stroke: "var(--two)", strokeWidth: 1.2, strokeOpacity: 0.8 }),
          Plot.tip(rows, Plot.pointer({ ...place, title: (d: TemperaturePoint) => `${clip(name(d), 40)}, ${d.right ? "right" : "wrong"}\ntemperature ${score(d.temperature)}\n${visible(axis)} ${score(d.x)}` })),
        ],
      }),
    numbers: {
      rows: rows,
      columns: [
        { key: "name", title: "True class", value: name },
        { key: "right", title: "Named", value: (d) => (d.right ? "right" : "wrong") },
        { key: "temperature", title: "Temperature", numeric: true, value: (d) => d.temperature, show: (d) => score(d.temperature) },
        { key: "x", title: visible(axis), numeric: true, value: (d) => d.x, show: (d) => score(d.x) },
      ],
    },
  });
}

const class_rows = 16;
const class_points = 5; // the mean of fewer says little

/** Mean temperature by true class, as bars from the mean of all points. */
export function class_chart(context: Context, width: number, data: Temperatures): HTMLElement {
  const { page } = context;
  const name = (d: ClassTemperature) => named(page.names[d.name] ?? `name ${d.name}`);
  const every = class_temperatures(data.points, 1);
  const enough = class_temperatures(data.points, class_points);
  const rows = enough.length > 0 ? enough : every;
  const drawn = rows.slice(0, class_rows);
  const all = mean(data.points.map(([, , temperature]) => temperature));
  const ends = drawn.flatMap((d) => [d.mean - (d.error ?? 0), d.mean + (d.error ?? 0)]);
  const place = { y: (d: ClassTemperature) => drawn.indexOf(d) + 0.5 };
  const left_out = every.length - rows.length;
  return figure<ClassTemperature>(context, width, {
    key: `class-temperature/${data.arm}`,
    title: arm_name(page, data.arm),
    label: `Mean temperature by true class, ${arm_label(page, data.arm)}`,
    height: 46 + 17 * drawn.length,
    about: [
      `From the mean of all, ${score(all, 2)}; whiskers: standard error.`,
      rows.length > drawn.length ? ` The ${drawn.length} most deviating of ${rows.length} classes.` : " Most deviating first.",
      left_out > 0 ? ` ${left_out} with fewer than ${class_points} samples here are left out.` : "",
    ],
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: Math.min(150, Math.round(w * 0.36)),
        marginRight: 40,
        marginTop: 6,
        x: { domain: [Math.min(all, ...ends), Math.max(all, ...ends)], nice: true, label: "temperature", ticks: 4 },
        y: { domain: [0, drawn.length], reverse: true, axis: null },
        marks: [
          Plot.gridX({ stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.rect(drawn, { x1: all, x2: "mean", y1: (d: ClassTemperature) => drawn.indexOf(d), y2: (d: ClassTemperature) => drawn.indexOf(d) + 1, insetTop: 3, insetBottom: 3, fill: look(page, data.arm).color, fillOpacity: 0.75 }),
          Plot.ruleY(drawn.filter((d) => d.error !== null), { ...place, x1: (d: ClassTemperature) => d.mean - d.error!, x2: (d: ClassTemperature) => d.mean + d.error!, stroke: "var(--ink)", strokeWidth: 1 }),
          Plot.ruleX([all], { stroke: "var(--soft)" }),
          Plot.text(drawn, { ...place, frameAnchor: "left", textAnchor: "end", dx: -8, text: (d: ClassTemperature) => clip(name(d), w < 380 ? 13 : 18), fill: "var(--ink)" }),
          Plot.text(drawn, { ...place, frameAnchor: "right", textAnchor: "start", dx: 6, text: (d: ClassTemperature) => short(d.samples), fill: "var(--soft)", fontSize: 10 }),
          Plot.tip(drawn, Plot.pointerY({ ...place, x: "mean", title: (d: ClassTemperature) => `${clip(name(d), 40)}\nmean ${score(d.mean)} (${signed(d.deviation)})\n${count(d.samples)} samples` })),
        ],
      }),
    numbers: {
      rows: every,
      columns: [
        { key: "name", title: "True class", value: name },
        { key: "samples", title: "Samples", numeric: true, value: (d) => d.samples },
        { key: "mean", title: "Mean temperature", numeric: true, value: (d) => d.mean, show: (d) => score(d.mean) },
        { key: "error", title: "Standard error", numeric: true, value: (d) => d.error, show: (d) => (d.error === null ? missing : score(d.error)) },
        { key: "deviation", title: "Difference to all", numeric: true, value: (d) => d.deviation, show: (d) => signed(d.deviation) },
      ],
    },
  });
}
