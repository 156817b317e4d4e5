// SPDX-License-Identifier: Apache-2.0
// The features in two dimensions, as the truth and as the predictor sees them.
import type { Novelty, Page, Space } from "../data";
import { nothing } from "../charts";
import { bar, choice, toggle } from "../controls";
import { el, name_text, sentence } from "../dom";
import { count, score } from "../format";
import { arm_label } from "../looks";
import { picture, picture_of } from "../pictures";
import { clumps, hull, scatter, stamp } from "../scatter";
import type { PointLook, Shape } from "../scatter";
import { register } from "../section";
import type { Context } from "../section";
import { css_color, when_colors_change } from "../theme";
import { unknown } from "../views";

type OneMap = Space["maps"][number];
type Seen = OneMap["seen"][number];

interface Key {
  value: string; // of the group a point belongs to
  text: string;
  look: PointLook;
  n: number;
}

interface Coloring {
  group(i: number): string;
  look(i: number): PointLook;
  keys: Key[];
  ramp?: [low: string, high: string];
  about: string;
}

const shapes: Shape[] = ["circle", "square", "triangle", "diamond"];
const named_groups = 24;

register<Space>("space", (data, context) => {
  const { page } = context;
  const maps = data.maps.filter((m) => m.layouts.length > 0 && m.sample.length > 0);
  if (maps.length === 0) return nothing("No map was made.");
  const run = choice(context, "run", "Run", maps.map((m) => ({ value: String(m.run), text: page.runs[m.run]?.name ?? "?" })));
  const map = maps.find((m) => String(m.run) === run.value) ?? maps[0];
  const layout = choice(context, "layout", "Layout", map.layouts.map((l) => ({ value: l.name, text: l.name, about: l.about })));
  const plane = map.layouts.find((l) => l.name === layout.value)!;
  const seen = map.seen.filter((s) => context.arms.includes(s.arm));
  const arm = choice(context, "arm", "Seen by", seen.map((s) => ({ value: String(s.arm), text: arm_label(page, s.arm) })));
  const eye = seen.find((s) => String(s.arm) === arm.value);
  const color = choice(context, "color", "Colour", [
    { value: "truth", text: "true class" },
    ...(eye ? [
      { value: "predicted", text: "predicted" },
      { value: "novelty", text: "novelty" },
      { value: "verdict", text: "right or wrong" },
    ] : []),
    { value: "step", text: "increment" },
  ]);
  const outlines = toggle(context, "outlines", "outline discovered classes", true);
  const found = discovered_names(page, map, eye);
  const coloring = colored(page, map, eye, color.value, found);
  const chosen_key = `${context.key}/only/${color.value}`;
  const only = context.keep.get(chosen_key, "");
  const find_key = `${context.key}/find`;
  const find = context.keep.get(find_key, "");
  const found_by_name = matches(page, color.value === "predicted" && eye ? eye.label : map.truth, find);
  const width = context.width >= 760 ? context.width - 244 : context.width;
  const chart = scatter(context, {
    key: `map/${map.run}/${layout.value}`,
    label: `Map of the features, ${layout.value}, coloured by ${color.value}`,
    width,
    height: Math.min(620, Math.round(width * 0.74)),
    x: plane.x,
    y: plane.y,
    look: coloring.look,
    faded: (i) => (only !== "" && coloring.group(i) !== only) || (found_by_name !== null && !found_by_name[i]),
    describe: (i) => describe(page, map, eye, i),
    picture: (i) => picture(picture_of(page, map.run, map.sample[i]), map.sample[i], false),
    outlines: outlines.value && eye ? hulls(page, plane, eye, found) : [],
  });
  return [
    bar(run.node, layout.node, arm.node, color.node, eye && found.size > 0 ? outlines.node : null),
    el("div", { class: "map" }, chart, el("div", {}, search(context, find_key, find), legend(context, coloring, only, chosen_key))),
    el("p", { class: "about" }, `${sentence(plane.about)} ${sentence(map.note)} ${coloring.about}`,
      outlines.value && found.size > 0 ? " Dashed: discovered classes, without strays." : ""),
  ];
});

/** Which points bear a name that holds `text`; null where nothing is sought. */
function matches(page: Page, labels: number[], text: string): boolean[] | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return null;
  const hit = page.names.map((name) => name.toLowerCase().includes(wanted));
  return labels.map((id) => hit[id] ?? false);
}

function search(context: Context, key: string, text: string): HTMLElement {
  return el("input", {
    type: "search",
    value: text,
    placeholder: "Find a class",
    "aria-label": "Find a class on the map",
    "data-key": key,
    input: (event: InputEvent) => {
      context.keep.set(key, (event.target as HTMLInputElement).value);
      context.again();
    },
  });
}

