// SPDX-License-Identifier: Apache-2.0
// Pages made from a seed, so that the app can be tested without a run.
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import type * as D from "../src/data";
import { categories_section } from "./categories_fixture";
import { detection_section } from "./detection_fixture";
import { nuisance_section } from "./nuisance_fixture";
import { media, strips } from "./pictures_fixture";
import { tasks_section } from "./tasks_fixture";
import { discovery_section, tests_section } from "./tests_fixture";
import type { TestsWish } from "./tests_fixture";

export interface Wish {
  seed: number;
  classes: number;
  steps: number;
  runs: number;
  arms: number; // per run
  seeds: number;
  samples: number; // on the map
  per_class: number; // test samples of a class in a step
  hostile?: boolean; // names that try to break the page
  live?: boolean;
  done?: boolean;
  repeat?: string; // what the seeds are
}

export const small: Wish = {
  seed: 1, classes: 26, steps: 6, runs: 1, arms: 3, seeds: 3, samples: 900, per_class: 8,
};
export const hostile: Wish = { ...small, seed: 2, classes: 14, runs: 2, arms: 2, hostile: true };
export const large: Wish = {
  seed: 3, classes: 718, steps: 11, runs: 1, arms: 4, seeds: 5, samples: 5000, per_class: 9,
};

/** Each sets window.hacked if it is ever taken for markup or script. */
export const hostile_names = [
  "<script>window.hacked=1</script>",
  "</script><script>window.hacked=2</script>",
  '"><img src=x onerror="window.hacked=3">',
  "<svg onload=window.hacked=4>",
  "it's \"quoted\" & <b>bold</b>",
  "x".repeat(400),
  "مرحبا بالعالم (right to left)",
  "\u202Egnp.exe",
  "emoji 🦉🧪 class",
  "line\nbreak\tand tab",
  "__proto__",
  "javascript:window.hacked=5",
  "",
  "${window.hacked=6}",
];

/** Numerical Recipes' linear congruence: the same everywhere. */
export class Random {
  constructor(private state: number) {}
  next(): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return this.state / 4294967296;
  }
  below(n: number): number {
    return Math.floor(this.next() * n);
  }
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}

export function make_page(wish: Wish): D.Page {
  const random = new Random(wish.seed);
  const names = ["unknown"];
  for (let c = 0; c < wish.classes; ++c) {
    names.push(wish.hostile ? hostile_names[c % hostile_names.length] : class_name(c, wish.classes));
  }
  const arms: D.Arm[] = [];
  const predictors = ["tyto", "gmm-finch", "openmax", "ncm", "evm", "slda"];
  for (let run = 0; run < wish.runs; ++run) {
    for (let a = 0; a < wish.arms; ++a) {
      const predictor = predictors[a % predictors.length];
      arms.push({
        run,
        name: `${predictor}-${a % 2 ? 50 : 100}pct`,
        predictor,
        feedback: a % 2 ? "50 %" : "100 %",
        seeds: Array.from({ length: wish.seeds }, (_, s) => s + 1),
      });
    }
  }
  const discovered = arms.map((_, arm) => {
    const first = names.length;
    for (let k = 0; k < 5; ++k) names.push(`discovered_${arm}_${k}`);
    return first;
  });
  const world = schedule(wish, random);
  const all = arms.map((_, i) => i);
  const clusters = names.length;
  for (let k = 0; k < 5; ++k) names.push(`discovered_${k}`);
  const rounds: TestsWish = {
    seed: wish.seed, arms: all, tests: 3, samples: 640, round: 32, settings: ["system", "given", "ignored"],
    known: [1, 2, 3, 4, 5, 6, 7], novel: [8, 9, 10, 11], clusters: Array.from({ length: 5 }, (_, k) => clusters + k),
  };
  const sections: D.Section[] = [
    section("summary", "Summary", "What happened, in plain words.", summary(wish, arms, random)),
    section("progress", "Over time", "How each measure went from increment to increment.", progress(wish, arms, random)),
    section("world", "The world", "What was shown, and what was asked.", worlds(wish, arms, world, random)),
    section("confusion", "Confusion", "Who was taken for whom.", confusion(wish, all, world, discovered, random)),
    section("novelty", "Novelty", "How well the new was told from the known, before feedback on the test split.", novelty(wish, all, discovered, random)),
    section("reliability", "Reliability", "Whether a confidence of 90 % means right nine times of ten.", reliability(wish, arms)),
    section("nuisance", "Nuisance", "What is lost when samples are shown changed.", nuisance_section(all, wish.hostile ? hostile_names[0] : "noise")),
    section("space", "Space", "The features in two dimensions.", space(wish, arms, discovered, random)),
    section("samples", "Samples", "Examples worth a look.", samples(wish, all, discovered, random)),
    section("groups", "Groups", "The same numbers by annotation.", groups(wish, arms, random)),
    section("cost", "Cost", "Time, memory and labels.", cost(wish, arms, random)),
    section("provenance", "Provenance", "Where these numbers come from.", provenance(wish, arms)),
    section("tests", "Tests", "Was the change of the world noticed?", tests_section(rounds)),
    section("discovery", "Discovery", "Were the novel classes found?", discovery_section(rounds)),
    section("tasks", "Class after class", "What is right of each task after each task.", tasks_section(wish.seed, all, 2 * wish.steps)),
    section("detection", "Detection", "Is what is new told from what is normal?", detection_section(all, rounds.novel, wish.hostile ? hostile_names[2] : "tree/7")),
    section("categories", "Categories", "What samples without labels were sorted into.", categories_section(all, rounds.known, rounds.novel, rounds.clusters)),
    section("from_the_future", "A later protocol", "Brought by a newer version.", { anything: 1 }),
  ];
  return {
    format: 1,
    title: wish.hostile ? '<img src=x onerror="window.hacked=7"> & co' : "quickstart",
    version: "0.5.0",
    revision: "f1522a1",
    live: wish.live ?? false,
    runs: Array.from({ length: wish.runs }, (_, r) => ({
      name: wish.hostile ? `run ${r} <i>` : `letters-${r + 1}`,
      folder: `runs/letters-${r + 1}`,
      repeat: wish.repeat ?? "seed",
      done: wish.done ?? true,
    })),
    arms,
    names,
    media: media(dot_png, map_name),
    sections,
  };
}

