// SPDX-License-Identifier: Apache-2.0
// What the section "tasks" works out itself.
import type { Tasks } from "./data";

export type TaskArm = Tasks["arms"][number];
export type Unit = "frames" | "samples" | "bytes";

export interface Stack {
  step: number;
  task: number;
  classes: number;
  from: number;
  to: number;
}

/** Bars one on the other, by step and then by task; what is of no task lies on top. */
export function stacks(memory: Tasks["memory"], unit: Unit): Stack[] {
  const rank = (task: number) => (task === 0 ? Infinity : task);
  const rows = [...memory].sort((a, b) => a.step - b.step || (rank(a.task) < rank(b.task) ? -1 : 1));
  let step = NaN;
  let top = 0;
  return rows.map((row) => {
    if (row.step !== step) {
      step = row.step;
      top = 0;
    }
    return { step, task: row.task, classes: row.classes, from: top, to: (top += row[unit]) };
  });
}

/** Of all arms, so that their bars can be compared. */
export function tallest(memory: Tasks["memory"], unit: Unit): number {
  const arms = new Set(memory.map((m) => m.arm));
  return Math.max(1, ...[...arms].flatMap((arm) => stacks(memory.filter((m) => m.arm === arm), unit).map((s) => s.to)));
}

/** How many tasks of how many classes; often the first is larger. */
export function sizes_text(arm: TaskArm): string {
  const [first, ...others] = arm.classes;
  const tasks = `${arm.tasks.length} tasks`;
  if (new Set(arm.classes).size === 1) return `${tasks}, ${first} classes each`;
  if (new Set(others).size === 1) return `${tasks}, the first of ${first} classes, then ${others[0]} each`;
  return arm.tasks.length > 24 ? `${tasks} of different sizes` : `${tasks}, ${arm.classes.join(", ")} classes`;
}
