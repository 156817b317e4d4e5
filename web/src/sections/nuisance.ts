// SPDX-License-Identifier: Apache-2.0
// Tolerance to change that should not matter: what each nuisance costs, and samples shown under it.
import * as Plot from "@observablehq/plot";
import type { MeasureText, Nuisance, Ranged } from "../data";
import { figure, grid, nothing, plot } from "../charts";
import { bar, choice } from "../controls";
import { clip, el, name_text, named, visible } from "../dom";
import { count, percent, range_text, ranged } from "../format";
import { arm_label, arm_name, look, repeats } from "../looks";
import { numbered, picture } from "../pictures";
import { register } from "../section";
import type { Context } from "../section";
import { table } from "../table";
import type { Column } from "../table";
import { glossary } from "./summary";

type NuisanceArm = Nuisance["arms"][number];
type Shelf = Nuisance["shelves"][number];

interface Row {
  arm: number;
  name: string; // "": as they are
  samples: number;
  values: Ranged[];
  loss: Ranged[];
}

register<Nuisance>("nuisance", (data, context) => {
  const arms = data.arms.filter((a) => context.arms.includes(a.arm) && a.rows.length > 0);
  if (arms.length === 0) return nothing("No arm is chosen, or none of them was shown samples under a nuisance.");
  const rows: Row[] = arms.flatMap((a) => a.rows.map((r) => ({ arm: a.arm, ...r })));
  const unpaired = arms.some((a) => a.rows.some((r) => r.pairs === 0));
  return [
    el("ul", { class: "findings" }, arms.map((a) => el("li", {}, finding(context, a)))),
    grid(context, 420, data.measures.map((measure, i) => (width: number) => chart(context, width, rows, measure, i))),
    el("p", { class: "about" }, `Strokes: ${data.interval}.`, unpaired ? " Where other samples were shown under a nuisance, a loss is the difference of two values, without an interval." : ""),
    numbers(context, data, arms),
    glossary(data.measures),
    gallery(context, data, arms),
  ];
});

/** The dearest and the cheapest, by the first measure. */
function finding(context: Context, arm: NuisanceArm) {
  const losses = arm.rows.filter((r) => r.loss[0][0] !== null).sort((a, b) => b.loss[0][0]! - a.loss[0][0]!);
  if (losses.length === 0) return [name_text(arm_label(context.page, arm.arm)), ": nothing can be said."];
  const told = ({ name, loss: [[value, low, high]] }: NuisanceArm["rows"][number], unit = "") => [
    name_text(name),
    `, ${points(value!)}${unit}`,
    low !== null && high !== null ? ` (${points(low)} to ${points(high)}${low <= 0 && high >= 0 ? ", may be chance" : ""})` : "",
  ];
  return [
    name_text(arm_label(context.page, arm.arm)),
    `: of ${percent(arm.values[0][0])} right `,
    losses.length > 1 ? ["most is lost to ", told(losses[0], " points"), ", and least to ", told(losses[losses.length - 1])] : ["there are lost to ", told(losses[0], " points")],
    ".",
  ];
}

function points(value: number): string {
  return (100 * value).toFixed(1).replace(/^-(?=.*[1-9])/, "−").replace(/^-/, "");
}

/** A row for each nuisance; the arms stand below one another in it. */
function chart(context: Context, width: number, rows: Row[], measure: MeasureText, at: number): HTMLElement {
  const { page } = context;
  const drawn = rows.filter((r) => r.loss[at]?.[0] !== null);
  const names = [...new Set(drawn.map((r) => r.name))];
  const arms = [...new Set(drawn.map((r) => r.arm))];
  const value = (r: Row) => r.loss[at][0]!;
  const all = drawn.flatMap((r) => r.loss[at]).filter((v): v is number => v !== null);
  const low = Math.min(0, ...all);
  const high = Math.max(0.02, ...all);
  const margin = 0.04 * (high - low);
  const place = (r: Row) => names.indexOf(r.name) + (arms.indexOf(r.arm) + 1) / (arms.length + 1);
  return figure<Row>(context, width, {
    key: `loss/${measure.name}`,
    title: el("span", { title: measure.meaning }, `Lost of ${visible(measure.title)}\u00a0↓`),
    label: `Loss of ${measure.title} by nuisance`,
    height: 50 + names.length * Math.max(22, 13 * arms.length + 8),
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: 118,
        marginTop: 8,
        x: { label: null, domain: [low < 0 ? low - margin : low, high + margin], ticks: 5 },
        y: { domain: [0, names.length], reverse: true, axis: null },
        marks: [
          Plot.gridX({ ticks: 5, stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.ruleY(names.map((_, i) => i), { stroke: "var(--rule)" }),
          Plot.ruleX([0], { stroke: "var(--soft)" }),
          Plot.text(names, { frameAnchor: "left", y: (_: string, i: number) => i + 0.5, text: (n: string) => clip(named(n), 17), textAnchor: "end", dx: -10, fill: "var(--ink)" }),
          arms.flatMap((arm) => {
            const { color, symbol } = look(page, arm);
            const own = drawn.filter((r) => r.arm === arm);
            return [
              Plot.ruleY(own.filter((r) => r.loss[at][1] !== null), { y: place, x1: (r: Row) => r.loss[at][1], x2: (r: Row) => r.loss[at][2], stroke: color, strokeWidth: 1.4 }),
              Plot.dot(own, { y: place, x: value, fill: color, symbol, r: 4 }),
            ];
          }),
          Plot.tip(drawn, Plot.pointer({ x: value, y: place, title: (r: Row) => `${clip(named(r.name), 60)}\n${arm_label(page, r.arm)}\n${range_text(r.values[at])}, lost ${range_text(r.loss[at])}` })),
        ],
      }),
  });
}

