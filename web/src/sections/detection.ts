// SPDX-License-Identifier: Apache-2.0
// Novelty detection as it is used: trades, thresholds and their costs, kinds of novelty, episodes.
import type { Detection, Ranged } from "../data";
import { grid, nothing } from "../charts";
import { amount, bar, choice } from "../controls";
import { cost_curve, expected_cost, is_great_tie, least_cost, point_key, point_text, precision, rates, share_of_misses } from "../detection";
import type { Costs, DetectionArm, DetectionPoint, Timeline } from "../detection";
import { timeline_chart, trade_chart } from "../detection_charts";
import { clip, el, name_text, named, sentence } from "../dom";
import { count, percent, ranged, score } from "../format";
import { heated } from "../heat";
import { arm_label, arm_name } from "../looks";
import { numbered, picture } from "../pictures";
import { register } from "../section";
import type { Context } from "../section";
import { table } from "../table";
import type { Column } from "../table";

type Shelf = Detection["shelves"][number];

const areas = [
  { key: "auroc", title: "AUROC\u00a0↑", about: "Chance that a novel one scores above a normal one, ties counting half." },
  { key: "ap", title: "AP\u00a0↑", about: "Average precision: mean precision at each novel one, the test as it is." },
  { key: "auprc", title: "AUPRC\u00a0↑", about: "The same area by straight lines between points, as many papers have it: across a great tie it promises trades that no threshold can make." },
];
const shown_cards = 6;

register<Detection>("detection", (data, context) => {
  const arms = data.arms.filter((a) => context.arms.includes(a.arm));
  const problems = data.problems.filter(([arm]) => context.arms.includes(arm));
  const sorry = problems.map(([arm, text]) => el("p", { class: "quiet" }, arm_name(context.page, arm), " ", sentence(text)));
  if (arms.length === 0) return problems.length > 0 ? sorry : nothing("No arm is chosen, or none of them scored samples.");
  return [
    el("ul", { class: "findings" }, arms.map((a) => el("li", {}, finding(context, a)))),
    sorry,
    areas_part(context, arms),
    cost_part(context, arms),
    points_part(context, arms),
    threshold_part(context, data, arms),
  ];
});

/** What the strictest promise comes to on test. */
function finding(context: Context, arm: DetectionArm) {
  const name = name_text(arm_label(context.page, arm.arm));
  if (arm.novel === 0 || arm.normal === 0) return [name, `: all ${count(arm.novel + arm.normal)} test samples are ${arm.novel === 0 ? "normal" : "novel"}; nothing can be told apart.`];
  const point = arm.points.find((p) => p.of === "samples");
  if (arm.distinct === 1) return [name, ": all scores are equal and tell nothing apart."];
  if (!point) return [name, ": no threshold could be chosen."];
  const where = point.chosen === "validate" ? "1 in 100 normal samples of validate reaches" : "1 in 100 normal test samples themselves reaches";
  return [name, `: at the threshold that ${where}, ${percent(point.recall[0])} of the novel test samples are found, and ${percent(point.false_alarms[0])} of the normal ones raise an alarm.`];
}

interface AreaRow {
  arm: number;
  of: "samples" | "episodes";
  normal: number;
  novel: number;
  values: Ranged[];
  of_arm: DetectionArm;
}

