// SPDX-License-Identifier: Apache-2.0
// What every world promises, checked for every registered one. A new world inherits these tests by
// being listed, with a line of small options in support/small_worlds.hpp.
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "support/small_worlds.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"

namespace tyto {
namespace {

using testing_support::first_store_row;
using testing_support::SmallWorld;

constexpr std::uint64_t kWorldSeed = 3;

std::vector<std::string> world_names() {
  std::vector<std::string> names;
  for (const WorldSpec& spec : world_specs()) {
    names.push_back(spec.name);
  }
  return names;
}

std::vector<Index> rows_backwards(const Split& split) {
  std::vector<Index> rows(static_cast<std::size_t>(split.samples.size()));
  std::iota(rows.rbegin(), rows.rend(), Index{0});
  return rows;
}

std::vector<std::uint32_t> ids_of(const Samples& samples) {
  std::vector<std::uint32_t> ids;
  for (Index i = 0; i < samples.size(); ++i) {
    ids.push_back(static_cast<std::uint32_t>(samples.id(i)));
  }
  return ids;
}

// Everything is called unknown.
Prediction all_unknown(const Samples& samples) {
  Prediction prediction;
  prediction.space = std::make_shared<const LabelSpace>();
  prediction.probability = Matrix::Ones(samples.size(), 1);
  const auto n = static_cast<std::size_t>(samples.size());
  prediction.label.assign(n, Label::unknown);
  prediction.novelty.assign(n, 1.0F);
  return prediction;
}

// Plays one step: what is dealt, then two questions about each split but test, a third of its rows
// and all of them.
std::string play_deal(World& world) {
  std::string log;
  for (const Split& split : world.deal().splits) {
    log += fmt::format("{} {} {}\n", world.deal().step, split.name,
                       fmt::join(ids_of(split.samples), " "));
    if (split.name == "test") {
      continue;
    }
    const std::vector<Index> rows = rows_backwards(split);
    for (const std::size_t count : {rows.size() / 3, rows.size()}) {
      log += fmt::format("budget {}", world.budget(split));
      const Feedback told = world.ask(FeedbackKind::labels, split, Rows(rows).first(count));
      log += fmt::format(" {} {}\n", fmt::join(told.row, " "), fmt::join(told.name, " "));
    }
  }
  return log + fmt::format("shown {}\n", fmt::join(world.shown_before(), " "));
}

std::string play(World& world) {
  std::string log;
  while (world.advance()) {
    log += play_deal(world);
  }
  return log;
}

// Of Pearson, between ranks.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto ranks = [](const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    Eigen::VectorXd rank(static_cast<Index>(values.size()));
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank(static_cast<Index>(order[i])) = static_cast<double>(i);
    }
    return Eigen::VectorXd(rank.array() - rank.mean());
  };
  const Eigen::VectorXd x = ranks(a);
  const Eigen::VectorXd y = ranks(b);
  return x.dot(y) / std::sqrt(x.squaredNorm() * y.squaredNorm());
}

class WorldContract : public testing::TestWithParam<std::string> {
 protected:
  static SmallWorld small(std::uint64_t seed = kWorldSeed) {
    const auto& options = testing_support::small_options(GetParam());
    return {GetParam(), options.over_time.empty() ? options.at_once : options.over_time, seed};
  }

  static std::vector<LabelBudget> budgets() {
    return {{1.0, {}}, {0.5, {}}, {0.0, {}}, {1.0, 7}, {1.0, 0}};
  }
};

TEST_P(WorldContract, deals_as_many_steps_as_it_told_and_then_no_more) {
  const SmallWorld built = small();
  const auto world = built.make();
  const Brief brief = world->brief();
  EXPECT_THROW((void)world->deal(), Error) << "before the first step";
  Index steps = 0;
  while (world->advance()) {
    EXPECT_EQ(world->deal().step, steps);
    EXPECT_EQ(world->brief().steps, brief.steps);
    Index samples = 0;
    for (const Split& split : world->deal().splits) {
      samples += split.samples.size();
      EXPECT_EQ(world->deal().find(split.name), &split) << "two splits have one name";
    }
    EXPECT_GT(samples, 0);
    ++steps;
  }
  EXPECT_GT(steps, testing_support::small_options(GetParam()).over_time.empty() ? 0 : 1);
  EXPECT_TRUE(brief.steps == 0 || brief.steps == steps) << brief.steps << " of " << steps;
  EXPECT_FALSE(world->advance());
}

