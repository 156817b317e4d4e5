// SPDX-License-Identifier: Apache-2.0
// A matrix of any size on a canvas. Where cells would be too small to see, neighbours are drawn
// together; a click, a drawn rectangle or the keyboard goes into them.
import { fitted, sans, sharp_canvas, Tip } from "./canvas";
import { button } from "./controls";
import { clip, el } from "./dom";
import type { Context } from "./section";
import { css_color, when_colors_change } from "./theme";

export interface Cells {
  rows: string[];
  columns: string[];
  row: Int32Array;
  column: Int32Array;
  value: Float64Array;
  tone: Uint8Array; // 0 in the first colour (right, known), 1 in the second (wrong, novel)
}

export interface Range {
  r0: number;
  r1: number; // one behind the last
  c0: number;
  c1: number;
}

export interface MatrixSpec {
  key: string;
  label: string;
  cells: Cells;
  shade: "row" | "whole"; // dark by the share of its row, or of the largest cell
  width: number;
  height: number;
  row_title: string;
  column_title: string;
  describe(range: Range, values: [first: number, second: number], row_total: number): string[];
  pick?(row: number, column: number): void; // a single cell was chosen
}

export interface MatrixChart {
  node: HTMLElement;
  go(row: number, column: number): void; // shows the neighbourhood of a cell
}

const smallest = 5.5; // pixels of a cell
const most_bins = 120;

/** How dark a cell is; the root keeps rare confusions in sight. */
function depth(value: number, whole: number): number {
  return 0.1 + 0.9 * Math.sqrt(Math.min(1, value / whole));
}

export function matrix(context: Context, spec: MatrixSpec): MatrixChart {
  const view = new MatrixView(context, spec);
  return { node: view.node, go: (row, column) => view.go(row, column) };
}

class MatrixView {
  readonly node: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly pen: CanvasRenderingContext2D;
  private readonly tip = new Tip(() => this.spec.width);
  private readonly frame = el("div", { class: "cell-frame", hidden: true });
  private readonly rubber = el("div", { class: "rubber", hidden: true });
  private readonly back_button = button("Back", () => this.back(), { disabled: "" });
  private readonly whole_button = button("Whole", () => this.reset(), { disabled: "" });
  private readonly where = el("span", { class: "quiet", role: "status" });
  private readonly totals: Float64Array;
  private range: Range;
  private stack: Range[];
  private cursor = { row: 0, column: 0 }; // a bin
  private bins = { rows: 1, columns: 1, per_row: 1, per_column: 1, first: new Float64Array(1), second: new Float64Array(1), total: new Float64Array(1) };
  private readonly left: number;
  private readonly top: number;
  private readonly plot_width: number;
  private readonly plot_height: number;
  private drag: { x: number; y: number; moved: boolean } | null = null;

  constructor(
    private readonly context: Context,
    private readonly spec: MatrixSpec,
  ) {
    const { cells } = spec;
    this.totals = new Float64Array(cells.rows.length);
    for (let i = 0; i < cells.value.length; ++i) this.totals[cells.row[i]] += cells.value[i];
    const longest = (names: string[]) => names.reduce((most, n) => Math.max(most, Math.min(22, n.length)), 4);
    this.left = Math.min(180, 36 + 7.2 * longest(cells.rows));
    this.top = Math.min(150, 36 + 7.4 * longest(cells.columns));
    this.plot_width = spec.width - this.left - 2;
    this.plot_height = spec.height - this.top - 2;
    const kept = context.keep.get<{ range: Range; stack: Range[]; size: string } | null>(this.keep_key(), null);
    this.range = kept && kept.size === this.size() ? kept.range : this.whole();
    this.stack = kept && kept.size === this.size() ? kept.stack : [];
    const label = `${spec.label}. Arrow keys move, Enter goes into a cell, plus and minus zoom, Escape goes back.`;
    const { canvas, pen } = sharp_canvas(spec.width, spec.height, label, `${context.key}/${spec.key}`, context.printing);
    this.canvas = canvas;
    this.pen = pen;
    this.node = el(
      "div",
      { class: "matrix keep-together" },
      el(
        "div",
        { class: "controls" },
        button("+", () => this.zoom(0.5), { "aria-label": "Zoom in" }),
        button("−", () => this.zoom(2), { "aria-label": "Zoom out" }),
        this.back_button,
        this.whole_button,
        this.where,
      ),
      el("div", { class: "canvas-box", style: `max-width:${spec.width}px` }, canvas, this.frame, this.rubber, this.tip.node, this.tip.spoken),
    );
    this.listen();
    this.draw();
    when_colors_change(canvas, () => this.draw());
  }