function areas_part(context: Context, arms: DetectionArm[]) {
  const { page } = context;
  const rows: AreaRow[] = arms.flatMap((a) => [
    { arm: a.arm, of: "samples", normal: a.normal, novel: a.novel, values: a.areas, of_arm: a },
    ...(a.episodes.areas.length > 0 ? [{ arm: a.arm, of: "episodes" as const, normal: a.episodes.normal, novel: a.episodes.novel, values: a.episodes.areas, of_arm: a }] : []),
  ]);
  const none: Ranged = [null, null, null];
  const notes = new Map<string, number[]>();
  for (const arm of arms) for (const note of arm.notes) notes.set(note, [...(notes.get(note) ?? []), arm.arm]);
  const drawn = [...new Set(arms.map((a) => a.drawn))].join(", ");
  return [
    el("h3", {}, "Whatever the threshold"),
    table<AreaRow>(context, "areas", {
      caption: "Areas below the curves, and how many scores differ",
      rows,
      columns: [
        { key: "arm", title: "Arm", value: (r) => arm_label(page, r.arm), show: (r) => arm_name(page, r.arm) },
        ...(rows.some((r) => r.of === "episodes") ? [{ key: "of", title: "Of", about: "Episodes by their greatest score.", value: (r: AreaRow) => r.of }] : []),
        { key: "normal", title: "Normal", numeric: true, value: (r) => r.normal, show: (r) => count(r.normal) },
        { key: "novel", title: "Novel", numeric: true, value: (r) => r.novel, show: (r) => count(r.novel) },
        ...areas.map(({ key, title, about }, i): Column<AreaRow> => ({ key, title, about, numeric: true, value: (r) => r.values[i]?.[0] ?? null, show: (r) => ranged(r.values[i] ?? none) })),
        { key: "distinct", title: "Distinct scores", about: "Of the samples: with few of them no threshold parts those of one score.", numeric: true, value: (r) => (r.of === "samples" ? r.of_arm.distinct : null), show: (r) => (r.of === "samples" ? count(r.of_arm.distinct) : "") },
        { key: "tie", title: "Largest tie", about: "Samples of the commonest score.", numeric: true, value: (r) => (r.of === "samples" ? r.of_arm.largest_tie : null), show: (r) => (r.of === "samples" ? el("span", { title: `at the score ${score(r.of_arm.tie_score)}` }, count(r.of_arm.largest_tie)) : "") },
      ],
    }),
    el("p", { class: "about" }, `In brackets: 95 % intervals, ${drawn} of test drawn anew${rows.some((r) => r.of === "episodes") ? "; of episodes these" : ""}. Of a share that is 0 or 1, how far from it so many could not tell it.`),
    notes.size > 0 ? el("ul", { class: "about" }, [...notes].map(([note, of]) => el("li", {}, sentence(note), of.length < arms.length ? [" (", of.map((a, i) => [i > 0 ? ", " : "", name_text(arm_label(page, a))]), ")"] : ""))) : null,
  ];
}

interface CostRow {
  arm: number;
  threshold: number;
  on: string;
  recall: number;
  false_alarms: number;
  precision: number | null;
  cost: number;
}

