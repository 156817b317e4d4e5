// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/map/neighbour_embedding.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/math/all_finite.hpp"
#include "tyto/math/neighbours.hpp"
#include "tyto/report/page/map/principal_scores.hpp"

namespace tyto {

namespace {

constexpr float kSharpness = 1.5F;    // a: half of the kernel at a distance of 0.8
constexpr float kStartSpread = 4.0F;  // deviation of the start along its first direction
constexpr float kStartNoise = 1e-3F;  // so that equal rows part
constexpr float kLongestMove = 4.0F;
constexpr int kRepelled = 4;  // rows pushed away for each neighbour pulled: one draw of philox

struct Edge {
  std::int32_t from, to;
  float weight;
};

// The distances of row i to others, nearest first, itself left out.
struct Near {
  std::vector<std::int32_t> row;
  std::vector<double> distance;
};

Near near_rows_of(const Neighbours& all, Index i, Index k) {
  Near out;
  for (Index c = 0; c < all.row.cols() && static_cast<Index>(out.row.size()) < k; ++c) {
    if (all.row(i, c) != i) {
      out.row.push_back(all.row(i, c));
      out.distance.push_back(std::sqrt(static_cast<double>(all.distance(i, c))));
    }
  }
  return out;
}

// exp(-(d - nearest) / width), the width such that the weights sum to log2(k): each row has as
// many neighbours, whether it lies in a dense place or in a thin one.
std::vector<double> weights_of(const Near& near) {
  const std::size_t k = near.row.size();
  const auto positive = std::find_if(near.distance.begin(), near.distance.end(),
                                     [](double distance) { return distance > 0.0; });
  std::vector<double> weights(k, 1.0);
  if (positive == near.distance.end()) {
    return weights;  // duplicates alone
  }
  const double nearest = *positive;
  const double wanted = std::log2(static_cast<double>(k));
  const auto fill = [&](double width) {
    double sum = 0.0;
    for (std::size_t c = 0; c < k; ++c) {
      const double beyond = near.distance[c] - nearest;
      weights[c] = beyond > 0.0 ? std::exp(-beyond / width) : 1.0;
      sum += weights[c];
    }
    return sum;
  };
  double low = 1e-3 * nearest;
  double high = std::max(near.distance.back() * 1e3, low);
  for (int round = 0; round < 64; ++round) {
    const double middle = std::sqrt(low * high);
    (fill(middle) > wanted ? high : low) = middle;
  }
  fill(high);
  return weights;
}

// Both directions of each pair that is near from either side: p + q - p q. By row, then by other.
std::vector<Edge> edges_of(const Neighbours& all, Index k) {
  std::vector<Edge> edges;
  for (Index i = 0; i < all.row.rows(); ++i) {
    const Near near = near_rows_of(all, i, k);
    const std::vector<double> weights = weights_of(near);
    for (std::size_t c = 0; c < near.row.size(); ++c) {
      const auto weight = static_cast<float>(weights[c]);
      edges.push_back({static_cast<std::int32_t>(i), near.row[c], weight});
      edges.push_back({near.row[c], static_cast<std::int32_t>(i), weight});
    }
  }
  // Of the two weights of a pair the smaller stands first, or the sum would differ by direction.
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.from, a.to, a.weight) < std::tie(b.from, b.to, b.weight);
  });
  std::vector<Edge> out;
  for (const Edge& edge : edges) {
    if (!out.empty() && out.back().from == edge.from && out.back().to == edge.to) {
      out.back().weight += edge.weight - out.back().weight * edge.weight;
    } else {
      out.push_back(edge);
    }
  }
  return out;
}

Matrix start_of(const MatrixView& rows, Rng rng) {
  Matrix at = principal_scores(rows, 2);
  const float spread =
      std::sqrt(at.col(0).squaredNorm() / static_cast<float>(std::max<Index>(1, at.rows())));
  at *= spread > 0.0F ? kStartSpread / spread : 0.0F;
  for (float& value : at.reshaped<Eigen::RowMajor>()) {
    value += kStartNoise * static_cast<float>(rng.normal());
  }
  return at;
}

