// SPDX-License-Identifier: Apache-2.0
// A gallery of single samples: alarms, misses, mistakes and discovered classes.
import type { Samples } from "../data";
import { nothing } from "../charts";
import { bar, button, choice, details } from "../controls";
import { el, name_text, visible } from "../dom";
import { percent, score } from "../format";
import { arm_label, arm_name } from "../looks";
import { numbered, picture } from "../pictures";
import { register } from "../section";
import type { Context } from "../section";

type Shelf = Samples["shelves"][number];
type Item = Shelf["items"][number];
const at_first = 4;
const open_shelves = 2;

register<Samples>("samples", (data, context) => {
  const { page } = context;
  const of_arms = data.shelves.filter((s) => context.arms.includes(s.arm) && s.items.length > 0);
  if (of_arms.length === 0) return nothing("No arm is chosen, or there are no samples of note.");
  const arm = choice(context, "arm", "Arm", [...new Set(of_arms.map((s) => s.arm))].map((a) => ({ value: String(a), text: arm_label(page, a) })));
  const of_arm = of_arms.filter((s) => String(s.arm) === arm.value);
  const kind = choice(context, "kind", "Kind", [
    { value: "*", text: "all" },
    ...[...new Set(of_arm.map((s) => s.kind))].map((k) => ({ value: k, text: k })),
  ]);
  const shelves = of_arm.filter((s) => kind.value === "*" || s.kind === kind.value);
  return [
    bar(arm.node, kind.node),
    arm.node ? null : el("p", {}, arm_name(page, Number(arm.value))),
    shelves.map((shelf, i) => {
      const about = el("span", { class: "question" }, visible(shelf.about));
      // A run may discover dozens of classes: the first stand open, the others are a click away.
      const before = shelves.slice(0, i).filter((s) => s.kind === "discovered").length;
      if (shelf.kind === "discovered" && before >= open_shelves) {
        return details(context, `shelf/${shelf.arm}/${shelf.title}`, [name_text(shelf.title), about], () => cards(context, shelf));
      }
      return [el("h3", {}, visible(shelf.title), about), cards(context, shelf)];
    }),
  ];
});

/** Some items of a shelf, and more on demand; in a place of its own, so that only it is drawn anew. */
function cards(context: Context, shelf: Shelf): HTMLElement {
  const key = `${context.key}/shelf/${shelf.arm}/${shelf.kind}/${shelf.title}/shown`;
  const place = el("div", {});
  const draw = () => {
    const shown = context.keep.get(key, at_first);
    const rest = shelf.items.length - shown;
    const more = () => {
      context.keep.set(key, shown + 24);
      draw();
    };
    place.replaceChildren(el("div", { class: "cards" }, shelf.items.slice(0, shown).map((item) => card(context, item))));
    if (rest > 0) {
      const text = `Show ${Math.min(rest, 24)} more of ${shelf.items.length}`;
      place.append(el("p", { class: "screen-only" }, button(text, more, { "data-key": key })));
    }
  };
  draw();
  return place;
}

function card(context: Context, item: Item): HTMLElement {
  const name = (id: number) => context.page.names[id] ?? `name ${id}`;
  const most = Math.max(1e-9, ...item.top.map(([, p]) => p));
  const scores = [
    item.novelty === null ? null : `novelty ${score(item.novelty)}`,
    item.p_value === null ? null : `p ${score(item.p_value)}`,
    `increment\u00a0${item.step}`,
  ];
  return el(
    "article",
    { class: "card" },
    picture(numbered(context.page, item.media), item.sample),
    el("header", {}, name_text(item.sample)),
    el("div", { class: "truth" }, "true: ", name_text(name(item.truth))),
    el(
      "div",
      { class: "top", role: "list", "aria-label": "Most probable names" },
      item.top.map(([id, p]) => [
        el("span", { class: id === item.truth ? "hit" : "", role: "listitem" }, name_text(name(id))),
        el("span", { class: "bar", "aria-hidden": "true" }, el("span", { style: `width:${((100 * p) / most).toFixed(1)}%` })),
        el("span", { class: "numeric" }, percent(p)),
      ]),
    ),
    el("div", { class: "scores" }, scores.filter((s) => s !== null).join(" · ")),
  );
}
