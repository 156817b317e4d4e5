// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/increment_world.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/sample/store_access.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct DealtRow {  // how many rows of a class in a split
  std::string label, split;
  Index count;
};

// Row i of the store is (i, i + 0.5).
Dataset dataset_of(const std::string& name, const std::vector<DealtRow>& rows, Index frames = 1) {
  Dataset dataset;
  dataset.name = name;
  for (const DealtRow& row : rows) {
    for (Index i = 0; i < row.count; ++i) {
      dataset.table.id.push_back(fmt::format("{}/{}/{}", name, row.label, dataset.table.id.size()));
      dataset.table.label.push_back(row.label);
      dataset.table.split.push_back(row.split);
    }
  }
  if (frames > 1) {
    for (Index i = 0; i < dataset.table.size(); ++i) {
      dataset.table.frames.push_back(1 + i % frames);
    }
  }
  const Index n = std::accumulate(dataset.table.frames.begin(), dataset.table.frames.end(),
                                  frames > 1 ? Index{0} : dataset.table.size());
  Matrix values(n, 2);
  for (Index i = 0; i < n; ++i) {
    values.row(i) << static_cast<float>(i), static_cast<float>(i) + 0.5F;
  }
  dataset.store = std::make_shared<const DenseStore>(values);
  return dataset;
}

std::shared_ptr<const IncrementPlan> plan_of(Dataset dataset, Index increments,
                                             std::uint64_t seed = 1) {
  IncrementOptions options;
  options.increments = increments;
  options.start.classes = ConfigNode::scalar("2");
  options.start.choose = "alphabetical";
  Series series = join_series({std::move(dataset)}, nullptr);
  Schedule schedule = build_schedule(series, options, Rng(seed));
  return make_plan(std::move(series), std::move(schedule), Rng(seed));
}

Dataset four_classes() {
  std::vector<DealtRow> rows;
  for (const std::string label : {"a", "b", "c", "d"}) {
    rows.push_back({label, "train", 40});
    rows.push_back({label, "validate", 6});
    rows.push_back({label, "test", 12});
  }
  return dataset_of("four", rows);
}

