// SPDX-License-Identifier: Apache-2.0
// Detectors that look at a classifier's last layer or gradients, and those that share a covariance.
#include <cmath>

#include "parts/classified_toy.hpp"
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "tyto/math/covariance.hpp"
#include "tyto/math/eigen_symmetric.hpp"

namespace tyto {
namespace {

constexpr Slot kFinds = Slot::detector;

TEST(Rmds, of_a_hand_worked_case) {
  // Classes 0, 2 and 10, 12: means 1 and 11, variance 2. All: mean 6, variance 104 / 3.
  // At 5: (5 - 1)^2 / 2 - (5 - 6)^2 / (104 / 3) = 8 - 3 / 104.
  Matrix rows(4, 1);
  rows << 0, 2, 10, 12;
  ToyWork work;
  auto part = make_part<Detector>(kFinds, "rmds");
  part->profile(ToyExperience(rows, {1, 1, 2, 2}), work);
  Evidence evidence = toy_evidence(Matrix::Constant(1, 1, 5.0F));
  part->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], 8.0 - 3.0 / 104.0, 1e-5);
}

TEST(Rmds, equals_the_direct_formula_also_in_two_lessons) {
  const ToyClasses toy(4, 40, 6, 81);
  ToyWork work;
  auto part = make_part<Detector>(kFinds, "rmds", "{shrinkage: 0.2}");
  part->profile(
      ToyExperience(toy.features.topRows(50), {toy.labels.begin(), toy.labels.begin() + 50}), work);
  part = reloaded(part, kFinds, "rmds", "{shrinkage: 0.2}");
  part->profile(ToyExperience(toy.features, toy.labels, {}, 50), work);
  Evidence evidence = toy_evidence(random_rows(20, 6, 82, 1.0));
  part->detect(evidence);

  ClassStatistics within(Scatter::full);
  within.add(toy.features, std::vector<std::int32_t>(toy.labels.begin(), toy.labels.end()));
  ClassStatistics all(Scatter::full);
  all.add(toy.features);
  const Eigen::MatrixXd s = shrunk_covariance(within, 0.2).inverse();
  const Eigen::MatrixXd t = shrunk_covariance(all, 0.2).inverse();
  for (Index i = 0; i < 20; ++i) {
    const Eigen::RowVectorXd x = evidence.features.row(i).cast<double>();
    double least = 1e9;
    for (Index c = 0; c < 4; ++c) {
      const Eigen::RowVectorXd off = x - within.means().row(c);
      least = std::min(least, off.dot(off * s));
    }
    const Eigen::RowVectorXd off = x - all.means().row(0);
    EXPECT_NEAR(evidence.novelty[static_cast<std::size_t>(i)], least - off.dot(off * t), 2e-3);
  }
}

TEST(Gen, of_a_hand_worked_case) {
  Evidence evidence = toy_evidence(Matrix::Zero(2, 1));
  evidence.classes = toy_labels({1, 2, 3});
  evidence.probability.resize(2, 3);
  // sqrt(.5 * .5) + sqrt(.3 * .7) = 0.5 + 0.458258; the second row keeps its digits near p = 1:
  // sqrt(1 * 2e-20) + sqrt(1e-20 * 1) = 1.41421e-10 + 1e-10
  evidence.probability << 0.2F, 0.5F, 0.3F, 1.0F, 1e-20F, 1e-20F;
  evidence.logits = evidence.probability.array().log();
  make_part<Detector>(kFinds, "gen", "{gamma: 0.5, top: 2}")->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], 0.958258, 1e-6);
  EXPECT_NEAR(evidence.novelty[1], 2.41421e-10, 1e-14);
}

TEST(Gen, counts_the_unknown_column_as_doubt) {
  Evidence evidence = toy_evidence(Matrix::Zero(1, 1));
  evidence.classes = toy_labels({0, 1});
  evidence.probability.resize(1, 2);
  evidence.probability << 0.36F, 0.64F;
  evidence.logits = evidence.probability.array().log();
  make_part<Detector>(kFinds, "gen", "{gamma: 0.5}")->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], 0.48, 1e-6);  // sqrt(.64 * .36)
}

