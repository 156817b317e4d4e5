// SPDX-License-Identifier: Apache-2.0
#include "parts/toy_experience.hpp"
#include <Eigen/Dense>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

Made<Classifier> make_fecam(std::string_view options) {
  return make_part<Classifier>(Slot::classifier, "fecam", options);
}

Matrix fecam_logits(std::string_view options, const Matrix& rows, const std::vector<int>& labels,
                    const Matrix& queries) {
  ToyWork work;
  const auto fecam = make_fecam(options);
  fecam->learn(ToyExperience(rows, labels), work);
  return classified(*fecam.slot, queries).logits;
}

TEST(Fecam, of_a_hand_worked_case) {
  // Roots: class 1 has (1, 0), (3, 0), (2, 1), (2, 3), mean (2, 1), covariance ((2, 0), (0, 6))
  // / 3.
  Matrix rows(4, 2);
  rows << 1, 0, 9, 0, 4, 1, 4, 9;
  // No covariance off the diagonal: whatever is added to it, the correlation is the identity. The
  // query's root is (3, 4), of unit length (.6, .8); the mean is (2, 1) / sqrt 5.
  Matrix query(1, 2);
  query << 9, 16;
  const double dx = 0.6 - 2 / std::sqrt(5.0);
  const double dy = 0.8 - 1 / std::sqrt(5.0);
  EXPECT_NEAR(fecam_logits("{scale: 1}", rows, {1, 1, 1, 1}, query)(0, 0), -(dx * dx + dy * dy),
              1e-6);
  // Scale 0: the variance tr S = 8 / 3 over |mean|^2 = 5, per column 4 / 15; half of its inverse.
  EXPECT_NEAR(fecam_logits("{}", rows, {1, 1, 1, 1}, query)(0, 0), -(dx * dx + dy * dy) * 15 / 8,
              1e-5);
}

TEST(Fecam, of_a_hand_worked_case_with_correlation) {
  // (0, 0), (2, 0), (2, 2) about (4/3, 2/3): S = ((4, 2), (2, 4)) / 3. With diagonal 1 and rest 0
  // it becomes ((8, 2), (2, 8)) / 3: correlation 1/4, its inverse ((16, -4), (-4, 16)) / 15.
  Matrix rows(3, 2);
  rows << 0, 0, 2, 0, 2, 2;
  Matrix query(1, 2);
  query << 0, 5;
  const double dx = -2 / std::sqrt(5.0);
  const double dy = 1 - 1 / std::sqrt(5.0);
  EXPECT_NEAR(fecam_logits("{tukey: off, rest: 0, scale: 1}", rows, {1, 1, 1}, query)(0, 0),
              -(16 * dx * dx - 8 * dx * dy + 16 * dy * dy) / 15, 1e-6);
  // With rest 1 the means 4/3 and 2/3 are added: ((8, 4), (4, 8)) / 3, correlation 1/2.
  EXPECT_NEAR(fecam_logits("{tukey: off, scale: 1}", rows, {1, 1, 1}, query)(0, 0),
              -(4 * dx * dx - 4 * dx * dy + 4 * dy * dy) / 3, 1e-6);
  // Released: twice, so ((16, 8), (8, 16)) / 3. The same correlation, and with rest 0 another:
  // ((8, 2), (2, 8)) and again 8: ((16, 2), (2, 16)), correlation 1/8, inverse (64, -8) / 63.
  EXPECT_NEAR(
      fecam_logits("{form: released, tukey: off, rest: 0, scale: 1}", rows, {1, 1, 1}, query)(0, 0),
      -(64 * dx * dx - 16 * dx * dy + 64 * dy * dy) / 63, 1e-6);
}

struct Direct {  // the paper's formulas, with an inverse, in double
  bool shared = false, released = false;
  double power = 1.0, diagonal = 1.0, rest = 1.0;

