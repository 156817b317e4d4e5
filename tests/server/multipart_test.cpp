// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/multipart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/server/wire_request.hpp"
#include "tyto/server/wire_text.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(Multipart, reads_fields_and_files) {
  const auto form = parse_multipart(
      "preamble\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--b \r\n"
      "content-type: text/csv\r\nCONTENT-DISPOSITION: form-data; filename=\"x; y\"; name=two\r\n"
      "\r\n\r\n--c\r\n--b--\r\n",
      "b");
  ASSERT_EQ(form.parts.size(), 2U) << form.problem;
  EXPECT_EQ(form.parts[0].name, "a");
  EXPECT_FALSE(form.parts[0].is_file);
  EXPECT_EQ(form.parts[0].content, "one");
  EXPECT_EQ(form.parts[1].name, "two");
  EXPECT_TRUE(form.parts[1].is_file);
  EXPECT_EQ(form.parts[1].content, "\r\n--c");
}

TEST(Multipart, says_what_is_wrong_and_then_has_no_parts) {
  const std::string part = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n";
  const auto problem = [](const std::string& body, const std::string& boundary = "b") {
    const auto form = parse_multipart(body, boundary);
    EXPECT_THAT(form.parts, IsEmpty());
    return form.problem;
  };
  EXPECT_THAT(problem(part), HasSubstr("no end"));
  EXPECT_THAT(problem(part + "--b"), HasSubstr("not followed by a line end"));
  EXPECT_THAT(problem(part + "--b--", "other"), HasSubstr("not in the multipart body"));
  EXPECT_THAT(problem(part + "--b--", ""), HasSubstr("no usable boundary"));
  EXPECT_THAT(problem(""), HasSubstr("not in the multipart body"));
  std::string many;
  for (int i = 0; i < 65; ++i) {
    many += part;
  }
  EXPECT_THAT(problem(many + "--b--"), HasSubstr("too many parts"));
  EXPECT_EQ(problem("--b--\r\n"), "");
}

TEST(Multipart, finds_the_boundary) {
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=abc"), "abc");
  EXPECT_EQ(boundary_of("multipart/form-data; charset=x; Boundary=\"a b\"; y=z"), "a b");
  EXPECT_EQ(boundary_of("multipart/form-data"), "");
  EXPECT_EQ(boundary_of("multipart/form-data; boundary"), "");
}

TEST(WireText, decodes_what_stands_in_a_target) {
  EXPECT_EQ(percent_decoded("a%20b+c%2"), "a b c%2");
  EXPECT_EQ(percent_decoded("%zz%C3%bc"), "%zz\xC3\xBC");
  EXPECT_THAT(parameters_of("a=1&&b=&c&a=2"),
              ElementsAre(Pair("a", "1"), Pair("b", ""), Pair("c", ""), Pair("a", "2")));
  EXPECT_THAT(split_at_bars("a||b"), ElementsAre("a", "", "b"));
}

TEST(RequestValues, are_looked_up_in_the_public_order) {
  const WireRequest form{"GET", "/x?domain=nlt&seed=3", "application/x-www-form-urlencoded",
                         "domain=transcripts"};
  EXPECT_EQ(RequestValues(form).find("domain"), "transcripts");
  EXPECT_EQ(RequestValues(form).query("domain"), "nlt");
  EXPECT_EQ(RequestValues(form).find("seed"), "3");
  const WireRequest json{"GET", "/x?a=1", "application/json", R"({"a": "2", "b": {"c": 1}})"};
  EXPECT_EQ(RequestValues(json).find("a"), "1");
  EXPECT_EQ(RequestValues(json).find("b"), R"({"c":1})");
  EXPECT_EQ(RequestValues(json).find("z"), std::nullopt);
}

}  // namespace
}  // namespace tyto
