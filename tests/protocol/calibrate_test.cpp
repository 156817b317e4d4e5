// SPDX-License-Identifier: Apache-2.0
#include "protocol/letter_run.hpp"

#include "tyto/core/error.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

OwlRun calibrate_run(const std::vector<OwlDeal>& deals, const std::string& options = "{}") {
  return OwlRun(deals, [options] {
    return find_protocol("calibrate").make(parse_yaml(options, "test"), "protocol");
  });
}

TEST(Calibrate, fits_on_train_holds_out_validate_and_predicts_validate_and_test) {
  OwlRun run = calibrate_run({{"aabb", "ab", "abb"}});
  EXPECT_THAT(run.all().of_predictor(),
              ElementsAre("learn 0t0=a/fit 0t1=a/fit 0t2=b/fit 0t3=b/fit 0v0=a/hold 0v1=b/hold",
                          "predict 0v0 0v1", "predict 0e0 0e1 0e2"));
  EXPECT_EQ(run.steps(), 2U);
  EXPECT_THAT(run.calls({"begin"}), ElementsAre("begin 000_post_validate: granted ab (6), shown ab",
                                                "begin 000_post_test: granted ab (6), shown ab"));
}

TEST(Calibrate, carves_a_share_of_train_where_there_is_no_validate_split) {
  const std::vector<OwlDeal> one{{"abababababababababab", "", "ab"}};
  OwlRun run = calibrate_run(one, "{share: 0.5}");
  const Calls calls = run.all().of_predictor();
  ASSERT_EQ(calls.size(), 3U);
  // What is held out is what is predicted as `validate`, and the rest is fitted on.
  Calls held;
  Index fitted = 0;
  std::istringstream words(calls[0].substr(6));
  for (std::string word; words >> word;) {
    if (word.ends_with("/hold")) {
      held.push_back(word.substr(0, word.find('=')));
    } else {
      ++fitted;
    }
  }
  EXPECT_EQ(fmt::format("predict {}", fmt::join(held, " ")), calls[1]);
  EXPECT_EQ(fitted, 10);
  EXPECT_EQ(std::ssize(held), 10);
  OwlRun again = calibrate_run(one, "{share: 0.5}");
  EXPECT_EQ(again.all().of_predictor(), calls);
}

TEST(Calibrate, holds_out_one_sample_at_least) {
  OwlRun run = calibrate_run({{"abababababababababab", "", "ab"}}, "{share: 0.001}");
  const std::string predicted = run.all().of_predictor().at(1);
  EXPECT_THAT(predicted, StartsWith("predict 0t"));
  EXPECT_EQ(std::count(predicted.begin(), predicted.end(), ' '), 1);
}

TEST(Calibrate, predicts_of_a_carved_train_split_what_was_fitted_on) {
  OwlRun run =
      calibrate_run({{"abababab", "", "ab"}}, "{share: 0.25, evaluate: [train, validate]}");
  const Calls calls = run.all().of_predictor();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(std::count(calls[1].begin(), calls[1].end(), ' '), 6);
  EXPECT_EQ(std::count(calls[2].begin(), calls[2].end(), ' '), 2);
}

TEST(Calibrate, holds_out_everything_at_a_share_of_one) {
  OwlRun run = calibrate_run({{"ab", "", "ab"}}, "{share: 1}");
  EXPECT_THAT(run.all().of_predictor(),
              ElementsAre("learn 0t0=a/hold 0t1=b/hold", "predict 0t0 0t1", "predict 0e0 0e1"));
}

TEST(Calibrate, goes_on_where_it_was_cut) {
  OwlRun whole = calibrate_run({{"aabb", "ab", "abb"}});
  whole.all();
  OwlRun cut = calibrate_run({{"aabb", "ab", "abb"}});
  while (cut.step()) {
    cut.restart();
  }
  EXPECT_EQ(cut.log().calls, whole.log().calls);
  EXPECT_EQ(cut.log().numbers, whole.log().numbers);
}

std::string refused(OwlRun run) {
  try {
    run.all();
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

TEST(Calibrate, says_what_is_missing_to_calibrate_on) {
  EXPECT_THAT(refused(calibrate_run({{"ab", "", "ab"}}, "{share: 0}")),
              HasSubstr("no validate split, and of their 2 training samples a share of 0 is none"));
}

TEST(Calibrate, refuses_a_world_of_several_increments) {
  EXPECT_THAT(refused(calibrate_run(kTwo)), HasSubstr("shows a second increment"));
}

}  // namespace
}  // namespace tyto
