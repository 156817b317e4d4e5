// SPDX-License-Identifier: Apache-2.0
// Was the new told from the known: scores, curves, the threshold and its error, discovered classes.
import * as Plot from "@observablehq/plot";
import type { Novelty } from "../data";
import { curve_chart, figure, grid, nothing, plot } from "../charts";
import { bar, choice } from "../controls";
import { el, name_text, visible } from "../dom";
import { count, percent, score } from "../format";
import { arm_label, arm_name, look } from "../looks";
import { register } from "../section";
import type { Context } from "../section";
import { table } from "../table";
import { swatch } from "./world";

type Curve = Novelty["curves"][number];
type Discovered = Novelty["discovered"][number];
type Alarm = Novelty["alarms"][number];

register<Novelty>("novelty", (data, context) => {
  const curves = data.curves.filter((c) => context.arms.includes(c.arm));
  const steps = [...new Set(curves.map((c) => c.step))].sort((a, b) => a - b);
  // At first the last increment that all of them have; runs may differ in length.
  const last = Math.min(...context.arms.map((arm) => Math.max(-1, ...curves.filter((c) => c.arm === arm).map((c) => c.step))).filter((s) => s >= 0));
  const step = choice(context, "step", "Increment", steps.map((s) => ({ value: String(s), text: s < 0 ? "all" : String(s) })), String(last));
  const shown = curves.filter((c) => String(c.step) === step.value);
  const points_of = (which: "roc" | "pr" | "oscr") => shown.map((c) => ({ arm: c.arm, points: c[which] }));
  const discovered = data.discovered.filter((d) => context.arms.includes(d.arm));
  const alarms = data.alarms.filter((a) => context.arms.includes(a.arm));
  return [
    bar(step.node),
    shown.length === 0 ? nothing("No arm is chosen, or no scores were recorded.") : null,
    shown.length > 0
      ? [
          el("h3", {}, "Scores", el("span", { class: "question" }, "the further apart the two, the better")),
          grid(context, 340, shown.map((curve) => (width: number) => histogram(context, width, curve))),
          el("p", { class: "about" }, swatch("one"), "upwards: known samples ", swatch("two"), "downwards: novel ones, each as shares of its own. Dashed line: from here on a sample is called new."),
          el("h3", {}, "Curves"),
          grid(context, 300, [
            (w: number) => curve_chart(context, w, { key: "roc", title: "ROC", x_label: "share of known called new", y_label: "share of novel called new", curves: points_of("roc"), diagonal: true }),
            (w: number) => curve_chart(context, w, { key: "pr", title: "Precision and recall", x_label: "recall of novel", y_label: "precision of novel", curves: points_of("pr") }),
            (w: number) => curve_chart(context, w, { key: "oscr", title: "OSCR", x_label: "novel samples let in", y_label: "known samples named right", curves: points_of("oscr") }),
          ]),
        ]
      : null,
    curves.length > 0 ? [el("h3", {}, "Thresholds: promised and real error"), error_part(context, curves)] : null,
    [el("h3", {}, "Discovered classes"), discovered.length > 0 ? discovered_table(context, discovered) : nothing("None was discovered.")],
    alarms.length > 0 ? [el("h3", {}, "Alarms", el("span", { class: "question" }, "did the stream as a whole change?")), alarm_table(context, alarms)] : null,
  ];
});

interface Bin {
  from: number;
  to: number;
  known: number;
  novel: number;
  known_share: number;
  novel_share: number;
}

