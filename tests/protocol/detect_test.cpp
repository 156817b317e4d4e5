// SPDX-License-Identifier: Apache-2.0
#include "protocol/letter_run.hpp"

#include "tyto/core/error.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

OwlRun detect_run(const std::vector<OwlDeal>& deals, const std::string& options = "{}") {
  return OwlRun(deals, [options] {
    return find_protocol("detect").make(parse_yaml(options, "test"), "protocol");
  });
}

TEST(Detect, learns_train_alone_and_scores_validate_and_test) {
  OwlRun run = detect_run({{"aabb", "ab", "abc"}});
  EXPECT_THAT(run.all().of_predictor(), ElementsAre("learn 0t0=a 0t1=a 0t2=b 0t3=b",
                                                    "predict 0v0 0v1", "predict 0e0 0e1 0e2"));
  EXPECT_THAT(run.calls({"begin"}),
              ElementsAre("begin 000_detect_validate: granted ab (4), shown abc",
                          "begin 000_detect_test: granted ab (4), shown abc"));
}

TEST(Detect, holds_out_validate_where_it_is_told_to) {
  OwlRun run = detect_run({{"ab", "ab", "c"}}, "{hold_validate: true, evaluate: [test]}");
  EXPECT_THAT(run.all().of_predictor(),
              ElementsAre("learn 0t0=a/fit 0t1=b/fit 0v0=a/hold 0v1=b/hold", "predict 0e0"));
}

TEST(Detect, goes_on_where_it_was_cut) {
  OwlRun whole = detect_run({{"aabb", "ab", "abc"}});
  whole.all();
  OwlRun cut = detect_run({{"aabb", "ab", "abc"}});
  while (cut.step()) {
    cut.restart();
  }
  EXPECT_EQ(cut.log().calls, whole.log().calls);
  EXPECT_EQ(cut.log().numbers, whole.log().numbers);
}

TEST(Detect, refuses_a_world_of_several_increments_and_one_without_a_train_sample) {
  const auto refused = [](OwlRun run) -> std::string {
    try {
      run.all();
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_THAT(refused(detect_run(kTwo)), HasSubstr("protocol detect: the world shows a second"));
  EXPECT_THAT(refused(detect_run({{"", "a", "b"}})), HasSubstr("no sample to train on"));
}

}  // namespace
}  // namespace tyto
