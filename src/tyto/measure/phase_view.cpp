// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/phase_view.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

// Places of names in a growing list. The names given must outlive it: they are keys by reference.
class Places {
 public:
  std::int32_t of(std::string_view name) {
    const auto [found, is_new] = places_.try_emplace(name, static_cast<std::int32_t>(count()));
    if (is_new) {
      names_.emplace_back(name);
    }
    return found->second;
  }

  [[nodiscard]] std::size_t count() const { return names_.size(); }

  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::int32_t> places_;
};

void check_columns(const Phase& phase) {
  const auto n = phase.sample.size();
  const auto check = [&](std::string_view column, std::size_t length) {
    if (length != n && length != 0) {
      throw Error(ErrorKind::data, fmt::format("phase {}: column {} has {} entries for {} samples",
                                               phase.key.name(), column, length, n));
    }
  };
  if (phase.top.rows() != phase.size() || (n > 0 && phase.top.cols() == 0)) {
    throw Error(ErrorKind::data,
                fmt::format("phase {}: the decisions are {} by {} for {} samples", phase.key.name(),
                            phase.top.rows(), phase.top.cols(), n));
  }
  check("novelty", phase.novelty.size());
  check("p_true", phase.p_true.size());
  check("confidence", phase.confidence.size());
}

const std::string& true_label(const Phase& phase, const Truth& truth, Index i) {
  const auto id = static_cast<std::size_t>(phase.sample[static_cast<std::size_t>(i)]);
  if (id >= truth.label.size() || truth.label[id].empty()) {
    throw Error(ErrorKind::data,
                fmt::format("phase {}: sample {} has no label in the truth", phase.key.name(), id));
  }
  return truth.label[id];
}

}  // namespace

const std::string& PhaseView::actual_name(Index i) const {
  return names.at(static_cast<std::size_t>(actual.at(static_cast<std::size_t>(i))));
}

const std::string& PhaseView::decision_name(Index i) const {
  return names.at(static_cast<std::size_t>(decision.at(static_cast<std::size_t>(i))));
}

void PhaseView::merge(const PhaseView& other) {
  views.merge(other.views);
  if (hits_in_top && other.hits_in_top) {
    *hits_in_top += *other.hits_in_top;
  } else {
    hits_in_top.reset();
  }
  key.step = kAllSteps;
  names.clear();
  for (auto* ids : {&actual, &decision}) {
    ids->clear();
  }
  for (auto* flags : {&is_novel, &is_called_novel}) {
    flags->clear();
  }
  for (auto* values : {&novelty, &p_true, &confidence}) {
    values->clear();
  }
}

PhaseView view_phase(const Phase& phase, const Truth& truth, NovelTo novel_to) {
  check_columns(phase);
  const auto& known = novel_to == NovelTo::predictor ? phase.known : phase.shown;
  Places places;
  places.of(kUnknownName);
  for (const std::string& name : known) {
    places.of(name);
  }
  const auto first_novel = static_cast<std::int32_t>(places.count());
  const auto is_outside = [&](std::int32_t place) {
    return static_cast<std::uint8_t>(place == 0 || place >= first_novel);
  };

  PhaseView view;
  view.key = phase.key;
  view.novel_to = novel_to;
  view.novelty = phase.novelty;
  view.p_true = phase.p_true;
  view.confidence = phase.confidence;
  const auto n = phase.sample.size();
  view.actual.resize(n);
  view.decision.resize(n);
  view.is_novel.resize(n);
  view.is_called_novel.resize(n);
  std::vector<std::int32_t> of_entry(static_cast<std::size_t>(phase.space.size()), -1);
  const auto place_of_entry = [&](std::int32_t entry) {
    auto& place = of_entry[static_cast<std::size_t>(entry)];
    if (place < 0) {
      place = places.of(phase.space.name(static_cast<Label>(entry)));
    }
    return place;
  };
  const Index ranks = std::min(kTopRanks, phase.top.cols());
  Confusion::Count hits = 0;
  for (Index i = 0; i < phase.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    view.actual[at] = places.of(true_label(phase, truth, i));
    const auto decided = phase.top(i, 0);
    if (decided < 0 || decided >= phase.space.size()) {
      throw Error(
          ErrorKind::data,
          fmt::format("phase {}: sample {} is decided for entry {} of {}", phase.key.name(),
                      static_cast<std::uint32_t>(phase.sample[at]), decided, phase.space.size()));
    }
    view.decision[at] = place_of_entry(decided);
    view.is_novel[at] = is_outside(view.actual[at]);
    view.is_called_novel[at] = is_outside(view.decision[at]);
    for (Index rank = 0; rank < ranks; ++rank) {
      const auto entry = phase.top(i, rank);
      if (entry >= 0 && entry < phase.space.size() && place_of_entry(entry) == view.actual[at]) {
        ++hits;
        break;
      }
    }
  }
  if (ranks == kTopRanks || ranks >= phase.space.size()) {
    view.hits_in_top = hits;
  }
  view.names = places.take();
  view.views = make_views(Confusion::from(view.names, view.actual, view.decision), known);
  return view;
}

}  // namespace tyto