function cost_part(context: Context, arms: DetectionArm[]) {
  const { page } = context;
  const miss = amount(context, "miss", "A miss costs", 10, 0, 1e9);
  const alarm = amount(context, "alarm", "a false alarm", 1, 0, 1e9);
  const novel = amount(context, "novel", "of all samples", 5, 0, 100, "% are novel");
  const axis = choice(context, "axis", "False alarms", [{ value: "even", text: "even axis" }, { value: "log", text: "few of them", about: "A logarithmic axis." }]);
  const costs: Costs = { miss: miss.value, false_alarm: alarm.value, frequency: novel.value / 100 };
  const both = arms.filter((a) => a.normal > 0 && a.novel > 0);
  if (both.length === 0) return nothing("Without normal and novel test samples there is nothing to trade.");
  const chosen = both.map((a) => ({ of: a, at: least_cost(a, costs)! }));
  const rows: CostRow[] = chosen.map(({ of, at }) => ({ arm: of.arm, ...at, precision: precision(at, costs.frequency) }));
  const share = share_of_misses(costs);
  const never = expected_cost({ false_alarms: 0, recall: 0 }, costs);
  const always = expected_cost({ false_alarms: 1, recall: 1 }, costs);
  const full = (points: { x: number; y: number | null; threshold: number }[], arm: number) => points.flatMap((p) => (p.y === null ? [] : [{ arm, x: p.x, y: p.y, threshold: p.threshold }]));
  const least_x = axis.value === "log" ? Math.min(...both.map((a) => 0.5 / a.normal)) : undefined;
  const triangle: [number, number][] = [[0, 0], [0.5, 0.5], [1, 0]];
  const relative = (rate: { false_alarms: number; recall: number }) => expected_cost(rate, { miss: 1, false_alarm: 1, frequency: share });
  return [
    el("h3", {}, "What a threshold costs", el("span", { class: "question" }, "ringed: the cheapest threshold by these costs")),
    bar(miss.node, alarm.node, novel.node, axis.node),
    grid(context, 300, [
      (w: number) =>
        trade_chart(context, w, {
          key: "roc", title: "ROC", x_label: "share of normal with an alarm", y_label: "share of novel found", least_x,
          lines: both.map((a) => ({ arm: a.arm, points: full(rates(a).map((r) => ({ x: r.false_alarms, y: r.recall, threshold: r.threshold })), a.arm) })),
          chosen: chosen.map(({ of, at }) => ({ arm: of.arm, x: at.false_alarms, y: at.recall, threshold: at.threshold })),
          others: least_x === undefined ? [[0, 0], [1, 1]] : undefined,
        }),
      (w: number) =>
        trade_chart(context, w, {
          key: "pr", title: `Precision and recall, ${percent(costs.frequency)} novel`, x_label: "share of novel found", y_label: "share of alarms that are right",
          lines: both.map((a) => ({ arm: a.arm, points: full(rates(a).slice(1).map((r) => ({ x: r.recall, y: precision(r, costs.frequency), threshold: r.threshold })), a.arm) })),
          chosen: chosen.flatMap(({ of, at }) => full([{ x: at.recall, y: precision(at, costs.frequency), threshold: at.threshold }], of.arm)),
        }),
      (w: number) =>
        trade_chart(context, w, {
          key: "costs", title: "Cost curve", x_label: "misses' share of what can go wrong", y_label: "cost, of all going wrong", top: 0.55,
          lines: both.map((a) => ({ arm: a.arm, points: cost_curve(a, 50).map(([x, y]) => ({ arm: a.arm, x, y })) })),
          chosen: chosen.map(({ of, at }) => ({ arm: of.arm, x: share, y: relative(at), threshold: at.threshold })),
          others: triangle,
        }),
    ]),
    el("p", { class: "about" }, "The thin triangle of the cost curve: never raising an alarm (left) and always (right); a detector is worth its place where it stays below."),
    table<CostRow>(context, "costs", {
      caption: "The cheapest threshold, and what it does on test",
      rows,
      columns: [
        { key: "arm", title: "Arm", value: (r) => arm_label(page, r.arm), show: (r) => arm_name(page, r.arm) },
        { key: "threshold", title: "Threshold", numeric: true, value: (r) => r.threshold, show: (r) => (Number.isFinite(r.threshold) ? score(r.threshold) : "never") },
        { key: "on", title: "Chosen on", about: "On test itself where validate has no novel or no normal samples: too good to be true.", value: (r) => r.on },
        { key: "recall", title: "Found\u00a0↑", numeric: true, value: (r) => r.recall, show: (r) => percent(r.recall) },
        { key: "false_alarms", title: "False alarms\u00a0↓", about: "Share of the normal samples.", numeric: true, value: (r) => r.false_alarms, show: (r) => percent(r.false_alarms) },
        { key: "precision", title: "Right alarms\u00a0↑", about: "Share of alarms that are right, at this share of novel samples.", numeric: true, value: (r) => r.precision, show: (r) => percent(r.precision) },
        { key: "cost", title: "Cost of a sample\u00a0↓", numeric: true, value: (r) => r.cost, show: (r) => el("span", { class: r.cost < Math.min(never, always) ? "best" : "" }, score(r.cost)) },
        { key: "never", title: "never alarming", numeric: true, value: () => never, show: () => score(never) },
        { key: "always", title: "always alarming", numeric: true, value: () => always, show: () => score(always) },
      ],
    }),
  ];
}

interface PointRow extends DetectionPoint {
  of_arm: DetectionArm;
}

