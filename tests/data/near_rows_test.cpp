// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/near_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tyto/core/random.hpp"
#include "tyto/data/audit/checks.hpp"

namespace tyto {
namespace {

Dataset dataset_of_rows(const Matrix& values, std::vector<std::string> splits) {
  Dataset dataset;
  for (Index i = 0; i < values.rows(); ++i) {
    dataset.table.id.push_back(std::to_string(i));
    dataset.table.label.emplace_back(i % 3 == 0 ? "a" : "b");
  }
  dataset.table.split = std::move(splits);
  dataset.store = std::make_shared<DenseStore>(values);
  return dataset;
}

// Rows of few whole numbers repeat, some rows are others moved by little.
Dataset crowded_dataset(std::uint64_t seed) {
  Rng rng(seed, "crowded");
  Matrix values(120, 3);
  std::vector<std::string> splits;
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < 3; ++j) {
      values(i, j) = static_cast<float>(rng.below(6)) * (j == 0 ? 100.0F : 1.0F);
    }
    if (i > 0 && rng.below(6) == 0) {
      values.row(i) = values.row(rng.below(i));
      values(i, 1) += 0.02F * static_cast<float>(rng.below(3));
    }
    const Index split = rng.below(4);
    splits.emplace_back(split == 0 ? "test" : split == 1 ? "validate" : split == 2 ? "train" : "");
  }
  return dataset_of_rows(values, std::move(splits));
}

Matrix all_rows(const Dataset& dataset) {
  std::vector<Index> rows;
  for (Index i = 0; i < dataset.table.size(); ++i) {
    rows.push_back(i);
  }
  Matrix out(dataset.table.size(), dataset.store->shape("features").front());
  dataset.store->gather("features", rows, out);
  return out;
}

bool same(const Matrix& values, Index a, Index b) {
  return (values.row(a).array() == values.row(b).array()).all();
}

// Distances between the rows `distinct`, every column scaled over them, in double precision.
Eigen::MatrixXd direct_distances(const Matrix& values, const std::vector<Index>& distinct) {
  Eigen::MatrixXd rows(std::ssize(distinct), values.cols());
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    rows.row(static_cast<Index>(i)) = values.row(distinct[i]).cast<double>();
  }
  for (Index j = 0; j < rows.cols(); ++j) {
    rows.col(j).array() -= rows.col(j).mean();
    rows.col(j) /= std::sqrt(rows.col(j).squaredNorm() / static_cast<double>(rows.rows()));
  }
  Eigen::MatrixXd out(rows.rows(), rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.rows(); ++j) {
      out(i, j) = (rows.row(i) - rows.row(j)).norm();
    }
  }
  return out;
}

TEST(NearRows, agrees_with_comparing_every_pair) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Dataset dataset = crowded_dataset(seed);
    const Matrix values = all_rows(dataset);
    std::vector<Index> distinct;
    std::set<Index> in_train;  // positions in `distinct` with an equal row in train
    std::set<Index> outside;
    for (Index i = 0; i < values.rows(); ++i) {
      auto known = std::find_if(distinct.begin(), distinct.end(),
                                [&](Index other) { return same(values, i, other); });
      known = known == distinct.end() ? distinct.insert(known, i) : known;
      const std::string& split = dataset.table.split[static_cast<std::size_t>(i)];
      if (split == "train") {
        in_train.insert(known - distinct.begin());
      } else if (!split.empty()) {
        outside.insert(known - distinct.begin());
      }
    }
    const Eigen::MatrixXd distance = direct_distances(values, distinct);
    std::vector<double> nearest;
    for (Index i = 0; i < distance.rows(); ++i) {
      double best = std::numeric_limits<double>::infinity();
      for (Index j = 0; j < distance.rows(); ++j) {
        best = i == j ? best : std::min(best, distance(i, j));
      }
      nearest.push_back(best);
    }
    std::vector<double> sorted = nearest;
    std::sort(sorted.begin(), sorted.end());
    const double median = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
    std::set<Index> near;
    std::set<Index> leaking;
    for (Index i = 0; i < distance.rows(); ++i) {
      if (nearest[static_cast<std::size_t>(i)] < 0.3 * median) {
        near.insert(distinct[static_cast<std::size_t>(i)]);
      }
      if (!outside.contains(i) || in_train.contains(i)) {
        continue;
      }
      for (const Index j : in_train) {
        if (distance(i, j) < 0.3 * median) {
          leaking.insert(i);
        }
      }
    }
    Progress silent;
    const DatasetScan scan = scan_dataset(dataset, silent);
    const NearRows found = find_near_rows(dataset, scan, {.share = 0.3}, silent);
    EXPECT_EQ(found.samples, 120);
    EXPECT_EQ(found.distinct, std::ssize(distinct));
    EXPECT_NEAR(found.median, median, 1e-4);
    std::set<Index> found_near;
    for (const NearPair& pair : found.pairs) {
      found_near.insert(pair.sample);
    }
    EXPECT_EQ(found_near, near);
    EXPECT_FALSE(near.empty());
    EXPECT_EQ(found.across.size(), leaking.size());
    for (const NearPair& pair : found.across) {
      EXPECT_EQ(dataset.table.split[static_cast<std::size_t>(pair.other)], "train");
      EXPECT_NE(dataset.table.split[static_cast<std::size_t>(pair.sample)], "train");
    }
  }
}

