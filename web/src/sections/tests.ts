// SPDX-License-Identifier: Apache-2.0
// Tests in rounds: was the change of the world noticed, what did it cost, what does knowing the moment
// buy, and what happened along the stream of a test.
import type { MeasureText, Ranged, Tests } from "../data";
import { grid, nothing } from "../charts";
import { bar, choice } from "../controls";
import { el, named, name_text } from "../dom";
import { count, score } from "../format";
import { arm_label, arm_name } from "../looks";
import { register } from "../section";
import type { Context } from "../section";
import { is_certain, points, samples_of } from "../streams";
import { table } from "../table";
import type { Column } from "../table";
import { difference_chart, parts_chart, setting_look, stream_chart } from "../test_charts";
import { arrowed, glossary, measure_column } from "./summary";

type Scores = Tests["scores"][number];
type Difference = Tests["differences"][number];
interface Row {
  arm: number;
  setting: string;
  test: Tests["tests"][number];
  number: number;
  declared: number | null;
  values: (number | null)[];
}

// Parts of a test, by the measure that is their accuracy.
const parts = ["accuracy_before_change", "accuracy_after_change", "asymptotic_accuracy"];
const part_names = ["before", "after", "at the end"];

register<Tests>("tests", (data, context) => {
  const scores = data.scores.filter((s) => context.arms.includes(s.arm));
  if (scores.length === 0) return nothing("No arm is chosen, or no test was taken.");
  return [
    summary_part(context, data, scores),
    accuracy_part(context, data, scores),
    stream_part(context, data, scores),
    table_part(context, data, scores),
  ];
});

function summary_part(context: Context, data: Tests, scores: Scores[]) {
  const { page } = context;
  return [
    el("h3", {}, "Over all tests"),
    table<Scores>(context, "summary", {
      caption: "Measures over all tests",
      classes: "headline-table",
      rows: scores,
      columns: [
        { key: "arm", title: "Arm", value: (s) => arm_label(page, s.arm), show: (s) => arm_name(page, s.arm) },
        { key: "setting", title: "Moment", about: "Whether the moment of the change is told.", value: (s) => setting_look(s.setting).text, show: (s) => setting_name(s.setting) },
        { key: "tests", title: "Tests", numeric: true, value: (s) => s.rows.length },
        ...data.measures.map((measure, i) => setting_column(measure, i, scores)),
      ],
    }),
    el("p", { class: "about" }, "Means over tests; in brackets 95 % intervals over tests, none for a single one. Delay is of the tests in which the change was noticed. Where the moment is told, noticing it is no achievement."),
    glossary(data.measures),
  ];
}

/** The best are marked among those of one setting: who is told has an easier task. */
export function setting_column<R extends { setting: string; values: Ranged[] }>(measure: MeasureText, i: number, rows: R[]): Column<R> {
  const own = new Map(rows.map((r) => [r.setting, measure_column(measure, i, rows.filter((other) => other.setting === r.setting))]));
  return { ...measure_column(measure, i, rows), show: (row) => own.get(row.setting)?.show?.(row) };
}

export function setting_name(setting: string) {
  return el("span", { class: "num", title: setting_look(setting).about }, setting_look(setting).text);
}

function accuracy_part(context: Context, data: Tests, scores: Scores[]) {
  const places = parts.map((part) => data.measures.findIndex((m) => m.name === part));
  if (places.some((at) => at < 0)) return null;
  const arms = context.arms.filter((arm) => scores.some((s) => s.arm === arm));
  const differences = data.differences.filter((d) => context.arms.includes(d.arm));
  const settings = [...new Set(scores.map((s) => s.setting))];
  return [
    el("h3", {}, "Before and after the change", el("span", { class: "question" }, "how much is right?")),
    grid(
      context,
      300,
      arms.map((arm) => (width: number) =>
        parts_chart(
          context,
          width,
          arm,
          part_names,
          scores.filter((s) => s.arm === arm).flatMap((s) => places.map((at, i) => ({ setting: s.setting, part: part_names[i], value: s.values[at] }))),
        ),
      ),
      arms.length,
    ),
    el("p", { class: "about" }, settings.map((s) => [key_mark(s), setting_look(s).text, ": ", setting_look(s).about.toLowerCase(), " "]), "Upright lines: 95 % intervals over tests. At the end: the last 100 samples."),
    differences.length > 0
      ? [
          el("h3", {}, "What does knowing the moment buy?"),
          el("ul", { class: "prose findings" }, differences.map((d) => el("li", {}, bought(context, d, places)))),
          grid(context, 230, places.map((at, i) => (width: number) => difference_chart(context, width, at, part_names[i], differences, scores))),
          el("p", { class: "about" }, "Accuracy where the moment is told, less that of the same tests where it is not: above 0, being told helps. Diamond: mean over tests with its 95 % interval; rings below it: single tests."),
        ]
      : null,
  ];
}

function key_mark(setting: string) {
  return el("span", { class: "swatch", style: `background:${setting_look(setting).color}` });
}

function bought(context: Context, difference: Difference, [before, after]: number[]): (string | HTMLElement)[] {
  const { arm, from, pairs, values } = difference;
  const [value, low, high] = values[after];
  const against = { system: "having to find it out", ignored: "being told and not acting upon it" }[from] ?? from;
  const tests = `${count(pairs)} ${pairs === 1 ? "test" : "tests"}`;
  const interval =
    low === null || high === null
      ? ` (${tests}, too few for an interval)`
      : low === 0 && high === 0
        ? ` (${tests}, none with a difference)`
        : ` (${tests}, 95 % interval ${points(low)} to ${points(high)}${is_certain(values[after]) ? "" : ": may be chance"})`;
  return [
    name_text(arm_label(context.page, arm)),
    `: ${points(value)} points of accuracy after the change`,
    interval,
    ` and ${points(values[before][0])} before it, against ${against}.`,
  ];
}

