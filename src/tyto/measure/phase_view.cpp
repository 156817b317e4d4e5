// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/phase_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
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

constexpr std::array kGivenKnownColumns{&GivenKnown::confidence, &GivenKnown::log_true,
                                        &GivenKnown::squares,    &GivenKnown::temperature,
                                        &GivenKnown::set_size,   &GivenKnown::in_set};

constexpr std::array kObservedColumns{&Observed::least_error, &Observed::least_error_unknown,
                                      &Observed::dissimilarity};

ScoredSamples scored(const GivenKnown& given, const std::vector<std::int32_t>& actual) {
  ScoredSamples out;
  for (std::size_t i = 0; i < given.best.size(); ++i) {
    const auto log_true = static_cast<double>(given.log_true[i]);
    if (std::isnan(log_true)) {
      continue;  // of a class it does not know
    }
    out.confidence.push_back(std::min(1.0, static_cast<double>(given.confidence[i])));
    out.loss.push_back(-log_true);
    out.brier.push_back(1.0 + static_cast<double>(given.squares[i]) - 2.0 * std::exp(log_true));
    out.log_sum.push_back(0.0);
    out.correct.push_back(given.best[i] == actual[i] ? 1 : 0);
    out.predicted.push_back(given.best[i]);
    out.truth.push_back(actual[i]);
  }
  return out;
}

void check_given_known(const Phase& phase) {
  const GivenKnown& given = phase.given_known;
  const std::size_t n = given.best.size();
  const auto refuse = [&](std::string_view why) {
    throw Error(ErrorKind::data,
                fmt::format("phase {}: what is kept of confidence {}", phase.key.name(), why));
  };
  if (n != 0 && n != phase.sample.size()) {
    refuse(fmt::format("is of {} samples, not of {}", n, phase.sample.size()));
  }
  for (const auto column : kGivenKnownColumns) {
    const std::size_t length = (given.*column).size();
    const bool needed = column == &GivenKnown::confidence || column == &GivenKnown::log_true ||
                        column == &GivenKnown::squares;
    if (length != n && (needed || length != 0)) {
      refuse(fmt::format("has columns of {} and of {} entries", n, length));
    }
  }
  const ByEpoch& by_epoch = given.by_epoch;
  const Index rows = by_epoch.epoch.empty() ? 0 : static_cast<Index>(n);
  if (by_epoch.confidence.rows() != rows || std::ssize(by_epoch.native) != rows ||
      by_epoch.confidence.cols() != std::ssize(by_epoch.epoch)) {
    refuse(fmt::format("by epoch is {} by {}, for {} samples and {} epochs",
                       by_epoch.confidence.rows(), by_epoch.confidence.cols(), n,
                       by_epoch.epoch.size()));
  }
  for (const std::int32_t best : given.best) {
    if (best < 0 || best >= phase.space.size()) {
      refuse(fmt::format("names entry {} of {}", best, phase.space.size()));
    }
  }
}

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
  check("changed", phase.changed.size());
  check_given_known(phase);
}

