// SPDX-License-Identifier: Apache-2.0
// What hand-drawn charts share: a canvas of the screen's resolution and a tip that follows the pointer.
import { el } from "./dom";

export function sharp_canvas(width: number, height: number, label: string, key: string, printing: boolean) {
  const scale = printing ? 2 : Math.min(2, window.devicePixelRatio || 1);
  const canvas = el("canvas", {
    width: Math.round(width * scale),
    height: Math.round(height * scale),
    style: `width:${width}px;height:${height}px`,
    tabindex: 0,
    role: "application",
    "aria-label": label,
    "data-key": key,
  });
  const pen = canvas.getContext("2d")!;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  return { canvas, pen };
}

/** Text beside the pointer; what the keyboard reaches is also spoken. */
export class Tip {
  readonly node = el("div", { class: "tip", hidden: true });
  readonly spoken = el("div", { class: "spoken", "aria-live": "polite" });

  constructor(private readonly within: () => number) {}

  show(x: number, y: number, lines: string[], speak = false, picture: HTMLElement | null = null): void {
    this.node.replaceChildren(...(picture ? [picture] : []), ...lines.map((line) => el("div", { dir: "auto" }, line)));
    this.node.hidden = false;
    const width = this.node.offsetWidth;
    const left = x + 14 + width > this.within() ? Math.max(0, x - 14 - width) : x + 14;
    this.node.style.transform = `translate(${Math.round(left)}px, ${Math.round(y + 14)}px)`;
    if (speak) this.spoken.textContent = lines.join(", ");
  }

  hide(): void {
    this.node.hidden = true;
  }
}

export const sans = "12px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";

/** The text, shortened until it fits. */
export function fitted(pen: CanvasRenderingContext2D, text: string, width: number): string {
  if (text.length < 100 && pen.measureText(text).width <= width) return text;
  const points = [...text.slice(0, 100)];
  let [fits, too_long] = [1, points.length];
  while (too_long - fits > 1) {
    const middle = (fits + too_long) >> 1;
    if (pen.measureText(points.slice(0, middle).join("") + "…").width <= width) fits = middle;
    else too_long = middle;
  }
  return points.slice(0, fits).join("") + "…";
}
