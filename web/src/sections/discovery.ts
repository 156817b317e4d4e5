// SPDX-License-Identifier: Apache-2.0
// Novel classes of tests: were they found, each by one lasting cluster, and when?
import * as Plot from "@observablehq/plot";
import type { Discovery } from "../data";
import { figure, grid, nothing, plot } from "../charts";
import { bar, choice } from "../controls";
import { el, named, name_text, sentence } from "../dom";
import { count, percent, score } from "../format";
import { arm_label, arm_name, look } from "../looks";
import { matrix } from "../matrix";
import type { Cells } from "../matrix";
import { register } from "../section";
import type { Context } from "../section";
import { calls_of, layout } from "../streams";
import type { DiscoveryTest, NovelClass } from "../streams";
import { table } from "../table";
import { setting_look } from "../test_charts";
import { arrowed, glossary } from "./summary";
import { setting_column, setting_name } from "./tests";

type Setting = Discovery["settings"][number];
type Round = DiscoveryTest["rounds"][number];

// Of a round: its title and place.
const curves: { key: string; title: string; at: 3 | 4 | 5 }[] = [
  { key: "accuracy", title: "Right over known, discovered and unknown", at: 3 },
  { key: "grouped", title: "New samples in the cluster of their class", at: 4 },
  { key: "nmi", title: "NMI of the new samples", at: 5 },
];
const [clusters_at, classes_at] = [6, 7] as const;
const calls: { letter: string; text: string; color: string; height: number }[] = [
  { letter: "m", text: "its cluster", color: "var(--one)", height: 9 },
  { letter: "c", text: "another cluster", color: "var(--two)", height: 6 },
  { letter: "u", text: "unknown", color: "var(--soft)", height: 3 },
  { letter: "k", text: "another name", color: "var(--arm-3)", height: 0 },
];

register<Discovery>("discovery", (data, context) => {
  const { page } = context;
  const all = data.settings.filter((s) => context.arms.includes(s.arm));
  if (all.length === 0) return nothing("No arm is chosen, or nothing was to be discovered.");
  const settings = [...new Set(all.map((s) => s.setting))];
  const setting = choice(context, "setting", "Moment", settings.map((value) => ({ value, text: setting_look(value).text, about: setting_look(value).about })));
  const of_setting = all.filter((s) => s.setting === setting.value);
  const ids = [...new Set(of_setting.flatMap((s) => s.tests.map((t) => t.id)))];
  const test = choice(context, "test", "Test", ids.map((id) => ({ value: id, text: id })));
  const arm = choice(context, "arm", "Arm", of_setting.map((s) => ({ value: String(s.arm), text: arm_label(page, s.arm) })));
  const shown = of_setting.flatMap((s) => s.tests.filter((t) => t.id === test.value).map((t) => ({ arm: s.arm, test: t })));
  const one = shown.find((s) => String(s.arm) === arm.value)?.test;
  return [
    summary_part(context, data, all),
    el("h3", {}, "From round to round", el("span", { class: "question" }, "of one test, every arm")),
    bar(setting.node, test.node),
    curve_part(context, shown),
    el("h3", {}, "What was put together", el("span", { class: "question" }, "of the same test, one arm")),
    bar(arm.node),
    one ? [class_part(context, one), matrix_part(context, one)] : nothing("This arm has not taken this test."),
    table_part(context, data, all),
    data.note ? el("p", { class: "about" }, sentence(data.note)) : null,
  ];
});

function summary_part(context: Context, data: Discovery, all: Setting[]) {
  const { page } = context;
  return [
    el("h3", {}, "Over all tests"),
    table<Setting>(context, "summary", {
      caption: "Discovery over all tests",
      classes: "headline-table",
      rows: all,
      columns: [
        { key: "arm", title: "Arm", value: (s) => arm_label(page, s.arm), show: (s) => arm_name(page, s.arm) },
        { key: "setting", title: "Moment", about: "Whether the moment of the change is told.", value: (s) => setting_look(s.setting).text, show: (s) => setting_name(s.setting) },
        { key: "tests", title: "Tests", numeric: true, value: (s) => s.tests.length },
        ...data.measures.map((measure, i) => setting_column(measure, i, all)),
      ],
    }),
    el("p", { class: "about" }, "Means over tests; in brackets 95 % intervals over tests, none for a single one."),
    glossary(data.measures),
  ];
}

