// SPDX-License-Identifier: Apache-2.0
// Reads the run, lays the page out and draws sections when they come into sight.
import "./style.css";
import "./sections";
import type { Page, Section } from "./data";
import { append, el, name_text, visible } from "./dom";
import { Keep } from "./keep";
import { embedded, watch } from "./load";
import { arm_key, arm_label, mark } from "./looks";
import { renderer } from "./section";
import { set_paper, theme_picker } from "./theme";

interface Slot {
  key: string;
  section: Section;
  body: HTMLElement;
  drawn: boolean;
  stale: boolean; // drawn with choices or data of before, and out of sight since
}

const most_arms_at_first = 6;

class Report {
  private readonly keep = new Keep();
  private readonly chosen = new Map<string, boolean>();
  private slots: Slot[] = [];
  private readonly observer: IntersectionObserver;
  private readonly near = new Set<Element>();
  private printing = new URLSearchParams(location.search).has("print");
  private readonly status = el("span", { class: "status", role: "status" });
  private width = 0;

  constructor(
    private readonly root: HTMLElement,
    private page: Page,
  ) {
    this.observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) this.near.add(target);
          else this.near.delete(target);
        }
        this.draw_near();
      },
      { rootMargin: "500px 0px" },
    );
    this.choose_arms();
    this.build();
    this.listen();
    if (page.live) {
      watch(page, {
        newer: (newer) => this.replace(newer),
        status: (text) => (this.status.textContent = text),
      });
    }
  }

  /** At first all arms, or those of one budget where that would be too many lines to follow. */
  private choose_arms(): void {
    const { arms } = this.page;
    const budgets = this.budgets();
    const most = budgets[budgets.length - 1];
    const of_one = arms.length > most_arms_at_first && budgets.length > 1;
    let n = 0;
    arms.forEach(({ feedback }, arm) => {
      const key = arm_key(this.page, arm);
      const shown = (!of_one || feedback === most) && n < 2 * most_arms_at_first;
      if (!this.chosen.has(key)) this.chosen.set(key, shown);
      if (shown) ++n;
    });
  }

  private budgets(): string[] {
    return [...new Set(this.page.arms.map((arm) => arm.feedback))];
  }

  private arms(): number[] {
    return this.page.arms.map((_, arm) => arm).filter((arm) => this.chosen.get(arm_key(this.page, arm)));
  }

  private build(): void {
    const { page } = this;
    document.title = page.title || "Tyto report";
    this.slots = page.sections.map((section, i) => ({
      key: `${section.kind}-${page.sections.slice(0, i).filter((s) => s.kind === section.kind).length}`,
      section,
      body: el("div", { class: "body" }),
      drawn: false,
      stale: false,
    }));
    const sections = this.slots.map((slot) => {
      const node = el(
        "section",
        { id: slot.key, class: `kind-${slot.section.kind.replace(/[^a-z0-9-]/gi, "-")}`, "aria-labelledby": `${slot.key}-title` },
        el("h2", { id: `${slot.key}-title`, tabindex: -1 }, visible(slot.section.title)),
        slot.section.about ? el("p", { class: "lead" }, visible(slot.section.about)) : null,
        slot.body,
      );
      this.observer.observe(slot.body);
      return node;
    });
    const main = el("main", { id: "main" }, sections);
    this.root.replaceChildren(
      hatching(),
      el("a", { class: "skip", href: "#main" }, "Skip to the report"),
      this.header(),
      this.arm_picker(),
      el("div", { class: "columns" }, this.navigation(), main),
      el(
        "footer",
        {},
        `Made by tyto ${visible(page.version)}${page.revision ? ` (${visible(page.revision)})` : ""}. `,
        "This file needs no network.",
      ),
    );
    this.width = main.clientWidth;
    if (this.printing) this.draw_all();
    else this.draw_in_idle_time();
  }

  private header(): HTMLElement {
    const { page } = this;
    const runs = page.runs.map((run) =>
      el("li", {}, name_text(run.name), " ", el("span", { class: "quiet" }, visible(run.folder)),
        run.done ? null : el("span", { class: "badge" }, "not finished")),
    );
    return el(
      "header",
      {},
      el(
        "div",
        { class: "headline" },
        el("h1", {}, name_text(page.title || "Tyto report")),
        el("div", { class: "header-tools" }, page.live ? this.status : null, theme_picker()),
      ),
      el("ul", { class: "runs" }, runs),
    );
  }

  private arm_picker(): HTMLElement {
    const { page } = this;
    const chips = page.arms.map((arm, i) => {
      const key = arm_key(page, i);
      const box = el("input", {
        type: "checkbox",
        checked: this.chosen.get(key),
        "data-key": `arm/${key}`,
        change: () => {
          this.chosen.set(key, box.checked);
          this.redraw();
        },
      });
      const repeat = page.runs[arm.run]?.repeat ?? "seed";
      const seeds = arm.seeds.length === 1 ? `1 ${repeat}` : `${arm.seeds.length} ${repeat}s`;
      const title = `${arm.predictor}, feedback ${arm.feedback}, ${seeds}`;
      return el("label", { class: "chip", title }, box, mark(page, i), name_text(arm_label(page, i)));
    });
    const budgets = this.budgets();
    const pick = (text: string, about: string, wanted: (arm: number) => boolean) =>
      el(
        "button",
        {
          type: "button",
          class: "pick",
          title: about,
          click: () => {
            page.arms.forEach((_, arm) => this.chosen.set(arm_key(page, arm), wanted(arm)));
            const boxes = this.root.querySelectorAll<HTMLInputElement>(".chip input");
            boxes.forEach((box, arm) => (box.checked = wanted(arm)));
            this.redraw();
          },
        },
        visible(text),
      );
    const picks =
      page.arms.length > 4
        ? [
            pick("all", "Show all arms", () => true),
            ...(budgets.length > 1
              ? budgets.map((b) => pick(b, `Show the arms with feedback ${b}`, (arm) => page.arms[arm].feedback === b))
              : []),
          ]
        : [];
    return el("fieldset", { class: "arms" }, el("legend", {}, "Shown"), picks.length > 0 ? el("span", { class: "picks" }, picks) : null, chips);
  }

  private navigation(): HTMLElement {
    const links = this.slots.map((slot) =>
      el(
        "li",
        {},
        el(
          "a",
          {
            href: `#${slot.key}`,
            click: (event: MouseEvent) => {
              event.preventDefault();
              this.go_to(slot);
            },
          },
          visible(slot.section.title),
        ),
      ),
    );
    return el("nav", { "aria-label": "Sections" }, el("ol", {}, links));
  }

  private go_to(slot: Slot): void {
    this.draw(slot);
    const section = document.getElementById(slot.key)!;
    section.scrollIntoView();
    section.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
    history.replaceState(null, "", `#${slot.key}`);
  }

  private draw_near(): void {
    for (const slot of this.slots) {
      if (this.near.has(slot.body) && (!slot.drawn || slot.stale)) this.draw(slot);
    }
  }

  /** One section at a time, so that a click in between is answered. */
  private draw_in_idle_time(): void {
    const next = () => {
      const slot = this.slots.find((s) => !s.drawn);
      if (!slot) return;
      this.draw(slot);
      idle(next);
    };
    idle(next);
  }

  private draw_all(): void {
    for (const slot of this.slots) this.draw(slot);
  }

  private draw(slot: Slot): void {
    const { body, section } = slot;
    const focus = remember_focus(body);
    body.style.minHeight = `${body.offsetHeight}px`; // what follows must not jump meanwhile
    slot.drawn = true;
    slot.stale = false;
    const render = renderer(section.kind);
    const content = document.createDocumentFragment();
    if (!render) {
      append(content, [
        el("p", { class: "quiet" }, `This page cannot show a section of the kind “${visible(section.kind)}”; a newer tyto may.`),
      ]);
    } else {
      try {
        append(content, [
          render(section.data, {
            page: this.page,
            arms: this.arms(),
            key: slot.key,
            keep: this.keep,
            width: this.width,
            printing: this.printing,
            again: () => this.draw(slot),
          }),
        ]);
      } catch (error) {
        console.warn(section.kind, error);
        content.replaceChildren(el("p", { class: "problem" }, `This section could not be drawn: ${String(error)}`));
      }
    }
    body.replaceChildren(content);
    body.style.minHeight = "";
    body.dataset.drawn = "yes";
    focus();
  }

  /** What is in sight at once, the rest when it comes there. */
  private redraw(): void {
    for (const slot of this.slots) slot.stale = slot.drawn;
    this.draw_near();
  }

  private replace(page: Page): void {
    const same =
      page.sections.length === this.slots.length &&
      page.sections.every((section, i) => section.kind === this.slots[i].section.kind) &&
      page.arms.length === this.page.arms.length;
    this.page = page;
    this.choose_arms();
    if (same) {
      page.sections.forEach((section, i) => (this.slots[i].section = section));
      this.root.querySelector("header")?.replaceWith(this.header());
      this.redraw();
    } else {
      const { scrollY } = window;
      const focus = remember_focus(this.root);
      this.observer.disconnect();
      this.near.clear();
      this.build();
      this.draw_all();
      window.scrollTo({ top: scrollY, behavior: "instant" });
      focus();
    }
  }

  /** Marks the section being read in the navigation. */
  private mark_place(): void {
    let current = this.slots[0]?.key;
    for (const { key } of this.slots) {
      if ((document.getElementById(key)?.getBoundingClientRect().top ?? Infinity) < 160) current = key;
    }
    for (const link of this.root.querySelectorAll("nav a")) {
      if (link.getAttribute("href") === `#${current}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  private listen(): void {
    let asked = false;
    const look = () => {
      asked = false;
      this.mark_place();
    };
    window.addEventListener("scroll", () => {
      if (!asked) requestAnimationFrame(look);
      asked = true;
    }, { passive: true });
    look();
    let timer = 0;
    window.addEventListener("resize", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        const width = this.root.querySelector("main")?.clientWidth ?? this.width;
        if (Math.abs(width - this.width) < 8 || this.printing) return;
        this.width = width;
        this.redraw();
      }, 150);
    });
    const paper_width = 700; // A4 without its margins, in CSS pixels
    window.addEventListener("beforeprint", () => {
      this.printing = true;
      this.width = Math.min(this.width, paper_width);
      set_paper(true);
      this.draw_all();
    });
    window.addEventListener("afterprint", () => {
      this.printing = new URLSearchParams(location.search).has("print");
      this.width = this.root.querySelector("main")?.clientWidth ?? this.width;
      set_paper(false);
      this.redraw();
    });
  }
}

/** Returns what puts the focus back on the control that had it. */
function remember_focus(within: HTMLElement): () => void {
  const active = document.activeElement as HTMLElement | null;
  if (!active || !within.contains(active)) return () => {};
  const key = active.dataset.key;
  const caret = active instanceof HTMLInputElement && active.type === "search" ? active.selectionStart : null;
  return () => {
    if (!key) return;
    const again = within.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    again?.focus({ preventScroll: true });
    if (caret !== null && again instanceof HTMLInputElement) again.setSelectionRange(caret, caret);
  };
}

/** The pattern that marks novel samples besides their colour, for every chart. */
function hatching(): Element {
  const part = (name: string, attributes: Record<string, string>, ...children: Element[]) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const line = part("path", { d: "M-1 1L1 -1M0 6L6 0M5 7L7 5", stroke: "var(--paper)", "stroke-width": "1.1" });
  const pattern = part("pattern", { id: "hatch", width: "6", height: "6", patternUnits: "userSpaceOnUse" }, line);
  return part("svg", { width: "0", height: "0", "aria-hidden": "true", class: "patterns" }, part("defs", {}, pattern));
}

function idle(work: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 1500 });
  else setTimeout(work, 60);
}

async function boot(): Promise<void> {
  const root = document.getElementById("app")!;
  const say = (text: string) => root.replaceChildren(el("p", { class: "quiet alone" }, text));
  try {
    performance.mark("parsed");
    const page = await embedded();
    performance.mark("unpacked");
    if (page) new Report(root, page);
    else say("This page holds no run. `tyto report RUN` fills one.");
  } catch (error) {
    say(`The run in this page cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
}

void boot();