TEST_P(WorldContract, keeps_its_budget) {
  const SmallWorld built = small();
  for (const LabelBudget& budget : budgets()) {
    const auto world = built.make(budget);
    Index later = 0;
    while (world->advance()) {
      for (const Split& split : world->deal().splits) {
        if (split.name == "test") {
          EXPECT_EQ(world->budget(split), 0);
          continue;
        }
        const std::vector<Index> rows = rows_backwards(split);
        const Index allowed = world->budget(split);
        ASSERT_GE(allowed, 0);
        ASSERT_LE(allowed, split.samples.size());
        std::set<Index> told;
        for (const std::size_t count : {rows.size() / 3, rows.size(), rows.size()}) {
          const Index left = world->budget(split);
          const Feedback feedback =
              world->ask(FeedbackKind::labels, split, Rows(rows).first(count));
          ASSERT_EQ(feedback.row.size(), feedback.name.size());
          EXPECT_LE(std::ssize(feedback.row), left);
          EXPECT_EQ(world->budget(split), left - std::ssize(feedback.row));
          told.insert(feedback.row.begin(), feedback.row.end());
        }
        EXPECT_EQ(std::ssize(told), allowed) << "all that was allowed was asked about";
        EXPECT_EQ(world->budget(split), 0);
        later += world->deal().step > 0 ? allowed : 0;
      }
    }
    EXPECT_LE(later, budget.total.value_or(later));
    EXPECT_TRUE(later == 0 || (budget.fraction > 0 && budget.total.value_or(1) > 0));
  }
}

TEST_P(WorldContract, answers_with_the_truth_in_the_order_asked) {
  const SmallWorld built = small();
  const auto world = built.make({0.5, {}});
  while (world->advance()) {
    const Split* train = world->deal().find("train");
    if (train == nullptr) {
      EXPECT_TRUE(world->deal().round) << "labels are asked of train, or of a round";
      continue;
    }
    const std::vector<Index> rows = rows_backwards(*train);
    const Feedback told = world->ask(FeedbackKind::labels, *train, rows);
    for (std::size_t i = 0; i < told.row.size(); ++i) {
      EXPECT_EQ(told.row[i], rows[i]);
      if (const Truth* truth = built.truth()) {
        EXPECT_EQ(told.name[i], truth->label_of(train->samples.id(told.row[i])));
      }
    }
  }
}

TEST_P(WorldContract, tells_nothing_about_the_test_split) {
  const auto world = small().make();
  while (world->advance()) {
    const Split* test = world->deal().find("test");
    if (test == nullptr || test->samples.empty()) {
      continue;
    }
    const std::vector<Index> rows{0};
    for (const FeedbackKind kind : {FeedbackKind::labels, FeedbackKind::score}) {
      EXPECT_THROW((void)world->ask(kind, *test, rows), Error) << world->deal().step;
    }
  }
}

TEST_P(WorldContract, refuses_questions_about_what_it_did_not_deal) {
  const auto world = small().make();
  ASSERT_TRUE(world->advance());
  const Split first = *world->deal().find("train");
  for (const Index beyond : {Index{-1}, first.samples.size()}) {
    const std::vector<Index> rows{0, beyond};
    const Index before = world->budget(first);
    EXPECT_THROW((void)world->ask(FeedbackKind::labels, first, rows), Error) << beyond;
    EXPECT_EQ(world->budget(first), before) << "a refused question costs nothing";
  }
  EXPECT_THROW((void)world->budget({"holiday", first.samples}), Error);
  if (!testing_support::small_options(GetParam()).over_time.empty()) {
    ASSERT_TRUE(world->advance());
    const std::vector<Index> rows{0};
    EXPECT_THROW((void)world->ask(FeedbackKind::labels, first, rows), Error) << "of the last step";
  }
}

// In one split for ever; again at a later step only to test on what was learned before.
TEST_P(WorldContract, deals_every_sample_once_a_step_in_one_split) {
  const SmallWorld built = small();
  const auto world = built.make();
  std::map<std::uint32_t, std::string> split_of;
  std::map<Index, std::uint32_t> id_of;  // by row of the store
  while (world->advance()) {
    std::set<std::uint32_t> here;
    for (const Split& split : world->deal().splits) {
      for (Index i = 0; i < split.samples.size(); ++i) {
        const auto id = static_cast<std::uint32_t>(split.samples.id(i));
        EXPECT_TRUE(here.insert(id).second) << "id " << id;
        const auto [known, is_new] = split_of.emplace(id, split.name);
        EXPECT_EQ(known->second, split.name) << "id " << id;
        EXPECT_TRUE(is_new || split.name == "test") << "id " << id;
        const Index row = first_store_row(split.samples, i);
        EXPECT_EQ(id_of.emplace(row, id).first->second, id) << "row " << row;
      }
    }
  }
}

