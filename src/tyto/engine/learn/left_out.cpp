// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/learn/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/use/prediction_session.hpp"
#include "tyto/math/folds.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {

namespace {

constexpr double kDeviations = 1.959963984540054;  // of the middle 95 %
constexpr std::size_t kHardestTold = 3;
constexpr std::size_t kClassesForNew = 3;  // two must be left to learn from
constexpr Index kJudgedRows = 4096;        // at a time

struct Judged {
  Index sample = 0;
  std::string said;  // the decision
  bool is_new = false;
};

class LeftOut {
 public:
  LeftOut(const PredictorConfig& config, const LessonData& data, const LeftOutOptions& options,
          Progress& progress)
      : config_(config), data_(data), options_(options), progress_(progress) {}

  LeftOutJudgement run() {
    classes_ = data_.classes();
    plan_parts();
    const bool judge_new = classes_.size() >= kClassesForNew;
    const Index class_parts =
        judge_new ? std::min<Index>(rounds_ == 1 ? 1 : options_.folds, std::ssize(classes_)) : 0;
    progress_.begin("judging what is left out", static_cast<double>(rounds_ + class_parts));
    for (Index part = 0; part < rounds_; ++part) {
      judge_part(part);
      progress_.advance(1);
    }
    tell_known();
    if (judge_new) {
      judge_new_classes(class_parts);
    } else {
      out_.notes.push_back(
          "fewer than three classes: how well it notices new ones could not be tried");
    }
    progress_.end();
    return std::move(out_);
  }

 private:
  void plan_parts() {
    const Index n = data_.size();
    part_.assign(at(n), 0);
    if (!data_.in_test.empty() &&
        std::find(data_.in_test.begin(), data_.in_test.end(), false) != data_.in_test.end()) {
      for (Index i = 0; i < n; ++i) {
        part_[at(i)] = data_.in_test[at(i)] ? 0 : 1;
      }
      rounds_ = 1;
      out_.how = "the samples of the split test, by a predictor that learned the others";
      return;
    }
    const Index folds = std::min(options_.folds, n);
    const Index groups =
        data_.group.empty() ? 0 : 1 + *std::max_element(data_.group.begin(), data_.group.end());
    const bool by_groups = groups >= folds;
    if (by_groups) {
      part_ = fold_of(n, data_.group, folds, Rng(options_.seed, "learn folds"));
    } else {
      std::map<std::string, Index> next;  // samples come in a random order already
      Index begin = 0;
      for (const std::string& name : classes_) {
        next[name] = begin++;
      }
      for (Index i = 0; i < n; ++i) {
        part_[at(i)] = next[data_.label[at(i)]]++ % folds;
      }
    }
    rounds_ = n > options_.most_folded ? 1 : folds;
    out_.how =
        fmt::format("{} of {} parts{} left out{}, by predictors that learned the others", rounds_,
                    folds, by_groups ? fmt::format(" of whole groups ({})", groups) : "",
                    rounds_ > 1 ? " in turn" : "");
    if (!by_groups && groups > 0) {
      out_.notes.push_back(fmt::format(
          "{} groups are too few to be left out whole in {} parts: samples of one group stood on "
          "both sides, which flatters",
          groups, folds));
    }
  }

  // What a predictor that learned these says of those.
  [[nodiscard]] std::vector<Judged> judge(const std::vector<Index>& learned,
                                          const std::vector<Index>& judged,
                                          const std::string& stream) const {
    std::vector<std::string> names;
    for (const Index i : learned) {
      names.push_back(data_.label[at(i)]);
    }
    Composition predictor(config_, config_.stream_seed(options_.seed));
    Progress quiet;
    Work work{Rng(options_.seed, stream), quiet};
    predictor.learn({data_.samples.pick(learned), std::move(names), {}}, work);
    std::vector<Judged> out;
    for (std::size_t begin = 0; begin < judged.size(); begin += at(kJudgedRows)) {
      const std::size_t end = std::min(judged.size(), begin + at(kJudgedRows));
      const std::vector<Index> block(judged.begin() + static_cast<Index>(begin),
                                     judged.begin() + static_cast<Index>(end));
      const Prediction said = predictor.predict(data_.samples.pick(block));
      for (std::size_t i = 0; i < block.size(); ++i) {
        const auto row = static_cast<Index>(i);
        out.push_back({block[i], said.space->name(said.label[i]), is_novel(said, row)});
      }
    }
    return out;
  }

  void judge_part(Index part) {
    std::vector<Index> learned;
    std::vector<Index> judged;
    std::set<std::string> taught;
    for (Index i = 0; i < data_.size(); ++i) {
      if (part_[at(i)] != part) {
        learned.push_back(i);
        taught.insert(data_.label[at(i)]);
      }
    }
    for (Index i = 0; i < data_.size(); ++i) {
      if (part_[at(i)] == part) {
        taught.contains(data_.label[at(i)]) ? judged.push_back(i) : alone_.push_back(i);
      }
    }
    if (learned.empty() || judged.empty()) {
      return;
    }
    for (Judged& one : judge(learned, judged, fmt::format("learn part {}", part))) {
      known_.push_back(std::move(one));
    }
  }

