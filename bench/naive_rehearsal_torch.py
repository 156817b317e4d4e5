#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Naive rehearsal over stored frame features as plain PyTorch code: the loop to be compared with.

Tasks of classes come one after another; each is trained with cross-entropy on its videos and those
in memory, over all classes seen. A video is 8 frames, one of each part of equal length, and its
logits are the mean of theirs. After a task every class keeps the same number of random videos.
Data are drawn: normal class means, normal frames about them. Times are of training alone.

    naive_rehearsal_torch.py --classes 200 --videos 100 --frames 16 --width 512 --epochs 2

Prints one line of JSON. Where torch is not installed it says so and exits with 0.
"""

import argparse
import json
import os
import sys
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", type=int, default=200)
    parser.add_argument("--tasks", type=int, default=10)
    parser.add_argument("--videos", type=int, default=100, help="of each class")
    parser.add_argument("--frames", type=int, default=16, help="stored of each video")
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--hidden", type=int, default=0, help="units of a hidden layer; 0: a linear head")
    parser.add_argument("--segments", type=int, default=8)
    parser.add_argument("--memory", type=int, default=4000, help="videos in all")
    parser.add_argument("--epochs", type=int, default=2, help="of each task")
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for name in ("classes", "tasks", "videos", "frames", "width", "segments", "epochs", "batch", "threads"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1, not {getattr(options, name)}")
    if options.hidden < 0 or options.memory < 0:
        parser.error("--hidden and --memory must not be negative")
    if options.tasks > options.classes:
        parser.error(f"{options.classes} classes cannot be cut into {options.tasks} tasks")
    if options.frames < options.segments:
        parser.error(f"--frames {options.frames} must be at least --segments {options.segments}")
    return options


def main():
    options = arguments()
    # Threads that wait must not spin: on a machine that has other work it costs ten times the time.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    try:
        import torch
    except ImportError:
        print(f"skipped: {sys.executable} has no PyTorch; Debian's package python3-torch gives it to /usr/bin/python3",
              file=sys.stderr)
        return 0
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)

    means = torch.randn(options.classes, 1, 1, options.width)
    features = means + torch.randn(options.classes, options.videos, options.frames, options.width)
    features = features.reshape(options.classes * options.videos, options.frames, options.width)
    labels = torch.arange(options.classes).repeat_interleave(options.videos)
    tests = means[:, 0] + torch.randn(options.classes, 4, options.width)  # mean features of 4 videos

    def network(outputs, old):
        """Grown by new rows where there is an old one; the hidden layer stays."""
        inputs = options.hidden or options.width
        head = torch.nn.Linear(inputs, outputs)
        torch.nn.init.normal_(head.weight, std=0.001)
        torch.nn.init.zeros_(head.bias)
        if old is not None:
            with torch.no_grad():
                head.weight[: old[-1].out_features] = old[-1].weight
                head.bias[: old[-1].out_features] = old[-1].bias
            return torch.nn.Sequential(*old[:-1], head)
        if options.hidden:
            return torch.nn.Sequential(
                torch.nn.Linear(options.width, options.hidden), torch.nn.ReLU(), torch.nn.Dropout(0.5), head)
        return torch.nn.Sequential(torch.nn.Dropout(0.5), head)

    step = options.frames // options.segments
    starts = torch.arange(options.segments) * step

    def trained_epoch(net, optimiser, rows):
        order = rows[torch.randperm(len(rows))]
        for begin in range(0, len(order) - options.batch + 1, options.batch):
            which = order[begin : begin + options.batch]
            frames = starts + torch.randint(step, (len(which), options.segments))
            clips = features[which[:, None], frames]
            loss = torch.nn.functional.cross_entropy(net(clips).mean(1), labels[which])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 20)
            optimiser.step()
        return len(order) // options.batch * options.batch

    net = None
    memory = torch.empty(0, dtype=torch.long)
    seconds = 0.0
    samples = 0
    bounds = [options.classes * i // options.tasks for i in range(options.tasks + 1)]
    for first, last in zip(bounds, bounds[1:]):
        net = network(last, net)
        net.train()
        optimiser = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9, weight_decay=1e-4)
        fresh = torch.arange(first * options.videos, last * options.videos)
        rows = torch.cat([fresh, memory])
        begin = time.perf_counter()
        for _ in range(options.epochs):
            samples += trained_epoch(net, optimiser, rows)
        seconds += time.perf_counter() - begin
        quota = options.memory // last
        memory = torch.cat([c * options.videos + torch.randperm(options.videos)[:quota] for c in range(last)])
    net.eval()
    with torch.no_grad():
        best = net(tests).argmax(-1)
    right = (best == torch.arange(options.classes)[:, None]).double().mean().item()
    print(json.dumps({
        "what": "naive rehearsal, plain PyTorch", "torch": torch.__version__, **vars(options),
        "seconds": round(seconds, 3), "seconds_per_epoch": round(seconds / (options.epochs * options.tasks), 4),
        "samples": samples, "samples_per_s": round(samples / seconds, 1) if seconds > 0 else None,
        "final_accuracy": round(right, 4)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
