// SPDX-License-Identifier: Apache-2.0
// What the section "reliability" works out from its numbers.
import type { Reliability } from "./data";

export type ReliabilityTable = Reliability["tables"][number];
export type Temperatures = Reliability["temperatures"][number];
export type PerClass = Reliability["per_class"][number];
export type ClassRow = PerClass["rows"][number];

export interface Bin {
  from: number;
  to: number;
  samples: number;
  confidence: number | null;
  accuracy: number | null;
}

/** Bins with their places; those without samples have neither confidence nor accuracy. */
export function placed(bins: ReliabilityTable["bins"]): Bin[] {
  return bins.map(([samples, confidence, accuracy], i) => ({
    from: i / bins.length,
    to: (i + 1) / bins.length,
    samples,
    confidence: samples > 0 ? confidence : null,
    accuracy: samples > 0 ? accuracy : null,
  }));
}

/** Expected calibration error of the bins as drawn: |confidence - accuracy|, weighed by samples. */
export function calibration_error(bins: ReliabilityTable["bins"]): number | null {
  let [samples, sum] = [0, 0];
  for (const [n, confidence, accuracy] of bins) {
    if (n === 0 || confidence === null || accuracy === null) continue;
    samples += n;
    sum += n * Math.abs(confidence - accuracy);
  }
  return samples > 0 ? sum / samples : null;
}

/**
 * Where an axis of risk ends. Among the surest few the share of errors hangs on single samples, and
 * one wrong among them would flatten all that follows.
 */
export function risk_top(curves: ReliabilityTable["risk"][]): number {
  const settled = curves.flatMap((points) => points.filter(([coverage], i) => coverage >= 0.1 || i === points.length - 1));
  const most = Math.max(0, ...settled.map(([, risk]) => risk));
  return Math.min(1, Math.max(0.01, most * 1.1));
}

/** A class and what each of the arms beside each other has of it. */
export interface PairedClass {
  name: number;
  in_data: number;
  of: (ClassRow | null)[]; // by arm; null where it tested none
}

/** Classes of all the arms, the most frequent first; among equals the first arm's order. */
export function paired_classes(arms: PerClass[]): PairedClass[] {
  const classes = new Map<number, PairedClass>();
  arms.forEach(({ rows }, i) => {
    for (const row of rows) {
      const [name, in_data] = row;
      const one = classes.get(name) ?? { name, in_data, of: arms.map(() => null) };
      one.of[i] = row;
      classes.set(name, one);
    }
  });
  return [...classes.values()].sort((a, b) => b.in_data - a.in_data);
}

/** Of `arms`, the one with the least calibration error over all classes; the first where none is known. */
export function most_reliable(arms: number[], tables: ReliabilityTable[], ece: number): number | undefined {
  const error = (arm: number) => tables.find((t) => t.arm === arm && t.classes === "all")?.values[ece]?.[0] ?? Infinity;
  return arms.reduce<number | undefined>((best, arm) => (best === undefined || error(arm) < error(best) ? arm : best), undefined);
}

export interface TemperaturePoint {
  right: boolean;
  name: number;
  temperature: number;
  x: number;
}

/** The points that have a place on the axis of that name. */
export function along(data: Temperatures, axis: string): TemperaturePoint[] {
  const at = data.axes.findIndex((a) => a.name === axis);
  return data.points
    .map(([right, name, temperature, ...x]) => ({ right: right === 1, name, temperature, x: x[at] }))
    .filter((p) => Number.isFinite(p.x));
}

export interface ClassTemperature {
  name: number;
  samples: number;
  mean: number;
  error: number | null; // standard error of the mean
  deviation: number; // from the mean of all points
}

/** Mean temperature by true class, most deviating first, of classes with at least `least` points. */
export function class_temperatures(points: Temperatures["points"], least: number): ClassTemperature[] {
  const of_class = new Map<number, number[]>();
  for (const [, name, temperature] of points) {
    const list = of_class.get(name);
    if (list) list.push(temperature);
    else of_class.set(name, [temperature]);
  }
  const all = mean(points.map(([, , temperature]) => temperature));
  return [...of_class]
    .filter(([, list]) => list.length >= least)
    .map(([name, list]) => {
      const own = mean(list);
      const squares = list.reduce((sum, t) => sum + (t - own) ** 2, 0);
      const error = list.length > 1 ? Math.sqrt(squares / (list.length - 1) / list.length) : null;
      return { name, samples: list.length, mean: own, error, deviation: own - all };
    })
    .sort((a, b) => Math.abs(b.deviation) - Math.abs(a.deviation) || a.name - b.name);
}

export function extent(values: number[]): [low: number, high: number] {
  return values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
}

export function mean(values: number[]): number {
  return values.reduce((sum, v) => sum + v, 0) / Math.max(1, values.length);
}
