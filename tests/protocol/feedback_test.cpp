// SPDX-License-Identifier: Apache-2.0
// Answers that are more, or less, than the label asked for: worked by hand on letters.
#include "protocol/letter_run.hpp"
#include "support/scratch.hpp"

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/protocol/oracle.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// Increment 1 has classes a and b, known from the start, and c and d, which are new.
const std::vector<OwlDeal> kMixed{{"aabb", "", "a"}, {"abcabccd", "", "a"}};

OwlOptions feedback_of(const std::string& kind,
                       const std::function<void(OracleOptions&)>& set = {}) {
  OwlOptions options = only({}, {"test"});
  options.oracle.kind = kind;
  if (set) {
    set(options.oracle);
  }
  return options;
}

// Takes 1t0 (a), 1t3 (a) and 1t4 (b) wrongly, 1t1 (b) rightly, and both new classes for a.
OwlRun& erring(OwlRun& run) {
  return run.deciding("1t0", "b")
      .deciding("1t1", "b")
      .deciding("1t2", "a")
      .deciding("1t3", "none")
      .deciding("1t4", "discovered_0")
      .deciding("1t5", "a")
      .deciding("1t6", "a")
      .deciding("1t7", "a");
}

TEST(Corrections, name_known_samples_that_were_called_otherwise_and_nothing_else) {
  OwlRun run(kMixed, {1.0, {}}, feedback_of("corrections"));
  // Asked for from the last to the first; a known sample called new is wrong, too.
  EXPECT_THAT(erring(run).all().calls({"learn 1", "charge", "ask train: 1"}),
              ElementsAre("charge 8", "learn 1t4=b 1t3=a 1t0=a"));
  EXPECT_THAT(run.calls({"begin 001_post"}),
              ElementsAre("begin 001_post_test: granted ab (3), shown ab, spent 8 on 8, 0 wrong"));
}

TEST(Corrections, cost_what_was_asked_also_where_nothing_is_said) {
  OwlRun run(kMixed, {0.5, {}}, feedback_of("corrections"));  // the last four: right, new, new, new
  EXPECT_THAT(erring(run).deciding("1t4", "b").all().calls({"learn 1", "charge"}),
              ElementsAre("charge 4"));
  EXPECT_THAT(run.calls({"begin 001_post"}), Each(EndsWith("spent 4 on 4, 0 wrong")));
}

TEST(Costs, are_what_the_budget_pays) {
  const auto spent = [](double price, const LabelBudget& budget) {
    OwlRun run(kMixed, budget, feedback_of("corrections", [&](OracleOptions& oracle) {
                 oracle.costs.correction = price;
               }));
    return erring(run).all().calls({"charge"});
  };
  EXPECT_THAT(spent(2, {1.0, {}}), ElementsAre("charge 8"));      // 8 pays for 4 answers
  EXPECT_THAT(spent(3, {1.0, {}}), ElementsAre("charge 6"));      // for 2
  EXPECT_THAT(spent(0.1, {0.5, {}}), ElementsAre("charge 0.8"));  // more than there are to ask
  EXPECT_THAT(spent(0, {0.5, {}}), ElementsAre("charge 0"));
  EXPECT_THAT(spent(9, {1.0, {}}), IsEmpty());                 // nobody is asked
  EXPECT_THAT(spent(3, {1.0, 21}), ElementsAre("charge 21"));  // of a total, not of the increment's
}

TEST(Costs, of_labels_are_charged_where_they_are_not_one) {
  OwlRun run(kMixed, {1.0, {}},
             feedback_of("labels", [](OracleOptions& oracle) { oracle.costs.label = 4; }));
  EXPECT_THAT(run.all().calls({"learn 1", "charge"}), ElementsAre("charge 8", "learn 1t7=d 1t6=c"));
  EXPECT_THAT(run.calls({"begin 001_post"}), Each(EndsWith("spent 8 on 2, 0 wrong")));
  EXPECT_THAT(OwlRun(kMixed).all().calls({"begin", "charge"}), Each(Not(HasSubstr("spent"))));
}

TEST(Costs, of_a_total_budget_last_until_it_is_gone_whatever_the_batches) {
  const std::vector<OwlDeal> three{{"aabb", "", "a"}, {"abab", "", "a"}, {"abab", "", "a"}};
  for (const Index batch : {0, 1, 2, 3}) {
    OwlOptions options =
        feedback_of("labels", [](OracleOptions& oracle) { oracle.costs.label = 1.5; });
    options.batch = batch;
    OwlRun run(three, {1.0, 10}, options);  // 4 x 1.5 = 6, then 2 x 1.5 of the 4 that are left
    run.all();
    EXPECT_THAT(run.calls({"begin 001_post"}), Each(EndsWith("spent 6 on 4, 0 wrong"))) << batch;
    EXPECT_THAT(run.calls({"begin 002_post"}), Each(EndsWith("spent 3 on 2, 0 wrong"))) << batch;
  }
}

