// SPDX-License-Identifier: Apache-2.0
// The phases of a protocol, by whatever names it has for them.
const words: Record<string, string> = { pre: "before feedback", post: "after" };

export function phase_text(phase: string): string {
  return words[phase] ?? phase;
}

/** Before feedback comes first; the others stay as they come. */
export function in_order(phases: string[]): string[] {
  return [...phases.filter((p) => p === "pre"), ...phases.filter((p) => p !== "pre")];
}
