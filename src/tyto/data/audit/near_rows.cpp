// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/near_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tyto/core/parallel.hpp"
#include "tyto/math/neighbours.hpp"
#include "tyto/math/quantile.hpp"

namespace tyto {

namespace {

constexpr Index kMostValues = Index{1} << 25;  // 128 MiB
constexpr Index kQueries = 4096;               // between two signs of life

std::vector<Index> draw(Index samples, Index width, const NearOptions& options) {
  const Index most = std::min(options.most_rows, std::max<Index>(2, kMostValues / width));
  if (samples <= most) {
    std::vector<Index> all(static_cast<std::size_t>(samples));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  std::vector<Index> chosen = Rng(options.seed, "audit/near_rows").permutation(samples);
  chosen.resize(static_cast<std::size_t>(most));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// A row per sample; of several frames their mean.
Matrix sample_rows(const Dataset& dataset, const SourceScan& source,
                   const std::vector<Index>& samples) {
  Matrix out(static_cast<Index>(samples.size()), source.width());
  if (dataset.table.frames.empty()) {
    dataset.store->gather(source.name, samples, out);
    return out;
  }
  const auto starts = first_rows(dataset.table);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto at = static_cast<std::size_t>(samples[i]);
    std::vector<Index> rows(static_cast<std::size_t>(starts[at + 1] - starts[at]));
    std::iota(rows.begin(), rows.end(), starts[at]);
    Matrix frames(static_cast<Index>(rows.size()), source.width());
    dataset.store->gather(source.name, rows, frames);
    out.row(static_cast<Index>(i)) = frames.colwise().mean();
  }
  return out;
}

void standardise(Matrix& rows) {
  for (Index j = 0; j < rows.cols(); ++j) {
    const auto column = rows.col(j).cast<double>().array();
    const double mean = column.mean();
    const double variance = (column - mean).square().mean();
    const double scale = variance > 0 ? 1.0 / std::sqrt(variance) : 0.0;
    rows.col(j) = ((column - mean) * scale).cast<float>().matrix().eval();
  }
}

Matrix taken(const Matrix& rows, const std::vector<Index>& which) {
  Matrix out(static_cast<Index>(which.size()), rows.cols());
  for (std::size_t i = 0; i < which.size(); ++i) {
    out.row(static_cast<Index>(i)) = rows.row(which[i]);
  }
  return out;
}

class NearSearch {
 public:
  NearSearch(const Dataset& dataset, const DatasetScan& scan, const NearOptions& options,
             Progress& progress)
      : dataset_(dataset), scan_(scan), options_(options), progress_(progress) {}

  NearRows run() {
    choose();
    if (samples_.size() < 2) {
      return std::move(out_);
    }
    progress_.begin("comparing samples", 2.0 * static_cast<double>(samples_.size()));
    search_all();
    if (out_.median > 0) {
      search_across();
    }
    progress_.end();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint64_t hash(Index sample) const {
    return scan_.sample_hash[static_cast<std::size_t>(sample)];
  }

  // One sample of each set of equal ones, those with finite values only.
  void choose() {
    const SourceScan& source = scan_.sources.front();
    const std::vector<Index> chosen =
        draw(dataset_.table.size(), std::max<Index>(1, source.width()), options_);
    out_.samples = std::ssize(chosen);
    out_.are_drawn = out_.samples < dataset_.table.size();
    for (const Index sample : chosen) {
      members_[hash(sample)].push_back(sample);
    }
    const Matrix rows = sample_rows(dataset_, source, chosen);
    std::vector<Index> kept;
    for (Index i = 0; i < rows.rows(); ++i) {
      const Index sample = chosen[static_cast<std::size_t>(i)];
      if (members_[hash(sample)].front() == sample && rows.row(i).allFinite()) {
        kept.push_back(i);
        samples_.push_back(sample);
      }
    }
    rows_ = taken(rows, kept);
    standardise(rows_);
    out_.distinct = std::ssize(samples_);
  }

  template <class Each>
  void nearest(const std::vector<Index>& queries, const Matrix& references, Index k,
               const Each& each) {
    in_blocks(std::ssize(queries), kQueries, [&](Index begin, Index count) {
      const std::vector<Index> some(queries.begin() + begin, queries.begin() + begin + count);
      const Neighbours found = nearest_rows(taken(rows_, some), references, k);
      for (Index i = 0; i < count; ++i) {
        each(begin + i, found, i);
      }
      progress_.advance(static_cast<double>(count));
    });
  }

  void search_all() {
    std::vector<Index> all(samples_.size());
    std::iota(all.begin(), all.end(), Index{0});
    std::vector<double> distance(samples_.size());
    std::vector<Index> other(samples_.size());
    nearest(all, rows_, 2, [&](Index query, const Neighbours& found, Index i) {
      const Index column = found.row(i, 0) == query ? 1 : 0;  // not itself
      distance[static_cast<std::size_t>(query)] =
          std::sqrt(static_cast<double>(found.distance(i, column)));
      other[static_cast<std::size_t>(query)] = found.row(i, column);
    });
    out_.median = quantile(std::span<const double>(distance), 0.5);
    if (out_.median <= 0) {
      return;
    }
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      keep(out_.pairs, samples_[i], samples_[static_cast<std::size_t>(other[i])], distance[i]);
    }
    sort(out_.pairs);
  }

  void search_across() {
    const IndexTable& table = dataset_.table;
    if (table.split.empty()) {
      return;
    }
    std::vector<Index> trained;
    std::vector<Index> trained_sample;
    std::vector<Index> held_out;
    std::vector<Index> held_out_sample;
    for (Index i = 0; i < std::ssize(samples_); ++i) {
      Index in_train = -1;
      Index outside = -1;
      for (const Index sample : members_.at(hash(samples_[static_cast<std::size_t>(i)]))) {
        const std::string& split = table.split[static_cast<std::size_t>(sample)];
        if (split == "train") {
          in_train = in_train < 0 ? sample : in_train;
        } else if (!split.empty()) {
          outside = outside < 0 ? sample : outside;
        }
      }
      if (in_train >= 0) {  // one that is outside as well is equal to a row of train
        trained.push_back(i);
        trained_sample.push_back(in_train);
      } else if (outside >= 0) {
        held_out.push_back(i);
        held_out_sample.push_back(outside);
      }
    }
    if (trained.empty()) {
      return;
    }
    nearest(held_out, taken(rows_, trained), 1, [&](Index query, const Neighbours& found, Index i) {
      keep(out_.across, held_out_sample[static_cast<std::size_t>(query)],
           trained_sample[static_cast<std::size_t>(found.row(i, 0))],
           std::sqrt(static_cast<double>(found.distance(i, 0))));
    });
    sort(out_.across);
  }

  void keep(std::vector<NearPair>& pairs, Index sample, Index other, double distance) const {
    const double share = distance / out_.median;
    if (share < options_.share) {
      pairs.push_back({sample, other, share});
    }
  }

  static void sort(std::vector<NearPair>& pairs) {
    std::sort(pairs.begin(), pairs.end(), [](const NearPair& a, const NearPair& b) {
      return a.share != b.share ? a.share < b.share : a.sample < b.sample;
    });
  }

  const Dataset& dataset_;
  const DatasetScan& scan_;
  const NearOptions& options_;
  Progress& progress_;
  NearRows out_;
  std::vector<Index> samples_;                           // distinct ones, a row of rows_ each
  std::map<std::uint64_t, std::vector<Index>> members_;  // chosen samples of each hash
  Matrix rows_;                                          // standardised
};

}  // namespace

NearRows find_near_rows(const Dataset& dataset, const DatasetScan& scan, const NearOptions& options,
                        Progress& progress) {
  if (options.share <= 0 || scan.sources.empty()) {
    return {};
  }
  return NearSearch(dataset, scan, options, progress).run();
}

}  // namespace tyto