/** The built page with `page` in it, as the C++ side does it. */
export function fill(page: D.Page, template = "page/report.html"): string {
  const packed = gzipSync(JSON.stringify(page), { level: 6 }).toString("base64");
  return readFileSync(template, "utf8").replace("TYTO_DATA", () => packed);
}

function section(kind: string, title: string, about: string, data: unknown): D.Section {
  return { kind, title, about, data };
}

function class_name(c: number, classes: number): string {
  if (classes <= 26) return String.fromCharCode(65 + c);
  const verbs = ["playing", "cutting", "throwing", "riding", "washing", "folding", "carving", "opening"];
  const things = ["violin", "apple", "frisbee", "horse", "dishes", "paper", "pumpkin", "door", "rope"];
  return `${verbs[c % verbs.length]} ${things[Math.floor(c / verbs.length) % things.length]} ${c}`;
}

interface Schedule {
  first: number[]; // step that shows a class first, by class
  known_at: number[][]; // names known before feedback of a step
}

function schedule(wish: Wish, _random: Random): Schedule {
  const at_start = Math.ceil(wish.classes / 2);
  const first = Array.from({ length: wish.classes }, (_, c) =>
    c < at_start ? 0 : 1 + Math.floor(((c - at_start) * (wish.steps - 1)) / (wish.classes - at_start)),
  );
  const known_at = Array.from({ length: wish.steps }, (_, step) =>
    first.flatMap((f, c) => (f < step || step === 0 ? (f === 0 || f < step ? [c + 1] : []) : [])),
  );
  return { first, known_at };
}

function ranged(value: number, spread: number): D.Ranged {
  const clip = (v: number) => Math.max(0, Math.min(1, v));
  return [clip(value), clip(value - spread), clip(value + spread)];
}

const measure_texts: D.MeasureText[] = [
  { name: "accuracy", title: "Accuracy", meaning: "Share of samples that got their name.", better: "higher" },
  { name: "mcc", title: "MCC", meaning: "Correlation of actual and predicted names; 0 is chance.", better: "higher" },
  { name: "nmi", title: "NMI", meaning: "How far the groups agree, whatever their names.", better: "higher" },
  { name: "detection_rate", title: "Detection rate", meaning: "Share of new samples called new.", better: "higher" },
  { name: "false_alarm_rate", title: "False alarms", meaning: "Share of known samples called new.", better: "lower" },
  { name: "auroc", title: "AUROC", meaning: "How well the score tells new from known.", better: "higher" },
  { name: "reaction_time", title: "Reaction time", meaning: "How much of the new passed by before it was noticed.", better: "lower" },
];

