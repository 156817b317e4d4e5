// SPDX-License-Identifier: Apache-2.0
// Sections of tests in rounds made from a seed: the change comes at three tenths of a test.
import type * as D from "../src/data";
import { Random } from "./fixture";

export interface TestsWish {
  seed: number;
  arms: number[];
  tests: number;
  samples: number; // of a test
  round: number; // samples of a round
  known: number[]; // names
  novel: number[];
  clusters: number[]; // called discovered_...; the first ones match the novel classes
  settings: string[];
}

const base64 = (bytes: number[]) => Buffer.from(bytes).toString("base64");

const texts: [name: string, title: string, better: D.MeasureText["better"]][] = [
  ["change_detected", "noticed (M2)", "higher"], ["change_early_alarm", "too early (M2.1)", "lower"], ["change_detection_delay", "delay (M1)", "lower"],
  ["accuracy_before_change", "before", "higher"], ["accuracy_after_change", "after", "higher"], ["asymptotic_accuracy", "at the end", "higher"],
];

const as_measures = (list: typeof texts) => list.map(([name, title, better]): D.MeasureText => ({ name, title, better, meaning: `What ${title} tells, in a sentence.` }));

function coded(list: number[]): D.CodedNames {
  const names = [...new Set(list)];
  const places = list.map((name) => names.indexOf(name));
  const high = names.length > 256 ? places.map((p) => p >> 8) : [];
  return { names, places: base64([...places.map((p) => p & 255), ...high]) };
}

const test_id = (t: number) => `OND.54011215.0000.${1236 + t}`;
const change_of = (wish: TestsWish) => Math.floor(wish.samples * 0.3);

export function tests_section(wish: TestsWish): D.Tests {
  const random = new Random(wish.seed);
  const change = change_of(wish);
  const truths = Array.from({ length: wish.tests }, () =>
    Array.from({ length: wish.samples }, (_, i) => {
      const novel = i > change && random.next() < 0.5;
      const from = novel ? wish.novel : wish.known;
      return { novel, name: from[random.below(from.length)] };
    }),
  );
  const delay = (arm: number, setting: string, t: number) => (setting === "given" ? 0 : t === 1 ? -5 : 8 + 3 * t + 4 * arm);
  const stream = (arm: number, setting: string, t: number): D.Tests["streams"][number] => {
    const declared = change + delay(arm, setting, t);
    return {
      arm, setting, test: t, low: -0.5, high: 3.5,
      changed: base64(truths[t].map((_, i) => (i < declared ? 3 : 254))),
      novelty: base64(truths[t].map(({ novel }) => Math.max(0, Math.min(254, Math.round((novel ? 170 : 70) + 35 * random.normal()))))),
      said: coded(
        truths[t].map(({ novel, name }, i) => {
          const sure = random.next();
          if (novel) return i < declared ? (sure < 0.5 ? 0 : wish.known[0]) : sure < 0.6 ? wish.clusters[wish.novel.indexOf(name)] : sure < 0.8 ? 0 : wish.known[1];
          return sure < 0.85 ? name : sure < 0.9 ? 0 : wish.known[random.below(wish.known.length)];
        }),
      ),
      granted: setting === "ignored" ? [] : Array.from({ length: 4 }, (_, k): [number, number] => [Math.ceil(declared / wish.round) + k, 5]),
    };
  };
  const values = (arm: number, setting: string, t: number) => {
    const by = delay(arm, setting, t);
    const told = setting === "given" ? 0.04 : 0;
    return [by < 0 ? 0 : 1, by < 0 ? 1 : 0, by < 0 ? null : by, 0.9 - 0.02 * arm, 0.7 + told + 0.01 * t, 0.75 + told - 0.02 * t];
  };
  const all_tests = Array.from({ length: wish.tests }, (_, t) => t);
  const each = <T>(make: (arm: number, setting: string) => T) => wish.arms.flatMap((arm) => wish.settings.map((setting) => make(arm, setting)));
  const mean = (list: (number | null)[]): D.Ranged => {
    const numbers = list.filter((v): v is number => v !== null);
    if (numbers.length === 0) return [null, null, null];
    const value = numbers.reduce((a, b) => a + b, 0) / numbers.length;
    return numbers.length < 2 ? [value, null, null] : [value, Math.min(...numbers), Math.max(...numbers)];
  };
  return {
    measures: as_measures(texts),
    tests: all_tests.map((t) => ({
      run: 0, id: test_id(t), samples: wish.samples, every: 1, change,
      first_novel: truths[t].findIndex((s) => s.novel),
      rounds: Array.from({ length: Math.ceil(wish.samples / wish.round) }, (_, r) => r * wish.round),
      novel: truths[t].map((s) => (s.novel ? "1" : "0")).join(""),
      truth: coded(truths[t].map((s) => s.name)),
    })),
    scores: each((arm, setting) => ({
      arm, setting,
      rows: all_tests.map((t) => ({ test: t, declared: change + delay(arm, setting, t), values: values(arm, setting, t) })),
      values: texts.map((_, m) => mean(all_tests.map((t) => values(arm, setting, t)[m]))),
    })),
    differences: wish.arms.flatMap((arm) =>
      wish.settings
        .filter((s) => s !== "given" && wish.settings.includes("given"))
        .map((from) => ({
          arm, from, to: "given", pairs: wish.tests,
          values: texts.map((_, m) => mean(all_tests.map((t) => (values(arm, "given", t)[m] ?? 0) - (values(arm, from, t)[m] ?? 0)))),
        })),
    ),
    streams: each((arm, setting) => all_tests.map((t) => stream(arm, setting, t))).flat(),
  };
}

