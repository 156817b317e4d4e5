// SPDX-License-Identifier: Apache-2.0
// Products of rows rounded to bytes, with a bound on what the rounding may do: about four times as
// many a second as products of floats, on processors that multiply bytes (AVX-512 VNNI). They rule
// out rows that are certainly too far; whoever decides measures the others.
#pragma once

#include <cstdint>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// Whether this processor is quicker with bytes, and rows of that width can be summed up in 32 bits.
bool rough_products_pay(Index width);

// A row is scale * bytes and something of length `left`.
struct RoughQueries {
  explicit RoughQueries(const MatrixView& rows);  // all of them finite

  Index rows = 0, steps = 0;        // of four columns
  std::vector<std::uint8_t> bytes;  // row by row, 128 more than the rounded value
  Vector scale, length, left;
};

struct RoughReferences {
  // Rows in parcels of so many; a range of them begins at a multiple.
  static constexpr Index kParcel = 48;

  explicit RoughReferences(const MatrixView& rows);  // all of them finite

  Index rows = 0, steps = 0;
  std::vector<std::int8_t> bytes;    // sixteen rows at a time, four columns of each in turn
  std::vector<std::int32_t> offset;  // what the 128 of the queries add to a product, negated
  Vector norm, scale, left, length;  // squared lengths; length is that of the rounded row
};

// Eight queries from `query` on against `count` references from `first` on, at most kMost. Products
// are what multiply() writes: 24 kB that nobody need fill before.
struct RoughProducts {  // NOLINT(cppcoreguidelines-pro-type-member-init)
  static constexpr Index kQueries = 8, kMost = 768;

  void multiply(const RoughQueries& queries, Index query, const RoughReferences& references,
                Index first, Index count);

  // |r|^2 - 2 q.r is at least this for certain, up to the rounding of floats; looked at from
  // position `from` on, a multiple of 16: the first sixteen of which some are not above `limit`, as
  // bits of `near`; `count` if there is none.
  [[nodiscard]] Index first_near(Index query, Index from, float limit, unsigned& near) const;

  // The same bound for all `count` references of a query.
  void bounds(Index query, float* out) const;

  alignas(64) std::int32_t products[kQueries * kMost];
  const RoughQueries* queries = nullptr;
  const RoughReferences* references = nullptr;
  Index query = 0, first = 0, count = 0;
};

}  // namespace tyto
