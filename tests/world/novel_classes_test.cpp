// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "support/small_worlds.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/world/novel_classes/class_roles.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::small_dataset;

// A letter a row; the split of each: t, v, e, or - for none; "" for no column. A group a row, or
// "".
Dataset letters(const std::string& labels, const std::string& splits = "",
                const std::string& groups = "") {
  Dataset data;
  data.name = "letters";
  for (std::size_t i = 0; i < labels.size(); ++i) {
    data.table.id.push_back(std::to_string(i));
    data.table.label.push_back(labels[i] == '?' ? "" : std::string(1, labels[i]));
    if (!splits.empty()) {
      data.table.split.emplace_back(splits[i] == 't'   ? "train"
                                    : splits[i] == 'v' ? "validate"
                                    : splits[i] == 'e' ? "test"
                                                       : "");
    }
    if (!groups.empty()) {
      data.table.group.emplace_back(1, groups[i]);
    }
  }
  data.store =
      std::make_shared<const DenseStore>(Matrix::Zero(static_cast<Index>(labels.size()), 1));
  return data;
}

NovelClassRows dealt(const Dataset& data, const std::string& yaml = "{}", std::uint64_t seed = 1) {
  auto options = read_options<NovelClassOptions>(parse_yaml(yaml, "test"), "world");
  return deal_roles(data, options, Rng(seed, "test"));
}

std::string classes_with(const NovelClassRows& rows, ClassRole role) {
  std::string names;
  for (std::size_t c = 0; c < rows.names.size(); ++c) {
    names += rows.role[c] == role ? rows.names[c] : "";
  }
  return names;
}

