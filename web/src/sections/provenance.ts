// SPDX-License-Identifier: Apache-2.0
// Where the numbers come from and how to make them again.
import type { Provenance } from "../data";
import { button, details } from "../controls";
import { el, name_text, visible } from "../dom";
import { count } from "../format";
import { arm_label } from "../looks";
import { register } from "../section";
import type { Context } from "../section";
import { table } from "../table";

type OneRun = Provenance["runs"][number];

register<Provenance>("provenance", (data, context) =>
  data.runs.map((run) => {
    const { page } = context;
    return el(
      "div",
      { class: "provenance" },
      page.runs.length > 1 ? el("h3", {}, name_text(page.runs[run.run]?.name ?? "?")) : null,
      el("h3", {}, "Made again by"),
      command(run.command),
      el("h3", {}, "Facts"),
      el("dl", { class: "definitions" }, run.facts.map(([k, v]) => [el("dt", {}, visible(k)), el("dd", {}, visible(v))])),
      el("h3", {}, "Data"),
      table(context, `datasets-${run.run}`, {
        caption: "Datasets",
        rows: run.datasets,
        columns: [
          { key: "name", title: "Dataset", value: (d) => d.name, show: (d) => name_text(d.name) },
          { key: "samples", title: "Samples", numeric: true, value: (d) => d.samples, show: (d) => count(d.samples) },
          { key: "digest", title: "Digest", value: (d) => d.digest, show: (d) => el("span", { class: "digest" }, visible(d.digest)) },
          { key: "source", title: "Source", value: (d) => d.source, show: (d) => el("span", { class: "wrap" }, visible(d.source)) },
        ],
      }),
      el("h3", {}, "Declared prior knowledge"),
      el("p", {}, visible(run.prior_knowledge || "Nothing was declared.")),
      properties(context, run),
      details(context, `experiment-${run.run}`, "The experiment as resolved (YAML)", () => el("pre", { tabindex: 0 }, run.experiment)),
    );
  }),
);

function command(text: string): HTMLElement {
  const copy = button("Copy", () => {
    navigator.clipboard?.writeText(text).then(
      () => (copy.textContent = "Copied"),
      () => (copy.textContent = "Not allowed here"),
    );
  });
  copy.classList.add("screen-only");
  return el("div", { class: "command" }, el("pre", { tabindex: 0 }, text), copy);
}

function properties(context: Context, run: OneRun): HTMLElement | null {
  const arms = run.properties.filter((p) => context.arms.includes(p.arm));
  if (arms.length === 0) return null;
  const names = [...new Set(arms.flatMap((p) => p.items.map(([name]) => name)))];
  return el(
    "div",
    {},
    el("h3", {}, "Properties of the predictors"),
    table<string>(context, `properties-${run.run}`, {
      caption: "Properties of the predictors",
      rows: names,
      columns: [
        { key: "name", title: "Property", value: (name) => name, show: (name) => visible(name) },
        ...arms.map((p) => ({
          key: String(p.arm),
          title: arm_label(context.page, p.arm),
          value: (name: string) => p.items.find(([n]) => n === name)?.[1] ?? null,
          show: (name: string) => el("span", { class: "wrap" }, visible(p.items.find(([n]) => n === name)?.[1] ?? "–")),
        })),
      ],
    }),
  );
}
