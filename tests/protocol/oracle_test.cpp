// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/oracle.hpp"

#include "protocol/letter_run.hpp"

namespace tyto {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

OwlOptions with_oracle(const OracleOptions& oracle) {
  OwlOptions options = only({}, {"test"});
  options.oracle = oracle;
  return options;
}

OwlOptions in_batches(Index batch, OracleOptions oracle = {}) {
  OwlOptions options = only({"train"}, {"train", "test"});
  options.batch = batch;
  options.oracle = std::move(oracle);
  return options;
}

TEST(Oracle, gives_labels_late_and_those_due_after_the_end_never) {
  OwlRun run(kFour, {0.5, {}}, with_oracle({"labels", 1, 0}));
  // Increments 1, 2, 3 ask for 2, 2 and 3 labels; each lesson is that of the increment before.
  EXPECT_THAT(run.all().calls({"learn", "request"}),
              ElementsAre(StartsWith("learn 0t0=a"), StartsWith("request 2 of 1t0"),
                          StartsWith("request 2 of 2t0"), "learn 1t3=c 1t2=c",
                          StartsWith("request 3 of 3t0"), "learn 2t3=d 2t2=c"));
  EXPECT_THAT(run.calls({"begin 002_post"}),
              ElementsAre("begin 002_post_test: granted c (2), shown abcd"));
}

TEST(Oracle, hands_out_late_labels_when_the_budget_is_gone) {
  OwlRun run(kFour, {1.0, 4}, with_oracle({"labels", 2, 0}));
  EXPECT_THAT(run.all().calls({"learn", "request"}),
              ElementsAre(StartsWith("learn 0t0=a"), StartsWith("request 4 of 1t0"),
                          "learn 1t3=c 1t2=c 1t1=b 1t0=a"));
  EXPECT_THAT(run.calls({"begin 003_post"}), Each(testing::HasSubstr("granted abc (4)")));
}

TEST(Oracle, mistakes_every_class_for_one_shown_before_at_full_noise) {
  OwlRun run(kFour, {1.0, {}}, with_oracle({"labels", 0, 1}));
  // At increment 1 only a and b have been shown: a becomes b and the reverse, c becomes either.
  const Calls lessons = run.all().calls({"learn"});
  ASSERT_EQ(lessons.size(), 4U);
  EXPECT_THAT(lessons[0], StartsWith("learn 0t0=a/fit 0t1=a/fit 0t2=b/fit"));  // the start is clean
  EXPECT_THAT(lessons[1], testing::MatchesRegex("learn 1t3=[ab] 1t2=[ab] 1t1=a 1t0=b"));
  EXPECT_THAT(lessons[2], testing::MatchesRegex("learn 2t3=[abc] 2t2=[abd] 2t1=[acd] 2t0=[bcd]"));
}

TEST(Oracle, mistakes_the_same_samples_whoever_asks) {
  const std::vector<OwlDeal> deals{{"aabb", "", "ab"}, {std::string(400, 'a'), "", "a"}};
  const auto mistaken = [&](double share, double noise) {
    OwlRun run(deals, {share, {}}, with_oracle({"labels", 0, noise}));
    std::set<std::string> wrong;
    const Calls lessons = run.all().calls({"learn 1"});
    std::istringstream words(lessons.at(0));
    for (std::string word; words >> word;) {
      if (word.ends_with("=b")) {
        wrong.insert(word);
      }
    }
    return wrong;
  };
  const auto all = mistaken(1.0, 0.25);
  EXPECT_GT(all.size(), 60U);  // of 400, 100 are expected
  EXPECT_LT(all.size(), 140U);
  const auto half = mistaken(0.5, 0.25);
  EXPECT_GT(half.size(), 20U);
  EXPECT_TRUE(std::includes(all.begin(), all.end(), half.begin(), half.end()));
  EXPECT_THAT(mistaken(1.0, 0.0), IsEmpty());
}

TEST(Oracle, tells_measures_of_train_and_no_label) {
  OwlRun run(kFour, {1.0, {}}, with_oracle({"measures", 0, 0}));
  EXPECT_THAT(run.all().calls({"learn", "request", "ask train: 1"}),
              ElementsAre(StartsWith("learn 0t0=a")));
  EXPECT_THAT(run.calls({"hear"}), Each(std::string("hear")));  // train was not predicted
  OwlOptions predicted = with_oracle({"measures", 0, 0});
  predicted.evaluate = {"train", "test"};
  OwlRun told(kFour, {1.0, {}}, predicted);
  // Everything is called unknown. Known are a and b: train abcc has 2 of 4, abcd 2 of 4, eeabcda 3
  // of 7. Only the novel ones are called rightly.
  EXPECT_THAT(told.all().calls({"hear"}),
              ElementsAre("hear accuracy=0.5 detection_rate=1 false_alarm_rate=1",
                          "hear accuracy=0.5 detection_rate=1 false_alarm_rate=1",
                          "hear accuracy=0.571429 detection_rate=1 false_alarm_rate=1"));
}

TEST(Oracle, may_tell_nothing) {
  OwlRun run(kFour, {1.0, {}}, with_oracle({"none", 0, 0}));
  EXPECT_THAT(run.all().calls({"learn", "request", "hear", "scores"}),
              ElementsAre(StartsWith("learn 0t0=a")));
}

TEST(OwlBatches, are_predicted_then_learned_one_after_another) {
  // 4 training samples by 2: two batches, each with half of the 2 test samples and of the budget.
  OwlRun run(kTwo, {0.5, {}}, in_batches(2));
  EXPECT_THAT(run.all().of_predictor(),
              ElementsAre(StartsWith("learn 0t0"), "predict 0t0 0t1 0t2", "predict 0e0",
                          "observe 1t0 1t1", "predict 1t0 1t1", "predict 1e0",  //
                          "request 1 of 1t0 1t1", "learn 1t1=c",                //
                          "observe 1t2 1t3", "predict 1t2 1t3", "predict 1e1",  //
                          "request 1 of 1t2 1t3", "learn 1t3=d",                //
                          "predict 1t0 1t1 1t2 1t3", "predict 1e0 1e1"));
  EXPECT_THAT(run.calls({"begin 001"}),
              ElementsAre(StartsWith("begin 001-0001_pre_train: granted  (0)"),
                          StartsWith("begin 001-0001_pre_test: granted  (0)"),
                          StartsWith("begin 001-0002_pre_train: granted c (1)"),
                          StartsWith("begin 001-0002_pre_test: granted c (1)"),
                          StartsWith("begin 001_post_train: granted cd (2)"),
                          StartsWith("begin 001_post_test: granted cd (2)")));
}

TEST(OwlBatches, show_every_sample_once_and_keep_the_budget_whatever_their_size) {
  for (const Index batch : {1, 2, 3, 4, 5, 100}) {
    OwlRun run(kFour, {0.5, {}}, in_batches(batch));
    run.all();
    std::map<std::string, int> seen;
    for (const std::string& call : run.calls({"post"})) {
      std::istringstream words(call);
      for (std::string word; words >> word;) {
        ++seen[word.substr(0, 3)];
      }
    }
    for (const char* sample : {"1t0", "1t3", "1e0", "1e1", "2e1", "3t6", "3e0"}) {
      EXPECT_EQ(seen[sample], 2) << sample << " before and after feedback, batch " << batch;
    }
    Index granted = 0;
    for (const std::string& call : run.calls({"learn 1", "learn 2", "learn 3"})) {
      granted += std::count(call.begin(), call.end(), '=');
    }
    EXPECT_EQ(granted, 2 + 2 + 3) << "batch " << batch;
  }
}

TEST(OwlBatches, go_on_as_before_wherever_they_were_cut) {
  // 2 for the start; 2 batches of increments 1 and 2, 4 of increment 3: pre and teach each; 3 post.
  expect_the_same_wherever_cut({0.7, {}}, in_batches(2, {"labels", 1, 0.5}),
                               2U + 2U * (2 + 2 + 4) + 3U);
}

}  // namespace
}  // namespace tyto
