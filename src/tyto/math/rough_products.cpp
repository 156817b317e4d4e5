// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/rough_products.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define TYTO_ROUGH_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#endif

namespace tyto {

namespace {

constexpr Index kRoughLanes = 16;      // references in a vector
constexpr Index kRoughStep = 4;        // columns multiplied at a time
constexpr Index kWidestRough = 32768;  // 255 * 127 times so many columns fit 31 bits
constexpr float kRoundedUp = 1.0F + 1e-5F;

struct RoughRow {
  float scale = 0, length = 0, left = 0;  // `length` of the rounded row
};

// Writes the rounded row and what it lacks.
RoughRow round_row(const float* row, Index width, std::int8_t* bytes) {
  float most = 0.0F;
  for (Index j = 0; j < width; ++j) {
    most = std::max(most, std::abs(row[j]));
  }
  RoughRow out;
  const float inverse = 127.0F / most;
  if (!(most > 0.0F) || !std::isfinite(inverse)) {  // nothing, or too little to divide by
    std::fill_n(bytes, width, std::int8_t{0});
    out.left = std::sqrt(static_cast<float>(width)) * most * kRoundedUp;
    return out;
  }
  out.scale = most / 127.0F;
  for (Index j = 0; j < width; ++j) {
    const float scaled = row[j] * inverse;
    bytes[j] = static_cast<std::int8_t>(static_cast<int>(scaled + (scaled < 0 ? -0.5F : 0.5F)));
  }
  double left = 0.0;
  double length = 0.0;
  for (Index j = 0; j < width; ++j) {
    const double rounded = static_cast<double>(out.scale) * static_cast<double>(bytes[j]);
    const double lacks = static_cast<double>(row[j]) - rounded;
    left += lacks * lacks;
    length += rounded * rounded;
  }
  out.left = static_cast<float>(std::sqrt(left)) * kRoundedUp;
  out.length = static_cast<float>(std::sqrt(length)) * kRoundedUp;
  return out;
}

Index rounded_up(Index n, Index to) {
  return (n + to - 1) / to * to;
}

#if defined(__x86_64__)

TYTO_ROUGH_TARGET void multiply_tile(const std::uint8_t* queries, Index query_stride,
                                     const std::int8_t* panels, Index panel_stride, Index steps,
                                     const std::int32_t* offset, std::int32_t* out,
                                     Index out_stride) {
  constexpr int kQ = RoughProducts::kQueries;
  constexpr int kP = RoughReferences::kParcel / kRoughLanes;
  __m512i sums[kQ][kP];
#pragma GCC unroll 8
  for (int q = 0; q < kQ; ++q) {
#pragma GCC unroll 3
    for (int p = 0; p < kP; ++p) {
      sums[q][p] = _mm512_loadu_si512(offset + p * kRoughLanes);
    }
  }
  for (Index step = 0; step < steps; ++step) {
    __m512i panel[kP];
#pragma GCC unroll 3
    for (int p = 0; p < kP; ++p) {
      panel[p] = _mm512_loadu_si512(panels + p * panel_stride + step * kRoughLanes * kRoughStep);
    }
#pragma GCC unroll 8
    for (int q = 0; q < kQ; ++q) {
      std::int32_t four = 0;
      __builtin_memcpy(&four, queries + q * query_stride + step * kRoughStep, sizeof four);
      const __m512i all = _mm512_set1_epi32(four);
#pragma GCC unroll 3
      for (int p = 0; p < kP; ++p) {
        sums[q][p] = _mm512_dpbusd_epi32(sums[q][p], all, panel[p]);
      }
    }
  }
#pragma GCC unroll 8
  for (int q = 0; q < kQ; ++q) {
#pragma GCC unroll 3
    for (int p = 0; p < kP; ++p) {
      _mm512_storeu_si512(out + q * out_stride + p * kRoughLanes, sums[q][p]);
    }
  }
}

struct RoughQuery {
  float slope, reach, left;  // twice the scale, the length and what is left of it
};

RoughQuery query_of(const RoughQueries& all, Index row) {
  return {2.0F * all.scale[row], 2.0F * all.length[row], 2.0F * all.left[row]};
}

TYTO_ROUGH_TARGET inline __m512 least_of(const RoughQuery& query, const RoughReferences& all,
                                         Index reference, const std::int32_t* products) {
  // Masked, since the compiler takes the plain form to read what was never set.
  const __m512 product = _mm512_maskz_cvtepi32_ps(0xFFFF, _mm512_loadu_si512(products));
  const __m512 step =
      _mm512_mul_ps(_mm512_set1_ps(query.slope), _mm512_loadu_ps(all.scale.data() + reference));
  __m512 least = _mm512_loadu_ps(all.norm.data() + reference);
  least = _mm512_fnmadd_ps(_mm512_set1_ps(query.reach),
                           _mm512_loadu_ps(all.left.data() + reference), least);
  least = _mm512_fnmadd_ps(_mm512_set1_ps(query.left),
                           _mm512_loadu_ps(all.length.data() + reference), least);
  return _mm512_fnmadd_ps(step, product, least);
}

TYTO_ROUGH_TARGET void write_bounds(const RoughQuery& query, const RoughReferences& all,
                                    Index first, const std::int32_t* products, Index count,
                                    float* out) {
  for (Index j = 0; j < count; j += kRoughLanes) {
    const __mmask16 some =
        count - j < kRoughLanes
            ? static_cast<__mmask16>((1U << static_cast<unsigned>(count - j)) - 1U)
            : static_cast<__mmask16>(0xFFFF);
    _mm512_mask_storeu_ps(out + j, some, least_of(query, all, first + j, products + j));
  }
}

TYTO_ROUGH_TARGET Index find_near(const RoughQuery& query, const RoughReferences& all, Index first,
                                  const std::int32_t* products, Index count, Index from,
                                  float limit, unsigned& near) {
  const __m512 far = _mm512_set1_ps(limit);
  for (Index j = from; j < count; j += kRoughLanes) {
    const __m512 least = least_of(query, all, first + j, products + j);
    // Not greater, rather than less or equal: what is no number is measured.
    unsigned bits = _mm512_cmp_ps_mask(least, far, _CMP_NGT_UQ);
    if (count - j < kRoughLanes) {
      bits &= (1U << static_cast<unsigned>(count - j)) - 1U;
    }
    if (bits != 0) {
      near = bits;
      return j;
    }
  }
  return count;
}

#endif

}  // namespace

bool rough_products_pay(Index width) {
#if defined(__x86_64__)
  static const bool quick =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
  constexpr Index kNarrowest = 64;  // below that looking through the products takes most
  return quick && width >= kNarrowest && width <= kWidestRough;
#else
  (void)width;
  return false;
#endif
}

RoughQueries::RoughQueries(const MatrixView& given)
    : rows(given.rows()),
      steps((given.cols() + kRoughStep - 1) / kRoughStep),
      bytes(at(rounded_up(rows, RoughProducts::kQueries) * steps * kRoughStep), 128),
      scale(rows),
      length(rows),
      left(rows) {
  const Index stride = steps * kRoughStep;
  const Vector norms = squared_norms(given);
  for_each_index(rows, [&](Index i) {
    std::vector<std::int8_t> rounded(at(given.cols()));
    const RoughRow row =
        round_row(given.data() + i * given.outerStride(), given.cols(), rounded.data());
    for (Index j = 0; j < given.cols(); ++j) {
      bytes[at(i * stride + j)] = static_cast<std::uint8_t>(rounded[at(j)] + 128);
    }
    scale[i] = row.scale;
    length[i] = std::sqrt(norms[i]) * kRoundedUp;
    left[i] = row.left;
  });
}

RoughReferences::RoughReferences(const MatrixView& given)
    : rows(given.rows()),
      steps((given.cols() + kRoughStep - 1) / kRoughStep),
      bytes(at(rounded_up(rows, kParcel) * steps * kRoughStep), 0),
      offset(at(rounded_up(rows, kParcel)), 0),
      norm(Vector::Zero(rounded_up(rows, kParcel))),
      scale(norm),
      left(norm),
      length(norm) {
  norm.head(rows) = squared_norms(given);
  for_each_index(rows, [&](Index i) {
    std::vector<std::int8_t> rounded(at(steps * kRoughStep), 0);
    const RoughRow row =
        round_row(given.data() + i * given.outerStride(), given.cols(), rounded.data());
    std::int8_t* panel =
        bytes.data() + (i / kRoughLanes * steps * kRoughLanes + i % kRoughLanes) * kRoughStep;
    std::int32_t sum = 0;
    for (Index step = 0; step < steps; ++step) {
      for (Index j = 0; j < kRoughStep; ++j) {
        const std::int8_t byte = rounded[at(step * kRoughStep + j)];
        panel[step * kRoughLanes * kRoughStep + j] = byte;
        sum += byte;
      }
    }
    offset[at(i)] = -128 * sum;
    scale[i] = row.scale;
    left[i] = row.left;
    length[i] = row.length;
  });
}

// q.r = (q' + e).(r' + f) with q', r' the rounded rows: q'.r' is off by at most |q||f| + |e||r'|.
void RoughProducts::multiply(const RoughQueries& some, Index from, const RoughReferences& others,
                             Index begin, Index number) {
  TYTO_ASSERT(from % kQueries == 0 && begin % RoughReferences::kParcel == 0 && number <= kMost &&
              some.steps == others.steps);
  queries = &some;
  references = &others;
  query = from;
  first = begin;
  count = number;
#if defined(__x86_64__)
  const Index stride = some.steps * kRoughStep;
  for (Index j = 0; j < number; j += RoughReferences::kParcel) {
    multiply_tile(some.bytes.data() + from * stride, stride,
                  others.bytes.data() + (begin + j) * stride, kRoughLanes * stride, some.steps,
                  others.offset.data() + begin + j, products + j, kMost);
  }
#endif
}

Index RoughProducts::first_near(Index which, Index from, float limit, unsigned& near) const {
#if defined(__x86_64__)
  return find_near(query_of(*queries, query + which), *references, first, products + which * kMost,
                   count, from, limit, near);
#else
  (void)which;
  (void)from;
  (void)limit;
  (void)near;
  return count;
#endif
}

void RoughProducts::bounds(Index which, float* out) const {
#if defined(__x86_64__)
  write_bounds(query_of(*queries, query + which), *references, first, products + which * kMost,
               count, out);
#else
  (void)which;
  (void)out;
#endif
}

}  // namespace tyto