TEST(Fdbd, of_a_hand_worked_case) {
  // At (3, 1): logits 3, -3, 2. Distances to the boundaries of class 1: 6 / |(2, 0)| = 3 and
  // 1 / |(1, -2)| = 0.447214; mean 1.723607. The fit rows' mean is 0: over |(3, 1)| = 3.162278.
  const GivenHead head(Matrix{{1, 0}, {-1, 0}, {0, 2}}, Matrix{{0, 0, 0}});
  ToyWork work;
  auto part = make_part<Detector>(kFinds, "fdbd");
  part->profile(ClassifiedToy(head, Matrix{{1, 2}, {-1, -2}}, {1, 2}), work);
  Evidence evidence = fully_classified(head, Matrix{{3, 1}, {0, 0}});
  part->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], -1.723607 / 3.162278, 1e-5);
  EXPECT_TRUE(std::isfinite(evidence.novelty[1]));  // at the mean itself
}

TEST(Fdbd, takes_the_distance_to_the_mean_where_one_class_is_known) {
  const GivenHead head(Matrix{{1, 0}}, Matrix{{0}});
  ToyWork work;
  auto part = make_part<Detector>(kFinds, "fdbd");
  part->profile(ClassifiedToy(head, Matrix{{1, 2}, {-1, -2}}, {1, 1}), work);
  Evidence evidence = fully_classified(head, Matrix{{3, 4}});
  part->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], 5.0, 1e-6);
}

TEST(Vim, of_a_hand_worked_case) {
  // Logits x + 2 and -x - 2 vanish at x = -2: o = (-2, 0). Rows about o: (2, 0), (-2, 0), (0, 3);
  // second moments 8/3 and 9/3: the principal direction is y, the residual |x + 2|, mean 4/3.
  // Highest less mean logit: 2, 2, 0: mean 4/3. alpha = 1.
  // At (1, 7): residual 3, logits 3 and -3: 3 - log(e^3 + e^-3).
  const GivenHead head(Matrix{{1, 0}, {-1, 0}}, Matrix{{2, -2}});
  ToyWork work;
  auto part = make_part<Detector>(kFinds, "vim", "{dimensions: 1}");
  part->profile(ClassifiedToy(head, Matrix{{0, 0}, {-4, 0}, {-2, 3}}, {1, 2, 1}), work);
  part = reloaded(part, kFinds, "vim", "{dimensions: 1}");
  Evidence evidence = fully_classified(head, Matrix{{1, 7}});
  part->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], 3.0 - std::log(std::exp(3.0) + std::exp(-3.0)), 1e-5);
}

TEST(Vim, of_fewer_rows_than_columns_is_what_second_moments_give) {
  const Matrix weight = random_rows(2, 30, 31);
  const GivenHead head(weight, Matrix{{0.5F, -0.5F}});
  const Matrix rows = random_rows(12, 30, 32);
  const Matrix queries = random_rows(5, 30, 33);
  ToyWork work;
  auto part = make_part<Detector>(kFinds, "vim", "{dimensions: 7}");
  part->profile(ClassifiedToy(head, rows, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}), work);
  part = reloaded(part, kFinds, "vim", "{dimensions: 7}");
  const Eigen::RowVectorXd origin =
      -Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(weight.cast<double>())
           .solve(Eigen::Vector2d(0.5, -0.5))
           .transpose();
  const Eigen::MatrixXd off = rows.cast<double>().rowwise() - origin;
  const Eigen::MatrixXd rest = eigen_symmetric(off.transpose() * off).vectors.rightCols(30 - 7);
  const auto residual = [&](const Matrix& of) {
    return Eigen::VectorXd(((of.cast<double>().rowwise() - origin) * rest).rowwise().norm());
  };
  const auto logits = [&](const Matrix& of) {
    Matrix out = of * weight.transpose();
    out.rowwise() += Eigen::RowVector2f(0.5F, -0.5F);
    return out;
  };
  const Matrix own = logits(rows);
  const double alpha = (own.rowwise().maxCoeff() - own.rowwise().mean()).sum() /
                       static_cast<float>(residual(rows).sum());
  Evidence evidence = fully_classified(head, queries);
  part->detect(evidence);
  for (Index i = 0; i < 5; ++i) {
    const Matrix q = logits(queries.row(i));
    const double energy = std::log(std::exp(q(0, 0)) + std::exp(q(0, 1)));
    EXPECT_NEAR(evidence.novelty[static_cast<std::size_t>(i)],
                alpha * residual(queries)[i] - energy, 1e-3);
  }
}

