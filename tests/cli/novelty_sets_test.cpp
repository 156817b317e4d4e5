// SPDX-License-Identifier: Apache-2.0
// The experiment that is shipped to show all sets of novelty does.
#include <map>

#include "support/places.hpp"
#include "support/program.hpp"
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"

namespace tyto {
namespace {

TEST(NoveltySetsExperiment, has_samples_in_each_of_the_seven_sets) {
  const testing_support::Scratch scratch;
  const auto outcome = testing_support::run_program(
      {"run", testing_support::in_tree("/experiments/novelty_sets.yaml"), "--quiet", "--threads",
       "1", "--no-report", "--set", "predictors=[{preset: slda, accepted_error: 0.1}]", "--set",
       "world.dissimilarity=none", "--out", "run"},
      {scratch.path(), {}, RLIM_INFINITY, ""});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const CsvTable rows = CsvTable::load(scratch / "run/measures.csv");
  const auto text = [&](Index row, std::string_view column) {
    return rows.text(row, rows.column(column));
  };
  std::map<std::string, double> counts;
  for (Index row = 0; row < rows.rows(); ++row) {
    if (text(row, "arm") == "slda-100pct" && text(row, "step") == "all" &&
        text(row, "phase") == "pre" && text(row, "split") == "test" &&
        text(row, "novel_to") == "predictor" && text(row, "measure").ends_with("_novelty")) {
      counts[std::string(text(row, "measure"))] = rows.number(row, rows.column("value"));
    }
  }
  EXPECT_EQ(counts.size(), 7U);
  for (const auto& [set, samples] : counts) {
    EXPECT_GT(samples, 3) << set;
  }
}

}  // namespace
}  // namespace tyto
