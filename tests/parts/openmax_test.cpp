// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/math/softmax.hpp"
#include "tyto/parts/extremes/activation_tails.hpp"

namespace tyto {
namespace {

TEST(ActivationTails, of_a_hand_worked_case) {
  // Class 0: (0, 0) (2, 0) (4, 0) are right, (0, 9) is not. Mean (2, 0), distances 2 0 2: the tail
  // of 3 is translated to 3 1 3.
  ActivationTails tails(2, 3, ActivationDistance::euclidean);
  const Eigen::RowVector2d rows[] = {{0, 0}, {2, 0}, {4, 0}, {0, 9}};
  for (int i = 0; i < 4; ++i) {
    tails.add_to_mean(0, rows[i], i < 3);
  }
  for (int i = 0; i < 4; ++i) {
    tails.add_distance(0, rows[i], i < 3);
  }
  tails.fit();
  const Weibull expected = fit_weibull(std::vector<double>{3, 1, 3});
  const Eigen::RowVectorXd outlier = tails.outlier(Eigen::RowVector2d(2, 5));
  EXPECT_NEAR(outlier[0], expected.cdf(6), 1e-9);
  EXPECT_EQ(outlier[1], 0.0);  // a class without samples: nothing is an outlier
}

TEST(ActivationTails, measure_as_the_released_code) {
  const Eigen::RowVector2d a(3, 0);
  const Eigen::RowVector2d b(0, 4);
  EXPECT_NEAR(activation_distance(a, b, ActivationDistance::euclidean), 5.0, 1e-12);
  EXPECT_NEAR(activation_distance(a, b, ActivationDistance::cosine), 1.0, 1e-12);
  EXPECT_NEAR(activation_distance(a, b, ActivationDistance::eucos), 5.0 / 200 + 1, 1e-12);
  EXPECT_NEAR(activation_distance(a, 0 * b, ActivationDistance::cosine), 1.0, 1e-12);
}

TEST(ActivationTails, of_a_class_with_few_samples_are_those_of_all) {
  ActivationTails tails(2, 5, ActivationDistance::euclidean);
  const auto each = [&](const auto& call) {
    for (double x = 0; x < 6; ++x) {
      call(0, Eigen::RowVectorXd(Eigen::RowVector2d(x, 0)));
    }
    call(1, Eigen::RowVectorXd(Eigen::RowVector2d(0, 7)));
  };
  each([&](Index own, const Eigen::RowVectorXd& row) { tails.add_to_mean(own, row, true); });
  each([&](Index own, const Eigen::RowVectorXd& row) { tails.add_distance(own, row, true); });
  tails.fit();
  // Distances to 2.5: 2.5 1.5 0.5 0.5 1.5 2.5, the five largest of them and the 0 of class 1.
  const Weibull pooled = fit_high(std::vector<double>{2.5, 1.5, 0.5, 1.5, 2.5, 0}, 5).weibull;
  EXPECT_NEAR(tails.outlier(Eigen::RowVector2d(0, 9))[1], pooled.cdf(2 + 1 - 0.5), 1e-9);
}

struct OpenMaxToy {
  ToyClasses toy{3, 40, 4, 11};
  Made<Classifier> openmax;
  ToyWork work;