  go(row: number, column: number): void {
    const around = (at: number, size: number): [number, number] => {
      const n = Math.min(size, 15);
      const first = Math.max(0, Math.min(size - n, at - Math.floor(n / 2)));
      return [first, first + n];
    };
    const [r0, r1] = around(row, this.spec.cells.rows.length);
    const [c0, c1] = around(column, this.spec.cells.columns.length);
    this.enter({ r0, r1, c0, c1 });
    this.cursor = { row: row - r0, column: column - c0 };
    this.point_at(this.cursor.row, this.cursor.column, true);
  }

  private keep_key(): string {
    return `${this.context.key}/${this.spec.key}/range`;
  }

  private size(): string {
    return `${this.spec.cells.rows.length}x${this.spec.cells.columns.length}`;
  }

  private whole(): Range {
    return { r0: 0, r1: this.spec.cells.rows.length, c0: 0, c1: this.spec.cells.columns.length };
  }

  private is_whole(): boolean {
    const { r0, r1, c0, c1 } = this.range;
    return r0 === 0 && c0 === 0 && r1 === this.spec.cells.rows.length && c1 === this.spec.cells.columns.length;
  }

  private enter(range: Range): void {
    const { r0, r1, c0, c1 } = this.range;
    if (range.r0 === r0 && range.r1 === r1 && range.c0 === c0 && range.c1 === c1) return;
    this.stack.push(this.range);
    this.show(range);
  }

  private back(): void {
    const before = this.stack.pop();
    if (before) this.show(before);
  }

  private reset(): void {
    this.stack = [];
    this.show(this.whole());
  }

  private show(range: Range): void {
    this.range = range;
    this.cursor = { row: 0, column: 0 };
    this.tip.hide();
    this.frame.hidden = true;
    this.context.keep.set(this.keep_key(), { range, stack: this.stack, size: this.size() });
    this.draw();
  }

  private zoom(factor: number, row?: number, column?: number): void {
    const along = (from: number, to: number, size: number, at: number): [number, number] => {
      const n = Math.max(Math.min(4, size), Math.min(size, Math.round((to - from) * factor)));
      const share = (at - from) / Math.max(1, to - from);
      const first = Math.max(0, Math.min(size - n, Math.round(at - share * n)));
      return [first, first + n];
    };
    const { r0, r1, c0, c1 } = this.range;
    const [a, b] = along(r0, r1, this.spec.cells.rows.length, row ?? (r0 + r1) / 2);
    const [c, d] = along(c0, c1, this.spec.cells.columns.length, column ?? (c0 + c1) / 2);
    this.enter({ r0: a, r1: b, c0: c, c1: d });
  }

  /** Goes into a cell drawn together, with some of its neighbours; a single one is picked. */
  private drill(bin_row: number, bin_column: number): void {
    const { r0, r1, c0, c1 } = this.bin_range(bin_row, bin_column);
    if (this.bins.per_row === 1 && this.bins.per_column === 1) {
      this.spec.pick?.(r0, c0);
      return;
    }
    const widened = (from: number, to: number, size: number): [number, number] => {
      const n = Math.min(size, Math.max(24, to - from));
      const first = Math.max(0, Math.min(size - n, Math.floor((from + to - n) / 2)));
      return [first, first + n];
    };
    const [a, b] = widened(r0, r1, this.spec.cells.rows.length);
    const [c, d] = widened(c0, c1, this.spec.cells.columns.length);
    this.enter({ r0: a, r1: b, c0: c, c1: d });
  }

