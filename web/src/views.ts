// SPDX-License-Identifier: Apache-2.0
// Confusion counts and the four views of docs/measures.md, worked out from raw counts and known names.

export type View = "classification" | "detection" | "recognition" | "raw";

export const unknown = 0; // place of "unknown" in the page's names
export const all_known = -1; // every known name together

const base = 1 << 21; // names are fewer

/** Counts of pairs of an actual and a predicted name. */
export class Counts {
  private readonly cells = new Map<number, number>();

  add(actual: number, predicted: number, samples: number): void {
    const key = (actual + 1) * base + predicted + 1;
    this.cells.set(key, (this.cells.get(key) ?? 0) + samples);
  }

  at(actual: number, predicted: number): number {
    return this.cells.get((actual + 1) * base + predicted + 1) ?? 0;
  }

  // No generator: large runs have a hundred thousand cells, gone through several times for a click.
  each(visit: (actual: number, predicted: number, samples: number) => void): void {
    this.cells.forEach((samples, key) => visit(Math.floor(key / base) - 1, (key % base) - 1, samples));
  }

  get size(): number {
    return this.cells.size;
  }
}

/** Adds raw cells (actual, predicted, count, ...) to `sum` as `view` sees them. */
export function add_view(sum: Counts, cells: number[], known: Iterable<number>, view: View): void {
  const is_known = new Set(known);
  is_known.delete(unknown); // it is never known, even if listed
  const name = (id: number): number => {
    if (view === "raw") return id;
    if (is_known.has(id)) return view === "classification" ? id : all_known;
    return view === "recognition" ? id : unknown;
  };
  for (let i = 0; i + 2 < cells.length; i += 3) sum.add(name(cells[i]), name(cells[i + 1]), cells[i + 2]);
}

export interface ClassScore {
  id: number;
  samples: number; // actual
  called: number; // predicted
  hits: number;
  recall: number | null;
  precision: number | null;
  f1: number | null;
  other: number | null; // most often taken for, besides itself
  other_samples: number;
}

export function class_scores(counts: Counts): ClassScore[] {
  const scores = new Map<number, ClassScore>();
  const of = (id: number): ClassScore => {
    let score = scores.get(id);
    if (!score) {
      score = { id, samples: 0, called: 0, hits: 0, recall: null, precision: null, f1: null, other: null, other_samples: 0 };
      scores.set(id, score);
    }
    return score;
  };
  counts.each((actual, predicted, n) => {
    const row = of(actual);
    row.samples += n;
    of(predicted).called += n;
    if (actual === predicted) row.hits += n;
    else if (n > row.other_samples || (n === row.other_samples && predicted < (row.other ?? Infinity))) {
      row.other = predicted;
      row.other_samples = n;
    }
  });
  for (const s of scores.values()) {
    s.recall = s.samples > 0 ? s.hits / s.samples : null;
    s.precision = s.called > 0 ? s.hits / s.called : null;
    s.f1 = s.samples + s.called > 0 ? (2 * s.hits) / (s.samples + s.called) : null;
  }
  return [...scores.values()].sort((a, b) => a.id - b.id);
}

export interface Agreement {
  samples: number;
  accuracy: number | null;
  balanced_accuracy: number | null;
  mcc: number | null;
  nmi: number | null;
}

