// SPDX-License-Identifier: Apache-2.0
// Charts of tests: the stream of one, accuracy before and after the change, and paired differences.
import * as Plot from "@observablehq/plot";
import type { Ranged, Tests } from "./data";
import { figure, plot } from "./charts";
import { el, named } from "./dom";
import { count, percent, range_text, score } from "./format";
import { arm_label, arm_name } from "./looks";
import type { Context } from "./section";
import { answers, points, round_at } from "./streams";
import type { Sample, Stream, Test } from "./streams";

type Scores = Tests["scores"][number];
type Difference = Tests["differences"][number];

const settings: Record<string, { text: string; about: string; color: string; dash: string; symbol: Plot.SymbolType }> = {
  system: { text: "finds out", about: "The moment of the change must be found out.", color: "var(--one)", dash: "none", symbol: "circle" },
  given: { text: "is told", about: "The moment of the change is told.", color: "var(--two)", dash: "7 3", symbol: "square" },
  ignored: { text: "told, ignores", about: "The moment is told and not acted upon.", color: "var(--soft)", dash: "2 3", symbol: "triangle" },
};

export function setting_look(setting: string) {
  return settings[setting] ?? { text: setting, about: "", color: "var(--arm-3)", dash: "4 2", symbol: "diamond" as Plot.SymbolType };
}

/** All in one path: a stream has thousands. */
function path_mark(samples: Sample[], color: string, piece: (x: number, y: number, sample: Sample) => string, y_of: (s: Sample) => number | string | null): Plot.Markish {
  return ((_: number[], scales: { x?: (v: number) => number; y?: (v: number | string) => number }) => {
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    let d = "";
    for (const sample of samples) {
      const y = y_of(sample);
      if (y !== null) d += piece(Math.round(10 * scales.x!(sample.at + 1)) / 10, Math.round(10 * scales.y!(y)) / 10, sample);
    }
    path.setAttribute("d", d);
    path.setAttribute("stroke", color);
    path.setAttribute("fill", "none");
    path.setAttribute("stroke-width", "1.3");
    group.setAttribute("aria-label", "dot");
    group.append(path);
    return group;
  }) as unknown as Plot.Markish;
}

const ring = (x: number, y: number) => `M${x - 1.7},${y}a1.7,1.7 0 1,0 3.4,0a1.7,1.7 0 1,0 -3.4,0`;
const cross = (x: number, y: number) => `M${x - 2.3},${y - 2.3}l4.6,4.6m0,-4.6l-4.6,4.6`;
const upright = (x: number, y: number) => `M${x},${y - 5}v10`;

interface Moment {
  at: number;
  text: string;
  color: string;
  dash: string;
}

export function moments_of(test: Test, declared: number | null): Moment[] {
  const all: [number | null, string, string, string][] = [
    [test.change, "the world changes", "var(--two)", "none"],
    [test.first_novel, "first novel sample", "var(--two)", "2 3"],
    [declared, "change declared", "var(--ink)", "6 3"],
  ];
  return all.flatMap(([at, text, color, dash]) => (at === null ? [] : [{ at, text: `${text}: ${count(at + 1)}`, color, dash }]));
}

export function stream_chart(context: Context, width: number, test: Test, stream: Stream, samples: Sample[], declared: number | null): HTMLElement {
  const { names } = context.page;
  const name = (id: number) => named(names[id] ?? `name ${id}`);
  const said = (s: Sample) => ({ right: "named right", wrong: `taken for ${name(s.said)}`, unknown: "called unknown", cluster: `put into ${name(s.said)}` })[s.answer];
  const title = (s: Sample) =>
    `sample ${count(s.at + 1)}, round ${round_at(test, s.at)}\n${name(s.truth)}${s.novel ? ", novel" : ""}: ${said(s)}\nnovelty ${score(s.novelty)}, p(changed) ${score(s.changed, 2)}`;
  const label = `Test ${test.id}, ${arm_label(context.page, stream.arm)}, ${setting_look(stream.setting).text}`;
  return figure<Sample>(context, width, {
    key: "stream",
    title: [arm_name(context.page, stream.arm), " ", named(test.id)],
    label: `${label}: p(changed), novelty and answers along the stream`,
    height: 470,
    draw: (w, h) => draw_stream(w, h, test, stream, samples, moments_of(test, declared), title),
    numbers: {
      rows: samples,
      columns: [
        { key: "at", title: "Sample", numeric: true, value: (s) => s.at + 1 },
        { key: "round", title: "Round", numeric: true, value: (s) => round_at(test, s.at) },
        { key: "truth", title: "Truth", value: (s) => name(s.truth) },
        { key: "novel", title: "Novel", value: (s) => (s.novel ? "novel" : "known") },
        { key: "said", title: "Said", value: (s) => name(s.said) },
        { key: "novelty", title: "Novelty", numeric: true, value: (s) => s.novelty, show: (s) => score(s.novelty) },
        { key: "changed", title: "p(changed)", numeric: true, value: (s) => s.changed, show: (s) => score(s.changed, 2) },
      ],
    },
  });
}

