// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string yaml_problem(std::string_view text) {
  try {
    parse_yaml(text, "e.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "";
}

TEST(ParseYaml, refuses_a_second_document_where_it_begins) {
  EXPECT_THAT(yaml_problem("a: 1\n---\nb: 2\n"),
              StartsWith("e.yaml:2: a second YAML document begins here (\"---\""));
  EXPECT_THAT(yaml_problem("---\na: 1\n\n--- # more\nb: 2\n"), StartsWith("e.yaml:4: a second"));
  EXPECT_THAT(yaml_problem("a: 1\n...\nb: 2\n"),
              StartsWith("e.yaml:2: a second YAML document begins here (\"...\""));
  EXPECT_THAT(yaml_problem("a: 1\n% a remark\nseed: 3\n"),
              StartsWith("e.yaml:2: a second YAML document begins here (\"%\""));
  EXPECT_THAT(yaml_problem("a: 1\n---\n"), StartsWith("e.yaml:2: a second"));
  EXPECT_THAT(yaml_problem("a: 1\n...\n---\nb: 1\n---\nc: 1\n"), StartsWith("e.yaml:3: a second"));
}

TEST(ParseYaml, takes_the_signs_around_one_document) {
  for (const char* text : {"---\na: 1\n", "a: 1\n...\n", "---\na: 1\n...\n# the end\n",
                           "%YAML 1.2\n---\na: 1\n", "# first\n---\na: 1\n", "--- {a: 1}\n"}) {
    const ConfigNode root = parse_yaml(text, "e.yaml");
    ASSERT_NE(root.find("a"), nullptr) << text;
    EXPECT_EQ(root.find("a")->text, "1") << text;
  }
  EXPECT_EQ(parse_yaml("a: \"x\n  --- y\"\n", "e.yaml").find("a")->text, "x --- y");
  EXPECT_TRUE(parse_yaml("", "e.yaml").is_null());
  EXPECT_TRUE(parse_yaml("# nothing\n", "e.yaml").is_null());
}

TEST(ParseYaml, ends_where_a_text_goes_on_with_what_begins_nothing) {
  EXPECT_THAT(yaml_problem(",1 5]\n"), HasSubstr("nothing can begin with what stands here"));
  EXPECT_THAT(yaml_problem("a: 1\n---\n, b\n"), HasSubstr("nothing can begin"));
}

TEST(ParseYaml, refuses_aliases_without_an_end) {
  EXPECT_THAT(yaml_problem("a: &x [*x]\n"), HasSubstr("does an alias (*name)"));
  std::string laughs = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) {
      laughs += (k == 0 ? "" : ", ") + before;
    }
    laughs += "]\n";
  }
  EXPECT_THAT(yaml_problem(laughs), HasSubstr("more than 1000000 values"));
}

TEST(ToYaml, quotes_what_would_end_a_document) {
  for (const std::string text : {"---", "... and on", "%TAG"}) {
    const std::string once = to_yaml(ConfigNode::scalar(text));
    EXPECT_EQ(parse_yaml(once, "written.yaml").text, text);
  }
}

TEST(SetPath, names_the_place_it_was_told) {
  ConfigNode root = parse_yaml("list: [1]\n", "e.yaml");
  const auto problem = [&](std::string_view origin) -> std::string {
    try {
      set_path(root, "list.4", "x", origin);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(problem(""), StartsWith("list.4: \"4\" is not an item of a list of 1"));
  EXPECT_THAT(problem("--set list.4"), StartsWith("--set list.4: \"4\" is not"));
  set_path(root, "key", "[1, 2]", "--set key");
  EXPECT_EQ(root.find("key")->place(), "--set key");
}

}  // namespace
}  // namespace tyto