// c c d of one group, d alone of another, the known ones in none.
OwlRun& grouping(OwlRun& run) {
  return run.deciding("1t0", "a")
      .deciding("1t1", "b")
      .deciding("1t2", "discovered_1")
      .deciding("1t3", "a")
      .deciding("1t4", "b")
      .deciding("1t5", "discovered_1")
      .deciding("1t6", "discovered_0")
      .deciding("1t7", "discovered_1");
}

TEST(Groups, are_named_after_the_majority_and_learned_whole) {
  OwlRun run(kMixed, {1.0, {}}, feedback_of("groups"));
  // 1t7 (d) stands for discovered_1 = {1t2 c, 1t5 c, 1t7 d}, 1t6 for discovered_0.
  grouping(run).all();
  const Calls lessons = run.calls({"learn 1"});
  ASSERT_EQ(lessons.size(), 1U);
  EXPECT_THAT(lessons[0], StartsWith("learn 1t7=c 1t"));
  EXPECT_THAT(lessons[0], HasSubstr("1t2=c"));
  EXPECT_THAT(lessons[0], HasSubstr("1t5=c"));
  EXPECT_THAT(lessons[0], EndsWith(" 1t6=c"));
  EXPECT_THAT(run.calls({"begin 001_post"}),
              Each(HasSubstr("granted c (4), shown ab, spent 2 on 2, 1 wrong")));
}

TEST(Groups, are_asked_for_as_far_as_the_budget_goes) {
  OwlRun run(kMixed, {0.125, {}}, feedback_of("groups"));  // one answer for all of a group
  EXPECT_THAT(grouping(run).all().calls({"charge"}), ElementsAre("charge 1"));
  EXPECT_THAT(run.calls({"learn 1"}), ElementsAre(Not(HasSubstr("1t6"))));
  EXPECT_THAT(run.calls({"request"}), ElementsAre(StartsWith("request 8 of")));
}

TEST(Groups, that_are_mixed_get_no_unanimous_answer) {
  OwlRun run(kMixed, {1.0, {}}, feedback_of("groups", [](OracleOptions& oracle) {
               oracle.groups.answer = "unanimous";
             }));
  EXPECT_THAT(grouping(run).all().calls({"learn 1", "charge"}),
              ElementsAre("charge 2", "learn 1t6=c"));
}

TEST(Groups, may_be_learned_by_the_sample_asked_about_or_by_a_share_of_them) {
  OwlRun asked(kMixed, {1.0, {}},
               feedback_of("groups", [](OracleOptions& oracle) { oracle.groups.learn = "asked"; }));
  EXPECT_THAT(grouping(asked).all().calls({"learn 1"}), ElementsAre("learn 1t7=c 1t6=c"));
  OwlRun half(kMixed, {1.0, {}},
              feedback_of("groups", [](OracleOptions& oracle) { oracle.groups.weight = 0.5; }));
  const Calls lessons = grouping(half).all().calls({"learn 1"});  // 1t7, one of 1t2 and 1t5, 1t6
  ASSERT_EQ(lessons.size(), 1U);
  EXPECT_EQ(std::count(lessons[0].begin(), lessons[0].end(), '='), 3);
}

TEST(Groups, are_misnamed_as_a_whole) {
  OwlRun run(kMixed, {1.0, {}},
             feedback_of("groups", [](OracleOptions& oracle) { oracle.noise = 1; }));
  const Calls lessons = grouping(run).all().calls({"learn 1"});
  ASSERT_EQ(lessons.size(), 1U);
  const char said = lessons[0].at(lessons[0].find('=') + 1);
  EXPECT_TRUE(said == 'a' || said == 'b') << lessons[0];
  for (const char* member : {"1t2=", "1t5=", "1t7="}) {
    EXPECT_THAT(lessons[0], HasSubstr(std::string(member) + said));
  }
}

TEST(Teacher, answers_from_a_table_right_or_wrong_or_not_at_all) {
  const testing_support::Scratch scratch;
  const auto file = scratch.path() / "answers.csv";
  write_file(file, "id,label\n1t7,a\n1t6,c\n1t4,b\n0t0,d\n");
  OwlRun run(kMixed, {0.5, {}}, feedback_of("predictor", [&](OracleOptions& oracle) {
               oracle.teacher.table = file.string();
             }));
  EXPECT_THAT(run.all().calls({"learn 1", "charge"}),
              ElementsAre("charge 4", "learn 1t7=a 1t6=c 1t4=b"));
  EXPECT_THAT(run.calls({"begin 001_post"}),
              Each(EndsWith("granted abc (3), shown ab, spent 4 on 4, 1 wrong")));
}

