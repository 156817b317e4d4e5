// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/quick_bootstrap.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "tyto/sample/label_space.hpp"

namespace tyto {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

enum class Kind { none, share, auroc, matrix };

enum class Part : std::uint8_t { out, counted, hit };  // of a sample in a share

Kind kind_of(const MeasureColumn& column) {
  const std::string& name = column.spec->name;
  if (name == "auroc") {
    return Kind::auroc;
  }
  const bool share = name == "known_accuracy" || name == "detection_rate" ||
                     name == "false_alarm_rate" || (name == "accuracy" && column.view == View::raw);
  const bool of_matrix = name == "accuracy" || name == "mcc" || name == "nmi";
  return share ? Kind::share : of_matrix ? Kind::matrix : Kind::none;
}

// One view of all increments, in places of one list of names: those that occur, in the order in
// which the matrices of the increments, added up, have them, so that sums come out the same.
struct PooledView {
  View view = View::raw;
  std::vector<std::string> names;
  std::vector<std::vector<std::int32_t>> actual, decision;  // by increment and sample

  [[nodiscard]] Confusion drawn(const std::vector<std::vector<Index>>& rows) const {
    std::vector<std::int32_t> actual_drawn;
    std::vector<std::int32_t> decision_drawn;
    for (std::size_t s = 0; s < rows.size(); ++s) {
      for (const Index row : rows[s]) {
        actual_drawn.push_back(actual[s][static_cast<std::size_t>(row)]);
        decision_drawn.push_back(decision[s][static_cast<std::size_t>(row)]);
      }
    }
    return Confusion::from(names, actual_drawn, decision_drawn);
  }
};

std::string_view name_in(View view, const PhaseView& step, std::size_t place) {
  const bool known = step.is_known[place] != 0;
  switch (view) {
    case View::raw: break;
    case View::classification: return known ? std::string_view(step.names[place]) : kUnknownName;
    case View::detection: return known ? kKnownName : kUnknownName;
    case View::recognition: return known ? kKnownName : std::string_view(step.names[place]);
  }
  return step.names[place];
}

PooledView pooled_view(std::span<const PhaseView> steps, View view) {
  std::unordered_set<std::string_view> occurs;
  for (const PhaseView& step : steps) {
    for (const auto* column : {&step.actual, &step.decision}) {
      for (const std::int32_t place : *column) {
        occurs.insert(name_in(view, step, static_cast<std::size_t>(place)));
      }
    }
  }
  PooledView pooled;
  pooled.view = view;
  std::unordered_map<std::string_view, std::int32_t> places;
  for (const PhaseView& step : steps) {
    std::vector<std::int32_t> place_of(step.names.size(), -1);
    for (std::size_t i = 0; i < step.names.size(); ++i) {
      const std::string_view name = name_in(view, step, i);
      if (occurs.contains(name)) {
        const auto [found, is_new] =
            places.try_emplace(name, static_cast<std::int32_t>(pooled.names.size()));
        if (is_new) {
          pooled.names.emplace_back(name);
        }
        place_of[i] = found->second;
      }
    }
    const auto placed = [&](const std::vector<std::int32_t>& from) {
      std::vector<std::int32_t> to;
      to.reserve(from.size());
      for (const std::int32_t place : from) {
        to.push_back(place_of[static_cast<std::size_t>(place)]);
      }
      return to;
    };
    pooled.actual.push_back(placed(step.actual));
    pooled.decision.push_back(placed(step.decision));
  }
  return pooled;
}

// Measures of a matrix alone see nothing else of a phase.
PhaseView holding(View view, Confusion matrix) {
  PhaseView held;
  switch (view) {
    case View::raw: held.views.raw = std::move(matrix); break;
    case View::classification: held.views.classification = std::move(matrix); break;
    case View::detection: held.views.detection = std::move(matrix); break;
    case View::recognition: held.views.recognition = std::move(matrix); break;
  }
  return held;
}

// By place: the first place of the same name.
std::vector<std::int32_t> first_places(const std::vector<std::string>& names) {
  std::map<std::string_view, std::int32_t> first;
  std::vector<std::int32_t> places;
  for (const std::string& name : names) {
    places.push_back(
        first.try_emplace(name, static_cast<std::int32_t>(places.size())).first->second);
  }
  return places;
}

std::vector<Part> roles_of(const PhaseView& view, std::string_view measure) {
  const std::vector<std::int32_t> place = first_places(view.names);
  std::vector<Part> roles;
  for (std::size_t i = 0; i < view.actual.size(); ++i) {
    const bool novel = view.is_novel[i] != 0;
    const bool called = view.is_called_novel[i] != 0;
    bool counts = true;
    bool hits = false;
    if (measure == "accuracy") {
      hits = place[static_cast<std::size_t>(view.actual[i])] ==
             place[static_cast<std::size_t>(view.decision[i])];
    } else if (measure == "known_accuracy") {
      counts = !novel;
      hits = view.actual[i] == view.decision[i];
    } else {
      counts = (measure == "detection_rate") == novel;
      hits = called;
    }
    roles.push_back(!counts ? Part::out : hits ? Part::hit : Part::counted);
  }
  return roles;
}

double share(const std::vector<std::vector<Part>>& roles,
             const std::vector<std::vector<Index>>& rows) {
  std::int64_t counts = 0;
  std::int64_t hits = 0;
  for (std::size_t s = 0; s < roles.size(); ++s) {
    for (const Index row : rows[s]) {
      const Part part = roles[s][static_cast<std::size_t>(row)];
      counts += part != Part::out ? 1 : 0;
      hits += part == Part::hit ? 1 : 0;
    }
  }
  return counts == 0 ? kMissing : static_cast<double>(hits) / static_cast<double>(counts);
}

// By sample: the rank of its score, equal scores sharing one.
struct Ranks {
  std::vector<std::int32_t> of;
  std::size_t count = 0;
};

Ranks ranks_of(const PhaseView& view) {
  std::vector<float> scores = view.novelty;
  std::sort(scores.begin(), scores.end());
  scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
  Ranks ranks{{}, scores.size()};
  for (const float score : view.novelty) {
    ranks.of.push_back(static_cast<std::int32_t>(
        std::lower_bound(scores.begin(), scores.end(), score) - scores.begin()));
  }
  return ranks;
}

// Mean over the increments in which it is defined.
double auroc_of(std::span<const PhaseView> steps, const std::vector<Ranks>& ranks,
                const std::vector<std::vector<Index>>& rows) {
  double sum = 0;
  Index defined = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (ranks[s].of.empty()) {
      continue;
    }
    NoveltyRanking drawn;
    drawn.groups.resize(ranks[s].count);
    for (const Index row : rows[s]) {
      const auto at = static_cast<std::size_t>(row);
      NoveltyRanking::Group& group = drawn.groups[static_cast<std::size_t>(ranks[s].of[at])];
      const bool novel = steps[s].is_novel[at] != 0;
      ++(novel ? group.novel : group.known);
      ++(novel ? drawn.novel : drawn.known);
    }
    if (const auto value = auroc(drawn)) {
      sum += *value;
      ++defined;
    }
  }
  return defined == 0 ? kMissing : sum / static_cast<double>(defined);
}

}  // namespace

