// SPDX-License-Identifier: Apache-2.0
// Pieces of `tyto detect`; the verb as a user runs it is in tests/cli/detect_test.cpp.
#include "tyto/engine/detect/detect.hpp"

#include <cmath>
#include <numeric>

#include "support/places.hpp"
#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/detect/row_draw.hpp"
#include "tyto/measure/detection/areas.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing_support::Scratch;

Matrix column_of(const std::vector<float>& values) {
  return Eigen::Map<const Matrix>(values.data(), std::ssize(values), 1);
}

Matrix counted(Index from, Index rows) {
  Matrix out(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    out(i, 0) = static_cast<float>(from + i);
  }
  return out;
}

TEST(RowDraw, keeps_all_rows_in_order_while_there_is_room) {
  RowDraw draw(5, Rng(1));
  draw.add(counted(0, 2));
  draw.add(counted(2, 3));
  EXPECT_EQ(draw.rows(), counted(0, 5));
  EXPECT_EQ(draw.seen(), 5);
}

TEST(RowDraw, draws_the_same_rows_however_they_come_and_all_alike) {
  std::vector<Index> drawn(20, 0);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    RowDraw at_once(5, Rng(seed));
    at_once.add(counted(0, 20));
    RowDraw in_parts(5, Rng(seed));
    in_parts.add(counted(0, 7));
    in_parts.add(counted(7, 13));
    const Matrix rows = at_once.rows();
    ASSERT_EQ(rows, in_parts.rows());
    ASSERT_EQ(rows.rows(), 5);
    for (Index i = 0; i < 5; ++i) {
      ++drawn[at(static_cast<Index>(rows(i, 0)))];
      ASSERT_TRUE(i == 0 || rows(i, 0) > rows(i - 1, 0));
    }
  }
  for (const Index count : drawn) {
    EXPECT_NEAR(static_cast<double>(count), 500.0, 5 * std::sqrt(2000 * 0.25 * 0.75));
  }
}

TEST(ColumnShift, finds_the_column_that_moved_and_not_the_one_that_did_not) {
  Rng rng(3);
  Matrix before(500, 3);
  Matrix now(400, 3);
  for (Matrix* rows : {&before, &now}) {
    for (Index i = 0; i < rows->rows(); ++i) {
      (*rows)(i, 0) = static_cast<float>(rng.normal());
      (*rows)(i, 1) = static_cast<float>(rng.normal());
      (*rows)(i, 2) = 7.0F;
    }
  }
  now.col(1).array() += 1.0F;
  const auto shifts = shifted_columns(before, now);
  ASSERT_THAT(shifts, SizeIs(1));
  EXPECT_EQ(shifts[0].column, 1);
  EXPECT_NEAR(shifts[0].distance, 0.383, 0.08);  // 2 Phi(1/2) - 1
  EXPECT_NEAR(shifts[0].median_now - shifts[0].median_before, 1.0F, 0.3F);
}

TEST(ColumnShift, takes_equal_values_together) {
  // Half zeros on both sides; passing them one by one would open a gap of a half.
  const Matrix before = column_of(std::vector<float>(200, 0.0F));
  EXPECT_THAT(shifted_columns(before, before), SizeIs(0));
  Matrix ones = before;
  ones.bottomRows(100).setOnes();
  const auto shifts = shifted_columns(before, ones);
  ASSERT_THAT(shifts, SizeIs(1));
  EXPECT_DOUBLE_EQ(shifts[0].distance, 0.5);
}

TEST(AlarmTerms, costs_are_read_or_refused_with_what_they_should_be) {
  EXPECT_EQ(costs_in("10:1"), std::pair(10.0, 1.0));
  EXPECT_EQ(costs_in("0.5:20"), std::pair(0.5, 20.0));
  for (const char* bad : {"10", "a:1", "1:", ":"}) {
    EXPECT_THROW((void)costs_in(bad), Error) << bad;
  }
}

TEST(AlarmTerms, the_mixture_finds_how_many_rows_are_novel) {
  Rng rng(5);
  std::vector<float> p;
  for (int i = 0; i < 20000; ++i) {
    const double even = rng.uniform();
    p.push_back(static_cast<float>(i < 2000 ? std::pow(even, 1.0 / 0.1) : even));  // Beta(0.1, 1)
  }
  const NoveltyMixture mixture = fit_mixture(p, std::nullopt);
  EXPECT_NEAR(mixture.frequency, 0.1, 0.02);
  EXPECT_NEAR(mixture.shape, 0.1, 0.03);
}

