// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

struct Toy {
  double radius = 1.0;
  Index k = 3;
  bool loud = false;
  std::string form = "sound";
  std::vector<std::string> splits = {"train"};
  Index inner = 5;

  void describe(OptionVisitor& v) {
    static constexpr std::string_view kForms[] = {"sound", "paper", "released"};
    v.field("reject_radius", radius, {0, 1e6}, "distance beyond which a sample is new");
    v.field("k", k, {1, 100}, "neighbours");
    v.field("loud", loud, "say more");
    v.field("form", form, kForms, "which form");
    v.field("splits", splits, {}, "splits looked at");
    v.section(
        "nested",
        [this](OptionVisitor& w) {
          w.field("inner", inner, {0, 9}, "deep");
        },
        "");
  }
};

std::string problems(std::string_view yaml) {
  try {
    read_options<Toy>(parse_yaml(yaml, "toy.yaml"), "detector");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "";
}

TEST(ReadOptions, fills_what_is_given_and_keeps_the_defaults) {
  const auto toy = read_options<Toy>(
      parse_yaml("{reject_radius: 2.5, loud: true, splits: [a, b], nested: {inner: 7}}", "t"), "");
  EXPECT_DOUBLE_EQ(toy.radius, 2.5);
  EXPECT_EQ(toy.k, 3);
  EXPECT_TRUE(toy.loud);
  EXPECT_EQ(toy.splits, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(toy.inner, 7);
}

TEST(ReadOptions, names_the_line_the_key_and_the_likely_spelling) {
  EXPECT_EQ(problems("k: 2\nreject_radious: 1\n"),
            "toy.yaml:2:17: detector.reject_radious: unknown key; did you mean \"reject_radius\"?");
}

TEST(ReadOptions, collects_every_problem) {
  const std::string text = problems("k: 0\nform: papr\nloud: yes please\nnested: {inner: 10}");
  EXPECT_THAT(text, HasSubstr("toy.yaml:1:4: detector.k: 0 is outside [1, 100]"));
  EXPECT_THAT(text, HasSubstr("detector.form: \"papr\" is not one of sound, paper, released"));
  EXPECT_THAT(text, HasSubstr("detector.loud: \"yes please\" is neither true nor false"));
  EXPECT_THAT(text, HasSubstr("detector.nested.inner: 10 is outside [0, 9]"));
}

TEST(ReadOptions, refuses_a_fraction_for_a_whole_number_and_text_for_a_number) {
  EXPECT_THAT(problems("k: 2.5"), HasSubstr("2.5 is not a whole number"));
  EXPECT_THAT(problems("k: many"), HasSubstr("\"many\" is not a number"));
  EXPECT_THAT(problems("reject_radius: nan"), HasSubstr("outside"));
}

TEST(WriteOptions, reads_back_to_the_same_values) {
  Toy toy;
  toy.radius = 0.1;
  toy.form = "paper";
  const ConfigNode node = write_options([&](OptionVisitor& v) { toy.describe(v); });
  const auto again = read_options<Toy>(parse_yaml(to_yaml(node), "again"), "");
  EXPECT_EQ(again.radius, 0.1);
  EXPECT_EQ(again.form, "paper");
}

TEST(SetPath, reaches_maps_lists_and_turns_a_name_into_a_map) {
  ConfigNode root = parse_yaml("predictors: [{classifier: mlp}, b]\nworld: {n: 1}", "e.yaml");
  set_path(root, "world.n", "4");
  set_path(root, "predictors.0.classifier.epochs", "3");
  EXPECT_EQ(root.find("world")->find("n")->text, "4");
  const ConfigNode& classifier = *root.find("predictors")->items[0].find("classifier");
  EXPECT_EQ(classifier.find("name")->text, "mlp");
  EXPECT_EQ(classifier.find("epochs")->text, "3");
  EXPECT_THROW(set_path(root, "predictors.2", "x"), Error);
}

TEST(ParseYaml, refuses_a_key_that_stands_twice_and_broken_text) {
  EXPECT_THROW(parse_yaml("a: 1\na: 2", "x"), Error);
  EXPECT_THROW(parse_yaml("a: [1", "x"), Error);
}

}  // namespace
}  // namespace tyto
