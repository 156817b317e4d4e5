// SPDX-License-Identifier: Apache-2.0
// Rows about which balls of one radius cover the batch.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tyto/parts/feedback/farthest_first.hpp"
#include "tyto/parts/feedback/prob_cover.hpp"
#include "tyto/parts/feedback/rough_groups.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kRules{"probcover", "k_center"};
constexpr Index kJudges = 2000;  // rows whose balls tell how pure a radius is

struct CoverageOptions {
  std::string rule = "probcover";
  bool remembered = true;
  double purity = 0.95;
  Index clusters = 0, greedy = 5000;

  void describe(OptionVisitor& v) {
    v.field("rule", rule, kRules,
            "probcover: each row covers most of the rows not covered yet, within one radius; "
            "k_center: each is the furthest from all before it, which favours outliers");
    v.field("remembered", remembered,
            "what remembered samples cover needs no label; needs a memory");
    v.field(
        "purity", purity, {0.5, 1.0},
        "probcover: share of the balls that hold rows of one cluster only, at the radius taken");
    v.field("clusters", clusters, {0, 1e5},
            "probcover: clusters that stand in for classes when the radius is found; 0: as many as "
            "classes and groups are known, 2 at least");
    v.field("greedy", greedy, {1, 1e9},
            "k_center: picks made one by one; the rows after them follow by their distance to "
            "these");
  }
};

class Coverage final : public StatelessPart, public Requester {
 public:
  explicit Coverage(CoverageOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.neighbours = options_.remembered ? 1 : 0;
    return needs;
  }

  std::vector<Index> order(const Evidence& batch, Index budget, Work& work) const override {
    const Index n = batch.size();
    const Index wanted = std::min(budget, n);
    if (wanted <= 0) {
      return {};
    }
    Vector nearest;  // squared distance to what is remembered
    if (options_.remembered && batch.near != nullptr) {
      const Neighbours& found = batch.near->remembered();
      if (found.distance.cols() > 0) {
        nearest = found.distance.col(0);
      }
    }
    if (options_.rule == "k_center") {
      return farthest_first(batch.features, std::move(nearest), std::min(wanted, options_.greedy));
    }
    const float radius = radius_for(batch, work);
    std::vector<bool> covered;
    for (Index i = 0; i < nearest.size(); ++i) {
      covered.push_back(nearest[i] < radius);
    }
    return cover_greedily(batch.features, radius, std::move(covered), wanted, work.progress);
  }

  void drop_unused(Evidence& block) const override {
    for (Matrix* unused :
         {&block.logits, &block.embedding, &block.probability, &block.membership}) {
      *unused = Matrix();
    }
  }

 private:
  [[nodiscard]] float radius_for(const Evidence& batch, Work& work) const {
    const auto known = static_cast<Index>(batch.classes.size() + batch.groups.size());
    const Index clusters = options_.clusters > 0 ? options_.clusters : std::max<Index>(known, 2);
    const Grouping group = rough_groups(batch.features, clusters, work);
    std::vector<Index> judges(static_cast<std::size_t>(batch.size()));
    std::iota(judges.begin(), judges.end(), Index{0});
    if (batch.size() > kJudges) {
      judges = work.rng.fork("judges").permutation(batch.size());
      judges.resize(static_cast<std::size_t>(kJudges));
    }
    return pure_radius(batch.features, group, judges, options_.purity);
  }

  CoverageOptions options_;
};

}  // namespace

PartSpec coverage_spec() {
  return part_spec<CoverageOptions, Coverage>(
      "coverage", {Slot::feedback},
      "rows that cover the batch: balls of one radius about few of them hold many of the others, "
      "or "
      "no row is far from one of them",
      "probcover O(n^2 d) time, k_center O(n d) per label; O(n) memory and a fixed buffer",
      "Yehuda et al., Active Learning Through a Covering Lens, NeurIPS 2022; Sener & Savarese, "
      "Active Learning for Convolutional Neural Networks: A Core-Set Approach, ICLR 2018");
}

}  // namespace tyto