function summary(wish: Wish, arms: D.Arm[], random: Random): D.Summary {
  return {
    paragraphs: Array.from({ length: wish.runs }, (_, run) => ({
      run,
      text: `At the start ${Math.ceil(wish.classes / 2)} classes were known, with 1,300 labelled samples. Over ${wish.steps - 1} increments ${Math.floor(wish.classes / 2)} more arrived. tyto-100pct called 83 % of their samples new and raised a false alarm on 4.1 % of the known ones, against the 5 % it was allowed; it noticed each new class after 2 % of its samples. With every label it asked for it named 91 % of all samples in the end; on the classes of the start it lost 1.2 points. This took 12.4 s and 640 labels.${wish.hostile ? " <script>window.hacked=8</script>" : ""}`,
    })),
    columns: measure_texts,
    rows: arms.map((_, arm) => ({
      arm,
      values: measure_texts.map((m) => ranged((m.better === "lower" ? 0.1 : 0.85) - 0.06 * arm + 0.02 * random.next(), 0.02)),
    })),
    interval: "smallest and largest of the seeds",
    warnings: wish.done === false ? ["The run is not finished: numbers cover what was recorded."] : [],
  };
}

function progress(wish: Wish, arms: D.Arm[], random: Random): D.Progress {
  const lines: D.Progress["lines"] = [];
  const table: [string, string[]][] = [
    ["classification", ["accuracy", "mcc", "nmi"]],
    ["detection", ["detection_rate", "false_alarm_rate", "auroc", "reaction_time"]],
    ["recognition", ["nmi"]],
    ["raw", ["accuracy", "mcc", "nmi"]],
  ];
  arms.forEach((_, arm) => {
    for (const split of ["test", "train"])
      for (const novel_to of ["predictor", "evaluator"])
        for (const [view, measures] of table)
          for (const measure of measures) {
            const points: D.Progress["lines"][number]["points"] = [];
            let level = measure === "false_alarm_rate" || measure === "reaction_time" ? 0.1 : 0.8;
            level -= arm * 0.07 - (split === "train" ? 0.06 : 0);
            for (let step = 0; step < wish.steps; ++step) {
              if (step > 0) points.push({ at: step, phase: "pre", value: ranged(level - 0.08 + 0.03 * random.next(), 0.03) });
              const missing = measure === "reaction_time" || measure === "detection_rate";
              points.push({ at: step + 0.5, phase: "post", value: missing ? [null, null, null] : ranged(level + 0.03 * random.next(), 0.02) });
            }
            lines.push({ arm, split, view, measure, novel_to, points });
          }
  });
  return { measures: measure_texts, lines };
}

function worlds(wish: Wish, arms: D.Arm[], world: Schedule, random: Random): D.World {
  return {
    worlds: Array.from({ length: wish.runs }, (_, run) => ({
      run,
      increments: Array.from({ length: wish.steps }, (_, step) => ({
        step,
        counts: ["train", "test"].map((split) => {
          const novel = world.first.filter((f) => f === step && step > 0).length;
          const known = world.first.filter((f) => f < step || step === 0).length;
          const each = split === "train" ? wish.per_class * 4 : wish.per_class;
          return { split, known: known * each, novel: novel * each };
        }),
        introduced: world.first.flatMap((f, c) => (f === step ? [c + 1] : [])),
      })),
      density: world.first.flatMap((f, c) =>
        Array.from({ length: wish.steps }, (_, step): [number, number, number] => [c + 1, step, wish.per_class * 5 + random.below(6)]).filter(([, step]) => step >= f),
      ),
      feedback: arms.flatMap((arm, i) =>
        arm.run !== run
          ? []
          : Array.from({ length: wish.steps }, (_, step) => {
              const shown = world.first.filter((f) => f <= step).length * wish.per_class * 4;
              const granted = Math.floor(shown * (i % 2 ? 0.5 : 1));
              const price = i === 0 && step > 0 ? { asked: granted + 3, wrong: 2, spent: (granted + 3) * 1.5 } : {};
              return { arm: i, step, shown, granted, classes: world.first.filter((f) => f <= step).length, ...price };
            }),
      ),
    })),
  };
}