  private bin_range(row: number, column: number): Range {
    const { per_row, per_column } = this.bins;
    const r0 = this.range.r0 + row * per_row;
    const c0 = this.range.c0 + column * per_column;
    return {
      r0,
      r1: Math.min(this.range.r1, r0 + per_row),
      c0,
      c1: Math.min(this.range.c1, c0 + per_column),
    };
  }

  private count_bins(): void {
    const { r0, r1, c0, c1 } = this.range;
    const { cells } = this.spec;
    const per = (n: number, pixels: number) => Math.ceil(n / Math.min(most_bins, Math.max(1, Math.floor(pixels / smallest))));
    let per_row = per(r1 - r0, this.plot_height);
    let per_column = per(c1 - c0, this.plot_width);
    // Among names against names the diagonal stays in cells of its own.
    if (this.spec.shade === "row") per_row = per_column = Math.max(per_row, per_column);
    const rows = Math.ceil((r1 - r0) / per_row);
    const columns = Math.ceil((c1 - c0) / per_column);
    const first = new Float64Array(rows * columns);
    const second = new Float64Array(rows * columns);
    for (let i = 0; i < cells.value.length; ++i) {
      const r = cells.row[i];
      const c = cells.column[i];
      if (r < r0 || r >= r1 || c < c0 || c >= c1) continue;
      const at = Math.floor((r - r0) / per_row) * columns + Math.floor((c - c0) / per_column);
      if (cells.tone[i] === 0) first[at] += cells.value[i];
      else second[at] += cells.value[i];
    }
    const total = new Float64Array(rows);
    for (let r = r0; r < r1; ++r) total[Math.floor((r - r0) / per_row)] += this.totals[r];
    this.bins = { rows, columns, per_row, per_column, first, second, total };
  }

  private draw(): void {
    this.count_bins();
    const { pen, spec, left, top, bins } = this;
    const ink = css_color("--ink");
    const soft = css_color("--soft");
    const colors = [css_color("--one"), css_color("--two")];
    pen.globalAlpha = 1;
    pen.fillStyle = css_color("--paper");
    pen.fillRect(0, 0, spec.width, spec.height);
    const panel = css_color("--panel");
    pen.fillStyle = panel;
    pen.fillRect(left, top, this.plot_width, this.plot_height);
    const w = this.plot_width / bins.columns;
    const h = this.plot_height / bins.rows;
    const gap = Math.min(w, h) > 9 ? 1 : 0;
    let largest = 1e-12;
    for (let i = 0; i < bins.first.length; ++i) largest = Math.max(largest, bins.first[i] + bins.second[i]);
    for (let r = 0; r < bins.rows; ++r) {
      const whole = spec.shade === "row" ? Math.max(1e-12, bins.total[r]) : largest;
      for (let c = 0; c < bins.columns; ++c) {
        const at = r * bins.columns + c;
        const x = Math.round(left + c * w); // whole pixels leave no seams
        const y = Math.round(top + r * h);
        const right = Math.round(left + (c + 1) * w) - gap;
        const bottom = Math.round(top + (r + 1) * h) - gap;
        const values = [bins.first[at], bins.second[at]];
        for (const tone of [0, 1]) {
          if (values[tone] <= 0) continue;
          pen.globalAlpha = depth(values[tone], whole);
          pen.fillStyle = colors[tone];
          if (values[1 - tone] <= 0) {
            pen.fillRect(x, y, right - x, bottom - y);
          } else {
            // Both are in here: the upper left half is the one, the lower right the other.
            pen.beginPath();
            pen.moveTo(tone === 0 ? x : right, tone === 0 ? y : bottom);
            pen.lineTo(right, y);
            pen.lineTo(x, bottom);
            pen.fill();
          }
        }
        // Colour is not the only sign: the second tone has a cut corner where there is room.
        if (values[1] > 0 && values[0] <= 0 && Math.min(w, h) >= 7) {
          const cut = Math.min(w, h) * 0.32;
          pen.globalAlpha = 1;
          pen.fillStyle = panel;
          pen.beginPath();
          pen.moveTo(right - cut, y);
          pen.lineTo(right, y);
          pen.lineTo(right, y + cut);
          pen.fill();
        }
      }
    }
    pen.globalAlpha = 1;
    this.draw_counts(w, h, largest);
    this.draw_labels(w, h, ink, soft);
    this.back_button.disabled = this.stack.length === 0;
    this.whole_button.disabled = this.is_whole();
    this.say_where();
  }

