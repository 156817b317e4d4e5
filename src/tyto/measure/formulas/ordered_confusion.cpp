// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/ordered_confusion.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"

namespace tyto {

const std::vector<std::string>& OrderedConfusion::labels() const {
  static const std::vector<std::string> kNone;
  return slices.empty() ? kNone : slices.front().labels();
}

void OrderedConfusion::merge(const OrderedConfusion& other) {
  if (slices.empty()) {
    slices = other.slices;
    return;
  }
  slices.resize(std::min(slices.size(), other.slices.size()));
  for (std::size_t rank = 0; rank < slices.size(); ++rank) {
    slices[rank].merge(other.slices[rank]);
  }
}

void OrderedConfusion::save(State& state) const {
  std::vector<std::int64_t> rank, actual, predicted, count;
  for (std::size_t r = 0; r < slices.size(); ++r) {
    for (const auto& [cell, n] : slices[r].cells()) {
      rank.push_back(static_cast<std::int64_t>(r) + 1);
      actual.push_back(cell.first);
      predicted.push_back(cell.second);
      count.push_back(n);
    }
  }
  state.set("ranks", std::int64_t{ranks()});
  state.set("labels", labels());
  state.set("rank", std::move(rank));
  state.set("actual", std::move(actual));
  state.set("predicted", std::move(predicted));
  state.set("count", std::move(count));
}

OrderedConfusion OrderedConfusion::loaded(const State& state) {
  using Column = std::vector<std::int64_t>;
  const auto& labels = state.get<std::vector<std::string>>("labels");
  const auto& rank = state.get<Column>("rank");
  const auto& actual = state.get<Column>("actual");
  const auto& predicted = state.get<Column>("predicted");
  const auto& count = state.get<Column>("count");
  const auto ranks = state.get<std::int64_t>("ranks");
  if (actual.size() != rank.size() || predicted.size() != rank.size() ||
      count.size() != rank.size()) {
    throw Error(ErrorKind::state,
                fmt::format("the saved confusion matrix has {} ranks, {} actual and {} predicted "
                            "places and {} counts: there must be one of each a cell",
                            rank.size(), actual.size(), predicted.size(), count.size()));
  }
  std::vector<Confusion::Cells> cells(static_cast<std::size_t>(std::max<std::int64_t>(0, ranks)));
  const auto size = static_cast<std::int64_t>(labels.size());
  for (std::size_t i = 0; i < rank.size(); ++i) {
    if (rank[i] < 1 || rank[i] > ranks || actual[i] < 0 || actual[i] >= size || predicted[i] < 0 ||
        predicted[i] >= size || count[i] < 1) {
      throw Error(
          ErrorKind::state,
          fmt::format("the saved confusion matrix has {} ranks of {} labels, but its cell {} "
                      "is rank {}, actual {}, predicted {}, count {}",
                      ranks, size, i, rank[i], actual[i], predicted[i], count[i]));
    }
    cells[static_cast<std::size_t>(rank[i] - 1)].push_back({{actual[i], predicted[i]}, count[i]});
  }
  const std::vector<std::string_view> names(labels.begin(), labels.end());
  OrderedConfusion made;
  for (const Confusion::Cells& of_rank : cells) {
    made.slices.push_back(Confusion::from(names, of_rank));
  }
  return made;
}

std::string OrderedConfusion::to_csv() const {
  std::vector<std::string> fields;
  for (const std::string& label : labels()) {
    fields.push_back(csv_field(label));
  }
  std::string text = "rank,actual,predicted,count\n";
  for (std::size_t r = 0; r < slices.size(); ++r) {
    for (const auto& [cell, count] : slices[r].cells()) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", r + 1,
                     fields[static_cast<std::size_t>(cell.first)],
                     fields[static_cast<std::size_t>(cell.second)], count);
    }
  }
  return text;
}

OrderedConfusion ordered_confusion(const PhaseView& view) {
  const std::vector<std::string_view> names(view.names.begin(), view.names.end());
  OrderedConfusion made;
  std::vector<std::int32_t> actual, predicted;
  for (Index rank = 0; rank < view.ranked.cols(); ++rank) {
    actual.clear();
    predicted.clear();
    for (Index i = 0; i < view.size(); ++i) {
      if (view.ranked(i, rank) >= 0) {
        actual.push_back(view.actual[static_cast<std::size_t>(i)]);
        predicted.push_back(view.ranked(i, rank));
      }
    }
    made.slices.push_back(
        Confusion::from(names, count_pairs(static_cast<Index>(names.size()), actual, predicted)));
  }
  return made;
}

}  // namespace tyto