TEST(Teacher, with_a_bad_table_is_refused_with_a_sentence) {
  const testing_support::Scratch scratch;
  const auto file = scratch.path() / "answers.csv";
  const auto problem_of = [&](const std::string& text) -> std::string {
    write_file(file, text);
    try {
      OwlRun run(kMixed, {}, feedback_of("predictor", [&](OracleOptions& oracle) {
                   oracle.teacher.table = file.string();
                 }));
    } catch (const Error& problem) {
      return problem.what();
    }
    return "none";
  };
  EXPECT_THAT(problem_of("id,label\nx,a\nx,b\n"),
              HasSubstr("\"x\" has two labels, \"a\" and \"b\""));
  EXPECT_THAT(problem_of("id,label\nx,\n"), HasSubstr("line 2, column \"label\": is empty"));
  EXPECT_THAT(problem_of("id,label\nx,unknown\n"), HasSubstr("reserved"));
  EXPECT_THAT(problem_of("id,class\nx,a\n"), HasSubstr("label"));
  EXPECT_EQ(problem_of("id,label\nx,a\n"), "none");
}

class Foreign : public testing::Test {
 protected:
  OwlOptions speaking(const std::string& vocabulary,
                      const std::function<void(ForeignOptions&)>& set = {}) {
    const auto file = scratch_.path() / "vocabulary.csv";
    write_file(file, "class,name\n" + vocabulary);
    return feedback_of("foreign", [&](OracleOptions& oracle) {
      oracle.foreign.vocabulary = file.string();
      if (set) {
        set(oracle.foreign);
      }
    });
  }

  std::string table(const std::string& rows) {
    const auto file = scratch_.path() / "table.csv";
    write_file(file, "name,class\n" + rows);
    return file.string();
  }

  testing_support::Scratch scratch_;
};

TEST_F(Foreign, names_are_looked_up_and_ambiguous_ones_give_no_label) {
  // c has no name at all, "Laut" is a or b, "Zett" is unheard of.
  OwlRun run(kMixed, {1.0, {}}, speaking("a,Laut\nb,Be\nd,Zett\n", [&](ForeignOptions& foreign) {
               foreign.interpreter.interpret = "table";
               foreign.interpreter.table = table("Laut,a\nLaut,b\nBe,b\n");
             }));
  EXPECT_THAT(run.all().calls({"learn 1", "charge"}), ElementsAre("charge 8", "learn 1t4=b 1t1=b"));
}

TEST_F(Foreign, names_of_something_else_may_be_kept_as_classes) {
  OwlRun run(kMixed, {1.0, {}},
             speaking("a,Laut\na,Aa\nb,Laut\nd,Zett\n", [&](ForeignOptions& foreign) {
               foreign.say = "all";
               foreign.interpreter.interpret = "table";
               foreign.interpreter.table = table("Laut,a\nLaut,b\nAa,a\n");
               foreign.interpreter.unmapped = "keep";
             }));
  // Two names of a, one of which is a's alone: a has two votes, b one. b itself stays unclear.
  EXPECT_THAT(run.all().calls({"learn 1"}), ElementsAre("learn 1t7=Zett 1t3=a 1t0=a"));
  EXPECT_THAT(run.calls({"begin 001_post"}), Each(EndsWith("spent 8 on 8, 1 wrong")));
}

TEST_F(Foreign, names_are_learned_from_what_the_predictor_takes_the_samples_for) {
  const std::vector<OwlDeal> two{{"aabb", "", "a"}, {"aaabbbccc", "", "a"}, {"abcd", "", "a"}};
  OwlRun run(two, {1.0, {}}, speaking("a,Ah\nb,Be\nc,Zeh\nd,Deh\n", [](ForeignOptions& foreign) {
               foreign.interpreter.unmapped = "keep";
             }));
  for (const auto& [sample, entry] : std::map<std::string, std::string>{{"1t0", "a"},
                                                                        {"1t1", "a"},
                                                                        {"1t2", "b"},
                                                                        {"1t3", "b"},
                                                                        {"1t4", "b"},
                                                                        {"1t5", "b"},
                                                                        {"1t6", "none"},
                                                                        {"1t7", "discovered_0"},
                                                                        {"1t8", "a"},
                                                                        {"2t0", "b"},
                                                                        {"2t1", "b"},
                                                                        {"2t2", "b"},
                                                                        {"2t3", "a"}}) {
    run.deciding(sample, entry);
  }
  // Ah: 2 of 3 a. Be: all b. Zeh: 2 of 3 new. Deh was heard once only.
  EXPECT_THAT(run.all().calls({"learn 1", "learn 2"}),
              ElementsAre("learn 1t8=Zeh 1t7=Zeh 1t6=Zeh 1t5=b 1t4=b 1t3=b 1t2=a 1t1=a 1t0=a",
                          // Ah: 2 of 4 a, 2 of 4 b, unclear. Zeh stays what it was taken for.
                          "learn 2t2=Zeh 2t1=b"));
}