std::vector<Index> every_row(const Split& split) {
  std::vector<Index> order(static_cast<std::size_t>(split.samples.size()));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

const Split& split_named(const World& world, std::string_view name) {
  return *world.deal().find(name);
}

TEST(IncrementWorld, deals_each_row_once_under_opaque_ids_with_its_own_features) {
  const auto plan = plan_of(four_classes(), 3);
  IncrementWorld world(plan, {});
  EXPECT_EQ(world.brief().steps, 4);
  std::set<SampleId> seen;
  Index in_row_order = 0;
  while (world.advance()) {
    for (const Split& split : world.deal().splits) {
      const Matrix features = split.samples.rows();
      for (Index i = 0; i < split.samples.size(); ++i) {
        const SampleId id = split.samples.id(i);
        EXPECT_TRUE(seen.insert(id).second);
        const auto row = static_cast<std::size_t>(StoreAccess::rows(split.samples, i)[0]);
        EXPECT_FLOAT_EQ(features(i, 1), static_cast<float>(row) + 0.5F);
        EXPECT_EQ(plan->truth.label_of(id), plan->series.joined.table.label[row]);
        EXPECT_EQ(plan->truth.name[static_cast<std::size_t>(id)],
                  plan->series.joined.table.id[row]);
        in_row_order += static_cast<std::size_t>(id) == row ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(seen.size(), 4U * 58U);
  EXPECT_LT(in_row_order, 10);
}

TEST(IncrementWorld, grants_the_floor_of_a_fraction_of_train) {
  // 19,245 train rows at increment 1, a half of them: floor(9,622.5) = 9,622. The start holds the
  // even half of a and b: 4 of 8 rows each, leaving 8, so the novel class adds 19,237.
  const auto plan = plan_of(
      dataset_of("a10",
                 {{"a", "train", 8}, {"b", "train", 8}, {"c", "train", 19237}, {"c", "test", 3}}),
      1);
  IncrementWorld world(plan, {0.5, {}});
  world.advance();
  world.advance();
  const Split& train = split_named(world, "train");
  ASSERT_EQ(train.samples.size(), 19245);
  EXPECT_EQ(world.budget(train), 9622);
  EXPECT_EQ(world.ask(FeedbackKind::labels, train, every_row(train)).row.size(), 9622U);
  EXPECT_EQ(world.budget(train), 0);
}

TEST(IncrementWorld, grants_everything_but_test_at_the_start_whatever_the_budget) {
  const auto plan = plan_of(four_classes(), 3);
  IncrementWorld world(plan, {0.0, {}});
  world.advance();
  for (const std::string_view name : {"train", "validate"}) {
    const Split& split = split_named(world, name);
    const Feedback feedback = world.ask(FeedbackKind::labels, split, every_row(split));
    ASSERT_EQ(static_cast<Index>(feedback.row.size()), split.samples.size());
    for (std::size_t i = 0; i < feedback.row.size(); ++i) {
      EXPECT_EQ(feedback.name[i], plan->truth.label_of(split.samples.id(feedback.row[i])));
    }
  }
  world.advance();
  for (const std::string_view name : {"train", "validate"}) {
    const Split& split = split_named(world, name);
    EXPECT_EQ(world.budget(split), 0);
    EXPECT_THAT(world.ask(FeedbackKind::labels, split, every_row(split)).row, IsEmpty());
  }
}

TEST(IncrementWorld, grants_in_the_order_asked_and_no_row_twice) {
  IncrementWorld world(plan_of(four_classes(), 3), {0.5, {}});
  world.advance();
  world.advance();
  const Split& train = split_named(world, "train");
  const Index allowed = world.budget(train);
  ASSERT_EQ(allowed, 7);  // of 14
  const std::vector<Index> order{5, 2, 5, 9};
  EXPECT_EQ(world.ask(FeedbackKind::labels, train, order).row, (std::vector<Index>{5, 2, 9}));
  EXPECT_EQ(world.budget(train), allowed - 3);
  const std::vector<Index> again{9, 0, 2};
  EXPECT_EQ(world.ask(FeedbackKind::labels, train, again).row, (std::vector<Index>{0}));
  const Feedback rest = world.ask(FeedbackKind::labels, train, every_row(train));
  EXPECT_EQ(static_cast<Index>(rest.row.size()), allowed - 4);
}

TEST(IncrementWorld, spends_a_total_over_the_run_and_not_at_the_start) {
  IncrementWorld world(plan_of(four_classes(), 3), {1.0, 70});
  std::vector<std::size_t> granted;
  while (world.advance()) {
    const Split& train = split_named(world, "train");
    granted.push_back(world.ask(FeedbackKind::labels, train, every_row(train)).row.size());
  }
  // The start has 20 + 20 rows, the other 40 of a and b come in folds of 14, 13 and 13, c and d
  // with 80 rows in the last increment: floor(2 / 3) = 0 classes in those before.
  EXPECT_EQ(granted, (std::vector<std::size_t>{40, 14, 13, 70 - 14 - 13}));
}

TEST(IncrementWorld, refuses_test_labels_foreign_splits_and_other_feedback) {
  IncrementWorld world(plan_of(four_classes(), 3), {});
  EXPECT_THROW(static_cast<void>(world.deal()), Error);
  world.advance();
  const auto refusal = [&](FeedbackKind kind, const Split& split, const std::vector<Index>& order) {
    try {
      world.ask(kind, split, order);
    } catch (const Error& error) {
      return fmt::format("{} {}", static_cast<int>(error.kind()), error.what());
    }
    return std::string();
  };
  const std::string state = fmt::format("{} ", static_cast<int>(ErrorKind::state));
  const Split train = split_named(world, "train");
  EXPECT_THAT(refusal(FeedbackKind::labels, split_named(world, "test"), {0}),
              HasSubstr(state + "the truth about the test split"));
  EXPECT_THAT(refusal(FeedbackKind::score, split_named(world, "test"), {}),
              HasSubstr(state + "the truth about the test split"));
  EXPECT_THAT(refusal(FeedbackKind::labels, train, {0, 4000}), HasSubstr(state + "row 4000"));
  EXPECT_EQ(world.budget(train), train.samples.size());  // the refused call granted nothing
  world.advance();
  EXPECT_THAT(refusal(FeedbackKind::labels, train, {0}), HasSubstr("not part of the deal"));
  // A test split under the name of train is not one of this deal either.
  Split forged = split_named(world, "test");
  forged.name = "train";
  EXPECT_THAT(refusal(FeedbackKind::labels, forged, {0}), HasSubstr("not part of the deal"));
}

TEST(IncrementWorld, goes_on_as_before_after_save_and_load) {
  const auto plan = plan_of(four_classes(), 3);
  for (const LabelBudget& budget : {LabelBudget{0.4, {}}, LabelBudget{1.0, 50}}) {
    for (int stop = 0; stop <= 3; ++stop) {
      IncrementWorld first(plan, budget);
      for (int i = 0; i < stop; ++i) {
        first.advance();
        const Split& train = split_named(first, "train");
        const std::vector<Index> order{1, 3, 8};
        first.ask(FeedbackKind::labels, train, order);
      }
      State state;
      first.save(state);
      IncrementWorld second(plan, budget);
      second.load(from_archive(to_archive(state), "test"), EmptyShelf());
      while (true) {
        if (stop > 0) {
          const Split& a = split_named(first, "train");
          const Split& b = split_named(second, "train");
          ASSERT_EQ(a.samples.rows(), b.samples.rows());
          EXPECT_EQ(a.samples.id(0), b.samples.id(0));
          EXPECT_EQ(first.budget(a), second.budget(b));
          EXPECT_EQ(first.ask(FeedbackKind::labels, a, every_row(a)).row,
                    second.ask(FeedbackKind::labels, b, every_row(b)).row);
          EXPECT_EQ(first.shown_before(), second.shown_before());
        }
        const bool more = first.advance();
        ASSERT_EQ(second.advance(), more);
        if (!more) {
          break;
        }
      }
    }
  }
}

TEST(IncrementWorld, lets_an_oracle_look_up_train_and_pays_for_its_answers) {
  const auto plan = plan_of(four_classes(), 3);
  IncrementWorld world(plan, {0.5, {}});
  world.advance();
  world.advance();
  const Split& train = split_named(world, "train");
  const LookedUp found = world.look_up(train, std::vector<Index>{2, 0});
  ASSERT_EQ(found.label.size(), 2U);
  EXPECT_EQ(found.label[0], plan->truth.label_of(train.samples.id(2)));
  EXPECT_EQ(found.sample[1], plan->truth.name[static_cast<std::size_t>(train.samples.id(0))]);
  EXPECT_THROW((void)world.look_up(split_named(world, "test"), std::vector<Index>{0}), Error);
  EXPECT_THROW((void)world.look_up(split_named(world, "validate"), std::vector<Index>{0}), Error);
  EXPECT_THROW((void)world.look_up(train, std::vector<Index>{train.samples.size()}), Error);

  const Index budget = world.budget(train);  // looking up is free
  EXPECT_EQ(budget, train.samples.size() / 2);
  EXPECT_EQ(world.purse(train), static_cast<double>(budget));
  world.charge(train, 1.5);
  EXPECT_EQ(world.purse(train), static_cast<double>(budget) - 1.5);
  EXPECT_EQ(world.budget(train), budget - 2);  // whole labels
  EXPECT_EQ(std::ssize(world.ask(FeedbackKind::labels, train, every_row(train)).row), budget - 2);
  EXPECT_THROW(world.charge(train, 1.0), Error);
  EXPECT_THROW(world.charge(train, -1.0), Error);
  world.charge(train, 0.5);
  EXPECT_EQ(world.purse(split_named(world, "test")), 0.0);
}

TEST(IncrementWorld, charges_a_total_over_the_run_also_after_save_and_load) {
  const auto plan = plan_of(four_classes(), 3);
  IncrementWorld world(plan, {1.0, 12});
  world.advance();
  world.advance();
  EXPECT_EQ(world.purse(split_named(world, "train")), 12.0);
  world.charge(split_named(world, "train"), 4.25);
  State state;
  world.save(state);
  IncrementWorld other(plan, {1.0, 12});
  other.load(from_archive(to_archive(state), "test"), EmptyShelf());
  for (IncrementWorld* one : {&world, &other}) {
    EXPECT_EQ(one->purse(split_named(*one, "train")), 7.75);
    one->advance();
    EXPECT_EQ(one->purse(split_named(*one, "train")), 7.75);
    EXPECT_EQ(one->budget(split_named(*one, "train")), 7);
  }
}

TEST(IncrementWorld, refuses_a_state_of_another_schedule) {
  State state;
  IncrementWorld(plan_of(four_classes(), 3, 1), {}).save(state);
  IncrementWorld other(plan_of(four_classes(), 3, 2), {});
  EXPECT_THROW(other.load(state, EmptyShelf()), Error);
}

TEST(IncrementWorld, deals_runs_of_frames) {
  const auto plan = plan_of(
      dataset_of("clips",
                 {{"a", "train", 9}, {"b", "train", 9}, {"c", "train", 9}, {"a", "test", 3}}, 3),
      1);
  IncrementWorld world(plan, {});
  world.advance();
  const Samples& samples = split_named(world, "train").samples;
  for (Index i = 0; i < samples.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(samples.id(i));
    const auto row =
        std::find(plan->sample_id.begin(), plan->sample_id.end(), id) - plan->sample_id.begin();
    // Samples have 1, 2, 3, 1, 2, 3, ... frames: sample r starts at 6 (r / 3) + 0, 1 or 3.
    const std::vector<Index> offset{0, 1, 3};
    const Rows frames = StoreAccess::rows(samples, i);
    ASSERT_EQ(static_cast<Index>(frames.size()), 1 + row % 3);
    EXPECT_EQ(frames[0], 6 * (row / 3) + offset[static_cast<std::size_t>(row % 3)]);
    EXPECT_EQ(frames.back(), frames[0] + row % 3);
  }
}

TEST(IncrementWorld, gives_groups_ids_that_tell_apart_and_nothing_else) {
  Dataset dataset = four_classes();
  for (Index i = 0; i < dataset.table.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    dataset.table.group.push_back(dataset.table.split[row] + (i % 7 == 0 ? " x" : " y"));
  }
  const auto plan = plan_of(dataset, 2);
  std::map<std::string, std::set<std::uint32_t>> ids;
  for (std::size_t row = 0; row < plan->group_id.size(); ++row) {
    ids[plan->series.joined.table.group[row]].insert(plan->group_id[row]);
  }
  std::set<std::uint32_t> all;
  for (const auto& [name, numbers] : ids) {
    EXPECT_EQ(numbers.size(), 1U);
    all.insert(numbers.begin(), numbers.end());
  }
  EXPECT_EQ(all.size(), 6U);
  EXPECT_FALSE(all.contains(0));
  EXPECT_EQ(plan->truth.annotations.at("group").size(), plan->group_id.size());
}

TEST(IncrementWorld, says_when_increments_bring_nothing_new) {
  EXPECT_THAT(PlanSource(plan_of(four_classes(), 2)).facts().notes, IsEmpty());
  EXPECT_THAT(PlanSource(plan_of(four_classes(), 5)).facts().notes,
              testing::ElementsAre("4 of 5 increments bring no new class: there are 4 classes, and "
                                   "those of the start are known"));
}

TEST(IncrementWorld, keeps_times_and_groups_in_the_truth) {
  Dataset dataset = four_classes();
  EXPECT_TRUE(plan_of(dataset, 2)->truth.time.empty());
  for (Index i = 0; i < dataset.table.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    dataset.table.group.push_back(dataset.table.split[row]);
    dataset.table.time.push_back(0.5 * static_cast<double>(i));
  }
  const auto plan = plan_of(dataset, 2);
  for (std::size_t row = 0; row < plan->sample_id.size(); ++row) {
    const std::size_t id = plan->sample_id[row];
    EXPECT_EQ(plan->truth.group[id], plan->series.joined.table.group[row]);
    EXPECT_EQ(plan->truth.time[id], plan->series.joined.table.time[row]);
  }
}

TEST(JoinSeries, fills_missing_columns_and_names_the_origin) {
  Dataset a = dataset_of("a", {{"x", "train", 2}});
  Dataset b = dataset_of("b", {{"y", "", 1}}, 2);
  a.table.split.clear();
  a.table.time = {1, 2};
  b.table.annotations["camera"] = {"left"};
  const Series series =
      join_series({a, b}, std::make_shared<const DenseStore>(Matrix(Matrix::Zero(3, 1))));
  const IndexTable& table = series.joined.table;
  EXPECT_EQ(table.label, (std::vector<std::string>{"x", "x", "y"}));
  EXPECT_EQ(table.frames, (std::vector<Index>{1, 1, 1}));
  EXPECT_TRUE(table.time.empty());
  EXPECT_EQ(table.annotations.at("camera"), (std::vector<std::string>{"", "", "left"}));
  EXPECT_EQ(table.annotations.at("dataset"), (std::vector<std::string>{"a", "a", "b"}));
  EXPECT_EQ(series.first_row_of, (std::vector<Index>{0, 2, 3}));
  EXPECT_THROW(join_series({a, b}, std::make_shared<const DenseStore>(Matrix(Matrix::Zero(4, 1)))),
               Error);
}

}  // namespace
}  // namespace tyto
