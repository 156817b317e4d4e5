#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Values of other libraries for tests/video: pictures resized by Pillow 9.4 (64-bit FNV-1a over the bytes,
row by row, R G B), planes resized by torch 1.13 (first, middle and last value, sum), frames that SlowFast's
rule gives with torch's linspace. Prints the rows of the tables in resize_test.cpp and sampling_test.cpp."""
import torch
from PIL import Image

SIZES = [(320, 240, 341, 256), (340, 256, 224, 224), (176, 144, 312, 256), (37, 53, 11, 7), (11, 7, 37, 53),
         (256, 144, 256, 100), (1, 1, 5, 3), (640, 5, 64, 5), (31, 500, 224, 20)]


def picture(width, height):
    rows = bytearray()
    for y in range(height):
        for x in range(width):
            for c in range(3):
                rows.append((x * 7 + y * 13 + c * 31 + x * y % 17 * 11 + (x // 5 + y // 3) % 2 * 90) % 256)
    return Image.frombytes("RGB", (width, height), bytes(rows))


def checksum(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


for width, height, out_width, out_height in SIZES:
    source = picture(width, height)
    sums = [checksum(source.resize((out_width, out_height), how).tobytes()) for how in (Image.BILINEAR, Image.BICUBIC)]
    print(f"    {{{width}, {height}, {out_width}, {out_height}, 0x{sums[0]:016x}U, 0x{sums[1]:016x}U}},")


print("torch")
for width, height, out_width, out_height in [(34, 25, 22, 22), (17, 14, 31, 25), (8, 5, 8, 9), (50, 3, 7, 3)]:
    plane = torch.tensor([[(x * 7 + y * 13 + x * y % 17 * 11) % 256 / 64 - 2 for x in range(width)]
                          for y in range(height)])
    out = torch.nn.functional.interpolate(plane[None, None], size=(out_height, out_width), mode="bilinear",
                                          align_corners=False).flatten()
    print(f"    {{{width}, {height}, {out_width}, {out_height}, {out[0]:.9g}F, {out[len(out) // 2]:.9g}F, "
          f"{out[-1]:.9g}F, {out.double().sum():.9g}}},")

print("SlowFast")
for frames, stride, clips, n, fps in [(8, 32, 1, 300, 30.0), (16, 5, 10, 300, 29.97), (16, 5, 10, 250, 25.0),
                                      (13, 6, 3, 99, 9.83), (4, 12, 2, 20, 30.0), (8, 32, 3, 1000, 23.976)]:
    span = stride * frames / 30 * fps
    for clip in {0, clips // 2, clips - 1}:
        start = max(n - span, 0) * clip / clips
        places = torch.clamp(torch.linspace(start, start + span - 1, frames), 0, n - 1).long()
        print(f"    {{{frames}, {stride}, {clips}, {n}, {fps}, {clip}, {{{', '.join(map(str, places.tolist()))}}}}},")
