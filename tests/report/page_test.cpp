// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/page.hpp"

#include "support/page_reader.hpp"
#include "tiny_page.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/pictures/base64.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::page_bytes;
using testing_support::read_page;
using testing_support::tiny_source;
using testing_support::unpack_base64;
using testing_support::unpack_gzip;

TEST(Base64, is_that_of_the_standard) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(PageData, go_through_base64_and_gzip_unchanged) {
  Rng rng(5);
  for (const Index size : {0, 1, 2, 3, 1000, 100000}) {
    std::string bytes;
    for (Index i = 0; i < size; ++i) {
      bytes += static_cast<char>(rng.below(i % 2 == 0 ? 256 : 3));
    }
    EXPECT_EQ(unpack_base64(base64(bytes)), bytes) << size;
    EXPECT_EQ(unpack_gzip(gzip(bytes)), bytes) << size;
  }
}

std::string tiny_html(const PageSource& source) {
  Progress quiet;
  return page_html(page_data(source, quiet));
}

TEST(Page, is_the_app_with_the_data_in_its_place) {
  const std::string html = tiny_html(tiny_source());
  const std::string app(page_template());
  const std::string mark = std::string(kPageMark) + std::string(kPagePlace);
  ASSERT_EQ(app.find(mark), app.rfind(mark)) << "the place of the data stands twice";
  const auto place = app.find(mark) + kPageMark.size();
  EXPECT_EQ(html.substr(0, place), app.substr(0, place));
  EXPECT_TRUE(html.ends_with(app.substr(place + kPagePlace.size())));
  EXPECT_EQ(read_page(html).at("title"), "tiny");
  EXPECT_TRUE(is_page(html));
  EXPECT_TRUE(is_page(app));
  EXPECT_FALSE(is_page("<html>my own notes</html>"));
  EXPECT_FALSE(is_page(""));
}

TEST(Page, of_the_same_source_has_the_same_bytes) {
  EXPECT_EQ(tiny_html(tiny_source()), tiny_html(tiny_source()));
}

TEST(Page, of_hostile_names_holds_them_as_they_are_and_nothing_else_changes) {
  const std::string names[] = {"</script><script>alert(1)</script>",
                               "\"quoted\" & 'so'",
                               "\xF0\x9F\xA6\x89 owl",
                               "TYTO_DATA",
                               "a\\b\n\tc",
                               "\xD9\x85\xD8\xB1\xD8\xAD\xD8\xA8\xD8\xA7"};
  for (const std::string& name : names) {
    PageSource source = tiny_source();
    source.title = name;
    source.runs[0].seeds[0].shown.push_back({1, "test", name, true, 1});
    const std::string html = tiny_html(source);
    const auto page = read_page(html);
    EXPECT_EQ(page.at("title"), name);
    const auto all = page.at("names").get<std::vector<std::string>>();
    EXPECT_THAT(all, testing::Contains(name));
    const std::string app(page_template());
    const auto count = [](const std::string& text) {
      std::size_t found = 0;
      for (auto at = text.find("script"); at != text.npos; at = text.find("script", at + 1)) {
        ++found;
      }
      return found;
    };
    EXPECT_EQ(count(html), count(app)) << name;
  }
}

TEST(Page, replaces_bytes_that_are_not_utf8) {
  PageSource source = tiny_source();
  source.title = "caf\xE9 \xFF";
  source.runs[0].seeds[0].shown.push_back({1, "test", "broken \xC3", true, 1});
  const auto page = read_page(tiny_html(source));
  EXPECT_EQ(page.at("title"), "caf\xEF\xBF\xBD \xEF\xBF\xBD");
  EXPECT_THAT(page.at("names").get<std::vector<std::string>>(),
              testing::Contains("broken \xEF\xBF\xBD"));
}

TEST(JsonNumber, has_six_digits_and_is_null_where_there_is_no_number) {
  EXPECT_EQ(json_number(1.0 / 3.0).dump(), "0.333333");
  EXPECT_EQ(json_number(2.0).dump(), "2");
  EXPECT_EQ(json_number(1e-7 / 3).dump(), "3.33333e-08");
  EXPECT_EQ(json_number(std::nullopt).dump(), "null");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()).dump(), "null");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(json_ranged(0.5, 0.25, std::nullopt).dump(), "[0.5,0.25,null]");
}

TEST(PageTable, reads_numbers_where_there_are_any) {
  const PageTable table{{"a", "b"}, {{"1.5", ""}, {"x", "-1"}}};
  EXPECT_EQ(table.number(0, "a"), 1.5);
  EXPECT_EQ(table.number(1, "b"), -1.0);
  EXPECT_EQ(table.number(0, "b"), std::nullopt);
  EXPECT_EQ(table.number(1, "a"), std::nullopt);
  EXPECT_EQ(table.number(0, "no such column"), std::nullopt);
  EXPECT_EQ(table.text(1, "a"), "x");
}

}  // namespace
}  // namespace tyto
