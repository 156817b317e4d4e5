// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/methods/finch.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/cluster/approximate.hpp"
#include "tyto/cluster/group_means.hpp"
#include "tyto/core/error.hpp"
#include "tyto/math/all_finite.hpp"

namespace tyto {

namespace {

constexpr double kWorthANote = 2e11;  // products: about a second

void check_supplied(const FirstNeighbours& first, Index rows) {
  if (std::ssize(first.row) != rows) {
    throw Error(ErrorKind::data,
                fmt::format("{} first neighbours are given for {} rows", first.row.size(), rows));
  }
  for (Index i = 0; i < rows; ++i) {
    const std::int32_t other = first.row[static_cast<std::size_t>(i)];
    if (other < 0 || other >= rows || other == i) {
      throw Error(ErrorKind::data,
                  fmt::format("the first neighbour of row {} is given as {}, which is not another "
                              "of the {} rows",
                              i, other, rows));
    }
  }
}

Matrix with_time(const MatrixView& rows) {
  Matrix out(rows.rows(), rows.cols() + 1);
  out.leftCols(rows.cols()) = rows;
  for (Index i = 0; i < rows.rows(); ++i) {
    out(i, rows.cols()) =
        static_cast<float>(static_cast<double>(i + 1) / static_cast<double>(rows.rows()));
  }
  return out;
}

Grouping coarser(const Grouping& fine, const Grouping& of_groups) {
  Grouping out;
  out.reserve(fine.size());
  for (const std::int32_t group : fine) {
    out.push_back(of_groups[static_cast<std::size_t>(group)]);
  }
  return out;
}

FinchLevels levels_of(const MatrixView& rows, const FinchSettings& settings,
                      const FirstNeighbours* given, const FinchPulse& pulse) {
  FinchLevels out;
  const auto hear = [&](Index n) {
    return pulse ? Pulse([&pulse, n](double done) { pulse(n, done); }) : Pulse();
  };
  {
    const RowDistance<float> distance(rows, settings.metric, settings.time_weighted);
    const FirstNeighbours found =
        given != nullptr ? FirstNeighbours{} : first_neighbours(distance, hear(rows.rows()));
    const FirstNeighbours& first = given != nullptr ? *given : found;
    out.levels.push_back(linked_groups(distance, first));
    if (settings.early_exit && !settings.time_weighted && rows.rows() > 2 &&
        first.distance.size() == first.row.size()) {
      out.longest_link = longest_link(distance, first, settings.weight);
    }
  }
  for (Index before = group_count(out.levels.back()); before > 1;) {
    const Dense<double> means = group_means(rows, out.levels.back());
    const RowDistance<double> distance(means, settings.metric, settings.time_weighted);
    const Grouping merged = linked_groups(distance, first_neighbours(distance, hear(before)),
                                          out.longest_link, settings.weight);
    const Index count = group_count(merged);
    if (count == 1 || count >= before) {
      break;
    }
    out.levels.push_back(coarser(out.levels.back(), merged));
    if (before - count == 1) {
      break;
    }
    before = count;
  }
  return out;
}

struct FinchOptions {
  std::string metric = "cosine";
  bool early_exit = true, binary_links = false, time_weighted = false;
  std::string neighbours = "exact", level = "quality";

  void describe(OptionVisitor& visitor) {
    static constexpr std::string_view kMetrics[] = {"cosine", "euclidean", "manhattan"};
    static constexpr std::string_view kSearches[] = {"exact", "approximate"};
    static constexpr std::string_view kLevels[] = {"quality", "finest", "coarsest"};
    visitor.field("metric", metric, kMetrics, "distance between rows and between means");
    visitor.field("early_exit", early_exit, "cut links longer than the longest of level 0");
    visitor.field("binary_links", binary_links,
                  "mutual neighbours weigh 1 in the cut, as in MATLAB, not 2 as in Python");
    visitor.field("time_weighted", time_weighted,
                  "rows are in the order of time: distances times the difference in time");
    visitor.field("neighbours", neighbours, kSearches,
                  "approximate: in lists about centres at level 0, recall in the notes");
    visitor.field("level", level, kLevels,
                  "level chosen without labels; quality: the best silhouette of the means");
  }
};

class FinchClusterer final : public Clusterer {
 public:
  explicit FinchClusterer(FinchOptions options)
      : options_(std::move(options)),
        settings_{metric_of(options_.metric), options_.early_exit,
                  options_.binary_links ? LinkWeight::binary : LinkWeight::shared,
                  options_.time_weighted} {
    if (options_.time_weighted && options_.neighbours == "approximate") {
      throw Error(ErrorKind::config,
                  "time_weighted has no approximate neighbours; leave one of the two out");
    }
    if (options_.neighbours == "approximate" && settings_.metric == Metric::manhattan) {
      throw Error(ErrorKind::config,
                  "approximate neighbours are for the metrics cosine and euclidean, not manhattan");
    }
  }

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work& work) const override {
    const auto pulse = [&](Index n, double done) {
      const auto rows = static_cast<double>(n);
      if (rows * rows * static_cast<double>(task.rows.cols()) > kWorthANote) {
        work.progress.note(fmt::format("first neighbours of {} rows, {:.0f} %", n, 100.0 * done));
      } else {
        work.progress.pulse();
      }
    };
    Partitions out;
    if (task.rows.rows() == 0) {
      out.levels.emplace_back();
      return out;
    }
    std::optional<FirstNeighbours> near;
    if (options_.neighbours == "approximate" && task.rows.rows() > 1) {
      ApproximateNeighbours found = approximate_neighbours(task.rows, settings_.metric);
      out.notes.push_back(
          fmt::format("approximate neighbours by {}: recall of the first {:.3f} on {} rows",
                      found.method, found.recall, found.sample));
      near = std::move(found.first);
    }
    FinchLevels found = finch_levels(task.rows, settings_, near ? &*near : nullptr, pulse);
    if (std::isfinite(found.longest_link)) {
      out.notes.push_back(
          fmt::format("early exit: links longer than {:.6g} are cut", found.longest_link));
    }
    out.levels = std::move(found.levels);
    if (task.groups > 0) {
      add_groups(task, out);
    } else {
      out.chosen = level_by_labels(out.levels, task.labels, own_choice(task, out));
    }
    return out;
  }

