// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/quick_bootstrap.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace tyto {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

enum class Kind { none, share, auroc };

enum class Part : std::uint8_t { out, counted, hit };  // of a sample in a share

Kind kind_of(const MeasureColumn& column) {
  const std::string& name = column.spec->name;
  if (name == "auroc") {
    return Kind::auroc;
  }
  const bool share = name == "known_accuracy" || name == "detection_rate" ||
                     name == "false_alarm_rate" || (name == "accuracy" && column.view == View::raw);
  return share ? Kind::share : Kind::none;
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
  for (std::size_t c = 0; c < columns.size(); ++c) {
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
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Kind kind = kind_of(columns[c]);
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