TEST(Vim, keeps_the_sign_of_the_residual_where_logits_are_negative) {
  // With logits a term lower, the paper's alpha turns negative and the far sample looks known.
  const GivenHead head(Matrix{{1, 0}, {-1, 0}}, Matrix{{-9, -9}});
  ToyWork work;
  const Matrix rows{{2, 0.5F}, {-2, -0.5F}, {1, 0.5F}, {-1, -0.5F}};
  const auto novelty = [&](const char* options) {
    auto part = make_part<Detector>(kFinds, "vim", options);
    part->profile(ClassifiedToy(head, rows, {1, 2, 1, 2}), work);
    Evidence evidence = fully_classified(head, Matrix{{2, 0}, {2, 50}});
    part->detect(evidence);
    return evidence.novelty[1] - evidence.novelty[0];
  };
  EXPECT_GT(novelty("{dimensions: 1}"), 0.0F);
  EXPECT_LT(novelty("{dimensions: 1, form: paper}"), 0.0F);
}

TEST(Odin, of_a_hand_worked_case) {
  // The deviation of x over the rows (1, 4), (-1, 4) is sqrt 2, that of y is 0. At (1, 5) the step
  // goes towards class 1: x' = 1 + 0.5 sqrt 2 = 1.707107, logits x' and -x'.
  const GivenHead head(Matrix{{1, 0}, {-1, 0}}, Matrix{{0, 0}});
  ToyWork work;
  auto part = make_part<Detector>(kFinds, "odin", "{temperature: 2, step: 0.5}");
  EXPECT_TRUE(part.part->needs().gradient);
  part->profile(ClassifiedToy(head, Matrix{{1, 4}, {-1, 4}}, {1, 2}), work);
  Evidence evidence = fully_classified(head, Matrix{{1, 5}});
  part->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], 2.0 * std::log((1.0 + std::exp(-1.707107)) / 2.0), 1e-5);
  EXPECT_EQ(evidence.features, (Matrix{{1, 5}}));  // the evidence itself is not moved
}

TEST(Odin, keeps_its_digits_at_a_high_temperature) {
  // As T grows the score tends to the mean logit less the highest.
  const GivenHead head(Matrix{{1, 0}, {-1, 0}}, Matrix{{0, 0}});
  Evidence evidence = fully_classified(head, Matrix{{1, 5}, {1.001F, 5}});
  auto part = make_part<Detector>(kFinds, "odin", "{temperature: 100000, step: 0}");
  EXPECT_FALSE(part.part->needs().gradient);
  part->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], -1.0, 1e-4);
  EXPECT_NEAR(evidence.novelty[1] - evidence.novelty[0], -0.001, 1e-5);
}

// Three planes of one pixel; class 1 is brighter in red, class 2 darker, and green tells nothing.
// The gradient of the belief in class 1 is (+, 0, -).
TEST(Odin, steps_in_pictures_as_published_and_as_released) {
  const GivenHead head(Matrix{{0.1F, 0, -0.1F}, {-0.1F, 0, 0.1F}}, Matrix{{0, 0}});
  ToyWork work;
  const Matrix pixel{{100, 50, 20}};
  const auto score = [&](const std::string& form) {
    auto part =
        make_part<Detector>(kFinds, "odin", "{temperature: 1, step: 0.002, form: " + form + "}");
    part->profile(ClassifiedToy(head, Matrix{{1, 4, 1}, {-1, 4, 2}}, {1, 2}), work);
    Evidence evidence = fully_classified(head, pixel);
    part->detect(evidence);
    return evidence.novelty[0];
  };
  const auto at = [&](double red, double blue) {
    const double logit = 0.1 * (red - blue);
    return std::log((1.0 + std::exp(-2.0 * logit)) / 2.0);
  };
  EXPECT_NEAR(score("paper"), at(100.51, 19.49), 1e-5);
  // Signs of the loss are -1, +1 (no slope) and +1; less the means 0.485, 0.456, 0.406.
  EXPECT_NEAR(score("released"), at(100 + 0.51 * 1.485, 20 - 0.51 * 0.594), 1e-5);
  auto part = make_part<Detector>(kFinds, "odin", "{form: paper}");
  const GivenHead flat(Matrix{{1, 0}, {-1, 0}}, Matrix{{0, 0}});
  part->profile(ClassifiedToy(flat, Matrix{{1, 4}, {-1, 4}}, {1, 2}), work);
  Evidence evidence = fully_classified(flat, Matrix{{1, 5}});
  EXPECT_THROW(part->detect(evidence), Error);
}

