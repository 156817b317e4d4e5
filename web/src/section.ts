// SPDX-License-Identifier: Apache-2.0
// The registry of sections: a protocol's section is one file that calls register().
import type { Page } from "./data";
import type { Child } from "./dom";
import type { Keep } from "./keep";

/** What a section is drawn with. */
export interface Context {
  page: Page;
  arms: number[]; // chosen by the reader, in the page's order
  key: string; // of this section, for what is kept
  keep: Keep;
  width: number; // of the section's body, in pixels
  printing: boolean; // nothing may wait to be scrolled to
  again(): void; // draws this section anew
}

export type Render<T> = (data: T, context: Context) => Child;

const renderers = new Map<string, Render<never>>();

export function register<T>(kind: string, render: Render<T>): void {
  if (renderers.has(kind)) throw new Error(`section ${kind} is registered twice`);
  renderers.set(kind, render);
}

export function renderer(kind: string): Render<unknown> | undefined {
  return renderers.get(kind) as Render<unknown> | undefined;
}
