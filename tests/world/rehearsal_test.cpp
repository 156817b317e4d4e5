// SPDX-License-Identifier: Apache-2.0
// What a search sees of a world: the start and nothing else.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/world/increments/increment_world.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

// Six classes of 40 rows; feature 0 of a row is its number.
Dataset numbered(const std::string& validate) {
  Dataset dataset;
  dataset.name = "numbered";
  Matrix values(240, 2);
  for (Index i = 0; i < 240; ++i) {
    dataset.table.id.push_back(std::to_string(i));
    dataset.table.label.push_back(std::string(1, static_cast<char>('a' + i % 6)));
    dataset.table.split.push_back(i % 4 == 0 ? "test" : i % 4 == 1 ? validate : "train");
    values.row(i) << static_cast<float>(i), 1.0F;
  }
  dataset.store = std::make_shared<const DenseStore>(values);
  return dataset;
}

std::unique_ptr<WorldSource> numbered_world(const std::string& validate, const std::string& start) {
  IncrementOptions options;
  options.start.classes = ConfigNode::scalar(start);
  options.increments = 2;
  return build_increments(join_series({numbered(validate)}), options, 3);
}

TEST(Rehearsal, shows_rows_of_the_start_alone_with_their_own_features) {
  for (const std::string validate : {"validate", "train"}) {
    const auto world = numbered_world(validate, "4");
    std::set<std::string> allowed;
    const auto whole = world->make_world({1, std::nullopt});
    ASSERT_TRUE(whole->advance());
    for (const Split& split : whole->deal().splits) {
      for (Index i = 0; split.name != "test" && i < split.samples.size(); ++i) {
        allowed.insert(world->truth()->name[static_cast<std::size_t>(split.samples.id(i))]);
      }
    }
    const auto rehearsal = world->rehearsable()->rehearsal({0.5, 3}, 5);
    const auto played = rehearsal->make_world({1, std::nullopt});
    std::set<std::string> shown;
    std::set<std::string> classes;
    Index steps = 0;
    for (; played->advance(); ++steps) {
      for (const Split& split : played->deal().splits) {
        const Matrix rows = split.samples.rows();
        for (Index i = 0; i < split.samples.size(); ++i) {
          const auto id = static_cast<std::size_t>(split.samples.id(i));
          const std::string& name = rehearsal->truth()->name[id];
          EXPECT_TRUE(allowed.contains(name)) << name;
          EXPECT_EQ(rows(i, 0), std::stof(name));
          EXPECT_TRUE(shown.insert(name).second) << "twice: " << name;
          classes.insert(rehearsal->truth()->label[id]);
        }
      }
    }
    EXPECT_EQ(shown, allowed);
    EXPECT_EQ(classes.size(), 4U);
    EXPECT_EQ(steps, 3);  // two classes known, two to come, one an increment
  }
}

TEST(Rehearsal, needs_three_classes) {
  try {
    static_cast<void>(numbered_world("train", "2")->rehearsable()->rehearsal({}, 1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the start has 2 classes, and a rehearsal needs three"));
  }
}

}  // namespace
}  // namespace tyto