  // Samples of one group are alike: there the groups are what varies.
  [[nodiscard]] EstimatedShare share_of(const std::vector<Judged>& judged,
                                        const std::vector<bool>& hit) const {
    const Index hits = std::count(hit.begin(), hit.end(), true);
    EstimatedShare share = wilson_share(hits, std::ssize(hit));
    if (data_.group.empty() || hit.empty()) {
      return share;
    }
    std::map<Index, std::pair<double, double>> by_group;  // hits and samples
    for (std::size_t i = 0; i < judged.size(); ++i) {
      auto& [right, all] = by_group[data_.group[at(judged[i].sample)]];
      right += hit[i] ? 1.0 : 0.0;
      all += 1.0;
    }
    if (by_group.size() < 2) {
      return share;
    }
    const auto n = static_cast<double>(hit.size());
    const auto groups = static_cast<double>(by_group.size());
    double squares = 0;
    for (const auto& [group, counts] : by_group) {
      const double residual = counts.first - share.value * counts.second;
      squares += residual * residual;
    }
    const double error = std::sqrt(squares * groups / (groups - 1.0)) / n;
    share.low = std::min(share.low, std::max(0.0, share.value - kDeviations * error));
    share.high = std::max(share.high, std::min(1.0, share.value + kDeviations * error));
    return share;
  }

  void tell_known() {
    if (!alone_.empty()) {
      out_.notes.push_back(fmt::format(
          "{} samples are of classes that no other part holds: nothing can be said of these",
          alone_.size()));
    }
    if (known_.empty()) {
      out_.notes.push_back(
          "too few samples to leave any out: how far it can be trusted is unknown");
      return;
    }
    std::vector<bool> right;
    std::vector<bool> is_new;
    std::vector<bool> right_named;
    std::vector<Judged> named;
    for (const Judged& one : known_) {
      right.push_back(one.said == data_.label[at(one.sample)]);
      is_new.push_back(one.is_new);
      if (!one.is_new) {
        named.push_back(one);
        right_named.push_back(right.back());
      }
    }
    out_.right = share_of(known_, right);
    out_.called_new = share_of(known_, is_new);
    if (!named.empty()) {
      out_.right_if_named = share_of(named, right_named);
    }
    tell_hardest();
  }

  void tell_hardest() {
    std::map<std::string, std::map<std::string, Index>> said;
    for (const Judged& one : known_) {
      ++said[data_.label[at(one.sample)]][one.said];
    }
    for (const auto& [name, counts] : said) {
      HardClass hard{name, "", 0, 0};
      Index most = 0;
      for (const auto& [other, count] : counts) {
        hard.samples += count;
        if (other == name) {
          hard.right = static_cast<double>(count);
        } else if (count > most) {
          most = count;
          hard.taken_for = other;
        }
      }
      hard.right /= static_cast<double>(hard.samples);
      if (hard.right < 1.0) {
        out_.hardest.push_back(std::move(hard));
      }
    }
    std::stable_sort(out_.hardest.begin(), out_.hardest.end(),
                     [](const HardClass& a, const HardClass& b) { return a.right < b.right; });
    out_.hardest.resize(std::min(kHardestTold, out_.hardest.size()));
  }

  // Every class is left out once, some at a time, and is new to a predictor that learned the rest.
  void judge_new_classes(Index parts) {
    std::vector<std::string> order = classes_;
    Rng(options_.seed, "learn classes").shuffle(order);
    std::map<std::string, Index> part_of;
    const Index all_parts = std::max<Index>(2, std::min<Index>(options_.folds, std::ssize(order)));
    for (std::size_t i = 0; i < order.size(); ++i) {
      part_of[order[i]] = static_cast<Index>(i) % all_parts;
    }
    std::vector<Judged> judged;
    for (Index part = 0; part < std::min(parts, all_parts); ++part) {
      std::vector<Index> learned;
      std::vector<Index> left_out;
      for (Index i = 0; i < data_.size(); ++i) {
        (part_of[data_.label[at(i)]] == part ? left_out : learned).push_back(i);
      }
      for (Judged& one : judge(learned, left_out, fmt::format("learn without {}", part))) {
        judged.push_back(std::move(one));
      }
      progress_.advance(1);
    }
    std::vector<bool> noticed;
    for (const Judged& one : judged) {
      noticed.push_back(one.is_new);
    }
    out_.noticed = share_of(judged, noticed);
  }

  const PredictorConfig& config_;
  const LessonData& data_;
  const LeftOutOptions& options_;
  Progress& progress_;
  std::vector<std::string> classes_;
  std::vector<Index> part_;  // by sample
  Index rounds_ = 0;
  std::vector<Judged> known_;
  std::vector<Index> alone_;
  LeftOutJudgement out_;
};

}  // namespace

EstimatedShare wilson_share(Index hits, Index of) {
  if (of == 0) {
    return {0, 0, 1, 0};
  }
  const auto n = static_cast<double>(of);
  const double p = static_cast<double>(hits) / n;
  const double z2 = kDeviations * kDeviations;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kDeviations / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  return {p, std::max(0.0, std::min(p, middle - half)), std::min(1.0, std::max(p, middle + half)),
          of};
}

LeftOutJudgement judge_left_out(const PredictorConfig& config, const LessonData& data,
                                const LeftOutOptions& options, Progress& progress) {
  if (options.folds == 0) {
    LeftOutJudgement none;
    none.how = "nothing was left out to judge by";
    return none;
  }
  return LeftOut(config, data, options, progress).run();
}

}  // namespace tyto