export function agreement(counts: Counts, scores = class_scores(counts)): Agreement {
  const s = sum(scores, (c) => c.samples);
  if (s === 0) return { samples: 0, accuracy: null, balanced_accuracy: null, mcc: null, nmi: null };
  const hits = sum(scores, (c) => c.hits);
  const met = scores.filter((c) => c.samples > 0);
  const actual = s * s - sum(scores, (c) => c.samples ** 2);
  const predicted = s * s - sum(scores, (c) => c.called ** 2);
  const cross = hits * s - sum(scores, (c) => c.samples * c.called);
  const by_id = new Map(scores.map((c) => [c.id, c]));
  const entropy = (of: (c: ClassScore) => number) =>
    -sum(scores, (c) => (of(c) > 0 ? (of(c) / s) * Math.log(of(c) / s) : 0));
  let information = 0;
  counts.each((a, p, n) => {
    if (n > 0) information += (n / s) * Math.log((n * s) / (by_id.get(a)!.samples * by_id.get(p)!.called));
  });
  const [h_actual, h_predicted] = [entropy((c) => c.samples), entropy((c) => c.called)];
  const nmi =
    met.length === 1 && scores.filter((c) => c.called > 0).length === 1
      ? 1
      : h_actual === 0 || h_predicted === 0
        ? 0
        : Math.max(0, information) / ((h_actual + h_predicted) / 2);
  return {
    samples: s,
    accuracy: hits / s,
    balanced_accuracy: sum(met, (c) => c.hits / c.samples) / met.length,
    mcc: actual === 0 || predicted === 0 ? 0 : cross / (Math.sqrt(actual) * Math.sqrt(predicted)),
    nmi,
  };
}

export type Order = "frequency" | "name" | "error" | "similarity";

/** Names in the order of a matrix: `unknown` first, all the known together last. */
export function ordered(counts: Counts, scores: ClassScore[], order: Order, name: (id: number) => string): number[] {
  const error = (c: ClassScore) => (c.samples > 0 ? 1 - c.hits / c.samples : -1);
  const sorted = [...scores];
  if (order === "name") sorted.sort((a, b) => collator.compare(name(a.id), name(b.id)) || a.id - b.id);
  else if (order === "error") sorted.sort((a, b) => error(b) - error(a) || b.samples - a.samples || a.id - b.id);
  else sorted.sort((a, b) => b.samples - a.samples || b.called - a.called || a.id - b.id);
  let ids = sorted.map((c) => c.id);
  if (order === "similarity") ids = chained(counts, scores, ids);
  const inner = ids.filter((id) => id !== unknown && id !== all_known);
  return [
    ...(ids.includes(unknown) ? [unknown] : []),
    ...inner,
    ...(ids.includes(all_known) ? [all_known] : []),
  ];
}

/**
 * Seriation: the most confused pairs become neighbours. Pairs are taken from the strongest on, and two
 * chains are joined where both names stand at an end of theirs.
 */
function chained(counts: Counts, scores: ClassScore[], ids: number[]): number[] {
  const total = new Map(scores.map((c) => [c.id, Math.max(1, c.samples)]));
  const strength = new Map<number, number>();
  counts.each((a, p, n) => {
    if (a === p || a <= 0 || p <= 0) return;
    const key = Math.min(a, p) * base + Math.max(a, p);
    strength.set(key, (strength.get(key) ?? 0) + n / total.get(a)!);
  });
  // Each name needs two neighbours at most, so the strongest few pairs per name will do.
  const pairs = strongest([...strength], ids.length * 12).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const chain = new Map<number, number[]>(ids.map((id) => [id, [id]]));
  for (const [key] of pairs) {
    const [a, b] = [Math.floor(key / base), key % base];
    const [left, right] = [chain.get(a)!, chain.get(b)!];
    if (left === right) continue;
    const ends = (list: number[], id: number) => list[0] === id || list[list.length - 1] === id;
    if (!ends(left, a) || !ends(right, b)) continue;
    if (left[left.length - 1] !== a) left.reverse();
    if (right[0] !== b) right.reverse();
    left.push(...right);
    for (const id of right) chain.set(id, left);
  }
  return [...new Set(ids.map((id) => chain.get(id)!))].flat();
}

/** About the `n` largest by value, ties of the last included. */
export function strongest(pairs: [number, number][], n: number): [number, number][] {
  if (pairs.length <= n) return pairs;
  const values = Float64Array.from(pairs, (pair) => pair[1]).sort();
  const least = values[values.length - n];
  const above = pairs.filter((pair) => pair[1] > least);
  return above.length > n / 4 ? above : pairs.filter((pair) => pair[1] >= least);
}

function sum<T>(list: T[], of: (item: T) => number): number {
  return list.reduce((total, item) => total + of(item), 0);
}

const collator = new Intl.Collator("en", { numeric: true });