  /** Numbers in the cells, where they fit. */
  private draw_counts(w: number, h: number, largest: number): void {
    const { pen, bins, left, top, spec } = this;
    if (w < 26 || h < 16) return;
    pen.font = sans;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const ink = css_color("--ink");
    const paper = css_color("--paper");
    for (let r = 0; r < bins.rows; ++r) {
      const whole = spec.shade === "row" ? Math.max(1e-12, bins.total[r]) : largest;
      for (let c = 0; c < bins.columns; ++c) {
        const value = bins.first[r * bins.columns + c] + bins.second[r * bins.columns + c];
        if (value <= 0) continue;
        const text = String(Math.round(value));
        if (pen.measureText(text).width > w - 4) continue;
        pen.fillStyle = depth(value, whole) > 0.6 ? paper : ink;
        pen.fillText(text, left + (c + 0.5) * w, top + (r + 0.5) * h);
      }
    }
  }

  private draw_labels(w: number, h: number, ink: string, soft: string): void {
    const { pen, spec, left, top, bins, range } = this;
    pen.font = sans;
    pen.fillStyle = ink;
    const every_row = Math.ceil(13 / h);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (let r = 0; r < bins.rows; r += every_row) {
      const name = spec.cells.rows[range.r0 + r * bins.per_row];
      pen.fillText(fitted(pen, name, left - 26), left - 6, top + (r + (every_row > 1 ? 0 : 0.5)) * h + (every_row > 1 ? 5 : 0));
    }
    const every_column = Math.ceil(13 / w);
    pen.textAlign = "left";
    for (let c = 0; c < bins.columns; c += every_column) {
      const name = spec.cells.columns[range.c0 + c * bins.per_column];
      pen.save();
      pen.translate(left + (c + (every_column > 1 ? 0 : 0.5)) * w + (every_column > 1 ? 5 : 0), top - 6);
      pen.rotate(-Math.PI / 2);
      pen.fillText(fitted(pen, name, top - 26), 0, 0);
      pen.restore();
    }
    pen.fillStyle = soft;
    pen.textAlign = "left";
    pen.textBaseline = "top";
    pen.fillText(`${spec.column_title} →`, left, 0);
    pen.save();
    pen.translate(0, top);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "right";
    pen.fillText(`← ${spec.row_title}`, 0, 0);
    pen.restore();
  }

  private say_where(): void {
    const { r0, r1, c0, c1 } = this.range;
    const { rows, columns } = this.spec.cells;
    const { per_row, per_column } = this.bins;
    const part = this.is_whole()
      ? `${rows.length} × ${columns.length}`
      : `rows ${r0 + 1}–${r1} of ${rows.length}, columns ${c0 + 1}–${c1} of ${columns.length}`;
    const together = per_row > 1 || per_column > 1 ? `, ${per_row} × ${per_column} to a cell` : "";
    this.where.textContent = part + together;
  }

  private bin_at(x: number, y: number): [number, number] | null {
    const c = Math.floor(((x - this.left) / this.plot_width) * this.bins.columns);
    const r = Math.floor(((y - this.top) / this.plot_height) * this.bins.rows);
    return r < 0 || c < 0 || r >= this.bins.rows || c >= this.bins.columns ? null : [r, c];
  }

  private point_at(row: number, column: number, speak: boolean): void {
    const w = this.plot_width / this.bins.columns;
    const h = this.plot_height / this.bins.rows;
    const x = this.left + column * w;
    const y = this.top + row * h;
    this.frame.hidden = false;
    this.frame.style.cssText = `transform:translate(${x - 1}px,${y - 1}px);width:${w + 1}px;height:${h + 1}px`;
    const at = row * this.bins.columns + column;
    const lines = this.spec.describe(
      this.bin_range(row, column),
      [this.bins.first[at], this.bins.second[at]],
      this.bins.total[row],
    );
    this.tip.show(x + w / 2, y + h / 2, lines.map((line) => clip(line, 120)), speak);
  }