function points_part(context: Context, arms: DetectionArm[]) {
  const { page } = context;
  const rows: PointRow[] = arms.flatMap((a) => a.points.map((p) => ({ ...p, of_arm: a })));
  if (rows.length === 0) return null;
  return [
    el("h3", {}, "Thresholds by rule", el("span", { class: "question" }, "does the promise of validate hold on test?")),
    table<PointRow>(context, "points", {
      caption: "Thresholds by rule, and what they do on test",
      rows,
      page: 24,
      columns: [
        { key: "arm", title: "Arm", value: (r) => arm_label(page, r.of_arm.arm), show: (r) => arm_name(page, r.of_arm.arm) },
        { key: "name", title: "Rule", value: (r) => r.name, show: (r) => sentence(r.name).replace(/\.$/, "") },
        { key: "chosen", title: "Chosen on", about: "On validate: a promise. On test itself: as published, too good to be true.", value: (r) => r.chosen },
        ...(rows.some((r) => r.of === "episodes") ? [{ key: "of", title: "Of", value: (r: PointRow) => r.of }] : []),
        { key: "threshold", title: "Threshold", numeric: true, value: (r) => r.threshold, show: (r) => (r.threshold === null ? "never" : score(r.threshold)) },
        { key: "recall", title: "Found\u00a0↑", numeric: true, value: (r) => r.recall[0], show: (r) => ranged(r.recall) },
        { key: "false_alarms", title: "False alarms\u00a0↓", numeric: true, value: (r) => r.false_alarms[0], show: (r) => ranged(r.false_alarms) },
        { key: "tied", title: "On a tie", about: "How many have exactly this score: they are all called new, or none of them.", numeric: true, value: (r) => r.tied, show: (r) => (is_great_tie(r.of_arm, r) ? el("strong", { title: "So many that the threshold cannot do what it was chosen for." }, `⚠ ${count(r.tied)}`) : r.tied > 1 ? count(r.tied) : "–") },
      ],
    }),
  ];
}

function threshold_part(context: Context, data: Detection, arms: DetectionArm[]) {
  const options = new Map(arms.flatMap((a) => a.points.map((p) => [point_key(p), point_text(p)] as const)));
  if (options.size === 0) return null;
  const threshold = choice(context, "threshold", "Threshold", [...options].map(([value, text]) => ({ value, text })));
  const place = (arm: DetectionArm) => arm.points.findIndex((p) => point_key(p) === threshold.value);
  return [
    el("h3", {}, "What is found", el("span", { class: "question" }, "at one of the thresholds above")),
    bar(threshold.node),
    classes_part(context, arms, place),
    visible_part(context, arms, place),
    types_part(context, arms, place),
    timeline_part(context, data, arms, place),
    gallery_part(context, data, arms, place),
  ];
}

type Place = (arm: DetectionArm) => number;

interface KindRow {
  arm: DetectionArm;
  name: string;
  order: number;
  samples: number;
  auroc: number | null;
  recall: number | null;
}

const kind_columns = (context: Context, title: string): Column<KindRow>[] => [
  { key: "name", title, value: (r) => (r.order >= 0 ? r.order : named(r.name)), show: (r) => name_text(r.name) },
  { key: "arm", title: "Arm", value: (r) => arm_label(context.page, r.arm.arm), show: (r) => arm_name(context.page, r.arm.arm) },
  { key: "samples", title: "Samples", numeric: true, value: (r) => r.samples, show: (r) => count(r.samples) },
  { key: "recall", title: "Found\u00a0↑", numeric: true, value: (r) => r.recall, show: (r) => percent(r.recall) },
  { key: "auroc", title: "AUROC\u00a0↑", about: "Against all normal test samples, whatever the threshold.", numeric: true, value: (r) => r.auroc, show: (r) => score(r.auroc) },
];

function classes_part(context: Context, arms: DetectionArm[], place: Place) {
  const name = (id: number) => context.page.names[id] ?? `name ${id}`;
  const rows: KindRow[] = arms.flatMap((a) => a.classes.map((c) => ({ arm: a, name: name(c.name), order: -1, samples: c.samples, auroc: c.auroc, recall: place(a) < 0 ? null : c.found[place(a)] / c.samples })));
  if (rows.length === 0) return null;
  return table<KindRow>(context, "classes", {
    caption: "Novel classes, the least found first",
    rows,
    page: 12,
    sort: ["recall", "ascending"],
    search: (r) => r.name,
    search_label: "Search a class",
    columns: kind_columns(context, "Novel class"),
  });
}

