// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include "tyto/parts/memory/kept.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct ClassBalancedOptions {
  Index budget = 2000;

  void describe(OptionVisitor& v) {
    v.field("budget", budget, {1, 1e8},
            "samples kept in all, held-out ones included; each class gets an equal share, what is "
            "left goes to the classes with most samples");
  }
};

struct Ranked {
  std::uint64_t hash;
  std::size_t candidate;
};

// How many each class may keep: budget / classes, then one more at a time to the classes with most
// (ties to the lower label) until the budget or the samples are used up.
std::map<Label, Index> quotas(const std::map<Label, std::vector<Ranked>>& classes, Index budget) {
  std::map<Label, Index> quota;
  if (classes.empty()) {
    return quota;
  }
  std::vector<std::pair<Index, Label>> by_size;
  const Index share = budget / static_cast<Index>(classes.size());
  Index left = budget;
  for (const auto& [label, members] : classes) {
    const auto size = static_cast<Index>(members.size());
    quota[label] = std::min(share, size);
    left -= quota[label];
    by_size.emplace_back(-size, label);
  }
  std::sort(by_size.begin(), by_size.end());
  for (bool given = true; given && left > 0;) {
    given = false;
    for (const auto& [negative_size, label] : by_size) {
      if (left > 0 && quota[label] < -negative_size) {
        ++quota[label];
        --left;
        given = true;
      }
    }
  }
  return quota;
}

class ClassBalanced final : public Part, public Memory {
 public:
  explicit ClassBalanced(ClassBalancedOptions options) : options_(options) {}

  void keep(const Experience& all, Work& work) override {
    if (!key_) {  // one key for good: the order of the samples of a class never changes
      key_ = work.rng.fork("class_balanced").key();
    }
    const std::vector<Candidate> offered = candidates(kept_, all);
    std::map<Label, std::vector<Ranked>> classes;
    for (std::size_t i = 0; i < offered.size(); ++i) {
      if (offered[i].label != Label::unknown) {
        const auto id = static_cast<std::uint64_t>(offered[i].id);
        classes[offered[i].label].push_back({mix(*key_, "sample", id), i});
      }
    }
    std::vector<std::size_t> rows;
    for (const auto& [label, count] : quotas(classes, options_.budget)) {
      std::vector<Ranked>& members = classes[label];
      std::sort(members.begin(), members.end(), [&](const Ranked& a, const Ranked& b) {
        return std::pair(a.hash, offered[a.candidate].id) <
               std::pair(b.hash, offered[b.candidate].id);
      });
      // A class that keeps anything keeps something to fit on.
      const auto fit = std::find_if(members.begin(), members.end(), [&](const Ranked& r) {
        return offered[r.candidate].role == Role::fit;
      });
      if (fit != members.end()) {
        std::rotate(members.begin(), fit, fit + 1);
      }
      for (Index i = 0; i < count; ++i) {
        rows.push_back(members[static_cast<std::size_t>(i)].candidate);
      }
    }
    std::sort(rows.begin(), rows.end());
    std::vector<Candidate> chosen;
    for (const std::size_t row : rows) {
      chosen.push_back(offered[row]);
    }
    kept_ = kept(kept_, all, chosen, true);
  }

  [[nodiscard]] const Samples& samples() const override { return kept_.samples; }

  [[nodiscard]] const std::vector<Label>& labels() const override { return kept_.labels; }

  [[nodiscard]] const std::vector<Role>& roles() const override { return kept_.roles; }

  void save(State& state) const override {
    save_kept(kept_, state);
    if (key_) {
      state.set("key", static_cast<std::int64_t>(*key_));
    }
  }

  void load(const State& state, const Shelf& shelf) override {
    kept_ = load_kept(state, shelf);
    if (state.has("key")) {
      key_ = static_cast<std::uint64_t>(state.get<std::int64_t>("key"));
    }
  }

 private:
  ClassBalancedOptions options_;
  std::optional<std::uint64_t> key_;
  Kept kept_;
};

}  // namespace

PartSpec class_balanced_spec() {
  return part_spec<ClassBalancedOptions, ClassBalanced>(
      "class_balanced", {Slot::memory},
      "keeps a budget of labelled samples, equally many per class, chosen by a hash of their ids: "
      "whatever the order they come in, and smaller budgets keep a part of what larger ones do",
      "O((m + n) log(m + n)) time per lesson, O(m d) memory with m the budget",
      "Prabhu et al., GDumb: A Simple Approach that Questions Our Progress in Continual Learning, "
      "ECCV 2020");
}

}  // namespace tyto