function stream_part(context: Context, data: Tests, scores: Scores[]) {
  const { page } = context;
  const arms = [...new Set(scores.map((s) => s.arm))];
  const arm = choice(context, "arm", "Arm", arms.map((a) => ({ value: String(a), text: arm_label(page, a) })));
  const of_arm = scores.filter((s) => String(s.arm) === arm.value);
  const setting = choice(context, "setting", "Moment", of_arm.map((s) => ({ value: s.setting, text: setting_look(s.setting).text, about: setting_look(s.setting).about })));
  const own = of_arm.find((s) => s.setting === setting.value);
  const test = choice(context, "test", "Test", (own?.rows ?? []).map((r) => ({ value: data.tests[r.test].id, text: data.tests[r.test].id })));
  const row = own?.rows.find((r) => data.tests[r.test].id === test.value);
  const stream = data.streams.find((s) => s.arm === own?.arm && s.setting === own.setting && s.test === row?.test);
  const head = el("h3", { id: `${context.key}-stream` }, "The stream of a test", el("span", { class: "question" }, "sample by sample"));
  if (!row || !stream) return [head, bar(arm.node, setting.node, test.node), nothing("Nothing of this test is on record.")];
  const chosen = data.tests[row.test];
  return [
    head,
    bar(arm.node, setting.node, test.node),
    el("p", {}, told(chosen, row.declared)),
    stream_chart(context, context.width, chosen, stream, samples_of(chosen, stream, page.names), row.declared),
    el(
      "p",
      { class: "about" },
      el("span", { class: "ring" }),
      "known samples ",
      el("span", { class: "cross" }, "×"),
      "novel ones. Beneath, an upright stroke in the line of what was said: by its name, by another name, unknown, or a cluster; unknown or a cluster is right for a novel sample, wrong for a known one. Pale lines: rounds.",
      stream.granted.length > 0 ? " Numbers: labels granted after a round." : "",
      chosen.every > 1 ? ` One of ${chosen.every} samples is drawn.` : "",
    ),
  ];
}

function told({ samples, change, first_novel, rounds }: Tests["tests"][number], declared: number | null): string {
  const size = `${count(samples)} samples in ${count(rounds.length)} rounds.`;
  if (change === null) return `${size} The world does not change${declared === null ? ", and nobody says so." : `, but a change is declared at sample ${count(declared + 1)}.`}`;
  const novel = first_novel === null ? "no sample is novel" : `the first novel one is ${count(first_novel + 1)}`;
  const late = declared === null ? "It is never declared." : declared < change ? `It is declared at ${count(declared + 1)}, ${count(change - declared)} too early.` : `It is declared at ${count(declared + 1)}${declared === change ? ", at once" : `, ${count(declared - change)} later`}.`;
  return `${size} The world changes at sample ${count(change + 1)}; ${novel}. ${late}`;
}

function table_part(context: Context, data: Tests, scores: Scores[]) {
  const { page } = context;
  const rows: Row[] = scores.flatMap((s) =>
    s.rows.map((r) => ({ arm: s.arm, setting: s.setting, number: r.test, test: data.tests[r.test], declared: r.declared, values: r.values })),
  );
  const shown = (name: string, value: number | null) =>
    name === "change_detected" || name === "change_early_alarm" ? (value === null ? "–" : value === 1 ? "yes" : "no") : name.includes("delay") ? count(value) : score(value);
  return [
    el("h3", {}, "Test by test"),
    table<Row>(context, "tests", {
      caption: "Test by test",
      rows,
      page: 16,
      search: (r) => `${r.test.id} ${arm_label(page, r.arm)} ${setting_look(r.setting).text}`,
      search_label: "Search a test, an arm or a setting",
      pick: (r) => {
        context.keep.set(`${context.key}/arm`, String(r.arm));
        context.keep.set(`${context.key}/setting`, r.setting);
        context.keep.set(`${context.key}/test`, r.test.id);
        context.again();
        document.getElementById(`${context.key}-stream`)?.scrollIntoView({ block: "start" });
      },
      pick_label: () => "Show its stream",
      columns: [
        { key: "test", title: "Test", value: (r) => named(r.test.id), show: (r) => name_text(r.test.id) },
        { key: "arm", title: "Arm", value: (r) => arm_label(page, r.arm), show: (r) => arm_name(page, r.arm) },
        { key: "setting", title: "Moment", value: (r) => setting_look(r.setting).text, show: (r) => setting_name(r.setting) },
        { key: "samples", title: "Samples", numeric: true, value: (r) => r.test.samples, show: (r) => count(r.test.samples) },
        { key: "change", title: "Change", about: "First sample after the change.", numeric: true, value: (r) => (r.test.change === null ? null : r.test.change + 1) },
        { key: "declared", title: "Declared", about: "First sample at which the change was declared.", numeric: true, value: (r) => (r.declared === null ? null : r.declared + 1) },
        ...data.measures.map((measure, i) => ({
          key: measure.name,
          title: arrowed(measure),
          about: measure.meaning,
          numeric: true,
          value: (r: Row) => r.values[i],
          show: (r: Row) => shown(measure.name, r.values[i]),
        })),
      ],
    }),
  ];
}
