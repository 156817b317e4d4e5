// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "parts/toy_clusterer.hpp"
#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/parts/gaussian/class_densities.hpp"
#include "tyto/parts/gaussian/density_part.hpp"

namespace tyto {
namespace {

double gauss_log_density(double x, double mean, double variance) {
  const double about = x - mean;
  return -0.5 * (std::log(2.0 * std::numbers::pi * variance) + about * about / variance);
}

Matrix gauss_column(const std::vector<float>& values) {
  return Eigen::Map<const Matrix>(values.data(), static_cast<Index>(values.size()), 1);
}

TEST(Gauss, of_a_hand_worked_case_with_a_shared_covariance) {
  // Class means 0 and 10; scatter 1 + 1 + 16 + 16 = 34 over 4 - 2 rows: variance 17.
  const auto gauss = make_part<Classifier>(Slot::classifier, "gauss", "{covariance: shared}");
  ToyWork work;
  gauss->learn(ToyExperience(gauss_column({-1, 1, 6, 14}), {1, 1, 2, 2}), work);
  const Evidence evidence = classified(*gauss.slot, gauss_column({3}));
  EXPECT_EQ(evidence.classes, toy_labels({1, 2}));
  EXPECT_NEAR(evidence.logits(0, 0), gauss_log_density(3, 0, 17), 1e-5);
  EXPECT_NEAR(evidence.logits(0, 1), gauss_log_density(3, 10, 17), 1e-5);
}

TEST(Gauss, of_a_hand_worked_case_with_own_covariances) {
  // Own variances 2 and 32, shared 17. In one dimension OAS leaves the target alone, which takes
  // one row's worth of the shared variance to the n - 1 = 1 of the own: (2 + 17) / 2 and (32 + 17)
  // / 2.
  const auto gauss = make_part<Classifier>(Slot::classifier, "gauss");
  ToyWork work;
  gauss->learn(ToyExperience(gauss_column({-1, 1, 6, 14}), {1, 1, 2, 2}), work);
  const Evidence evidence = classified(*gauss.slot, gauss_column({3}));
  EXPECT_NEAR(evidence.logits(0, 0), gauss_log_density(3, 0, 9.5), 1e-5);
  EXPECT_NEAR(evidence.logits(0, 1), gauss_log_density(3, 10, 24.5), 1e-5);
}

TEST(Gauss, of_a_hand_worked_case_with_diagonal_covariances) {
  // 4 / (n + 3) = 0.8 of the shared variance 17: 0.2 * 2 + 0.8 * 17 = 14, 0.2 * 32 + 13.6 = 20.
  const auto gauss = make_part<Classifier>(Slot::classifier, "gauss", "{covariance: diagonal}");
  ToyWork work;
  gauss->learn(ToyExperience(gauss_column({-1, 1, 6, 14}), {1, 1, 2, 2}), work);
  const Evidence evidence = classified(*gauss.slot, gauss_column({3}));
  EXPECT_NEAR(evidence.logits(0, 0), gauss_log_density(3, 0, 14), 1e-5);
  EXPECT_NEAR(evidence.logits(0, 1), gauss_log_density(3, 10, 20), 1e-5);
}

TEST(Gauss, adds_the_prior_to_the_logits_and_not_to_the_novelty) {
  // Three rows to one: log 3/4 and log 1/4.
  const Matrix rows = gauss_column({-1, 0, 1, 6});
  const ToyExperience lesson(rows, {1, 1, 1, 2});
  ToyWork work;
  const auto equal = make_part<Classifier>(Slot::classifier, "gauss");
  const auto counts = make_part<Classifier>(Slot::classifier, "gauss", "{prior: counts}");
  equal->learn(lesson, work);
  counts->learn(lesson, work);
  Evidence plain = classified(*equal.slot, rows);
  Evidence weighted = classified(*counts.slot, rows);
  EXPECT_NEAR(weighted.logits(0, 0) - plain.logits(0, 0), std::log(0.75), 1e-5);
  EXPECT_NEAR(weighted.logits(2, 1) - plain.logits(2, 1), std::log(0.25), 1e-5);
  plain.classifier = equal.slot;
  weighted.classifier = counts.slot;
  dynamic_cast<Detector&>(*equal.part).detect(plain);
  dynamic_cast<Detector&>(*counts.part).detect(weighted);
  for (std::size_t i = 0; i < plain.novelty.size(); ++i) {
    EXPECT_NEAR(plain.novelty[i], weighted.novelty[i], 1e-5);
    EXPECT_NEAR(plain.novelty[i], -plain.logits.row(static_cast<Index>(i)).maxCoeff(), 1e-5);
  }
}

TEST(Gauss, alone_as_a_detector_says_the_same_as_beside_its_classifier) {
  const ToyClasses toy(3, 30, 5, 1);
  const ToyExperience lesson(toy.features, toy.labels);
  ToyWork work;
  const auto both = make_part<Classifier>(Slot::classifier, "gauss");
  both->learn(lesson, work);
  auto& beside = dynamic_cast<Detector&>(*both.part);
  beside.profile(lesson, work);  // must not count the rows twice
  const auto alone = make_part<Detector>(Slot::detector, "gauss");
  alone->profile(lesson, work);
  const Matrix queries = random_rows(20, 5, 9);
  Evidence with = classified(*both.slot, queries);
  with.classifier = both.slot;
  beside.detect(with);
  Evidence without = toy_evidence(queries);
  alone->detect(without);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(with.novelty[i], without.novelty[i], 1e-4 * std::abs(with.novelty[i]));
  }
}

TEST(Gauss, learns_in_two_lessons_what_it_learns_in_one) {
  const ToyClasses toy(4, 25, 6, 2);
  const std::vector<int> first(toy.labels.begin(), toy.labels.begin() + 40);
  ToyWork work;
  for (const char* options : {"{}", "{covariance: shared}", "{covariance: diagonal}"}) {
    const auto once = make_part<Classifier>(Slot::classifier, "gauss", options);
    once->learn(ToyExperience(toy.features, toy.labels), work);
    const auto twice = make_part<Classifier>(Slot::classifier, "gauss", options);
    twice->learn(ToyExperience(toy.features.topRows(40), first), work);
    twice->learn(ToyExperience(toy.features, toy.labels, {}, 40), work);
    const Matrix queries = random_rows(10, 6, 3);
    EXPECT_LT((classified(*once.slot, queries).logits - classified(*twice.slot, queries).logits)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-2)
        << options;
  }
}

TEST(Gauss, of_more_columns_than_samples_names_the_classes) {
  const ToyClasses toy(3, 6, 80, 4);
  ToyWork work;
  for (const char* options :
       {"{}", "{rank: 2}", "{covariance: shared}", "{covariance: diagonal}"}) {
    const auto gauss = make_part<Classifier>(Slot::classifier, "gauss", options);
    gauss->learn(ToyExperience(toy.features, toy.labels), work);
    const Evidence evidence = classified(*gauss.slot, toy.features);
    ASSERT_TRUE(evidence.logits.array().isFinite().all()) << options;
    for (Index i = 0; i < evidence.size(); ++i) {
      Index best = 0;
      evidence.logits.row(i).maxCoeff(&best);
      EXPECT_EQ(best + 1, toy.labels[static_cast<std::size_t>(i)]) << options;
    }
  }
}

TEST(Gauss, has_an_answer_to_every_degenerate_lesson) {
  Matrix flat = random_rows(12, 3, 5);
  flat.col(1).setConstant(2.0F);  // a constant feature
  const std::vector<std::pair<Matrix, std::vector<int>>> lessons{
      {Matrix::Constant(6, 3, 1.0F), {1, 1, 1, 2, 2, 2}},  // all equal
      {random_rows(3, 3, 6), {1, 2, 3}},                   // a sample per class
      {random_rows(1, 3, 7), {1}},                         // one sample
      {random_rows(8, 3, 8), {1, 1, 1, 1, 1, 1, 1, 1}},    // one class
      {random_rows(5, 3, 9), {1, 1, 1, 1, 2}},             // a class with one sample
      {flat, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}},
  };
  ToyWork work;
  for (const auto& [rows, labels] : lessons) {
    for (const char* options : {"{}", "{covariance: shared}", "{covariance: diagonal}"}) {
      const auto gauss = make_part<Classifier>(Slot::classifier, "gauss", options);
      gauss->learn(ToyExperience(rows, labels), work);
      Matrix queries = random_rows(4, 3, 10);
      queries.row(0) *= 1e4F;
      EXPECT_TRUE(classified(*gauss.slot, queries).logits.array().isFinite().all()) << options;
    }
  }
}

