// SPDX-License-Identifier: Apache-2.0
// Pictures made here: a strip of frames in which a square wanders over stripes.
import { deflateSync } from "node:zlib";
import type * as D from "../src/data";

const side = 24;

function crc(bytes: Buffer): number {
  let value = ~0;
  for (const byte of bytes) {
    value ^= byte;
    for (let k = 0; k < 8; ++k) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}

function chunk(kind: string, content: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(kind, "latin1"), content]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(content.length, 0);
  numbers.writeUInt32BE(crc(checked), 4);
  return Buffer.concat([numbers.subarray(0, 4), checked, numbers.subarray(4)]);
}

export function strip_uri(frames: number, tint: number, inverted = false): string {
  const width = side * frames;
  const lines = Buffer.alloc((1 + 3 * width) * side);
  for (let y = 0; y < side; ++y)
    for (let x = 0; x < width; ++x) {
      const frame = Math.floor(x / side);
      const at = 1 + Math.round(((side - 8) * frame) / Math.max(1, frames - 1));
      const inside = x % side >= at && x % side < at + 7 && y >= at && y < at + 7;
      const stripe = (x + y + 5 * tint) % 6 < 3 ? 60 : 90;
      const color = inside ? [(70 * tint) % 256, 200 - ((40 * tint) % 200), (110 + 90 * tint) % 256] : [stripe, stripe, stripe + 30];
      color.forEach((value, c) => (lines[y * (1 + 3 * width) + 1 + 3 * x + c] = inverted ? 255 - value : value));
    }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", deflateSync(lines)), chunk("IEND", Buffer.alloc(0))]);
  return `data:image/png;base64,${png.toString("base64")}`;
}

/** A still first, then strips of six frames of the first samples on the map, then a strip that is shown changed. */
export const strips = 8;

export function media(still: string, sample: (i: number) => string): D.Media[] {
  return [
    { run: 0, sample: sample(0), frames: 1, drawn: true, uri: still },
    ...Array.from({ length: strips }, (_, i) => ({ run: 0, sample: sample(i + 1), frames: 6, drawn: true, uri: strip_uri(6, i) })),
    { run: 0, sample: "", frames: 4, drawn: true, uri: strip_uri(4, 2, true) },
  ];
}
