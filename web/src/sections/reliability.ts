// SPDX-License-Identifier: Apache-2.0
// How far confidence can be trusted: is what is said with 90 % right nine times of ten?
import type { Reliability } from "../data";
import { curve_chart, grid, nothing } from "../charts";
import { bar, choice } from "../controls";
import { el, name_text, sentence } from "../dom";
import { count, missing, score, signed } from "../format";
import { arm_label, arm_name } from "../looks";
import { along, extent, most_reliable, paired_classes, risk_top } from "../reliability";
import type { ClassRow, PairedClass, PerClass, ReliabilityTable } from "../reliability";
import { class_chart, confidence_chart, diagram, stacked, temperature_chart, training_charts } from "../reliability_charts";
import { register } from "../section";
import type { Context } from "../section";
import { table } from "../table";
import type { Column } from "../table";
import { glossary, measure_column } from "./summary";
import { swatch } from "./world";

const parts = ["all", "common", "rare"] as const;
const part_text = {
  all: "All classes",
  common: "The more frequent half of the classes",
  rare: "The less frequent half of the classes",
};
const few = 30; // tested samples of a class below which its numbers are mostly noise

register<Reliability>("reliability", (data, context) => {
  const mine = <T extends { arm: number }>(list: T[] | undefined) => (list ?? []).filter((row) => context.arms.includes(row.arm));
  const tables = mine(data.tables);
  const per_class = mine(data.per_class);
  const training = mine(data.training);
  const temperatures = mine(data.temperatures).filter((t) => t.points.length > 0 && t.axes.length > 0);
  if (tables.length + per_class.length + training.length + temperatures.length === 0) {
    return nothing("No arm is chosen, or no probabilities were recorded.");
  }
  const splits = [...new Set([...tables, ...per_class].map((t) => t.split))].sort((a, b) => Number(b === "test") - Number(a === "test"));
  const split = choice(context, "split", "Split", splits.map((value) => ({ value, text: value })));
  const of_split = tables.filter((t) => t.split === split.value);
  return [
    bar(split.node),
    of_split.length > 0 ? [diagram_part(context, data, of_split), measure_part(context, data, of_split)] : null,
    training.length > 0
      ? [
          el("h3", {}, "Training of the calibrator", el("span", { class: "question" }, "does it still learn what holds for other samples?")),
          training_charts(context, training),
        ]
      : null,
    temperatures.length > 0 ? temperature_part(context, temperatures) : null,
    class_part(context, data, per_class.filter((p) => p.split === split.value), of_split),
    data.note ? el("p", { class: "about" }, sentence(data.note)) : null,
  ];
});

function diagram_part(context: Context, data: Reliability, tables: ReliabilityTable[]) {
  const { page } = context;
  const columns = parts.filter((part) => tables.some((t) => t.classes === part));
  const ece = data.measures.findIndex((m) => m.name.startsWith("ece"));
  const least = context.width < stacked ? context.width : 160;
  return [
    el("h3", {}, "Confidence and accuracy", el("span", { class: "question" }, "right as often as it is sure?")),
    context.arms.map((arm) => {
      const own = tables.filter((t) => t.arm === arm);
      if (own.length === 0) return null;
      return el(
        "div",
        { class: "arm-row diagrams" },
        el("h4", {}, arm_name(page, arm)),
        grid(
          context,
          least,
          columns.map((part) => (width: number) => {
            const one = own.find((t) => t.classes === part);
            return one ? diagram(context, width, one, one.values[ece]?.[0] ?? null) : nothing(`Nothing of ${part} classes.`);
          }),
          columns.length,
        ),
      );
    }),
    el(
      "p",
      { class: "about" },
      swatch("one"),
      "accuracy of the samples of a bin of confidence. On the diagonal confidence is right. ",
      swatch("gap-over"),
      "bar below the diagonal: over-confident, by this much. ",
      swatch("gap-under"),
      "bar above it: under-confident. Numbers below the bars: samples; a bin without any has no bar. ECE: the mean gap, each bin weighed by its samples.",
    ),
  ];
}

