// SPDX-License-Identifier: Apache-2.0
#include "tyto/client/round_ids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string utf16(std::u16string_view text, bool little_endian) {
  std::string out = little_endian ? "\xFF\xFE" : "\xFE\xFF";
  for (const char16_t unit : text) {
    const auto low = static_cast<char>(unit & 0xFF);
    const auto high = static_cast<char>(unit >> 8);
    out += little_endian ? low : high;
    out += little_endian ? high : low;
  }
  return out;
}

TEST(RoundIds, are_the_lines_as_they_are) {
  EXPECT_THAT(round_ids("plain.jpg\n leading.jpg\n\"quoted.jpg\"\nwith,comma.jpg\n"),
              ElementsAre("plain.jpg", " leading.jpg", "\"quoted.jpg\"", "with,comma.jpg"));
  EXPECT_THAT(round_ids("m\xC3\xBCll.jpg\nsub dir/x y.jpg"),  // the last without its end
              ElementsAre("m\xC3\xBCll.jpg", "sub dir/x y.jpg"));
}

TEST(RoundIds, has_no_empty_ones) {
  EXPECT_THAT(round_ids(""), IsEmpty());
  EXPECT_THAT(round_ids("\n"), IsEmpty());
  EXPECT_THAT(round_ids("a\n\nb\n"), ElementsAre("a", "b"));
}

TEST(RoundIds, are_the_first_fields_of_rows_in_utf_16) {
  const std::u16string_view rows =
      u"0,2,|find stone|,1,3\n"
      u"x 1,0,|a, b || c,\nnext line|,1,4\r\n"  // commas, bars and line ends within the text
      u"|q,r|,0,|t|,1,1\n"
      u"\u00E9\u20AC\U0001F989,1,||,5,6\n";
  for (const bool little_endian : {true, false}) {
    EXPECT_THAT(round_ids(utf16(rows, little_endian)),
                ElementsAre("0", "x 1", "q,r", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA6\x89"));
  }
}

TEST(RoundIds, survives_utf_16_that_is_broken) {
  EXPECT_THAT(round_ids(utf16(u"a\xD83E,1\n\xDD89,2\n", true)),  // halves of a pair
              ElementsAre("a\xEF\xBF\xBD", "\xEF\xBF\xBD"));
  EXPECT_THROW(round_ids(utf16(u"a,1\n", true) + "b"), Error);
  EXPECT_THAT(round_ids("\xFF\xFE"), IsEmpty());
}

}  // namespace
}  // namespace tyto::client