TEST(NovelClasses, are_those_that_train_lacks_where_the_splits_tell) {
  //                                       0123456789
  const NovelClassRows rows = dealt(letters("aabbcabdce", "ttttvvveee"));
  EXPECT_TRUE(rows.by_splits);
  EXPECT_EQ(classes_with(rows, ClassRole::normal), "ab");
  EXPECT_EQ(classes_with(rows, ClassRole::novel_validate), "c");
  EXPECT_EQ(classes_with(rows, ClassRole::novel_test), "de");
  EXPECT_THAT(rows.rows[0], ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(rows.rows[1], ElementsAre(4, 5, 6));
  EXPECT_THAT(rows.rows[2], ElementsAre(7, 9)) << "c was met where detectors are chosen";
  EXPECT_EQ(rows.novel_elsewhere, 1);
}

TEST(NovelClasses, are_drawn_where_the_splits_have_all_classes_everywhere) {
  const NovelClassRows rows = dealt(letters("abcdabcdabcd", "ttttvvvveeee"));
  EXPECT_FALSE(rows.by_splits);
  EXPECT_EQ(classes_with(rows, ClassRole::normal).size(), 2U);
  EXPECT_EQ(classes_with(rows, ClassRole::novel_validate).size(), 1U);
  EXPECT_EQ(classes_with(rows, ClassRole::novel_test).size(), 1U);
  EXPECT_EQ(rows.rows[0].size(), 2U);
  EXPECT_EQ(rows.rows[1].size(), 3U) << "two normal rows, one novel";
  EXPECT_EQ(rows.rows[2].size(), 3U);
}

TEST(NovelClasses, count_whole_where_neither_split_nor_group_forbids_it) {
  const Dataset data = letters("aaaaaaaaaabbbbcccc");
  const NovelClassRows rows = dealt(
      data, "{normal: a, novel_validate: b, novel_test: c, split: {test: 0.3, validate: 0.2}}");
  EXPECT_EQ(rows.rows[0].size(), 5U);
  EXPECT_EQ(rows.rows[1].size(), 2U + 4U);
  EXPECT_EQ(rows.rows[2].size(), 3U + 4U);
  EXPECT_EQ(rows.novel_elsewhere, 0);
}

TEST(NovelClasses, stay_out_of_groups_of_another_split) {
  //                           groups: each has a and c
  const Dataset data = letters("acacacacacac", "", "112233445566");
  const NovelClassRows rows = dealt(data,
                                    "{normal: a, novel_test: c, novel_validate: [], split: "
                                    "{test: 0.5, validate: 0}}");
  std::set<std::string> training;
  for (const Index row : rows.rows[0]) {
    training.insert(data.table.group[at(row)]);
  }
  ASSERT_EQ(training.size(), 3U);
  for (const Index row : rows.rows[2]) {
    EXPECT_FALSE(training.contains(data.table.group[at(row)]));
  }
  EXPECT_EQ(rows.rows[2].size(), 6U);
  EXPECT_EQ(rows.novel_elsewhere, 3);
}

TEST(NovelClasses, draw_a_validate_split_from_train_where_the_data_have_none) {
  const NovelClassRows rows =
      dealt(letters("aaaaaaaaaac", "tttttttteee"), "{split: {test: 0.3, validate: 0.25}}");
  EXPECT_EQ(rows.rows[0].size(), 6U);
  EXPECT_EQ(rows.rows[1].size(), 2U);
  EXPECT_THAT(rows.rows[2], ElementsAre(8, 9, 10));
}

TEST(NovelClasses, leave_a_share_of_normal_rows_unlabelled_for_discovery) {
  const NovelClassRows rows = dealt(letters("aaaaaaaabbbbbbbbcc", "tttttttttttttttttt"),
                                    "{normal: [a, b], novel_test: c, novel_validate: [], labelled: "
                                    "0.5, split: {validate: 0}}");
  EXPECT_EQ(rows.rows[0].size(), 8U);
  EXPECT_EQ(rows.rows[2].size(), 8U) << "c is in train by the data's own word, and stays out";
}

TEST(NovelClasses, say_what_is_left_out) {
  const NovelClassRows rows = dealt(letters("aa?bbc", "tt-e-e"));
  EXPECT_EQ(rows.unlabelled, 1);
  EXPECT_EQ(rows.in_no_split, 1);
}

std::string refusal(const Dataset& data, const std::string& yaml) {
  try {
    dealt(data, yaml);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

TEST(NovelClasses, refuse_roles_that_cannot_be) {
  const Dataset data = letters("aabbcc");
  EXPECT_THAT(refusal(data, "{normal: [a, x]}"),
              HasSubstr("world.normal: the data have no class \"x\""));
  EXPECT_THAT(refusal(data, "{normal: [a, b], novel_test: a}"),
              HasSubstr("world.novel_test: class \"a\" already is normal"));
  EXPECT_THAT(refusal(data, "{normal: 5}"), HasSubstr("5 classes are asked for"));
  EXPECT_THAT(refusal(data, "{normal: 0}"), HasSubstr("no class is normal"));
  EXPECT_THAT(refusal(letters("aab", "vve"), "{normal: a, novel_test: b}"),
              HasSubstr("no row of a normal class is in train"));
  EXPECT_THAT(refusal(letters("aab", "ttt"), "{normal: a, split: {validate: 0}}"),
              HasSubstr("no row is in test"));
}

TEST(NovelClasses, never_name_a_novel_sample_of_validate) {
  const auto built =
      build_world(parse_yaml("{kind: novel_classes}", "test"), "world", {small_dataset()}, 3);
  const auto world = built->make_world({});
  ASSERT_TRUE(world->advance());
  const Split& validate = *world->deal().find("validate");
  std::vector<Index> rows;
  for (Index i = 0; i < validate.samples.size(); ++i) {
    rows.push_back(i);
  }
  const std::vector<std::string> known = world->shown_before();
  const Feedback told = world->ask(FeedbackKind::labels, validate, rows);
  EXPECT_LT(std::ssize(told.row), validate.samples.size());
  EXPECT_THAT(told.row, testing::Not(IsEmpty()));
  for (const std::string& name : told.name) {
    EXPECT_THAT(known, testing::Contains(name));
  }
  EXPECT_EQ(world->budget(validate), 0);
  EXPECT_FALSE(world->advance());
}

TEST(NovelClasses, are_rehearsed_with_the_novel_ones_of_validate_and_without_the_test) {
  const auto built =
      build_world(parse_yaml("{kind: novel_classes}", "test"), "world", {small_dataset()}, 3);
  const auto names_in = [](const WorldSource& source, std::string_view split) {
    const auto world = source.make_world({});
    EXPECT_TRUE(world->advance());
    std::set<std::string> names;
    const Samples& samples = world->deal().find(split)->samples;
    for (Index i = 0; i < samples.size(); ++i) {
      names.insert(source.truth()->name[static_cast<std::size_t>(samples.id(i))]);
    }
    return names;
  };
  const auto rehearsal = built->rehearsable()->rehearsal({}, 9);
  EXPECT_EQ(names_in(*rehearsal, "test"), names_in(*built, "validate"));
  EXPECT_EQ(names_in(*rehearsal, "train"), names_in(*built, "train"));
}

}  // namespace
}  // namespace tyto
