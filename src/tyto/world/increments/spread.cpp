// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/spread.hpp"

#include <algorithm>
#include <map>

#include "tyto/world/increments/folds.hpp"
#include "tyto/world/increments/increments.hpp"

namespace tyto {

namespace {

void append(std::vector<Index>& to, const std::vector<Index>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

class Spreader {
 public:
  Spreader(const SplitRows& rows, Rows classes, const std::set<Index>& known,
           const SpreadRules& rules, const Rng& rng)
      : rows_(rows), classes_(classes), known_(known), rules_(rules), rng_(rng) {}

  std::vector<Drafted> operator()() {
    std::vector<Drafted> drafts(at(rules_.increments));
    introduce(drafts);
    for (std::size_t split = 0; split < rows_.size(); ++split) {
      spread_known(split, drafts);
      spread_novel(split, drafts);
    }
    return drafts;
  }

 private:
  [[nodiscard]] Index class_of(Index row) const { return classes_[at(row)]; }

  [[nodiscard]] std::map<Index, Index> count(const std::vector<Index>& rows) const {
    std::map<Index, Index> counts;
    for (const Index row : rows) {
      ++counts[class_of(row)];
    }
    return counts;
  }

  void introduce(std::vector<Drafted>& drafts) {
    std::vector<std::pair<Index, Index>> novel;  // class, rows; ascending by class, that is, name
    std::vector<Index> counted = rows_[0];
    if (rules_.count_all) {
      for (std::size_t split = 1; split < rows_.size(); ++split) {
        append(counted, rows_[split]);
      }
    }
    for (const auto& entry : count(counted)) {
      if (!known_.contains(entry.first)) {
        novel.emplace_back(entry);
      }
    }
    if (rules_.introduce == "random") {
      Rng rng = rng_.fork("introduce");
      rng.shuffle(novel);
    } else if (rules_.introduce == "frequency") {
      std::stable_sort(novel.begin(), novel.end(), [&](const auto& a, const auto& b) {
        return rules_.table ? a.second < b.second : a.second > b.second;
      });
    }
    const auto sizes = classes_per_increment(static_cast<Index>(novel.size()), rules_.increments,
                                             rules_.table ? "table" : "text");
    auto next = novel.begin();
    for (std::size_t j = 0; j < drafts.size(); ++j) {
      for (Index i = 0; i < sizes[j]; ++i, ++next) {
        drafts[j].introduced.push_back(next->first);
        introduced_at_[next->first] = j;
      }
    }
  }

  // Rows into folds; `id` names the random stream.
  [[nodiscard]] std::vector<std::vector<Index>> fold(const std::vector<Index>& rows, Index folds,
                                                     std::string_view id,
                                                     std::size_t number) const {
    std::vector<Index> classes;
    for (const Index row : rows) {
      classes.push_back(class_of(row));
    }
    Rng rng = rng_.fork(id, number);
    const auto fold_of = stratified_folds(classes, folds, rules_.seeded ? &rng : nullptr);
    std::vector<std::vector<Index>> folded(at(folds));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      folded[at(fold_of[i])].push_back(rows[i]);
    }
    return folded;
  }

  // Cuts off the rows of classes with fewer than `limit` rows.
  std::vector<Index> take_small(std::vector<Index>& rows, Index limit) const {
    const auto counts = count(rows);
    const auto first_small = std::stable_partition(
        rows.begin(), rows.end(), [&](Index row) { return counts.at(class_of(row)) >= limit; });
    std::vector<Index> small(first_small, rows.end());
    rows.erase(first_small, rows.end());
    return small;
  }

  void spread_known(std::size_t split, std::vector<Drafted>& drafts) {
    std::vector<Index> known;
    std::vector<Index> only_here;  // of classes that train does not have
    for (const Index row : rows_[split]) {
      if (known_.contains(class_of(row))) {
        known.push_back(row);
      } else if (!introduced_at_.contains(class_of(row))) {
        only_here.push_back(row);
      }
    }
    const Index n = rules_.increments;
    append(drafts[0].rows[split], take_small(known, rules_.table ? n + 1 : n));
    const auto folds = fold(known, n, "known", split);
    const auto folds_only_here = fold(only_here, n, "only_here", split);
    for (std::size_t j = 0; j < drafts.size(); ++j) {
      append(drafts[j].rows[split], folds[j]);
      append(drafts[j].rows[split], folds_only_here[j]);
      std::sort(drafts[j].rows[split].begin(), drafts[j].rows[split].end());
    }
  }

  void spread_novel(std::size_t split, std::vector<Drafted>& drafts) {
    std::vector<std::vector<Index>> introduced(drafts.size());
    for (const Index row : rows_[split]) {
      const auto found = introduced_at_.find(class_of(row));
      if (found != introduced_at_.end()) {
        introduced[found->second].push_back(row);
      }
    }
    std::vector<std::vector<Index>> handed_down(drafts.size());
    for (std::size_t j = 0; j < drafts.size(); ++j) {
      const Index remaining = rules_.increments - static_cast<Index>(j);
      const std::vector<Index> small = take_small(introduced[j], remaining);
      const auto folds = fold(introduced[j], remaining, "novel", 3 * j + split);
      append(drafts[j].rows[split], folds[0]);
      append(drafts[j].rows[split], small);
      append(drafts[j].rows[split], handed_down[j]);
      for (std::size_t f = 1; f < folds.size(); ++f) {
        append(handed_down[j + f], folds[f]);
      }
    }
  }

  const SplitRows& rows_;
  Rows classes_;
  const std::set<Index>& known_;
  const SpreadRules& rules_;
  const Rng& rng_;
  std::map<Index, std::size_t> introduced_at_;
};

}  // namespace

std::vector<Drafted> spread(const SplitRows& rows, Rows classes, const std::set<Index>& known,
                            const SpreadRules& rules, const Rng& rng) {
  return Spreader(rows, classes, known, rules, rng)();
}

}  // namespace tyto
