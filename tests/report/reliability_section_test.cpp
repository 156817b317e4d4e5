// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/page_reader.hpp"
#include "tiny_page.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/report/page/page.hpp"

namespace tyto {
namespace {

using Loose = nlohmann::json;

// After feedback at increment 1: a 0.95 right, b 0.95 right, c 0.55 right, c taken for a at 0.75.
// In the data a is there three times, b twice, c three times: a and c are common, b is rare.
PageSource sure_source() {
  PageSource source = testing_support::tiny_source();
  auto record = std::make_shared<MemoryRecord>(testing_support::tiny_truth());
  Phase phase =
      testing_support::tiny_phase({1, "post", "test"}, {{2, "a"}, {3, "b"}, {4, "c"}, {5, "a"}});
  for (Index i = 0; i < phase.size(); ++i) {
    phase.given_known.best.push_back(phase.top(i, 0));
  }
  phase.given_known.confidence = {0.95F, 0.95F, 0.55F, 0.75F};
  phase.given_known.log_true = {std::log(0.95F), std::log(0.95F), std::log(0.55F), std::log(0.2F)};
  phase.given_known.squares = {0.9F, 0.9F, 0.4F, 0.6F};
  phase.given_known.temperature = {1.0F, 1.5F, 2.0F, 2.5F};
  phase.given_known.by_epoch = {{0, 1, 3},
                                Matrix{{0.95F, 0.85F, 0.75F},
                                       {0.95F, 0.85F, 0.75F},
                                       {0.95F, 0.85F, 0.75F},
                                       {0.95F, 0.85F, 0.75F}},
                                {0.98F, 0.98F, 0.98F, 0.98F}};
  record->add(phase);
  source.arms[0].seeds[0].record = record;
  source.runs[0].seeds[0].tables["calibration.csv"] = {
      {"arm", "parameter", "epoch", "value"},
      {{"ncm-50pct", "epoch_ece_validation", "1", "0.3"},
       {"ncm-50pct", "epoch_ece_validation", "2", "0.2"},
       {"other", "epoch_nll", "1", "9"},
       {"ncm-50pct", "temperature", "", "1.25"}}};
  return source;
}

Loose reliability_of(const PageSource& source) {
  Progress quiet;
  return testing_support::section_of(Loose::parse(page_json(source, quiet).dump()), "reliability");
}

TEST(ReliabilitySection, has_bins_histograms_risk_and_measures_by_common_and_rare_classes) {
  const Loose data = reliability_of(sure_source());
  ASSERT_EQ(data.at("tables").size(), 3U);
  const Loose& all = data.at("tables").at(0);
  EXPECT_EQ(all.at("classes"), "all");
  EXPECT_EQ(all.at("samples"), 4);
  EXPECT_EQ(data.at("tables").at(1).at("samples"), 3);
  EXPECT_EQ(data.at("tables").at(2).at("samples"), 1);
  EXPECT_EQ(all.at("bins").at(9).at(0), 2);  // (0.9, 1]: two, both right
  EXPECT_NEAR(all.at("bins").at(9).at(1).get<double>(), 0.95, 1e-5);
  EXPECT_EQ(all.at("bins").at(9).at(2), 1.0);
  EXPECT_EQ(all.at("bins").at(0), Loose::parse("[0, null, null]"));
  EXPECT_EQ(all.at("right").at(18), 2);  // (0.90, 0.95], in single precision just below
  EXPECT_EQ(all.at("wrong").at(14), 1);  // (0.70, 0.75]
  // The surest two right; then the wrong one; then the last: 0, 1/3, 1/4.
  EXPECT_EQ(all.at("risk").at(0), Loose::parse("[0.5, 0.0]"));
  EXPECT_EQ(all.at("risk").back(), Loose::parse("[1.0, 0.25]"));
  ASSERT_EQ(data.at("measures").at(0).at("name"), "ece10");
  // Bins: 2 x |0.95 - 1|, |0.75 - 0|, |0.55 - 1|, over 4.
  EXPECT_NEAR(all.at("values").at(0).at(0).get<double>(), (0.1 + 0.75 + 0.45) / 4.0, 1e-5);
}

TEST(ReliabilitySection, has_every_class_the_training_and_the_temperatures) {
  const Loose data = reliability_of(sure_source());
  const Loose& rows = data.at("per_class").at(0).at("rows");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows.at(2).at(1), 2);  // b, the rarest of the data
  EXPECT_EQ(rows.at(2).at(3), 1.0);
  ASSERT_EQ(data.at("training").size(), 1U);
  const Loose& training = data.at("training").at(0);
  EXPECT_EQ(training.at("lines").at(1),
            Loose::parse(R"({"name":"ece_validation","values":[0.3,0.2]})"));
  // Of the test samples, three of four right, after epochs 1 and 3; the start has no place.
  const Loose& tested = training.at("lines").at(0);
  EXPECT_EQ(tested.at("name"), "ece_test");
  ASSERT_EQ(tested.at("values").size(), 3U);
  EXPECT_NEAR(tested.at("values").at(0).get<double>(), 0.10, 1e-5);
  EXPECT_TRUE(tested.at("values").at(1).is_null());
  EXPECT_NEAR(tested.at("values").at(2).get<double>(), 0.0, 1e-5);
  EXPECT_NEAR(training.at("native").get<double>(), 0.23, 1e-5);
  const Loose& points = data.at("temperatures").at(0).at("points");
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points.at(3).at(0), 0);  // wrong
  EXPECT_EQ(points.at(3).at(2), 2.5);
}

TEST(ReliabilitySection, is_left_out_of_records_without_it) {
  Progress quiet;
  const Loose page = Loose::parse(page_json(testing_support::tiny_source(), quiet).dump());
  for (const Loose& section : page.at("sections")) {
    EXPECT_NE(section.at("kind"), "reliability");
  }
}

}  // namespace
}  // namespace tyto
