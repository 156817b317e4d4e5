// SPDX-License-Identifier: Apache-2.0
// Several strategies take turns, each for its share of the budget.
#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/parts/feedback/inner_requester.hpp"

namespace tyto {

namespace {

const std::vector<std::string_view> kAside{"share"};

struct ShareOption {
  double share = 1.0;

  void describe(OptionVisitor& v) { v.field("share", share, {0.0, 1e6}, ""); }
};

double share_of(const ConfigNode& item, std::string_view path) {
  ConfigNode own = ConfigNode::empty_map();
  if (const ConfigNode* share = item.find("share")) {
    own.put("share", *share);
  }
  return read_options<ShareOption>(own, path).share;
}

struct MixtureOptions {
  ConfigNode strategies =
      parse_yaml("[{name: typiclust, share: 0.5}, {name: margin, share: 0.5}]", "feedback mixture");

  void describe(OptionVisitor& v) {
    v.field("strategies", strategies,
            "a list of {name: ..., share: ..., options}; shares count in proportion to their sum. "
            "Default: typiclust and margin, half each");
  }

  void resolve_nested(std::string_view path) {
    const std::string where = fmt::format("{}.strategies", path);
    strategies = resolved_nested_list(Slot::feedback, strategies, where, kAside);
    double sum = 0;
    for (std::size_t i = 0; i < strategies.items.size(); ++i) {
      sum += share_of(strategies.items[i], fmt::format("{}.{}", where, i));
    }
    if (!(sum > 0)) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: {}.strategies: all shares are 0", strategies.place(), path));
    }
  }
};

class Mixture final : public StatelessPart, public Requester {
 public:
  Mixture(const MixtureOptions& options, std::string_view path)
      : inner_(make_nested_list<Requester>(Slot::feedback, options.strategies,
                                           fmt::format("{}.strategies", path), kAside)) {
    double sum = 0;
    for (const ConfigNode& item : options.strategies.items) {
      shares_.push_back(share_of(item, path));
      sum += shares_.back();
    }
    for (double& share : shares_) {
      share /= sum;
    }
  }

  [[nodiscard]] Needs needs() const override { return joined_needs(inner_); }

  // Place t goes to the strategy furthest behind its share of t, ties to the first; it names its
  // next row that is not taken yet.
  std::vector<Index> order(const Evidence& batch, Index budget, Work& work) const override {
    std::vector<std::vector<Index>> orders;
    for (std::size_t i = 0; i < inner_.size(); ++i) {
      Work own = work.fork(fmt::format("strategy {}", i));
      orders.push_back(inner_[i].as->order(batch, budget, own));
    }
    std::vector<std::size_t> next(orders.size(), 0);
    std::vector<double> given(orders.size(), 0);
    std::vector<bool> taken(static_cast<std::size_t>(batch.size()), false);
    std::vector<Index> out;
    while (true) {
      std::size_t turn = orders.size();
      double behind = 0;
      for (std::size_t i = 0; i < orders.size(); ++i) {
        while (next[i] < orders[i].size() && taken[static_cast<std::size_t>(orders[i][next[i]])]) {
          ++next[i];
        }
        const double lag = shares_[i] * static_cast<double>(out.size() + 1) - given[i];
        if (next[i] < orders[i].size() && (turn == orders.size() || lag > behind + 1e-9)) {
          turn = i;
          behind = lag;
        }
      }
      if (turn == orders.size()) {
        return out;
      }
      const Index row = orders[turn][next[turn]];
      taken[static_cast<std::size_t>(row)] = true;
      given[turn] += 1;
      out.push_back(row);
    }
  }

  [[nodiscard]] bool looks_at_samples() const override {
    return std::any_of(inner_.begin(), inner_.end(),
                       [](const Nested<Requester>& inner) { return inner.as->looks_at_samples(); });
  }

  void drop_unused(Evidence& block) const override { drop_what_all_drop(block, inner_); }

 private:
  std::vector<Nested<Requester>> inner_;
  std::vector<double> shares_;  // sum to 1
};

}  // namespace

PartSpec mixture_spec() {
  return nesting_part_spec<MixtureOptions, Mixture>(
      "mixture", {Slot::feedback},
      "several strategies take turns, each for its share of the budget",
      "that of the strategies together");
}

}  // namespace tyto
