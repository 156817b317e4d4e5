// SPDX-License-Identifier: Apache-2.0
// Rows with groups one knows, and how far two groupings agree.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto::toy {

inline Matrix column(const std::vector<float>& values) {
  return Matrix(Eigen::Map<const Vector>(values.data(), std::ssize(values)));
}

inline Matrix random_rows(Rng& rng, Index n, Index width) {
  Matrix rows(n, width);
  for (Index i = 0; i < rows.size(); ++i) {
    rows.data()[i] = static_cast<float>(rng.normal());
  }
  return rows;
}

struct Blobs {
  Matrix rows;
  std::vector<std::int32_t> truth;  // the blob of each row, taking turns
};

// Unit normal blobs; their centres are normal with deviation `apart`.
inline Blobs make_blobs(Rng& rng, Index blobs, Index each, Index width, double apart) {
  const Matrix centres = random_rows(rng, blobs, width) * static_cast<float>(apart);
  Blobs made{random_rows(rng, blobs * each, width), {}};
  for (Index i = 0; i < blobs * each; ++i) {
    made.rows.row(i) += centres.row(i % blobs);
    made.truth.push_back(static_cast<std::int32_t>(i % blobs));
  }
  return made;
}

// The share of pairs of rows that both groupings put together or both apart (Rand index).
inline double same_pairs(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  double same = 0.0, pairs = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      same += (a[i] == a[j]) == (b[i] == b[j]) ? 1.0 : 0.0;
      pairs += 1.0;
    }
  }
  return pairs > 0.0 ? same / pairs : 1.0;
}

}  // namespace tyto::toy
