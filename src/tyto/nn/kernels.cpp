// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

namespace {

constexpr Index kBlock = 8192;
constexpr Index kPerDraw = 8;  // philox gives 128 bits, a unit takes 16

// body(begin, end) over [0, n) in fixed blocks, in parallel; a single block wakes no other thread.
template <class Body>
void over_blocks(Index n, const Body& body) {
  if (n <= kBlock) {
    body(0, n);
    return;
  }
  for_each_index((n + kBlock - 1) / kBlock,
                 [&](Index block) { body(block * kBlock, std::min(n, (block + 1) * kBlock)); });
}

using Draws = std::array<std::array<std::uint32_t, kBlock / kPerDraw>, 4>;

// Word by word in arrays of their own, so that the loop over counters vectorises.
void draw(std::uint64_t key, std::uint64_t first, std::uint64_t lane, Index count, Draws& out) {
  for (Index i = 0; i < count; ++i) {
    const auto x = philox(key, first + static_cast<std::uint64_t>(i), lane);
    const auto at = static_cast<std::size_t>(i);
    out[0][at] = x[0];
    out[1][at] = x[1];
    out[2][at] = x[2];
    out[3][at] = x[3];
  }
}

// The loops take values and unaliased pointers, or the compiler does not vectorise them.
struct Mask {
  std::uint32_t cut;
  float scale;
  int shift;  // to the half of the word in use
};

void slopes(Mask mask, Index n, const std::uint32_t* __restrict bits, const float* __restrict z,
            float* __restrict slope) {
  const float keep_above = mask.scale;
  const float keep_below = mask.scale * kLeakySlope;
  for (Index i = 0; i < n; ++i) {
    const float kept = z[i] > 0.0F ? keep_above : keep_below;
    slope[i] = ((bits[i] >> mask.shift) & 0xFFFFU) < mask.cut ? 0.0F : kept;
  }
}

// Box-Muller on two words of 32 bits; both of its values are used.
void normals(float deviation, Index n, const std::uint32_t* __restrict a,
             const std::uint32_t* __restrict b, float* __restrict first, float* __restrict second) {
  for (Index i = 0; i < n; ++i) {
    const float u = (static_cast<float>(a[i] >> 8) + 0.5F) * 0x1.0p-24F;  // in (0, 1)
    const float v = static_cast<float>(b[i] >> 8) * 0x1.0p-24F;
    const float radius = deviation * std::sqrt(-2.0F * std::log(u));
    const float angle = 2.0F * std::numbers::pi_v<float> * v;
    first[i] = radius * std::cos(angle);
    second[i] = radius * std::sin(angle);
  }
}

struct Adam {
  float rate, root;
};

void adam_loop(Adam adam, Index n, const float* __restrict g, float* __restrict m,
               float* __restrict v, float* __restrict w) {
  for (Index i = 0; i < n; ++i) {
    m[i] = 0.9F * m[i] + 0.1F * g[i];
    v[i] = 0.999F * v[i] + 0.001F * (g[i] * g[i]);
    w[i] -= adam.rate * m[i] / (std::sqrt(v[i]) * adam.root + 1e-8F);
  }
}

void sgd_loop(float rate, float momentum, Index n, const float* __restrict g, float* __restrict v,
              float* __restrict w) {
  for (Index i = 0; i < n; ++i) {
    v[i] = momentum * v[i] + g[i];
    w[i] -= rate * v[i];
  }
}

void adagrad_loop(float rate, Index n, const float* __restrict g, float* __restrict s,
                  float* __restrict w) {
  for (Index i = 0; i < n; ++i) {
    s[i] += g[i] * g[i];
    w[i] -= rate * g[i] / (std::sqrt(s[i]) + 1e-10F);
  }
}

void pull_loop(float factor, Index n, const float* __restrict w, float* __restrict g) {
  for (Index i = 0; i < n; ++i) {
    g[i] += factor * w[i];
  }
}

}  // namespace

