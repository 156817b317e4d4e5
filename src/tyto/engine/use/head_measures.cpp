// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/head_measures.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/measure/formulas/confusion.hpp"
#include "tyto/measure/formulas/scores.hpp"

namespace tyto {

namespace {

constexpr std::string_view kLogits = "logits";

struct HeadScore {
  double accuracy = 0, mcc = 0;
};

class HeadAnswers {
 public:
  HeadAnswers(const Dataset& dataset, const std::string& split)
      : classes_(dataset.store->column_names(kLogits)) {
    if (classes_.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("the source \"logits\" of {} does not name its columns; give the "
                              "network a file of classes",
                              dataset.name));
    }
    const IndexTable& table = dataset.table;
    std::map<std::string, Index> place, units;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      place.emplace(classes_[c], static_cast<Index>(c));
    }
    Index row = 0;
    for (std::size_t i = 0; i < table.id.size(); ++i) {
      const Index frames = table.frames.empty() ? 1 : table.frames[i];
      const bool wanted = split.empty() || (!table.split.empty() && table.split[i] == split);
      const auto known = place.find(table.label[i]);
      if (wanted && known != place.end()) {
        const std::string unit =
            table.group.empty() || table.group[i].empty() ? table.id[i] : table.group[i];
        unit_.push_back(units.emplace(unit, std::ssize(units)).first->second);
        actual_.push_back(static_cast<std::int32_t>(known->second));
        first_.push_back(row);
        frames_.push_back(frames);
      }
      left_out += wanted && known == place.end() ? 1 : 0;
      row += frames;
    }
    if (actual_.empty()) {
      throw Error(
          ErrorKind::data,
          fmt::format("no sample of {} has a label that is a class of its scores", dataset.name));
    }
    members_.resize(units.size());
    for (std::size_t i = 0; i < unit_.size(); ++i) {
      members_[at(unit_[i])].push_back(static_cast<Index>(i));
    }
  }

  // The likeliest class of each sample by this source.
  [[nodiscard]] std::vector<std::int32_t> answers(const FeatureStore& store,
                                                  const std::string& source) const {
    std::vector<std::int32_t> out;
    for (std::size_t i = 0; i < actual_.size(); ++i) {
      std::vector<Index> rows(at(frames_[i]));
      std::iota(rows.begin(), rows.end(), first_[i]);
      Matrix scores(frames_[i], std::ssize(classes_));
      store.gather(source, rows, scores);
      Index top = 0;
      scores.colwise().mean().maxCoeff(&top);
      out.push_back(static_cast<std::int32_t>(top));
    }
    return out;
  }

  [[nodiscard]] HeadScore score(const std::vector<std::int32_t>& predicted,
                                const std::vector<Index>& samples) const {
    std::vector<std::int32_t> actual, given;
    for (const Index i : samples) {
      actual.push_back(actual_[at(i)]);
      given.push_back(predicted[at(i)]);
    }
    const Confusion confusion = Confusion::from(classes_, actual, given);
    return {static_cast<double>(confusion.correct()) / static_cast<double>(confusion.total()),
            mcc(confusion).value_or(0.0)};
  }

  [[nodiscard]] std::vector<Index> all() const {
    std::vector<Index> out(actual_.size());
    std::iota(out.begin(), out.end(), Index{0});
    return out;
  }

  [[nodiscard]] std::vector<Index> resampled(Rng rng) const {
    std::vector<Index> out;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const auto& unit = members_[at(rng.below(std::ssize(members_)))];
      out.insert(out.end(), unit.begin(), unit.end());
    }
    return out;
  }

  [[nodiscard]] Index samples() const { return std::ssize(actual_); }

  [[nodiscard]] Index units() const { return std::ssize(members_); }

  Index left_out = 0;

 private:
  std::vector<std::string> classes_;
  std::vector<std::int32_t> actual_;
  std::vector<Index> first_, frames_, unit_;
  std::vector<std::vector<Index>> members_;
};

}  // namespace

HeadMeasures head_measures(const Dataset& dataset, const std::string& split,
                           const BootstrapOptions& bootstrap, Progress& progress) {
  const std::vector<std::string> sources = dataset.store->sources();
  if (std::find(sources.begin(), sources.end(), kLogits) == sources.end()) {
    throw Error(
        ErrorKind::data,
        fmt::format("{} has no source \"logits\"; tyto extract --logits makes one", dataset.name));
  }
  const HeadAnswers answers(dataset, split);
  HeadMeasures out;
  out.samples = answers.samples();
  out.units = answers.units();
  out.left_out = answers.left_out;
  const std::vector<Index> all = answers.all();
  const auto plain = answers.answers(*dataset.store, std::string(kLogits));
  const HeadScore before = answers.score(plain, all);
  out.rows.push_back({"", before.accuracy, before.mcc, 0, 0, {}, {}});
  for (const std::string& source : sources) {
    if (!source.starts_with("logits_")) {
      continue;
    }
    const auto changed = answers.answers(*dataset.store, source);
    const HeadScore after = answers.score(changed, all);
    std::vector<double> accuracy, matthews;
    for (Index r = 0; r < bootstrap.replicates; ++r) {
      progress.pulse();
      const auto samples =
          answers.resampled(Rng(bootstrap.seed, "head", static_cast<std::uint64_t>(r)));
      const HeadScore a = answers.score(plain, samples), b = answers.score(changed, samples);
      accuracy.push_back(b.accuracy - a.accuracy);
      matthews.push_back(b.mcc - a.mcc);
    }
    out.rows.push_back({source.substr(kLogits.size() + 1), after.accuracy, after.mcc,
                        after.accuracy - before.accuracy, after.mcc - before.mcc,
                        percentile_interval(accuracy, bootstrap.level),
                        percentile_interval(matthews, bootstrap.level)});
  }
  return out;
}

}  // namespace tyto
