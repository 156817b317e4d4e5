// SPDX-License-Identifier: Apache-2.0
// Sections of category discovery; the second arm puts everything into one group.
import type * as D from "../src/data";

type Split = D.Categories["splits"][number];

/** `known` and `fresh` are true classes; groups are the known ones and `clusters`. */
function sorted(arm: number, split: string, known: number[], fresh: number[], clusters: number[]): Split {
  const classes = [...known, ...fresh];
  const groups = [...known, ...clusters];
  const count = (c: number, g: number) => (g === c ? 20 - c : (c + g) % 5 === 0 ? 3 : 0);
  const table = groups.map((_, g) => classes.map((_, c) => count(c, g)));
  return {
    arm, split, samples: table.flat().reduce((a, b) => a + b, 0), right: table.reduce((sum, row, g) => sum + (row[g] ?? 0), 0), known, found: groups.length,
    groups: groups.map((name, g) => {
      const mix = classes.map((c, i): [number, number] => [c, table[g][i]]).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
      return {
        name, size: mix.reduce((sum, [, n]) => sum + n, 0), mix: mix.slice(0, 6), classes: mix.length, matched: g < classes.length ? classes[g] : null, right: g < classes.length ? table[g][g] : 0,
        items: g < 3 ? Array.from({ length: 3 }, (_, i) => ({ sample: `member ${i}`, truth: classes[g], media: i })) : [],
      };
    }).filter((g) => g.size > 0),
    cells: groups.flatMap((name, g) => classes.flatMap((c, i) => (table[g][i] > 0 ? [c, name, table[g][i]] : []))),
  };
}

function one_group(arm: number, classes: number[], cluster: number): Split {
  return {
    arm, split: "test", samples: 30, right: 20, known: [], found: 1,
    groups: [{ name: cluster, size: 30, mix: [[classes[0], 20], [classes[1], 10]], classes: 2, matched: classes[0], right: 20, items: [] }],
    cells: [classes[0], cluster, 20, classes[1], cluster, 10],
  };
}

export function categories_section(arms: number[], known: number[], fresh: number[], clusters: number[]): D.Categories {
  return {
    splits: arms.flatMap((arm, a) => (a === 1 ? [one_group(arm, fresh, clusters[0])] : [sorted(arm, "test", known, fresh, clusters), sorted(arm, "unseen", known, fresh, clusters.slice(0, 3))])),
    note: "",
  };
}