function measure_part(context: Context, data: Reliability, tables: ReliabilityTable[]) {
  const { page } = context;
  const present = parts.filter((part) => tables.some((t) => t.classes === part));
  const part = choice(context, "classes", "Classes", present.map((value) => ({ value, text: value, about: part_text[value] })));
  const rows = tables.filter((t) => t.classes === part.value);
  const top = Math.max(1, ...rows.flatMap((t) => t.right.map((n, i) => n + (t.wrong[i] ?? 0))));
  const curves = rows.filter((t) => t.risk.length > 0).map((t) => ({ arm: t.arm, points: t.risk }));
  const risk_limit = risk_top(curves.map((c) => c.points));
  return [
    el("h3", {}, "In numbers"),
    bar(part.node),
    table<ReliabilityTable>(context, "measures", {
      caption: "Measures of reliability",
      classes: "headline-table",
      rows,
      columns: [
        { key: "arm", title: "Arm", value: (t) => arm_label(page, t.arm), show: (t) => arm_name(page, t.arm) },
        { key: "samples", title: "Samples", numeric: true, value: (t) => t.samples, show: (t) => count(t.samples) },
        ...data.measures.map((measure, i) => measure_column(measure, i, rows)),
      ],
    }),
    glossary(data.measures),
    el("h3", {}, "How sure it was", el("span", { class: "question" }, "samples by confidence")),
    grid(context, 300, rows.map((t) => (width: number) => confidence_chart(context, width, t, top))),
    el("p", { class: "about" }, swatch("one"), "right ", swatch("two"), "wrong, on top of them."),
    curves.length > 0
      ? [
          el("h3", {}, "Keeping the surest", el("span", { class: "question" }, "how many errors remain if it may pass on the rest?")),
          grid(context, 420, [
            (width: number) =>
              curve_chart(context, width, {
                key: "risk",
                title: "Risk and coverage",
                x_label: "share of samples kept, surest first",
                y_label: "share of errors among them",
                curves,
                top: risk_limit,
                about: `The lower the better; at the right end all are kept.${curves.some((c) => c.points.some(([, risk]) => risk > risk_limit)) ? " Peaks among the surest few, which hang on single samples, are cut off." : ""}`,
              }),
          ]),
        ]
      : null,
  ];
}

function temperature_part(context: Context, temperatures: Reliability["temperatures"]) {
  const axes = new Map(temperatures.flatMap((t) => t.axes.map((a) => [a.name, a.about] as const)));
  const axis = choice(context, "axis", "Against", [...axes].map(([value, about]) => ({ value, text: value, about })));
  const shown = temperatures.filter((t) => t.axes.some((a) => a.name === axis.value));
  const points = shown.flatMap((t) => along(t, axis.value));
  const range = { x: extent(points.map((p) => p.x)), temperature: extent(points.map((p) => p.temperature)) };
  return [
    el("h3", {}, "Temperature by input", el("span", { class: "question" }, "above 1: confidence was lowered, below 1: raised")),
    bar(axis.node),
    grid(context, 340, shown.map((t) => (width: number) => temperature_chart(context, width, t, axis.value, range))),
    el("p", { class: "about" }, swatch("one"), "right (dots) ", swatch("two"), "wrong (crosses). ", sentence([axis.value, axes.get(axis.value)].filter(Boolean).join(": "))),
    el("h4", { class: "later" }, "Mean temperature by true class"),
    grid(context, 340, temperatures.map((t) => (width: number) => class_chart(context, width, t))),
  ];
}

