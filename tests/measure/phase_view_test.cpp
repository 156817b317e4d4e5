// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/phase_view.hpp"

#include <numeric>

#include "measure/toy_record.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/measure/formulas/reaction.hpp"
#include "tyto/measure/formulas/scores.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const Phase& phase, const Truth& truth) {
  try {
    static_cast<void>(view_phase(phase, truth));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "";
}

TEST(ViewPhase, joins_the_worked_example) {
  const PhaseView view = view_phase(worked_phase({1, "pre", "test"}), worked_truth());
  EXPECT_THAT(view.is_novel, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(view.is_called_novel, ElementsAre(0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1));
  EXPECT_EQ(view.actual_name(8), "X");
  EXPECT_EQ(view.decision_name(8), "discovered_0");
  EXPECT_NEAR(*mcc(view.views.raw), 0.258509, 1e-6);
  EXPECT_NEAR(*nmi(view.views.recognition), 0.504935, 1e-6);
  // a = d = 8: the false alarm at sample 6 does not count
  EXPECT_EQ(reaction_time(view.is_novel, view.is_called_novel), 0.0);
}

TEST(ViewPhase, puts_unknown_first_and_known_last) {
  const PhaseView view = view_phase(worked_phase({1, "pre", "test"}), worked_truth());
  EXPECT_THAT(view.views.classification.labels(), ElementsAre("unknown", "A", "B"));
  EXPECT_THAT(view.views.detection.labels(), ElementsAre("unknown", "known"));
}

TEST(ViewPhase, tells_novel_to_the_evaluator_from_novel_to_the_predictor) {
  Phase phase = worked_phase({2, "pre", "test"});
  phase.shown = {"A", "B", "X"};  // X came by earlier, but was never named to the predictor
  const PhaseView view = view_phase(phase, worked_truth(), NovelTo::evaluator);
  EXPECT_THAT(view.is_novel, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1));
  EXPECT_EQ(view.views.detection.count("known", "unknown"), 3);  // sample 6 and two of X
  EXPECT_EQ(view.views.classification.count("X", "unknown"), 2);
}

TEST(ViewPhase, does_not_depend_on_the_order_of_the_known_names) {
  Phase phase = worked_phase({1, "pre", "test"});
  const PhaseView view = view_phase(phase, worked_truth());
  phase.known = {"B", "A", "never seen"};
  const PhaseView again = view_phase(phase, worked_truth());
  EXPECT_EQ(mcc(view.views.classification), mcc(again.views.classification));
  EXPECT_EQ(view.is_called_novel, again.is_called_novel);
}

TEST(ViewPhase, counts_hits_among_the_first_five_entries) {
  // Space: unknown 0, A 1, B 2, two discovered 3 and 4: five entries recorded are all there are.
  Phase phase = toy_phase({0, "post", "test"}, {"A", "B"}, {"A", "A", "A"});
  phase.top.resize(3, 5);
  phase.top << 1, 2, 0, 3, 4, 1, 2, 0, 3, 4, 1, 0, 3, 4, -1;
  EXPECT_THAT(view_phase(phase, toy_truth({"A", "B", "X"})).hits_at_rank,
              ElementsAre(1, 1, 0, 0, 0));
  // B was not recorded for the last
  EXPECT_THAT(view_phase(phase, toy_truth({"A", "B", "B"})).hits_at_rank,
              ElementsAre(1, 1, 0, 0, 0));
}

TEST(ViewPhase, has_no_hits_if_fewer_entries_were_recorded) {
  EXPECT_TRUE(view_phase(worked_phase({1, "pre", "test"}), worked_truth()).hits_at_rank.empty());
}

TEST(PhaseView, picks_rows_and_counts_them_anew) {
  const PhaseView view = view_phase(worked_phase({1, "pre", "test"}), worked_truth());
  const std::vector<Index> rows{8, 0, 8, 6};
  const PhaseView picked = view.pick(rows);
  EXPECT_EQ(picked.size(), 4);
  EXPECT_EQ(picked.actual_name(0), "X");
  EXPECT_EQ(picked.sample[3], view.sample[6]);
  EXPECT_THAT(picked.is_novel, ElementsAre(1, 0, 1, 0));
  EXPECT_EQ(picked.views.detection.count("unknown", "unknown"), 2);
  EXPECT_EQ(picked.views.detection.count("known", "unknown"), 1);
  EXPECT_EQ(picked.views.raw.count("A", "A"), 1);
  std::vector<Index> all(14);
  std::iota(all.begin(), all.end(), Index{0});
  for (const View each : kViews) {
    EXPECT_EQ(view.pick(all).views.of(each).cells(), view.views.of(each).cells());
  }
}

