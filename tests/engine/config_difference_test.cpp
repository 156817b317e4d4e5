// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/compare/config_difference.hpp"

#include <gtest/gtest.h>

namespace tyto {
namespace {

std::string told_differences(const char* first, const char* second) {
  std::string out;
  for (const ConfigDifference& one :
       config_differences(parse_yaml(first, "a.yaml"), parse_yaml(second, "b.yaml"))) {
    out += one.path + ": " + one.first.value_or("(none)") + " -> " + one.second.value_or("(none)") +
           "\n";
  }
  return out;
}

TEST(ConfigDifferences, are_none_for_equal_documents_whatever_the_order_of_keys) {
  EXPECT_EQ(told_differences("{a: 1, b: {c: [1, 2]}}", "{b: {c: [1, 2]}, a: 1}"), "");
  EXPECT_EQ(told_differences("", ""), "");
}

TEST(ConfigDifferences, name_the_path_and_both_values) {
  EXPECT_EQ(told_differences("{seed: 1, world: {kind: a, start: {share: 0.5}}, feedback: [0, 1]}",
                             "{seed: 2, world: {kind: a, start: {share: 0.7}}, feedback: [0]}"),
            "seed: 1 -> 2\nworld.start.share: 0.5 -> 0.7\nfeedback: [0, 1] -> [0]\n");
}

TEST(ConfigDifferences, match_named_items_by_name_and_others_by_position) {
  EXPECT_EQ(told_differences("predictors: [{name: ncm, k: 1}, {name: slda, k: 2}]",
                             "predictors: [{name: slda, k: 3}, {name: ann, k: 1}]"),
            "predictors.ncm: {name: ncm, k: 1} -> (none)\n"
            "predictors.slda.k: 2 -> 3\n"
            "predictors.ann: (none) -> {name: ann, k: 1}\n");
  EXPECT_EQ(told_differences("parts: [{name: a, k: 1}, {name: a, k: 2}]",
                             "parts: [{name: a, k: 1}, {name: a, k: 4}]"),
            "parts.1.k: 2 -> 4\n");
}

TEST(ConfigDifferences, tell_a_branch_that_is_missing_or_of_another_kind_once) {
  EXPECT_EQ(told_differences("{a: {b: 1, c: [x]}, d: ~}", "{d: {e: ''}, f: word}"),
            "a: {b: 1, c: [x]} -> (none)\nd: ~ -> {e: \"\"}\nf: (none) -> word\n");
}

}  // namespace
}  // namespace tyto
