// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/owl.hpp"

#include "protocol/letter_run.hpp"

#include "tyto/core/error.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Owl, teaches_and_predicts_the_start_then_observes_predicts_asks_learns_and_predicts) {
  OwlRun run(kTwo, {0.5, {}});
  EXPECT_THAT(run.all().of_predictor(),
              ElementsAre("learn 0t0=a/fit 0t1=a/fit 0t2=b/fit 0v0=a/hold 0v1=b/hold",  //
                          "predict 0t0 0t1 0t2", "predict 0v0 0v1", "predict 0e0",      //
                          "observe 1t0 1t1 1t2 1t3",                                    //
                          "predict 1t0 1t1 1t2 1t3", "predict 1v0", "predict 1e0 1e1",  //
                          "request 2 of 1t0 1t1 1t2 1t3",                               //
                          "learn 1t3=d 1t2=c",                                          //
                          "predict 1t0 1t1 1t2 1t3", "predict 1v0", "predict 1e0 1e1"));
  EXPECT_EQ(run.steps(), 5U);  // teach, post; pre, teach, post
  EXPECT_FALSE(run.step());
  EXPECT_EQ(run.steps(), 5U);
}

TEST(Owl, posts_and_records_each_prediction_between_begin_and_end) {
  OwlRun run(kTwo, {0.5, {}}, only({}, {"test"}));
  EXPECT_THAT(
      run.all().log().calls,
      ElementsAre("ask train: 0t0 0t1 0t2", "ask validate: 0v0 0v1", StartsWith("learn "),  //
                  StartsWith("begin 000_post_test"), "predict 0e0", "post test: 0e0, changed ",
                  "add 0e0, changed ", "end",  //
                  StartsWith("begin 001_pre_test"), "predict 1e0 1e1",
                  "post test: 1e0 1e1, changed ", "add 1e0 1e1, changed ", "end",  //
                  StartsWith("request "), "ask train: 1t3 1t2", StartsWith("learn "),
                  StartsWith("begin 001_post_test"), "predict 1e0 1e1",
                  "post test: 1e0 1e1, changed ", "add 1e0 1e1, changed ", "end"));
}

TEST(Owl, tells_of_changed_names_before_they_are_used_and_of_no_class_it_was_not_granted) {
  OwlRun run(
      kFour, [] { return std::make_unique<Owl>(only({}, {"test"})); }, {0.0, {}}, false,
      "[{increment: 1, rename: {a: x}}, {increment: 2, merge: {m: [b, c]}}, {increment: 3, rename: "
      "{d: y}}]");
  // Without feedback c and d are never heard of.
  EXPECT_THAT(run.all().calls({"change", "begin"}),
              ElementsAre(StartsWith("begin 000_post"), "change a to x",
                          StartsWith("begin 001_pre_test: granted  (0), shown bx"),
                          StartsWith("begin 001_post"), "change b to m",
                          StartsWith("begin 002_pre_test: granted  (0), shown dmx"),
                          StartsWith("begin 002_post"), StartsWith("begin 003_pre"),
                          StartsWith("begin 003_post")));
}

TEST(Owl, learns_once_only_without_a_budget) {
  for (const LabelBudget& budget : {LabelBudget{0.0, {}}, LabelBudget{1.0, 0}}) {
    OwlRun run(kFour, budget);
    EXPECT_THAT(run.all().calls({"learn", "request"}), ElementsAre(StartsWith("learn 0t0=a")));
    EXPECT_EQ(run.steps(), 2U + 3U * 3U);
    EXPECT_EQ(run.calls({"observe"}).size(), 3U);
    EXPECT_THAT(run.calls({"begin 003"}), Each(HasSubstr("granted  (0)")));
  }
}