  explicit OpenMaxToy(const std::string& options)
      : openmax(make_part<Classifier>(Slot::classifier, "openmax", options)) {
    openmax->learn(ToyExperience(toy.features, toy.labels), work);
  }
};

TEST(OpenMax, hands_over_shares_by_rank) {
  for (const std::string form : {"sound", "shifted", "paper", "released"}) {
    const std::string options = "{base: ncm, alpha: 2, distance: euclidean, form: " + form + "}";
    const OpenMaxToy subject(options);
    const auto base = make_part<Classifier>(Slot::classifier, "ncm");
    ToyWork work;
    base->learn(ToyExperience(subject.toy.features, subject.toy.labels), work);
    // The same tails from the base's logits, by the definition.
    const Matrix logits = classified(*base.slot, subject.toy.features).logits;
    ActivationTails tails(3, 20, ActivationDistance::euclidean);
    for (const bool distances : {false, true}) {
      for (Index i = 0; i < logits.rows(); ++i) {
        Index best = 0;
        logits.row(i).maxCoeff(&best);
        const Index own = subject.toy.labels[static_cast<std::size_t>(i)] - 1;
        const Eigen::RowVectorXd row = logits.row(i).cast<double>();
        distances ? tails.add_distance(own, row, best == own)
                  : tails.add_to_mean(own, row, best == own);
      }
    }
    tails.fit();
    const Matrix queries = 3.0F * random_rows(15, 4, 12);
    const Evidence evidence = classified(*subject.openmax.slot, queries);
    ASSERT_EQ(evidence.classes, toy_labels({1, 2, 3, 0}));
    const Matrix plain = classified(*base.slot, queries).logits;
    for (Index i = 0; i < 15; ++i) {
      Eigen::RowVectorXd v = plain.row(i).cast<double>();
      const Eigen::RowVectorXd outlier = tails.outlier(v);
      Eigen::RowVectorXd weight = Eigen::RowVectorXd::Ones(3);
      Index first = 0;
      v.maxCoeff(&first);
      Index second = (first + 1) % 3;
      second = v[(first + 2) % 3] > v[second] ? (first + 2) % 3 : second;
      weight[first] -= (form == "paper" ? 0.5 : 1.0) * outlier[first];  // (2 - 1) / 2 or 2 / 2
      weight[second] -= (form == "paper" ? 0.0 : 0.5) * outlier[second];
      if (form == "sound") {
        const Eigen::RowVectorXd p = softmax(plain.row(i)).cast<double>();
        EXPECT_NEAR(std::exp(static_cast<double>(evidence.logits(i, 3))),
                    p.dot(Eigen::RowVectorXd::Ones(3) - weight), 1e-5);
        for (Index c = 0; c < 3; ++c) {
          EXPECT_NEAR(std::exp(static_cast<double>(evidence.logits(i, c))), p[c] * weight[c], 1e-5);
        }
        continue;
      }
      if (form == "shifted") {
        v.array() -= v.minCoeff();
      }
      for (Index c = 0; c < 3; ++c) {
        EXPECT_NEAR(evidence.logits(i, c), v[c] * weight[c], 1e-3 * (1 + std::abs(v[c]))) << form;
      }
      EXPECT_NEAR(evidence.logits(i, 3), v.dot(Eigen::RowVectorXd::Ones(3) - weight),
                  1e-3 * (1 + v.cwiseAbs().sum()))
          << form;
    }
  }
}

TEST(OpenMax, finds_far_samples_new) {
  OpenMaxToy subject("{base: ncm}");
  auto* detector = dynamic_cast<Detector*>(subject.openmax.part.get());
  Evidence known = classified(*subject.openmax.slot, subject.toy.features);
  known.classifier = subject.openmax.slot;
  detector->detect(known);
  Evidence far = classified(*subject.openmax.slot, Matrix(random_rows(20, 4, 3).array() + 30.0F));
  far.classifier = subject.openmax.slot;
  detector->detect(far);
  std::vector<float> sorted = known.novelty;
  std::sort(sorted.begin(), sorted.end());
  const float usual = sorted[sorted.size() * 9 / 10];
  for (const float novelty : far.novelty) {
    EXPECT_GT(novelty, usual);
  }
}

TEST(OpenMax, is_the_same_alone_in_the_slot_detector_and_after_loading) {
  OpenMaxToy subject("{base: {name: slda, prior: counts}}");
  const auto alone =
      make_part<Detector>(Slot::detector, "openmax", "{base: {name: slda, prior: counts}}");
  alone->profile(ToyExperience(subject.toy.features, subject.toy.labels), subject.work);
  const Matrix queries = 3.0F * random_rows(10, 4, 4);
  Evidence a = classified(*subject.openmax.slot, queries);
  a.classifier = subject.openmax.slot;
  dynamic_cast<Detector*>(subject.openmax.part.get())->detect(a);
  Evidence b = toy_evidence(queries);
  alone->detect(b);
  Evidence c = toy_evidence(queries);
  reloaded(alone, Slot::detector, "openmax", "{base: {name: slda, prior: counts}}")->detect(c);
  EXPECT_EQ(a.novelty, b.novelty);
  EXPECT_EQ(b.novelty, c.novelty);
}

TEST(OpenMax, answers_the_hard_cases) {
  ToyWork work;
  Matrix equal = Matrix::Constant(4, 2, 2.0F);
  Matrix single(2, 2);
  single << 0, 0, 3, 3;
  for (const std::vector<int>& labels : {std::vector<int>{1, 2}, std::vector<int>{1, 1}}) {
    const auto openmax = make_part<Classifier>(Slot::classifier, "openmax", "{base: ncm}");
    openmax->learn(ToyExperience(single, labels), work);
    EXPECT_TRUE(classified(*openmax.slot, single).logits.allFinite());
  }
  const auto openmax = make_part<Classifier>(Slot::classifier, "openmax", "{base: ncm}");
  EXPECT_TRUE(classified(*openmax.slot, single).classes.empty());
  openmax->learn(ToyExperience(equal, {1, 1, 2, 2}), work);
  EXPECT_TRUE(classified(*openmax.slot, single).logits.allFinite());
  EXPECT_EQ(classified(*openmax.slot, Matrix(0, 2)).logits.cols(), 3);
}

TEST(OpenMax, refuses_a_base_it_cannot_stand_on) {
  EXPECT_THROW(make_part<Classifier>(Slot::classifier, "openmax", "{base: osnn}"), Error);
  EXPECT_THROW(make_part<Classifier>(Slot::classifier, "openmax", "{base: nmc}"), Error);
  EXPECT_THROW(make_part<Classifier>(Slot::classifier, "openmax", "{base: {name: slda, x: 1}}"),
               Error);
}

}  // namespace
}  // namespace tyto
