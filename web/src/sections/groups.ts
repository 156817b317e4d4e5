// SPDX-License-Identifier: Apache-2.0
// Measures by the values of an annotation column: the main ones side by side, or any one of them.
import * as Plot from "@observablehq/plot";
import type { Groups, MeasureText } from "../data";
import { figure, grid, nothing, plot } from "../charts";
import { bar, choice } from "../controls";
import { clip, el, name_text, named } from "../dom";
import { count, range_text, ranged, score } from "../format";
import { arm_label, arm_name, look } from "../looks";
import { register } from "../section";
import type { Context } from "../section";
import { table } from "../table";
import { arrowed } from "./summary";

type Row = Groups["columns"][number]["rows"][number];

register<Groups>("groups", (data, context) => {
  const { page } = context;
  const columns = data.columns.filter((c) => c.rows.some((r) => context.arms.includes(r.arm)));
  if (columns.length === 0) return nothing("No arm is chosen, or the samples have no annotations.");
  const several = new Set(columns.map((c) => c.run)).size > 1;
  const column = choice(context, "column", "By", columns.map((c, i) => ({
    value: String(i),
    text: several ? `${page.runs[c.run]?.name ?? "?"} · ${c.column}` : c.column,
  })));
  const shown = columns[Number(column.value)] ?? columns[0];
  const main = shown.measures.slice(0, shown.main);
  const measure = choice(context, "measure", "Measure", [
    { value: "", text: main.map((m) => m.title).join(", ") },
    ...shown.measures.map((m) => ({ value: m.name, text: m.title, about: m.meaning })),
  ]);
  const at = shown.measures.findIndex((m) => m.name === measure.value);
  const drawn = at < 0 ? main.map((_, i) => i) : [at];
  const rows = shown.rows.filter((r) => context.arms.includes(r.arm));
  return [
    bar(column.node, measure.node),
    grid(context, 280, drawn.map((i) => (width) => dots(context, drawn.length === 1 ? Math.min(width, 900) : width, rows, shown.measures[i], i)), 3),
    shown.note ? el("p", { class: "about" }, shown.note) : null,
    table<Row>(context, "groups", {
      caption: `Measures by ${shown.column}`,
      rows,
      page: 20,
      search: (r) => `${r.group} ${arm_label(page, r.arm)}`,
      search_label: "Search a group",
      columns: [
        { key: "group", title: shown.column, value: (r) => r.group, show: (r) => name_text(r.group) },
        { key: "arm", title: "Arm", value: (r) => arm_label(page, r.arm), show: (r) => arm_name(page, r.arm) },
        { key: "samples", title: "Samples", numeric: true, value: (r) => r.samples, show: (r) => count(r.samples) },
        ...shown.measures.map((m, i) => ({
          key: m.name,
          title: arrowed(m),
          about: m.meaning,
          numeric: true,
          value: (r: Row) => r.values[i]?.[0] ?? null,
          show: (r: Row) => ranged(r.values[i] ?? [null, null, null]),
        })),
      ],
    }),
  ];
});

function dots(context: Context, width: number, rows: Row[], measure: MeasureText, at: number): HTMLElement {
  const { page } = context;
  const drawn = rows.filter((r) => r.values[at]?.[0] !== null && r.values[at] !== undefined);
  const names = [...new Set(drawn.map((r) => r.group))];
  const arms = [...new Set(drawn.map((r) => r.arm))];
  const height = 50 + names.length * Math.max(20, 13 * arms.length + 6);
  const value = (r: Row) => r.values[at][0]!;
  const values = drawn.flatMap((r) => r.values[at]).filter((v): v is number => v !== null);
  const shares = values.every((v) => v >= 0 && v <= 1);
  // One row per group; the arms of a group stand below one another in it.
  const place = (r: Row) => names.indexOf(r.group) + (arms.indexOf(r.arm) + 1) / (arms.length + 1);
  return figure<Row>(context, width, {
    key: `groups/${measure.name}`,
    title: el("span", { title: measure.meaning }, arrowed(measure)),
    label: `${measure.title} by group`,
    height,
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: w < 480 ? 96 : 150,
        marginTop: 8,
        x: { label: null, domain: shares ? [0, 1] : undefined, ticks: 6 },
        y: { domain: [0, names.length], reverse: true, axis: null },
        marks: [
          Plot.gridX({ stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.ruleY(names.map((_, i) => i), { stroke: "var(--rule)" }),
          Plot.text(names, { x: shares ? 0 : Math.min(...values), y: (_: string, i: number) => i + 0.5, text: (n: string) => clip(named(n), w < 480 ? 13 : 22), textAnchor: "end", dx: -12, fill: "var(--ink)" }),
          arms.flatMap((arm) => {
            const { color, symbol } = look(page, arm);
            const own = drawn.filter((r) => r.arm === arm);
            return [
              Plot.ruleY(own.filter((r) => r.values[at][1] !== null), { y: place, x1: (r: Row) => r.values[at][1], x2: (r: Row) => r.values[at][2], stroke: color, strokeWidth: 1.4 }),
              Plot.dot(own, { y: place, x: value, fill: color, symbol, r: 4 }),
            ];
          }),
          Plot.tip(drawn, Plot.pointer({ x: value, y: place, title: (r: Row) => `${clip(r.group, 60)}\n${arm_label(page, r.arm)}\n${range_text(r.values[at])}, ${count(r.samples)} samples` })),
        ],
      }),
    about: drawn.length === 0 ? "No group has a value." : `Smallest ${score(Math.min(...drawn.map(value)))}, largest ${score(Math.max(...drawn.map(value)))}.`,
  });
}