TEST(Owl, gets_the_floor_of_a_fraction_of_labels_first_of_the_requested_order) {
  // 0.4 of 4, 4 and 7 rows: floor(1.6) = 1, 1 and floor(2.8) = 2.
  EXPECT_THAT(OwlRun(kFour, {0.4, {}}).all().calls({"learn", "request"}),
              ElementsAre(StartsWith("learn 0t0=a"),                      //
                          "request 1 of 1t0 1t1 1t2 1t3", "learn 1t3=c",  //
                          "request 1 of 2t0 2t1 2t2 2t3", "learn 2t3=d",  //
                          "request 2 of 3t0 3t1 3t2 3t3 3t4 3t5 3t6", "learn 3t6=a 3t5=d"));
  // 0.2 of 4 is less than one label: nobody is asked and nothing is learned, but of 7 it is one.
  EXPECT_THAT(
      OwlRun(kFour, {0.2, {}}).all().calls({"learn", "request"}),
      ElementsAre(StartsWith("learn 0t0=a"), StartsWith("request 1 of 3t0"), "learn 3t6=a"));
  EXPECT_THAT(OwlRun(kFour, {1.0, {}}).all().calls({"learn 2"}),
              ElementsAre("learn 2t3=d 2t2=c 2t1=b 2t0=a"));
}

TEST(Owl, spends_a_global_budget_until_it_is_gone) {
  // 6 labels over increments of 4, 4 and 7: 4, 2, none. The start is free.
  EXPECT_THAT(OwlRun(kFour, {1.0, 6}).all().calls({"learn", "request"}),
              ElementsAre(StartsWith("learn 0t0=a"),                                        //
                          StartsWith("request 4 of 1t0"), "learn 1t3=c 1t2=c 1t1=b 1t0=a",  //
                          StartsWith("request 2 of 2t0"), "learn 2t3=d 2t2=c"));
}

TEST(Owl, asks_for_no_test_label_and_gives_names_through_lessons_alone) {
  OwlRun run(kFour);  // f is in a test split only
  run.all();
  const Calls asked = run.calls({"ask"});
  ASSERT_EQ(asked.size(), 5U);
  EXPECT_THAT(asked, Contains(StartsWith("ask validate")).Times(1));
  EXPECT_THAT(asked[1], StartsWith("ask validate: 0v0"));
  EXPECT_THAT(asked, Contains(StartsWith("ask train")).Times(4));
  std::map<std::string, std::string> label_of;
  for (std::size_t i = 0; i < run.log().truth.name.size(); ++i) {
    label_of[run.log().truth.name[i]] = run.log().truth.label[i];
  }
  Index taught = 0;
  for (const std::string& call : run.of_predictor()) {
    if (!call.starts_with("learn ")) {
      EXPECT_THAT(call, Not(HasSubstr("=")));
      continue;
    }
    EXPECT_THAT(call, AllOf(Not(HasSubstr("e0=")), Not(HasSubstr("e1=")), Not(HasSubstr("=f"))));
    for (std::size_t at = call.find('='); at != call.npos; at = call.find('=', at + 1), ++taught) {
      EXPECT_EQ(call.substr(at + 1, 1), label_of.at(call.substr(at - 3, 3))) << call;
    }
  }
  EXPECT_EQ(taught, 4 + 1 + 4 + 4 + 7);
}

TEST(Owl, gives_validate_of_the_start_as_held_out_or_not_at_all) {
  OwlOptions without;
  without.initial_validate = false;
  OwlRun run(kTwo, {}, without);
  run.step();
  EXPECT_THAT(run.log().calls, ElementsAre("ask train: 0t0 0t1 0t2", "learn 0t0=a 0t1=a 0t2=b"));
  // Without a validate split the holdout rule decides as well.
  OwlRun none({{"ab", "", "a"}});
  none.step();
  EXPECT_THAT(none.log().calls, ElementsAre("ask train: 0t0 0t1", "learn 0t0=a 0t1=b"));
}