TEST(NearRows, does_not_depend_on_the_unit_of_a_column) {
  const Dataset metres = crowded_dataset(9);
  Matrix values = all_rows(metres);
  values.col(2) *= 1024;  // a power of two: rounding stays as it is
  const Dataset others = dataset_of_rows(values, metres.table.split);
  Progress silent;
  const NearRows a = find_near_rows(metres, scan_dataset(metres, silent), {.share = 0.3}, silent);
  const NearRows b = find_near_rows(others, scan_dataset(others, silent), {.share = 0.3}, silent);
  EXPECT_EQ(a.pairs.size(), b.pairs.size());
  EXPECT_NEAR(a.median, b.median, 1e-5);
}

TEST(NearRows, draws_the_same_samples_again) {
  const Dataset dataset = crowded_dataset(3);
  Progress silent;
  const DatasetScan scan = scan_dataset(dataset, silent);
  const NearOptions options{.share = 0.5, .most_rows = 50};
  const NearRows once = find_near_rows(dataset, scan, options, silent);
  const NearRows again = find_near_rows(dataset, scan, options, silent);
  EXPECT_TRUE(once.are_drawn);
  EXPECT_EQ(once.samples, 50);
  EXPECT_EQ(once.median, again.median);
  ASSERT_EQ(once.pairs.size(), again.pairs.size());
}

TEST(Repeats, agree_with_comparing_every_pair) {
  const Dataset dataset = crowded_dataset(4);
  const Matrix values = all_rows(dataset);
  Index repeats = 0;
  Index contradictory = 0;
  Index leaking = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    bool repeated = false;
    bool contradicted = false;
    bool trained = false;
    for (Index j = 0; j < values.rows(); ++j) {
      if (i != j && same(values, i, j)) {
        repeated = repeated || j < i;
        contradicted = contradicted || dataset.table.label[static_cast<std::size_t>(i)] !=
                                           dataset.table.label[static_cast<std::size_t>(j)];
        trained = trained || dataset.table.split[static_cast<std::size_t>(j)] == "train";
      }
    }
    repeats += repeated ? 1 : 0;
    leaking += trained && dataset.table.split[static_cast<std::size_t>(i)] == "test" ? 1 : 0;
    contradictory += contradicted ? 1 : 0;
  }
  Progress silent;
  std::map<std::string, std::string> texts;
  for (const Finding& finding : check_repeats(dataset, scan_dataset(dataset, silent), 0)) {
    texts[finding.rule + (finding.text.find("test") == std::string::npos ? "" : "/test") +
          (finding.text.ends_with("train") ? "/train" : "")] = finding.text;
  }
  EXPECT_TRUE(texts.at("repeated_rows").starts_with(std::to_string(repeats) + " rows"));
  EXPECT_TRUE(texts.at("rows_across_splits/test/train").starts_with(std::to_string(leaking) + " "));
  EXPECT_EQ(std::stoi(texts.at("contradictory_labels")), contradictory);
}

}  // namespace
}  // namespace tyto
