// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/card_pictures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::Not;

// Five samples of 2 x 2 pixels; the third has no label.
Dataset five_pictures() {
  Dataset data;
  data.name = "five";
  data.table.id = {"0", "1", "2", "3", "4"};
  data.table.label = {"b", "a|x", "", "b", "b"};
  data.store = std::make_shared<DenseStore>(
      (Matrix(5, 4) << 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0).finished());
  data.picture = PictureLayout{"features", 2, 2, 0, 1, 1};
  return data;
}

Index count_of(std::string_view text, std::string_view part) {
  Index count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(CardPictures, show_the_first_of_each_class) {
  const std::string text = card_pictures(five_pictures());
  EXPECT_THAT(text, HasSubstr("## Pictures"));
  EXPECT_THAT(text, HasSubstr("| a\\|x | ![a\\|x](data:image/png;base64,"));
  EXPECT_EQ(count_of(text, "data:image/png"), 2);
  EXPECT_THAT(text, Not(HasSubstr("along time")));
}

TEST(CardPictures, show_groups_in_the_order_of_time) {
  Dataset data = five_pictures();
  data.table.group = {"e", "alone", "e", "e", ""};
  data.table.time = {3, 0, 1, 2, 0};
  const std::string text = card_pictures(data);
  EXPECT_EQ(count_of(text, "data:image/png"), 2 + 3);
  const auto strip = text.find("| e | ");
  ASSERT_NE(strip, text.npos);
  const std::string row = text.substr(strip);
  EXPECT_THAT(row, testing::StartsWith("| e | ![(empty)]("));  // sample 2 came first
  EXPECT_EQ(count_of(row, "![b]("), 2);
}

TEST(CardPictures, are_none_where_no_sample_has_one) {
  Dataset data = five_pictures();
  data.picture.reset();
  EXPECT_EQ(card_pictures(data), "");
  data.table.annotations["media"] = {"a.avi", "../b.png", "", "gone.png", ""};
  EXPECT_EQ(card_pictures(data), "");
}

}  // namespace
}  // namespace tyto