void dropout_slope(std::span<const float> z, double rate, std::uint64_t key, std::uint64_t lane,
                   std::span<float> slope) {
  TYTO_ASSERT(z.size() == slope.size() && rate >= 0.0 && rate < 1.0);
  const auto cut = std::min(65535U, static_cast<std::uint32_t>(std::lround(rate * 65536.0)));
  const float scale = 65536.0F / static_cast<float>(65536U - cut);
  over_blocks(static_cast<Index>(z.size()), [&](Index begin, Index end) {
    Draws draws;
    const Index count = (end - begin + kPerDraw - 1) / kPerDraw;
    draw(key, static_cast<std::uint64_t>(begin / kPerDraw), lane, count, draws);
    // Unit i of a block takes its bits from draw i % count, piece i / count: contiguous again. The
    // last block is shorter, so `count` is part of where a bit goes; it depends on the size alone.
    for (Index piece = 0; begin + piece * count < end; ++piece) {
      const Index from = begin + piece * count;
      slopes({cut, scale, piece % 2 == 0 ? 0 : 16}, std::min(count, end - from),
             draws[static_cast<std::size_t>(piece / 2)].data(), z.data() + from,
             slope.data() + from);
    }
  });
}

void draw_noise(double deviation, std::uint64_t key, std::span<float> out) {
  constexpr Index kQuarter = kBlock / 4;  // each draw makes one value in every quarter of a block
  over_blocks(static_cast<Index>(out.size()), [&](Index begin, Index end) {
    Draws draws;
    std::array<float, kBlock> made;
    for (Index part = 0; part < 2; ++part) {  // draws hold an eighth of a block
      constexpr Index kEighth = kBlock / kPerDraw;
      draw(key, static_cast<std::uint64_t>(begin / 4 + part * kEighth), 0, kEighth, draws);
      float* to = made.data() + part * kEighth;
      const auto scale = static_cast<float>(deviation);
      normals(scale, kEighth, draws[0].data(), draws[1].data(), to, to + kQuarter);
      normals(scale, kEighth, draws[2].data(), draws[3].data(), to + 2 * kQuarter,
              to + 3 * kQuarter);
    }
    std::copy_n(made.begin(), end - begin, out.begin() + begin);
  });
}

void adam_update(AdamStep at, std::span<const float> gradient, std::span<float> first,
                 std::span<float> second, std::span<float> weight) {
  const auto t = static_cast<double>(at.step);
  const auto rate = static_cast<float>(at.learning_rate / (1.0 - std::pow(0.9, t)));
  const auto root = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(0.999, t)));
  over_blocks(static_cast<Index>(weight.size()), [&](Index begin, Index end) {
    adam_loop({rate, root}, end - begin, gradient.data() + begin, first.data() + begin,
              second.data() + begin, weight.data() + begin);
  });
}

void sgd_update(double learning_rate, double momentum, std::span<const float> gradient,
                std::span<float> velocity, std::span<float> weight) {
  over_blocks(static_cast<Index>(weight.size()), [&](Index begin, Index end) {
    sgd_loop(static_cast<float>(learning_rate), static_cast<float>(momentum), end - begin,
             gradient.data() + begin, velocity.data() + begin, weight.data() + begin);
  });
}

void adagrad_update(double learning_rate, std::span<const float> gradient, std::span<float> squares,
                    std::span<float> weight) {
  over_blocks(static_cast<Index>(weight.size()), [&](Index begin, Index end) {
    adagrad_loop(static_cast<float>(learning_rate), end - begin, gradient.data() + begin,
                 squares.data() + begin, weight.data() + begin);
  });
}

void add_pull(double factor, std::span<const float> weight, std::span<float> gradient) {
  over_blocks(static_cast<Index>(weight.size()), [&](Index begin, Index end) {
    pull_loop(static_cast<float>(factor), end - begin, weight.data() + begin,
              gradient.data() + begin);
  });
}

}  // namespace tyto