function confusion(wish: Wish, arms: number[], world: Schedule, discovered: number[], random: Random): D.ConfusionData {
  const matrices: D.ConfusionData["matrices"] = [];
  const size = 1 << 16;
  const one = (arm: number, step: number, phase: "pre" | "post", split: string, per_class: number, known: number[]) => {
    const place = new Map(known.map((id, i) => [id, i]));
    const cells = new Map<number, number>();
    world.first.forEach((first, c) => {
      if (first > step && step >= 0) return;
      for (let s = 0; s < per_class; ++s) {
        const actual = c + 1;
        const at = place.get(actual);
        const luck = random.next();
        let predicted = actual;
        if (at === undefined) predicted = luck < 0.5 ? discovered[arm] + (c % 5) : luck < 0.8 ? 0 : known[random.below(known.length)];
        else if (luck > 0.96) predicted = 0;
        else if (luck > 0.88) predicted = known[(at + 1 + random.below(3)) % known.length];
        else if (luck > 0.8) predicted = known[random.below(known.length)];
        cells.set(actual * size + predicted, (cells.get(actual * size + predicted) ?? 0) + 1);
      }
    });
    matrices.push({ arm, step, phase, split, known, cells: [...cells].flatMap(([key, n]) => [Math.floor(key / size), key % size, n]) });
  };
  for (const arm of arms)
    for (const phase of ["pre", "post"] as const) {
      const known = (step: number) => (phase === "pre" ? world.known_at[step] : world.first.flatMap((f, c) => (f <= step ? [c + 1] : [])));
      for (let step = phase === "pre" ? 1 : 0; step < wish.steps; ++step) one(arm, step, phase, "test", wish.per_class, known(step));
      if (wish.classes > 500) one(arm, -1, phase, "train", 440, known(wish.steps - 1)); // 630,000 rows
    }
  return { matrices, note: wish.classes > 500 ? "Single increments of the train split are left out." : "" };
}

function novelty(wish: Wish, arms: number[], discovered: number[], random: Random): D.Novelty {
  const bins = 40;
  const curves: D.Novelty["curves"] = [];
  for (const arm of arms)
    for (let step = 1; step < wish.steps; ++step) {
      const shift = 1.6 - 0.2 * arm;
      const known = new Array<number>(bins).fill(0);
      const novel = new Array<number>(bins).fill(0);
      for (let i = 0; i < 800; ++i) known[Math.max(0, Math.min(bins - 1, Math.floor(14 + 5 * random.normal())))]++;
      for (let i = 0; i < 300; ++i) novel[Math.max(0, Math.min(bins - 1, Math.floor(14 + 7 * shift + 6 * random.normal())))]++;
      const share = Array.from({ length: 101 }, (_, i) => i / 100);
      curves.push({
        arm, step, known, novel,
        edges: Array.from({ length: bins + 1 }, (_, i) => i / bins),
        threshold: arm % 3 === 2 ? null : 0.62, promised: arm % 3 === 2 ? null : 0.05, real: 0.03 + 0.03 * random.next(),
        auroc: 0.9 - 0.04 * arm,
        roc: share.map((x) => [x, x ** (1 / (1 + 4 * shift))]),
        pr: share.map((x) => [x, 1 - 0.6 * x ** (1 + 2 * shift)]),
        oscr: share.map((x) => [x, 0.9 * x ** (1 / (1 + 3 * shift))]),
      });
    }
  return {
    curves,
    discovered: arms.flatMap((arm) =>
      Array.from({ length: 5 }, (_, k) => {
        const size = 20 + random.below(200);
        const mix: [number, number][] = [[1 + (k % wish.classes), Math.ceil(size * 0.7)], [2 + (k % (wish.classes - 1)), Math.floor(size * 0.2)], [3, size - Math.ceil(size * 0.7) - Math.floor(size * 0.2)]];
        return {
          arm, name: discovered[arm] + k, found: 1 + (k % (wish.steps - 1)), retired: k % 2 ? Math.min(wish.steps - 1, 2 + k) : null,
          into: k % 2 ? `class ${k}` : "", why: k % 2 ? "granted" : "lives", size, purity: 0.5 + 0.1 * k, mix,
          life: Array.from({ length: wish.steps - 1 }, (_, s): [number, number] => [s + 1, random.below(40)]),
        };
      }),
    ),
    alarms: arms.flatMap((arm) =>
      Array.from({ length: wish.steps - 1 }, (_, s) => ({
        arm, step: s + 1, samples: 100 + random.below(100), log_evidence: 10 * random.normal(), changed: s % 2 === 0,
        since: s % 2 === 0 ? random.below(100) : null, kind: "new classes", novel_share: random.next() * 0.4,
      })),
    ),
  };
}

