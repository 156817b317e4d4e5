// SPDX-License-Identifier: Apache-2.0
// Figures: title, chart drawn when it comes into sight, larger on demand, and its numbers as a table.
import * as Plot from "@observablehq/plot";
import { el } from "./dom";
import type { Child } from "./dom";
import { score } from "./format";
import { arm_label, look } from "./looks";
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

/** Lays figures out in as many columns as fit, up to `most`; each is told its width. */
export function grid(context: Context, least: number, makers: ((width: number) => HTMLElement)[], most = Infinity): HTMLElement {
  const gap = 28;
  const fit = Math.max(1, Math.floor((context.width + gap) / (least + gap)));
  const columns = least >= context.width / 2 ? 1 : Math.min(fit, most);
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

export interface Curves {
  key: string;
  title: string;
  x_label: string;
  y_label: string;
  curves: { arm: number; points: [x: number, y: number][] }[];
  diagonal?: boolean;
  top?: number; // of the y axis, 1 unless told; what is above it is cut off
  about?: Child;
}

/** A line per arm over shares: x from 0 to 1, y from 0. */
export function curve_chart(context: Context, width: number, spec: Curves): HTMLElement {
  const { page } = context;
  const { x_label, y_label, curves, top = 1 } = spec;
  const points = curves.flatMap((c) => c.points.map(([x, y]) => ({ arm: c.arm, x, y })));
  type Point = (typeof points)[number];
  return figure<Point>(context, width, {
    key: spec.key,
    title: spec.title,
    label: `${spec.title}: ${y_label} against ${x_label}`,
    about: spec.about,
    height: Math.min(340, Math.round(width * 0.86)),
    draw: (w, h) =>
      plot(w, h, {
        x: { domain: [0, 1], label: x_label, ticks: 5 },
        y: { domain: [0, top], label: y_label, ticks: 5 },
        marginTop: 26,
        marks: [
          Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
          Plot.gridX({ stroke: "var(--rule)", strokeOpacity: 1 }),
          spec.diagonal ? Plot.line([[0, 0], [1, 1]], { stroke: "var(--edge)" }) : null,
          curves.flatMap((c) => {
            const { color, dash, symbol } = look(page, c.arm);
            const middle = c.points.length > 2 ? [c.points[Math.floor(c.points.length / 2)]] : [];
            return [
              Plot.line(c.points, { stroke: color, strokeWidth: 1.8, strokeDasharray: dash, clip: top < 1 }),
              Plot.dot(middle, { fill: color, symbol, r: 4 }),
            ];
          }),
          Plot.tip(
            points.filter((d) => d.y <= top),
            Plot.pointer({ x: "x", y: "y", title: (d: Point) => `${arm_label(page, d.arm)}\n${x_label} ${score(d.x)}\n${y_label} ${score(d.y)}` }),
          ),
        ],
      }),
    numbers: {
      rows: points,
      columns: [
        { key: "arm", title: "Arm", value: (d) => arm_label(page, d.arm) },
        { key: "x", title: x_label, numeric: true, value: (d) => d.x, show: (d) => score(d.x) },
        { key: "y", title: y_label, numeric: true, value: (d) => d.y, show: (d) => score(d.y) },
      ],
    },
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
