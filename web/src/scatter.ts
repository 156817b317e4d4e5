// SPDX-License-Identifier: Apache-2.0
// Thousands of points on a canvas that can be zoomed, moved and walked through by keyboard.
import { sharp_canvas, Tip } from "./canvas";
import { button } from "./controls";
import { clip, el } from "./dom";
import type { Context } from "./section";
import { css_color, when_colors_change } from "./theme";

export type Shape = "circle" | "square" | "triangle" | "cross" | "diamond";

export interface PointLook {
  color: string; // a CSS variable's name, or a colour
  shape: Shape;
}

export interface ScatterSpec {
  key: string;
  label: string;
  width: number;
  height: number;
  x: number[];
  y: number[];
  look(i: number): PointLook;
  faded(i: number): boolean;
  describe(i: number): string[];
  picture?(i: number): HTMLElement | null;
  outlines: { points: [number, number][]; name: string }[];
}

interface Window2d {
  x: number; // centre
  y: number;
  scale: number; // pixels per unit
}

export function scatter(context: Context, spec: ScatterSpec): HTMLElement {
  const { width, height } = spec;
  const key = `${context.key}/${spec.key}`;
  const finite = spec.x.map((x, i) => Number.isFinite(x) && Number.isFinite(spec.y[i]));
  const whole = fit(spec, finite);
  let view = context.keep.get<Window2d>(`${key}/window`, whole);
  let current = -1;
  const label = `${spec.label}. Arrow keys walk from sample to sample, plus and minus zoom, 0 shows all.`;
  const { canvas, pen } = sharp_canvas(width, height, label, key, context.printing);
  const tip = new Tip(() => width);
  const sx = (x: number) => width / 2 + (x - view.x) * view.scale;
  const sy = (y: number) => height / 2 - (y - view.y) * view.scale;

  const draw = () => {
    const colors = new Map<string, string>();
    const color = (name: string) => {
      if (!name.startsWith("--")) return name;
      if (!colors.has(name)) colors.set(name, css_color(name));
      return colors.get(name)!;
    };
    pen.globalAlpha = 1;
    pen.fillStyle = color("--paper");
    pen.fillRect(0, 0, width, height);
    const radius = Math.max(1.8, Math.min(5, 2.4 * Math.sqrt(view.scale / whole.scale)));
    // One path for all points of a look: a fill each would take ten times as long.
    const layers = [new Map<string, number[]>(), new Map<string, number[]>()];
    for (let i = 0; i < spec.x.length; ++i) {
      if (!finite[i]) continue;
      const x = sx(spec.x[i]);
      const y = sy(spec.y[i]);
      if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
      const { color: name, shape } = spec.look(i);
      const layer = layers[spec.faded(i) ? 0 : 1];
      const key = `${shape} ${name}`;
      const places = layer.get(key);
      if (places) places.push(x, y);
      else layer.set(key, [x, y]);
    }
    layers.forEach((layer, unfaded) => {
      pen.globalAlpha = unfaded ? 0.75 : 0.12;
      for (const [key, places] of layer) {
        const at = key.indexOf(" ");
        stamp(pen, places, radius, key.slice(0, at) as Shape, color(key.slice(at + 1)));
      }
    });
    pen.globalAlpha = 1;
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    for (const { points, name } of spec.outlines) {
      // A few pixels outside of the points it holds.
      const middle = [0, 1].map((c) => points.reduce((sum, p) => sum + p[c], 0) / points.length);
      pen.beginPath();
      points.forEach((p, k) => {
        const [dx, dy] = [sx(p[0]) - sx(middle[0]), sy(p[1]) - sy(middle[1])];
        const out = 1 + 7 / Math.max(1, Math.hypot(dx, dy));
        const [x, y] = [sx(middle[0]) + dx * out, sy(middle[1]) + dy * out];
        if (k === 0) pen.moveTo(x, y);
        else pen.lineTo(x, y);
      });
      pen.closePath();
      pen.lineWidth = 1.3;
      pen.setLineDash([5, 3]);
      pen.strokeStyle = color("--ink");
      pen.stroke();
      pen.setLineDash([]);
      const top = points.reduce((best, p) => (p[1] > best[1] ? p : best));
      pen.lineWidth = 3;
      pen.strokeStyle = color("--paper");
      pen.fillStyle = color("--ink");
      if (name === "") continue;
      const text = clip(name, 24);
      const half = pen.measureText(text).width / 2 + 3;
      const x = Math.max(half, Math.min(width - half, sx(top[0]))); // in sight as far as the outline is
      const y = Math.max(14, sy(top[1]) - 11);
      if (Math.abs(x - sx(top[0])) > 60) continue;
      pen.strokeText(text, x, y);
      pen.fillText(text, x, y);
    }
    if (current >= 0) {
      pen.strokeStyle = color("--ink");
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(sx(spec.x[current]), sy(spec.y[current]), radius + 4, 0, 2 * Math.PI);
      pen.stroke();
    }
  };

  const moved = () => {
    context.keep.set(`${key}/window`, view);
    draw();
  };
  const zoom = (factor: number, at_x = width / 2, at_y = height / 2) => {
    const x = view.x + (at_x - width / 2) / view.scale;
    const y = view.y - (at_y - height / 2) / view.scale;
    const scale = Math.max(whole.scale * 0.5, Math.min(whole.scale * 200, view.scale * factor));
    view = { x: x - (at_x - width / 2) / scale, y: y + (at_y - height / 2) / scale, scale };
    moved();
  };
  const reset = () => {
    view = whole;
    moved();
  };
  const point = (i: number, speak: boolean) => {
    if (i === current && !speak) return;
    current = i;
    draw();
    if (i < 0) tip.hide();
    else tip.show(sx(spec.x[i]), sy(spec.y[i]), spec.describe(i).map((line) => clip(line, 120)), speak, spec.picture?.(i) ?? null);
  };
  const nearest = (x: number, y: number, within: number, allowed: (dx: number, dy: number) => boolean = () => true) => {
    let best = -1;
    let least = within * within;
    for (let i = 0; i < spec.x.length; ++i) {
      if (!finite[i] || spec.faded(i)) continue;
      const dx = sx(spec.x[i]) - x;
      const dy = sy(spec.y[i]) - y;
      const distance = dx * dx + dy * dy;
      if (distance < least && allowed(dx, dy)) {
        best = i;
        least = distance;
      }
    }
    return best;
  };

  const position = (event: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    const scale = width / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  };
  let drag: [number, number] | null = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = position(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = position(event);
    if (drag) {
      view = { ...view, x: view.x - (x - drag[0]) / view.scale, y: view.y + (y - drag[1]) / view.scale };
      drag = [x, y];
      tip.hide();
      moved();
    } else {
      point(nearest(x, y, 14), false);
    }
  });
  canvas.addEventListener("pointerup", () => (drag = null));
  canvas.addEventListener("pointercancel", () => (drag = null));
  canvas.addEventListener("pointerleave", () => point(-1, false));
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 0.8 : 1.25, ...position(event));
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (event) => {
    const step: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const way = step[event.key];
    if (way) {
      const from: [number, number] = current < 0 ? [width / 2, height / 2] : [sx(spec.x[current]), sy(spec.y[current])];
      const ahead = (dx: number, dy: number) =>
        current < 0 || (dx * way[0] + dy * way[1] > 1 && Math.abs(dx * way[1]) + Math.abs(dy * way[0]) <= dx * way[0] + dy * way[1]);
      const next = nearest(from[0], from[1], 1e6, ahead);
      if (next >= 0) point(next, true);
    } else if (event.key === "+" || event.key === "-") {
      zoom(event.key === "+" ? 1.5 : 0.67);
    } else if (event.key === "0") {
      reset();
    } else if (event.key === "Escape") {
      point(-1, false);
    } else {
      return;
    }
    event.preventDefault();
  });

  draw();
  when_colors_change(canvas, draw);
  return el(
    "div",
    {},
    el(
      "div",
      { class: "controls" },
      button("+", () => zoom(1.5), { "aria-label": "Zoom in" }),
      button("−", () => zoom(0.67), { "aria-label": "Zoom out" }),
      button("Whole", reset),
    ),
    el("div", { class: "canvas-box" }, canvas, tip.node, tip.spoken),
  );
}

