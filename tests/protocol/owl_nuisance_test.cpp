// SPDX-License-Identifier: Apache-2.0
// Tests under a nuisance: answered after feedback, and nothing else is other than without them.
#include <map>

#include "support/small_worlds.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/predictor/composition/composition.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/record/phase_recorder.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {
namespace {

using Phases = std::map<std::string, std::string>;  // bytes by name

Phases played(const std::string& tests, const std::string& protocol = "owl",
              const std::string& options = "{}") {
  const testing_support::SmallWorld built(
      "increments", "{kind: increments, increments: 2, nuisance_tests: " + tests + "}", 3);
  Phases out;
  const auto world = built.make({0.5, {}});
  Composition predictor(read_predictor(parse_yaml("{name: plain, classifier: ncm, detector: "
                                                  "softmax, alarm: martingale, memory: "
                                                  "reservoir}",
                                                  "test"),
                                       "predictor"),
                        5);
  const auto made = find_protocol(protocol).make(parse_yaml(options, "test"), "protocol");
  PhaseRecorder recorder(RecordOptions(), built.truth(), [&](const Phase& phase) {
    out[phase.key.name()] = to_archive(phase_to_state(phase));
  });
  const StoreShelf shelf = built.shelf();
  Progress progress;
  for (std::uint64_t step = 0;; ++step) {
    Work work{Rng(9, "step", step), progress};
    Exchange exchange{*world, predictor, recorder, shelf, Rng(9)};
    if (!made->step(exchange, work)) {
      break;
    }
  }
  return out;
}

TEST(OwlNuisance, answers_after_feedback_and_leaves_every_other_phase_as_it_was) {
  const Phases plain = played("");
  const Phases under = played("{scale: {factor: 5}, noise: {deviation: 3}}");
  std::vector<std::string> more;
  for (const auto& [name, bytes] : under) {
    const auto found = plain.find(name);
    if (found == plain.end()) {
      more.push_back(name);
    } else {
      EXPECT_EQ(found->second, bytes) << name;
    }
  }
  EXPECT_THAT(more, testing::ElementsAre("000_post_test:noise", "000_post_test:scale",
                                         "001_post_test:noise", "001_post_test:scale",
                                         "002_post_test:noise", "002_post_test:scale"));
  EXPECT_EQ(under.size(), plain.size() + more.size());
  EXPECT_NE(under.at("002_post_test:noise"), under.at("002_post_test:scale"));
}

TEST(OwlNuisance, is_left_out_where_test_is_and_in_other_protocols) {
  for (const auto& [name, bytes] : played("[noise]", "owl", "{evaluate: [train]}")) {
    EXPECT_THAT(name, testing::EndsWith("train"));
  }
  for (const auto& [name, bytes] : played("[noise]", "cil")) {
    EXPECT_THAT(name, testing::Not(testing::HasSubstr(":")));
  }
}

}  // namespace
}  // namespace tyto