/** Labels that are classes found by the predictor rather than names it was told. */
function discovered_names(page: Page, map: OneMap, eye?: Seen): Set<number> {
  if (!eye) return new Set();
  const listed = page.sections
    .filter((s) => s.kind === "novelty")
    .flatMap((s) => (s.data as Novelty).discovered ?? [])
    .filter((d) => d.arm === eye.arm)
    .map((d) => d.name);
  const truth = new Set(map.truth);
  const named = eye.label.filter((id) => id !== unknown && !truth.has(id) && /^(discovered|unknown)_\d+/.test(page.names[id] ?? ""));
  return new Set([...listed, ...named]);
}

function colored(page: Page, map: OneMap, eye: Seen | undefined, by: string, found: Set<number>): Coloring {
  if (by === "predicted" && eye) return by_name(page, eye.label, "The most frequent names have a colour and a shape.");
  if (by === "novelty" && eye) return by_novelty(eye);
  if (by === "verdict" && eye) return by_verdict(map, eye, found);
  if (by === "step") return by_step(map);
  return by_name(page, map.truth, "The most frequent classes have a colour and a shape.");
}

function by_name(page: Page, labels: number[], about: string): Coloring {
  const n = new Map<number, number>();
  for (const id of labels) n.set(id, (n.get(id) ?? 0) + 1);
  const ranked = [...n].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const look = new Map<number, PointLook>();
  ranked.slice(0, named_groups).forEach(([id], i) => look.set(id, { color: `--arm-${i % 8}`, shape: shapes[(i + Math.floor(i / 8)) % shapes.length] }));
  const rest: PointLook = { color: "--edge", shape: "circle" };
  const others = ranked.slice(named_groups);
  return {
    group: (i) => (look.has(labels[i]) ? String(labels[i]) : "others"),
    look: (i) => look.get(labels[i]) ?? rest,
    keys: [
      ...ranked.slice(0, named_groups).map(([id, samples]) => ({ value: String(id), text: page.names[id] ?? "?", look: look.get(id)!, n: samples })),
      ...(others.length > 0 ? [{ value: "others", text: `${others.length} others`, look: rest, n: others.reduce((sum, [, k]) => sum + k, 0) }] : []),
    ],
    about,
  };
}

function by_novelty(eye: Seen): Coloring {
  const values = eye.novelty.filter((v): v is number => v !== null && Number.isFinite(v)).sort((a, b) => a - b);
  // Ranks rather than values: scores of some methods are crowded at one end.
  const low = values[Math.floor(values.length * 0.02)] ?? 0;
  const high = values[Math.floor(values.length * 0.98)] ?? 1;
  const color = (v: number | null) =>
    v === null ? "--edge" : ramp(Math.max(0, Math.min(1, (v - low) / Math.max(1e-12, high - low))));
  const group = (i: number) => (eye.novel[i] ? "novel" : "known");
  const number = (value: string) => eye.novel.filter((b) => b === (value === "novel")).length;
  return {
    group,
    look: (i) => ({ color: color(eye.novelty[i]), shape: eye.novel[i] ? "triangle" : "circle" }),
    keys: [
      { value: "known", text: "class known then", look: { color: "--soft", shape: "circle" }, n: number("known") },
      { value: "novel", text: "class novel then", look: { color: "--soft", shape: "triangle" }, n: number("novel") },
    ],
    ramp: [`≤ ${score(low)}`, `≥ ${score(high)}`],
    about: "Novelty as the predictor scored it before feedback.",
  };
}

function by_step(map: OneMap): Coloring {
  const steps = [...new Set(map.step)].sort((a, b) => a - b);
  const place = new Map(steps.map((s, i) => [s, steps.length > 1 ? i / (steps.length - 1) : 0]));
  const look = (s: number): PointLook => ({ color: ramp(place.get(s)!), shape: shapes[steps.indexOf(s) % shapes.length] });
  return {
    group: (i) => String(map.step[i]),
    look: (i) => look(map.step[i]),
    keys: steps.map((s) => ({ value: String(s), text: `increment ${s}`, look: look(s), n: map.step.filter((v) => v === s).length })),
    about: "The increment that showed the sample.",
  };
}

function by_verdict(map: OneMap, eye: Seen, found: Set<number>): Coloring {
  const kinds: Record<string, { text: string; look: PointLook }> = {
    right: { text: "known, named right", look: { color: "--arm-0", shape: "circle" } },
    wrong: { text: "known, named wrong", look: { color: "--arm-1", shape: "cross" } },
    alarm: { text: "known, called new", look: { color: "--arm-4", shape: "square" } },
    noticed: { text: "novel, called new", look: { color: "--arm-2", shape: "diamond" } },
    missed: { text: "novel, taken for known", look: { color: "--arm-3", shape: "triangle" } },
  };
  const verdict = (i: number) => {
    const called_new = eye.label[i] === unknown || found.has(eye.label[i]);
    if (eye.novel[i]) return called_new ? "noticed" : "missed";
    return eye.label[i] === map.truth[i] ? "right" : called_new ? "alarm" : "wrong";
  };
  const all = map.truth.map((_, i) => verdict(i));
  return {
    group: (i) => all[i],
    look: (i) => kinds[all[i]].look,
    keys: Object.entries(kinds).map(([value, { text, look }]) => ({ value, text, look, n: all.filter((v) => v === value).length })),
    about: "Judged before feedback, in the increment that showed the sample.",
  };
}

