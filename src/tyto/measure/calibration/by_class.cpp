// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/calibration/by_class.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kTogether = 8;  // columns gathered at once: a cache line of a row

// Exponent and the first 6 digits of a number in [0, 1]: ordered as the numbers are.
constexpr int kDropped = 46;
constexpr std::size_t kBuckets = (std::size_t{1023} << 6) + 2;

std::size_t bucket_of(double p) {
  return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(p) >> kDropped);
}

std::vector<std::vector<Index>> rows_by_class(std::span<const Index> truth, Index classes) {
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(classes));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    rows[static_cast<std::size_t>(truth[i])].push_back(static_cast<Index>(i));
  }
  return rows;
}

// Runs of equal mass without sorting: buckets of near values are counted, and only those which a
// run's end falls into are put in order (by value, then row).
class EqualMass {
 public:
  explicit EqualMass(Index runs)
      : runs_(static_cast<std::size_t>(runs)), count_(kBuckets), run_of_(kBuckets) {}

  double mean_absolute_gap(std::span<const double> p, std::span<const Index> hits) {
    divide(p);
    std::vector<ReliabilityBin> bins(runs_);
    std::vector<std::vector<std::pair<double, Index>>> split(split_.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      const std::int32_t run = run_of_[bucket_of(p[i])];
      if (run >= 0) {
        bins[static_cast<std::size_t>(run)].confidence += p[i];
      } else {
        split[static_cast<std::size_t>(-1 - run)].emplace_back(p[i], static_cast<Index>(i));
      }
    }
    for (const Index row : hits) {
      const std::int32_t run = run_of_[bucket_of(p[static_cast<std::size_t>(row)])];
      if (run >= 0) {
        bins[static_cast<std::size_t>(run)].correct += 1.0;
      }
    }
    for (std::size_t s = 0; s < split.size(); ++s) {
      std::sort(split[s].begin(), split[s].end());
      for (std::size_t i = 0; i < split[s].size(); ++i) {
        ReliabilityBin& bin = bins[run_at(split_[s] + i)];
        bin.confidence += split[s][i].first;
        bin.correct += std::binary_search(hits.begin(), hits.end(), split[s][i].second) ? 1.0 : 0.0;
      }
    }
    double sum = 0.0;
    for (std::size_t r = 0; r < runs_; ++r) {
      bins[r].count = static_cast<Index>(ends_[r] - (r == 0 ? 0 : ends_[r - 1]));
      sum += std::abs(bins[r].gap());
    }
    return sum / static_cast<double>(runs_);
  }

 private:
  [[nodiscard]] std::size_t run_at(std::size_t rank) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), rank) -
                                    ends_.begin());
  }

  void divide(std::span<const double> p) {
    std::fill(count_.begin(), count_.end(), 0U);
    for (const double value : p) {
      ++count_[bucket_of(value)];
    }
    ends_.resize(runs_);
    for (std::size_t r = 0, end = 0; r < runs_; ++r) {
      end += p.size() / runs_ + (r < p.size() % runs_ ? 1 : 0);
      ends_[r] = end;
    }
    split_.clear();
    std::size_t before = 0;
    for (std::size_t b = 0; b < kBuckets; ++b) {
      if (count_[b] == 0) {
        continue;
      }
      const std::size_t first = run_at(before);
      const bool whole = run_at(before + count_[b] - 1) == first;
      run_of_[b] =
          whole ? static_cast<std::int32_t>(first) : -1 - static_cast<std::int32_t>(split_.size());
      if (!whole) {
        split_.push_back(before);
      }
      before += count_[b];
    }
  }

  std::size_t runs_;
  std::vector<std::uint32_t> count_;
  std::vector<std::int32_t> run_of_;  // of a bucket; below 0: -1 - place in split_
  std::vector<std::size_t> ends_;     // rank behind the last of each run
  std::vector<std::size_t> split_;    // rank of the first value of a bucket that runs share
};

// body(column, probabilities) for every column, in any order.
template <class Scratch, class Body>
void for_each_column(const Scores& logits, const double* log_sums, const Scratch& make_scratch,
                     const Body& body) {
  const Index n = logits.rows();
  const Index blocks = (logits.cols() + kTogether - 1) / kTogether;
  for_each_index(blocks, [&](Index block) {
    const Index first = block * kTogether;
    const Index width = std::min(kTogether, logits.cols() - first);
    Eigen::ArrayXXd p(n, width);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < width; ++j) {
        p(i, j) = logits(i, first + j) - log_sums[i];
      }
    }
    p = p.exp();
    auto scratch = make_scratch();
    for (Index j = 0; j < width; ++j) {
      body(first + j, std::span<const double>(p.col(j).data(), static_cast<std::size_t>(n)),
           scratch);
    }
  });
}

void fill(ReliabilityBins& bins, std::span<const double> p, std::span<const Index> hits) {
  std::size_t hit = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const bool is_hit = hit < hits.size() && hits[hit] == static_cast<Index>(i);
    hit += is_hit ? 1 : 0;
    bins.add(p[i], is_hit);
  }
}

}  // namespace