TEST(Gauss, is_the_same_after_save_and_load) {
  const ToyClasses toy(3, 20, 5, 11);
  ToyWork work;
  const auto gauss = make_part<Classifier>(Slot::classifier, "gauss");
  gauss->learn(ToyExperience(toy.features, toy.labels), work);
  const auto again = reloaded(gauss, Slot::classifier, "gauss");
  const Matrix queries = random_rows(7, 5, 12);
  EXPECT_EQ(classified(*gauss.slot, queries).logits, classified(*again.slot, queries).logits);
}

TEST(Gauss, says_that_it_has_seen_nothing) {
  const auto detector = make_part<Detector>(Slot::detector, "gauss");
  Evidence evidence = toy_evidence(random_rows(2, 3, 1));
  EXPECT_THROW(detector->detect(evidence), Error);
}

TEST(ClassClusters, finds_two_heaps_and_does_not_split_one) {
  Matrix two = random_rows(60, 4, 13);
  two.bottomRows(30).array() += 8.0F;
  const ClassClusters clusters(std::make_unique<HalvesClusterer>(), "bic");
  ToyWork work;
  const Grouping split = clusters.of(two, work);
  EXPECT_EQ(split.front(), 0);
  EXPECT_EQ(split.back(), 1);
  const Grouping one = clusters.of(random_rows(60, 4, 14), work);
  EXPECT_EQ(one, Grouping(60, 0));
  const ClassClusters finest(std::make_unique<HalvesClusterer>(), "finest");
  EXPECT_EQ(finest.of(random_rows(60, 4, 14), work).back(), 1);
}

