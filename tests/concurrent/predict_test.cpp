// SPDX-License-Identifier: Apache-2.0
// predict() is const and may be called from several threads: under the thread sanitiser (target
// tsan_tests), with predictors that keep something between calls.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/blobs.hpp"
#include <gtest/gtest.h>

#include "tyto/predictor/config.hpp"
#include "tyto/predictor/make_predictor.hpp"

namespace tyto {
namespace {

using testing_support::Blobs;
using testing_support::make_blobs;

class PredictsFromThreads : public testing::TestWithParam<std::string> {};

TEST_P(PredictsFromThreads, as_from_one) {
  const Blobs known = make_blobs(0, 3, 30, 1, 0);
  const Blobs fresh = make_blobs(0, 4, 20, 2, 1000);
  const auto predictor =
      make_predictor(read_predictor(parse_yaml(GetParam(), "threads.yaml"), "predictor"), 5);
  Progress quiet;
  Work work{Rng(3, "threads"), quiet};
  predictor->learn({known.samples, known.names, {}}, work);
  predictor->observe(fresh.samples, work);
  constexpr std::size_t kThreads = 4;
  std::vector<Prediction> found(kThreads);
  {
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] { found[t] = predictor->predict(fresh.samples); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  const Prediction alone = predictor->predict(fresh.samples);
  for (const Prediction& one : found) {
    EXPECT_EQ(one.novelty, alone.novelty);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , PredictsFromThreads,
    testing::Values("slda", "ncm", "evm", "{preset: slda, detector: knn, recogniser: finch}",
                    "{preset: slda, detector: lof, calibrator: temperature, alarm: martingale}"),
    [](const auto& test) { return "subject_" + std::to_string(test.index); });

}  // namespace
}  // namespace tyto