function draw_stream(width: number, height: number, test: Test, stream: Stream, samples: Sample[], moments: Moment[], title: (s: Sample) => string): Element {
  const x = { domain: [1, Math.max(2, test.samples)] };
  const rounds = test.rounds.map((at) => at + 1);
  const sides = { marginLeft: 64, marginRight: 10 };
  const rules = [
    Plot.ruleX(rounds.length <= width / 5 ? rounds : [], { stroke: "var(--rule)" }),
    moments.map((m) => Plot.ruleX([m.at + 1], { stroke: m.color, strokeDasharray: m.dash, strokeWidth: 1.4 })),
  ];
  const known = samples.filter((s) => !s.novel);
  const novel = samples.filter((s) => s.novel);
  const told = samples.some((s) => s.changed !== null);
  const scored = samples.some((s) => s.novelty !== null);
  const lanes = [...answers.filter((a) => samples.some((s) => s.answer === a)), ...(stream.granted.length > 0 ? ["labels"] : [])] as string[];
  const lane_height = 15 * lanes.length + 42;
  const top_height = told ? 120 : 46;
  const late = (m: Moment) => m.at > test.samples * 0.6;
  // The x axis is that of the lowest chart; beneath the others it would say the same again.
  const upper = plot(width, top_height, {
    ...sides,
    x: { ...x, axis: null },
    y: { domain: [0, 1], ticks: told ? [0, 0.5, 1] : [], label: null, tickFormat: (d: number) => score(d, 1) },
    marginTop: 14 * moments.length + 4,
    marginBottom: 4,
    marks: [
      rules,
      told ? Plot.ruleY([0.5], { stroke: "var(--edge)", strokeDasharray: "1 3" }) : null,
      told ? Plot.line(samples, { x: (s: Sample) => s.at + 1, y: "changed", stroke: "var(--ink)", strokeWidth: 1.8, curve: "step-after" }) : null,
      moments.map((m, i) =>
        Plot.text([m], { x: m.at + 1, text: () => m.text, frameAnchor: "top", textAnchor: late(m) ? "end" : "start", dx: late(m) ? -4 : 4, dy: -14 * (moments.length - i), fill: "var(--ink)" }),
      ),
      told ? Plot.tip(samples, Plot.pointerX({ x: (s: Sample) => s.at + 1, y: "changed", title })) : null,
    ],
  });
  const middle = scored
    ? plot(width, Math.max(140, height - top_height - lane_height - 60), {
        ...sides,
        x: { ...x, axis: null },
        y: { label: null, ticks: 4, domain: [stream.low, stream.high], tickFormat: (d: number) => score(d, 2) },
        marginTop: 8,
        marginBottom: 6,
        marks: [
          rules,
          path_mark(known, "var(--one)", ring, (s) => s.novelty),
          path_mark(novel, "var(--two)", cross, (s) => s.novelty),
          Plot.tip(samples.filter((s) => s.novelty !== null), Plot.pointer({ x: (s: Sample) => s.at + 1, y: "novelty", title })),
        ],
      })
    : null;
  const granted = stream.granted.map(([round, labels]) => ({ at: (test.rounds[round] ?? test.samples) + 1, labels }));
  const lower = plot(width, lane_height, {
    ...sides,
    marginTop: 4,
    x: { ...x, label: "sample", ticks: Math.max(3, Math.floor(width / 90)) },
    y: { type: "point", padding: 0.5, domain: lanes, label: null, tickSize: 0 },
    marks: [
      rules,
      path_mark(known, "var(--one)", upright, (s) => s.answer),
      path_mark(novel, "var(--two)", upright, (s) => s.answer),
      Plot.text(granted, { x: "at", y: () => "labels", text: (g: { labels: number }) => String(g.labels), fill: "var(--ink)", fontSize: granted.length > width / 18 ? 7 : 11 }),
      Plot.tip(samples, Plot.pointer({ x: (s: Sample) => s.at + 1, y: "answer", title })),
    ],
  });
  const caption = (text: string) => el("div", { class: "panel-title" }, text);
  return el("div", {}, caption("p(the world has changed)"), upper, scored ? [caption("novelty score"), middle] : null, caption("what was said"), lower);
}

export interface Part {
  setting: string;
  part: string;
  value: Ranged;
}