TEST_P(WorldContract, has_ids_that_tell_nothing) {
  const SmallWorld built = small();
  const auto world = built.make();
  std::vector<double> id;
  std::vector<double> row;
  std::vector<double> step;
  std::vector<double> which;
  std::map<std::string, double> classes;
  Index same = 0;
  while (world->advance()) {
    for (const Split& split : world->deal().splits) {
      for (Index i = 0; i < split.samples.size(); ++i) {
        const SampleId sample = split.samples.id(i);
        id.push_back(static_cast<double>(sample));
        row.push_back(static_cast<double>(first_store_row(split.samples, i)));
        step.push_back(static_cast<double>(world->deal().step));
        if (const Truth* truth = built.truth()) {
          const auto next = static_cast<double>(classes.size());
          which.push_back(classes.emplace(truth->label_of(sample), next).first->second);
        }
        same += id.back() == row.back() ? 1 : 0;
      }
    }
  }
  ASSERT_GT(id.size(), 80U);
  EXPECT_LT(same * 10, std::ssize(id)) << "ids are rows of the store";
  // Four standard errors of independent ranks.
  const double chance = 4.0 / std::sqrt(static_cast<double>(id.size()));
  EXPECT_LT(std::abs(rank_correlation(id, row)), chance) << "ids follow the rows of the store";
  EXPECT_LT(std::abs(rank_correlation(id, step)), chance) << "ids follow the steps";
  if (!which.empty()) {
    EXPECT_LT(std::abs(rank_correlation(id, which)), chance) << "ids follow the classes";
  }
}

TEST_P(WorldContract, is_the_same_for_a_seed_and_another_for_another) {
  const SmallWorld built = small();
  const std::string log = play(*built.make({0.5, {}}));
  EXPECT_EQ(play(*built.make({0.5, {}})), log) << "made twice";
  EXPECT_EQ(play(*small().make({0.5, {}})), log) << "built twice";
  EXPECT_NE(play(*small(kWorldSeed + 1).make({0.5, {}})), log);
}

TEST_P(WorldContract, goes_on_from_what_was_saved_at_any_moment) {
  const SmallWorld built = small();
  const LabelBudget budget{1.0, 30};
  const auto whole = built.make(budget);
  const auto resumed = [&](const World& world) {
    State state;
    world.save(state);
    auto again = built.make(budget);
    again->load(from_archive(to_archive(state), "saved"), built.shelf());
    return again;
  };
  const std::string log = play(*whole);
  // Before the first step, within each one after the first question, and at its end.
  std::string before;
  auto world = built.make(budget);
  EXPECT_EQ(play(*resumed(*world)), log);
  while (world->advance()) {
    const Split* train = &world->deal().splits.front();
    const auto twin = built.make(budget);
    {
      State state;
      world->save(state);
      twin->load(from_archive(to_archive(state), "saved"), built.shelf());
    }
    const std::vector<Index> some{0};
    (void)twin->ask(FeedbackKind::labels, twin->deal().splits.front(), some);
    const auto within = resumed(*twin);
    EXPECT_EQ(within->budget(*train), twin->budget(*train));
    EXPECT_EQ(play_deal(*within), play_deal(*twin)) << "within step " << world->deal().step;

    before += play_deal(*world);
    const auto after = resumed(*world);
    EXPECT_EQ(after->deal().step, world->deal().step);
    EXPECT_EQ(before + play(*after), log) << "after step " << world->deal().step;
  }
  EXPECT_FALSE(resumed(*world)->advance());
}

TEST_P(WorldContract, refuses_what_was_saved_of_another_schedule) {
  const SmallWorld built = small();
  const SmallWorld other = small(kWorldSeed + 1);
  const auto world = built.make();
  world->advance();
  State state;
  world->save(state);
  EXPECT_THROW(other.make()->load(state, other.shelf()), Error);
}

TEST_P(WorldContract, takes_answers_before_any_question_and_gives_nothing_away_for_them) {
  const SmallWorld built = small();
  const auto silent = built.make({0.5, {}});
  const auto world = built.make({0.5, {}});
  while (world->advance()) {
    ASSERT_TRUE(silent->advance());
    for (const Split& split : world->deal().splits) {
      if (!split.samples.empty()) {
        const Prediction prediction = all_unknown(split.samples);
        world->post({split, prediction, {}});
      }
    }
    EXPECT_EQ(play_deal(*world), play_deal(*silent));
  }
}

INSTANTIATE_TEST_SUITE_P(, WorldContract, testing::ValuesIn(world_names()),
                         [](const auto& world) { return world.param; });

}  // namespace
}  // namespace tyto