// Samples and how many of them are right, by tenth of confidence. The first two and the fifth are empty.
const tenths: [samples: number, right: number][] = [[0, 0], [0, 0], [20, 4], [40, 12], [0, 0], [60, 24], [100, 50], [180, 108], [600, 420], [12000, 9600]];

/** Arm 0 is as `tenths` has it, over-confident; the others less and less, the last under-confident. */
function reliability(wish: Wish, arms: D.Arm[]): D.Reliability {
  const random = new Random(wish.seed + 77); // the other sections stay what they are
  const texts: [string, string, D.MeasureText["better"]][] = [
    ["ece10", "ECE", "lower"], ["nll", "NLL", "lower"], ["brier_sum", "Brier score", "lower"], ["ks_error", "KS error", "lower"],
    ["accuracy", "Accuracy", "higher"], ["mean_confidence", "Mean confidence", "neither"], ["failure_auroc_maxprob", "AUROC of failures", "higher"], ["aurc", "AURC", "lower"],
  ];
  const measures = texts.map(([name, title, better]): D.MeasureText => ({ name, title, better, meaning: `What ${title} tells, in a sentence.` }));
  const table = (arm: number, split: string, classes: "all" | "common" | "rare"): D.Reliability["tables"][number] => {
    const share = { all: 1, common: 0.8, rare: 0.2 }[classes];
    const skill = (classes === "rare" ? 0.9 : 1) * (1 + 0.13 * arm);
    const counts = tenths.map(([n, right]) => {
      const samples = Math.round(n * share);
      return [samples, Math.min(samples, Math.round(right * share * skill))];
    });
    const bins = counts.map(([n, right], i): [number, number | null, number | null] => (n === 0 ? [0, null, null] : [n, round((i + 0.55) / 10), round(right / n)]));
    const samples = counts.reduce((sum, [n]) => sum + n, 0);
    const ece = bins.reduce((sum, [n, c, a]) => sum + n * Math.abs((c ?? 0) - (a ?? 0)), 0) / samples;
    const errors = 1 - counts.reduce((sum, [, right]) => sum + right, 0) / samples;
    const halves = (list: number[]) => list.flatMap((n) => [Math.floor(n / 3), n - Math.floor(n / 3)]);
    return {
      arm, split, classes, samples, bins,
      values: measures.map((m) => ranged(m.name === "ece10" ? ece : m.name === "accuracy" ? 1 - errors : 0.3 - 0.03 * arm + 0.1 * random.next(), 0.01)),
      right: halves(counts.map(([, right]) => right)),
      wrong: halves(counts.map(([n, right]) => n - right)),
      risk: Array.from({ length: 101 }, (_, i): [number, number] => [i / 100, i === 1 ? 1 : round(errors * (i / 100) ** (1 + arm))]), // an error among the surest
    };
  };
  const epochs = 20;
  const trained = arms.flatMap((_, arm) => (arm % 3 === 0 ? [] : [arm]));
  const per_epoch = (make: (share: number) => number) => Array.from({ length: epochs }, (_, e) => round(make(e / (epochs - 1))));
  return {
    measures,
    tables: arms.flatMap((_, arm) => ["validate", "test"].flatMap((split) => (["all", "common", "rare"] as const).map((part) => table(arm, split, part)))),
    per_class: arms.flatMap((_, arm) =>
      ["validate", "test"].map((split) => ({
        arm, split,
        rows: Array.from({ length: wish.classes }, (_, c): D.Reliability["per_class"][number]["rows"][number] => {
          const in_data = Math.round(3000 / (c + 1)) + 20;
          const recall = round(0.5 + 0.45 * random.next());
          return [c + 1, in_data, Math.round(in_data / 5), recall, round(Math.min(1, recall + 0.2 * random.next() - 0.05)), round(0.02 + 0.15 * random.next())];
        }),
      })),
    ),
    training: trained.map((arm) => ({
      arm,
      lines: [
        { name: "ece_validation", values: per_epoch((t) => 0.02 + 0.1 * (1 - t) ** 2 - 0.003 * arm) },
        { name: "ece_test", values: per_epoch((t) => 0.035 + 0.1 * (1 - t) ** 2).map((v, e) => (e === 3 ? null : v)) },
        { name: "nll", values: per_epoch((t) => 0.6 + 0.5 * (1 - t) ** 3) },
        { name: "temperature_mean", values: per_epoch((t) => 1 + 0.7 * t) },
        { name: "temperature_deviation", values: per_epoch((t) => 0.3 * t) },
      ],
      native: arm % 2 === 0 ? null : 0.16,
    })),
    temperatures: trained.slice(0, 2).map((arm) => ({
      arm,
      axes: [
        { name: "confidence", about: "Before calibration." },
        { name: "first principal component", about: "Of the features, 21 % of the variance." },
        { name: "distance to the class mean", about: "In standardised features." },
      ],
      points: Array.from({ length: wish.samples }, (_, i): D.Reliability["temperatures"][number]["points"][number] => {
        const name = 1 + (i % wish.classes);
        const confidence = round(1 - 0.6 * random.next() ** 2);
        const temperature = round(1.2 + 0.5 * confidence + 0.3 * Math.sin(name) + 0.1 * random.normal());
        return [random.next() < confidence * 0.85 ? 1 : 0, name, temperature, confidence, round(3 * random.normal()), round(4 + random.normal())];
      }),
    })),
    note: wish.classes > 500 ? "Temperatures of 5,000 of 120,000 test samples." : "",
  };
}