// The gradient goes back through a trunk to the pixels.
TEST(Odin, looks_at_pictures_by_a_classifier_with_a_trunk) {
  constexpr Index kNumbers = 3 * 8 * 8;
  Matrix rows(24, kNumbers);
  std::vector<int> labels;
  for (Index i = 0; i < rows.rows(); ++i) {
    labels.push_back(static_cast<int>(i % 2) + 1);
    for (Index k = 0; k < kNumbers; ++k) {
      const bool bright = (k % 8 >= 4) == (i % 2 == 1);
      rows(i, k) = (bright ? 200.0F : 60.0F) + static_cast<float>((7 * i + k) % 11);
    }
  }
  ToyWork work;
  const auto net = make_part<Classifier>(
      Slot::classifier, "naive",
      "{trunk: cnn_small, epochs: 3, steps_at_least: 20, batch: 8, segments: 1}");
  ASSERT_TRUE(net->has_gradient());
  net->learn(ToyExperience(rows, labels), work);
  const auto seen = [&](const Matrix& queries) {
    Evidence evidence = toy_evidence(queries);
    evidence.frames = frames_of(evidence.samples, [](const MatrixView& r) { return Matrix(r); });
    net->classify(evidence);
    evidence.classifier = net.slot;
    return evidence;
  };
  for (const std::string form : {"paper", "released", "sound"}) {
    auto part =
        make_part<Detector>(kFinds, "odin", "{temperature: 2, step: 0.01, form: " + form + "}");
    part->profile(ToyExperience(rows, labels), work);
    auto still = make_part<Detector>(kFinds, "odin", "{temperature: 2, step: 0}");
    Evidence moved = seen(rows.topRows(4)), plain = seen(rows.topRows(4));
    part->detect(moved);
    still->detect(plain);
    if (form != "released") {  // which darkens them too
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_LT(moved.novelty[i], plain.novelty[i]) << form;  // nearer to its class
      }
    }
    EXPECT_EQ(moved.features, rows.topRows(4));
  }
}

TEST(Nnguide, of_a_hand_worked_case) {
  // One class with logit x: energies 2 and 0. At (1, 1): energy 1, cosines 0.707107 both.
  const GivenHead head(Matrix{{1, 0}}, Matrix{{0}});
  ToyWork work;
  for (const auto& [options, expected] :
       {std::pair("{form: paper, k: 1}", -1.414214), std::pair("{form: paper, k: 9}", -0.707107)}) {
    auto part = make_part<Detector>(kFinds, "nnguide", options);
    part->profile(ClassifiedToy(head, Matrix{{2, 0}, {0, 3}}, {1, 1}), work);
    part = reloaded(part, kFinds, "nnguide", options);
    Evidence evidence = fully_classified(head, Matrix{{1, 1}});
    part->detect(evidence);
    EXPECT_NEAR(evidence.novelty[0], expected, 1e-5);
  }
}

TEST(Nnguide, ranks_low_energies_as_new_where_all_are_negative) {
  const GivenHead head(Matrix{{1, 0}}, Matrix{{-100}});
  ToyWork work;
  auto part = make_part<Detector>(kFinds, "nnguide");
  Matrix rows = random_rows(50, 2, 91).cwiseAbs();
  part->profile(ClassifiedToy(head, rows, std::vector<int>(50, 1)), work);
  Evidence evidence = fully_classified(head, Matrix{{4, 1}, {0.4F, 0.1F}, {-4, -1}});
  part->detect(evidence);
  EXPECT_LT(evidence.novelty[0], evidence.novelty[1]);
  EXPECT_LT(evidence.novelty[1], evidence.novelty[2]);
}

