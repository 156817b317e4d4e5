// SPDX-License-Identifier: Apache-2.0
// Groups of like rows. A clusterer is one file that defines `ClustererSpec <name>_clusterer()` and
// one line in cluster/CMakeLists.txt; `tyto cluster --method` and the tests then find it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/cluster/group_scores.hpp"
#include "tyto/core/described.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/math/neighbours.hpp"

namespace tyto {

using Grouping = std::vector<std::int32_t>;  // group of each row, numbered by first appearance

struct ClusterTask {
  MatrixView rows;
  // The class of each row as far as it is known, -1: not; may be empty. Guides the choice among
  // levels; semi-supervised methods also learn from it.
  std::span<const std::int32_t> labels = {};
  Index groups = 0;                  // how many are asked for; 0: the method decides
  const Neighbours* near = nullptr;  // nearest rows within `rows`, self left out, if found already
};

struct Partitions {
  std::vector<Grouping> levels;            // finest first; at least one
  std::size_t chosen = 0;                  // by the labels, or the method's own choice
  std::vector<std::string> notes;          // what a user should know: "asked for 9, level 0 has 7"
  std::optional<GroupScores> scores = {};  // of the chosen groups, where the method is a model
};

// Equal rows, labels and random stream, equal answer. cluster() may run concurrently.
struct Clusterer : Interface {
  [[nodiscard]] virtual Partitions cluster(const ClusterTask& task, Work& work) const = 0;

  [[nodiscard]] virtual Index neighbours() const { return 0; }  // used of ClusterTask::near
};

using ClustererSpec = Described<Clusterer>;

template <class Options, class Made>
ClustererSpec clusterer_spec(std::string name, std::string summary, std::string cost,
                             std::string paper = "") {
  ClustererSpec spec{{std::move(name), std::move(summary), std::move(paper), std::move(cost)}};
  describe_made<Options, Made>(spec);
  return spec;
}

std::span<const ClustererSpec> clusterer_specs();  // by name

// Throws Error(config) with the likeliest spelling.
const ClustererSpec& find_clusterer(std::string_view name);

// Numbered anew by first appearance.
Grouping numbered(std::span<const std::int32_t> groups);

// The level whose groups agree best with the labels: greatest accuracy of the labelled rows under
// the best one-to-one assignment of groups to classes, ties to the finer level. Without a labelled
// row: `otherwise`.
std::size_t level_by_labels(const std::vector<Grouping>& levels,
                            std::span<const std::int32_t> labels, std::size_t otherwise);

}  // namespace tyto

// Example:
//
//   Progress quiet;
//   Work work{Rng(1), quiet};
//   const Matrix rows = Matrix::Random(100, 8);
//   const auto finch = find_clusterer("finch").make({}, "method");
//   const Partitions found = finch->cluster({.rows = rows}, work);
//   const Grouping& groups = found.levels[found.chosen];
