// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/label_changes.hpp"

#include "support/scratch.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/world/increments/increment_world.hpp"

namespace tyto {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// One train and one test sample of each letter at each increment; `kind` is "<letter><increment %
// 2>".
class LabelChanges : public testing::Test {
 protected:
  LabelChanges() {
    const std::vector<std::string> shown{"ab", "abc", "abc", "abcd"};
    std::set<char> seen;
    for (std::size_t step = 0; step < shown.size(); ++step) {
      Increment increment;
      for (const char letter : shown[step]) {
        for (const Side side : {Side::train, Side::test}) {
          ScheduledSplit& split = increment.splits[static_cast<std::size_t>(side)];
          split.row.push_back(table_.size());
          split.novel.push_back(step > 0 && !seen.contains(letter));
          table_.id.push_back(fmt::format("{}{}{}", letter, step, side == Side::train ? "t" : "e"));
          table_.label.emplace_back(1, letter);
          table_.annotations["kind"].push_back(fmt::format("{}{}", letter, step % 2));
        }
      }
      for (const char letter : shown[step]) {
        if (seen.insert(letter).second) {
          schedule_.first_shown.emplace_back(std::string(1, letter),
                                             step == 0 ? -1 : static_cast<Index>(step));
        }
      }
      schedule_.increments.push_back(std::move(increment));
    }
  }

  [[nodiscard]] LabelHistory history(const std::string& yaml) const {
    return label_history(parse_yaml(yaml, "test.yaml"), "world.label_changes", table_, schedule_);
  }

