// SPDX-License-Identifier: Apache-2.0
#include "tiny_page.hpp"
#include "toy_tests_page.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing_support::built_section;
using testing_support::tiny_phase;
using testing_support::tiny_source;
using Sheet = nlohmann::json;

// After feedback (tiny_page.hpp) samples 2, 3 and 4 are right, 5 is not. Blurred, 3 is lost too and
// 5 is found; turned upside down, only 2 is shown, and it is right.
std::shared_ptr<MemoryRecord> record_with_nuisance() {
  auto record = std::make_shared<MemoryRecord>(testing_support::tiny_truth());
  record->add(tiny_phase({0, "post", "test"}, {{0, "a"}, {1, "b"}}));
  record->add(tiny_phase({1, "post", "test"}, {{2, "a"}, {3, "b"}, {4, "c"}, {5, "a"}}));
  Phase blurred =
      tiny_phase({1, "post", "test:blur"}, {{5, "c"}, {4, "unknown"}, {3, "a"}, {2, "a"}});
  blurred.confidence = {0.5F, 0.6F, 0.9F, 0.5F};
  record->add(blurred);
  record->add(tiny_phase({1, "post", "test:rotation"}, {{2, "a"}}));
  return record;
}

PageSource source_with_nuisance() {
  PageSource source = tiny_source();
  source.arms[0].seeds = {{0, record_with_nuisance()}};
  return source;
}

TEST(NuisanceSection, tells_values_and_losses_of_the_samples_shown_both_ways) {
  const Sheet data = built_section(source_with_nuisance(), "nuisance");
  EXPECT_EQ(data.at("measures").at(0).at("name"), "accuracy");
  EXPECT_EQ(data.at("measures").at(1).at("name"), "mcc");
  ASSERT_EQ(data.at("arms").size(), 1U);
  const Sheet& arm = data.at("arms").at(0);
  EXPECT_EQ(arm.at("samples"), 6);
  EXPECT_NEAR(arm.at("values").at(0).at(0).get<double>(), 5.0 / 6, 1e-5);
  ASSERT_EQ(arm.at("rows").size(), 2U);
  const Sheet& blur = arm.at("rows").at(0);
  EXPECT_EQ(blur.at("name"), "blur");
  EXPECT_EQ(blur.at("samples"), 4);
  EXPECT_EQ(blur.at("pairs"), 4);
  EXPECT_EQ(blur.at("values").at(0).at(0), 0.5);
  // Of the same four 3/4 were right as they are; the two of increment 0 were not shown blurred.
  EXPECT_EQ(blur.at("loss").at(0).at(0), 0.25);
  EXPECT_LT(blur.at("loss").at(0).at(1).get<double>(), 0.25);
  EXPECT_GT(blur.at("loss").at(0).at(2).get<double>(), 0.25);
  const Sheet& turned = arm.at("rows").at(1);
  EXPECT_EQ(turned.at("name"), "rotation");
  EXPECT_EQ(turned.at("pairs"), 1);
  EXPECT_EQ(turned.at("loss").at(0).at(0), 0.0);
  EXPECT_TRUE(data.at("shelves").empty());  // there are no pictures
}

TEST(NuisanceSection, tells_the_range_of_several_seeds) {
  PageSource source = source_with_nuisance();
  source.runs[0].seeds.push_back(testing_support::tiny_seed(8));
  auto perfect = std::make_shared<MemoryRecord>(testing_support::tiny_truth());
  perfect->add(tiny_phase({1, "post", "test"}, {{2, "a"}, {3, "b"}}));
  perfect->add(tiny_phase({1, "post", "test:blur"}, {{2, "a"}, {3, "b"}}));
  source.arms[0].seeds.push_back({1, perfect});
  const Sheet data = built_section(source, "nuisance");
  const Sheet& rows = data.at("arms").at(0).at("rows");
  EXPECT_EQ(rows.at(0).at("loss").at(0), Sheet::parse("[0.125, 0.0, 0.25]"));
  EXPECT_EQ(rows.at(1).at("loss").at(0).at(0), 0.0);  // the first seed alone has it
  EXPECT_EQ(data.at("interval"), "mean, least and greatest of the seeds");
}

TEST(NuisanceSection, compares_values_where_other_samples_were_shown) {
  PageSource source = tiny_source();
  auto record = std::make_shared<MemoryRecord>(testing_support::tiny_truth());
  record->add(tiny_phase({1, "post", "test"}, {{2, "a"}, {3, "b"}}));
  record->add(tiny_phase({1, "post", "test:blur"}, {{4, "c"}, {5, "a"}}));
  source.arms[0].seeds = {{0, record}};
  const Sheet data = built_section(source, "nuisance");
  const Sheet& row = data.at("arms").at(0).at("rows").at(0);
  EXPECT_EQ(row.at("pairs"), 0);
  EXPECT_EQ(row.at("loss").at(0), Sheet::parse("[0.5, null, null]"));
}

TEST(NuisanceSection, shows_samples_as_they_were_shown_the_surest_first) {
  PageSource source = source_with_nuisance();
  source.runs[0].samples.picture = [](const PictureWish& wish) -> std::optional<SamplePicture> {
    // Sample 4 cannot be drawn blurred.
    if (wish.sample == SampleId{4} && !wish.split.empty()) {
      return std::nullopt;
    }
    return SamplePicture{std::to_string(static_cast<int>(wish.sample)) + wish.split, 1, true};
  };
  const Sheet data = built_section(source, "nuisance");
  ASSERT_EQ(data.at("shelves").size(), 3U);
  const Sheet& lost = data.at("shelves").at(0);
  EXPECT_EQ(lost.at("name"), "blur");
  EXPECT_EQ(lost.at("right"), false);
  EXPECT_EQ(lost.at("samples"), 2);
  ASSERT_EQ(lost.at("items").size(), 2U);
  EXPECT_EQ(lost.at("items").at(0).at("sample"), "s3");  // 0.9 sure
  EXPECT_EQ(lost.at("items").at(0).at("changed"), true);
  EXPECT_EQ(lost.at("items").at(1).at("sample"), "s4");
  EXPECT_EQ(lost.at("items").at(1).at("said"), 0);  // unknown
  EXPECT_EQ(lost.at("items").at(1).at("changed"), false);
  const auto& media = source.pictures->all();
  EXPECT_EQ(media.at(0).picture.bytes, "3test:blur");
  EXPECT_EQ(media.at(0).sample, "");
  EXPECT_EQ(media.at(1).picture.bytes, "4");
  EXPECT_EQ(media.at(1).sample, "s4");
  EXPECT_EQ(data.at("shelves").at(1).at("right"), true);  // s2; s5 was wrong as it is
  EXPECT_EQ(data.at("shelves").at(1).at("samples"), 1);
  EXPECT_EQ(data.at("shelves").at(2).at("name"), "rotation");
}

TEST(NuisanceSection, is_left_out_where_nothing_was_changed) {
  EXPECT_TRUE(built_section(tiny_source(), "nuisance").is_null());
}

}  // namespace
}  // namespace tyto
