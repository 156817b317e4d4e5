// SPDX-License-Identifier: Apache-2.0
// The samples themselves on the page of a run: their map and their pictures.
#include "cli/report_extras.hpp"
#include "support/page_reader.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::Outcome;
using testing_support::read_page;
using testing_support::ReportExtras;
using testing_support::section_of;
using testing_support::slurp;

TEST_F(ReportExtras, show_the_samples_themselves) {
  run_into("one");
  const auto page = read_page(slurp(scratch / "one/report.html"));
  const auto map = section_of(page, "space").at("maps").at(0);
  EXPECT_GT(map.at("sample").size(), 100u);
  EXPECT_EQ(map.at("seen").size(), 4u);
  EXPECT_EQ(map.at("layouts").size(), 2u);
  const auto samples = section_of(page, "samples");
  ASSERT_FALSE(page.at("media").empty());
  EXPECT_THAT(page.at("media")[0].at("uri").get<std::string>(),
              StartsWith("data:image/png;base64,iVBORw0KGgo"));
  EXPECT_FALSE(samples.at("shelves")[0].at("items")[0].at("media").is_null());
}

TEST_F(ReportExtras, take_pictures_from_a_column_of_the_dataset) {
  std::filesystem::create_directories(scratch / "datasets/toy/small");
  std::string csv = "id,label,split,media,x0,x1\n";
  for (int i = 0; i < 160; ++i) {
    csv += "t" + std::to_string(i) + ",c" + std::to_string(i % 4) + "," +
           (i / 4 % 4 == 0 ? "test" : "train") + "," +
           (i % 3 == 0   ? "small/a.PNG"
            : i % 3 == 1 ? "large.jpg"
                         : "../a.png") +
           "," + std::to_string((i % 4) * 2 + (i * 37 % 11) / 7.0) + "," +
           std::to_string((i * 53 % 13) / 5.0) + "\n";
  }
  write_file(scratch / "datasets/toy/index.csv", csv);
  write_file(scratch / "datasets/toy/small/a.PNG", "\x89PNG tiny");
  write_file(scratch / "datasets/a.png", "\x89PNG not of the dataset");
  write_file(scratch / "datasets/toy/large.jpg", std::string(20'001, 'x'));
  write_file(scratch / "datasets/toy/dataset.yaml",
             "name: toy\nindex: index.csv\n"
             "features:\n  - {source: features, columns: [x0, x1]}\n");
  write_file(scratch / "e.yaml",
             "name: e\nprior_knowledge: none\ndata: toy\nworld: {kind: increments, increments: "
             "2}\npredictors: [always_unknown]\nfeedback: [1.0]\n");
  const Outcome outcome = call({"run", "e.yaml", "--quiet", "--out", "e"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto page = read_page(slurp(scratch / "e/report.html"));
  const auto samples = section_of(page, "samples");
  ASSERT_GE(page.at("media").size(), 1u);
  for (const auto& media : page.at("media")) {
    EXPECT_EQ(testing_support::unpack_base64(
                  std::string_view(media.at("uri").get_ref<const std::string&>()).substr(22)),
              "\x89PNG tiny");
  }
  EXPECT_THAT(samples.at("shelves")[0].at("about").get<std::string>(), HasSubstr("left out"));
}

}  // namespace
}  // namespace tyto
