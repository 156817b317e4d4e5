#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes networks.json: features and logits of convolutional networks on one picture of 16 or 32 pixels a side, in
plain Python, for tests/nn/golden_test.cpp. Weights and picture are filled by the rule of tests/nn/filled.hpp: a
hash of the tensor's name and the element's number gives a number in [-1, 1), scaled by the kind of tensor and
rounded to float32; sums are in double.

Usage: python3 make_networks.py > networks.json
"""
import json
import math
import struct
import sys

MASK = (1 << 64) - 1


def seed_of(name):  # FNV-1a
    value = 0xcbf29ce484222325
    for c in name.encode():
        value = (value ^ c) * 0x100000001b3 & MASK
    return value


def draw(seed, k):
    z = (seed + (k + 1) * 0x9e3779b97f4a7c15) & MASK
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
    z ^= z >> 31
    return (z >> 40) * 2.0 ** -23 - 1


def float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def tensor(name, shape):
    size = math.prod(shape)
    last = name.rsplit(".", 1)[-1]
    scale, offset = 0.5, 0.0
    if last in ("running_mean", "bias"):
        scale = 0.1
    elif last == "running_var":
        offset = 1.0
    elif last == "weight":
        offset = 1.0 if len(shape) == 1 else 0.0
        scale = 0.25 if len(shape) == 1 else math.sqrt(3 / (size / shape[0]))
    seed = seed_of(name)
    return [float32(offset + scale * draw(seed, k)) for k in range(size)]


def picture(channels, side):
    seed, values = seed_of("input"), []
    for c in range(channels):
        for y in range(side):
            for x in range(side):
                wave = (17 * c + 5 * y + 3 * x) % 64 / 32 - 1
                values.append(float32(0.5 * draw(seed, len(values)) + 0.5 * wave))
    return [[values[(c * side + y) * side:(c * side + y + 1) * side] for y in range(side)] for c in range(channels)]


def conv(planes, name, out, kernel, stride=1, padding=0):
    """Without a bias, as norms follow."""
    inside = len(planes)
    w = tensor(name + ".weight", [out, inside, kernel, kernel])
    side = len(planes[0])
    wide = side + 2 * padding
    padded = [[[0.0] * wide for _ in range(padding)] +
              [[0.0] * padding + row + [0.0] * padding for row in plane] +
              [[0.0] * wide for _ in range(padding)] for plane in planes]
    places = range(0, wide - kernel + 1, stride)
    patches = [[[padded[c][y + i][x + j] for c in range(inside) for i in range(kernel) for j in range(kernel)]
                for x in places] for y in places]
    length = inside * kernel * kernel
    return [[[math.fsum(a * b for a, b in zip(w[o * length:(o + 1) * length], patch)) for patch in row]
             for row in patches] for o in range(out)]


def norm(planes, name):
    n = [len(planes)]
    gain, shift = tensor(name + ".weight", n), tensor(name + ".bias", n)
    mean, variance = tensor(name + ".running_mean", n), tensor(name + ".running_var", n)
    return [[[(v - mean[c]) / math.sqrt(variance[c] + 1e-5) * gain[c] + shift[c] for v in row] for row in plane]
            for c, plane in enumerate(planes)]


def relu(planes):
    return [[[max(0.0, v) for v in row] for row in plane] for plane in planes]


def max_pool(planes, kernel=2, stride=2, padding=0):
    """What lies beyond the edge never counts."""
    side = len(planes[0])
    places = range(-padding, side + padding - kernel + 1, stride)
    return [[[max(plane[i][j] for i in range(max(y, 0), min(y + kernel, side))
                  for j in range(max(x, 0), min(x + kernel, side))) for x in places] for y in places]
            for plane in planes]


def head(planes, classes, side=16):
    feature = [math.fsum(v for row in plane for v in row) / len(plane) ** 2 for plane in planes]
    w, b = tensor("fc.weight", [classes, len(feature)]), tensor("fc.bias", [classes])
    logits = [math.fsum(a * c for a, c in zip(w[k * len(feature):(k + 1) * len(feature)], feature)) + b[k]
              for k in range(classes)]
    return {"input": [1, 3, side, side], "feature": {"all": feature}, "logits": {"all": logits}}


def cnn_small():
    x = picture(3, 16)
    for layer in range(3):
        x = max_pool(relu(norm(conv(x, f"conv{layer + 1}", 16 << layer, 3, 1, 1), f"bn{layer + 1}")))
    return head(x, 10)


def block(x, prefix, out, stride):
    main = relu(norm(conv(x, prefix + "conv1", out, 3, stride, 1), prefix + "bn1"))
    main = norm(conv(main, prefix + "conv2", out, 3, 1, 1), prefix + "bn2")
    if stride != 1:
        x = norm(conv(x, prefix + "downsample.0", out, 1, stride), prefix + "downsample.1")
    return relu([[[a + b for a, b in zip(*rows)] for rows in zip(*pair)] for pair in zip(main, x)])


def resnet_small_8():
    x = relu(norm(conv(picture(3, 16), "conv1", 16, 3, 1, 1), "bn1"))
    for layer in range(3):
        x = block(x, f"layer{layer + 1}.0.", 16 << layer, 2 if layer else 1)
    return head(x, 10)


def resnet18():
    x = relu(norm(conv(picture(3, 32), "conv1", 64, 7, 2, 3), "bn1"))
    x = max_pool(x, 3, 2, 1)
    for layer in range(4):
        for b in range(2):
            x = block(x, f"layer{layer + 1}.{b}.", 64 << layer, 2 if layer and b == 0 else 1)
    return head(x, 1000, 32)


def main():
    json.dump({"nets": {"cnn_small": cnn_small(), "resnet_small_8": resnet_small_8(),
                        "resnet18": resnet18()}}, sys.stdout,
              separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
