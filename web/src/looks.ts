// SPDX-License-Identifier: Apache-2.0
// How an arm is told from the others: colour, dashes and marker, never colour alone. Colours are
// CSS variables, so that charts follow the theme, and paper, without being drawn anew.
import * as Plot from "@observablehq/plot";
import type { Arm, Page } from "./data";
import { el, name_text, visible } from "./dom";

export interface Look {
  color: string;
  dash: string;
  symbol: Plot.SymbolType;
  label: string;
}

const dashes = ["none", "7 3", "2 3", "9 3 2 3", "4 2"];
const symbols: Plot.SymbolType[] = ["circle", "square", "triangle", "diamond", "star", "wye", "cross"];
const colors = 8;

/** What repeated runs were repeated over: "seeds", "folds", "datasets"; "runs" where they differ in it. */
export function repeats(page: Page): string {
  const words = new Set(page.arms.filter((arm) => arm.seeds.length > 1).map((arm) => page.runs[arm.run]?.repeat ?? "seed"));
  return words.size > 1 ? "runs" : `${[...words][0] ?? "seed"}s`;
}

/**
 * One colour for the arms of a predictor in a run, whose budgets differ in dashes and marker. Where each
 * predictor has one arm only, colour, dashes and marker all tell them apart.
 */
export function look(page: Page, arm: number): Look {
  const family = ({ run, predictor }: Arm) => `${run}/${predictor}`;
  const families = [...new Set(page.arms.map(family))];
  const mine = family(page.arms[arm]);
  const color = families.indexOf(mine);
  // Counted from the last, the largest budget, so that this one is drawn plainly.
  const variant = page.arms.slice(arm + 1).filter((a) => family(a) === mine).length;
  const single = families.length === page.arms.length;
  return {
    color: `var(--arm-${color % colors})`,
    dash: dashes[(single ? color : variant + Math.floor(color / colors)) % dashes.length],
    symbol: symbols[(color + variant * 2) % symbols.length],
    label: arm_label(page, arm),
  };
}

/** The arm's name, and its run's where several are shown. */
export function arm_label(page: Page, arm: number): string {
  const { run, name } = page.arms[arm];
  return visible(page.runs.length > 1 ? `${page.runs[run]?.name ?? "?"} · ${name}` : name);
}

export function arm_key(page: Page, arm: number): string {
  const { run, name } = page.arms[arm];
  return `${run}/${page.runs[run]?.folder ?? ""}/${name}`;
}

const marks = new Map<string, Element>(); // tables show one in every row

/** A short line with the arm's marker. */
export function mark(page: Page, arm: number): Node {
  const key = Object.values(look(page, arm)).slice(0, 3).join("/");
  if (!marks.has(key)) marks.set(key, draw_mark(page, arm));
  return marks.get(key)!.cloneNode(true);
}

function draw_mark(page: Page, arm: number): Element {
  const { color, dash, symbol } = look(page, arm);
  const svg = Plot.plot({
    width: 30,
    height: 12,
    margin: 0,
    axis: null,
    x: { domain: [0, 2] },
    y: { domain: [0, 1] },
    marks: [
      Plot.line([[0, 0.5], [2, 0.5]], { stroke: color, strokeWidth: 2, strokeDasharray: dash }),
      Plot.dot([[1, 0.5]], { fill: color, symbol, r: 3.5 }),
    ],
  });
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("arm-mark");
  return svg;
}

export function arm_name(page: Page, arm: number): HTMLElement {
  return el("span", { class: "arm" }, mark(page, arm), name_text(arm_label(page, arm)));
}