function fit(spec: ScatterSpec, finite: boolean[]): Window2d {
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < spec.x.length; ++i) {
    if (!finite[i]) continue;
    x0 = Math.min(x0, spec.x[i]);
    x1 = Math.max(x1, spec.x[i]);
    y0 = Math.min(y0, spec.y[i]);
    y1 = Math.max(y1, spec.y[i]);
  }
  if (x0 > x1) return { x: 0, y: 0, scale: 1 };
  const scale = Math.min((spec.width - 40) / Math.max(1e-9, x1 - x0), (spec.height - 40) / Math.max(1e-9, y1 - y0));
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale: Number.isFinite(scale) ? scale : 1 };
}

/** Draws the same mark at each of `places` (x, y, x, y, ...). */
export function stamp(pen: CanvasRenderingContext2D, places: number[], r: number, shape: Shape, color: string): void {
  pen.fillStyle = color;
  pen.strokeStyle = color;
  pen.beginPath();
  for (let i = 0; i < places.length; i += 2) outline(pen, places[i], places[i + 1], r, shape);
  if (shape === "cross") {
    pen.lineWidth = Math.max(1.2, r * 0.6);
    pen.stroke();
  } else {
    pen.fill();
  }
}

function outline(pen: CanvasRenderingContext2D, x: number, y: number, r: number, shape: Shape): void {
  if (shape === "circle") {
    pen.moveTo(x + r, y);
    pen.arc(x, y, r, 0, 2 * Math.PI);
  } else if (shape === "square") {
    pen.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
  } else if (shape === "triangle") {
    pen.moveTo(x, y - r * 1.2);
    pen.lineTo(x + r * 1.1, y + r * 0.8);
    pen.lineTo(x - r * 1.1, y + r * 0.8);
  } else if (shape === "diamond") {
    pen.moveTo(x, y - r * 1.3);
    pen.lineTo(x + r * 1.1, y);
    pen.lineTo(x, y + r * 1.3);
    pen.lineTo(x - r * 1.1, y);
  } else {
    pen.moveTo(x - r, y - r);
    pen.lineTo(x + r, y + r);
    pen.moveTo(x + r, y - r);
    pen.lineTo(x - r, y + r);
  }
}

