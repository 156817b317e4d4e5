// SPDX-License-Identifier: Apache-2.0
// The experiments of KOWL-718 as they are written, on a world of a few invented clips.
#include <set>

#include "support/places.hpp"
#include "support/program.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/config.hpp"
#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"
#include "tyto/engine/run/experiment.hpp"

namespace tyto {
namespace {

namespace kowl718 {

using testing_support::run_program;
using testing_support::Scratch;

const std::string kFolder = testing_support::in_tree("/experiments/kowl718/");

// Four classes at the start, one more at each of two increments; two sources of features.
void write_small_standin(const Scratch& scratch) {
  Rng rng(3, "standin");
  std::string csv = "id,label,split,increment,t0,t1,t2,x0,x1,x2\n";
  int id = 0;
  for (int increment = 0; increment < 3; ++increment) {
    for (int c = 0; c < 4 + increment; ++c) {
      for (int i = 0; i < 16; ++i) {
        csv += fmt::format("clip{},activity {},{},{}", id++, c,
                           i % 4 == 0   ? "test"
                           : i % 4 == 1 ? "validate"
                                        : "train",
                           increment);
        for (const double noise : {1.0, 2.0}) {
          for (int d = 0; d < 3; ++d) {
            csv += fmt::format(",{:.3f}", (c >> d & 1) * 8 + noise * rng.normal());
          }
        }
        csv += "\n";
      }
    }
  }
  std::filesystem::create_directories(scratch / "datasets/kowl718_standin");
  write_file(scratch / "datasets/kowl718_standin/index.csv", csv);
  write_file(scratch / "datasets/kowl718_standin/dataset.yaml",
             "name: kowl718_standin\nindex: index.csv\nfeatures:\n"
             "  - {source: timesformer, columns: [t0, t1, t2]}\n"
             "  - {source: x3d, columns: [x0, x1, x2]}\n");
}

TEST(Kowl718Experiments, have_the_arms_they_tell_of) {
  for (const auto& [file, arms] :
       {std::pair("published.yaml", 7U), {"sound.yaml", 13U}, {"table3.yaml", 8U}}) {
    EXPECT_EQ(arms_of(read_experiment(load_yaml(kFolder + file))).size(), arms) << file;
  }
}

TEST(Kowl718Experiments, in_sound_forms_run_to_the_end) {
  const Scratch scratch;
  write_small_standin(scratch);
  const auto outcome = run_program(
      {"run", kFolder + "sound.yaml", "--quiet", "--threads", "1", "--out", "run", "--set",
       "report=false", "--set",
       "arms=[tsf-ann-100pct, x3d-ann-0pct, tsf-gmm-finch-50pct, tsf-slda-0pct, tsf-tyto-50pct]"},
      {scratch.path(), {}, RLIM_INFINITY, ""});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::set<std::string> measured;
  const CsvTable measures = CsvTable::load(scratch / "run/measures.csv");
  for (Index row = 0; row < measures.rows(); ++row) {
    if (measures.text(row, measures.column("step")) == "2" &&
        measures.text(row, measures.column("phase")) == "post") {
      measured.insert(std::string(measures.text(row, measures.column("arm"))));
    }
  }
  EXPECT_THAT(measured, testing::ElementsAre("tsf-ann-100pct", "tsf-gmm-finch-50pct",
                                             "tsf-slda-0pct", "tsf-tyto-50pct", "x3d-ann-0pct"));
}

}  // namespace kowl718
}  // namespace
}  // namespace tyto