  private position(event: PointerEvent | WheelEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const scale = this.spec.width / box.width; // the page may show it smaller
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = this.position(event);
      this.drag = { x, y, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = this.position(event);
      if (this.drag) {
        this.drag.moved ||= Math.hypot(x - this.drag.x, y - this.drag.y) > 6;
        if (this.drag.moved) this.draw_rubber(this.drag.x, this.drag.y, x, y);
        return;
      }
      const bin = this.bin_at(x, y);
      if (bin) this.point_at(bin[0], bin[1], false);
      else this.unpoint();
    });
    canvas.addEventListener("pointerup", (event) => {
      const [x, y] = this.position(event);
      const { drag } = this;
      this.drag = null;
      this.rubber.hidden = true;
      if (drag?.moved) this.enter_rectangle(drag.x, drag.y, x, y);
      else {
        const bin = this.bin_at(x, y);
        if (bin) this.drill(bin[0], bin[1]);
      }
    });
    canvas.addEventListener("pointercancel", () => {
      this.drag = null;
      this.rubber.hidden = true;
    });
    canvas.addEventListener("pointerleave", () => this.unpoint());
    canvas.addEventListener("blur", () => this.unpoint());
    canvas.addEventListener(
      "wheel",
      (event) => {
        // Without focus the wheel scrolls the page, as readers expect.
        if (document.activeElement !== canvas && !event.ctrlKey) return;
        const bin = this.bin_at(...this.position(event));
        if (!bin) return;
        event.preventDefault();
        const { r0, c0 } = this.bin_range(bin[0], bin[1]);
        this.zoom(event.deltaY > 0 ? 1.35 : 0.74, r0, c0);
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private unpoint(): void {
    this.tip.hide();
    this.frame.hidden = true;
  }

  private draw_rubber(x0: number, y0: number, x1: number, y1: number): void {
    this.rubber.hidden = false;
    this.rubber.style.cssText = `transform:translate(${Math.min(x0, x1)}px,${Math.min(y0, y1)}px);width:${Math.abs(x1 - x0)}px;height:${Math.abs(y1 - y0)}px`;
  }

  private enter_rectangle(x0: number, y0: number, x1: number, y1: number): void {
    const inside = (x: number, y: number) =>
      this.bin_at(
        Math.max(this.left, Math.min(this.left + this.plot_width - 1, x)),
        Math.max(this.top, Math.min(this.top + this.plot_height - 1, y)),
      )!;
    const [ra, ca] = inside(Math.min(x0, x1), Math.min(y0, y1));
    const [rb, cb] = inside(Math.max(x0, x1), Math.max(y0, y1));
    const from = this.bin_range(ra, ca);
    const to = this.bin_range(rb, cb);
    this.enter({ r0: from.r0, r1: to.r1, c0: from.c0, c1: to.c1 });
  }

  private key(event: KeyboardEvent): void {
    const { cursor, bins } = this;
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const move = moves[event.key];
    if (move) {
      cursor.row = Math.max(0, Math.min(bins.rows - 1, cursor.row + move[0]));
      cursor.column = Math.max(0, Math.min(bins.columns - 1, cursor.column + move[1]));
      this.point_at(cursor.row, cursor.column, true);
    } else if (event.key === "Enter") {
      this.drill(cursor.row, cursor.column);
    } else if (event.key === "Escape" || event.key === "Backspace") {
      this.back();
    } else if (event.key === "+" || event.key === "-") {
      const { r0, c0 } = this.bin_range(cursor.row, cursor.column);
      this.zoom(event.key === "+" ? 0.5 : 2, r0, c0);
    } else if (event.key === "0") {
      this.reset();
    } else {
      return;
    }
    event.preventDefault();
  }
}
