// SPDX-License-Identifier: Apache-2.0
// What classifiers settle together by the samples that each of them held out.
#include "tyto/parts/pooled_weights.hpp"

#include <cmath>

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/parts/classifier/ridge_sums.hpp"

namespace tyto::pooled_weights_test {
namespace {

constexpr Slot kClassifies = Slot::classifier;

struct Fold {
  Fold(const std::string& part, const std::string& options, const Matrix& rows,
       const std::vector<int>& labels, Index held_from, Index held_to)
      : experience(rows, labels, roles(labels, held_from, held_to)),
        classifier(make_part<Classifier>(kClassifies, part, options)) {
    Progress silent;
    Work work{Rng(7, "fold", static_cast<std::uint64_t>(held_from)), silent};
    classifier->learn(experience, work);
  }

  static std::vector<Role> roles(const std::vector<int>& labels, Index from, Index to) {
    std::vector<Role> out(labels.size(), Role::fit);
    for (Index i = from; i < to; ++i) {
      out[static_cast<std::size_t>(i)] = Role::hold;
    }
    return out;
  }

  ToyExperience experience;
  Made<Classifier> classifier;
};

struct Toy {
  Matrix rows;
  std::vector<int> labels;
};

Toy overlapping(Index n) {
  Toy toy{random_rows(n, 4, 5), {}};
  for (Index i = 0; i < n; ++i) {
    const int label = 1 + static_cast<int>(i % 3);
    toy.rows(i, label) += 1.5F;
    toy.labels.push_back(label);
  }
  return toy;
}

std::vector<FoldedClassifier> folded(std::vector<std::unique_ptr<Fold>>& folds) {
  std::vector<FoldedClassifier> out;
  for (const auto& fold : folds) {
    out.push_back({fold->classifier.slot, &fold->experience});
  }
  return out;
}

std::vector<std::unique_ptr<Fold>> three_folds(const std::string& part, const std::string& options,
                                               const Toy& toy) {
  std::vector<std::unique_ptr<Fold>> folds;
  const Index n = toy.rows.rows() / 3;
  for (Index f = 0; f < 3; ++f) {
    folds.push_back(
        std::make_unique<Fold>(part, options, toy.rows, toy.labels, f * n, (f + 1) * n));
  }
  return folds;
}

TEST(HeldLogits, have_a_column_for_every_class_and_rows_of_known_ones) {
  Matrix rows(6, 1);
  rows << 0, 0.1F, 5, 5.1F, 9, 9.1F;
  std::vector<std::unique_ptr<Fold>> folds;
  // The first has not seen class 3 (rows 4, 5 are held out), the second not the first row of 1.
  folds.push_back(
      std::make_unique<Fold>("ncm", "{}", rows, std::vector<int>{1, 1, 2, 2, 3, 3}, 3, 6));
  folds.push_back(
      std::make_unique<Fold>("ncm", "{}", rows, std::vector<int>{1, 1, 2, 2, 3, 3}, 0, 1));
  const HeldLogits held = held_logits(folded(folds));
  ASSERT_EQ(held.logits.rows(), 2);  // row 3 by the first, row 0 by the second
  ASSERT_EQ(held.logits.cols(), 3);
  EXPECT_EQ(held.truth, (std::vector<Index>{1, 0}));
  EXPECT_TRUE(std::isinf(held.logits(0, 2)));
  EXPECT_TRUE(held.logits.row(1).allFinite());
  EXPECT_GT(held.logits(0, 1), held.logits(0, 0));
  EXPECT_GT(held.logits(1, 0), held.logits(1, 1));
}

// The penalty with the least error over all that was held out, looked for by brute force.
TEST(Ridge, takes_the_penalty_that_serves_all_folds) {
  const Toy toy = overlapping(90);
  auto folds = three_folds("ridge", "{projection: 0}", toy);
  int best = 0;
  double least = 1e300;
  for (int power = 2; power >= -8; --power) {
    double error = 0;
    for (Index f = 0; f < 3; ++f) {
      RidgeSums fit;
      RidgeSums hold;
      for (Index i = 0; i < 90; ++i) {
        Matrix row(1, 5);
        row << toy.rows.row(i), 1.0F;
        const std::vector<Label> label = toy_labels({toy.labels[static_cast<std::size_t>(i)]});
        (i / 30 == f ? hold : fit).add(row, label);
      }
      const double strength = fit.gram.trace() / 5 * std::pow(10.0, power);
      const auto weights = ridge_weights(fit.gram, fit.targets(fit.classes()), strength);
      error += squared_error(*weights, hold.gram, hold.targets(fit.classes()));
    }
    if (error < least) {
      least = error;
      best = power;
    }
  }
  RidgeSums all;
  Matrix rows(90, 5);
  rows << toy.rows, Matrix::Ones(90, 1);
  all.add(rows, toy_labels(toy.labels));
  const auto expected = ridge_weights(all.gram, all.targets(all.classes()),
                                      all.gram.trace() / 5 * std::pow(10.0, best));

  Fold whole("ridge", "{projection: 0}", toy.rows, toy.labels, 0, 0);  // holds nothing out
  dynamic_cast<PooledWeights&>(*whole.classifier.slot).weigh_together(folded(folds));
  const LinearHead head = whole.classifier->head();
  const auto scale = static_cast<double>(head.weight.norm()) / expected->topRows(4).norm();
  EXPECT_LT((head.weight.transpose().cast<double>() - scale * expected->topRows(4)).norm(),
            1e-4 * scale);
}

State weighed(const Toy& toy, const Toy& told, std::vector<State>& of_folds) {
  const std::string options = "{members: [ncm, slda]}";
  auto folds = three_folds("blend", options, toy);
  folds.front() = std::make_unique<Fold>("blend", options, told.rows, told.labels, 0, 30);
  Fold whole("blend", options, toy.rows, toy.labels, 0, 0);
  dynamic_cast<PooledWeights&>(*whole.classifier.slot).weigh_together(folded(folds));
  for (const auto& fold : folds) {
    fold->classifier.part->save(of_folds.emplace_back());
  }
  State state;
  whole.classifier.part->save(state);
  return state;
}

double scale_in(const State& state) {
  return state.child("member_0").get<double>("scale");
}

// Where the first fold's held-out samples bear wrong names, all learn it but that fold itself.
TEST(Blend, weighs_by_all_folds_and_a_fold_by_the_others) {
  const Toy toy = overlapping(90);
  Toy told = toy;
  for (std::size_t i = 0; i < 30; ++i) {
    told.labels[i] = 1 + told.labels[i] % 3;
  }
  std::vector<State> folds;
  std::vector<State> lied_to;
  const State whole = weighed(toy, toy, folds);
  const State misled = weighed(toy, told, lied_to);
  EXPECT_NE(scale_in(whole), 1.0);  // it holds nothing out itself
  EXPECT_LT(scale_in(misled), 0.9 * scale_in(whole));
  EXPECT_EQ(scale_in(lied_to[0]), scale_in(folds[0]));
  EXPECT_LT(scale_in(lied_to[1]), 0.9 * scale_in(folds[1]));
}

// Two slanted classes, and a place that is nearer to the first by distance and to the second by
// shape: ncm is right where a sample there is of class 1, slda where it is of class 2.
TEST(Blend, hears_a_class_of_few_samples_beside_one_of_many) {
  constexpr Index kFit = 100;
  constexpr Index kOfTwo = 20;
  Matrix rows = random_rows(kFit + 21 * kOfTwo, 2, 6);
  std::vector<int> labels;
  std::vector<Role> roles;
  for (Index i = 0; i < rows.rows(); ++i) {
    const bool fit = i < kFit;
    const int label = (fit ? i % 2 == 0 : i >= kFit + kOfTwo) ? 1 : 2;
    const float along = 3.0F * rows(i, 0);
    rows(i, 0) = along + (label == 2 ? 4.0F : 0.0F);
    rows(i, 1) = along + 0.3F * rows(i, 1);
    if (!fit) {
      rows.row(i) << 0.5F, -3.5F;
    }
    labels.push_back(label);
    roles.push_back(fit ? Role::fit : Role::hold);
  }
  const ToyExperience experience(rows, labels, roles);
  const Made<Classifier> blend =
      make_part<Classifier>(kClassifies, "blend", "{members: [ncm, slda]}");
  Progress silent;
  Work work{Rng(7, "blend"), silent};
  blend->learn(experience, work);
  blend->weigh(experience, work);
  State state;
  blend.part->save(state);
  EXPECT_LT(state.child("member_0").get<double>("weight"), 0.5);
}

}  // namespace
}  // namespace tyto::pooled_weights_test
