// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "support/scratch.hpp"
#include "support/small_test.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/sail_on/edit_distance.hpp"
#include "tyto/sail_on/names.hpp"
#include "tyto/sail_on/posted_rows.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/sail_on/result_rules.hpp"
#include "tyto/sail_on/test_metadata.hpp"
#include "tyto/sail_on/unicode.hpp"

namespace tyto::sail_on {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PostedRows, are_stripped) {
  EXPECT_THAT(posted_rows(" a ,\"b , c\",'d'\r\n\ne,\"\"\"f\"", "detection"),
              ElementsAre(ElementsAre("a", "b , c", "d"), ElementsAre("e", "f")));
  EXPECT_THROW(posted_rows("a,\"b", "detection"), Refused);
}

TEST(Unicode, utf16_goes_there_and_back) {
  const std::string text = "caf\xC3\xA9 \xE2\x80\x93 \xF0\x9F\xA6\x89\n";
  EXPECT_EQ(utf8_of_utf16(utf16_of_utf8(text)), text);
  EXPECT_EQ(utf8_of_utf16(std::string("\xFE\xFF\0a", 4)), "a");
  EXPECT_EQ(utf8_of_utf16(std::string("\xFF\xFE\0\xD8", 4)), "\xEF\xBF\xBD");
}

TEST(Names, keep_to_their_folder) {
  for (const auto* good : {"OND.1.1.2", "old_style_session", "a b", "m\xC3\xBCll"}) {
    EXPECT_TRUE(is_plain_name(good)) << good;
  }
  for (const auto* bad : {"", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a\nb", "a\xFF"}) {
    EXPECT_FALSE(is_plain_name(bad)) << bad;
  }
  EXPECT_FALSE(is_plain_name(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_plain_name(std::string(101, 'a')));
}

TEST(Metadata, show_only_what_is_approved) {
  const std::vector<std::string> none, light{"red_light", "round_size=2", "seed=9"};
  EXPECT_EQ(approved_metadata(kSmallMetadata, none),
            R"({"feedback_max_ids":3,"known_classes":3,"max_detection_feedback_ids":2,)"
            R"("protocol":"OND","round_size":4})");
  EXPECT_THAT(approved_metadata(kSmallMetadata, light),
              HasSubstr(R"("red_light":"f","round_size":2)"));
  EXPECT_EQ(read_metadata(kSmallMetadata, light).round_size, 2);
  EXPECT_EQ(read_metadata(kSmallMetadata, none).threshold, "0.3");
  EXPECT_THROW(read_metadata(kSmallMetadata, std::vector<std::string>{"round_size=x"}), Refused);
}

TEST(ResultRules, name_row_and_column) {
  const auto any = [](std::string_view id) { return id != "stranger"; };
  const auto said = [&](std::string_view type, std::string_view rows) -> std::string {
    try {
      check_results(type, rows, any);
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.reason(), "InvalidResults");
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(said("detection", "a,.4,0,1\n\"b,c\",1,0,0"), "");
  EXPECT_EQ(said("notes", "anything"), "");
  EXPECT_THAT(said("detection", "a,0\nb,high\n"), HasSubstr("line 2: column 2 must be a prob"));
  EXPECT_THAT(said("classification", "a,0,1\nb,0\n"), HasSubstr("line 2: 2 columns"));
  EXPECT_THAT(said("classification", "a,0,nan\n"), HasSubstr("line 1: column 3"));
  EXPECT_THAT(said("detection", "a,\"0\n"), HasSubstr("quote is never closed"));
  EXPECT_THAT(said("detection", "a\n"), HasSubstr("an id alone"));
  EXPECT_THAT(said("detection", ""), HasSubstr("no rows"));
  EXPECT_THAT(said("detection", "stranger,0\n"), HasSubstr("no sample \"stranger\""));
  EXPECT_THAT(said("notes", "\xFF"), HasSubstr("UTF-8"));
  EXPECT_THAT(said("labels", "a,2,1\n"), HasSubstr("column 2 must be 0 or 1"));
}

TEST(EditDistance, counts_letters_of_normalised_texts) {
  EXPECT_EQ(transcript_distance("old  owl", "old owl"), 0);
  EXPECT_EQ(transcript_distance("old owl;|\"", "old owl"), 0);
  EXPECT_EQ(transcript_distance("find , dusk", "find dusk"), 1);
  EXPECT_EQ(transcript_distance("caf\xC3\xA9", "cafe"), 1);
  EXPECT_EQ(transcript_distance("", "abc"), 3);
}

TEST(DataFolder, reads_tests_again_when_they_change) {
  const testing_support::Scratch scratch;
  const auto folder = scratch.path() / "OND" / "image_classification";
  make_folder(folder);
  write_file(folder / "OND.1.1.1_single_df.csv", kSmallTruth);
  const DataFolder data(scratch.path());
  EXPECT_THAT(data.test_ids("OND", "image_classification"), ElementsAre("OND.1.1.1"));
  const auto before = data.find("OND", "image_classification", "OND.1.1.1");
  EXPECT_EQ(before->test.rows.size(), 10U);
  EXPECT_THAT(before->test.rows[6], ElementsAre("g", "1", "5"));
  EXPECT_EQ(before->test.metadata, "");
  EXPECT_EQ(data.find("OND", "image_classification", "OND.1.1.1"), before);
  write_file(folder / "OND.1.1.1_metadata.json", kSmallMetadata);
  EXPECT_EQ(data.find("OND", "image_classification", "OND.1.1.1")->test.metadata, kSmallMetadata);
  EXPECT_EQ(data.find("OND", "..", "OND.1.1.1"), nullptr);
  EXPECT_EQ(data.find("OND", "image_classification", "../image_classification/OND.1.1.1"), nullptr);
  EXPECT_FALSE(data.has_domain("OND", "nlt"));
  write_file(folder / "test_ids.csv", "\"OND.1.1.1\",\r\n\n");
  EXPECT_THAT(data.test_ids("OND", "image_classification"), ElementsAre("OND.1.1.1"));
}

}  // namespace

}  // namespace tyto::sail_on
