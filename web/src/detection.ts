// SPDX-License-Identifier: Apache-2.0
// Numbers of novelty detection that hang on what the reader chooses: costs, frequency, threshold.
import type { Detection } from "./data";

export type DetectionArm = Detection["arms"][number];
export type DetectionPoint = DetectionArm["points"][number];
export type Timeline = Detection["timelines"][number];

export interface Rate {
  threshold: number; // infinite: no alarm is ever raised
  false_alarms: number; // share of the normal test samples
  recall: number;
}

export interface Costs {
  miss: number;
  false_alarm: number;
  frequency: number; // share of samples that will be novel
}

const silence: Rate = { threshold: Infinity, false_alarms: 0, recall: 0 };

/** From silence on, the strictest first. Nothing where one kind of sample is missing. */
export function rates(arm: DetectionArm): Rate[] {
  if (arm.normal === 0 || arm.novel === 0) return [];
  return [silence, ...arm.curve.map(([threshold, alarms, found]) => ({ threshold: threshold ?? Infinity, false_alarms: alarms / arm.normal, recall: found / arm.novel }))];
}

/** Share of alarms that are right; missing where there is none. */
export function precision(rate: { false_alarms: number; recall: number }, frequency: number): number | null {
  const right = frequency * rate.recall;
  const all = right + (1 - frequency) * rate.false_alarms;
  return all > 0 ? right / all : null;
}

/** Mean cost of a sample. */
export function expected_cost(rate: { false_alarms: number; recall: number }, costs: Costs): number {
  return costs.frequency * (1 - rate.recall) * costs.miss + (1 - costs.frequency) * rate.false_alarms * costs.false_alarm;
}

export interface Chosen extends Rate {
  cost: number;
  on: "validate" | "test";
}

/** The threshold of least cost, of equal ones the strictest: chosen on validate where that is possible, and told as it does on test. */
export function least_cost(arm: DetectionArm, costs: Costs): Chosen | null {
  if (arm.normal === 0 || arm.novel === 0) return null;
  const on_validate = arm.choices.length > 0;
  const candidates: { chosen_by: { false_alarms: number; recall: number }; on_test: Rate }[] = on_validate
    ? arm.choices.map(([threshold, share, recall, alarms, found]) => ({
        chosen_by: { false_alarms: share, recall },
        on_test: { threshold: threshold ?? Infinity, false_alarms: alarms / arm.normal, recall: found / arm.novel },
      }))
    : rates(arm).slice(1).map((rate) => ({ chosen_by: rate, on_test: rate }));
  let best = silence;
  let least = expected_cost(silence, costs);
  for (const { chosen_by, on_test } of candidates) {
    const cost = expected_cost(chosen_by, costs);
    if (cost < least * (1 - 1e-12)) {
      least = cost;
      best = on_test;
    }
  }
  return { ...best, cost: expected_cost(best, costs), on: on_validate ? "validate" : "test" };
}

/** Of all that could go wrong, the share that is misses: where one stands on a cost curve. */
export function share_of_misses({ miss, false_alarm, frequency }: Costs): number {
  const misses = frequency * miss;
  const all = misses + (1 - frequency) * false_alarm;
  return all > 0 ? misses / all : 0.5;
}

/** Cost relative to all going wrong, over the share of misses in it (Drummond and Holte 2006). */
export function cost_curve(arm: DetectionArm, steps: number): [share: number, cost: number][] {
  const points: [number, number][] = [];
  for (let i = 0; i <= steps && arm.normal > 0 && arm.novel > 0; ++i) {
    const share = i / steps;
    points.push([share, least_cost(arm, { miss: 1, false_alarm: 1, frequency: share })!.cost]);
  }
  return points;
}

/** What a point is called by wherever it can be chosen. */
export function point_key(point: DetectionPoint): string {
  return `${point.name}/${point.chosen}/${point.of}`;
}

export function point_text(point: DetectionPoint): string {
  return `${point.name}${point.of === "episodes" ? ", of episodes" : ""} (by ${point.chosen})`;
}

/** A tie so large that the threshold cannot do what it was chosen for. */
export function is_great_tie(arm: DetectionArm, point: DetectionPoint): boolean {
  const all = point.of === "episodes" ? arm.episodes.normal + arm.episodes.novel : arm.normal + arm.novel;
  return point.tied > 1 && point.tied >= 0.01 * all;
}

export interface Moment {
  at: number; // frame
  early: boolean; // before the novelty came, or in a normal episode
}

/** The alarms that count: the first too early, and the first from the novelty on. */
export function moments(timeline: Timeline, values: (number | null)[], threshold: number | null): Moment[] {
  const found: Moment[] = [];
  if (threshold === null) return found;
  values.forEach((value, i) => {
    if (value === null || value < threshold) return;
    const at = i * timeline.every;
    const early = timeline.first_novel === null || at + timeline.every <= timeline.first_novel;
    if (!found.some((moment) => moment.early === early)) found.push({ at: early ? at : Math.max(at, timeline.first_novel!), early });
  });
  return found;
}