function class_part(context: Context, data: Reliability, per_class: PerClass[], tables: ReliabilityTable[]) {
  const { page } = context;
  if (per_class.length === 0) return null;
  const options = (arms: number[]) => arms.map((arm) => ({ value: String(arm), text: arm_label(page, arm) }));
  const arms = per_class.map((p) => p.arm);
  const first = choice(context, "arm", "Arm", options(arms));
  const others = arms.filter((arm) => String(arm) !== first.value);
  const ece = data.measures.findIndex((m) => m.name.startsWith("ece"));
  const second = choice(context, "beside", "Beside it", options(others), String(most_reliable(others, tables, ece) ?? ""));
  const shown = [first, second].flatMap(({ value }) => per_class.filter((p) => String(p.arm) === value));
  const rows = paired_classes(shown);
  const name = (id: number) => page.names[id] ?? `name ${id}`;
  const is_few = (row: ClassRow | null) => row !== null && row[2] < few;
  return [
    el("h3", {}, "Class by class", el("span", { class: "question" }, "which names are given too surely?")),
    bar(first.node, second.node),
    table<PairedClass>(context, "classes-table", {
      caption: "Reliability per class",
      classes: shown.length > 1 ? "paired" : "",
      rows,
      ends: 5,
      page: 25,
      search: (row) => name(row.name),
      search_label: "Search a class",
      over: [{ span: 3 }, ...shown.map((p) => ({ span: 4, content: arm_name(page, p.arm) }))],
      columns: [
        { key: "name", title: "Class", value: (row) => name(row.name), show: (row) => name_text(name(row.name)) },
        { key: "in_data", title: "In the data", about: "Samples of the class in the whole dataset.", numeric: true, value: (row) => row.in_data, show: (row) => count(row.in_data) },
        {
          key: "samples",
          title: "Tested",
          about: `Samples of the class in this split; below ${few} its numbers are mostly noise.`,
          numeric: true,
          value: (row) => tested(row)[0] ?? null,
          show: (row) => [row.of.some(is_few) ? el("span", { class: "few", title: `fewer than ${few}: mostly noise` }, "few ") : null, tested(row).map(count).join(" and ")],
        },
        ...shown.flatMap((_, i) => arm_columns(i)),
      ],
    }),
    shown.length > 1 ? el("p", { class: "about" }, "The lower ECE of a class is bold.") : null,
    rows.some((row) => row.of.some(is_few)) ? el("p", { class: "about" }, el("span", { class: "few" }, "few"), ` fewer than ${few} tested samples: recall and ECE are mostly noise.`) : null,
  ];
}

/** How many samples of a class were tested: one number, two where the arms saw different samples. */
function tested({ of }: PairedClass): number[] {
  return [...new Set(of.flatMap((row) => (row ? [row[2]] : [])))];
}

function arm_columns(arm: number): Column<PairedClass>[] {
  const column = (key: string, title: string, about: string, value: (row: ClassRow) => number, text: (value: number) => string): Column<PairedClass> => {
    const of = (row: PairedClass) => {
      const own = row.of[arm];
      return own ? value(own) : null;
    };
    return {
      key: arm === 0 ? key : `${key}-beside`,
      title,
      about,
      numeric: true,
      value: of,
      show: (row) => {
        const own = of(row);
        if (own === null) return missing;
        const printed = (v: number) => Number(v.toFixed(3)); // equal to the eye is equal
        const others = row.of.flatMap((r, i) => (r && i !== arm ? [printed(value(r))] : []));
        const best = key === "ece" && others.length > 0 && others.every((other) => printed(own) < other);
        return el("span", { class: best ? "best" : "" }, text(own));
      },
    };
  };
  return [
    column("recall", "Recall", "Share of its samples that got its name.", (r) => r[3], score),
    column("confidence", "Mean confidence", "In whatever name its samples got.", (r) => r[4], score),
    column("difference", "Difference", "Confidence less recall: above 0 over-confident.", (r) => r[4] - r[3], signed),
    column("ece", "ECE ↓", "Mean gap of confidence and accuracy over its samples.", (r) => r[5], score),
  ];
}
