// SPDX-License-Identifier: Apache-2.0
// One label per discovered class before anything else.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tyto/parts/feedback/farthest_first.hpp"
#include "tyto/parts/feedback/inner_requester.hpp"

namespace tyto {

namespace {

struct DiscoveredFirstOptions {
  ConfigNode then = ConfigNode::scalar("margin");
  double spread = 0.5;

  void describe(OptionVisitor& v) {
    v.field("then", then,
            "the strategy for what is left of the budget: a name, or {name: ..., options}; "
            "default margin");
    v.field("spread", spread, {0.0, 1.0},
            "share of the budget left after one label per group that is spread over novel rows "
            "without a group, before `then` gets the rest");
  }

  void resolve_nested(std::string_view path) {
    then = resolved_nested(Slot::feedback, then, fmt::format("{}.then", path));
  }
};

class DiscoveredFirst final : public StatelessPart, public Requester {
 public:
  DiscoveredFirst(const DiscoveredFirstOptions& options, std::string_view path)
      : spread_(options.spread),
        then_(make_nested(Slot::feedback, options.then, fmt::format("{}.then", path))) {}

  [[nodiscard]] Needs needs() const override { return then_.part->needs(); }

  std::vector<Index> order(const Evidence& batch, Index budget, Work& work) const override {
    const Index n = batch.size();
    std::map<Index, std::vector<Index>> groups;  // by column of the membership
    std::vector<Index> alone;                    // novel, of no group
    for (Index i = 0; i < n; ++i) {
      // Without a threshold nothing is called novel yet: then every row may be.
      if (!batch.novel.empty() && batch.novel[static_cast<std::size_t>(i)] == 0) {
        continue;
      }
      Index best = -1;
      if (batch.membership.cols() > 0) {
        batch.membership.row(i).maxCoeff(&best);
      }
      if (best >= 0 && batch.groups[static_cast<std::size_t>(best)] != Label::unknown) {
        groups[best].push_back(i);
      } else {
        alone.push_back(i);
      }
    }
    std::vector<const std::vector<Index>*> by_size;
    for (const auto& [column, rows] : groups) {
      by_size.push_back(&rows);
    }
    std::stable_sort(by_size.begin(), by_size.end(),
                     [](const auto* a, const auto* b) { return a->size() > b->size(); });

    std::vector<Index> out;
    std::vector<bool> taken(static_cast<std::size_t>(n), false);
    const auto take = [&](Index row) {
      if (!taken[static_cast<std::size_t>(row)]) {
        taken[static_cast<std::size_t>(row)] = true;
        out.push_back(row);
      }
    };
    for (const auto* rows : by_size) {
      take((*rows)[static_cast<std::size_t>(medoid(picked(batch.features, *rows)))]);
    }
    const Index left = std::min(budget, n) - static_cast<Index>(out.size());
    const auto spread = std::min(
        static_cast<Index>(alone.size()),
        static_cast<Index>(std::lround(spread_ * static_cast<double>(std::max<Index>(left, 0)))));
    if (spread > 0) {
      const auto apart = farthest_first(picked(batch.features, alone), {}, spread);
      for (Index i = 0; i < spread; ++i) {
        take(alone[static_cast<std::size_t>(apart[static_cast<std::size_t>(i)])]);
      }
    }
    // At most as many of these are taken already as `out` has rows, so that the budget is filled.
    Work own = work.fork("then");
    for (const Index row : then_.as->order(batch, budget, own)) {
      take(row);
    }
    return out;
  }

  void drop_unused(Evidence& block) const override {
    Matrix features = std::move(block.features);
    Matrix membership = std::move(block.membership);
    drop_what_all_drop(block, {&then_, 1});
    block.features = std::move(features);
    block.membership = std::move(membership);
  }

 private:
  static Matrix picked(const Matrix& rows, const std::vector<Index>& which) {
    return rows(which, Eigen::all);
  }

  double spread_;
  Nested<Requester> then_;
};

}  // namespace

PartSpec discovered_first_spec() {
  return nesting_part_spec<DiscoveredFirstOptions, DiscoveredFirst>(
      "discovered_first", {Slot::feedback},
      "one label per discovered class before anything else: the row nearest to the mean of each "
      "group among the novel rows, largest group first; then some spread over novel rows without a "
      "group, then another strategy",
      "O(n (d + g)) time for g groups, O(n d) per row spread, and that of the other strategy");
}

}  // namespace tyto
