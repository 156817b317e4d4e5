// SPDX-License-Identifier: Apache-2.0
// The run in plain words, and the headline numbers with their intervals.
import type { MeasureText, Ranged, Summary } from "../data";
import { bar, choice } from "../controls";
import { el, name_text, sentence, visible } from "../dom";
import { ranged, signed } from "../format";
import { arm_label, arm_name } from "../looks";
import { register } from "../section";
import { table } from "../table";
import type { Column } from "../table";

register<Summary>("summary", (data, context) => {
  const { page } = context;
  const several = page.runs.length > 1;
  const words = data.paragraphs.map(({ run, text }) =>
    el("div", { class: "prose" }, several ? el("h3", {}, name_text(page.runs[run]?.name ?? "")) : null, text.split(/\n+/).map((part) => el("p", {}, visible(part).replace(/(\d) %/g, "$1\u00a0%")))),
  );
  const warnings = data.warnings.length
    ? el("ul", { class: "warnings" }, data.warnings.map((w) => el("li", {}, visible(w))))
    : null;
  const rows = data.rows.filter((row) => context.arms.includes(row.arm));
  const baseline = choice(context, "baseline", "Difference to", [
    { value: "", text: "none" },
    ...(rows.length > 1 ? rows.map((r) => ({ value: String(r.arm), text: arm_label(page, r.arm) })) : []),
  ]);
  const base = rows.find((row) => String(row.arm) === baseline.value);
  return [
    words,
    warnings,
    bar(baseline.node),
    table(context, "headline", {
      caption: "Headline numbers",
      classes: "headline-table",
      rows,
      columns: [
        {
          key: "arm",
          title: "Arm",
          value: (row) => arm_label(page, row.arm),
          show: (row) => arm_name(page, row.arm),
        },
        {
          key: "feedback",
          title: "Feedback",
          about: "Share or number of labels that may be asked for.",
          value: (row) => page.arms[row.arm].feedback,
        },
        ...data.columns.map((measure, i) => measure_column(measure, i, rows, base)),
      ],
    }),
    data.interval ? el("p", { class: "about" }, `In brackets: ${sentence(data.interval)}`) : null,
    glossary(data.columns),
  ];
});

/** The i-th value of every row, the best of them marked, and how far each is from `base`. */
export function measure_column<R extends { values: Ranged[] }>(measure: MeasureText, i: number, rows: R[], base?: R): Column<R> {
  const best = best_of(measure, rows.map((row) => row.values[i]));
  const towards = { higher: "Higher is better.", lower: "Lower is better.", neither: "" }[measure.better];
  return {
    key: measure.name,
    title: arrowed(measure),
    about: `${measure.meaning} ${towards}`,
    numeric: true,
    value: (row) => row.values[i]?.[0] ?? null,
    show: (row) => {
      const value: Ranged = row.values[i] ?? [null, null, null];
      const reference = base?.values[i]?.[0] ?? null;
      const difference =
        base && base !== row && value[0] !== null && reference !== null ? value[0] - reference : null;
      return [
        el("span", { class: rows.length > 1 && value[0] !== null && value[0] === best ? "best" : "" }, ranged(value)),
        difference === null ? null : el("div", { class: "difference" }, signed(difference)),
      ];
    },
  };
}

export function arrowed(measure: MeasureText): string {
  const title = visible(measure.title);
  return title.charAt(0).toUpperCase() + title.slice(1) + { higher: "\u00a0↑", lower: "\u00a0↓", neither: "" }[measure.better];
}

function best_of(measure: MeasureText, values: (Ranged | undefined)[]): number | null {
  const numbers = values.map((v) => v?.[0] ?? null).filter((v): v is number => v !== null);
  if (measure.better === "neither" || numbers.length === 0) return null;
  return measure.better === "higher" ? Math.max(...numbers) : Math.min(...numbers);
}

export function glossary(measures: MeasureText[]): HTMLElement {
  return el(
    "dl",
    { class: "glossary" },
    measures.map((m) => el("div", {}, el("dt", {}, arrowed(m)), el("dd", {}, visible(m.meaning)))),
  );
}
