// SPDX-License-Identifier: Apache-2.0
// A section of samples under nuisance; the last arm was shown other samples than without.
import type * as D from "../src/data";
import { strips } from "./pictures_fixture";

const measures: D.MeasureText[] = [
  { name: "accuracy", title: "Accuracy", meaning: "Share of samples that got their name.", better: "higher" },
  { name: "mcc", title: "MCC", meaning: "Correlation of actual and predicted names; 0 is chance.", better: "higher" },
];

/** `odd` is one of the nuisances. */
export function nuisance_section(arms: number[], odd: string): D.Nuisance {
  const names = ["blur", "colour_jitter", "flip", "inversion", odd, "rotation"];
  const losses = [0.06, 0.012, 0.001, 0.31, 0.12, 0.2];
  return {
    measures,
    arms: arms.map((arm, a) => {
      const paired = a === 0 || a < arms.length - 1;
      const plain = 0.9 - 0.05 * a;
      return {
        arm, samples: 800,
        values: [[plain, plain - 0.02, plain + 0.02], [plain - 0.02, plain - 0.04, plain]],
        rows: names.map((name, n) => {
          const loss = losses[n] * (1 + 0.3 * a);
          return {
            name, samples: 800, pairs: paired ? 800 : 0,
            values: [0, 0.02].map((less): D.Ranged => [plain - loss - less, plain - loss - less - 0.03, plain - loss - less + 0.03]),
            loss: [0, 1].map((): D.Ranged => (paired ? [loss, loss - 0.015, loss + 0.015] : [loss, null, null])),
          };
        }),
      };
    }),
    shelves: arms.slice(0, 2).flatMap((arm) =>
      [names[0], odd].flatMap((name) =>
        [false, true].map((right) => ({
          arm, name, right, samples: 40,
          items: Array.from({ length: 6 }, (_, i) => ({
            sample: `clip ${i}`, step: 1 + (i % 3), truth: 1 + i, said: right ? 1 + i : 2 + i, confidence: 0.97 - 0.05 * i,
            media: i === 5 ? null : i === 4 ? 1 : strips + 1, changed: i < 4,
          })),
        })),
      ),
    ),
    interval: "95 % bootstrap intervals over the test samples",
  };
}