function space(wish: Wish, arms: D.Arm[], discovered: number[], random: Random): D.Space {
  return {
    maps: Array.from({ length: wish.runs }, (_, run) => {
      const truth = Array.from({ length: wish.samples }, () => 1 + random.below(wish.classes));
      const layout = (name: string, about: string, spread: number) => ({
        name, about,
        x: truth.map((t) => round(10 * Math.cos(t * 2.4) * Math.sqrt(t / wish.classes) + spread * random.normal())),
        y: truth.map((t) => round(10 * Math.sin(t * 2.4) * Math.sqrt(t / wish.classes) + spread * random.normal())),
      });
      const novel = truth.map((t) => t > wish.classes / 2);
      return {
        run, truth,
        layouts: [layout("pca", "First two principal axes, 31 % of the variance.", 1.1), layout("neighbours", "Near samples stay near; far ones say little.", 0.35)],
        sample: truth.map((_, i) => map_name(i)),
        step: truth.map(() => 1 + random.below(wish.steps - 1)),
        seen: arms.flatMap((arm, i) =>
          arm.run !== run
            ? []
            : [{
                arm: i,
                label: truth.map((t, k) => (novel[k] ? (random.next() < 0.6 ? discovered[i] + (t % 5) : 0) : random.next() < 0.85 ? t : 1 + random.below(wish.classes))),
                novelty: truth.map((_, k) => round(Math.max(0, Math.min(1, (novel[k] ? 0.7 : 0.3) + 0.15 * random.normal())))),
                novel,
              }],
        ),
        note: `${wish.samples} of 12,000 test samples.`,
      };
    }),
  };
}

