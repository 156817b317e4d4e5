// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "parts/toy_clusterer.hpp"
#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/parts/gaussian/group_models.hpp"
#include "tyto/parts/gaussian/released_gmm_finch.hpp"

namespace tyto {
namespace {

double log_phi(double x, double mean, double variance) {
  const double about = x - mean;
  return -0.5 * (std::log(2.0 * std::numbers::pi * variance) + about * about / variance);
}

Matrix gmm_column(const std::vector<float>& values) {
  return Eigen::Map<const Matrix>(values.data(), static_cast<Index>(values.size()), 1);
}

ReleasedGmmFinch released_model(ReleasedOptions options = {}, float gap = 10.0F) {
  return {std::move(options), ClassClusters(std::make_unique<FarApartClusterer>(gap), "coarsest")};
}

LabelSpace gmm_two_classes() {
  LabelSpace space;
  space.add_known("c1");
  space.add_known("c2");
  return space;
}

// Mean 1, variance 2; mean 12, variance 8.
const std::vector<float> kTwoClasses{0, 2, 10, 14};
const std::vector<int> kTwoLabels{1, 1, 2, 2};
const double kLowest = log_phi(10, 12, 8);  // the threshold that min_max takes from these rows

std::vector<float> released_novelty(const ReleasedGmmFinch& model, const std::vector<float>& at) {
  Evidence evidence = toy_evidence(gmm_column(at));
  model.detect(evidence);
  return evidence.novelty;
}

TEST(ReleasedGmmFinchForm, logits_are_densities_with_unbiased_covariances) {
  ReleasedGmmFinch model = released_model();
  ToyWork work;
  model.learn(ToyExperience(gmm_column(kTwoClasses), kTwoLabels), work);
  const Evidence evidence = classified(model, gmm_column({3}));
  EXPECT_EQ(evidence.classes, toy_labels({1, 2}));
  EXPECT_NEAR(evidence.logits(0, 0), log_phi(3, 1, 2), 1e-5);
  EXPECT_NEAR(evidence.logits(0, 1), log_phi(3, 12, 8), 1e-5);
}

TEST(ReleasedGmmFinchForm, components_weigh_alike_whatever_their_size) {
  // Four rows about 0 and two about 100: each has half of the class.
  ReleasedGmmFinch model = released_model();
  ToyWork work;
  model.learn(ToyExperience(gmm_column({-1, 1, -1, 1, 99, 101}), {1, 1, 1, 1, 1, 1}), work);
  const Evidence evidence = classified(model, gmm_column({0, 100}));
  EXPECT_NEAR(evidence.logits(0, 0), std::log(0.5) + log_phi(0, 0, 4.0 / 3.0), 1e-5);
  EXPECT_NEAR(evidence.logits(1, 0), std::log(0.5) + log_phi(100, 100, 2.0), 1e-5);
}

TEST(ReleasedGmmFinchForm, a_lone_row_is_a_sphere_of_the_jitter) {
  ReleasedGmmFinch model = released_model({.cov_epsilon = 0.5});
  ToyWork work;
  model.learn(ToyExperience(gmm_column({3}), {1}), work);
  EXPECT_NEAR(classified(model, gmm_column({4})).logits(0, 0), log_phi(4, 3, 0.5), 1e-5);
}

TEST(ReleasedGmmFinchForm, the_global_threshold_is_the_lowest_best_density_of_a_fitted_row) {
  ReleasedGmmFinch model = released_model();
  ToyWork work;
  model.learn(ToyExperience(gmm_column(kTwoClasses), kTwoLabels), work);
  ASSERT_EQ(model.own_threshold(), 0.0F);
  // Class 1 has density log phi(2.5; 1, 2) = -1.83 there, above the -2.21 of rows 10 and 14.
  const auto novelty = released_novelty(model, {2.5, 10, 15});
  EXPECT_NEAR(novelty[0], kLowest - log_phi(2.5, 1, 2), 1e-5);
  EXPECT_LT(novelty[0], 0.0F);
  EXPECT_EQ(novelty[1], 0.0F);  // at the threshold, not below it
  EXPECT_NEAR(novelty[2], kLowest - log_phi(15, 12, 8), 1e-5);
  EXPECT_GT(novelty[2], 0.0F);
}

TEST(ReleasedGmmFinchForm, rows_without_a_label_lower_the_global_threshold_too) {
  ReleasedGmmFinch model = released_model();
  ToyWork work;
  model.learn(ToyExperience(gmm_column({0, 2, 10, 14, 20}), {1, 1, 2, 2, 0}), work);
  EXPECT_NEAR(released_novelty(model, {20})[0], 0.0F, 1e-5);
}

TEST(ReleasedGmmFinchForm, each_class_may_have_a_threshold_of_its_own) {
  ReleasedGmmFinch model = released_model({.threshold = "per_class"});
  ToyWork work;
  model.learn(ToyExperience(gmm_column(kTwoClasses), kTwoLabels), work);
  const double own = log_phi(0, 1, 2);
  const auto novelty = released_novelty(model, {2.5, 2});
  EXPECT_NEAR(novelty[0], own - log_phi(2.5, 1, 2), 1e-5);
  EXPECT_GT(novelty[0], 0.0F);  // the global threshold lets it pass
  EXPECT_NEAR(novelty[1], 0.0F, 1e-6);
}

TEST(ReleasedGmmFinchForm, calibrates_on_the_falsely_detected_rows_of_the_first_lesson_alone) {
  // Held out: 1 and 12 are above the threshold, 20 and 24 below. The median of the two is half way.
  const Matrix rows = gmm_column({0, 2, 10, 14, 1, 12, 20, 24});
  const std::vector<int> labels{1, 1, 2, 2, 1, 2, 2, 2};
  std::vector<Role> roles(8, Role::fit);
  std::fill(roles.begin() + 4, roles.end(), Role::hold);
  ReleasedGmmFinch model = released_model({.min_error_tol = 0.5});
  ToyWork work;
  model.learn(ToyExperience(rows, labels, roles), work);
  const double lowered = 0.5 * (log_phi(20, 12, 8) + log_phi(24, 12, 8));
  EXPECT_NEAR(released_novelty(model, {20})[0], lowered - log_phi(20, 12, 8), 1e-4);
  // A third class of 40 and 44 shares the variance of the second: the lowest density stays, and so
  // does the slack, though the held-out 60 would lower it.
  const Matrix more = gmm_column({0, 2, 10, 14, 1, 12, 20, 24, 40, 44, 60});
  std::vector<int> more_labels = labels;
  more_labels.insert(more_labels.end(), {3, 3, 3});
  roles.insert(roles.end(), {Role::fit, Role::fit, Role::hold});
  model.learn(ToyExperience(more, more_labels, roles, 8), work);
  EXPECT_NEAR(released_novelty(model, {20})[0], lowered - log_phi(20, 12, 8), 1e-4);
}

TEST(ReleasedGmmFinchForm, of_the_paper_sets_its_threshold_on_all_held_out_rows) {
  // Densities rise from 24 over 20 and 12 to 1: the median of the four lies between 20 and 12.
  const Matrix rows = gmm_column({0, 2, 10, 14, 1, 12, 20, 24});
  const std::vector<int> labels{1, 1, 2, 2, 1, 2, 2, 2};
  std::vector<Role> roles(8, Role::fit);
  std::fill(roles.begin() + 4, roles.end(), Role::hold);
  ReleasedGmmFinch model = released_model({.min_error_tol = 0.5, .quantile_of = "all"});
  ToyWork work;
  model.learn(ToyExperience(rows, labels, roles), work);
  const double median = 0.5 * (log_phi(20, 12, 8) + log_phi(12, 12, 8));
  EXPECT_NEAR(released_novelty(model, {20})[0], median - log_phi(20, 12, 8), 1e-4);
  // Two of the four are called new, where the lowest fitted row would call the same two new but at
  // its own density.
  const std::vector<float> held = released_novelty(model, {1, 12, 20, 24});
  EXPECT_EQ(std::count_if(held.begin(), held.end(), [](float novelty) { return novelty > 0; }), 2);
}

TEST(GmmFinchForms, of_the_paper_and_released_differ_by_the_rows_of_the_quantile) {
  const ToyClasses toy(2, 40, 2, 3, 4.0);
  std::vector<Role> roles(80, Role::fit);
  std::fill(roles.begin() + 40, roles.end(), Role::hold);
  const auto called_new = [&](std::string_view options) {
    auto model = make_part<Detector>(Slot::detector, "gmm_finch", options);
    ToyWork work;
    model->profile(ToyExperience(toy.features, toy.labels, roles), work);
    Evidence held = toy_evidence(toy.features.bottomRows(40));
    model->detect(held);
    return std::count_if(held.novelty.begin(), held.novelty.end(),
                         [](float novelty) { return novelty > 0; });
  };
  // A quarter of 40 lies below the 0.25 quantile, by linear interpolation.
  EXPECT_EQ(called_new("{form: paper, released: {min_error_tol: 0.25}}"), 10);
  EXPECT_EQ(called_new("{form: released, released: {min_error_tol: 0.25, quantile_of: all}}"), 10);
  EXPECT_LT(called_new("{form: released, released: {min_error_tol: 0.25}}"), 10);
}

TEST(ReleasedGmmFinchForm, a_tolerance_of_none_takes_the_lowest) {
  const Matrix rows = gmm_column({0, 2, 10, 14, 20, 24});
  const std::vector<Role> roles{Role::fit, Role::fit, Role::fit, Role::fit, Role::hold, Role::hold};
  ReleasedGmmFinch model = released_model({.min_error_tol = 0.0});
  ToyWork work;
  model.learn(ToyExperience(rows, {1, 1, 2, 2, 2, 2}, roles), work);
  EXPECT_EQ(released_novelty(model, {24})[0], 0.0F);
}

TEST(ReleasedGmmFinchForm, groups_unknown_samples_and_renumbers_them_at_every_refit) {
  ReleasedGmmFinch model = released_model();
  ToyWork work;
  const ToyExperience lesson(gmm_column(kTwoClasses), kTwoLabels);
  model.learn(lesson, work);
  LabelSpace space = gmm_two_classes();

  // 1 is known; 100, 102 and 200, 204 are two groups: means 101 and 202, variances 2 and 8.
  model.discover(toy_evidence(gmm_column({1, 100, 102, 200, 204})), lesson, space, work);
  const auto first = space.find("discovered_0");
  ASSERT_TRUE(first && space.find("discovered_1"));
  EXPECT_FALSE(space.find("discovered_2"));
  Evidence evidence = toy_evidence(gmm_column({101, 203}));
  model.recognise(evidence);
  ASSERT_EQ(evidence.groups.size(), 2U);
  EXPECT_EQ(evidence.groups[0], *first);
  EXPECT_NEAR(evidence.membership(0, 0), log_phi(101, 101, 2), 1e-4);
  EXPECT_NEAR(evidence.membership(1, 1), log_phi(203, 202, 8), 1e-4);
  // What a group explains is no longer flagged.
  EXPECT_LT(released_novelty(model, {101})[0], 0.0F);
  EXPECT_GT(released_novelty(model, {150})[0], 0.0F);

  // The same samples again: the same groups, under new numbers.
  model.discover(toy_evidence(gmm_column({100, 102, 200, 204})), lesson, space, work);
  EXPECT_EQ(space.kind(*first), LabelKind::retired);
  EXPECT_EQ(space.why_retired(*first), "renumbered by a refit");
  EXPECT_TRUE(space.find("discovered_3"));

  // One detection alone changes nothing.
  model.discover(toy_evidence(gmm_column({1000})), lesson, space, work);
  EXPECT_FALSE(space.find("discovered_4"));
}

TEST(ReleasedGmmFinchForm, pools_what_is_remembered_without_a_label) {
  ReleasedGmmFinch model = released_model();
  ToyWork work;
  // Remembered without a label are 100 and 101; the batch brings 300 and 301.
  const ToyExperience past(gmm_column({0, 2, 10, 14, 100, 101}), {1, 1, 2, 2, 0, 0});
  model.learn(ToyExperience(gmm_column(kTwoClasses), kTwoLabels), work);
  LabelSpace space = gmm_two_classes();
  Evidence batch;
  batch.features = gmm_column({300, 301});
  batch.samples = toy_samples(batch.features, 50);
  model.discover(batch, past, space, work);
  Evidence evidence = toy_evidence(gmm_column({100.5}));
  model.recognise(evidence);
  ASSERT_EQ(evidence.membership.cols(), 2);  // the batch's pair, and the remembered one
  EXPECT_NEAR(evidence.membership(0, 1), log_phi(100.5, 100.5, 0.5), 1e-4);
}

TEST(ReleasedGmmFinchForm, drops_the_groups_when_all_is_labelled) {
  ReleasedGmmFinch model = released_model();
  ToyWork work;
  const ToyExperience lesson(gmm_column(kTwoClasses), kTwoLabels);
  model.learn(lesson, work);
  LabelSpace space = gmm_two_classes();
  model.discover(toy_evidence(gmm_column({100, 102})), lesson, space, work);
  const auto group = space.find("discovered_0");
  ASSERT_TRUE(group);
  model.revise(lesson, space, work);
  EXPECT_EQ(space.kind(*group), LabelKind::retired);
  Evidence evidence = toy_evidence(gmm_column({100}));
  model.recognise(evidence);
  EXPECT_EQ(evidence.membership.cols(), 0);
}

TEST(ReleasedGmmFinchForm, stays_finite_where_columns_outnumber_rows) {
  const ToyClasses toy(3, 5, 40, 1);
  ReleasedGmmFinch model = released_model();
  ToyWork work;
  model.learn(ToyExperience(toy.features, toy.labels), work);
  const Evidence evidence = classified(model, random_rows(6, 40, 2));
  EXPECT_TRUE(evidence.logits.array().isFinite().all());
  EXPECT_LT(evidence.logits.maxCoeff(),
            -1e9F);  // a fitted row has +500, any other falls off a cliff
  EXPECT_GT(classified(model, toy.features).logits.rowwise().maxCoeff().minCoeff(), 100.0F);
}

TEST(ReleasedGmmFinchForm, is_the_same_after_save_and_load) {
  ReleasedGmmFinch model = released_model();
  ToyWork work;
  const ToyExperience lesson(gmm_column(kTwoClasses), kTwoLabels);
  model.learn(lesson, work);
  LabelSpace space = gmm_two_classes();
  model.discover(toy_evidence(gmm_column({100, 102, 200, 204})), lesson, space, work);
  State state;
  model.save(state);
  ReleasedGmmFinch again = released_model();
  again.load(from_archive(to_archive(state), "test"), EmptyShelf());
  Evidence a = classified(model, gmm_column({1, 50, 101}));
  Evidence b = classified(again, gmm_column({1, 50, 101}));
  for (auto* evidence : {&a, &b}) {
    const auto& who = evidence == &a ? model : again;
    who.detect(*evidence);
    who.recognise(*evidence);
  }
  EXPECT_EQ(a.logits, b.logits);
  EXPECT_EQ(a.novelty, b.novelty);
  EXPECT_EQ(a.membership, b.membership);
  EXPECT_EQ(a.groups, b.groups);
}

// The best column of what a recogniser says of one row.
Label best_group(const Recogniser& recogniser, const Matrix& row) {
  Evidence evidence = toy_evidence(row);
  recogniser.recognise(evidence);
  Index best = 0;
  evidence.membership.row(0).maxCoeff(&best);
  return evidence.groups[static_cast<std::size_t>(best)];
}

TEST(SoundGmmFinch, a_group_keeps_its_name_from_batch_to_batch) {
  for (const char* name : {"gmm_finch", "gauss_finch"}) {
    const ToyClasses toy(2, 20, 3, 3, 10.0);
    const ToyExperience lesson(toy.features, toy.labels);
    const auto part =
        make_part<Recogniser>(Slot::recogniser, name, "{discovery: {promote: [size]}}");
    ToyWork work;
    dynamic_cast<Classifier&>(*part.part).learn(lesson, work);
    LabelSpace space = gmm_two_classes();
    const Matrix centre = Matrix::Constant(1, 3, 60.0F);
    Label first = Label::unknown;
    for (std::uint32_t batch = 0; batch < 3; ++batch) {
      Evidence evidence;
      evidence.features = random_rows(20, 3, 30 + batch, 60.0);
      evidence.samples = toy_samples(evidence.features, 100 + 20 * batch);
      evidence.novel.assign(20, 1);
      evidence.novelty.assign(20, 100.0F);
      part->discover(evidence, lesson, space, work);
      const Label found = best_group(*part.slot, centre);
      ASSERT_NE(found, Label::unknown) << name;
      if (batch == 0) {
        first = found;
      }
      EXPECT_EQ(space.name(found), space.name(first)) << name;
      EXPECT_EQ(space.kind(first), LabelKind::discovered) << name;
    }
    // Far from all there is no group.
    EXPECT_EQ(best_group(*part.slot, Matrix::Constant(1, 3, -500.0F)), Label::unknown) << name;
  }
}

TEST(GaussianGroupModel, scores_groups_by_density_and_none_by_the_lowest_member) {
  // Groups {0, 2} and {10, 14}: own variances 2 and 8, shared 5; with one row of the shared
  // variance each (2 + 5) / 2 and (8 + 5) / 2, as for classes.
  const auto model = gaussian_group_model({});
  const std::vector<std::int32_t> group{0, 0, 1, 1};
  model->fit(gmm_column(kTwoClasses), group, 2);
  const Matrix scores = model->score(gmm_column({1, 11}));
  ASSERT_EQ(scores.cols(), 3);
  EXPECT_NEAR(scores(0, 0), log_phi(1, 1, 3.5), 1e-5);
  EXPECT_NEAR(scores(1, 1), log_phi(11, 12, 6.5), 1e-5);
  const double lowest = std::min(log_phi(0, 1, 3.5), log_phi(10, 12, 6.5));
  EXPECT_NEAR(scores(0, 2), lowest, 1e-5);
  EXPECT_NEAR(scores(1, 2), lowest, 1e-5);
}

TEST(MixtureGroupModel, is_the_same_after_save_and_load) {
  const auto make = [] {
    return mixture_group_model({}, ClassClusters(std::make_unique<HalvesClusterer>(), "finest"));
  };
  const Matrix rows = random_rows(20, 3, 1);
  std::vector<std::int32_t> group(20, 0);
  std::fill(group.begin() + 12, group.end(), 1);
  const auto model = make();
  model->fit(rows, group, 2);
  State state;
  model->save(state);
  const auto again = make();
  again->load(from_archive(to_archive(state), "test"), EmptyShelf());
  EXPECT_EQ(model->score(rows), again->score(rows));
}

}  // namespace
}  // namespace tyto
