// SPDX-License-Identifier: Apache-2.0
// Where a picture is unusual: squares over it, and a frame around the worst patch.
import type { Heat } from "./data";
import { el } from "./dom";

const most_opaque = 0.75;

/** Shares from 0 to 1, row by row; nothing where they do not fit the squares. */
export function heat_shares(heat: Heat): number[] {
  let bytes: string;
  try {
    bytes = atob(heat.errors);
  } catch {
    return [];
  }
  return bytes.length === heat.rows * heat.columns ? [...bytes].map((byte) => byte.charCodeAt(0) / 255) : [];
}

/** The picture below its squares: the more opaque, the worse. Colour is not alone: the worst patch has a frame, and is named. */
export function heated(picture: HTMLElement, heat: Heat, name: string): HTMLElement {
  const shares = heat_shares(heat);
  if (shares.length === 0 || !(heat.width > 0 && heat.height > 0 && heat.cell > 0)) return picture;
  const part = (tag: string, attributes: Record<string, string | number>) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
    return node;
  };
  const [top, left, side] = heat.worst;
  const map = part("svg", { viewBox: `0 0 ${heat.width} ${heat.height}`, preserveAspectRatio: "none", role: "img", "aria-label": `Errors of the patches of ${name}, the worst at row ${top}, column ${left}` });
  shares.forEach((share, i) => {
    if (share < 1 / 255) return;
    const square = { x: (i % heat.columns) * heat.cell, y: Math.floor(i / heat.columns) * heat.cell, width: heat.cell, height: heat.cell };
    map.append(part("rect", { ...square, class: "square", "fill-opacity": (most_opaque * share).toFixed(3) }));
  });
  const within = { x: left, y: top, width: Math.min(side, heat.width - left), height: Math.min(side, heat.height - top) };
  for (const line of ["worst-edge", "worst"]) map.append(part("rect", { ...within, class: line }));
  return el("div", { class: "heated", style: `--shape:${heat.width / heat.height}` }, picture, map as unknown as HTMLElement);
}
