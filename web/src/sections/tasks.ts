// SPDX-License-Identifier: Apache-2.0
// Class-incremental learning: accuracy over tasks, what is right of each, and what is kept for it.
import type { Ranged, Tasks } from "../data";
import { grid, nothing } from "../charts";
import { bar, choice } from "../controls";
import { el, name_text } from "../dom";
import { bytes, count, missing, percent } from "../format";
import { arm_label, arm_name, repeats } from "../looks";
import { numbered, picture } from "../pictures";
import { register } from "../section";
import type { Context } from "../section";
import { table } from "../table";
import type { Column } from "../table";
import { curve, heat_map, kept_chart, memory_chart } from "../task_charts";
import { sizes_text, tallest } from "../tasks";
import type { TaskArm, Unit } from "../tasks";
import { glossary, measure_column } from "./summary";

register<Tasks>("tasks", (data, context) => {
  const arms = data.arms.filter((a) => context.arms.includes(a.arm));
  if (arms.length === 0) return nothing("No arm is chosen, or none of them learned tasks.");
  const measure = choice(context, "measure", "Measure", data.measures.map((m) => ({ value: m.name, text: m.title, about: m.meaning })));
  const axis = choice(context, "axis", "Axis", [
    { value: "whole", text: "from 0" },
    { value: "fit", text: "fit" },
  ]);
  const place = Math.max(0, data.measures.findIndex((m) => m.name === measure.value));
  const shown = data.measures[place];
  const kept = arms.some((a) => a.frames !== null);
  return [
    el("p", { class: "about" }, [...new Set(arms.map(sizes_text))].join("; "), "."),
    bar(measure.node, axis.node),
    grid(context, kept ? 420 : 560, [
      (width: number) => curve(context, width, arms, shown, place, axis.value),
      ...(kept ? [(width: number) => kept_chart(context, width, arms, shown, place, axis.value)] : []),
    ]),
    el("p", { class: "about" }, `Bands and strokes: ${data.interval}.`),
    final_table(context, data, arms),
    el("h3", {}, "What is right of each task", el("span", { class: "question" }, "percent, after each task")),
    grid(context, 300, arms.map((a) => (width: number) => heat_map(context, width, a))),
    el("p", { class: "about" },
      "Down: after which task. Across: right of which task. A column that fades downwards is a task being forgotten, a faint cell on the diagonal one that was hard to learn.",
      arms.some(looked_ahead) ? " Dashed, above the diagonal: before it was learned." : ""),
    memory_part(context, data, arms),
    exemplar_part(context, data, arms),
  ];
});

function looked_ahead(arm: TaskArm): boolean {
  return arm.accuracy.some((row, i) => row.some((value, j) => j > i && value !== null));
}

// Too much for a table: the last row of the matrix tells them.
const drawn_only = new Set(["old_accuracy", "new_accuracy"]);

interface Row {
  own: TaskArm;
  values: Ranged[];
}

function final_table(context: Context, data: Tasks, arms: TaskArm[]) {
  const { page } = context;
  const rows: Row[] = arms.map((own) => ({ own, values: own.values[own.values.length - 1] }));
  const kept = arms.some((a) => a.frames !== null);
  const column = (key: string, title: string, about: string, value: (a: TaskArm) => number | null, text: (v: number | null) => string): Column<Row> => ({
    key,
    title,
    about,
    numeric: true,
    value: (r) => value(r.own),
    show: (r) => text(value(r.own)),
  });
  return [
    el("h3", {}, "After the last task"),
    table<Row>(context, "final", {
      caption: "Measures after the last task",
      classes: "headline-table",
      rows,
      columns: [
        { key: "arm", title: "Arm", value: (r) => arm_label(page, r.own.arm), show: (r) => arm_name(page, r.own.arm) },
        ...data.measures.flatMap((measure, i) => (drawn_only.has(measure.name) ? [] : [measure_column(measure, i, rows)])),
        ...(kept
          ? [
              column("frames", "Frames kept", "In memory at the end.", (a) => a.frames, count),
              column("share", "of shown", "Frames in memory over frames of all lessons.", share, percent),
              column("bytes", "Bytes kept", "In memory at the end.", (a) => a.bytes, (v) => (v === null ? missing : bytes(v))),
            ]
          : []),
      ],
    }),
    glossary(data.measures),
  ];
}

function share(arm: TaskArm): number | null {
  return arm.frames === null || !arm.shown ? null : arm.frames / arm.shown;
}

function memory_part(context: Context, data: Tasks, arms: TaskArm[]) {
  const own = data.memory.filter((m) => arms.some((a) => a.arm === m.arm));
  if (own.length === 0) return null;
  const unit = choice(context, "unit", "Counted in", [
    { value: "frames", text: "frames" },
    { value: "samples", text: "samples" },
    { value: "bytes", text: "bytes" },
  ]);
  const scale = choice(context, "scale", "Scale", [
    { value: "same", text: "same for all" },
    { value: "own", text: "of its own" },
  ]);
  const counted = unit.value as Unit;
  const with_memory = arms.filter((a) => own.some((m) => m.arm === a.arm));
  const top = (arm: number) => tallest(scale.value === "same" ? own : own.filter((m) => m.arm === arm), counted) * 1.04;
  return [
    el("h3", {}, "What is kept", el("span", { class: "question" }, `in memory by task, first of the ${repeats(context.page)}`)),
    bar(unit.node, with_memory.length > 1 ? scale.node : null),
    grid(context, 300, with_memory.map((a) => (width: number) => memory_chart(context, width, a.arm, own, counted, top(a.arm)))),
    el("p", { class: "about" }, "A bar is what is in memory after an increment; its foot, in full colour, is of the first task."),
  ];
}

function exemplar_part(context: Context, data: Tasks, arms: TaskArm[]) {
  const { page } = context;
  const own = data.exemplars.filter((e) => arms.some((a) => a.arm === e.arm));
  if (own.length === 0) return null;
  const arm = choice(context, "exemplars", "Arm", own.map((e) => ({ value: String(e.arm), text: arm_label(page, e.arm) })));
  const shown = own.find((e) => String(e.arm) === arm.value) ?? own[0];
  return [
    el("h3", {}, "Exemplars", el("span", { class: "question" }, `what is kept of each class at the end, the first in memory first; first of the ${repeats(context.page)}`)),
    bar(arm.node),
    arm.node ? null : el("p", {}, arm_name(page, shown.arm)),
    el("div", { class: "cards exemplars" }, shown.classes.map((one) =>
      el("article", { class: "card" },
        el("header", {}, name_text(page.names[one.name] ?? "?")),
        el("div", { class: "truth" }, one.task === 0 ? "of no task" : `task ${one.task}`, ` · ${count(one.samples)} kept`),
        one.items.map((item) => picture(numbered(page, item.media), item.sample)),
      ))),
  ];
}