  [[nodiscard]] Eigen::MatrixXd shrunk(Eigen::MatrixXd s) const {
    const Index d = s.rows();
    const double on = s.trace() / static_cast<double>(d);
    const double off = (s.sum() - s.trace()) / static_cast<double>(d * (d - 1));
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < d; ++j) {
        s(i, j) += i == j ? diagonal * on : rest * off;
      }
    }
    return s;
  }

  [[nodiscard]] Matrix distances(const Matrix& rows, const std::vector<int>& labels, int classes,
                                 const Matrix& queries) const {
    const Eigen::MatrixXd x = rows.cast<double>().array().pow(power);
    std::vector<Eigen::MatrixXd> covariances;
    Eigen::MatrixXd pooled = Eigen::MatrixXd::Zero(x.cols(), x.cols());
    std::vector<Eigen::RowVectorXd> means;
    for (int c = 1; c <= classes; ++c) {
      std::vector<Index> which;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == c) {
          which.push_back(static_cast<Index>(i));
        }
      }
      const Eigen::MatrixXd own = x(which, Eigen::all);
      const Eigen::MatrixXd about = own.rowwise() - own.colwise().mean();
      const Eigen::MatrixXd scatter = about.transpose() * about;
      covariances.push_back(scatter / static_cast<double>(which.size() - 1));
      pooled += scatter / static_cast<double>(x.rows() - classes);
      const Eigen::MatrixXd raw = rows(which, Eigen::all).cast<double>();
      const Eigen::RowVectorXd mean =
          released ? Eigen::RowVectorXd(raw.colwise().mean().array().pow(power))
                   : Eigen::RowVectorXd(own.colwise().mean());
      means.push_back(mean / mean.norm());
    }
    Matrix out(queries.rows(), classes);
    for (int c = 0; c < classes; ++c) {
      const auto k = static_cast<std::size_t>(c);
      Eigen::MatrixXd s = shrunk(shared ? pooled : covariances[k]);
      s = released ? shrunk(s) : s;
      const Eigen::VectorXd deviation = s.diagonal().cwiseSqrt();
      const Eigen::MatrixXd r = s.cwiseQuotient(deviation * deviation.transpose());
      const Eigen::MatrixXd inverse = r.inverse();
      for (Index i = 0; i < queries.rows(); ++i) {
        const Eigen::RowVectorXd q = queries.row(i).cast<double>().array().pow(power);
        const Eigen::RowVectorXd difference = q / q.norm() - means[k];
        out(i, c) = static_cast<float>((difference * inverse).dot(difference));
      }
    }
    return out;
  }
};

TEST(Fecam, equals_the_formulas_by_brute_force) {
  const ToyClasses toy(4, 25, 6, 31);
  const Matrix positive = toy.features.cwiseAbs();
  const Matrix queries = random_rows(300, 6, 32).cwiseAbs();  // more than are solved for at once
  for (const bool shared : {false, true}) {
    for (const bool released : {false, true}) {
      for (const double power : {1.0, 0.5, 0.3}) {
        for (const double rest : {1.0, 0.0}) {
          const std::string options = fmt::format(
              "{{covariance: {}, form: {}, tukey: {}, power: {}, diagonal: 0.7, rest: {}, scale: "
              "1}}",
              shared ? "shared" : "classes", released ? "released" : "sound",
              power == 1.0 ? "off" : "on", power, rest);
          const Matrix expected = Direct{shared, released, power, 0.7, rest}.distances(
              positive, toy.labels, 4, queries);
          const Matrix got = -fecam_logits(options, positive, toy.labels, queries);
          EXPECT_LT((got - expected).cwiseAbs().maxCoeff(), 2e-5 * expected.maxCoeff()) << options;
        }
      }
    }
  }
}

TEST(Fecam, takes_roots_by_itself_where_no_feature_is_negative) {
  const ToyClasses toy(3, 20, 5, 33);
  const Matrix positive = toy.features.cwiseAbs();
  const auto logits = [&](const char* options, const Matrix& rows) {
    return fecam_logits(options, rows, toy.labels, positive);
  };
  EXPECT_EQ(logits("{}", positive), logits("{tukey: on}", positive));
  EXPECT_NE(logits("{}", positive), logits("{tukey: off}", positive));
  EXPECT_EQ(logits("{}", toy.features), logits("{tukey: off}", toy.features));
}

TEST(Fecam, says_that_there_is_no_root_of_a_negative_feature) {
  const ToyClasses toy(3, 20, 5, 34);
  Matrix rows = toy.features.cwiseAbs();
  ToyWork work;
  const auto fecam = make_fecam("{}");
  fecam->learn(ToyExperience(rows, toy.labels), work);
  rows(7, 2) = -0.25F;
  const std::string sentence =
      "fecam takes features to the power 0.5, but one of 60 rows has a feature of -0.25; set "
      "`tukey: off` for features that can be negative";
  try {
    (void)classified(*fecam.slot, rows);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), sentence);
    EXPECT_EQ(error.kind(), ErrorKind::data);
  }
  EXPECT_THROW(fecam_logits("{tukey: on}", rows, toy.labels, rows), Error);
}