TEST(Nnguide, chooses_its_bank_by_id_in_whatever_order_rows_come) {
  const GivenHead head(Matrix{{1, 0}, {0, 1}}, Matrix{{0, 0}});
  const Matrix rows = random_rows(100, 2, 92);
  std::vector<Index> order(100);
  std::iota(order.begin(), order.end(), Index{0});
  std::reverse(order.begin(), order.end());
  const auto novelty = [&](const std::vector<Index>& which) {
    struct Shown final : Experience {
      ToyExperience inner;
      const GivenHead& classifier;

      Shown(const Samples& samples, const GivenHead& c)
          : inner(samples, std::vector<int>(100, 1)), classifier(c) {}

      Index size() const override { return inner.size(); }
      Index fresh() const override { return 0; }
      std::span<const Label> labels() const override { return inner.labels(); }
      std::span<const Role> roles() const override { return inner.roles(); }
      const LabelSpace& space() const override { return inner.space(); }
      bool starts_over() const override { return true; }
      Samples samples(Rows r) const override { return inner.samples(r); }
      Matrix features(Rows r) const override { return inner.features(r); }
      void each_block(Role role, Index from, const Visit& visit) const override {
        inner.each_block(role, from, [&](const Evidence& block, std::span<const Label> labels) {
          Evidence evidence = block;
          classify_fully(classifier, evidence);
          visit(evidence, labels);
        });
      }
    };
    ToyWork work(5);
    auto part = make_part<Detector>(kFinds, "nnguide", "{bank: 7, k: 3}");
    part->profile(Shown(toy_samples(rows).pick(which), head), work);
    Evidence evidence = fully_classified(head, random_rows(5, 2, 93));
    part->detect(evidence);
    return evidence.novelty;
  };
  std::vector<Index> forward = order;
  std::reverse(forward.begin(), forward.end());
  EXPECT_EQ(novelty(forward), novelty(order));
}

TEST(HeadDetectors, answer_in_hard_cases_and_refuse_before_their_first_lesson) {
  ToyWork work;
  for (const char* classifier : {"ncm", "slda"}) {
    for (const char* name : {"rmds", "vim", "fdbd", "nnguide", "odin", "gen"}) {
      for (const int hard : {0, 1, 2}) {
        // More columns than rows and a class of one sample; all rows equal; one class.
        const Matrix rows = hard == 1 ? Matrix(Matrix::Ones(6, 12)) : random_rows(6, 12, 94);
        const std::vector<int> labels =
            hard == 2 ? std::vector<int>(6, 1) : std::vector<int>{1, 1, 1, 2, 2, 3};
        auto learner = make_part<Classifier>(Slot::classifier, classifier);
        learner->learn(ToyExperience(rows, labels), work);
        auto part = make_part<Detector>(kFinds, name);
        Evidence evidence = fully_classified(*learner.slot, random_rows(4, 12, 95));
        if (std::string_view(name) != "gen") {
          EXPECT_THROW(part->detect(evidence), Error) << name;
        }
        part->profile(ClassifiedToy(*learner.slot, rows, labels), work);
        part->detect(evidence);
        ASSERT_EQ(evidence.novelty.size(), 4U);
        for (const float novelty : evidence.novelty) {
          EXPECT_TRUE(std::isfinite(novelty)) << classifier << ' ' << name << ' ' << hard;
        }
        Evidence none = fully_classified(*learner.slot, Matrix(0, 12));
        part->detect(none);
        EXPECT_TRUE(none.novelty.empty()) << name;
      }
    }
  }
}

TEST(HeadDetectors, tell_a_far_class_from_the_known_ones) {
  const ToyClasses toy(5, 60, 8, 96);
  ToyWork work;
  const Matrix far = random_rows(100, 8, 97, 6.0);
  const Matrix near = ToyClasses(5, 20, 8, 96).features;  // the same means
  for (const char* name : {"rmds", "vim", "nnguide"}) {
    auto learner = make_part<Classifier>(Slot::classifier, "ncm");
    learner->learn(ToyExperience(toy.features, toy.labels), work);
    auto part = make_part<Detector>(kFinds, name);
    part->profile(ClassifiedToy(*learner.slot, toy.features, toy.labels), work);
    Evidence known = fully_classified(*learner.slot, near);
    Evidence novel = fully_classified(*learner.slot, far);
    part->detect(known);
    part->detect(novel);
    Index right = 0;
    for (const float a : known.novelty) {
      for (const float b : novel.novelty) {
        right += b > a ? 1 : 0;
      }
    }
    EXPECT_GT(static_cast<double>(right) / 1e4, 0.9) << name;
  }
}

}  // namespace
}  // namespace tyto