/** From blue over grey to orange; lightness stays in the middle, so that it shows in both themes. */
function ramp(share: number): string {
  share = Math.round(share * 32) / 32; // few colours are drawn fast
  const stops = [[11, 98, 160], [140, 140, 145], [214, 96, 20]];
  const at = share * 2;
  const k = Math.min(1, Math.floor(at));
  const mix = stops[k].map((v, c) => Math.round(v + (stops[k + 1][c] - v) * (at - k)));
  return `rgb(${mix.join()})`;
}

type Outline = { points: [number, number][]; name: string };
const outlined = new WeakMap<Seen, Map<string, Outline[]>>(); // by layout; colours change more often

function hulls(page: Page, plane: OneMap["layouts"][number], eye: Seen, found: Set<number>): Outline[] {
  const known = outlined.get(eye) ?? new Map<string, Outline[]>();
  outlined.set(eye, known);
  const drawn = known.get(plane.name);
  if (drawn) return drawn;
  const extent = (values: number[]) => {
    const finite = values.filter(Number.isFinite);
    return finite.reduce((a, b) => Math.max(a, b), -Infinity) - finite.reduce((a, b) => Math.min(a, b), Infinity);
  };
  const reach = Math.max(1e-9, 0.04 * Math.hypot(extent(plane.x), extent(plane.y)));
  const members = new Map<number, [number, number][]>();
  eye.label.forEach((id, i) => {
    if (!found.has(id) || !Number.isFinite(plane.x[i]) || !Number.isFinite(plane.y[i])) return;
    if (!members.has(id)) members.set(id, []);
    members.get(id)!.push([plane.x[i], plane.y[i]]);
  });
  const outlines = [...members]
    .filter(([, points]) => points.length >= 4)
    .sort((a, b) => b[1].length - a[1].length)
    .slice(0, 30)
    .flatMap(([id, points]) => around(points, reach, page.names[id] ?? "?"));
  known.set(plane.name, outlines);
  return outlines;
}

/** A class may lie in several places: each is outlined, the largest named, strays are left out. */
function around(points: [number, number][], reach: number, name: string): Outline[] {
  const least = Math.max(3, points.length * 0.08);
  return clumps(points, reach)
    .filter((clump) => clump.length >= least)
    .map((clump, i) => ({ points: hull(clump), name: i === 0 ? name : "" }))
    .filter((outline) => outline.points.length > 2);
}

function describe(page: Page, map: OneMap, eye: Seen | undefined, i: number): string[] {
  return [
    map.sample[i],
    `true: ${page.names[map.truth[i]] ?? "?"}`,
    ...(eye
      ? [`predicted: ${page.names[eye.label[i]] ?? "?"}`, `novelty ${score(eye.novelty[i])}${eye.novel[i] ? ", class novel then" : ""}`]
      : []),
    `increment ${map.step[i]}`,
  ];
}

function legend(context: Context, coloring: Coloring, only: string, chosen_key: string): HTMLElement {
  const items = coloring.keys
    .filter((key) => key.n > 0)
    .map((key) => {
      const size = 14;
      const icon = el("canvas", { width: size * 2, height: size * 2, style: `width:${size}px;height:${size}px`, "aria-hidden": "true" });
      const draw = () => {
        const pen = icon.getContext("2d")!;
        pen.setTransform(2, 0, 0, 2, 0, 0);
        pen.clearRect(0, 0, size, size);
        const { color, shape } = key.look;
        stamp(pen, [size / 2, size / 2], 4.5, shape, color.startsWith("--") ? css_color(color) : color);
      };
      draw();
      when_colors_change(icon, draw);
      return el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            "aria-pressed": String(only === key.value),
            title: "Show these alone",
            "data-key": `${chosen_key}/${key.value}`,
            click: () => {
              context.keep.set(chosen_key, only === key.value ? "" : key.value);
              context.again();
            },
          },
          icon,
          name_text(key.text),
          el("span", { class: "n" }, count(key.n)),
        ),
      );
    });
  return el(
    "div",
    {},
    coloring.ramp
      ? [
          el("div", { class: "ramp", style: `background:linear-gradient(90deg,${ramp(0)},${ramp(0.5)},${ramp(1)})` }),
          el("div", { class: "ramp-ends" }, el("span", {}, coloring.ramp[0]), el("span", {}, coloring.ramp[1])),
        ]
      : null,
    el("ul", { class: "legend" }, items),
  );
}
