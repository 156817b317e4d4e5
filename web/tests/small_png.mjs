// SPDX-License-Identifier: Apache-2.0
// A picture of a page in 256 of its colours, all others as the nearest of them: a third of the bytes.
import { deflateSync, inflateSync } from "node:zlib";

/** Of a PNG with 8 bits a channel, as Chromium takes them. */
export function small(png) {
  const { width, height, channels, pixels } = read(png);
  const counts = new Map();
  for (let i = 0; i < pixels.length; i += channels) {
    const colour = (pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  // One after the other, whatever most pixels are furthest from: a marker's few pixels keep their colour.
  const distance = (a, b) => [16, 8, 0].reduce((sum, shift) => sum + (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2, 0);
  const left = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour, count]) => ({ colour, count, away: Infinity, place: 0 }));
  const palette = [];
  for (let next = left[0]; palette.length < 256 && next.away > 0; next = left.reduce((best, one) => (one.count * one.away > best.count * best.away ? one : best))) {
    for (const one of left) {
      const away = distance(one.colour, next.colour);
      if (away < one.away) Object.assign(one, { away, place: palette.length });
    }
    palette.push(next.colour);
  }
  const place = new Map(left.map((one) => [one.colour, one.place]));
  const rows = Buffer.alloc(height * (width + 1)); // each begins with its filter, none
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * channels;
      rows[y * (width + 1) + 1 + x] = place.get((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
    }
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([png.subarray(0, 8), chunk("IHDR", head), chunk("PLTE", colours), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

function read(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = { 2: 3, 6: 4 }[png[25]];
  if (png[24] !== 8 || !channels) throw new Error("a PNG of another kind");
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const data = inflateSync(Buffer.concat(parts));
  const line = width * channels;
  const pixels = Buffer.alloc(height * line);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (line + 1)];
    for (let x = 0; x < line; x++) {
      const left = x < channels ? 0 : pixels[y * line + x - channels];
      const up = y === 0 ? 0 : pixels[(y - 1) * line + x];
      const corner = x < channels || y === 0 ? 0 : pixels[(y - 1) * line + x - channels];
      const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      pixels[y * line + x] = data[y * (line + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth][filter];
    }
  }
  return { width, height, channels, pixels };
}

function crc32(bytes) { // of node:zlib in newer nodes than Debian's
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function chunk(name, data) {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(name, 4, "latin1");
  data.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}