TEST(Fecam, tells_classes_apart_where_the_first_was_learned_alone) {
  // Features centred on the first class, as `standardise` does where the first lesson has one: its
  // mean is the rounding of 0. Taken for a direction it made distances of 1e14, by which all others
  // were scaled to nothing, and every row got the same answer.
  ToyClasses toy(4, 30, 6, 36, 6.0);
  Matrix first(30, 6);
  Index row = 0;
  for (Index i = 0; i < toy.features.rows(); ++i) {
    if (toy.labels[static_cast<std::size_t>(i)] == 1) {
      first.row(row++) = toy.features.row(i);
    }
  }
  ASSERT_EQ(row, 30);
  const Eigen::RowVectorXf centre = first.cast<double>().colwise().mean().cast<float>();
  toy.features.rowwise() -= centre;
  for (const char* options : {"{}", "{covariance: shared}"}) {
    const Matrix logits = fecam_logits(options, toy.features, toy.labels, toy.features);
    int right = 0;
    for (Index i = 0; i < logits.rows(); ++i) {
      Index best = 0;
      logits.row(i).maxCoeff(&best);
      right += best + 1 == toy.labels[static_cast<std::size_t>(i)] ? 1 : 0;
    }
    EXPECT_GE(right, 110) << options;  // of 120
    // Sure of it too: the scale is one of distances between classes, not of rounding.
    EXPECT_GT((logits.rowwise().maxCoeff() - logits.rowwise().mean()).mean(), 1.0F) << options;
  }
}

TEST(Fecam, lends_a_class_of_one_sample_the_spread_of_all) {
  ToyClasses toy(3, 20, 4, 35);
  toy.labels.back() = 4;
  const Matrix got = fecam_logits("{tukey: off, scale: 1}", toy.features, toy.labels, toy.features);
  EXPECT_TRUE(got.allFinite());
  Index best = 0;
  got.row(59).maxCoeff(&best);
  EXPECT_EQ(best, 3);
  EXPECT_NEAR(got(59, 3), 0.0, 1e-6);
  // As by a shared covariance, whose pooled spread is the same.
  const Matrix shared = fecam_logits("{covariance: shared, tukey: off, scale: 1}", toy.features,
                                     toy.labels, toy.features);
  EXPECT_LT((got.col(3) - shared.col(3)).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Fecam, is_finite_for_columns_that_never_vary_and_for_fewer_samples_than_columns) {
  Matrix rows = random_rows(6, 40, 36).cwiseAbs();
  rows.col(3).setZero();
  rows.row(5).setZero();
  for (const char* options : {"{}", "{diagonal: 0, rest: 0}", "{form: released}",
                              "{covariance: shared}", "{covariance: shared, diagonal: 0}"}) {
    EXPECT_TRUE(fecam_logits(options, rows, {1, 1, 2, 2, 3, 3}, rows).allFinite()) << options;
    EXPECT_TRUE(fecam_logits(options, rows, {1, 2, 3, 4, 5, 6}, rows).allFinite()) << options;
  }
}

TEST(Fecam, tells_classes_of_one_direction_by_their_shape) {
  // Class 1 is wide along the first two columns alike, class 2 where one grows as the other falls.
  const Matrix noise = random_rows(400, 3, 37);
  Matrix rows(400, 3);
  std::vector<int> labels;
  for (Index i = 0; i < 400; ++i) {
    const float sign = i % 2 == 0 ? 1.0F : -1.0F;
    rows.row(i) << 10 + noise(i, 0) + 0.1F * noise(i, 1), 10 + sign * noise(i, 0), 10;
    labels.push_back(static_cast<int>(i % 2) + 1);
  }
  const auto accuracy = [&](const Matrix& logits) {
    double right = 0;
    for (Index i = 0; i < 400; ++i) {
      right += (logits(i, 0) > logits(i, 1)) == (labels[static_cast<std::size_t>(i)] == 1);
    }
    return right / 400;
  };
  EXPECT_GT(accuracy(fecam_logits("{diagonal: 0.01, rest: 0}", rows, labels, rows)), 0.8);
  EXPECT_LT(accuracy(fecam_logits("{covariance: shared}", rows, labels, rows)), 0.7);
}

}  // namespace
}  // namespace tyto
