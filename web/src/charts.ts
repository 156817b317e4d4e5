// SPDX-License-Identifier: Apache-2.0
// Figures: title, chart drawn when it comes into sight, larger on demand, and its numbers as a table.
import * as Plot from "@observablehq/plot";
import { el } from "./dom";
import type { Child } from "./dom";
import type { Context } from "./section";
import { table } from "./table";
import type { Column } from "./table";

export interface Figure<R = unknown> {
  key: string;
  title: Child;
  label: string; // of the chart, for those who cannot see it
  about?: Child;
  height: number;
  draw(width: number, height: number): Element;
  numbers?: { columns: Column<R>[]; rows: R[] };
}

// Keys of the figures in sight, so that one drawn anew while it is looked at does not flicker.
const in_sight = new Set<string>();
const last_drawn = new Map<string, Element>();
const waiting = new WeakMap<Element, () => void>();
const observer =
  typeof IntersectionObserver === "undefined"
    ? null
    : new IntersectionObserver(
        (entries) => {
          for (const { target, isIntersecting } of entries) {
            const key = (target as HTMLElement).dataset.figure ?? "";
            if (!isIntersecting) {
              in_sight.delete(key);
              continue;
            }
            in_sight.add(key);
            waiting.get(target)?.();
            waiting.delete(target);
          }
        },
        { rootMargin: "120px 0px" },
      );

// A dozen charts take longer than a click may: after the frame that shows the choice they are drawn
// in slices, and until then the old ones stay.
const queue: (() => void)[] = [];
const slice_ms = 12;

let working = false;

function later(work: () => void): void {
  queue.push(work);
  if (!working) requestAnimationFrame(() => setTimeout(work_off));
  working = true;
}

function work_off(): void {
  const start = performance.now();
  while (queue.length > 0 && performance.now() - start < slice_ms) queue.shift()!();
  working = queue.length > 0;
  if (working) setTimeout(work_off);
}

export function figure<R>(context: Context, width: number, spec: Figure<R>): HTMLElement {
  const key = `${context.key}/${spec.key}`;
  const large = context.keep.get(`${key}/large`, false) && !context.printing;
  const drawn_width = large ? context.width : width;
  const height = large ? Math.round(Math.max(spec.height, Math.min(520, context.width * 0.5))) : spec.height;
  const chart = el("div", {
    class: "chart",
    role: "img",
    "aria-label": spec.label,
    "data-figure": key,
    style: `min-height:${height}px`,
  });
  const draw = () => {
    if (chart.dataset.busy && !chart.isConnected) return; // drawn anew meanwhile
    const drawn = guarded(() => spec.draw(drawn_width, height));
    delete chart.dataset.busy;
    last_drawn.set(key, drawn);
    chart.replaceChildren(drawn);
  };
  if (context.printing || !observer) {
    draw();
  } else if (in_sight.has(key) && last_drawn.has(key)) {
    chart.append(last_drawn.get(key)!);
    chart.dataset.busy = "yes";
    later(draw);
  } else {
    waiting.set(chart, draw);
  }
  observer?.observe(chart);

  const numbers = el("div", { class: "numbers" });
  const show_numbers = () => {
    const open = context.keep.get(`${key}/numbers`, false);
    numbers.replaceChildren();
    if (open && spec.numbers) {
      numbers.append(table(context, `${spec.key}/table`, { ...spec.numbers, caption: spec.label }));
    }
    numbers_button?.setAttribute("aria-expanded", String(open));
  };
  const tool = (text: string, label: string, what: string, click: () => void) =>
    el(
      "button",
      {
        type: "button",
        class: "tool",
        title: label,
        "aria-label": `${label}: ${spec.label}`,
        "data-key": `${key}/${what}/button`,
        click: () => {
          context.keep.set(`${key}/${what}`, !context.keep.get(`${key}/${what}`, false));
          click();
        },
      },
      text,
    );
  const numbers_button = spec.numbers ? tool("123", "Numbers", "numbers", show_numbers) : null;
  const size_button =
    width < context.width - 40 || large
      ? tool(large ? "–" : "⤢", large ? "Smaller" : "Larger", "large", context.again)
      : null;
  const node = el(
    "figure",
    { class: large ? "large" : "" },
    el(
      "figcaption",
      {},
      el("span", { class: "figure-title" }, spec.title),
      el("span", { class: "tools" }, numbers_button, size_button),
    ),
    chart,
    spec.about ? el("p", { class: "about" }, spec.about) : null,
    numbers,
  );
  show_numbers();
  return node;
}

/** A part that may follow a frame later than the choice it depends on; until then the old one stays. */
export function deferred(context: Context, name: string, make: () => HTMLElement): HTMLElement {
  const key = `${context.key}/${name}`;
  const place = el("div", {});
  const old = last_drawn.get(key);
  const draw = () => {
    if (place.dataset.busy && !place.isConnected) return; // drawn anew meanwhile
    const made = make();
    delete place.dataset.busy;
    last_drawn.set(key, made);
    place.replaceChildren(made);
  };
  if (context.printing || !old || old.contains(document.activeElement)) {
    draw();
  } else {
    place.append(old);
    place.dataset.busy = "yes";
    later(draw);
  }
  return place;
}

/** Lays figures out in as many columns as fit; each is told its width. */
export function grid(context: Context, least: number, makers: ((width: number) => HTMLElement)[]): HTMLElement {
  const gap = 28;
  const fit = Math.max(1, Math.floor((context.width + gap) / (least + gap)));
  const columns = least >= context.width / 2 ? 1 : fit;
  const width = Math.floor((context.width - gap * (columns - 1)) / columns);
  return el(
    "div",
    { class: "figures", style: `grid-template-columns:repeat(${columns},minmax(0,1fr))` },
    makers.map((make) => make(width)),
  );
}

/** Plot with the page's type and margins. */
export function plot(width: number, height: number, options: Plot.PlotOptions): Element {
  return Plot.plot({
    width,
    height,
    marginLeft: 44,
    marginRight: 14,
    marginTop: 14,
    marginBottom: 34,
    ...options,
    style: { fontSize: "12px", fontFamily: "inherit", overflow: "visible", background: "transparent" },
  });
}

function guarded(make: () => Element): Element {
  try {
    return make();
  } catch (error) {
    console.warn(error);
    return el("p", { class: "problem" }, `This chart could not be drawn: ${String(error)}`);
  }
}

export function nothing(text: string): HTMLElement {
  return el("p", { class: "quiet" }, text);
}