function histogram(context: Context, width: number, curve: Curve): HTMLElement {
  const total = (list: number[]) => Math.max(1, list.reduce((a, b) => a + b, 0));
  const [known, novel] = [total(curve.known), total(curve.novel)];
  const bins: Bin[] = curve.known.map((_, i) => ({
    from: curve.edges[i],
    to: curve.edges[i + 1],
    known: curve.known[i],
    novel: curve.novel[i],
    known_share: curve.known[i] / known,
    novel_share: -curve.novel[i] / novel,
  }));
  const title = (d: Bin) => `score ${score(d.from)} to ${score(d.to)}\n${count(d.known)} known, ${count(d.novel)} novel`;
  return figure<Bin>(context, width, {
    key: `scores/${curve.arm}`,
    title: arm_name(context.page, curve.arm),
    label: `Novelty scores of known and novel samples, ${arm_label(context.page, curve.arm)}, increment ${curve.step}`,
    height: 200,
    draw: (w, h) =>
      plot(w, h, {
        marginLeft: 48,
        x: { label: "novelty score", ticks: 5 },
        y: { label: null, ticks: 5, tickFormat: (d: number) => percent(Math.abs(d)) },
        marks: [
          Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.rectY(bins, { x1: "from", x2: "to", y1: 0, y2: "known_share", fill: "var(--one)", fillOpacity: 0.85, insetLeft: 0.5 }),
          Plot.rectY(bins, { x1: "from", x2: "to", y1: 0, y2: "novel_share", fill: "var(--two)", fillOpacity: 0.85, insetLeft: 0.5 }),
          Plot.rectY(bins, { x1: "from", x2: "to", y1: 0, y2: "novel_share", fill: "url(#hatch)", insetLeft: 0.5 }),
          Plot.ruleY([0], { stroke: "var(--soft)" }),
          curve.threshold === null ? null : Plot.ruleX([curve.threshold], { stroke: "var(--ink)", strokeDasharray: "4 3" }),
          Plot.tip(bins, Plot.pointerX({ x: (d: Bin) => (d.from + d.to) / 2, y: (d: Bin) => d.known_share, title })),
        ],
      }),
    numbers: {
      rows: bins,
      columns: [
        { key: "from", title: "From", numeric: true, value: (d) => d.from, show: (d) => score(d.from) },
        { key: "to", title: "To", numeric: true, value: (d) => d.to, show: (d) => score(d.to) },
        { key: "known", title: "Known", numeric: true, value: (d) => d.known },
        { key: "novel", title: "Novel", numeric: true, value: (d) => d.novel },
      ],
    },
  });
}

function error_part(context: Context, curves: Curve[]): HTMLElement {
  const { page } = context;
  const difference = (c: Curve) => (c.real === null || c.promised === null ? null : c.real - c.promised);
  const arms = [...new Set(curves.map((c) => c.arm))];
  const promises = curves.filter((c) => c.promised !== null);
  return el(
    "div",
    {},
    grid(context, 420, [
      (width: number) =>
        figure<Curve>(context, width, {
          key: "errors",
          title: "Known samples called new",
          label: "Real error per increment against the promised one",
          height: 220,
          about: "Line with markers: what really happened. Thin level line: what was promised.",
          draw: (w, h) =>
            plot(w, h, {
              marginLeft: 48,
              x: { label: "increment", tickFormat: "d", ticks: Math.min(12, new Set(curves.map((c) => c.step)).size) },
              y: { zero: true, label: null, ticks: 5, tickFormat: (d: number) => percent(d) },
              marks: [
                Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
                arms.flatMap((arm) => {
                  const { color, dash, symbol } = look(page, arm);
                  const own = curves.filter((c) => c.arm === arm && c.real !== null).sort((a, b) => a.step - b.step);
                  return [
                    Plot.line(promises.filter((c) => c.arm === arm), { x: "step", y: "promised", stroke: color, strokeWidth: 0.9 }),
                    Plot.line(own, { x: "step", y: "real", stroke: color, strokeDasharray: dash, strokeWidth: 1.6 }),
                    Plot.dot(own, { x: "step", y: "real", fill: color, symbol, r: 3 }),
                  ];
                }),
                Plot.tip(curves.filter((c) => c.real !== null), Plot.pointer({ x: "step", y: "real", title: (c: Curve) => `${arm_label(page, c.arm)}, increment ${c.step}\nreal ${percent(c.real)}, promised ${percent(c.promised)}` })),
              ],
            }),
        }),
    ]),
    table<Curve>(context, "errors", {
      caption: "Thresholds: promised and real error",
      rows: curves,
      page: 12,
      columns: [
        { key: "arm", title: "Arm", value: (c) => arm_label(page, c.arm), show: (c) => arm_name(page, c.arm) },
        { key: "step", title: "Increment", numeric: true, value: (c) => c.step },
        { key: "threshold", title: "Threshold", about: "Novelty score from which a sample is called new.", numeric: true, value: (c) => c.threshold, show: (c) => score(c.threshold) },
        { key: "promised", title: "Promised error", about: "Share of known samples it was allowed to call new.", numeric: true, value: (c) => c.promised, show: (c) => percent(c.promised) },
        { key: "real", title: "Real error", about: "Share of known samples it did call new.", numeric: true, value: (c) => c.real, show: (c) => percent(c.real) },
        { key: "difference", title: "Difference", numeric: true, value: difference, show: (c) => (difference(c)! > 0 ? "+" : "") + percent(difference(c)) },
        { key: "auroc", title: "AUROC", numeric: true, value: (c) => c.auroc, show: (c) => score(c.auroc) },
      ],
    }),
  );
}

