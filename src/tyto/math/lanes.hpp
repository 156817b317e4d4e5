// SPDX-License-Identifier: Apache-2.0
// Sums in one fixed order that still vectorises: the same number whatever stands around them.
#pragma once

#include "tyto/core/matrix.hpp"

namespace tyto {

// term(0) + ... + term(n - 1) in `Lanes` independent sums (a power of two), then halved.
template <class T, Index Lanes, class Term>
T sum_in_lanes(Index n, const Term& term) {
  T lane[Lanes] = {};
  Index j = 0;
  for (; j + Lanes <= n; j += Lanes) {
    for (Index l = 0; l < Lanes; ++l) {
      lane[l] += term(j + l);
    }
  }
  for (; j < n; ++j) {
    lane[j % Lanes] += term(j);
  }
  for (Index half = Lanes / 2; half > 0; half /= 2) {
    for (Index l = 0; l < half; ++l) {
      lane[l] += lane[l + half];
    }
  }
  return lane[0];
}

}  // namespace tyto
