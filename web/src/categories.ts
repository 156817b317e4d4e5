// SPDX-License-Identifier: Apache-2.0
// What became of each true class among groups that were matched one to one with classes.
import type { Categories } from "./data";

export type SortedSplit = Categories["splits"][number];
export type FoundGroup = SortedSplit["groups"][number];

export interface SortedClass {
  name: number;
  known: boolean;
  samples: number;
  right: number;
  group: number | null; // matched with it
  swallowed: number; // samples in groups most of which are of a larger class
  by: number | null; // the class that took most of these
}

/** Known classes first, then new ones, each by size; ties by name. */
export function sorted_classes(split: SortedSplit): SortedClass[] {
  const sizes = new Map<number, number>();
  each_cell(split, (actual, _, n) => sizes.set(actual, (sizes.get(actual) ?? 0) + n));
  const group_of = new Map(split.groups.flatMap((g) => (g.matched === null ? [] : [[g.matched, g.name] as const])));
  const majority = new Map(split.groups.map((g) => [g.name, g.mix[0]?.[0] ?? null]));
  const known = new Set(split.known);
  const classes = new Map([...sizes].map(([name, samples]) => [name, { name, known: known.has(name), samples, right: 0, group: group_of.get(name) ?? null, swallowed: 0, by: null as number | null, takers: new Map<number, number>() }]));
  each_cell(split, (actual, group, n) => {
    const own = classes.get(actual)!;
    if (own.group === group) own.right += n;
    const taker = majority.get(group) ?? null;
    if (taker !== null && taker !== actual && sizes.get(taker)! > own.samples) {
      own.swallowed += n;
      own.takers.set(taker, (own.takers.get(taker) ?? 0) + n);
    }
  });
  return [...classes.values()]
    .map(({ takers, ...own }) => ({ ...own, by: [...takers].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0] ?? null }))
    .sort((a, b) => Number(b.known) - Number(a.known) || b.samples - a.samples || a.name - b.name);
}

/** Groups in the order of the classes they stand for, those without one behind, the largest first. */
export function aligned_groups(split: SortedSplit, classes: SortedClass[]): FoundGroup[] {
  const place = new Map(classes.map((c, i) => [c.name, i]));
  const order = (g: FoundGroup) => (g.matched === null ? Infinity : (place.get(g.matched) ?? Infinity));
  return split.groups.map((g, i) => ({ g, i })).sort((a, b) => (order(a.g) === order(b.g) ? a.i - b.i : order(a.g) - order(b.g))).map(({ g }) => g);
}

export function each_cell(split: SortedSplit, visit: (actual: number, group: number, count: number) => void): void {
  for (let i = 0; i + 2 < split.cells.length; i += 3) visit(split.cells[i], split.cells[i + 1], split.cells[i + 2]);
}

/** Right of all, of known and of new classes, as shares; missing where there are none. */
export function shares(classes: SortedClass[]): { all: number | null; old: number | null; fresh: number | null } {
  const share = (list: SortedClass[]) => {
    const samples = list.reduce((sum, c) => sum + c.samples, 0);
    return samples === 0 ? null : list.reduce((sum, c) => sum + c.right, 0) / samples;
  };
  return { all: share(classes), old: share(classes.filter((c) => c.known)), fresh: share(classes.filter((c) => !c.known)) };
}