TEST(Owl, observes_the_named_splits_once_per_increment_before_any_prediction) {
  OwlRun run(kTwo, {0.0, {}}, only({"test", "train"}, {"train", "validate", "test"}));
  EXPECT_THAT(run.all().calls({"observe", "predict 1"}),
              ElementsAre("observe 1t0 1t1 1t2 1t3", "observe 1e0 1e1",                   // deal's
                          "predict 1t0 1t1 1t2 1t3", "predict 1v0", "predict 1e0 1e1",    // pre
                          "predict 1t0 1t1 1t2 1t3", "predict 1v0", "predict 1e0 1e1"));  // post
  EXPECT_THAT(OwlRun(kFour, {}, only({}, {"test"})).all().calls({"observe"}), IsEmpty());
  EXPECT_THAT(OwlRun(kFour, {}, only({"validate"}, {"test"})).all().calls({"observe"}),
              ElementsAre("observe 1v0", "observe 3v0"));  // increment 2 has none
}

TEST(Owl, observes_in_turn_just_before_the_own_prediction) {
  OwlRun run(kTwo, {0.0, {}}, only({"train", "test"}, {"train", "validate", "test"}, "in_turn"));
  EXPECT_THAT(run.all().calls({"observe", "predict 1"}),
              ElementsAre("observe 1t0 1t1 1t2 1t3", "predict 1t0 1t1 1t2 1t3",  //
                          "predict 1v0",                                         //
                          "observe 1e0 1e1", "predict 1e0 1e1",                  //
                          "predict 1t0 1t1 1t2 1t3", "predict 1v0", "predict 1e0 1e1"));
  // A split that is not predicted is observed nonetheless.
  OwlRun unseen(kTwo, {0.0, {}}, only({"train"}, {"test"}, "in_turn"));
  EXPECT_THAT(unseen.all().calls({"observe", "predict 1"}),
              ElementsAre("observe 1t0 1t1 1t2 1t3", "predict 1e0 1e1", "predict 1e0 1e1"));
}

TEST(Owl, evaluates_the_named_splits_that_have_samples_in_the_order_of_the_deal) {
  OwlRun run(kFour, {0.0, {}}, only({}, {"test", "validate"}));
  Calls names;
  for (const std::string& call : run.all().calls({"begin"})) {
    names.push_back(call.substr(6, call.find(':') - 6));
  }
  EXPECT_THAT(
      names, ElementsAre("000_post_validate", "000_post_test",  //
                         "001_pre_validate", "001_pre_test", "001_post_validate",
                         "001_post_test",                  //
                         "002_pre_test", "002_post_test",  //
                         "003_pre_validate", "003_pre_test", "003_post_validate", "003_post_test"));
}

TEST(Owl, tells_the_recorder_what_was_granted_at_this_increment_and_shown_before_it) {
  OwlOptions options = only({}, {"test"});
  options.initial_validate = false;
  // Half of 4, 4 and 7: the last two are cc, dc; the last three of eeabcda are a, d, c. Shown
  // before: a and b at the start, d in test at 1, e in test at 2.
  EXPECT_THAT(OwlRun(kFour, {0.5, {}}, options).all().calls({"begin"}),
              ElementsAre("begin 000_post_test: granted ab (4), shown ab",    //
                          "begin 001_pre_test: granted  (0), shown ab",       //
                          "begin 001_post_test: granted c (2), shown ab",     //
                          "begin 002_pre_test: granted  (0), shown abcd",     //
                          "begin 002_post_test: granted cd (2), shown abcd",  //
                          "begin 003_pre_test: granted  (0), shown abcde",    //
                          "begin 003_post_test: granted acd (3), shown abcde"));
}