 private:
  void add_groups(const ClusterTask& task, Partitions& out) const {
    const Index finest = group_count(out.levels.front());
    if (task.groups > finest) {
      out.notes.push_back(
          fmt::format("asked for {} groups, the finest level has {}", task.groups, finest));
    }
    Grouping asked = finch_groups(task.rows, settings_, out.levels, task.groups);
    const auto place = std::find_if(
        out.levels.begin(), out.levels.end(),
        [count = group_count(asked)](const Grouping& level) { return group_count(level) < count; });
    out.chosen = static_cast<std::size_t>(place - out.levels.begin());
    out.levels.insert(place, std::move(asked));
  }

  [[nodiscard]] std::size_t own_choice(const ClusterTask& task, Partitions& out) const {
    const std::size_t coarsest = out.levels.size() - 1;
    if (options_.level != "quality") {
      return options_.level == "finest" ? 0 : coarsest;
    }
    if (settings_.time_weighted || settings_.metric == Metric::manhattan) {
      return coarsest;  // no silhouette
    }
    std::size_t best = 0;
    double most = -2.0;
    std::vector<std::string> words;
    for (std::size_t level = 0; level < out.levels.size(); ++level) {
      const auto quality = centroid_silhouette(task.rows, out.levels[level], settings_.metric);
      words.push_back(quality ? fmt::format("{:.3f}", *quality) : "-");
      if (quality.value_or(-2.0) > most) {
        most = *quality;
        best = level;
      }
    }
    out.notes.push_back(fmt::format("silhouette of the means by level: {}", fmt::join(words, " ")));
    return best;
  }

  FinchOptions options_;
  FinchSettings settings_;
};

}  // namespace

FinchLevels finch_levels(const MatrixView& rows, const FinchSettings& settings,
                         const FirstNeighbours* first, const FinchPulse& pulse) {
  if (rows.rows() == 0 || rows.cols() == 0) {
    throw Error(ErrorKind::data, fmt::format("FINCH needs rows of numbers, given {} x {}",
                                             rows.rows(), rows.cols()));
  }
  if (!all_finite(rows)) {
    throw Error(ErrorKind::data, "FINCH needs numbers; a row holds NaN or an infinity");
  }
  if (first != nullptr && rows.rows() > 1) {
    check_supplied(*first, rows.rows());
  }
  if (settings.time_weighted) {
    return levels_of(with_time(rows), settings, first, pulse);
  }
  return levels_of(rows, settings, rows.rows() > 1 ? first : nullptr, pulse);
}

Grouping finch_groups(const MatrixView& rows, const FinchSettings& settings,
                      const std::vector<Grouping>& levels, Index count) {
  TYTO_ASSERT(!levels.empty());
  const Grouping* from = &levels.front();
  for (const Grouping& level : levels) {
    if (group_count(level) >= count) {
      from = &level;
    }
  }
  return group_count(*from) <= count ? *from
         : settings.time_weighted
             ? merge_closest(with_time(rows), *from, count, settings.metric, true)
             : merge_closest(rows, *from, count, settings.metric);
}

ClustererSpec finch_clusterer() {
  return clusterer_spec<FinchOptions, FinchClusterer>(
      "finch", "links first neighbours, then the means of the groups in turn; a few levels",
      "n^2 d / 2 products for level 0, memory O(n d)",
      "Sarfraz, Sharma, Stiefelhagen: Efficient Parameter-free Clustering Using First Neighbor "
      "Relations, CVPR 2019");
}

}  // namespace tyto
