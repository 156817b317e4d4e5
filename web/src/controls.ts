// SPDX-License-Identifier: Apache-2.0
// Choices of the reader: segments for a few options, a list for many. What was chosen is kept.
import { el, visible } from "./dom";
import type { Child } from "./dom";
import type { Context } from "./section";

export interface Option {
  value: string;
  text: string;
  about?: string;
}

export interface Choice {
  node: HTMLElement | null; // null where there is nothing to choose
  value: string;
}

export function choice(
  context: Context,
  name: string,
  label: string,
  options: Option[],
  initial?: string,
  changed: () => void = context.again,
): Choice {
  const key = `${context.key}/${name}`;
  const wanted = context.keep.get(key, initial ?? options[0]?.value ?? "");
  const value = options.some((o) => o.value === wanted) ? wanted : (options[0]?.value ?? "");
  const change = (chosen: string) => {
    context.keep.set(key, chosen);
    changed();
  };
  if (options.length < 2) return { node: null, value };
  const letters = options.reduce((sum, o) => sum + o.text.length, 0);
  const node =
    options.length <= 5 && letters <= 60
      ? segments(key, label, options, value, change)
      : list(key, label, options, value, change);
  return { node, value };
}

function segments(
  key: string,
  label: string,
  options: Option[],
  value: string,
  change: (value: string) => void,
): HTMLElement {
  return el(
    "fieldset",
    { class: "segments" },
    el("legend", {}, label),
    options.map((option) =>
      el(
        "label",
        { title: option.about },
        el("input", {
          type: "radio",
          name: key,
          value: option.value,
          checked: option.value === value,
          "data-key": `${key}:${option.value}`,
          change: () => change(option.value),
        }),
        el("span", {}, visible(option.text)),
      ),
    ),
  );
}

function list(
  key: string,
  label: string,
  options: Option[],
  value: string,
  change: (value: string) => void,
): HTMLElement {
  const select = el(
    "select",
    { "data-key": key, change: () => change(select.value) },
    options.map((o) => el("option", { value: o.value, selected: o.value === value }, visible(o.text))),
  );
  return el("label", { class: "list" }, el("span", {}, label), select);
}

export function toggle(context: Context, name: string, label: string, initial: boolean) {
  const key = `${context.key}/${name}`;
  const value = context.keep.get(key, initial);
  const box = el("input", {
    type: "checkbox",
    checked: value,
    "data-key": key,
    change: () => {
      context.keep.set(key, box.checked);
      context.again();
    },
  });
  return { node: el("label", { class: "toggle" }, box, el("span", {}, label)), value };
}

/** A number the reader may type; what is no number from `least` to `most` leaves things as they are. */
export function amount(context: Context, name: string, label: string, initial: number, least: number, most: number, unit = "") {
  const key = `${context.key}/${name}`;
  const value = context.keep.get(key, initial);
  const box = el("input", {
    type: "number",
    min: least,
    max: most,
    step: "any",
    value,
    "data-key": key,
    change: () => {
      const typed = box.value.trim() === "" ? NaN : Number(box.value);
      if (typed >= least && typed <= most) context.keep.set(key, typed);
      context.again();
    },
  });
  return { node: el("label", { class: "list amount" }, el("span", {}, label), box, unit ? el("span", {}, unit) : null), value };
}

export function bar(...controls: Child[]): HTMLElement {
  return el("div", { class: "controls" }, controls);
}

export function button(text: string, click: () => void, attributes: Record<string, string> = {}) {
  return el("button", { type: "button", click, ...attributes }, text);
}

/** A part that opens; it is filled when it does, and stays open when the section is drawn anew. */
export function details(context: Context, name: string, title: Child, fill: () => Child): HTMLElement {
  const key = `${context.key}/${name}`;
  const body = el("div", { class: "details" });
  const node = el(
    "details",
    { open: context.keep.get(key, false) || context.printing },
    el("summary", { "data-key": key }, title),
    body,
  );
  const open = () => {
    if (!body.hasChildNodes()) append_to(body, fill());
  };
  if (node.open) open();
  node.addEventListener("toggle", () => {
    if (!context.printing) context.keep.set(key, node.open);
    if (node.open) open();
  });
  return node;
}

function append_to(node: HTMLElement, child: Child): void {
  node.append(el("div", {}, child));
}
