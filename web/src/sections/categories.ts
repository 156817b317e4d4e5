// SPDX-License-Identifier: Apache-2.0
// Category discovery: groups with what they are made of, classes with what became of them, and both aligned.
import type { Categories } from "../data";
import { aligned_groups, each_cell, shares, sorted_classes } from "../categories";
import type { FoundGroup, SortedClass, SortedSplit } from "../categories";
import { deferred, nothing } from "../charts";
import { bar, choice } from "../controls";
import { el, name_text, named, sentence, visible } from "../dom";
import { count, percent, score } from "../format";
import { arm_label } from "../looks";
import { matrix } from "../matrix";
import type { Cells } from "../matrix";
import { numbered, picture } from "../pictures";
import { register } from "../section";
import type { Context } from "../section";
import { is_cluster } from "../streams";
import { table } from "../table";

const split_texts: Record<string, string> = { test: "sorted when shown", unseen: "sorted later" };

register<Categories>("categories", (data, context) => {
  const { page } = context;
  const all = data.splits.filter((s) => context.arms.includes(s.arm));
  if (all.length === 0) return nothing("No arm is chosen, or none of them sorted samples.");
  const arm = choice(context, "arm", "Arm", [...new Set(all.map((s) => s.arm))].map((a) => ({ value: String(a), text: arm_label(page, a) })));
  const of_arm = all.filter((s) => String(s.arm) === arm.value);
  const which = choice(context, "split", "Samples", of_arm.map((s) => ({ value: s.split, text: split_texts[s.split] ?? s.split })));
  const split = of_arm.find((s) => s.split === which.value) ?? of_arm[0];
  const classes = sorted_classes(split);
  return [
    el("ul", { class: "findings" }, all.map((s) => el("li", {}, finding(context, s)))),
    bar(arm.node, which.node),
    el("h3", {}, "Groups", el("span", { class: "question" }, "what each is made of, and which class it stands for")),
    group_table(context, split),
    classes.length > 0
      ? [el("h3", {}, "Classes", el("span", { class: "question" }, "which were found, and which were lost in larger ones")), class_table(context, classes), matrix_part(context, split, classes)]
      : null,
    data.note ? el("p", { class: "about" }, sentence(data.note)) : null,
  ];
});

function finding(context: Context, split: SortedSplit) {
  const { all, old, fresh } = shares(sorted_classes(split));
  const right = all ?? split.right / Math.max(1, split.samples);
  const fresh_groups = split.groups.filter((g) => is_cluster(context.page.names[g.name] ?? "")).length;
  return [
    name_text(arm_label(context.page, split.arm)),
    split.split === "test" ? "" : ` (${visible(split_texts[split.split] ?? split.split)})`,
    `: ${percent(right)} of ${count(split.samples)} samples are in the group of their class`,
    old === null ? "" : `, ${percent(old)} of those of known classes`,
    fresh === null ? "" : `${old === null ? "," : " and"} ${percent(fresh)} of those of new ones`,
    `; ${count(split.found)} group${split.found === 1 ? "" : "s"}, ${count(fresh_groups)} of them new.`,
  ];
}

function group_table(context: Context, split: SortedSplit): HTMLElement {
  const name = (id: number) => context.page.names[id] ?? `name ${id}`;
  const purity = (g: FoundGroup) => (g.mix[0]?.[1] ?? 0) / Math.max(1, g.size);
  const pictured = split.groups.some((g) => g.items.length > 0);
  return table<FoundGroup>(context, "groups", {
    caption: "Groups",
    rows: split.groups,
    page: 16,
    search: (g) => [g.name, ...g.mix.map(([id]) => id)].map(name).join(" "),
    search_label: "Search a group or a true class",
    columns: [
      { key: "name", title: "Group", value: (g) => named(name(g.name)), show: (g) => name_text(name(g.name)) },
      { key: "size", title: "Samples", numeric: true, value: (g) => g.size, show: (g) => count(g.size) },
      { key: "majority", title: "Mostly", about: "Its commonest true class, and the next ones.", value: (g) => (g.mix[0] ? named(name(g.mix[0][0])) : null), show: (g) => mixture(g, name) },
      { key: "purity", title: "Purity\u00a0↑", about: "Share of its commonest class.", numeric: true, value: purity, show: (g) => score(purity(g), 2) },
      { key: "matched", title: "Stands for", about: "The class it is matched with, all groups at once and no class twice.", value: (g) => (g.matched === null ? null : named(name(g.matched))), show: (g) => (g.matched === null ? "none" : name_text(name(g.matched))) },
      { key: "right", title: "Of that class\u00a0↑", numeric: true, value: (g) => (g.matched === null ? null : g.right / g.size), show: (g) => (g.matched === null ? "–" : percent(g.right / g.size)) },
      ...(pictured ? [{ key: "items", title: "Its surest", value: (g: FoundGroup) => g.items.length, show: (g: FoundGroup) => pictures(context, g, name) }] : []),
    ],
  });
}

