// SPDX-License-Identifier: Apache-2.0
#include "parts/classified_toy.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

struct HeadCase {
  const char* name;
  const char* options;
  bool on_embedding;
  bool up_to_a_term;  // common to the classes of a row
};

constexpr HeadCase kHeads[] = {{"ncm", "{}", false, true},
                               {"slda", "{prior: counts}", false, false},
                               {"ridge", "{projection: 0}", false, false},
                               {"ridge", "{projection: 40}", true, false}};

TEST(Heads, give_the_logits_they_stand_for) {
  const ToyClasses toy(4, 30, 5, 71);
  for (const HeadCase& c : kHeads) {
    ToyWork work;
    auto part = make_part<Classifier>(Slot::classifier, c.name, c.options);
    ASSERT_TRUE(part->has_head() && part->has_gradient());
    part->learn(ToyExperience(toy.features, toy.labels), work);
    const Evidence evidence = classified(*part.slot, random_rows(20, 5, 72, 2.0));
    const LinearHead head = part->head();
    EXPECT_EQ(head.on_embedding, c.on_embedding) << c.name;
    EXPECT_EQ(evidence.embedding.cols() > 0, c.on_embedding) << c.name;
    Matrix logits =
        (c.on_embedding ? evidence.embedding : evidence.features) * head.weight.transpose();
    logits.rowwise() += head.bias.row(0);
    Matrix off = evidence.logits - logits;
    if (c.up_to_a_term) {
      off.colwise() -= Vector(off.col(0));
    }
    EXPECT_LT(off.cwiseAbs().maxCoeff(), 2e-3 * evidence.logits.cwiseAbs().maxCoeff()) << c.name;
  }
}

TEST(Heads, pull_back_agrees_with_differences_of_the_logits) {
  const ToyClasses toy(4, 30, 5, 73);
  for (const HeadCase& c : kHeads) {
    ToyWork work;
    auto part = make_part<Classifier>(Slot::classifier, c.name, c.options);
    part->learn(ToyExperience(toy.features, toy.labels), work);
    const Matrix rows = random_rows(6, 5, 74, 1.0);
    const Matrix weight = random_rows(6, 4, 75);
    const Matrix gradient = part->pull_back(classified(*part.slot, rows), weight);
    ASSERT_EQ(gradient.rows(), 6);
    ASSERT_EQ(gradient.cols(), 5);
    const auto value = [&](const Matrix& at) {
      return Eigen::VectorXd(
          classified(*part.slot, at).logits.cwiseProduct(weight).cast<double>().rowwise().sum());
    };
    for (Index j = 0; j < 5; ++j) {
      constexpr float kStep = 0.01F;
      Matrix above = rows;
      Matrix below = rows;
      above.col(j).array() += kStep;
      below.col(j).array() -= kStep;
      const Eigen::VectorXd slope = (value(above) - value(below)) / (2.0 * kStep);
      for (Index i = 0; i < 6; ++i) {
        // The kinks of ReLU and float logits: a hundredth of the gradient's size.
        EXPECT_NEAR(gradient(i, j), slope[i], 0.02 * gradient.cwiseAbs().maxCoeff())
            << c.name << ' ' << c.options;
      }
    }
  }
}

TEST(Heads, are_refused_where_there_is_none) {
  auto part = make_part<Classifier>(Slot::classifier, "precomputed");
  EXPECT_FALSE(part->has_head() || part->has_gradient());
  EXPECT_THROW((void)part->head(), Error);
  EXPECT_THROW((void)part->pull_back({}, {}), Error);
}

}  // namespace
}  // namespace tyto