interface Dot {
  arm: number;
  round: Round;
  y: number;
}

interface Frame {
  top: number;
  last: number; // round
  changed: number | null; // round in which the world changes
  classes?: Round[];
}

function curve_part(context: Context, shown: { arm: number; test: DiscoveryTest }[]) {
  const change = shown[0]?.test.change ?? null;
  // Rounds follow each other: the one that holds the first changed sample.
  let seen = 0;
  const changed = change === null ? null : shown[0].test.rounds.find((r) => (seen += r[1]) > change)?.[0] ?? null;
  const dots = (at: 3 | 4 | 5): Dot[] => shown.flatMap(({ arm, test }) => test.rounds.flatMap((round) => (round[at] === null ? [] : [{ arm, round, y: round[at] }])));
  const counts = shown.flatMap(({ arm, test }) => test.rounds.map((round) => ({ arm, round, y: round[clusters_at] as number })));
  const last = Math.max(2, ...counts.map((d) => d.round[0]));
  const most = Math.max(1, ...counts.flatMap((d) => [d.y, d.round[classes_at] as number]));
  const frame = { last, changed };
  return [
    grid(context, 340, [
      ...curves.map(({ key, title, at }) => (width: number) => round_chart(context, width, key, title, dots(at), { ...frame, top: 1 })),
      (width: number) => round_chart(context, width, "clusters", "Clusters called so far", counts, { ...frame, top: most, classes: shown[0]?.test.rounds }),
    ]),
    el("p", { class: "about" }, "Dashed: the round in which the world changes. Grey steps: novel classes seen so far. A round holds few new samples, so that single rounds say little."),
  ];
}

function round_chart(context: Context, width: number, key: string, title: string, dots: Dot[], frame: Frame): HTMLElement {
  const { top, last, changed, classes } = frame;
  const { page } = context;
  const arms = [...new Set(dots.map((d) => d.arm))];
  const x = (d: Dot) => d.round[0];
  return figure<Dot>(context, width, {
    key: `rounds/${key}`,
    title,
    label: `${title}, by round`,
    height: 200,
    draw: (w, h) =>
      plot(w, h, {
        x: { domain: [1, last], label: "round", ticks: Math.max(3, Math.floor(w / 60)), tickFormat: "d" },
        y: { domain: [0, top], label: null, ticks: 5 },
        marks: [
          Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
          changed === null ? null : Plot.ruleX([changed], { stroke: "var(--two)", strokeDasharray: "4 3" }),
          classes ? Plot.line(classes, { x: (r: Round) => r[0], y: (r: Round) => r[classes_at], stroke: "var(--edge)", strokeWidth: 3, curve: "step-after" }) : null,
          arms.flatMap((arm) => {
            const { color, dash, symbol } = look(page, arm);
            const own = dots.filter((d) => d.arm === arm);
            return [
              Plot.line(own, { x, y: "y", stroke: color, strokeDasharray: dash, strokeWidth: 1.5 }),
              Plot.dot(own, { x, y: "y", fill: color, symbol, r: own.length > 40 ? 1.8 : 2.8 }),
            ];
          }),
          Plot.tip(dots, Plot.pointer({ x, y: "y", title: (d: Dot) => `${arm_label(page, d.arm)}, round ${d.round[0]}\n${score(d.y)}\n${d.round[2]} of ${d.round[1]} samples are new` })),
        ],
      }),
    numbers: {
      rows: dots,
      columns: [
        { key: "arm", title: "Arm", value: (d) => arm_label(page, d.arm) },
        { key: "round", title: "Round", numeric: true, value: (d) => d.round[0] },
        { key: "novel", title: "New samples", numeric: true, value: (d) => d.round[2] },
        { key: "value", title, numeric: true, value: (d) => d.y, show: (d) => score(d.y) },
      ],
    },
  });
}

