// SPDX-License-Identifier: Apache-2.0
// The stream of a test, sample by sample, from the bytes the page holds; and what order its parts
// stand in.
import type { CodedNames, Discovery, Ranged, Tests } from "./data";
import { from_base64 } from "./load";

export type Test = Tests["tests"][number];
export type Stream = Tests["streams"][number];
export type DiscoveryTest = Discovery["settings"][number]["tests"][number];
export type NovelClass = DiscoveryTest["classes"][number];

/** What was said of a sample. Whether unknown and cluster are right depends on the sample. */
export const answers = ["right", "wrong", "unknown", "cluster"] as const;
export type Answer = (typeof answers)[number];

export interface Sample {
  at: number; // in the test, from 0
  novel: boolean;
  truth: number; // a name
  said: number;
  answer: Answer;
  changed: number | null;
  novelty: number | null;
}

const whole = 254; // the byte of the upper end

/** The name of each drawn sample. */
export function decoded({ names, places }: CodedNames, samples: number): number[] {
  const bytes = from_base64(places);
  const wide = bytes.length > samples;
  return Array.from({ length: samples }, (_, i) => names[bytes[i] + (wide ? 256 * bytes[samples + i] : 0)]);
}

export function samples_of(test: Test, stream: Stream, names: string[]): Sample[] {
  const drawn = test.novel.length;
  const truth = decoded(test.truth, drawn);
  const said = decoded(stream.said, drawn);
  const changed = from_base64(stream.changed);
  const novelty = from_base64(stream.novelty);
  const { low, high } = stream;
  return Array.from({ length: drawn }, (_, i) => ({
    at: i * test.every,
    novel: test.novel[i] === "1",
    truth: truth[i],
    said: said[i],
    answer: answer_of(said[i], truth[i], names),
    changed: i < changed.length && changed[i] <= whole ? changed[i] / whole : null,
    novelty: i < novelty.length && novelty[i] <= whole ? low + ((high - low) * novelty[i]) / whole : null,
  }));
}

function answer_of(said: number, truth: number, names: string[]): Answer {
  if (said === truth) return "right";
  if (said === 0) return "unknown";
  return is_cluster(names[said] ?? "") ? "cluster" : "wrong";
}

export function is_cluster(name: string): boolean {
  return name.startsWith("discovered_");
}

/** The round a sample belongs to, from 1. */
export function round_at(test: Test, sample: number): number {
  let round = 0;
  while (round < test.rounds.length && test.rounds[round] <= sample) ++round;
  return round;
}

/** Samples of a class and what they were called by. */
export function calls_of(one: NovelClass): { at: number; call: string }[] {
  let at = 0;
  return one.steps.map((step, i) => ({ at: (at += step), call: one.calls[i] }));
}

/** Rows and columns of the matrix of a test, so that what is right stands on the diagonal. */
export interface Layout {
  rows: { novel: boolean; name: number }[];
  columns: number[];
}

export function layout(test: DiscoveryTest, names: string[]): Layout {
  const by_name = (a: number, b: number) => collator.compare(names[a] ?? "", names[b] ?? "");
  const known = new Set<number>();
  const called = new Set<number>();
  for (let i = 0; i < test.cells.length; i += 4) {
    if (test.cells[i] === 0) known.add(test.cells[i + 1]);
    called.add(test.cells[i + 2]);
  }
  const first = [...known].sort(by_name);
  const columns: number[] = [];
  const take = (name: number | null) => {
    if (name !== null && called.delete(name)) columns.push(name);
  };
  for (const name of first) {
    // A class that is never called keeps its column, so that the diagonal stays one.
    called.delete(name);
    columns.push(name);
  }
  for (const one of test.classes) {
    take(one.cluster);
    take(one.name);
  }
  const rest = [...called].filter((name) => name !== 0).sort(by_name);
  columns.push(...rest.filter((name) => is_cluster(names[name] ?? "")), ...rest.filter((name) => !is_cluster(names[name] ?? "")));
  if (called.has(0)) columns.push(0);
  return {
    rows: [...first.map((name) => ({ novel: false, name })), ...test.classes.map(({ name }) => ({ novel: true, name }))],
    columns,
  };
}

/** Does an interval tell on which side of zero the value is? */
export function is_certain([value, low, high]: Ranged): boolean {
  return value !== null && low !== null && high !== null && (low > 0 || high < 0);
}

/** "+2.3 points", of a difference of shares. */
export function points(value: number | null): string {
  if (value === null) return "–";
  const text = (100 * value).toFixed(1);
  return Number(text) === 0 ? "0.0" : (value > 0 ? "+" : "−") + text.replace("-", "");
}

const collator = new Intl.Collator("en", { numeric: true });