ClasswiseBins::ClasswiseBins(Index classes, Index bins, BinRule rule)
    : bins_(static_cast<std::size_t>(classes), ReliabilityBins(bins, rule)) {}

void ClasswiseBins::add(const Scores& logits, std::span<const Index> truth) {
  expect_scores(logits, "the scores");
  expect_truth(truth, logits, "the labels");
  if (logits.cols() != std::ssize(bins_)) {
    throw Error(ErrorKind::state, "a table of other classes cannot be added");
  }
  const auto rows = rows_by_class(truth, logits.cols());
  const Eigen::VectorXd log_sums = row_log_sums(logits);
  for_each_column(
      logits, log_sums.data(), [] { return 0; },
      [&](Index column, std::span<const double> p, int) {
        const auto at = static_cast<std::size_t>(column);
        fill(bins_[at], p, rows[at]);
      });
}

void ClasswiseBins::merge(const ClasswiseBins& other) {
  if (other.bins_.size() != bins_.size()) {
    throw Error(ErrorKind::state, "bins of other classes cannot be added");
  }
  for (std::size_t k = 0; k < bins_.size(); ++k) {
    bins_[k].merge(other.bins_[k]);
  }
}

double ClasswiseBins::ece() const {
  double sum = 0.0;
  for (const ReliabilityBins& bins : bins_) {
    sum += bins.ece();
  }
  return sum / static_cast<double>(bins_.size());
}

ColumnErrors column_errors(const Scores& logits, std::span<const Index> truth, Index runs,
                           BinRule rule) {
  return column_errors(logits, score_samples(logits, truth), runs, rule);
}

ColumnErrors column_errors(const Scores& logits, const ScoredSamples& samples, Index runs,
                           BinRule rule) {
  TYTO_ASSERT(samples.size() == logits.rows());
  const auto rows = rows_by_class(samples.truth, logits.cols());
  const auto classes = static_cast<std::size_t>(logits.cols());
  std::vector<double> ece(classes);
  std::vector<double> ace(classes);
  if (logits.rows() == 0) {
    return {};
  }
  for_each_column(
      logits, samples.log_sum.data(), [&] { return EqualMass(runs); },
      [&](Index column, std::span<const double> p, EqualMass& equal) {
        const auto at = static_cast<std::size_t>(column);
        ReliabilityBins bins(runs, rule);
        fill(bins, p, rows[at]);
        ece[at] = bins.ece();
        ace[at] = equal.mean_absolute_gap(p, rows[at]);
      });
  const auto mean = [&](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(classes);
  };
  return {mean(ece), mean(ace)};
}

std::vector<ClassReliability> class_reliability(const ScoredSamples& samples, Index bins,
                                                BinRule rule) {
  Index classes = 0;
  for (const Index column : samples.truth) {
    classes = std::max(classes, column + 1);
  }
  const auto rows = rows_by_class(samples.truth, classes);
  std::vector<ClassReliability> out;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].empty()) {
      continue;
    }
    const ScoredSamples own = samples.pick(rows[k]);
    const auto n = static_cast<double>(own.size());
    ClassReliability row;
    row.column = static_cast<Index>(k);
    row.count = own.size();
    row.recall = std::accumulate(own.correct.begin(), own.correct.end(), 0.0) / n;
    row.mean_confidence = std::accumulate(own.confidence.begin(), own.confidence.end(), 0.0) / n;
    row.delta = row.mean_confidence - row.recall;
    row.ece = confidence_bins(own, bins, rule).ece();
    out.push_back(row);
  }
  return out;
}

FrequencySplit split_by_frequency(std::span<const Index> counts) {
  FrequencySplit out;
  out.order.resize(counts.size());
  std::iota(out.order.begin(), out.order.end(), Index{0});
  std::stable_sort(out.order.begin(), out.order.end(), [&](Index a, Index b) {
    return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
  });
  const std::size_t half = (counts.size() + 1) / 2;
  for (std::size_t i = 0; i < out.order.size(); ++i) {
    (i < half ? out.common : out.rare).push_back(out.order[i]);
  }
  std::sort(out.common.begin(), out.common.end());
  std::sort(out.rare.begin(), out.rare.end());
  return out;
}

std::vector<Index> rows_of_classes(std::span<const Index> truth, std::span<const Index> columns) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (std::find(columns.begin(), columns.end(), truth[i]) != columns.end()) {
      rows.push_back(static_cast<Index>(i));
    }
  }
  return rows;
}

NamedValues table_measures(const Dense<double>& logits, const std::vector<Index>& truth,
                           const ConfidenceOptions& options) {
  constexpr Index kEqualRuns = 15;
  const ScoredSamples samples = score_samples(logits, truth);
  NamedValues out = confidence_measures(samples, options);
  const bool any = logits.rows() > 0;
  const ColumnErrors columns =
      any ? column_errors(logits, samples, kEqualRuns, options.rule) : ColumnErrors();
  out.emplace_back("classwise_ece15", any ? std::optional(columns.classwise_ece) : std::nullopt);
  out.emplace_back("nixon_ace15", any ? std::optional(columns.nixon_ace) : std::nullopt);
  return out;
}

}  // namespace tyto