function map_name(i: number): string {
  return `letter-${String(i).padStart(5, "0")}.png`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

const dot_png =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

function samples(wish: Wish, arms: number[], discovered: number[], random: Random): D.Samples {
  const kinds = ["alarm", "false alarm", "miss", "mistake", "discovered"] as const;
  return {
    shelves: arms.flatMap((arm) =>
      kinds.map((kind, k) => ({
        arm, kind,
        title: kind === "discovered" ? `discovered_${arm}_0` : kind === "miss" ? "Misses" : `${kind[0].toUpperCase()}${kind.slice(1)}s`,
        about: "The clearest first.",
        items: Array.from({ length: 30 }, (_, i) => ({
          sample: wish.hostile ? hostile_names[i % hostile_names.length] : `letter-${String(i * 7).padStart(5, "0")}.png`,
          step: 1 + random.below(wish.steps - 1),
          truth: 1 + random.below(wish.classes),
          top: Array.from({ length: 5 }, (_, t): [number, number] => [t === 0 && kind !== "mistake" ? discovered[arm] : 1 + random.below(wish.classes), round(0.6 / (1 + t * 2))]),
          novelty: round(random.next()),
          p_value: k % 2 ? null : round(random.next() * 0.05),
          media: i % 3 === 2 ? null : i % 3 ? 0 : 1 + (i % strips),
        })),
      })),
    ),
  };
}

function groups(wish: Wish, arms: D.Arm[], random: Random): D.Groups {
  return {
    columns: Array.from({ length: wish.runs }, (_, run) => run).flatMap((run) =>
      ["writer", "device"].map((column, k) => ({
        run, column: k ? "box_area:3" : column, measures: measure_texts.slice(0, 4), main: 3,
        note: k ? "box_area cut into 3 parts of equal count over 900 samples; 1 of 3: 0.01 to 0.2, 2 of 3: 0.2 to 0.5, 3 of 3: 0.5 to 0.9" : "",
        rows: arms.flatMap((arm, i) =>
          arm.run !== run
            ? []
            : Array.from({ length: k ? 4 : 12 }, (_, g) => ({
                arm: i, group: wish.hostile ? hostile_names[g % hostile_names.length] : k ? (g === 3 ? "N/A" : `${g + 1} of 3`) : `${column} ${g + 1}`, samples: 40 + random.below(500),
                values: measure_texts.slice(0, 4).map(() => ranged(0.6 + 0.3 * random.next() - 0.05 * i, 0.05)),
              })),
        ),
      })),
    ),
  };
}

function cost(wish: Wish, arms: D.Arm[], random: Random): D.Cost {
  const every = <T>(make: (arm: number, step: number) => T) =>
    arms.flatMap((_, arm) => Array.from({ length: wish.steps }, (_, step) => make(arm, step)));
  return {
    steps: arms.flatMap((a, arm) =>
      a.seeds.flatMap((seed) =>
        Array.from({ length: wish.steps + 1 }, (_, s) => ({
          arm, seed, step: s - 1,
          seconds: { learn: random.next() * 2 + s * 0.2, predict: random.next(), other: random.next() * 0.3, around: random.next() * 0.1 },
          anonymous_mb: 120 + 9 * s + 20 * arm, mapped_mb: 60,
        })),
      ),
    ),
    labels: every((arm, step) => ({ arm, step, granted: 60 + random.below(20), total: 70 * (step + 1), ...(arm === 0 ? { spent: 105.5 * step } : {}) })),
    sizes: every((arm, step) => ({ arm, step, model_bytes: 40000 * (step + 1) * (arm + 1), memory_bytes: 250000 * (step + 1), remembered: 300 * (step + 1) })),
  };
}

function provenance(wish: Wish, arms: D.Arm[]): D.Provenance {
  return {
    runs: Array.from({ length: wish.runs }, (_, run) => ({
      run,
      command: "tyto run experiments/quickstart.yaml --seed 1 --set 'feedback.budget=\"50 %\"'",
      facts: [["version", "0.5.0"], ["revision", "f1522a1"], ["seeds", "1, 2, 3"], ["threads", "2"], ["BLAS kernel", "Haswell"]],
      datasets: [{ name: wish.hostile ? hostile_names[0] : "letters", digest: "sha256:6f1ed002ab5595859014ebf0951522d9bb3a", samples: 20000, source: "UCI letter recognition" }],
      prior_knowledge: "None beyond the labelled samples of increment 0.",
      properties: arms.flatMap((a, arm) =>
        a.run === run
          ? [{ arm, items: [["task", "open-world learning"], ["feedback", a.feedback], ["memory", "300 per class"], ["compute", "2 threads"], ["update", "every increment"], ["output", "top 5 and novelty"]] as [string, string][] }]
          : [],
      ),
      experiment: "name: quickstart\nseed: 1\nworld:\n  known: 13\n  steps: 5\npredictors: [tyto, ncm]\nfeedback: [100 %, 50 %]\n",
    })),
  };
}
