// SPDX-License-Identifier: Apache-2.0
// What order tells: neither places in a split nor ids nor groups follow the file.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "support/places.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tyto/data/dataset_file.hpp"
#include "tyto/world/increments/increment_world.hpp"

namespace tyto {
namespace {

// The labels of a split in an order that a predictor can make: as dealt, by id, by group.
std::vector<std::vector<std::string>> orders(const Truth& truth, const Samples& samples) {
  std::vector<Index> order(static_cast<std::size_t>(samples.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<std::vector<std::string>> all;
  const auto note = [&] {
    all.emplace_back();
    for (const Index i : order) {
      all.back().push_back(truth.label_of(samples.id(i)));
    }
  };
  note();
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return samples.id(a) < samples.id(b); });
  note();
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return samples.group(a) < samples.group(b); });
  note();
  return all;
}

// Share of the rows that follow one for which the rule holds, less the share expected of rows in
// no order, in standard deviations.
template <class Rule>
double surprise(const std::vector<std::string>& labels, const Rule& rule) {
  std::map<std::string, double> share;
  for (const std::string& label : labels) {
    share[label] += 1.0 / static_cast<double>(labels.size());
  }
  double chance = 0;
  for (const auto& [a, share_a] : share) {
    for (const auto& [b, share_b] : share) {
      chance += rule(a, b) ? share_a * share_b : 0.0;
    }
  }
  double hits = 0;
  for (std::size_t i = 1; i < labels.size(); ++i) {
    hits += rule(labels[i - 1], labels[i]) ? 1.0 : 0.0;
  }
  const auto n = static_cast<double>(labels.size() - 1);
  return (hits / n - chance) / std::sqrt(chance * (1 - chance) / n);
}

bool is_next_digit(const std::string& before, const std::string& after) {
  return (std::stoi(before) + 1) % 10 == std::stoi(after);
}

TEST(DealtOrder, the_next_digit_is_no_better_than_chance_among_dealt_digits) {
  const Dataset digits = load_dataset(testing_support::in_tree("/datasets/digits"));
  ASSERT_GT(surprise(digits.table.label, is_next_digit), 20.0);  // 30 % of the rows of the file
  IncrementOptions options;
  options.increments = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto built = build_increments(join_series({digits}), options, seed);
    const auto world = built->make_world({});
    ASSERT_TRUE(world->advance());
    for (const std::string_view name : {"train", "test"}) {  // none is drawn for validate
      const Split& split = *world->deal().find(name);
      ASSERT_GT(split.samples.size(), 100);
      for (const auto& labels : orders(*built->truth(), split.samples)) {
        EXPECT_LT(std::abs(surprise(labels, is_next_digit)), 4.0)
            << split.name << ", seed " << seed;
      }
    }
  }
}

// 300 clips of three classes in groups of four, with a time that tells nothing.
Dataset clips(bool sorted) {
  Dataset dataset;
  dataset.name = "clips";
  std::vector<Index> order(300);
  std::iota(order.begin(), order.end(), Index{0});
  if (!sorted) {
    Rng(9, "file").shuffle(order);
  }
  Matrix values(300, 1);
  for (std::size_t row = 0; row < order.size(); ++row) {
    const Index clip = order[row];
    dataset.table.id.push_back(fmt::format("clip {}", clip));
    dataset.table.label.push_back(std::string(1, static_cast<char>('a' + clip / 100)));
    dataset.table.split.emplace_back(clip % 5 == 0 ? "test" : "train");
    dataset.table.group.push_back(
        fmt::format("{} {}", clip % 5 == 0 ? "test" : "train", clip / 20));
    values(static_cast<Index>(row), 0) = static_cast<float>(clip);
  }
  dataset.store = std::make_shared<const DenseStore>(values);
  return dataset;
}

TEST(DealtOrder, a_file_sorted_by_class_looks_like_one_in_no_order) {
  const auto stays = [](const std::string& before, const std::string& after) {
    return before == after;
  };
  ASSERT_GT(surprise(clips(true).table.label, stays), 10.0);
  IncrementOptions options;
  options.increments = 0;
  std::array<std::vector<float>, 2> dealt;
  for (const bool sorted : {true, false}) {
    const auto built = build_increments(join_series({clips(sorted)}), options, 3);
    const auto world = built->make_world({});
    ASSERT_TRUE(world->advance());
    const Samples& train = world->deal().find("train")->samples;
    const auto all = orders(*built->truth(), train);
    EXPECT_LT(std::abs(surprise(all[0], stays)), 4.0);  // as dealt
    EXPECT_LT(std::abs(surprise(all[1], stays)), 4.0);  // by id
    const Matrix rows = train.rows();
    dealt[sorted ? 0 : 1].assign(rows.data(), rows.data() + rows.size());
  }
  EXPECT_NE(dealt[0], dealt[1]);  // drawn anew
  for (auto& values : dealt) {
    std::sort(values.begin(), values.end());
  }
  EXPECT_EQ(dealt[0], dealt[1]);  // the same samples
}

TEST(DealtOrder, numbers_of_groups_do_not_follow_the_file) {
  IncrementOptions options;
  options.increments = 0;
  const auto built = build_increments(join_series({clips(true)}), options, 3);
  const auto world = built->make_world({});
  ASSERT_TRUE(world->advance());
  const Samples& train = world->deal().find("train")->samples;
  std::map<std::uint32_t, std::string> label_of;  // a group is of one class
  for (Index i = 0; i < train.size(); ++i) {
    label_of[train.group(i)] = built->truth()->label_of(train.id(i));
  }
  Index changes = 0;
  for (auto here = label_of.begin(); std::next(here) != label_of.end(); ++here) {
    changes += here->second == std::next(here)->second ? 0 : 1;
  }
  EXPECT_GT(changes, 4);  // sorted ones would change as often as there are classes, less one
}

}  // namespace
}  // namespace tyto
