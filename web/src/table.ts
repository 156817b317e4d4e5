// SPDX-License-Identifier: Apache-2.0
// Tables that sort by a click on a heading, search, and show long lists a page at a time.
import { el } from "./dom";
import type { Child } from "./dom";
import { missing } from "./format";
import type { Context } from "./section";

export interface Column<R> {
  key: string;
  title: string;
  about?: string;
  numeric?: boolean;
  value(row: R): number | string | null; // sorted by
  show?(row: R): Child;
}

export interface TableSpec<R> {
  caption?: string;
  columns: Column<R>[];
  rows: R[];
  search?: (row: R) => string;
  search_label?: string;
  sort?: [key: string, direction: "ascending" | "descending"];
  page?: number; // rows at a time
  ends?: number; // so many of the first and of the last rows come first, the rest on demand
  over?: { span: number; content?: Child }[]; // headings over several columns
  classes?: string;
  pick?: (row: R) => void; // a row was clicked
  pick_label?: (row: R) => string;
}

type Direction = "ascending" | "descending";

export function table<R>(context: Context, name: string, spec: TableSpec<R>): HTMLElement {
  const key = `${context.key}/${name}`;
  const page_size = spec.page ?? 50;
  const { keep } = context;
  let [sort_key, direction] = keep.get<[string, Direction]>(`${key}/sort`, spec.sort ?? ["", "ascending"]);
  let query = keep.get(`${key}/query`, "");
  let first = keep.get(`${key}/first`, 0);
  let whole = keep.get(`${key}/whole`, false); // the reader asked for what is between the ends
  const ends = spec.ends !== undefined && spec.rows.length > 2 * spec.ends ? spec.ends : 0;

  const body = el("tbody");
  const foot = el("div", { class: "pager" });
  const headings = new Map<string, HTMLElement>();
  const words = spec.search ? spec.rows.map((row) => spec.search!(row).toLowerCase()) : [];

  const remember = () => {
    keep.set(`${key}/sort`, [sort_key, direction]);
    keep.set(`${key}/query`, query);
    keep.set(`${key}/first`, first);
    keep.set(`${key}/whole`, whole);
  };

  const fill = () => {
    const wanted = query.trim().toLowerCase();
    let order = spec.rows.map((_, i) => i);
    if (wanted !== "" && spec.search) order = order.filter((i) => words[i].includes(wanted));
    const column = spec.columns.find((c) => c.key === sort_key);
    if (column) {
      const values = spec.rows.map((row) => column.value(row));
      const sign = direction === "ascending" ? 1 : -1;
      order.sort((a, b) => compare(values[a], values[b], sign) || a - b);
    }
    for (const [column_key, heading] of headings) {
      heading.setAttribute("aria-sort", column_key === sort_key ? direction : "none");
    }
    if (ends > 0 && !whole && wanted === "" && !column) {
      body.replaceChildren(...order.slice(0, ends).map(row_at), between(order.length - 2 * ends), ...order.slice(-ends).map(row_at));
      foot.hidden = true;
      return;
    }
    if (first >= order.length) first = 0;
    const shown = order.slice(first, first + page_size);
    body.replaceChildren(...shown.map(row_at));
    if (shown.length === 0) {
      const text = wanted === "" ? "Nothing to list." : `No row holds “${query}”.`;
      body.append(el("tr", {}, el("td", { colspan: spec.columns.length, class: "quiet" }, text)));
    }
    foot.replaceChildren(...pager(order.length));
    foot.hidden = ends === 0 && order.length === spec.rows.length && order.length <= page_size;
    if (ends > 0) foot.append(action(`First and last ${ends} only`, "In the order of before", close));
  };

  const row_at = (i: number) => table_row(spec, spec.rows[i]);

  /** Opens or closes what is between the ends; the focus goes to the button that undoes it. */
  const action = (text: string, title: string, change: () => void) =>
    el(
      "button",
      {
        type: "button",
        class: "link",
        title,
        "data-key": `${key}/ends`,
        click: () => {
          change();
          go(0);
          (body.querySelector<HTMLElement>(".between button") ?? foot.querySelector<HTMLElement>(".link"))?.focus({ preventScroll: true });
        },
      },
      text,
    );

  /** The row that stands for those left out. */
  const between = (rows: number) =>
    el("tr", { class: "between" }, el("td", { colspan: spec.columns.length }, action(`… ${rows} more`, "Show all rows", () => (whole = true))));

  const close = () => {
    whole = false;
    sort_key = "";
    query = "";
    if (search) search.value = "";
  };

  const go = (to: number) => {
    first = to;
    remember();
    fill();
  };

  const pager = (total: number): HTMLElement[] => {
    const last = Math.min(total, first + page_size);
    const step = (text: string, to: number, off: boolean) =>
      el("button", { type: "button", disabled: off, "data-key": `${key}/${text}`, click: () => go(to) }, text);
    const said = total === 0 ? "0 rows" : `${first + 1}–${last} of ${total}`;
    if (total <= page_size) return [el("span", { "aria-live": "polite" }, said)];
    return [
      step("Previous", Math.max(0, first - page_size), first === 0),
      el("span", { "aria-live": "polite" }, said),
      step("Next", first + page_size, last >= total),
    ];
  };

  const head = el(
    "tr",
    {},
    spec.columns.map((column) => {
      const heading = el(
        "th",
        { scope: "col", class: column.numeric ? "numeric" : "", "aria-sort": "none" },
        el(
          "button",
          {
            type: "button",
            title: column.about ? `${column.about} Click to sort.` : "Click to sort",
            "data-key": `${key}/by/${column.key}`,
            click: () => {
              // Numbers are mostly sought from the largest down.
              const start: Direction = column.numeric ? "descending" : "ascending";
              direction =
                sort_key !== column.key ? start : direction === "ascending" ? "descending" : "ascending";
              sort_key = column.key;
              go(0);
            },
          },
          column.title,
        ),
      );
      headings.set(column.key, heading);
      return heading;
    }),
  );

  const over = spec.over
    ? el("tr", { class: "over" }, spec.over.map(({ span, content }) => (content ? el("th", { scope: "colgroup", colspan: span }, content) : el("td", { colspan: span }))))
    : null;

  const search = spec.search
    ? el("input", {
        type: "search",
        value: query,
        placeholder: spec.search_label ?? "Search",
        "aria-label": spec.search_label ?? "Search",
        "data-key": `${key}/search`,
        input: (event: InputEvent) => {
          query = (event.target as HTMLInputElement).value;
          go(0);
        },
      })
    : null;

  fill();
  return el(
    "div",
    { class: "table" },
    search,
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": spec.caption ?? "Table" },
      el(
        "table",
        { class: spec.classes ?? "" },
        spec.caption ? el("caption", {}, spec.caption) : null,
        el("thead", {}, over, head),
        body,
      ),
    ),
    foot,
  );
}

function table_row<R>(spec: TableSpec<R>, row: R): HTMLElement {
  const cells = spec.columns.map((column, i) => {
    const shown: Child = column.show ? column.show(row) : (column.value(row) ?? missing);
    const content =
      i === 0 && spec.pick
        ? el(
            "button",
            { type: "button", class: "link", title: spec.pick_label?.(row), click: () => spec.pick!(row) },
            shown,
          )
        : shown;
    return el("td", { class: column.numeric ? "numeric" : "" }, content);
  });
  return el("tr", {}, cells);
}

/** Missing values last, whatever the direction. */
function compare(a: number | string | null, b: number | string | null, sign: number): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * collator.compare(String(a), String(b));
}

const collator = new Intl.Collator("en", { numeric: true });