class Layout {
 public:
  Layout(Matrix start, std::vector<Edge> edges, const EmbeddingOptions& options)
      : at_(std::move(start)),
        edges_(std::move(edges)),
        epochs_(options.epochs),
        key_(Rng(options.seed, "neighbour_embedding").fork("repelled").key()) {
    // A pair of weight w is pulled in every (greatest / w)-th epoch.
    float greatest = 0.0F;
    for (const Edge& edge : edges_) {
      greatest = std::max(greatest, edge.weight);
    }
    std::erase_if(edges_, [&](const Edge& edge) {
      return edge.weight * static_cast<float>(epochs_) < greatest;
    });
    for (const Edge& edge : edges_) {
      every_.push_back(greatest / edge.weight);
    }
    next_ = every_;
  }

  Matrix settled() && {
    for (Index epoch = 1; epoch <= epochs_; ++epoch) {
      const float step = 1.0F - static_cast<float>(epoch - 1) / static_cast<float>(epochs_);
      for (std::size_t e = 0; e < edges_.size(); ++e) {
        if (next_[e] <= static_cast<float>(epoch)) {
          next_[e] += every_[e];
          move(edges_[e], step);
        }
      }
    }
    at_.rowwise() -= at_.colwise().mean().eval();
    return std::move(at_);
  }

 private:
  static float cut(float value) { return std::clamp(value, -kLongestMove, kLongestMove); }

  void move(const Edge& edge, float step) {
    float* a = at_.data() + 2 * edge.from;
    float* b = at_.data() + 2 * edge.to;
    const float x = a[0] - b[0];
    const float y = a[1] - b[1];
    const float pull = -2.0F * kSharpness / (1.0F + kSharpness * (x * x + y * y));
    const float pull_x = step * cut(pull * x);
    const float pull_y = step * cut(pull * y);
    a[0] += pull_x;
    a[1] += pull_y;
    b[0] -= pull_x;
    b[1] -= pull_y;
    const auto rows = static_cast<std::uint64_t>(at_.rows());
    for (const std::uint32_t bits : philox(key_, draws_++)) {
      push(a, at_.data() + 2 * ((bits * rows) >> 32), step);
    }
  }

  static void push(float* a, const float* other, float step) {
    const float x = a[0] - other[0];
    const float y = a[1] - other[1];
    const float squared = x * x + y * y;
    const float by = 2.0F / ((1e-3F + squared) * (1.0F + kSharpness * squared));
    a[0] += step * cut(by * x);  // 0 for the row itself
    a[1] += step * cut(by * y);
  }

  Matrix at_;
  std::vector<Edge> edges_;
  Index epochs_;
  std::uint64_t key_;
  std::uint64_t draws_ = 0;
  std::vector<float> every_, next_;
};

}  // namespace

Matrix neighbour_embedding(const MatrixView& rows, const EmbeddingOptions& options) {
  const Index n = rows.rows();
  if (n < 2) {
    return Matrix::Zero(n, 2);
  }
  if (!all_finite(rows)) {
    throw Error(ErrorKind::data, "rows to be laid out in the plane hold a value that is no number");
  }
  const Index k = std::clamp<Index>(options.neighbours, 1, n - 1);
  static_assert(std::tuple_size_v<decltype(philox(0, 0))> == kRepelled);
  Matrix centred = Matrix::Zero(n, std::max<Index>(1, rows.cols()));  // rows without values: equal
  if (rows.cols() > 0) {
    centred = rows.rowwise() - rows.colwise().mean().eval();
  }
  return Layout(start_of(rows, Rng(options.seed, "neighbour_embedding").fork("start")),
                edges_of(nearest_rows(centred, centred, k + 1), k), options)
      .settled();
}

}  // namespace tyto