function discovered_table(context: Context, rows: Discovered[]): HTMLElement {
  const { page } = context;
  const name = (id: number) => page.names[id] ?? `name ${id}`;
  const fate = (d: Discovered) => (d.retired === null ? "lives" : `${d.into ? `into ${d.into}` : "ended"}, increment ${d.retired}`);
  return table<Discovered>(context, "discovered", {
    caption: "Discovered classes",
    rows,
    page: 20,
    sort: ["size", "descending"],
    search: (d) => [name(d.name), d.into, d.why, ...d.mix.map(([id]) => name(id))].join(" "),
    search_label: "Search a name or a true label",
    columns: [
      { key: "name", title: "Class", value: (d) => name(d.name), show: (d) => name_text(name(d.name)) },
      ...(context.arms.length > 1
        ? [{ key: "arm", title: "Arm", value: (d: Discovered) => arm_label(page, d.arm), show: (d: Discovered) => arm_name(page, d.arm) }]
        : []),
      { key: "size", title: "Size", about: "Samples predicted as it before feedback, all increments.", numeric: true, value: (d) => d.size, show: (d) => count(d.size) },
      { key: "purity", title: "Purity", about: "Share of the most frequent true label.", numeric: true, value: (d) => d.purity, show: (d) => score(d.purity, 2) },
      { key: "mix", title: "True labels", value: (d) => (d.mix[0] ? name(d.mix[0][0]) : null), show: (d) => mixture(d, name) },
      { key: "found", title: "Found", numeric: true, value: (d) => d.found },
      { key: "life", title: "Life", about: "Samples per increment.", value: (d) => d.life.length, show: (d) => spark(d) },
      { key: "fate", title: "What became of it", value: fate, show: (d) => el("span", { title: d.why }, name_text(fate(d))) },
    ],
  });
}

/** A bar of the true labels, largest first, and the first three in words. */
function mixture(d: Discovered, name: (id: number) => string): HTMLElement {
  const total = Math.max(1, d.mix.reduce((sum, [, n]) => sum + n, 0));
  const label = d.mix.map(([id, n]) => `${visible(name(id))} ${n}`).join(", ");
  return el(
    "div",
    { class: "mix", title: label },
    el("div", { class: "mix-bar", "aria-hidden": "true" }, d.mix.slice(0, 8).map(([, n], i) => el("span", { style: `width:${((100 * n) / total).toFixed(1)}%;opacity:${Math.max(0.15, 1 - i * 0.3)}` }))),
    el("div", { class: "mix-text" }, d.mix.slice(0, 3).map(([id, n], i) => [i > 0 ? ", " : "", name_text(name(id)), ` ${count(n)}`]), d.mix.length > 3 ? ` + ${d.mix.length - 3}` : ""),
  );
}

function spark(d: Discovered): Element {
  const life = d.life.map(([step, samples]) => ({ step, samples }));
  if (life.length === 0) return el("span", {}, "–");
  const most = Math.max(1, ...life.map((l) => l.samples));
  return el(
    "div",
    { class: "spark", role: "img", "aria-label": life.map((l) => `increment ${l.step}: ${l.samples}`).join(", "), title: life.map((l) => `${l.step}: ${l.samples}`).join("\n") },
    life.map((l) => el("span", { style: `height:${Math.max(l.samples > 0 ? 2 : 0, (20 * l.samples) / most).toFixed(1)}px` })),
  );
}

function alarm_table(context: Context, rows: Alarm[]): HTMLElement {
  const { page } = context;
  return table<Alarm>(context, "alarms", {
    caption: "Alarms",
    rows,
    page: 12,
    columns: [
      { key: "arm", title: "Arm", value: (a) => arm_label(page, a.arm), show: (a) => arm_name(page, a.arm) },
      { key: "step", title: "Increment", numeric: true, value: (a) => a.step },
      { key: "samples", title: "Samples", numeric: true, value: (a) => a.samples, show: (a) => count(a.samples) },
      { key: "changed", title: "Alarm", value: (a) => (a.changed ? "yes" : "no"), show: (a) => (a.changed ? el("strong", {}, "yes") : "no") },
      { key: "evidence", title: "Log evidence", numeric: true, value: (a) => a.log_evidence, show: (a) => score(a.log_evidence, 1) },
      { key: "since", title: "Since sample", numeric: true, value: (a) => a.since, show: (a) => count(a.since) },
      { key: "kind", title: "Kind", value: (a) => a.kind, show: (a) => name_text(a.kind) },
      { key: "share", title: "Share of new", numeric: true, value: (a) => a.novel_share, show: (a) => percent(a.novel_share) },
    ],
  });
}