/** Every novel class along the stream: what its samples were called by, and when it was discovered. */
function class_part(context: Context, test: DiscoveryTest) {
  const { names } = context.page;
  const name = (id: number) => named(names[id] ?? `name ${id}`);
  const label = (one: NovelClass) => name(one.name);
  const samples = test.classes.flatMap((one) => calls_of(one).map((c) => ({ ...c, row: label(one) })));
  type Call = (typeof samples)[number];
  const found = test.classes.flatMap((one) => (one.found ? [{ row: label(one), at: one.found[0] }] : []));
  const text = (call: string) => calls.find((c) => c.letter === call)?.text ?? call;
  if (test.classes.length === 0) return nothing("No class of this test is novel.");
  return [
    samples.length > 0
      ? grid(context, context.width, [
          (width: number) =>
            figure<NovelClass>(context, width, {
              key: "classes",
              title: "When each novel class was discovered",
              label: "Samples of every novel class along the stream, and what they were called by",
              height: 34 * test.classes.length + 50,
              draw: (w, h) =>
                plot(w, h, {
                  marginLeft: Math.min(150, 24 + 7 * Math.max(4, ...test.classes.map((c) => label(c).length))),
                  x: { domain: [Math.max(1, (test.change ?? 0) + 1), test.samples], label: "sample", ticks: Math.max(3, Math.floor(w / 90)) },
                  y: { type: "band", domain: test.classes.map(label), label: null, tickSize: 0 },
                  marks: [
                    calls.map(({ letter, color, height }) =>
                      Plot.tickX(samples.filter((s) => s.call === letter), { x: (s: Call) => s.at + 1, y: "row", stroke: color, strokeWidth: 1.6, insetTop: 13 - height, insetBottom: 4 }),
                    ),
                    Plot.dot(found, { x: (f) => f.at + 1, y: "row", symbol: "triangle", fill: "var(--ink)", r: 4, rotate: 180, dy: -12 }),
                    Plot.tip(samples, Plot.pointer({ x: (s: Call) => s.at + 1, y: "row", title: (s: Call) => `${s.row}, sample ${count(s.at + 1)}\ncalled by ${text(s.call)}` })),
                  ],
                }),
            }),
        ])
      : null,
    samples.length > 0
      ? el("p", { class: "about" }, "Triangle: discovered, from here on at least half of its samples are in the cluster matched with it. ", calls.map((c) => [el("span", { class: "swatch", style: `background:${c.color};height:${c.height + 4}px;width:3px` }), `${c.text}. `]), "The taller the stroke, the better.")
      : null,
    table<NovelClass>(context, "classes", {
      caption: "Novel classes of the test",
      rows: test.classes,
      page: 20,
      columns: [
        { key: "name", title: "Novel class", value: label, show: (c) => name_text(name(c.name)) },
        { key: "cluster", title: "Matched cluster", value: (c) => (c.cluster === null ? null : name(c.cluster)), show: (c) => (c.cluster === null ? "none" : name_text(name(c.cluster))) },
        { key: "samples", title: "Samples", numeric: true, value: (c) => c.samples, show: (c) => count(c.samples) },
        { key: "share", title: "In its cluster", about: "Share of its samples called by the matched cluster or by its name.", numeric: true, value: (c) => share_of(c), show: (c) => percent(share_of(c)) },
        { key: "until", title: "Discovered after", about: "Samples of the class that went by before.", numeric: true, value: (c) => c.until, show: (c) => (c.until === null ? "never" : count(c.until)) },
        { key: "found", title: "At sample", numeric: true, value: (c) => (c.found ? c.found[0] + 1 : null) },
        { key: "round", title: "In round", numeric: true, value: (c) => c.found?.[1] ?? null },
      ],
    }),
  ];
}

function share_of(one: NovelClass): number | null {
  return one.calls.length === 0 ? null : [...one.calls].filter((c) => c === "m").length / one.calls.length;
}