/** Groups of points that are linked by steps of at most `reach`, largest first. */
export function clumps(points: [number, number][], reach: number): [number, number][][] {
  const parent = points.map((_, i) => i);
  const root = (i: number): number => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  // Only points of the same or a neighbouring square can be that near.
  const squares = new Map<string, number[]>();
  const square = (i: number) => [Math.floor(points[i][0] / reach), Math.floor(points[i][1] / reach)];
  points.forEach((_, i) => {
    const [x, y] = square(i);
    for (let dx = -1; dx <= 1; ++dx) {
      for (let dy = -1; dy <= 1; ++dy) {
        for (const k of squares.get(`${x + dx},${y + dy}`) ?? []) {
          if (Math.hypot(points[i][0] - points[k][0], points[i][1] - points[k][1]) <= reach) parent[root(k)] = root(i);
        }
      }
    }
    const own = squares.get(`${x},${y}`);
    if (own) own.push(i);
    else squares.set(`${x},${y}`, [i]);
  });
  const groups = new Map<number, [number, number][]>();
  points.forEach((point, i) => {
    const at = root(i);
    if (groups.has(at)) groups.get(at)!.push(point);
    else groups.set(at, [point]);
  });
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** Convex hull, counterclockwise. */
export function hull(points: [number, number][]): [number, number][] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list: [number, number][]) => {
    const chain: [number, number][] = [];
    for (const p of list) {
      while (chain.length > 1) {
        const [a, b] = [chain[chain.length - 2], chain[chain.length - 1]];
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    chain.pop();
    return chain;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
