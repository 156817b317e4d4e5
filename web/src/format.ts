// SPDX-License-Identifier: Apache-2.0
// Numbers as a reader wants them.
import type { Ranged } from "./data";
import { el } from "./dom";

export const missing = "–";

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? missing : Math.round(value).toLocaleString("en-US");
}

/** What answers cost: whole numbers mostly, but prices may be fractions. */
export function price(value: number | null | undefined): string {
  return value === null || value === undefined || Number.isInteger(value) ? count(value) : value.toFixed(2);
}

/** For axes: 0, 250, 5k, 1.2M. */
export function short(value: number): string {
  const size = Math.abs(value);
  const trimmed = (v: number) => String(Number(v.toFixed(1)));
  if (size >= 1e6) return `${trimmed(value / 1e6)}M`;
  if (size >= 1e4) return `${trimmed(value / 1e3)}k`;
  return Number.isInteger(value) ? count(value) : String(Number(value.toFixed(2)));
}

/** Three decimals for shares and scores, fewer digits for what is large. */
export function score(value: number | null | undefined, decimals = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return missing;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size >= 1000) return minus(count(value));
  if (size >= 10 && Number.isInteger(value)) return minus(String(value));
  const text = value.toFixed(size >= 10 ? 1 : decimals);
  if (Number(text) === 0 && value !== 0) return minus(value.toExponential(1));
  return minus(text);
}

export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined) return missing;
  const hundred = value * 100;
  const text = hundred.toFixed(hundred !== 0 && Math.abs(hundred) < 10 ? 1 : 0);
  return `${minus(Number(text) === 0 ? text.replace("-", "") : text)} %`;
}

export function signed(value: number | null): string {
  return value === null ? missing : (value > 0 ? "+" : "") + score(value);
}

export function seconds(value: number): string {
  if (value < 0.0095) return `${(value * 1000).toFixed(1)} ms`;
  if (value < 0.95) return `${(value * 1000).toFixed(0)} ms`;
  if (value < 100) return `${value.toFixed(1)} s`;
  if (value < 5400) return `${(value / 60).toFixed(1)} min`;
  return `${(value / 3600).toFixed(1)} h`;
}

export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    ++unit;
  }
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${units[unit]}`;
}

export function range_text([value, low, high]: Ranged): string {
  const interval = low === null || high === null ? "" : ` [${score(low)}, ${score(high)}]`;
  return score(value) + interval;
}

/** 0.812 [0.790, 0.830], the interval small and grey. */
export function ranged([value, low, high]: Ranged): HTMLElement {
  return el(
    "span",
    { class: "num" },
    score(value),
    low !== null && high !== null && value !== null
      ? el("span", { class: "interval" }, ` [${score(low)}, ${score(high)}]`)
      : null,
  );
}

function minus(text: string): string {
  return text.replace(/^-/, "−");
}