function numbers(context: Context, data: Nuisance, arms: NuisanceArm[]): HTMLElement {
  const { page } = context;
  const none: Ranged = [null, null, null];
  const rows: Row[] = arms.flatMap((a) => [
    { arm: a.arm, name: "", samples: a.samples, values: a.values, loss: [] },
    ...a.rows.map((r) => ({ arm: a.arm, ...r })),
  ]);
  return table<Row>(context, "numbers", {
    caption: "Values under each nuisance, and what is lost",
    rows,
    columns: [
      { key: "arm", title: "Arm", value: (r) => arm_label(page, r.arm), show: (r) => arm_name(page, r.arm) },
      { key: "name", title: "Shown", value: (r) => (r.name === "" ? "as they are" : visible(r.name)), show: (r) => (r.name === "" ? "as they are" : name_text(r.name)) },
      { key: "samples", title: "Samples", numeric: true, value: (r) => r.samples, show: (r) => count(r.samples) },
      ...data.measures.flatMap((measure, i): Column<Row>[] => [
        { key: measure.name, title: `${visible(measure.title)}\u00a0↑`, about: measure.meaning, numeric: true, value: (r) => r.values[i][0], show: (r) => ranged(r.values[i]) },
        { key: `${measure.name}/loss`, title: "lost\u00a0↓", about: "As they are, less under the nuisance.", numeric: true, value: (r) => r.loss[i]?.[0] ?? null, show: (r) => ranged(r.loss[i] ?? none) },
      ]),
    ],
  });
}

function gallery(context: Context, data: Nuisance, arms: NuisanceArm[]) {
  const { page } = context;
  const own = data.shelves.filter((s) => arms.some((a) => a.arm === s.arm));
  if (own.length === 0) return null;
  const arm = choice(context, "arm", "Arm", [...new Set(own.map((s) => s.arm))].map((a) => ({ value: String(a), text: arm_label(page, a) })));
  const of_arm = own.filter((s) => String(s.arm) === arm.value);
  const name = choice(context, "name", "Nuisance", [...new Set(of_arm.map((s) => s.name))].map((n) => ({ value: n, text: n })));
  const shelves = of_arm.filter((s) => s.name === name.value);
  return [
    el("h3", {}, "Samples under a nuisance", el("span", { class: "question" }, `all of them named right as they are; first of the ${repeats(context.page)}`)),
    bar(arm.node, name.node),
    shelves.map((s) => [
      el("h4", { class: "later" }, s.right ? "Right all the same" : "Wrong now", el("span", { class: "question" }, `${s.items.length} of ${count(s.samples)}, the surest first`)),
      el("div", { class: "cards" }, s.items.map((item) => card(context, s, item))),
    ]),
  ];
}

function card(context: Context, shelf: Shelf, item: Shelf["items"][number]): HTMLElement {
  const name = (id: number) => name_text(context.page.names[id] ?? `name ${id}`);
  const media = numbered(context.page, item.media);
  return el(
    "article",
    { class: "card" },
    picture(media, item.sample),
    el("header", {}, name_text(item.sample)),
    el("div", {}, shelf.right ? "✓ " : "✗ ", name(item.said), item.confidence === null ? "" : ` ${percent(item.confidence)}`),
    shelf.right ? null : el("div", { class: "truth" }, "true: ", name(item.truth)),
    el("div", { class: "scores" }, `increment\u00a0${item.step}`, media && !item.changed ? " · the picture is as it was before" : ""),
  );
}
