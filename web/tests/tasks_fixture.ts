// SPDX-License-Identifier: Apache-2.0
// A section of class-incremental learning made from a seed.
import type * as D from "../src/data";
import { Random } from "./fixture";
import { strips } from "./pictures_fixture";

const measures: D.MeasureText[] = [
  { name: "task_accuracy", title: "Accuracy", meaning: "Mean over the tasks seen so far.", better: "higher" },
  { name: "old_accuracy", title: "old tasks", meaning: "Mean over the tasks before the newest.", better: "higher" },
  { name: "backward_forgetting", title: "Forgetting", meaning: "Lost since a task was learned.", better: "lower" },
];

/** The more an arm forgets, the less it keeps; the first keeps nothing, and the last has no memory on record. */
export function tasks_section(seed: number, arms: number[], tasks: number): D.Tasks {
  const random = new Random(seed + 5);
  const numbers = Array.from({ length: tasks }, (_, t) => t + 1);
  const all = arms.map((arm, a) => {
    const accuracy = numbers.map((_, i) =>
      numbers.map((_, j) => (j > i + 1 ? null : j === i + 1 ? 0 : Math.max(0, 0.95 - (0.12 / (a + 1)) * (i - j) - 0.03 * random.next()))),
    );
    const values = accuracy.map((row, i): D.Ranged[] => {
      const mean = row.slice(0, i + 1).reduce((sum: number, v) => sum + v!, 0) / (i + 1);
      const old = i === 0 ? null : row.slice(0, i).reduce((sum: number, v) => sum + v!, 0) / i;
      const lost = i === 0 ? null : row.slice(0, i).reduce((sum: number, v, j) => sum + accuracy[j][j]! - v!, 0) / i;
      return [[mean, mean - 0.02, mean + 0.02], [old, null, null], [lost, null, null]];
    });
    const kept = a === arms.length - 1 && a > 0 ? null : a * 320;
    return {
      arm, tasks: numbers, classes: numbers.map((t) => (t === 1 ? 11 : 10)), samples: numbers.map(() => 270),
      accuracy, values, frames: kept, bytes: kept === null ? null : kept * 2048, shown: kept === null ? null : 12800,
    };
  });
  return {
    measures,
    arms: all,
    memory: all.flatMap((own) =>
      !own.frames ? [] : numbers.flatMap((step) =>
        numbers.slice(0, step).map((task) => ({
          arm: own.arm, step: step - 1, task, classes: own.classes[task - 1],
          samples: Math.floor(own.frames! / 8 / step), frames: Math.floor(own.frames! / step), bytes: Math.floor((own.frames! * 2048) / step),
        })),
      ),
    ),
    exemplars: all.filter((own) => own.frames).map((own) => ({
      arm: own.arm,
      classes: numbers.slice(0, 9).map((task) => ({
        name: task, task: task === 9 ? 0 : task, samples: 10 - task,
        items: Array.from({ length: 1 + (task % 3) }, (_, i) => ({ sample: `clip ${task}-${i}`, frames: 6, media: 1 + ((task + i) % strips) })),
      })),
    })),
    interval: "mean, least and greatest of the seeds",
  };
}