function matrix_part(context: Context, test: DiscoveryTest) {
  const { names } = context.page;
  const name = (id: number) => named(names[id] ?? `name ${id}`);
  const { rows, columns } = layout(test, names);
  const cluster_of = new Map(test.classes.map((c) => [c.name, c.cluster]));
  const class_of = new Map(test.classes.flatMap((c) => (c.cluster === null ? [] : [[c.cluster, c.name] as const])));
  const row_of = new Map(rows.map((r, i) => [`${r.novel}/${r.name}`, i]));
  const column_of = new Map(columns.map((id, i) => [id, i]));
  const size = test.cells.length / 4;
  const cells: Cells = {
    rows: rows.map((r) => (r.novel ? `new: ${name(r.name)}` : name(r.name))),
    columns: columns.map((id) => (class_of.has(id) ? `${name(id)} = ${name(class_of.get(id)!)}` : name(id))),
    row: new Int32Array(size),
    column: new Int32Array(size),
    value: new Float64Array(size),
    tone: new Uint8Array(size),
  };
  for (let i = 0; i < size; ++i) {
    const [novel, actual, predicted, n] = test.cells.slice(4 * i, 4 * i + 4);
    cells.row[i] = row_of.get(`${novel === 1}/${actual}`)!;
    cells.column[i] = column_of.get(predicted)!;
    cells.value[i] = n;
    const right = predicted === actual || (novel === 1 && cluster_of.get(actual) === predicted);
    cells.tone[i] = right ? 0 : 1;
  }
  const chart = matrix(context, {
    key: `matrix/${test.id}`,
    label: "True classes against what they were called",
    cells,
    shade: "row",
    width: Math.min(context.width, Math.max(420, columns.length * 36 + 180)),
    height: Math.min(760, rows.length * 26 + 150),
    row_title: "actual",
    column_title: "called",
    describe: ({ r0, r1, c0, c1 }, [right, wrong], total) => {
      const span = (list: string[], from: number, to: number) => (to - from === 1 ? list[from] : `${list[from]} … ${list[to - 1]} (${to - from})`);
      return [`actual: ${span(cells.rows, r0, r1)}`, `called: ${span(cells.columns, c0, c1)}`, `${count(right + wrong)} samples${total > 0 ? ` (${percent((right + wrong) / total)} of the row)` : ""}`];
    },
  });
  return [
    el("h4", { class: "later" }, "True classes and clusters"),
    chart.node,
    el("p", { class: "about" }, "Novel classes below, with the cluster matched with each on the diagonal; clusters matched with none stand behind them. Blue: named right, or in the cluster of its class. Orange with a cut corner: anything else, unknown included."),
  ];
}

interface Row {
  arm: number;
  setting: string;
  test: DiscoveryTest;
}

function table_part(context: Context, data: Discovery, all: Setting[]) {
  const { page } = context;
  const rows: Row[] = all.flatMap((s) => s.tests.map((test) => ({ arm: s.arm, setting: s.setting, test })));
  return [
    el("h3", {}, "Test by test"),
    table<Row>(context, "tests", {
      caption: "Discovery test by test",
      rows,
      page: 16,
      search: (r) => `${r.test.id} ${arm_label(page, r.arm)} ${setting_look(r.setting).text}`,
      search_label: "Search a test, an arm or a setting",
      columns: [
        { key: "test", title: "Test", value: (r) => named(r.test.id), show: (r) => name_text(r.test.id) },
        { key: "arm", title: "Arm", value: (r) => arm_label(page, r.arm), show: (r) => arm_name(page, r.arm) },
        { key: "setting", title: "Moment", value: (r) => setting_look(r.setting).text, show: (r) => setting_name(r.setting) },
        { key: "classes", title: "Novel classes", numeric: true, value: (r) => r.test.classes.length },
        { key: "clusters", title: "Clusters", about: "Discovered classes that were called.", numeric: true, value: (r) => r.test.clusters },
        ...data.measures.map((measure, i) => ({
          key: measure.name,
          title: arrowed(measure),
          about: measure.meaning,
          numeric: true,
          value: (r: Row) => r.test.values[i],
          show: (r: Row) => score(r.test.values[i]),
        })),
      ],
    }),
  ];
}