function visible_part(context: Context, arms: DetectionArm[], place: Place) {
  const rows: KindRow[] = arms.flatMap((a) =>
    a.visible.map((bin, i) => ({ arm: a, order: i, name: bin.from === 0 ? `below ${percent(bin.below)}` : bin.below === null ? `${percent(bin.from)} or more` : `${percent(bin.from)} to ${percent(bin.below)}`, samples: bin.samples, auroc: bin.auroc, recall: place(a) < 0 ? null : bin.found[place(a)] / bin.samples })),
  );
  if (rows.length === 0) return null;
  return [
    el("h4", { class: "later" }, "By how much of it can be seen", el("span", { class: "question" }, "share of the picture that the novel thing takes")),
    table<KindRow>(context, "visible", { caption: "Found by visible share", rows, columns: kind_columns(context, "Visible share") }),
  ];
}

interface TypeRow {
  arm: DetectionArm;
  name: string;
  episodes: number;
  moments?: [never: number, early: number, median: number | null, mean: number];
}

function types_part(context: Context, arms: DetectionArm[], place: Place) {
  const name = (id: number) => context.page.names[id] ?? `name ${id}`;
  const rows: TypeRow[] = arms.flatMap((a) => a.episodes.types.map((t) => ({ arm: a, name: name(t.name), episodes: t.episodes, moments: t.moments[place(a)] })));
  if (rows.length === 0) return null;
  return [
    el("h4", { class: "later" }, "How long until it is noticed", el("span", { class: "question" }, "novel episodes, frames from the first novel one on")),
    table<TypeRow>(context, "types", {
      caption: "Delay by type of novelty",
      rows,
      page: 12,
      search: (r) => r.name,
      search_label: "Search a type",
      columns: [
        { key: "name", title: "Type", value: (r) => named(r.name), show: (r) => name_text(r.name) },
        { key: "arm", title: "Arm", value: (r) => arm_label(context.page, r.arm.arm), show: (r) => arm_name(context.page, r.arm.arm) },
        { key: "episodes", title: "Episodes", numeric: true, value: (r) => r.episodes, show: (r) => count(r.episodes) },
        { key: "never", title: "Never noticed\u00a0↓", numeric: true, value: (r) => (r.moments ? r.moments[0] / r.episodes : null), show: (r) => percent(r.moments ? r.moments[0] / r.episodes : null) },
        { key: "median", title: "Median delay\u00a0↓", about: "Of those that were noticed.", numeric: true, value: (r) => r.moments?.[2] ?? null, show: (r) => score(r.moments?.[2], 1) },
        { key: "mean", title: "Mean delay\u00a0↓", about: "One never noticed counts the frames it had left.", numeric: true, value: (r) => r.moments?.[3] ?? null, show: (r) => score(r.moments?.[3], 1) },
        { key: "early", title: "Alarm before", about: "Episodes with a false alarm before the novelty came.", numeric: true, value: (r) => r.moments?.[1] ?? null, show: (r) => count(r.moments?.[1]) },
      ],
    }),
  ];
}

const reasons: Record<string, string> = { miss: "worst miss", "false alarm": "earliest false alarm", normal: "a normal one", type: "typical" };

function timeline_part(context: Context, data: Detection, arms: DetectionArm[], place: Place) {
  const { page } = context;
  const all = data.timelines.filter((t) => t.scores.some((s) => arms.some((a) => a.arm === s.arm)));
  if (all.length === 0) return null;
  const several = page.runs.length > 1;
  const text = (t: Timeline) => {
    const why = [...new Set(t.why.map(([reason]) => reasons[reason] ?? reason))].join(", ");
    const kind = t.type === null ? "normal" : named(page.names[t.type] ?? `name ${t.type}`);
    return clip(`${several ? `${page.runs[t.run]?.name ?? "?"} · ` : ""}${named(t.id)} · ${kind}${why ? ` · ${why}` : ""}`, 90);
  };
  const episode = choice(context, "episode", "Episode", all.map((t, i) => ({ value: String(i), text: text(t) })));
  const shown = all[Number(episode.value)] ?? all[0];
  const own = arms.filter((a) => shown.scores.some((s) => s.arm === a.arm));
  return [
    el("h4", { class: "later" }, "Episodes along time", el("span", { class: "question" }, `${count(all.length)} of them, picked as misses, false alarms and examples of each type`)),
    bar(episode.node),
    el("p", {}, name_text(shown.id), shown.type === null ? ", normal" : [", ", name_text(page.names[shown.type] ?? "")], `, ${count(shown.frames)} frame${shown.frames === 1 ? "" : "s"}`, shown.why.length > 0 ? [": ", shown.why.map(([reason, arm], i) => [i > 0 ? ", " : "", reasons[reason] ?? reason, " of ", name_text(arm_label(page, arm))])] : ""),
    grid(context, 420, own.map((a) => (width: number) => timeline_chart(context, width, shown, a.arm, place(a) < 0 ? null : a.points[place(a)].threshold))),
    el("p", { class: "about" }, `Shaded: novel frames, from the upright line on. Dashed: the threshold.${shown.every > 1 ? ` Of every ${shown.every} frames the greatest score is drawn.` : ""}`),
  ];
}