TEST_F(Foreign, names_heard_with_the_start_are_understood_at_once) {
  const auto lessons = [&](double paired) {
    OwlRun run(kMixed, {1.0, {}}, speaking("a,Ah\nb,Be\n", [&](ForeignOptions& foreign) {
                 foreign.paired = paired;
                 foreign.interpreter.least = 2;
                 foreign.interpreter.agreement = 0.5;
               }));
    for (const char* sample : {"1t0", "1t3", "1t1", "1t4"}) {
      run.deciding(sample, "none");  // the predictor is of no help
    }
    return run.all().calls({"learn 1"});
  };
  EXPECT_THAT(lessons(1), ElementsAre("learn 1t4=b 1t3=a 1t1=b 1t0=a"));
  EXPECT_THAT(lessons(0), IsEmpty());
}

TEST(Interpreters, learn_new_names_of_classes) {
  LabelSpace space;
  for (const char* name : {"a", "b", "x"}) {
    space.add_known(name);
  }
  const auto said_of = [&](const std::vector<LabelChange>& changes) {
    Interpreter interpreter({});
    for (int i = 0; i < 5; ++i) {
      interpreter.pair({"Ah"}, "a");
      interpreter.pair({"Be"}, "b");
    }
    interpreter.change_labels(changes);
    const ::tyto::Decisions decisions{std::make_shared<const LabelSpace>(space),
                                      {Label{3}, Label{2}}};
    return interpreter.interpret({{"Ah"}, {"Be"}}, decisions);
  };
  EXPECT_THAT(said_of({}), ElementsAre("a", "b"));
  EXPECT_THAT(said_of({{LabelChangeKind::rename, {"a"}, "x"}}), ElementsAre("x", "b"));
  EXPECT_THAT(said_of({{LabelChangeKind::merge, {"a", "b"}, "x"}}), ElementsAre("x", "x"));
  EXPECT_THAT(said_of({{LabelChangeKind::split, {"a"}, ""}}), ElementsAre("", "b"));  // heard once
}

TEST(OracleOptions, lacking_what_their_kind_needs_are_refused_with_a_sentence) {
  const auto problem_of = [](const std::string& yaml) -> std::string {
    try {
      (void)find_protocol("owl").resolve(parse_yaml(yaml, "test"), "protocol");
    } catch (const Error& problem) {
      return problem.what();
    }
    return "none";
  };
  EXPECT_THAT(problem_of("{oracle: predictor}"), HasSubstr("protocol.teacher: the oracle"));
  EXPECT_THAT(problem_of("{oracle: predictor, teacher: {preset: ncm, table: x.csv}}"),
              HasSubstr("one of them answers"));
  EXPECT_THAT(problem_of("{oracle: predictor, teacher: {preset: ncmm}}"), HasSubstr("ncm"));
  EXPECT_THAT(problem_of("{oracle: predictor, teacher: {preset: ncm}, noise: 0.1}"),
              HasSubstr("protocol.noise: a teacher errs by itself"));
  EXPECT_THAT(problem_of("{oracle: foreign}"), HasSubstr("protocol.foreign.vocabulary"));
  EXPECT_THAT(problem_of("{oracle: foreign, foreign: {vocabulary: v.csv, interpret: table}}"),
              HasSubstr("protocol.foreign.table: interpret: table needs"));
  EXPECT_THAT(problem_of("{oracle: foreign, foreign: {vocabulary: v.csv, table: t.csv}}"),
              HasSubstr("is given, but interpret is learned"));
  EXPECT_THAT(problem_of("{oracle: labls}"), HasSubstr("\"labls\" is not one of labels"));
  EXPECT_THAT(problem_of("{costs: {label: -1}}"), HasSubstr("protocol.costs.label: -1 is outside"));
  EXPECT_EQ(problem_of("{oracle: groups, groups: {answer: unanimous}}"), "none");
}

}  // namespace
}  // namespace tyto
