// SPDX-License-Identifier: Apache-2.0
// The element-wise steps of training that are memory-bound: one parallel pass each, the same bytes
// with any number of threads.
#pragma once

#include <cstdint>
#include <span>

#include "tyto/core/matrix.hpp"

namespace tyto {

constexpr float kLeakySlope = 0.01F;

// slope[i] = m * (z[i] > 0 ? 1 : kLeakySlope), where m is 0 with chance `rate` and else
// 1 / (1 - rate): slope * z is dropout followed by leaky ReLU, and slope its derivative. The mask
// depends on (key, lane, size, i) alone. The rate is met to 1 / 65536.
void dropout_slope(std::span<const float> z, double rate, std::uint64_t key, std::uint64_t lane,
                   std::span<float> slope);

// Normal with mean 0, by (key, i) alone.
void draw_noise(double deviation, std::uint64_t key, std::span<float> out);

struct AdamStep {
  double learning_rate;
  std::int64_t step;  // from 1
};

// One step of Adam (Kingma and Ba 2015; 0.9, 0.999, 1e-8) with bias correction as in torch.
void adam_update(AdamStep at, std::span<const float> gradient, std::span<float> first,
                 std::span<float> second, std::span<float> weight);

// velocity = momentum velocity + gradient, weight -= learning_rate velocity; as in torch, so the
// first velocity is the gradient.
void sgd_update(double learning_rate, double momentum, std::span<const float> gradient,
                std::span<float> velocity, std::span<float> weight);

// squares += gradient^2, weight -= learning_rate gradient / (sqrt(squares) + 1e-10).
void adagrad_update(double learning_rate, std::span<const float> gradient, std::span<float> squares,
                    std::span<float> weight);

// gradient += factor weight: weight decay.
void add_pull(double factor, std::span<const float> weight, std::span<float> gradient);

}  // namespace tyto