// The classes that are not novel to this reference.
std::vector<std::string> known_to(NovelTo reference, const Phase& phase) {
  if (reference.whom == NovelTo::Whom::predictor) {
    return phase.known;
  }
  if (reference.again_after == 0) {
    return phase.shown;
  }
  if (phase.last_shown.size() != phase.shown.size()) {
    throw Error(ErrorKind::state,
                fmt::format("phase {}: the record does not say when each class was last shown, so "
                            "none can be novel again; run the experiment anew in a world of "
                            "increments",
                            phase.key.name()));
  }
  std::vector<std::string> lately;
  for (std::size_t i = 0; i < phase.shown.size(); ++i) {
    if (phase.last_shown[i] >= phase.key.step - reference.again_after) {
      lately.push_back(phase.shown[i]);
    }
  }
  return lately;
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

bool PhaseView::is_closed_right(Index i) const {
  for (Index rank = 0; rank < ranked.cols(); ++rank) {
    const std::int32_t place = ranked(i, rank);
    if (place >= 0 && is_known[static_cast<std::size_t>(place)] != 0) {
      return place == actual[static_cast<std::size_t>(i)];
    }
  }
  return false;
}

const NoveltyRanking& PhaseView::ranking() const {
  return ranking_.get([&] {
    if (novelty.empty()) {
      return NoveltyRanking();
    }
    std::vector<std::uint8_t> is_right(sample.size());
    for (Index i = 0; i < size(); ++i) {
      is_right[static_cast<std::size_t>(i)] = is_closed_right(i) ? 1 : 0;
    }
    return rank_novelty(novelty, is_novel, is_right);
  });
}

const Matching& PhaseView::matching() const {
  return matching_.get([&] { return match_groups(views.raw); });
}

const ScoredSamples& PhaseView::sure() const {
  return sure_.get([&] {
    const ScoredSamples samples = scored(given_known, actual);
    return samples.pick(by_confidence(samples));
  });
}

void PhaseView::count() {
  ranking_.reset();
  matching_.reset();
  sure_.reset();
  closed_right = 0;
  for (Index i = 0; i < size(); ++i) {
    closed_right += is_closed_right(i) ? 1 : 0;
  }
  views =
      make_views(names, is_known, count_pairs(static_cast<Index>(names.size()), actual, decision));
  novelty_sets.reset();
  if (observed.is_new.size() == sample.size()) {  // of no samples too: a sum is to hold
    novelty_sets = count_novelty_sets(is_novel, observed.is_new, is_called_novel);
  }
  if (hits_at_rank.empty()) {
    return;
  }
  hits_at_rank.assign(kTopRanks, 0);
  for (Index i = 0; i < size(); ++i) {
    for (Index rank = 0; rank < ranked.cols(); ++rank) {
      if (ranked(i, rank) == actual[static_cast<std::size_t>(i)]) {
        ++hits_at_rank[static_cast<std::size_t>(rank)];
        break;
      }
    }
  }
}

PhaseView PhaseView::pick(Rows rows) const {
  PhaseView picked;
  picked.key = key;
  picked.novel_to = novel_to;
  picked.names = names;
  picked.is_known = is_known;
  picked.known_at_first = known_at_first;
  picked.task_of_class = task_of_class;
  picked.hits_at_rank = hits_at_rank;
  const auto take = [&](const auto& from, auto& to) {
    if (from.empty()) {
      return;
    }
    to.reserve(rows.size());
    for (const Index row : rows) {
      to.push_back(from[static_cast<std::size_t>(row)]);
    }
  };
  take(sample, picked.sample);
  take(actual, picked.actual);
  take(decision, picked.decision);
  take(is_novel, picked.is_novel);
  take(is_called_novel, picked.is_called_novel);
  take(novelty, picked.novelty);
  take(p_true, picked.p_true);
  take(confidence, picked.confidence);
  take(changed, picked.changed);
  take(batch, picked.batch);
  take(given_known.best, picked.given_known.best);
  picked.given_known.set_promise = given_known.set_promise;
  for (const auto column : kGivenKnownColumns) {
    take(given_known.*column, picked.given_known.*column);
  }
  take(observed.is_new, picked.observed.is_new);
  for (const auto column : kObservedColumns) {
    take(observed.*column, picked.observed.*column);
  }
  picked.ranked.resize(static_cast<Index>(rows.size()), ranked.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    picked.ranked.row(static_cast<Index>(i)) = ranked.row(rows[i]);
  }
  picked.count();
  return picked;
}

void PhaseView::append(const PhaseView& next) {
  TYTO_ASSERT(key.step == next.key.step && novel_to == next.novel_to);
  task_of_class.insert(next.task_of_class.begin(), next.task_of_class.end());
  std::map<std::pair<std::string_view, std::uint8_t>, std::int32_t> places;
  std::vector<std::int32_t> there;  // by place of `next`
  for (std::size_t i = 0; i < names.size(); ++i) {
    places.emplace(std::pair(std::string_view(names[i]), is_known[i]),
                   static_cast<std::int32_t>(i));
  }
  std::vector<std::string> more;
  std::vector<std::uint8_t> more_known;
  for (std::size_t i = 0; i < next.names.size(); ++i) {
    const auto fresh = static_cast<std::int32_t>(names.size() + more.size());
    const auto [found, is_new] =
        places.try_emplace({std::string_view(next.names[i]), next.is_known[i]}, fresh);
    there.push_back(found->second);
    if (is_new) {
      more.push_back(next.names[i]);
      more_known.push_back(next.is_known[i]);
    }
  }
  const auto mapped = [&](std::int32_t place) {
    return place < 0 ? place : there[static_cast<std::size_t>(place)];
  };
  const bool both_sure = given_known.best.size() == sample.size() &&
                         next.given_known.best.size() == next.sample.size();
  for (auto [to, from] : {std::pair(&actual, &next.actual), std::pair(&decision, &next.decision),
                          std::pair(&given_known.best, &next.given_known.best)}) {
    std::transform(from->begin(), from->end(), std::back_inserter(*to), mapped);
  }
  const Index ranks = std::min(ranked.cols(), next.ranked.cols());
  Dense<std::int32_t> both(size() + next.size(), ranks);
  both.topRows(size()) = ranked.leftCols(ranks);
  both.bottomRows(next.size()) = next.ranked.leftCols(ranks).unaryExpr(mapped);
  ranked = std::move(both);
  if (next.hits_at_rank.empty()) {
    hits_at_rank.clear();
  }
  const auto join = [&](auto& to, const auto& from) {
    if (to.size() == sample.size() && from.size() == next.sample.size()) {
      to.insert(to.end(), from.begin(), from.end());
    } else {
      to.clear();
    }
  };
  join(novelty, next.novelty);
  join(p_true, next.p_true);
  join(confidence, next.confidence);
  join(changed, next.changed);
  for (const auto column : kGivenKnownColumns) {
    join(given_known.*column, next.given_known.*column);
  }
  join(observed.is_new, next.observed.is_new);
  for (const auto column : kObservedColumns) {
    join(observed.*column, next.observed.*column);
  }
  given_known.by_epoch = {};  // batches may come from other trainings
  if (!both_sure) {
    given_known = {};
  }
  sample.insert(sample.end(), next.sample.begin(), next.sample.end());
  batch.insert(batch.end(), next.batch.begin(), next.batch.end());
  is_novel.insert(is_novel.end(), next.is_novel.begin(), next.is_novel.end());
  is_called_novel.insert(is_called_novel.end(), next.is_called_novel.begin(),
                         next.is_called_novel.end());
  names.insert(names.end(), more.begin(), more.end());
  is_known.insert(is_known.end(), more_known.begin(), more_known.end());
  key.batch = 0;
  count();
}

void PhaseView::merge(const PhaseView& other) {
  views.merge(other.views);
  if (hits_at_rank.size() == other.hits_at_rank.size()) {
    std::transform(hits_at_rank.begin(), hits_at_rank.end(), other.hits_at_rank.begin(),
                   hits_at_rank.begin(), std::plus());
  } else {
    hits_at_rank.clear();
  }
  PhaseView counts;
  counts.key = {kAllSteps, key.phase, key.split};
  counts.novel_to = novel_to;
  counts.views = std::move(views);
  counts.hits_at_rank = std::move(hits_at_rank);
  counts.closed_right = closed_right + other.closed_right;
  if (novelty_sets && other.novelty_sets) {
    counts.novelty_sets = novelty_sets;
    for (std::size_t set = 0; set < counts.novelty_sets->size(); ++set) {
      (*counts.novelty_sets)[set] += (*other.novelty_sets)[set];
    }
  }
  *this = std::move(counts);
}

PhaseView view_phase(const Phase& phase, const Truth& truth, NovelTo novel_to) {
  check_columns(phase);
  const std::vector<std::string> known = known_to(novel_to, phase);
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
  view.changed = phase.changed;
  view.batch.assign(phase.sample.size(), static_cast<std::int32_t>(phase.key.batch));
  view.known_at_first = first_novel - 1;
  view.task_of_class = phase.task_of_class;
  view.given_known = phase.given_known;
  view.observed = observe(phase, truth, known);
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
  view.sample = phase.sample;
  view.ranked.resize(phase.size(), ranks);
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
      view.ranked(i, rank) =
          entry >= 0 && entry < phase.space.size() ? place_of_entry(entry) : std::int32_t{-1};
    }
  }
  for (std::int32_t& best : view.given_known.best) {
    best = place_of_entry(best);
  }
  if (ranks == kTopRanks || ranks >= phase.space.size()) {
    view.hits_at_rank.resize(kTopRanks);
  }
  view.names = places.take();
  for (std::size_t place = 0; place < view.names.size(); ++place) {
    view.is_known.push_back(is_outside(static_cast<std::int32_t>(place)) == 0 ? 1 : 0);
  }
  view.count();
  return view;
}

}  // namespace tyto