function gallery_part(context: Context, data: Detection, arms: DetectionArm[], place: Place) {
  const { page } = context;
  const own = data.shelves.filter((s) => arms.some((a) => a.arm === s.arm));
  if (own.length === 0) return null;
  const chosen = choice(context, "arm", "Arm", [...new Set(own.map((s) => s.arm))].map((a) => ({ value: String(a), text: arm_label(page, a) })));
  const arm = arms.find((a) => String(a.arm) === chosen.value)!;
  const point = arm.points[place(arm)];
  const shelves = own.filter((s) => s.arm === arm.arm);
  const warm = shelves.some((s) => s.items.some((item) => item.heat && item.media !== null));
  const heat = choice(context, "heat", "Patches", [{ value: "over", text: "errors over the picture" }, { value: "none", text: "picture alone" }]);
  return [
    el("h4", { class: "later" }, shelves.some((s) => s.found) ? "Misses, false alarms and finds" : "Misses and false alarms", el("span", { class: "question" }, "the most extreme first, one of a group")),
    bar(chosen.node, warm ? heat.node : null),
    point ? shelves.map((s) => shelf_part(context, s, point, warm && heat.value === "over")) : nothing("This arm has no such threshold."),
    warm ? el("p", { class: "about" }, "Squares: how badly the patches over a place are given back, pale where best and dense where worst of all pictures of this arm shown here. Framed: the worst patch of a picture.") : null,
  ];
}

function shelf_part(context: Context, shelf: Shelf, point: DetectionPoint, heat: boolean) {
  const threshold = point.threshold ?? Infinity;
  const missed = shelf.novel && !shelf.found;
  const wrong = shelf.items.filter((item) => item.score !== null && (missed ? item.score < threshold : item.score >= threshold));
  const key = `shelf/${shelf.novel}${shelf.found ? "/found" : ""}`;
  const all = context.keep.get(`${context.key}/${key}`, false) || context.printing;
  const shown = all ? wrong : wrong.slice(0, shown_cards);
  const more = wrong.length - shown.length;
  return [
    el("h5", {}, shelf.found ? "Novel, with an alarm" : shelf.novel ? "Novel, without an alarm" : "Normal, with an alarm"),
    wrong.length === 0
      ? nothing(shelf.found ? "No novel sample raises an alarm at this threshold." : shelf.novel ? "None of the novel samples is missed at this threshold." : "No normal sample raises an alarm at this threshold.")
      : el("div", { class: "cards" }, shown.map((item) => card(context, item, heat))),
    more > 0
      ? el("p", { class: "screen-only" }, el("button", { type: "button", "data-key": key, click: () => { context.keep.set(`${context.key}/${key}`, true); context.again(); } }, `Show ${more} more`))
      : null,
  ];
}

function card(context: Context, item: Shelf["items"][number], heat: boolean): HTMLElement {
  const media = numbered(context.page, item.media);
  const shown = picture(media, item.sample);
  const name = (id: number) => name_text(context.page.names[id] ?? `name ${id}`);
  return el(
    "article",
    { class: "card" },
    shown && heat && item.heat && media?.frames === 1 ? heated(shown, item.heat, item.sample) : shown,
    el("header", {}, name_text(item.sample)),
    el("div", { class: "truth" }, "true: ", name(item.truth)),
    el("div", {}, "taken for ", name(item.said)),
    item.heat ? el("div", {}, `worst patch at row ${item.heat.worst[0]}, column ${item.heat.worst[1]}`) : null,
    el("div", { class: "scores" }, `score ${score(item.score)}`, item.group ? [" · group ", name_text(item.group)] : ""),
  );
}