TEST(Owl, passes_on_the_chance_of_a_change_for_observed_splits_before_feedback) {
  for (const std::string order : {"together", "in_turn"}) {
    OwlRun run(kTwo, {0.0, {}}, only({"test"}, {"validate", "test"}, order), true);
    EXPECT_THAT(run.all().calls({"add 1"}),
                ElementsAre("add 1v0, changed ", "add 1e0 1e1, changed 0.5 0.33333334",  // pre
                            "add 1v0, changed ", "add 1e0 1e1, changed "));              // post
    EXPECT_THAT(
        run.calls({"post test: 1"}),
        ElementsAre("post test: 1e0 1e1, changed 0.5 0.33333334", "post test: 1e0 1e1, changed "));
  }
}

TEST(Owl, predicts_a_large_split_in_batches_of_one_phase) {
  OwlRun run({{"ab", "", "a"}, {"a", "", std::string(8192 + 3, 'a')}}, {0.0, {}},
             only({"test"}, {"test"}), true);
  const Calls calls = run.all().calls({"begin 001_pre", "predict 1", "add 1", "end"});
  ASSERT_EQ(calls.size(), 1U + 6U + 5U);
  EXPECT_EQ(calls[0], "end");  // of the start
  EXPECT_THAT(calls[1], StartsWith("begin 001_pre_test"));
  EXPECT_THAT(calls[2], StartsWith("predict 1e0 1e1 "));
  EXPECT_THAT(calls[2], testing::EndsWith(" 1e8191"));
  EXPECT_THAT(calls[3], AllOf(StartsWith("add 1e0 "), HasSubstr(", changed 0.5 0.33333334 0.25 ")));
  EXPECT_EQ(calls[4], "predict 1e8192 1e8193 1e8194");
  // Rows 8192 to 8194 have the chances 1/8194, 1/8195 and 1/8196.
  EXPECT_EQ(calls[5], fmt::format("add 1e8192 1e8193 1e8194, changed {} {} {}", 1.0F / 8194.0F,
                                  1.0F / 8195.0F, 1.0F / 8196.0F));
  EXPECT_EQ(calls[6], "end");
}

TEST(Owl, goes_on_as_before_wherever_it_was_cut) {
  for (const LabelBudget& budget : {LabelBudget{0.5, {}}, LabelBudget{1.0, 7}}) {
    expect_the_same_wherever_cut(budget, only({"train", "test"}, {"train", "test"}, "in_turn"), 11);
  }
}

TEST(Owl, gives_every_call_of_a_step_a_random_stream_of_its_own) {
  OwlRun run(kFour, {1.0, {}}, only({"train", "validate", "test"}, {}));
  const std::vector<double>& drawn = run.all().log().numbers;
  EXPECT_EQ(drawn.size(), 1U + 3U + 2U + 3U + 3U * 2U);  // lesson; observed; request and lesson
  EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()).size(), drawn.size());
}

TEST(Owl, names_an_increment_without_training_samples) {
  const auto refusal = [](const std::vector<OwlDeal>& deals) {
    OwlRun run(deals);
    try {
      run.all();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      EXPECT_THAT(run.calls({"learn 2"}), IsEmpty());
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(refusal({{"", "a", "b"}, {"a", "", "b"}}), "increment 0 has no training samples");
  EXPECT_EQ(refusal({{"ab", "", "b"}, {"a", "", "b"}, {"", "a", "b"}}),
            "increment 2 has no training samples");
}

TEST(OwlSpec, makes_the_protocol_and_refuses_an_order_it_does_not_know) {
  const ProtocolSpec& spec = find_protocol("owl");
  ConfigNode node = ConfigNode::empty_map();
  EXPECT_NE(dynamic_cast<Owl*>(spec.make(node, "protocol").get()), nullptr);
  set_path(node, "observe_order", "in_turn");
  EXPECT_NO_THROW(spec.make(node, "protocol"));
  set_path(node, "observe_order", "at_once");
  EXPECT_THROW(spec.make(node, "protocol"), Error);
  EXPECT_THROW(find_protocol("howl"), Error);
}

}  // namespace
}  // namespace tyto
