// SPDX-License-Identifier: Apache-2.0
// A section of novelty detection. The second arm has constant scores; others see episodes, one of them of one frame.
import type * as D from "../src/data";

type Arm = D.Detection["arms"][number];

const none: D.Ranged = [null, null, null];
const rules = ["1 in 100 false alarms", "1 in 1,000 false alarms", "95 % found", "80 % of alarms right, 25 % novel"];

/** False alarms over recall of a detector whose novel scores lie `shift` above the normal ones. */
function trades(shift: number, normal: number, novel: number): Arm["curve"] {
  const tail = (z: number) => 1 / (1 + Math.exp(1.7 * z));
  return Array.from({ length: 61 }, (_, i) => 6 - 0.18 * i).map((t) => [t, Math.round(normal * tail(t)), Math.round(novel * tail(t - shift))]);
}

function arm_of(arm: number, shift: number, classes: number[]): Arm {
  const [normal, novel] = [2000, 600];
  const curve = trades(shift, normal, novel);
  const at = (rate: number) => curve.filter(([, alarms]) => alarms <= rate * normal).at(-1) ?? curve[0];
  const points = rules.flatMap((name, r): Arm["points"] => {
    const [threshold, alarms, found] = at([0.01, 0.001, 0.3, 0.05][r]);
    const recall = found / novel;
    const share = alarms / normal;
    return (["validate", "test"] as const).filter((c) => r > 1 || c === "validate").map((chosen) => ({
      name, chosen, of: "samples", threshold: threshold! + (chosen === "test" ? 0.05 : 0),
      recall: [recall, recall - 0.03, recall + 0.02], false_alarms: [share, share / 2, share * 1.5], tied: r === 1 ? 40 : 1,
    }));
  });
  points.push({ name: rules[2], chosen: "test", of: "episodes", threshold: 1.2, recall: [0.96, 0.9, 1], false_alarms: [0.4, 0.2, 0.6], tied: 1 });
  const found = (samples: number, ease: number) => points.map((p) => Math.round(samples * Math.min(1, p.recall[0]! * ease)));
  return {
    arm, normal, novel, distinct: 2411, largest_tie: 40, tie_score: 3.1,
    areas: [[0.9 + 0.02 * shift, 0.88, 0.99], [0.8, 0.75, 0.85], [0.805, 0.755, 0.86]], drawn: "80 groups",
    notes: ["a false-alarm rate of 1 in 1000 cannot be shown with so few: 2000 measured normal samples, where 2995 without a single false alarm would show it (95 %)"],
    curve,
    choices: curve.filter((_, i) => i % 6 === 0).map(([t, alarms, hits]) => [t, Math.min(1, (1.1 * alarms) / normal), (0.95 * hits) / novel, alarms, hits]),
    points,
    classes: classes.map((name, c) => ({ name, samples: 100, auroc: 0.7 + 0.05 * c, found: found(100, 0.6 + 0.1 * c) })),
    visible: [0, 0.01, 0.02, 0.05, 0.1, 0.25].map((from, b) => ({ from, below: [0.01, 0.02, 0.05, 0.1, 0.25, null][b], samples: 100, auroc: 0.6 + 0.06 * b, found: found(100, 0.5 + 0.12 * b) })),
    episodes: {
      normal: 20, novel: 60, areas: [[0.97, 0.9, 1], [0.98, 0.93, 1], none],
      types: classes.slice(0, 3).map((name, t) => ({ name, episodes: 20, moments: points.map((_, p): [number, number, number | null, number] => [t === 0 ? 20 : 2 * t, t, t === 0 ? null : 3 + p, 8 + p]) })),
    },
  };
}

