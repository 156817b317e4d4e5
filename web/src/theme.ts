// SPDX-License-Identifier: Apache-2.0
// Light or dark: as the system has it unless the reader chose. Canvases read colours from here.
import { el } from "./dom";

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];
const listeners = new Set<WeakRef<() => void>>();
let on_paper = false;

/** Colours of the stylesheet as canvases need them; on paper those of the light theme. */
export function css_color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "gray";
}

/** Calls `redraw` when colours change, for as long as its owner lives. */
export function when_colors_change(owner: object, redraw: () => void): void {
  (owner as { redraw_colors?: () => void }).redraw_colors = redraw;
  listeners.add(new WeakRef(redraw));
}

export function colors_changed(): void {
  for (const reference of listeners) {
    const redraw = reference.deref();
    if (redraw) redraw();
    else listeners.delete(reference);
  }
}

export function set_paper(paper: boolean): void {
  if (on_paper === paper) return;
  on_paper = paper;
  document.documentElement.classList.toggle("paper", paper);
  colors_changed();
}

export function theme_picker(): HTMLElement {
  let chosen: Theme = "auto";
  try {
    const stored = localStorage.getItem("tyto-theme");
    if (stored === "light" || stored === "dark") chosen = stored;
  } catch {
    // A page opened from a file may be refused storage.
  }
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    document.documentElement.dataset.theme = chosen !== "auto" ? chosen : system.matches ? "dark" : "light";
    colors_changed();
  };
  apply();
  system.addEventListener("change", apply);
  return el(
    "fieldset",
    { class: "segments theme" },
    el("legend", {}, "Theme"),
    themes.map((theme) =>
      el(
        "label",
        {},
        el("input", {
          type: "radio",
          name: "theme",
          value: theme,
          checked: theme === chosen,
          change: () => {
            chosen = theme;
            try {
              localStorage.setItem("tyto-theme", theme);
            } catch {
              // as above
            }
            apply();
          },
        }),
        el("span", {}, theme),
      ),
    ),
  );
}
