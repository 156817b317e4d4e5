// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/labelled_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "tyto/cluster/group_count.hpp"
#include "tyto/math/assignment.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 5> kEstimates{"golden", "brent", "bisection", "dp", "bic"};
constexpr Index kFewestToHide = 4;  // classes, half of which show anything

// Every second class without its labels: what is learned of the others shows how settings deal with
// classes nobody has labelled. The number of groups is the same.
LabelledRows half_hidden(const LabelledRows& labelled) {
  LabelledRows out = labelled;
  out.classes = (labelled.classes + 1) / 2;
  for (std::int32_t& own : out.pinned) {
    own = own >= 0 && own % 2 == 0 ? own / 2 : -1;
  }
  return out;
}

}  // namespace

void GroupCountOptions::describe(OptionVisitor& v) {
  v.field("groups", groups, {0, 1e6},
          "groups, the labelled classes among them; 0: as many as are estimated");
  v.field("max_groups", max_groups, {1, 1e6}, "the most tried where groups is 0");
  v.field(
      "estimate", estimate, kEstimates,
      "where groups is 0. The number at which plain k-means puts most labelled rows right, by "
      "golden section, Brent's bounded search or bisection (the last two as published); dp: the "
      "components a Dirichlet-process mixture keeps; bic: the least Bayesian information "
      "criterion of spherical groups");
}

LabelledRows labelled_rows(const ClusterTask& task, const GroupCountOptions& options,
                           std::vector<std::string>& notes, Work& work) {
  const Index n = task.rows.rows();
  std::map<std::int32_t, std::int32_t> class_of;  // of each label
  for (const std::int32_t label : task.labels) {
    if (label >= 0) {
      class_of.emplace(label, 0);
    }
  }
  LabelledRows out;
  for (auto& [label, number] : class_of) {
    number = static_cast<std::int32_t>(out.classes++);
  }
  out.pinned.assign(static_cast<std::size_t>(n), -1);
  for (std::size_t i = 0; i < task.labels.size(); ++i) {
    out.pinned[i] = task.labels[i] < 0 ? -1 : class_of.at(task.labels[i]);
  }
  out.groups = task.groups > 0 ? task.groups : options.groups;
  const bool by_labels = options.estimate != "dp" && options.estimate != "bic";
  if (out.groups == 0 && out.classes == 0 && by_labels) {
    out.groups = std::max(Index{1}, static_cast<Index>(std::sqrt(static_cast<double>(n) / 2.0)));
    notes.push_back(fmt::format(
        "no labelled row says how many groups there are: took sqrt(rows / 2) = {}", out.groups));
  } else if (out.groups == 0) {
    out.groups = estimate_groups(task.rows, out.pinned, out.classes,
                                 {options.estimate, options.max_groups}, work);
  } else if (out.groups < out.classes) {
    notes.push_back(fmt::format("asked for {} groups, but {} classes are labelled: took {}",
                                out.groups, out.classes, out.classes));
    out.groups = out.classes;
  }
  return out;
}

std::int64_t rows_right(std::span<const std::int32_t> group, std::span<const std::int32_t> pinned,
                        Index classes) {
  std::int32_t last = 0;
  for (const std::int32_t g : group) {
    last = std::max(last, g);
  }
  auto cost = Dense<std::int64_t>::Zero(classes, last + Index{1}).eval();
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (pinned[i] >= 0) {
      cost(pinned[i], group[i]) -= 1;
    }
  }
  std::int64_t right = 0;
  const std::vector<Index> pairs = least_cost_pairs(cost);
  for (Index c = 0; c < classes; ++c) {
    const Index column = pairs[static_cast<std::size_t>(c)];
    right -= column < 0 ? 0 : cost(c, column);
  }
  return right;
}

std::vector<std::int32_t> best_columns(const Matrix& scores, std::span<const std::int32_t> pinned) {
  std::vector<std::int32_t> out;
  for (Index i = 0; i < scores.rows(); ++i) {
    Index best = 0;
    scores.row(i).maxCoeff(&best);
    const std::int32_t own = pinned[static_cast<std::size_t>(i)];
    out.push_back(own >= 0 ? own : static_cast<std::int32_t>(best));
  }
  return out;
}

Partitions partition_of(const std::vector<std::int32_t>& group, GroupScores scores, Index asked,
                        std::vector<std::string> notes) {
  Partitions out;
  out.levels.push_back(numbered(group));
  out.notes = std::move(notes);
  std::vector<Index> order;  // the former number of each group
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (out.levels[0][i] == static_cast<std::int32_t>(order.size())) {
      order.push_back(group[i]);
    }
  }
  if (std::ssize(order) < asked) {
    out.notes.push_back(
        fmt::format("asked for {} groups, the rows fall into {} only", asked, order.size()));
  }
  scores.weight = scores.weight(order, Eigen::all).eval();
  scores.bias = scores.bias(Eigen::all, order).eval();
  if (scores.square.size() > 0) {
    scores.square = scores.square(order, Eigen::all).eval();
  }
  out.scores = std::move(scores);
  return out;
}

KMeansResult pinned_start(const MatrixView& rows, const LabelledRows& labelled, Index starts,
                          const Rng& rng) {
  KMeansOptions options;
  options.starts = starts;
  options.pinned = labelled.pinned;
  options.draw_pinned = false;
  return k_means(rows, labelled.groups, rng, options);
}

double best_with_hidden_labels(
    const MatrixView& rows, const LabelledRows& labelled, Index starts, const Rng& rng,
    double usual, std::initializer_list<double> settings,
    const std::function<std::vector<std::int32_t>(const LabelledRows& hidden, const Matrix& centres,
                                                  double setting)>& group) {
  if (labelled.classes < kFewestToHide) {
    return usual;
  }
  const LabelledRows hidden = half_hidden(labelled);
  const Matrix centres = pinned_start(rows, hidden, starts, rng).centres;
  double best = usual;
  std::int64_t most = -1;
  for (const double setting : settings) {
    const std::int64_t right =
        rows_right(group(hidden, centres, setting), labelled.pinned, labelled.classes);
    if (right > most) {
      most = right;
      best = setting;
    }
  }
  return best;
}

}  // namespace tyto
