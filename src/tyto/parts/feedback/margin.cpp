// SPDX-License-Identifier: Apache-2.0
// Rows whose two likeliest classes are closest come first.
#include <algorithm>

#include "tyto/parts/feedback/by_belief.hpp"

namespace tyto {

namespace {

class MarginOrder final : public ByBelief {
 public:
  explicit MarginOrder(NoOptions) : ByBelief("margin") {}

 private:
  [[nodiscard]] Vector certainty(const Matrix& known) const override {
    Vector margin(known.rows());
    for (Index i = 0; i < known.rows(); ++i) {
      float first = 0.0F;
      float second = 0.0F;  // also where there is one class only
      for (Index j = 0; j < known.cols(); ++j) {
        second = std::max(second, std::min(first, known(i, j)));
        first = std::max(first, known(i, j));
      }
      margin[i] = first - second;
    }
    return margin;
  }
};

}  // namespace

PartSpec margin_spec() {
  return part_spec<NoOptions, MarginOrder>(
      "margin", {Slot::feedback},
      "rows whose two most likely known classes are closest come first; ties to the lower row",
      "O(n (k + log n)) time, no memory",
      "Scheffer et al., Active Hidden Markov Models for Information Extraction, IDA 2001");
}

}  // namespace tyto