TEST(AlarmTerms, the_cheapest_p_is_where_neither_neighbour_is_cheaper) {
  const NoveltyMixture mixture{0.05, 0.2};
  for (const auto& [miss, wrong] : {std::pair(1.0, 1.0), std::pair(10.0, 1.0)}) {
    const double p = mixture.cheapest(miss, wrong);
    EXPECT_LT(mixture.cost(p, miss, wrong), mixture.cost(1.05 * p, miss, wrong));
    EXPECT_LT(mixture.cost(p, miss, wrong), mixture.cost(0.95 * p, miss, wrong));
  }
  EXPECT_GT(mixture.cheapest(10, 1), mixture.cheapest(1, 1));
  EXPECT_DOUBLE_EQ(mixture.cheapest(1e9, 1), 1.0);
}

TEST(AlarmTerms, a_budget_takes_the_greatest_scores_that_fit_and_no_part_of_a_tie) {
  AlarmTerms terms;
  terms.alarms = 3;
  terms.rows = 10;
  const std::vector<float> novelty{9, 5, 5, 5, 1, 1, 1, 1, 1, 1};
  const std::vector<float> p(10, 0.01F);
  const AlarmRule rule = alarm_rule(terms, novelty, p, 1000);
  EXPECT_TRUE(rule.bounded);
  EXPECT_EQ(rule.above, 5.0F);  // 9 alone: three of the four next ones would not all fit
  EXPECT_NEAR(rule.p, 0.3, 1e-3);
}

TEST(AlarmTerms, what_contradicts_itself_is_refused) {
  const auto refused = [](auto change) {
    AlarmTerms terms;
    change(terms);
    try {
      terms.check();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused([](AlarmTerms& t) { t.rate = 0; }), HasSubstr("--rate 0"));
  EXPECT_THAT(refused([](AlarmTerms& t) { t.alarms = 3; }), HasSubstr("--rows-per-day"));
  EXPECT_THAT(refused([](AlarmTerms& t) { t.frequency = 0.1; }), HasSubstr("--cost"));
  EXPECT_THAT(refused([](AlarmTerms& t) {
                t.miss = t.wrong = 1;
                t.alarms = 1;
                t.rows = 10;
              }),
              HasSubstr("give one of them"));
  EXPECT_EQ(refused([](AlarmTerms&) {}), "accepted");
}

// Rows on a line, y = 2 x, and new rows off it.
class LineFolder {
 public:
  LineFolder() {
    Rng rng(11);
    std::string train = "x,y\n";
    for (int i = 0; i < 300; ++i) {
      const double x = rng.normal();
      train += std::to_string(x) + "," + std::to_string(2 * x + 0.05 * rng.normal()) + "\n";
    }
    write_file(scratch_ / "train.csv", train);
    write_file(scratch_ / "new.csv", "x,y\n0,0\n0.5,9\n1,2\n-8,0.1\n");
    call.train = (scratch_ / "train.csv").string();
    call.fresh = (scratch_ / "new.csv").string();
  }

  [[nodiscard]] DetectOutcome run() const {
    Progress silent;
    return detect_unusual(call, silent);
  }

  void put(std::string_view name, const std::string& text) const {
    write_file(scratch_ / name, text);
  }

  DetectCall call;

 private:
  Scratch scratch_;
};

TEST(Detect, calls_novel_what_lies_apart_and_names_the_column) {
  LineFolder folder;
  folder.call.explained = 2;
  const DetectOutcome found = folder.run();
  EXPECT_THAT(found.novel, ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(found.alarms, 2);
  EXPECT_EQ(found.held, 300);
  EXPECT_FLOAT_EQ(found.p_value[3], 1.0F / 301.0F);
  ASSERT_THAT(found.why, SizeIs(2));
  for (const ExplainedRow& row : found.why) {
    const UnusualColumn& first = row.columns.at(0);
    EXPECT_EQ(found.columns[at(first.column)], row.row == 1 ? "y" : "x");
    EXPECT_GT(first.share, 0.8);
    EXPECT_LT(std::abs(first.usual), std::abs(first.value));
  }
}

TEST(Detect, keeps_the_rate_it_states_on_rows_like_those_learned) {
  LineFolder folder;
  Rng rng(12);
  std::string fresh = "x,y\n";
  for (int i = 0; i < 4000; ++i) {
    const double x = rng.normal();
    fresh += std::to_string(x) + "," + std::to_string(2 * x + 0.05 * rng.normal()) + "\n";
  }
  folder.put("new.csv", fresh);
  folder.call.terms.rate = 0.1;
  const DetectOutcome found = folder.run();
  EXPECT_NEAR(static_cast<double>(found.alarms) / 4000.0, 0.1, 0.05);
  EXPECT_THAT(found.shifts, SizeIs(0));
}

TEST(Detect, sets_aside_as_many_rows_of_a_mixture_as_it_was_told) {
  LineFolder folder;
  folder.call.contaminated = 0.05;
  const DetectOutcome found = folder.run();
  EXPECT_EQ(found.detector, "tyto-detect-mixed");
  EXPECT_EQ(found.set_aside, 15);
  EXPECT_EQ(found.learned, 285);
  EXPECT_EQ(found.held, 285);
  EXPECT_EQ(found.novel[3], 1);
}

TEST(Detect, sets_aside_the_rows_that_lie_apart) {
  Rng rng(21);
  TrainingRows training;
  training.rows.resize(200, 3);
  for (Index i = 0; i < 200; ++i) {
    for (Index c = 0; c < 3; ++c) {
      // Four in one place, each the others' neighbour, and one alone.
      const double away = i == 40 || i == 41 || i == 150 || i == 199 ? 12 : i == 90 ? -15 : 0;
      training.rows(i, c) = static_cast<float>(rng.normal() + away);
    }
  }
  training.seen = 200;
  Progress silent;
  const LearnedDetector learned =
      learn_detector(detector_config(std::string(kMixedPreset)), training, 0.025, 1, silent);
  EXPECT_THAT(learned.set_aside, ElementsAre(40, 41, 90, 150, 199));
}

TEST(Detect, learns_from_a_draw_where_there_are_too_many_rows) {
  LineFolder folder;
  folder.call.train_rows = 100;
  const DetectOutcome found = folder.run();
  EXPECT_EQ(found.train_seen, 300);
  EXPECT_EQ(found.learned, 100);
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("100 of them, drawn at random")));
}