bool has_quick_interval(const MeasureColumn& column) {
  return kind_of(column) != Kind::none;
}

std::vector<Interval> quick_intervals(std::span<const PhaseView> steps, Columns columns,
                                      const BootstrapOptions& options) {
  std::vector<std::vector<std::vector<Part>>> roles(columns.size());  // by column, step, sample
  std::vector<Ranks> ranks;
  std::vector<PooledView> pooled;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool is_there = std::any_of(pooled.begin(), pooled.end(), [&](const PooledView& one) {
      return one.view == columns[c].view;
    });
    if (kind_of(columns[c]) == Kind::matrix && !is_there) {
      pooled.push_back(pooled_view(steps, columns[c].view));
    }
    for (const PhaseView& step : steps) {
      if (kind_of(columns[c]) == Kind::share) {
        roles[c].push_back(roles_of(step, columns[c].spec->name));
      } else if (kind_of(columns[c]) == Kind::auroc && ranks.size() < steps.size()) {
        ranks.push_back(ranks_of(step));
      }
    }
  }
  const Resampler resampler(steps, options);
  std::vector<std::vector<double>> drawn(
      columns.size(), std::vector<double>(static_cast<std::size_t>(options.replicates)));
  Progress quiet;
  for_each_replicate(options.replicates, quiet, [&](Index replicate) {
    const auto rows = resampler.draw(replicate);
    for (const PooledView& one : pooled) {
      const PhaseView matrix = holding(one.view, one.drawn(rows));
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (kind_of(columns[c]) == Kind::matrix && columns[c].view == one.view) {
          drawn[c][static_cast<std::size_t>(replicate)] =
              columns[c].spec->value(matrix, one.view).value_or(kMissing);
        }
      }
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Kind kind = kind_of(columns[c]);
      if (kind == Kind::matrix) {
        continue;
      }
      drawn[c][static_cast<std::size_t>(replicate)] = kind == Kind::share ? share(roles[c], rows)
                                                      : kind == Kind::auroc
                                                          ? auroc_of(steps, ranks, rows)
                                                          : kMissing;
    }
  });
  std::vector<Interval> intervals;
  for (const auto& values : drawn) {
    intervals.push_back(percentile_interval(values, options.level));
  }
  return intervals;
}

}  // namespace tyto
