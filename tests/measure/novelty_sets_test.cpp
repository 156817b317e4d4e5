// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/novelty_sets.hpp"

#include "measure/toy_record.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/measure/registry.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {
namespace {

using Sets = std::map<std::string, double>;

const std::vector<std::string> kSetNames = {"unanimous_novelty",
                                            "ignored_observed_novelty",
                                            "imperceptible_novelty",
                                            "unverifiable_novelty",
                                            "ignored_faux_observation_novelty",
                                            "faux_observed_novelty",
                                            "faux_agent_novelty",
                                            "nuisance_alarm_rate"};

Sets sets_of(const PhaseView& view) {
  Sets sets;
  for (const std::string& name : kSetNames) {
    if (const auto value = find_measure(name).value(view, View::detection)) {
      sets[name] = *value;
    }
  }
  return sets;
}

std::optional<double> regret_of(const PhaseView& view, std::string_view name, View of = View::raw) {
  return find_measure(name).value(view, of);
}

// A and B are known; X is new and seen, H is new and looks like A.
Truth observed_truth() {
  Truth truth = toy_truth({"A", "A", "A", "A", "A", "X", "X", "H", "H", "H", "X"});
  truth.annotations["altered"] = {"none", "none", "blur", "noise", "",      "none",
                                  "none", "none", "none", "none",  "turned"};
  truth.annotations["seen_as"] = {"A", "A", "A", "A", "A", "X", "X", "A", "A", "A", ""};
  return truth;
}

Phase observed_phase(PhaseKey key = {2, "pre", "test"}) {
  return toy_phase(
      std::move(key), {"A", "B"},
      {"A", "unknown", "unknown", "A", "B", "discovered_0", "A", "A", "B", "unknown", "unknown"});
}

TEST(NoveltySets, of_a_sample_follow_from_three_answers) {
  EXPECT_EQ(novelty_set(true, true, true), NoveltySet::unanimous);
  EXPECT_EQ(novelty_set(true, true, false), NoveltySet::ignored_observed);
  EXPECT_EQ(novelty_set(true, false, false), NoveltySet::imperceptible);
  EXPECT_EQ(novelty_set(true, false, true), NoveltySet::unverifiable);
  EXPECT_EQ(novelty_set(false, true, false), NoveltySet::ignored_faux_observation);
  EXPECT_EQ(novelty_set(false, true, true), NoveltySet::faux_observed);
  EXPECT_EQ(novelty_set(false, false, true), NoveltySet::faux_agent);
  EXPECT_EQ(novelty_set(false, false, false), NoveltySet::nothing);
}

TEST(NoveltySets, are_counted_by_what_the_world_says) {
  // In order: nothing, faux agent, faux observed, ignored faux, nothing, unanimous, ignored
  // observed, imperceptible twice, unverifiable, unanimous (altered besides).
  const PhaseView view = view_phase(observed_phase(), observed_truth());
  EXPECT_EQ(sets_of(view), (Sets{{"unanimous_novelty", 2},
                                 {"ignored_observed_novelty", 1},
                                 {"imperceptible_novelty", 2},
                                 {"unverifiable_novelty", 1},
                                 {"ignored_faux_observation_novelty", 1},
                                 {"faux_observed_novelty", 1},
                                 {"faux_agent_novelty", 1},
                                 {"nuisance_alarm_rate", 0.5}}));
  EXPECT_EQ(count_of(*view.novelty_sets, NoveltySet::nothing), 2);
}

TEST(NoveltySets, add_up_over_increments_and_follow_the_samples_picked) {
  const PhaseView view = view_phase(observed_phase(), observed_truth());
  PhaseView sum = view;
  sum.merge(view);
  EXPECT_EQ(sets_of(sum).at("imperceptible_novelty"), 4);
  EXPECT_EQ(sets_of(sum).at("nuisance_alarm_rate"), 0.5);
  const std::vector<Index> rows{7, 7, 9};
  EXPECT_EQ(sets_of(view.pick(rows)).at("imperceptible_novelty"), 2);
  EXPECT_EQ(sets_of(view.pick(rows)).at("unverifiable_novelty"), 1);
  EXPECT_FALSE(sets_of(view.pick(rows)).contains("nuisance_alarm_rate")) << "a share of nothing";
  PhaseView both = view.pick(rows);
  both.append(view.pick(rows));
  EXPECT_EQ(sets_of(both).at("imperceptible_novelty"), 4);
}

TEST(NoveltySets, stand_in_the_table_of_a_run_by_step_and_over_all) {
  const ToyRecord record({observed_phase({1, "pre", "test"}), observed_phase({2, "pre", "test"}),
                          toy_phase({3, "pre", "test"}, {"A", "B"}, {})},
                         observed_truth());
  std::map<Index, std::optional<double>> found;
  for (const MeasureRow& row :
       measure_run(record, {.measures = {"imperceptible_novelty", "unanimous_novelty"}})) {
    if (row.measure == "imperceptible_novelty") {
      found[row.step] = row.value;
    }
  }
  EXPECT_EQ(found, (std::map<Index, std::optional<double>>{
                       {kAllSteps, 4}, {1, 2}, {2, 2}, {3, std::nullopt}}));
}

TEST(NoveltySets, take_a_look_for_known_when_any_known_class_has_it) {
  // H is known, A is not: A looks like what was seen of H.
  Phase phase = toy_phase({1, "pre", "test"}, {"B", "H"}, {"B", "unknown"}, 4);
  Truth truth = observed_truth();
  phase.sample = {SampleId{0}, SampleId{5}};  // A, X
  EXPECT_EQ(sets_of(view_phase(phase, truth)).at("imperceptible_novelty"), 1);
  EXPECT_EQ(sets_of(view_phase(phase, truth)).at("unanimous_novelty"), 1);
}

TEST(NoveltySets, are_altered_throughout_under_a_nuisance_and_from_a_step_on) {
  Truth truth = toy_truth({"A", "A", "X"});
  truth.annotations["altered"] = {"none", "none", "none"};
  const auto faux = [&](const PhaseKey& key) {
    const Phase phase = toy_phase(key, {"A", "B"}, {"A", "unknown", "unknown"});
    const Sets sets = sets_of(view_phase(phase, truth));
    return std::pair(sets.at("faux_observed_novelty"), sets.at("faux_agent_novelty"));
  };
  EXPECT_EQ(faux({1, "post", "test"}), std::pair(0.0, 1.0));
  EXPECT_EQ(faux({1, "post", "test:blur"}), std::pair(1.0, 0.0));
  truth.annotations["altered_from"] = {"2", "2", "2"};
  EXPECT_EQ(faux({1, "post", "test"}), std::pair(0.0, 1.0));
  EXPECT_EQ(faux({2, "post", "test"}), std::pair(1.0, 0.0));
}

TEST(NoveltySets, are_missing_where_the_world_says_nothing) {
  const PhaseView view = view_phase(worked_phase({1, "pre", "test"}), worked_truth());
  EXPECT_TRUE(sets_of(view).empty());
  PhaseView sum = view_phase(observed_phase(), observed_truth());
  sum.merge(view);
  EXPECT_TRUE(sets_of(sum).empty()) << "half a sum is none";
}

TEST(NoveltySets, hang_on_the_reference) {
  Phase phase = observed_phase();
  phase.shown = {"A", "B", "X"};
  const Sets sets = sets_of(view_phase(phase, observed_truth(), NovelTo::evaluator));
  // The first X, discovered: known to the evaluator and seen as ever, so out of nothing.
  EXPECT_EQ(sets.at("faux_agent_novelty"), 2);
  EXPECT_EQ(sets.at("unanimous_novelty"), 0);
}

TEST(Regret, of_the_world_is_what_is_left_to_one) {
  const PhaseView view = view_phase(worked_phase({1, "pre", "test"}), worked_truth());
  EXPECT_NEAR(*regret_of(view, "world_regret", View::classification), 1 - 0.714286, 1e-6);
  EXPECT_NEAR(*regret_of(view, "world_regret_mcc", View::classification), 1 - 0.566947, 1e-6);
  EXPECT_NEAR(*regret_of(view, "world_regret_nmi", View::classification), 1 - 0.383298, 1e-6);
  EXPECT_FALSE(regret_of(view, "observation_regret"));
  EXPECT_FALSE(regret_of(view, "predictor_regret"));
  EXPECT_FALSE(regret_of(view, "observation_dissimilarity"));
}

TEST(Regret, of_observation_and_predictor_are_means_of_what_is_told) {
  Phase phase = toy_phase({1, "pre", "test"}, {"A", "B"}, {"A", "B"});
  phase.confidence = {0.5F, 1.0F};
  Truth truth = toy_truth({"A", "B"});
  truth.annotations["least_error"] = {"0.25", "0.5"};
  truth.annotations["least_error_unknown"] = {"0", "0.5"};
  truth.annotations["dissimilarity"] = {"", "3"};
  const PhaseView view = view_phase(phase, truth);
  EXPECT_EQ(regret_of(view, "observation_regret"), 0.375);
  EXPECT_FALSE(regret_of(view, "observation_regret", View::classification));
  EXPECT_EQ(regret_of(view_phase(phase, truth, NovelTo::evaluator), "observation_regret",
                      View::classification),
            0.25);
  EXPECT_EQ(regret_of(view, "predictor_regret"), 0.25);
  EXPECT_EQ(regret_of(view, "observation_dissimilarity"), 3.0);
  truth.annotations["altered"] = {"none", "noise"};
  EXPECT_FALSE(regret_of(view_phase(phase, truth), "observation_regret")) << "not told of altered";
  EXPECT_EQ(regret_of(view_phase(phase, truth), "observation_dissimilarity"), 3.0);
  phase.key.split = "test:blur";
  EXPECT_FALSE(regret_of(view_phase(phase, truth), "observation_dissimilarity"));
}

TEST(Observed, refuses_a_number_that_is_none) {
  Truth truth = toy_truth({"A", "B"});
  truth.annotations["dissimilarity"] = {"1", "far"};
  try {
    view_phase(toy_phase({1, "pre", "test"}, {"A", "B"}, {"A", "B"}), truth);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("phase 001_pre_test: the annotation dissimilarity of sample 1 "
                                   "must be a number, not \"far\""));
  }
}

}  // namespace
}  // namespace tyto
