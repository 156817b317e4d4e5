// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/limits.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace tyto {

void Limits::describe(OptionVisitor& visitor) {
  visitor.field("learn_seconds", learn_seconds, {0, 1e9},
                "for one lesson, or for observing one split; 0: as long as it takes");
  visitor.field("predict_seconds", predict_seconds, {0, 1e9},
                "for predicting at most 8192 samples; 0: as long as it takes");
  visitor.field("memory_bytes", memory_bytes, {0, 1e15},
                "of the saved state after a lesson or after observing; 0: whatever it takes");
}

std::string LimitBreaches::lines(std::string_view arm) const {
  std::string text;
  for (const LimitBreach& breach : all_) {
    text += fmt::format("{},{},{},{},{},{},{}\n", arm, breach.increment, breach.call, breach.limit,
                        breach.allowed, breach.used, breach.undone);
  }
  return text;
}

std::vector<std::string> LimitBreaches::sentences(const Limits& limits) const {
  std::vector<std::string> sentences;
  std::map<std::pair<std::string, std::string>, std::pair<Index, Index>> counts;  // all, undone
  for (const LimitBreach& breach : all_) {
    auto& [all, undone] = counts[{breach.call, breach.limit}];
    ++all;
    undone += breach.undone ? 1 : 0;
  }
  for (const auto& [what, count] : counts) {
    sentences.push_back(
        fmt::format("went {} times beyond the limit {} when it was to {}; {} of "
                    "these calls were undone (limits.csv)",
                    count.first, what.second, what.first, count.second));
  }
  if (limits.any_of_time()) {
    sentences.emplace_back(
        "limits of time hang on the machine and its load: this run is not reproducible to the "
        "byte");
  }
  return sentences;
}

void LimitBreaches::save(State& state) const {
  if (all_.empty()) {
    return;
  }
  std::vector<std::int64_t> numbers;
  std::vector<std::string> words;
  Dense<double> values(std::ssize(all_), 2);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    numbers.push_back(all_[i].increment);
    numbers.push_back(all_[i].undone ? 1 : 0);
    words.push_back(all_[i].call);
    words.push_back(all_[i].limit);
    values(static_cast<Index>(i), 0) = all_[i].allowed;
    values(static_cast<Index>(i), 1) = all_[i].used;
  }
  State& child = state.make_child("breaches");
  child.set("numbers", std::move(numbers));
  child.set("words", std::move(words));
  child.set("values", std::move(values));
}

void LimitBreaches::load(const State& state) {
  all_.clear();
  const auto found = state.children.find("breaches");
  if (found == state.children.end()) {
    return;
  }
  const auto& numbers = found->second.get<std::vector<std::int64_t>>("numbers");
  const auto& words = found->second.get<std::vector<std::string>>("words");
  const auto& values = found->second.get<Dense<double>>("values");
  if (numbers.size() != words.size() || numbers.size() != static_cast<std::size_t>(values.size())) {
    throw Error(ErrorKind::state, "the saved list of limits that were passed is damaged");
  }
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    const auto row = static_cast<Index>(i / 2);
    all_.push_back({static_cast<Index>(numbers[i]), words[i], words[i + 1], values(row, 0),
                    values(row, 1), numbers[i + 1] != 0});
  }
}

}  // namespace tyto