TEST(PhaseView, joins_batches_between_which_a_class_was_learned) {
  // X is novel in the first batch and known in the second.
  const Phase first = toy_phase({1, "pre", "test", 1}, {"A"}, {"A", "unknown"}, 0);
  const Phase second = toy_phase({1, "pre", "test", 2}, {"A", "X"}, {"X", "A"}, 2);
  const Truth truth = toy_truth({"A", "X", "X", "X"});
  PhaseView view = view_phase(first, truth);
  view.append(view_phase(second, truth));
  EXPECT_THAT(view.is_novel, ElementsAre(0, 1, 0, 0));
  EXPECT_EQ(view.key, (PhaseKey{1, "pre", "test", 0}));
  EXPECT_EQ(view.views.classification.count("unknown", "unknown"), 1);
  EXPECT_EQ(view.views.classification.count("X", "X"), 1);
  EXPECT_EQ(view.views.classification.count("X", "A"), 1);
  EXPECT_EQ(view.views.raw.count("X", "unknown"), 1);
  EXPECT_EQ(view.views.raw.total(), 4);
  EXPECT_EQ(view.views.detection.count("known", "known"), 3);
  const std::vector<Index> last{3, 1};
  EXPECT_THAT(view.pick(last).is_novel, ElementsAre(0, 1));
}

TEST(PhaseView, carries_the_alarm_and_the_batch_of_each_sample) {
  const Truth truth = toy_truth({"A", "B", "X", "X"});
  Phase first = toy_phase({1, "system", "test", 1}, {"A", "B"}, {"A", "B"});
  Phase second = toy_phase({1, "system", "test", 2}, {"A", "B", "X"}, {"X", "unknown"}, 2);
  first.changed = {0.1F, 0.2F};
  second.changed = {0.7F, 0.9F};
  PhaseView view = view_phase(first, truth);
  view.append(view_phase(second, truth));
  EXPECT_THAT(view.changed, ElementsAre(0.1F, 0.2F, 0.7F, 0.9F));
  EXPECT_THAT(view.batch, ElementsAre(1, 1, 2, 2));
  EXPECT_EQ(view.known_at_first, 2);  // X came later
  const PhaseView picked = view.pick(std::vector<Index>{3, 0});
  EXPECT_THAT(picked.changed, ElementsAre(0.9F, 0.1F));
  EXPECT_THAT(picked.batch, ElementsAre(2, 1));
  EXPECT_EQ(picked.known_at_first, 2);
  second.changed.clear();
  PhaseView without = view_phase(first, truth);
  without.append(view_phase(second, truth));
  EXPECT_TRUE(without.changed.empty());  // only one batch has it
  view.merge(picked);
  EXPECT_TRUE(view.changed.empty());
  EXPECT_TRUE(view.batch.empty());
  second.changed = {0.5F};
  EXPECT_THAT(refusal(second, truth), HasSubstr("column changed has 1 entries for 2 samples"));
}

TEST(ViewPhase, takes_an_empty_phase) {
  const PhaseView view = view_phase(toy_phase({0, "pre", "test"}, {"A"}, {}), toy_truth({}));
  EXPECT_EQ(view.views.raw.total(), 0);
  EXPECT_FALSE(accuracy(view.views.detection));
}

TEST(ViewPhase, names_the_sample_that_has_no_label) {
  const Phase phase = toy_phase({3, "pre", "test"}, {"A"}, {"A", "A"}, 7);
  Truth truth = toy_truth(std::vector<std::string>(9, "A"));
  EXPECT_EQ(refusal(phase, truth), "");
  truth.label[8] = "";
  EXPECT_EQ(refusal(phase, truth), "phase 003_pre_test: sample 8 has no label in the truth");
  truth.label.resize(7);
  EXPECT_EQ(refusal(phase, truth), "phase 003_pre_test: sample 7 has no label in the truth");
}

TEST(ViewPhase, names_the_column_of_another_length) {
  Phase phase = worked_phase({1, "pre", "test"});
  phase.novelty.resize(3);
  EXPECT_EQ(refusal(phase, worked_truth()),
            "phase 001_pre_test: column novelty has 3 entries for 14 samples");
  phase.novelty.clear();
  phase.top.conservativeResize(13, 1);
  EXPECT_THAT(refusal(phase, worked_truth()), HasSubstr("decisions are 13 by 1 for 14 samples"));
}

TEST(ViewPhase, names_the_decision_that_is_no_entry) {
  Phase phase = worked_phase({1, "pre", "test"});
  phase.top(2, 0) = 99;
  EXPECT_EQ(refusal(phase, worked_truth()),
            "phase 001_pre_test: sample 2 is decided for entry 99 of 5");
}

TEST(ViewPhase, joins_700_000_samples_of_718_classes) {
  Rng rng(1, "scale");
  std::vector<std::string> classes;
  for (int k = 0; k < 718; ++k) {
    classes.push_back("class " + std::to_string(k));
  }
  constexpr Index kSamples = 700000;
  Phase phase = toy_phase({10, "pre", "test"}, {classes.begin(), classes.begin() + 600}, {});
  phase.top.resize(kSamples, 1);
  Truth truth;
  Index novel = 0;
  for (Index i = 0; i < kSamples; ++i) {
    const Index k = rng.below(718);
    novel += k >= 600 ? 1 : 0;
    truth.label.push_back(classes[static_cast<std::size_t>(k)]);
    phase.sample.push_back(static_cast<SampleId>(i));
    phase.top(i, 0) = k < 600 ? static_cast<std::int32_t>(k + 1) : 0;
  }
  const PhaseView view = view_phase(phase, truth);
  EXPECT_EQ(accuracy(view.views.classification), 1.0);
  EXPECT_DOUBLE_EQ(*mcc(view.views.classification), 1.0);
  EXPECT_EQ(view.views.detection.count("unknown", "unknown"), novel);
}

}  // namespace
}  // namespace tyto