/** All scores equal: no threshold lies between never and always. */
function constant_arm(arm: number, classes: number[]): Arm {
  return {
    arm, normal: 50, novel: 30, distinct: 1, largest_tie: 80, tie_score: 0.5, areas: [[0.5, 0.5, 0.5], [0.375, 0.3, 0.45], [0.6875, 0.6, 0.7]], drawn: "80 samples",
    notes: ["all scores are equal: they tell nothing apart"], curve: [[0.5, 50, 30]], choices: [],
    points: [{ name: rules[0], chosen: "test", of: "samples", threshold: 0.5001, recall: [0, 0, 0.1], false_alarms: [0, 0, 0.058], tied: 0 }, { name: rules[2], chosen: "test", of: "samples", threshold: 0.5, recall: [1, 0.9, 1], false_alarms: [1, 0.94, 1], tied: 80 }],
    classes: [{ name: classes[0], samples: 30, auroc: 0.5, found: [0, 30] }], visible: [], episodes: { normal: 0, novel: 0, areas: [], types: [] },
  };
}

/** Normal samples alone. */
function one_sided_arm(arm: number): Arm {
  return {
    arm, normal: 12, novel: 0, distinct: 12, largest_tie: 1, tie_score: 1, areas: [none, none, none], drawn: "12 samples", notes: ["all 12 measured samples are normal: nothing can be told apart"],
    curve: [], choices: [], points: [{ name: rules[0], chosen: "test", of: "samples", threshold: 9, recall: none, false_alarms: [0, 0, 0.22], tied: 0 }],
    classes: [], visible: [], episodes: { normal: 0, novel: 0, areas: [], types: [] },
  };
}

/** Squares of 4 pixels over a picture of 24 x 18, which ends within the last row of squares; the worst in the middle. */
function heat_of(shift: number): D.Heat {
  const errors = Array.from({ length: 30 }, (_, i) => Math.max(0, 255 - 40 * Math.hypot((i % 6) - 3, Math.floor(i / 6) - 2) - 20 * shift));
  return { height: 18, width: 24, cell: 4, rows: 5, columns: 6, errors: btoa(String.fromCharCode(...errors.map(Math.round))), worst: [4, 8, 8] };
}

export function detection_section(arms: number[], classes: number[], odd: string): D.Detection {
  const full = arms.filter((_, a) => a === 0 || a > 2);
  const scores = (frames: number, from: number | null) => full.map((arm) => ({ arm, values: Array.from({ length: frames }, (_, f) => (f === 3 ? null : Math.sin(f + arm) + (from !== null && f >= from + 4 ? 4 : 0))) }));
  return {
    arms: arms.map((arm, a) => (a === 1 ? constant_arm(arm, classes) : a === 2 ? one_sided_arm(arm) : arm_of(arm, 3 - 0.3 * a, classes))),
    timelines: [
      { run: 0, id: odd, type: classes[0], why: [["miss", arms[0]]], frames: 60, every: 1, first_novel: 20, novel: "0".repeat(20) + "1".repeat(40), scores: scores(60, 20) },
      { run: 0, id: "fence/3", type: null, why: [["false alarm", arms[0]], ["normal", arms[0]]], frames: 400, every: 8, first_novel: null, novel: "0".repeat(50), scores: scores(50, null) },
      { run: 0, id: "one frame", type: classes[1], why: [["type", arms[0]]], frames: 1, every: 1, first_novel: 0, novel: "1", scores: full.map((arm) => ({ arm, values: [5] })) },
    ],
    shelves: full.flatMap((arm, place) =>
      [[true, false], [false, false], ...(place === 0 ? [[true, true]] : [])].map(([novel, found]) => ({
        arm, novel, found,
        items: Array.from({ length: 9 }, (_, i) => ({ sample: i === 0 ? odd : `frame ${i}`, group: i % 2 ? `episode ${i}` : "", truth: classes[i % classes.length], said: 1 + (i % 3), score: found ? 9 - 0.1 * i : novel ? -3 + 0.4 * i : 5 - 0.4 * i, media: i < 7 ? i % 3 : null, ...(place === 0 && i < 8 ? { heat: i === 6 ? { ...heat_of(i), errors: "?" } : heat_of(i) } : {}) })),
      })),
    ),
    problems: [],
  };
}
