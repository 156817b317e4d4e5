// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/extremes/cross_class_radius.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tyto {

namespace {

constexpr int kDraws = 3;
constexpr double kLeastRecall = 0.9;

}  // namespace

void CrossClassRadius::add(const Eigen::RowVectorXf& to_means, Index own) {
  distance_[static_cast<std::size_t>(own)].push_back(to_means);
}

Index CrossClassRadius::classes_seen() const {
  return std::count_if(distance_.begin(), distance_.end(),
                       [](const auto& rows) { return !rows.empty(); });
}

double CrossClassRadius::best(const Rng& rng) const {
  std::vector<Index> seen;
  for (std::size_t c = 0; c < distance_.size(); ++c) {
    if (!distance_[c].empty()) {
      seen.push_back(static_cast<Index>(c));
    }
  }
  if (seen.empty()) {
    return 0.0;
  }
  const auto known = std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(seen.size()) * 2 / 3);
  double sum = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<Index> order = seen;
    rng.fork("classes", static_cast<std::uint64_t>(draw)).shuffle(order);
    sum += best_of({order.begin(), order.begin() + known}, {order.begin() + known, order.end()});
  }
  return sum / kDraws;
}

double CrossClassRadius::best_of(const std::vector<Index>& known,
                                 const std::vector<Index>& unknown) const {
  std::vector<std::pair<float, bool>> nearest;  // distance, is known
  const auto gather = [&](const std::vector<Index>& classes, bool is_known) {
    for (const Index c : classes) {
      for (const auto& row : distance_[static_cast<std::size_t>(c)]) {
        float least = std::numeric_limits<float>::infinity();
        for (const Index mean : known) {
          least = std::min(least, row[mean]);
        }
        nearest.emplace_back(least, is_known);
      }
    }
  };
  gather(known, true);
  const auto positives = static_cast<double>(nearest.size());
  gather(unknown, false);
  std::sort(nearest.begin(), nearest.end());
  double best_score = -1.0;
  double best_radius = 0.0;
  double accepted_known = 0.0;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    accepted_known += nearest[i].second ? 1.0 : 0.0;
    if (i + 1 < nearest.size() && nearest[i + 1].first == nearest[i].first) {
      continue;  // equal distances are accepted together
    }
    const double score = 2.0 * accepted_known / (positives + static_cast<double>(i + 1));
    if (accepted_known >= kLeastRecall * positives && score > best_score) {
      best_score = score;
      best_radius = static_cast<double>(nearest[i].first);
    }
  }
  return best_radius;
}

}  // namespace tyto
