// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/detection/kinds_of_novelty.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "tyto/core/csv/csv_header.hpp"

namespace tyto {

namespace {

constexpr std::string_view kShareColumn = "visible_share";
constexpr std::array<double, 6> kShareEdges{0.0, 0.01, 0.02, 0.05, 0.1, 0.25};

// Counts samples of one kind after the other; the normal scores are sorted once for all of them.
class KindCounter {
 public:
  explicit KindCounter(const JudgedArm& arm) : arm_(arm), normal_(arm.test.normal_scores()) {
    std::sort(normal_.begin(), normal_.end());
  }

  void add(FoundKind& kind, double score) const {
    if (kind.samples == 0) {
      kind.found.resize(arm_.points.size());
    }
    ++kind.samples;
    for (std::size_t p = 0; p < arm_.points.size(); ++p) {
      kind.found[p] += score >= arm_.points[p].on_test.threshold ? 1 : 0;
    }
    if (!normal_.empty()) {
      const auto [low, high] = std::equal_range(normal_.begin(), normal_.end(), score);
      const auto below = static_cast<double>(low - normal_.begin());
      kind.auroc = kind.auroc.value_or(0.0) + below + 0.5 * static_cast<double>(high - low);
    }
  }

  void finish(FoundKind& kind) const {
    if (kind.auroc) {
      *kind.auroc /= static_cast<double>(kind.samples) * static_cast<double>(normal_.size());
    }
  }

 private:
  const JudgedArm& arm_;
  std::vector<double> normal_;
};

}  // namespace

std::vector<FoundKind> found_by_class(const JudgedArm& arm) {
  const KindCounter counter(arm);
  std::map<std::string, FoundKind> kinds;
  for (Index i = 0; i < arm.view.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (arm.test.is_novel[row] != 0) {
      counter.add(kinds[arm.view.actual_name(i)], arm.test.score[row]);
    }
  }
  std::vector<FoundKind> all;
  for (auto& [name, kind] : kinds) {
    counter.finish(kind);
    kind.name = name;
    all.push_back(std::move(kind));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const FoundKind& a, const FoundKind& b) { return a.auroc < b.auroc; });
  return all;
}

std::vector<FoundKind> found_by_visible_share(const JudgedArm& arm, const Truth& truth) {
  const auto column = truth.annotations.find(std::string(kShareColumn));
  if (column == truth.annotations.end()) {
    return {};
  }
  const KindCounter counter(arm);
  std::vector<FoundKind> bins(kShareEdges.size());
  for (std::size_t row = 0; row < arm.test.score.size(); ++row) {
    const auto share =
        number_in<double>(column->second.at(static_cast<std::size_t>(arm.view.sample[row])));
    if (arm.test.is_novel[row] == 0 || !share || !(*share >= 0.0)) {
      continue;
    }
    const auto above = std::upper_bound(kShareEdges.begin(), kShareEdges.end(), *share);
    counter.add(bins[static_cast<std::size_t>(above - kShareEdges.begin()) - 1],
                arm.test.score[row]);
  }
  for (std::size_t b = 0; b < bins.size(); ++b) {
    counter.finish(bins[b]);
    bins[b].from = kShareEdges[b];
    bins[b].below =
        b + 1 < kShareEdges.size() ? kShareEdges[b + 1] : std::numeric_limits<double>::infinity();
  }
  std::erase_if(bins, [](const FoundKind& bin) { return bin.samples == 0; });
  return bins;
}

}  // namespace tyto
