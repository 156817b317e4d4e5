// SPDX-License-Identifier: Apache-2.0
// What was learned outside the data: said of each source and predictor, and told where arms differ.
#include "support/places.hpp"
#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/page/report_source.hpp"
#include "tyto/engine/run/experiment.hpp"

namespace tyto {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

Experiment read_known(const std::string& knowledge) {
  return read_experiment(
      parse_yaml("name: e\ndata: a\nworld: {kind: increments}\n"
                 "predictors: [ncm, {preset: slda, features: x3d}, {preset: slda, name: taught, "
                 "features: x3d, prior_knowledge: its weights}]\n" +
                     knowledge,
                 "e.yaml"));
}

std::string refused_knowledge(const std::string& knowledge) {
  try {
    (void)read_known(knowledge);
  } catch (const Error& error) {
    return error.what();
  }
  return "was read";
}

TEST(PriorKnowledge, of_an_arm_is_that_of_its_source_and_its_own) {
  const Experiment experiment =
      read_known("prior_knowledge: {features: none, x3d: \"X3D-M, Kinetics-400\"}\n");
  const auto of = [&](std::size_t predictor) {
    return experiment.prior_knowledge.of(experiment.predictors[predictor]);
  };
  EXPECT_EQ(of(0), "none");
  EXPECT_EQ(of(1), "X3D-M, Kinetics-400");
  EXPECT_EQ(of(2), "X3D-M, Kinetics-400; its weights");
  EXPECT_EQ(experiment.prior_knowledge.text(), "features: none; x3d: X3D-M, Kinetics-400");
  const Experiment again = read_experiment(write_experiment(experiment));
  EXPECT_EQ(again.prior_knowledge.sources, experiment.prior_knowledge.sources);
  EXPECT_EQ(again.predictors[2].prior_knowledge, "its weights");
}

TEST(PriorKnowledge, may_be_one_text_for_all) {
  const Experiment experiment = read_known("prior_knowledge: none\n");
  EXPECT_EQ(experiment.prior_knowledge.all, "none");
  EXPECT_EQ(experiment.prior_knowledge.of(experiment.predictors[1]), "none");
  EXPECT_EQ(experiment.prior_knowledge.of(experiment.predictors[2]), "its weights");
  EXPECT_EQ(write_experiment(experiment).find("prior_knowledge")->text, "none");
}

TEST(PriorKnowledge, that_leaves_something_open_is_refused) {
  EXPECT_THAT(refused_knowledge(""), HasSubstr("prior_knowledge: is missing; say what"));
  EXPECT_THAT(refused_knowledge("prior_knowledge: {features: none}\n"),
              HasSubstr("prior_knowledge: says nothing of the source \"x3d\", which the predictor "
                        "slda reads"));
  EXPECT_THAT(refused_knowledge("prior_knowledge: {features: none, x3d: none, rgb: none}\n"),
              HasSubstr("prior_knowledge.rgb: no predictor reads such a source; they read: "
                        "features, x3d"));
  EXPECT_THAT(refused_knowledge("prior_knowledge: {features: none, x3d: }\n"),
              HasSubstr("prior_knowledge.x3d: must be a text"));
  EXPECT_THAT(refused_knowledge("prior_knowledge: [none]\n"),
              HasSubstr("prior_knowledge: must be a text, or a map"));
}

TEST(PriorKnowledge, is_told_where_arms_differ) {
  EXPECT_FALSE(knowledge_difference({{"a", "none"}, {"b", "none"}}));
  EXPECT_EQ(*knowledge_difference({{"a", "none"}, {"b", "X3D"}, {"c", "none"}}),
            "prior knowledge differs, which may be what sets these apart: none of a, c | X3D of b");
}

TEST(PriorKnowledge, differences_are_told_by_runs_pages_and_comparisons) {
  const Scratch scratch;
  const auto experiment = [&](const std::string& file, const std::string& predictors) {
    write_file(scratch / file,
               "name: e\nprior_knowledge: none\ndata: digits\n"
               "world: {kind: increments, start: {classes: 5}, increments: 1}\n"
               "feedback: [1]\npredictors: " +
                   predictors + "\n");
  };
  const auto run = [&](std::vector<std::string> words) {
    if (words.front() == "run") {
      words.insert(words.end(),
                   {"--data", testing_support::in_tree("/datasets"), "--threads", "1"});
    }
    return run_program(words, {scratch.path(), {}, RLIM_INFINITY, ""});
  };
  experiment("a.yaml", "[ncm, {preset: slda, prior_knowledge: means of 2019}]");
  const auto first = run({"run", "a.yaml", "--out", "a"});
  ASSERT_EQ(first.code, 0) << first.err;
  const std::string told =
      "prior knowledge differs, which may be what sets these apart: none of ncm-100pct | means of "
      "2019 of slda-100pct";
  EXPECT_THAT(first.out + first.err, HasSubstr(told));
  const Catalog digits({testing_support::in_tree("/datasets")});
  const auto page_warnings = [&](const std::vector<std::string>& runs) {
    return read_page_source(parse_run_references(runs), digits).runs.back().warnings;
  };
  EXPECT_THAT(page_warnings({(scratch / "a").string()}), Contains(told));
  const auto arms = nlohmann::json::parse(slurp(scratch / "a/run.json")).at("arms");
  EXPECT_EQ(arms[0].at("prior_knowledge"), "none");
  EXPECT_EQ(arms[1].at("prior_knowledge"), "means of 2019");

  experiment("b.yaml", "[ncm, slda]");
  const auto second = run({"run", "b.yaml", "--out", "b"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.out + second.err, Not(HasSubstr("prior knowledge differs")));
  EXPECT_THAT(page_warnings({(scratch / "b").string()}), Not(Contains(HasSubstr("differs"))));
  EXPECT_THAT(page_warnings({(scratch / "a:ncm-100pct").string(), (scratch / "b").string()}),
              Not(Contains(HasSubstr("differs"))));
  EXPECT_THAT(page_warnings({(scratch / "a:slda-100pct").string(), (scratch / "b").string()}),
              Contains(HasSubstr("prior knowledge differs")));
  const auto diff = run({"runs", "diff", "a", "b", "--quiet", "--bootstrap", "0", "--json"});
  ASSERT_EQ(diff.code, 0) << diff.err;
  const auto warnings = nlohmann::json::parse(diff.out).at("warnings");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0],
            "slda-100pct: prior knowledge differs, which may be what sets these apart: first means "
            "of 2019 | second none");
}

}  // namespace
}  // namespace tyto
