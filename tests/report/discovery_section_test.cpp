// SPDX-License-Identifier: Apache-2.0
#include "toy_tests_page.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing_support::built_section;
using testing_support::tests_source;
using FoundData = nlohmann::json;

// X is discovered by its second sample (discovered_0), Y never: it is called by names.
ToyTests grouped_test(const std::string& id = "CONDDA.1") {
  ToyTests tests;
  tests.add(1, "system", id, {"A", "B"},
            {{"A", false, false, "A", 0.0F, 1},
             {"B", false, false, "A", 0.0F, 1},
             {"X", true, true, "unknown", 0.0F, 2},
             {"X", true, true, "discovered_0", 0.0F, 2},
             {"Y", true, true, "B", 0.0F, 3},
             {"X", true, true, "discovered_0", 0.0F, 3},
             {"Y", true, true, "discovered_1", 0.0F, 3}});
  return tests;
}

TEST(DiscoverySection, tells_when_each_novel_class_was_found_and_what_its_samples_were_called) {
  const PageSource source = tests_source(grouped_test());
  const FoundData data = built_section(source, "discovery");
  ASSERT_EQ(data.at("settings").size(), 1U);
  const FoundData& test = data.at("settings").at(0).at("tests").at(0);
  EXPECT_EQ(test.at("id"), "CONDDA.1");
  EXPECT_EQ(test.at("change"), 2);
  EXPECT_EQ(test.at("clusters"), 2);
  ASSERT_EQ(test.at("classes").size(), 2U);
  const auto name = [&](const FoundData& number) {
    return source.names->all().at(number.get<std::size_t>());
  };
  const FoundData& x = test.at("classes").at(0);
  EXPECT_EQ(name(x.at("name")), "X");
  EXPECT_EQ(name(x.at("cluster")), "discovered_0");
  EXPECT_EQ(x.at("until"), 1);
  EXPECT_EQ(x.at("found"), FoundData::parse("[3, 2]"));
  EXPECT_EQ(x.at("steps"), FoundData::parse("[2, 1, 2]"));
  EXPECT_EQ(x.at("calls"), "umm");
  const FoundData& y = test.at("classes").at(1);
  EXPECT_EQ(name(y.at("cluster")), "discovered_1");
  EXPECT_TRUE(y.at("until").is_null());
  EXPECT_TRUE(y.at("found").is_null());
  EXPECT_EQ(y.at("calls"), "km");
}

TEST(DiscoverySection, counts_novel_samples_apart_from_known_ones) {
  ToyTests tests = grouped_test();
  tests.truth.label[2] = "A";  // a known class, altered
  const PageSource source = tests_source(tests);
  const FoundData cells =
      built_section(source, "discovery").at("settings").at(0).at("tests").at(0).at("cells");
  std::map<std::string, int> counts;
  for (std::size_t i = 0; i < cells.size(); i += 4) {
    counts[std::string(cells.at(i) == 1 ? "novel " : "known ") +
           source.names->all().at(cells.at(i + 1).get<std::size_t>()) + " " +
           source.names->all().at(cells.at(i + 2).get<std::size_t>())] = cells.at(i + 3);
  }
  EXPECT_EQ(counts, (std::map<std::string, int>{{"known A A", 1},
                                                {"known B A", 1},
                                                {"novel A unknown", 1},
                                                {"novel X discovered_0", 2},
                                                {"novel Y B", 1},
                                                {"novel Y discovered_1", 1}}));
}

TEST(DiscoverySection, has_the_curves_over_rounds) {
  const FoundData data = built_section(tests_source(grouped_test()), "discovery");
  const FoundData& rounds = data.at("settings").at(0).at("tests").at(0).at("rounds");
  ASSERT_EQ(rounds.size(), 3U);
  // Round 2: two samples, both new; unknown is right before the cluster is first called.
  EXPECT_EQ(rounds.at(1).at(0), 2);
  EXPECT_EQ(rounds.at(1).at(1), 2);
  EXPECT_EQ(rounds.at(1).at(2), 2);
  EXPECT_EQ(rounds.at(1).at(3), 1);
  EXPECT_EQ(rounds.at(1).at(4), 0.5);
  EXPECT_EQ(rounds.at(2).at(6), 2);  // clusters so far
  EXPECT_EQ(rounds.at(2).at(7), 2);  // novel classes so far
}

TEST(DiscoverySection, is_left_out_where_nothing_was_to_be_discovered) {
  ToyTests tests;
  tests.add(1, "system", "OND.1", {"A"}, {{"A", false, false, "A"}, {"X", true, true, "unknown"}});
  EXPECT_TRUE(built_section(tests_source(tests), "discovery").is_null());
  EXPECT_FALSE(built_section(tests_source(grouped_test("OND.1")), "discovery").is_null());
}

}  // namespace
}  // namespace tyto
