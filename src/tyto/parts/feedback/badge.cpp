// SPDX-License-Identifier: Apache-2.0
// BADGE: rows whose gradients of the last layer are large and unlike each other.
#include <algorithm>
#include <numeric>

#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct BadgeOptions {
  Index greedy = 5000;

  void describe(OptionVisitor& v) {
    v.field("greedy", greedy, {1, 1e9},
            "picks drawn one by one; the rows after them follow by their distance to these");
  }
};

// The gradient of the last layer for the row's own guess is the outer product of a = p - onehot and
// z, the input of that layer. It is never formed: of two rows a z' and b w' the squared distance is
// |a|^2 |z|^2 + |b|^2 |w|^2 - 2 (a.b)(z.w).
class Gradients {
 public:
  Gradients(Matrix residual, const Matrix& inputs)
      : residual_(std::move(residual)),
        inputs_(inputs),
        norms_(squared_norms(residual_).cwiseProduct(squared_norms(inputs_))) {}

  [[nodiscard]] const Vector& norms() const { return norms_; }

  [[nodiscard]] Vector distances_to(Index row) const {
    const Vector ab = residual_ * residual_.row(row).transpose();
    const Vector zw = inputs_ * inputs_.row(row).transpose();
    Vector out(norms_.size());
    for (Index i = 0; i < out.size(); ++i) {
      const float scale = norms_[i] + norms_[row];
      const float distance = scale - 2.0F * ab[i] * zw[i];
      out[i] = distance > kRounding * scale ? distance : 0.0F;
    }
    return out;
  }

 private:
  static constexpr float kRounding = 1e-5F;  // of the products: equal rows are at distance 0

  Matrix residual_;
  const Matrix& inputs_;
  Vector norms_;
};

class Badge final : public StatelessPart, public Requester {
 public:
  explicit Badge(BadgeOptions options) : greedy_(options.greedy) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  std::vector<Index> order(const Evidence& batch, Index budget, Work& work) const override {
    const Index n = batch.size();
    if (n == 0) {
      return {};
    }
    Matrix residual = known_part(batch, batch.probability, "feedback badge");
    for (Index i = 0; i < n; ++i) {
      Index guess = 0;
      residual.row(i).maxCoeff(&guess);
      residual(i, guess) -= 1.0F;
    }
    const Gradients gradients(std::move(residual),
                              batch.embedding.size() > 0 ? batch.embedding : batch.features);
    std::vector<Index> out;
    std::vector<bool> taken(static_cast<std::size_t>(n), false);
    Vector nearest;
    const auto take = [&](Index row) {
      out.push_back(row);
      taken[static_cast<std::size_t>(row)] = true;
      const Vector distances = gradients.distances_to(row);
      nearest = nearest.size() == 0 ? distances : nearest.cwiseMin(distances);
      nearest[row] = 0.0F;
    };
    const Index picks = std::min({budget, n, greedy_});
    if (picks > 0) {
      Index largest = 0;
      gradients.norms().maxCoeff(&largest);
      take(largest);
    }
    while (static_cast<Index>(out.size()) < picks) {
      work.progress.pulse();
      const Index next = drawn(nearest, work.rng);
      if (next < 0) {
        break;  // every row left equals one that is taken
      }
      take(next);
    }
    const Vector& left = nearest.size() == 0 ? gradients.norms() : nearest;
    std::vector<Index> rest;
    for (Index i = 0; i < n; ++i) {
      if (!taken[static_cast<std::size_t>(i)]) {
        rest.push_back(i);
      }
    }
    std::stable_sort(rest.begin(), rest.end(), [&](Index a, Index b) { return left[a] > left[b]; });
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }

  void drop_unused(Evidence& block) const override {
    block.logits = Matrix();
    block.membership = Matrix();
    if (block.embedding.size() > 0) {
      block.features = Matrix();
    }
  }

 private:
  // A row with probability in proportion to its weight, -1 where all weights are 0.
  static Index drawn(const Vector& weight, Rng& rng) {
    double sum = 0;
    for (Index i = 0; i < weight.size(); ++i) {
      sum += static_cast<double>(weight[i]);
    }
    double left = rng.uniform() * sum;
    Index last = -1;
    for (Index i = 0; i < weight.size(); ++i) {
      if (weight[i] > 0.0F) {
        last = i;
        left -= static_cast<double>(weight[i]);
        if (left < 0) {
          break;
        }
      }
    }
    return last;
  }

  Index greedy_;
};

}  // namespace

PartSpec badge_spec() {
  return part_spec<BadgeOptions, Badge>(
      "badge", {Slot::feedback},
      "rows whose gradients of the last layer are large and unlike each other: k-means++ on them, "
      "the largest first",
      "O(n (k + d)) time per label, O(n k) memory",
      "Ash et al., Deep Batch Active Learning by Diverse, Uncertain Gradient Lower Bounds, ICLR "
      "2020");
}

}  // namespace tyto
