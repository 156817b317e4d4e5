// SPDX-License-Identifier: Apache-2.0
// Category discovery on the page. Taught: a and b.
//
//   truth    a a a  b b  c c c  d
//   said     a a 0  b b  0 0 1  1     (0, 1: discovered)
#include "tiny_page.hpp"
#include "toy_tests_page.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing_support::built_section;
using testing_support::tiny_source;
using Sheet = nlohmann::json;

PageSource sorted_source() {
  Truth truth;
  truth.label = {"a", "a", "a", "b", "b", "c", "c", "c", "d"};
  const std::vector<std::string> said{
      "a",           "a", "discovered_0", "b", "b", "discovered_0", "discovered_0", "discovered_1",
      "discovered_1"};
  Phase phase;
  phase.key = {0, "discover", "test", 0};
  phase.space.add_known("a");
  phase.space.add_known("b");
  phase.space.add_discovered("a group of 3");
  phase.space.add_discovered("a group of 2");
  phase.known = {"a", "b"};
  phase.shown = phase.known;
  phase.top.resize(9, 1);
  phase.top_probability = Matrix::Constant(9, 1, 0.5F);
  for (Index i = 0; i < 9; ++i) {
    truth.name.push_back("s" + std::to_string(i));
    phase.sample.push_back(static_cast<SampleId>(i));
    phase.top(i, 0) =
        static_cast<std::int32_t>(*phase.space.find(said[static_cast<std::size_t>(i)]));
    phase.confidence.push_back(0.1F * static_cast<float>(i));
  }
  auto record = std::make_shared<MemoryRecord>(std::move(truth));
  record->add(phase);
  PageSource source = tiny_source();
  source.arms[0].seeds[0].record = record;
  return source;
}

TEST(CategoriesSection, matches_each_group_with_one_class) {
  const PageSource source = sorted_source();
  const Sheet data = built_section(source, "categories");
  ASSERT_EQ(data.at("splits").size(), 1U);
  const Sheet& split = data.at("splits").at(0);
  EXPECT_EQ(split.at("samples"), 9);
  EXPECT_EQ(split.at("right"), 7);  // a 2, b 2, c 2, d 1
  EXPECT_EQ(split.at("found"), 4);
  const auto name = [&](const Sheet& number) {
    return source.names->all().at(number.get<std::size_t>());
  };
  const Sheet& largest = split.at("groups").at(0);
  EXPECT_EQ(name(largest.at("name")), "discovered_0");
  EXPECT_EQ(largest.at("size"), 3);
  EXPECT_EQ(name(largest.at("matched")), "c");
  EXPECT_EQ(largest.at("right"), 2);
  EXPECT_EQ(largest.at("classes"), 2);
  EXPECT_EQ(name(largest.at("mix").at(0).at(0)), "c");
  EXPECT_EQ(largest.at("mix").at(0).at(1), 2);
  std::vector<std::string> matched;
  for (const Sheet& group : split.at("groups")) {
    matched.push_back(name(group.at("matched")));
  }
  EXPECT_EQ(matched, (std::vector<std::string>{"c", "a", "b", "d"}));
  EXPECT_EQ(split.at("known").size(), 2U);
  EXPECT_EQ(split.at("cells").size(), 3U * 6);
  EXPECT_TRUE(largest.at("items").empty());  // there are no pictures
  EXPECT_EQ(data.at("note"), "");
}

TEST(CategoriesSection, shows_the_surest_members_of_each_group) {
  PageSource source = sorted_source();
  source.runs[0].samples.picture = [](const PictureWish& wish) -> std::optional<SamplePicture> {
    return SamplePicture{std::to_string(static_cast<int>(wish.sample)), 1, true};
  };
  const Sheet data = built_section(source, "categories");
  const Sheet& items = data.at("splits").at(0).at("groups").at(0).at("items");
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items.at(0).at("sample"), "s6");
  EXPECT_EQ(items.at(1).at("sample"), "s5");
  EXPECT_EQ(items.at(2).at("sample"), "s2");
}

TEST(CategoryStory, tells_what_was_taught_and_sorted_right) {
  PageSource source = sorted_source();
  source.runs[0].seeds[0].shown = {{0, "train", "a", false, 6}, {0, "train", "b", false, 4},
                                   {0, "test", "a", false, 3},  {0, "test", "b", false, 2},
                                   {0, "test", "c", true, 3},   {0, "test", "d", true, 1}};
  source.runs[0].headline = {{"all", "All", "", "discover", "raw", "hungarian_accuracy"},
                             {"old", "Old", "", "discover", "raw", "hungarian_accuracy_known"},
                             {"new", "New", "", "discover", "raw", "hungarian_accuracy_novel"}};
  const Sheet summary = built_section(source, "summary");
  const std::string text = summary.at("paragraphs").at(0).at("text");
  EXPECT_TRUE(
      text.starts_with("2 classes were taught, from 10 samples. Of 9 test samples 4 are of "
                       "2 classes that nobody taught. ncm-50pct sorted 78 %"))
      << text;
  EXPECT_NE(text.find("of classes it was taught 80 %"), text.npos) << text;
  EXPECT_NE(text.find("of new ones 75 %"), text.npos) << text;
}

TEST(CategoriesSection, is_left_out_of_other_runs) {
  EXPECT_TRUE(built_section(tiny_source(), "categories").is_null());
}

}  // namespace
}  // namespace tyto