function pictures(context: Context, group: FoundGroup, name: (id: number) => string): HTMLElement {
  return el(
    "div",
    { class: "members" },
    group.items.map((item) => el("span", { title: `${visible(item.sample)}: ${visible(name(item.truth))}` }, picture(numbered(context.page, item.media), item.sample, false))),
  );
}

function mixture(group: FoundGroup, name: (id: number) => string): HTMLElement {
  const more = group.classes - Math.min(3, group.mix.length);
  return el(
    "div",
    { class: "mix", title: group.mix.map(([id, n]) => `${visible(name(id))} ${n}`).join(", ") },
    el("div", { class: "mix-bar", "aria-hidden": "true" }, group.mix.map(([, n], i) => el("span", { style: `width:${((100 * n) / Math.max(1, group.size)).toFixed(1)}%;opacity:${Math.max(0.15, 1 - i * 0.3)}` }))),
    el("div", { class: "mix-text" }, group.mix.slice(0, 3).map(([id, n], i) => [i > 0 ? ", " : "", name_text(name(id)), ` ${count(n)}`]), more > 0 ? ` + ${more}` : ""),
  );
}

function class_table(context: Context, classes: SortedClass[]): HTMLElement {
  const name = (id: number) => context.page.names[id] ?? `name ${id}`;
  return table<SortedClass>(context, "classes", {
    caption: "True classes",
    rows: classes,
    page: 16,
    search: (c) => name(c.name),
    search_label: "Search a class",
    columns: [
      { key: "name", title: "Class", value: (c) => named(name(c.name)), show: (c) => name_text(name(c.name)) },
      { key: "known", title: "Was", value: (c) => (c.known ? "taught" : "new") },
      { key: "samples", title: "Samples", numeric: true, value: (c) => c.samples, show: (c) => count(c.samples) },
      { key: "group", title: "Its group", value: (c) => (c.group === null ? null : named(name(c.group))), show: (c) => (c.group === null ? "none" : name_text(name(c.group))) },
      { key: "right", title: "In its group\u00a0↑", numeric: true, value: (c) => c.right / c.samples, show: (c) => percent(c.right / c.samples) },
      { key: "swallowed", title: "Swallowed\u00a0↓", about: "Share in groups most of whose samples are of a larger class.", numeric: true, value: (c) => c.swallowed / c.samples, show: (c) => percent(c.swallowed / c.samples) },
      { key: "by", title: "Mostly by", value: (c) => (c.by === null ? null : named(name(c.by))), show: (c) => (c.by === null ? "–" : name_text(name(c.by))) },
    ],
  });
}

function matrix_part(context: Context, split: SortedSplit, classes: SortedClass[]) {
  const name = (id: number) => named(context.page.names[id] ?? `name ${id}`);
  const groups = aligned_groups(split, classes);
  const row_of = new Map(classes.map((c, i) => [c.name, i]));
  const column_of = new Map(groups.map((g, i) => [g.name, i]));
  const size = split.cells.length / 3;
  const cells: Cells = {
    rows: classes.map((c) => (c.known ? name(c.name) : `new: ${name(c.name)}`)),
    columns: groups.map((g) => (g.matched === null || g.matched === g.name ? name(g.name) : `${name(g.name)} = ${name(g.matched)}`)),
    row: new Int32Array(size),
    column: new Int32Array(size),
    value: new Float64Array(size),
    tone: new Uint8Array(size),
  };
  let at = 0;
  each_cell(split, (actual, group, n) => {
    cells.row[at] = row_of.get(actual)!;
    cells.column[at] = column_of.get(group)!;
    cells.value[at] = n;
    cells.tone[at++] = groups[column_of.get(group)!].matched === actual ? 0 : 1;
  });
  const span = (list: string[], from: number, to: number) => (to - from === 1 ? list[from] : `${list[from]} … ${list[to - 1]} (${to - from})`);
  return [
    el("h4", { class: "later" }, "Classes and groups, aligned"),
    deferred(context, `matrix/${split.arm}/${split.split}`, () =>
      el("div", {}, matrix(context, {
        key: `matrix/${split.arm}/${split.split}`,
        label: "True classes against the groups they were sorted into",
        cells,
        shade: "row",
        width: Math.min(context.width, Math.max(420, groups.length * 36 + 180)),
        height: Math.min(760, classes.length * 26 + 150),
        row_title: "actual",
        column_title: "group",
        describe: ({ r0, r1, c0, c1 }, [right, wrong], total) => [
          `actual: ${span(cells.rows, r0, r1)}`,
          `group: ${span(cells.columns, c0, c1)}`,
          `${count(right + wrong)} samples${total > 0 ? ` (${percent((right + wrong) / total)} of the row)` : ""}`,
        ],
      }).node),
    ),
    el("p", { class: "about" }, "The group that stands for a class is on the diagonal; groups that stand for none are behind. Blue: in the group of its class. Orange with a cut corner: in another."),
  ];
}