TEST(ClassClusters, bic_of_a_hand_worked_case) {
  // Rows 0, 2 | 10, 12 in one dimension: squares 4 over n d = 4, so log 1 = 0; shares 4 log(1/2);
  // 2 (1 + 1) / 2 log 4 = 2 log 4. In all -4 log 2 - 4 log 2.
  EXPECT_NEAR(spherical_bic(gauss_column({0, 2, 10, 12}), {0, 0, 1, 1}), -8.0 * std::log(2.0),
              1e-9);
}

TEST(ClassDensities, weigh_the_clusters_of_a_class_by_their_size) {
  // Six rows about 0, two about 100: at 0 the class has 3/4 of the density of its first component.
  const Matrix rows = gauss_column({-1, 1, -1, 1, -1, 1, 99, 101});
  const ClassClusters clusters(std::make_unique<FarApartClusterer>(10.0F), "finest");
  ClassDensities mixture({.covariance = "shared"});
  ToyWork work;
  mixture.learn(ToyExperience(rows, {1, 1, 1, 1, 1, 1, 1, 1}), &clusters, work);
  EXPECT_EQ(mixture.components(), 2);
  // Scatter within the components 6 + 2 = 8 over 8 - 2 rows.
  EXPECT_NEAR(mixture.log_density(gauss_column({0}))(0, 0),
              std::log(0.75) + gauss_log_density(0, 0, 8.0 / 6.0), 1e-4);
}

TEST(ClassDensities, cluster_again_only_the_classes_that_got_new_rows) {
  const ToyClasses toy(3, 10, 4, 15);
  auto counting = std::make_unique<HalvesClusterer>();
  const HalvesClusterer& calls = *counting;
  const ClassClusters clusters(std::move(counting), "finest");
  ClassDensities mixture({});
  ToyWork work;
  mixture.learn(ToyExperience(toy.features, toy.labels), &clusters, work);
  EXPECT_EQ(calls.sizes(), (std::vector<Index>{10, 10, 10}));
  Matrix more(34, 4);
  more << toy.features, random_rows(4, 4, 16);
  std::vector<int> labels = toy.labels;
  labels.insert(labels.end(), {2, 2, 2, 2});
  mixture.learn(ToyExperience(more, labels, {}, 30), &clusters, work);
  EXPECT_EQ(calls.sizes(), (std::vector<Index>{10, 10, 10, 14}));
  EXPECT_EQ(mixture.components(), 6);
}

TEST(ClassDensities, without_a_memory_new_rows_bring_components_of_their_own) {
  const ClassClusters clusters(std::make_unique<HalvesClusterer>(), "finest");
  ClassDensities mixture({});
  ToyWork work;
  mixture.learn(ToyExperience(random_rows(10, 3, 17), std::vector<int>(10, 1)), &clusters, work);
  ToyExperience later(random_rows(6, 3, 18, 50.0), std::vector<int>(6, 1));
  later.starts_over_ = false;
  mixture.learn(later, &clusters, work);
  EXPECT_EQ(mixture.components(), 4);
  const Matrix density = mixture.log_density(random_rows(5, 3, 19, 50.0));
  EXPECT_GT(density.minCoeff(), -30.0F);  // at home near the new ones
  EXPECT_GT(mixture.log_density(random_rows(5, 3, 20)).minCoeff(), -30.0F);  // and the old ones
}

TEST(ClassDensities, leave_held_out_samples_aside) {
  const ClassClusters clusters(std::make_unique<HalvesClusterer>(), "finest");
  Matrix rows = random_rows(12, 2, 21);
  Matrix spoiled = rows;
  spoiled.bottomRows(4).array() += 1000.0F;
  std::vector<Role> roles(12, Role::fit);
  std::fill(roles.end() - 4, roles.end(), Role::hold);
  const std::vector<int> labels(12, 1);
  ToyWork work;
  ClassDensities a({});
  ClassDensities b({});
  a.learn(ToyExperience(rows, labels, roles), &clusters, work);
  b.learn(ToyExperience(spoiled, labels, roles), &clusters, work);
  EXPECT_EQ(a.log_density(rows), b.log_density(rows));
}

TEST(Density, refuses_options_its_clusterer_does_not_have) {
  const PartSpec& spec = find_part(Slot::detector, "density");
  EXPECT_THROW(spec.resolve(parse_yaml("{clustering: {metrik: cosine}}", "test.yaml"), "detector"),
               Error);
  EXPECT_THROW(spec.resolve(parse_yaml("{clusterer: fynch}", "test.yaml"), "detector"), Error);
  EXPECT_NO_THROW(
      spec.resolve(parse_yaml("{clustering: {metric: cosine}}", "test.yaml"), "detector"));
}

}  // namespace
}  // namespace tyto