TEST(Detect, says_where_the_rows_cannot_support_the_rate) {
  LineFolder folder;
  folder.call.train_rows = 50;
  const DetectOutcome found = folder.run();
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("cannot be promised from 50")));
  EXPECT_NEAR(found.rate, 1.0 / 51.0, 1e-12);
  EXPECT_EQ(found.novel[3], 1);  // beyond all of them still
}

TEST(Detect, fills_what_is_missing_with_the_median_when_told) {
  LineFolder folder;
  folder.put("new.csv", "x,y\n0,0\n,0\nNA,0\n0,nan\n");
  EXPECT_THROW((void)folder.run(), Error);
  folder.call.fill_missing = true;
  const DetectOutcome found = folder.run();
  EXPECT_EQ(found.novelty[1], found.novelty[2]);
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("3 missing values")));
}

// Of ADBench, with the value that docs/results/detection.md tells.
TEST(Detect, tells_novel_rows_of_a_real_table) {
  const std::filesystem::path packed =
      std::filesystem::path(testing_support::in_tree("/../shared/data/adbench")) /
      "Ionosphere.csv.gz";
  if (!std::filesystem::exists(packed)) {
    GTEST_SKIP() << packed << " is not there";
  }
  const CsvTable table = CsvTable::load(packed);
  const Index split = table.column("split");
  const Index novel = table.column("novel");
  std::string train;
  std::string test;
  for (Index c = 0; c < split; ++c) {
    train += (c == 0 ? "" : ",") + table.columns()[at(c)];
  }
  test = train += "\n";
  std::vector<std::uint8_t> truth;
  for (Index i = 0; i < table.rows(); ++i) {
    std::string& part = table.text(i, split) == "train" ? train : test;
    for (Index c = 0; c < split; ++c) {
      part += (c == 0 ? "" : ",") + std::string(table.text(i, c));
    }
    part += "\n";
    if (&part == &test) {
      truth.push_back(table.text(i, novel) == "1" ? 1 : 0);
    }
  }
  LineFolder folder;
  folder.put("train.csv", train);
  folder.put("new.csv", test);
  const DetectOutcome found = folder.run();
  const std::vector<double> score(found.novelty.begin(), found.novelty.end());
  EXPECT_NEAR(auroc(detection_curve(score, truth)).value(), 0.980, 0.002);
}

}  // namespace
}  // namespace tyto
