// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/pictures/picture_list.hpp"

#include "tiny_page.hpp"
#include "toy_tests_page.hpp"
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

class PictureListTest : public testing::Test {
 protected:
  std::optional<Index> of(int sample, PictureShare& share, std::string arm = "") {
    return list.of(0, samples, "s" + std::to_string(sample),
                   {.sample = static_cast<SampleId>(sample), .arm = std::move(arm)}, share);
  }

  // A different picture for each, of `size` bytes.
  void all_are(std::size_t size) {
    samples.picture = [this, size](const PictureWish& wish) {
      ++asked;
      std::string bytes = std::to_string(static_cast<int>(wish.sample));
      bytes.resize(size, '.');
      return SamplePicture{bytes, 1, false};
    };
  }

  PictureList list;
  SampleData samples;
  int asked = 0;
};

TEST_F(PictureListTest, stops_at_two_megabytes) {
  all_are(20'000);
  PictureShare share;
  for (int i = 0; i < 120; ++i) {
    EXPECT_EQ(of(i, share).has_value(), i < 100) << i;
  }
  EXPECT_EQ(list.all().size(), 100U);
  EXPECT_TRUE(list.left_out(0, {.sample = SampleId{100}}));
  EXPECT_FALSE(list.left_out(0, {.sample = SampleId{99}}));
  EXPECT_FALSE(list.left_out(0, {.sample = SampleId{120}}));  // nobody asked
  all_are(20'001);
  EXPECT_FALSE(of(200, share).has_value());
}

TEST_F(PictureListTest, gives_a_section_its_share_and_another_what_is_left) {
  all_are(100);
  PictureShare small{250}, large;
  EXPECT_EQ(of(0, small), 0);
  EXPECT_EQ(of(0, small), 0);  // on the page already: costs nothing
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(of(1, small), 1);
  EXPECT_FALSE(of(2, small).has_value());
  EXPECT_TRUE(list.left_out(0, {.sample = SampleId{2}}));
  EXPECT_EQ(of(2, large), 2);
  EXPECT_FALSE(list.left_out(0, {.sample = SampleId{2}}));
}

TEST_F(PictureListTest, has_equal_pictures_once_and_names_those_that_show_the_sample_as_it_is) {
  all_are(100);
  PictureShare share;
  EXPECT_EQ(of(0, share, "icarl"), 0);
  EXPECT_EQ(list.all()[0].sample, "");
  EXPECT_EQ(of(0, share, "bic"), 0);
  EXPECT_EQ(of(0, share), 0);
  EXPECT_EQ(list.all()[0].sample, "s0");
  EXPECT_EQ(share.left, kMostPictures - 100);
}

TEST_F(PictureListTest, asks_no_more_when_the_data_are_gone) {
  samples.picture = [this](const PictureWish&) -> std::optional<SamplePicture> {
    ++asked;
    throw Error(ErrorKind::data, "gone");
  };
  PictureShare share;
  EXPECT_FALSE(of(0, share).has_value());
  EXPECT_FALSE(of(1, share).has_value());
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(list.left_out(0, {.sample = SampleId{0}}));
}

TEST(GroupsSection, does_not_take_pictures_for_groups) {
  PageSource source = testing_support::tiny_source();
  auto record = std::make_shared<MemoryRecord>([] {
    Truth truth = testing_support::tiny_truth();
    truth.annotations["thumbnail_frames"] = {"1", "2", "1", "2", "1", "2", "1", "2"};
    return truth;
  }());
  record->add(testing_support::tiny_phase({1, "post", "test"}, {{2, "a"}, {3, "b"}, {4, "c"}}));
  source.arms[0].seeds = {{0, record}};
  const auto groups = testing_support::built_section(source, "groups");
  ASSERT_EQ(groups.at("columns").size(), 1U);
  EXPECT_EQ(groups.at("columns").at(0).at("column"), "place");
}

}  // namespace
}  // namespace tyto