export function discovery_section(wish: TestsWish): D.Discovery {
  const random = new Random(wish.seed + 5);
  const change = change_of(wish);
  const list: typeof texts = [
    ["condda_accuracy", "right", "higher"], ["condda_characterisation", "new grouped", "higher"], ["condda_nmi", "NMI", "higher"], ["condda_clusters_per_class", "clusters per class", "neither"],
  ];
  const test = (arm: number, t: number): D.Discovery["settings"][number]["tests"][number] => {
    const classes = wish.novel.map((name, c): D.Discovery["settings"][number]["tests"][number]["classes"][number] => {
      const samples = 40 + random.below(30);
      const never = c === wish.novel.length - 1;
      const until = never ? null : 3 + 4 * c;
      const steps = Array.from({ length: samples }, (_, k) => (k === 0 ? change + 1 + c : 1 + random.below(Math.floor((wish.samples - change) / samples) * 2 - 1)));
      let at = 0;
      const places = steps.map((s) => (at += s));
      return {
        name, samples, until, steps,
        cluster: never ? null : wish.clusters[c],
        found: until === null ? null : [places[until], Math.floor(places[until] / wish.round) + 1],
        calls: steps.map((_, k) => (never ? "k" : k < until! ? "uk"[k % 2] : random.next() < 0.8 ? "m" : "c")).join(""),
      };
    });
    const cells: number[] = [];
    wish.known.forEach((name, i) => cells.push(0, name, name, 30 + i, 0, name, 0, 3));
    for (const one of classes) {
      const n = (letter: string) => [...one.calls].filter((c) => c === letter).length;
      const put = (to: number, letter: string) => n(letter) > 0 && cells.push(1, one.name, to, n(letter));
      if (one.cluster !== null) put(one.cluster, "m");
      put(wish.clusters[wish.clusters.length - 1], "c");
      put(0, "u");
      put(wish.known[0], "k");
    }
    const rounds = Array.from({ length: Math.ceil(wish.samples / wish.round) }, (_, r): D.Discovery["settings"][number]["tests"][number]["rounds"][number] => {
      const late = Math.max(0, (r * wish.round - change) / wish.samples);
      const novel = late > 0 ? Math.floor(wish.round / 2) : 0;
      return [r + 1, wish.round, novel, 0.85 - 0.1 * arm + 0.1 * late, novel === 0 ? null : Math.min(1, late + 0.1), novel === 0 ? null : 0.4 + 0.5 * late, Math.round(late * 8), Math.min(wish.novel.length, Math.ceil(late * 9))];
    });
    return { id: test_id(t), samples: wish.samples, change, clusters: wish.clusters.length, classes, cells, rounds, values: [0.8 - 0.05 * arm, 0.6 + 0.02 * t, 0.7, 1.25] };
  };
  return {
    measures: as_measures(list),
    settings: wish.arms.flatMap((arm) =>
      wish.settings.map((setting) => ({
        arm, setting,
        values: list.map((_, m): D.Ranged => [0.7 + 0.02 * m, 0.65, 0.8]),
        tests: Array.from({ length: wish.tests }, (_, t) => test(arm, t)),
      })),
    ),
    note: "",
  };
}
