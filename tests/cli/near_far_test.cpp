// SPDX-License-Identifier: Apache-2.0
// The experiment that is shipped to tell near from far novelty does.
#include <map>

#include "support/places.hpp"
#include "support/program.hpp"
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"

namespace tyto {
namespace {

TEST(NearFarExperiment, has_an_auroc_of_near_and_of_far_samples_and_far_is_easier_by_distance) {
  const testing_support::Scratch scratch;
  const auto run = testing_support::run_program(
      {"run", testing_support::in_tree("/experiments/near_far.yaml"), "--quiet", "--threads", "1",
       "--no-report", "--set", "predictors=[{preset: slda, detector: mahalanobis}]", "--out",
       "run"},
      {scratch.path(), {}, RLIM_INFINITY, ""});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto measured = testing_support::run_program(
      {"measure", "run", "--split", "test", "--by", "distance", "--measures", "auroc", "--csv",
       "--out", "near_far.csv", "--quiet"},
      {scratch.path(), {}, RLIM_INFINITY, ""});
  ASSERT_EQ(measured.code, 0) << measured.err;
  const CsvTable rows = CsvTable::load(scratch / "near_far.csv");
  std::map<std::string, double> auroc;
  for (Index row = 0; row < rows.rows(); ++row) {
    auroc[std::string(rows.text(row, rows.column("group")))] =
        rows.number(row, rows.column("value"));
  }
  ASSERT_EQ(auroc.size(), 2U);
  EXPECT_GT(auroc.at("near"), 0.7);
  EXPECT_GT(auroc.at("far"), auroc.at("near"));
}

}  // namespace
}  // namespace tyto