/** Accuracy before the change, after it and at the end, a line per setting. */
export function parts_chart(context: Context, width: number, arm: number, parts: string[], rows: Part[]): HTMLElement {
  const shown = [...new Set(rows.map((r) => r.setting))];
  const values = rows.flatMap((r) => r.value).filter((v): v is number => v !== null);
  const low = Math.max(0, Math.floor(10 * (Math.min(...values) - 0.02)) / 10);
  const offset = (r: Part) => parts.indexOf(r.part) + 0.09 * (shown.indexOf(r.setting) - (shown.length - 1) / 2);
  return figure<Part>(context, width, {
    key: `parts/${arm}`,
    title: arm_name(context.page, arm),
    label: `Accuracy before and after the change, ${arm_label(context.page, arm)}`,
    height: 220,
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: 48,
        x: { domain: [-0.35, parts.length - 0.65], ticks: parts.map((_, i) => i), tickFormat: (i: number) => parts[i], tickSize: 0, label: null },
        y: { domain: [low, 1], label: null, ticks: 5, tickFormat: (d: number) => percent(d) },
        marks: [
          Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
          shown.flatMap((setting) => {
            const { color, dash, symbol } = setting_look(setting);
            const own = rows.filter((r) => r.setting === setting && r.value[0] !== null);
            return [
              Plot.ruleX(own.filter((r) => r.value[1] !== null), { x: offset, y1: (r: Part) => r.value[1], y2: (r: Part) => r.value[2], stroke: color, strokeWidth: 1.4 }),
              Plot.line(own, { x: offset, y: (r: Part) => r.value[0], stroke: color, strokeDasharray: dash, strokeWidth: 1.6 }),
              Plot.dot(own, { x: offset, y: (r: Part) => r.value[0], fill: color, symbol, r: 4 }),
            ];
          }),
          Plot.tip(rows.filter((r) => r.value[0] !== null), Plot.pointer({ x: offset, y: (r: Part) => r.value[0], title: (r: Part) => `${setting_look(r.setting).text}, ${r.part}\n${range_text(r.value)}` })),
        ],
      }),
    numbers: {
      rows,
      columns: [
        { key: "setting", title: "Setting", value: (r) => setting_look(r.setting).text },
        { key: "part", title: "Part", value: (r) => r.part },
        { key: "value", title: "Accuracy", numeric: true, value: (r) => r.value[0], show: (r) => range_text(r.value) },
      ],
    },
  });
}

/** What being told buys, test by test and over all of them, for one measure. */
export function difference_chart(context: Context, width: number, measure: number, title: string, differences: Difference[], scores: Scores[]): HTMLElement {
  const { page } = context;
  const row_name = (d: { arm: number; from: string }) => `${arm_label(page, d.arm)}\n${setting_look(d.from).text}`;
  const values_of = (arm: number, setting: string) =>
    new Map(scores.find((s) => s.arm === arm && s.setting === setting)?.rows.map((r) => [r.test, r.values[measure]] as const) ?? []);
  const singles = differences.flatMap((d) => {
    const from = values_of(d.arm, d.from);
    return [...values_of(d.arm, d.to)].flatMap(([test, to]) => {
      const before = from.get(test);
      return to === null || before === null || before === undefined ? [] : [{ row: row_name(d), by: 100 * (to - before) }];
    });
  });
  const rows = differences.map((d) => ({ ...d, row: row_name(d), value: d.values[measure].map((v) => (v === null ? null : 100 * v)) as Ranged }));
  type Row = (typeof rows)[number];
  const reach = Math.max(1, ...singles.map((s) => Math.abs(s.by)), ...rows.flatMap((r) => r.value.map((v) => Math.abs(v ?? 0))));
  return figure<Row>(context, width, {
    key: `difference/${measure}`,
    title,
    label: `Accuracy ${title} where the moment is told, less accuracy where it is not`,
    height: 52 * rows.length + 44,
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: Math.min(150, w * 0.36),
        marginTop: 4,
        x: { domain: [-1.08 * reach, 1.08 * reach], ticks: w < 320 ? 3 : 5, label: "points" },
        y: { type: "band", domain: rows.map((r) => r.row), label: null, tickSize: 0 },
        marks: [
          Plot.ruleX([0], { stroke: "var(--soft)" }),
          Plot.dot(singles, { x: "by", y: "row", r: 2.5, stroke: "var(--soft)", strokeOpacity: 0.7, dy: 9 }),
          Plot.ruleY(rows.filter((r) => r.value[1] !== null), { y: "row", x1: (r: Row) => r.value[1], x2: (r: Row) => r.value[2], stroke: "var(--ink)", strokeWidth: 1.6 }),
          Plot.dot(rows, { x: (r: Row) => r.value[0], y: "row", fill: "var(--ink)", symbol: "diamond", r: 5 }),
          Plot.tip(rows, Plot.pointer({ x: (r: Row) => r.value[0], y: "row", title: (r: Row) => `${r.row.replace("\n", ": ")}\n${points(r.values[measure][0])} points, ${r.pairs} tests` })),
        ],
      }),
    numbers: {
      rows,
      columns: [
        { key: "row", title: "Arm", value: (r) => arm_label(page, r.arm) },
        { key: "from", title: "Against", value: (r) => setting_look(r.from).text },
        { key: "pairs", title: "Tests", numeric: true, value: (r) => r.pairs },
        { key: "value", title: "Points", numeric: true, value: (r) => r.value[0], show: (r) => range_text(r.value) },
      ],
    },
  });
}