  [[nodiscard]] std::string problem_of(const std::string& yaml) const {
    try {
      (void)history(yaml);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "none";
  }

  // Names of the train samples of an increment, as they are shown.
  [[nodiscard]] std::vector<std::string> shown_at(const LabelHistory& history, Index step) const {
    std::vector<std::string> names;
    for (const Index row : schedule_.increments[at(step)].split(Side::train).row) {
      names.push_back(history.label[at(row)]);
    }
    return names;
  }

  IndexTable table_;
  Schedule schedule_;
};

TEST_F(LabelChanges, name_samples_as_they_are_called_when_shown) {
  const LabelHistory changed = history(
      "[{increment: 1, rename: {a: x}}, {increment: 2, merge: {m: [x, b]}}, {increment: 3, "
      "split: {c: {annotation: kind}}}]");
  EXPECT_THAT(shown_at(changed, 0), ElementsAre("a", "b"));
  EXPECT_THAT(shown_at(changed, 1), ElementsAre("x", "b", "c"));
  EXPECT_THAT(shown_at(changed, 2), ElementsAre("m", "m", "c"));
  EXPECT_THAT(shown_at(changed, 3), ElementsAre("m", "m", "c1", "d"));
  EXPECT_THAT(changed.shown[1], ElementsAre("b", "x"));
  EXPECT_THAT(changed.shown[2], ElementsAre("c", "m"));
  EXPECT_THAT(changed.shown[3], ElementsAre("c0", "c1", "m"));  // c was shown at 1 and 2
  EXPECT_THAT(changed.last_shown[1], ElementsAre(0, 0));
  EXPECT_THAT(changed.last_shown[2], ElementsAre(1, 1));
  EXPECT_THAT(changed.last_shown[3], ElementsAre(2, 1, 2));  // c at 1 was to be c1
  EXPECT_THAT(changed.novel[3][0], ElementsAre(false, false, false, true));
  EXPECT_THAT(changed.changes[0], IsEmpty());
  ASSERT_EQ(changed.changes[2].size(), 1U);
  EXPECT_EQ(changed.changes[2][0].to, "m");
  EXPECT_THAT(changed.changes[2][0].from, ElementsAre("x", "b"));
}

TEST_F(LabelChanges, make_a_class_known_or_novel_by_the_name_it_bears) {
  // d comes at 3, under the name of a class that was shown before.
  const LabelHistory taken_in = history("[{increment: 3, merge: {a: [a, d]}}]");
  EXPECT_THAT(taken_in.novel[3][0], ElementsAre(false, false, false, false));
  EXPECT_THAT(schedule_.increments[3].splits[0].novel, ElementsAre(false, false, false, true));
  // Of b, what is shown at 3 was never shown by that name.
  for (std::size_t row = 0; row < table_.id.size(); ++row) {
    if (table_.label[row] == "b") {
      table_.annotations["kind"][row] = table_.id[row][1] == '3' ? "late b" : "b0";
    }
  }
  const LabelHistory parted = history("[{increment: 2, split: {b: {annotation: kind}}}]");
  EXPECT_THAT(parted.novel[2][0], ElementsAre(false, false, false));
  EXPECT_THAT(parted.novel[3][0], ElementsAre(false, true, false, true));
}

TEST_F(LabelChanges, leave_alone_what_is_never_shown) {
  table_.id.push_back("c9");
  table_.label.emplace_back("c");
  table_.annotations["kind"].emplace_back();  // no new name, and none needed
  table_.id.push_back("z9");
  table_.label.emplace_back("z");
  table_.annotations["kind"].emplace_back();
  EXPECT_EQ(problem_of("[{increment: 3, split: {c: {annotation: kind}}}]"), "none");
  EXPECT_THAT(problem_of("[{increment: 3, rename: {z: y}}]"),
              HasSubstr("no class is called \"z\" then"));
}

TEST_F(LabelChanges, may_split_by_a_table) {
  const testing_support::Scratch scratch;
  std::string csv = "id,label\n";
  for (const std::string& id : table_.id) {
    if (id[0] == 'c') {
      csv += fmt::format("{},c of {}\n", id, id[1]);
    }
  }
  write_file(scratch / "split.csv", csv);
  const LabelHistory changed = history(fmt::format(
      "[{{increment: 3, split: {{c: {{table: {}}}}}}}]", (scratch / "split.csv").string()));
  EXPECT_THAT(shown_at(changed, 3), ElementsAre("a", "b", "c of 3", "d"));
  write_file(scratch / "split.csv", "id,label\nc1t,other\n");
  EXPECT_THAT(problem_of(fmt::format("[{{increment: 3, split: {{c: {{table: {}}}}}}}]",
                                     (scratch / "split.csv").string())),
              HasSubstr("the sample \"c1e\" has no new name in"));
}

TEST_F(LabelChanges, that_cannot_be_are_refused_with_a_sentence) {
  EXPECT_THAT(problem_of("[{increment: 9, rename: {a: x}}]"), HasSubstr("the last one is 3"));
  EXPECT_THAT(problem_of("[{increment: 1, rename: {z: x}}]"),
              HasSubstr("world.label_changes.0.rename.z: no class is called \"z\" then"));
  EXPECT_THAT(problem_of("[{increment: 1, rename: {a: x}}, {increment: 2, rename: {a: y}}]"),
              HasSubstr("no class is called \"a\" then"));
  EXPECT_THAT(problem_of("[{increment: 1, rename: {a: unknown}}]"), HasSubstr("reserved"));
  EXPECT_THAT(problem_of("[{increment: 1, merge: {m: [a]}}]"), HasSubstr("two or more names"));
  EXPECT_THAT(problem_of("[{increment: 1, split: {a: {}}}]"), HasSubstr("one of them"));
  EXPECT_THAT(problem_of("[{increment: 1, split: {a: {annotation: none}}}]"),
              HasSubstr("no annotation \"none\""));
  EXPECT_THAT(problem_of("[{increment: 2, rename: {a: x}}, {increment: 1, rename: {b: y}}]"),
              HasSubstr("write them in order"));
  EXPECT_THAT(problem_of("[{rename: {a: x}}]"), HasSubstr("needs an increment"));
  EXPECT_THAT(problem_of("[{increment: 1}]"), HasSubstr("changes nothing"));
  EXPECT_THAT(problem_of("{increment: 1}"), HasSubstr("must be a list"));
  EXPECT_EQ(problem_of("[]"), "none");
}

TEST_F(LabelChanges, reach_labels_truth_and_what_was_shown) {
  Dataset dataset;
  dataset.name = "letters";
  dataset.table = table_;
  dataset.store = std::make_shared<const DenseStore>(Matrix(Matrix::Zero(table_.size(), 1)));
  auto plan = make_plan(join_series({std::move(dataset)}), schedule_, Rng(4));
  const std::string digest = plan->digest;
  add_label_changes(*plan, parse_yaml("[]", "test"), "world.label_changes");
  EXPECT_EQ(plan->digest, digest);
  add_label_changes(*plan, parse_yaml("[{increment: 2, rename: {a: x}}]", "test"),
                    "world.label_changes");
  EXPECT_NE(plan->digest, digest);
  IncrementWorld world(plan, {});
  for (Index step = 0; step < 4; ++step) {
    ASSERT_TRUE(world.advance());
    const Split& train = *world.deal().find("train");
    const Feedback told = world.ask(FeedbackKind::labels, train, std::vector<Index>{0});
    EXPECT_EQ(told.name[0], step < 2 ? "a" : "x");
    EXPECT_EQ(plan->truth.label_of(train.samples.id(0)), told.name[0]);
    EXPECT_EQ(world.label_changes().size(), step == 2 ? 1U : 0U);
    EXPECT_THAT(world.shown_before(), Contains(step < 2 ? "a" : "x"));
    EXPECT_THAT(world.shown_before(), Not(Contains(step < 2 ? "x" : "a")));
    EXPECT_EQ(world.tasks_of(train).size(), static_cast<std::size_t>(train.samples.size()));
  }
}

}  // namespace
}  // namespace tyto
