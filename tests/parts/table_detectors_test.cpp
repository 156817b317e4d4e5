// SPDX-License-Identifier: Apache-2.0
// Detectors of plain tables: what they make of the experience they are shown.
#include <cmath>

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/math/eigen_symmetric.hpp"
#include "tyto/math/isolation_trees.hpp"
#include "tyto/parts/detector/fit_sample.hpp"

namespace tyto {
namespace {

std::vector<float> looked_at(const Made<Detector>& part, const Matrix& rows) {
  Evidence evidence = toy_evidence(rows);
  part->detect(evidence);
  return evidence.novelty;
}

TEST(FitSample, takes_the_same_samples_in_whatever_order_they_come) {
  const Matrix rows = random_rows(50, 2, 1);
  std::vector<int> labels(50, 1);
  labels[7] = 0;  // not granted
  std::vector<Role> roles(50, Role::fit);
  roles[3] = Role::hold;
  const ToyExperience shown(rows, labels, roles);
  ToyWork work;
  const FitSample few(shown, 20, 9);
  ASSERT_EQ(few.rows().size(), 20U);
  EXPECT_TRUE(std::is_sorted(few.rows().begin(), few.rows().end()));
  Index taken = 0;
  for (Index i = 0; i < 50; ++i) {
    const bool listed = std::count(few.rows().begin(), few.rows().end(), i) > 0;
    EXPECT_FALSE(listed && (i == 3 || i == 7));
    if (i != 3 && i != 7) {
      EXPECT_EQ(few.takes(static_cast<SampleId>(i)), listed) << i;
      taken += listed ? 1 : 0;
    }
  }
  EXPECT_EQ(taken, 20);
  EXPECT_EQ(few.features(shown, work), Matrix(rows(few.rows(), Eigen::all)));
  EXPECT_EQ(few.head_inputs(shown, work), Matrix(rows(few.rows(), Eigen::all)));
  EXPECT_EQ(FitSample(shown, 48, 9).rows().size(), 48U);
  EXPECT_NE(FitSample(shown, 20, 10).rows(), few.rows());

  const std::vector<Index> turned = Rng(2).permutation(50);
  std::vector<int> turned_labels;
  std::vector<Role> turned_roles;
  for (const Index i : turned) {
    turned_labels.push_back(labels[at(i)]);
    turned_roles.push_back(roles[at(i)]);
  }
  const ToyExperience other(toy_samples(rows).pick(turned), turned_labels, turned_roles);
  std::vector<Index> same = FitSample(other, 20, 9).rows();
  for (Index& i : same) {
    i = turned[at(i)];
  }
  std::sort(same.begin(), same.end());
  EXPECT_EQ(same, few.rows());
}

TEST(IsolationForest, grows_each_tree_on_rows_of_its_own) {
  // 8 rows, trees of 2: a tree sees two rows and gives 1/2 to all, whatever they are. With all
  // rows in each tree the far one is set apart at once.
  Matrix rows(8, 1);
  rows << 0, 1, 2, 3, 4, 5, 6, 1000;
  const ToyExperience shown(rows, std::vector<int>(8, 1));
  ToyWork work;
  auto pairs = make_part<Detector>(Slot::detector, "isolation_forest", "{trees: 20, sample: 2}");
  pairs->profile(shown, work);
  for (const float score : looked_at(pairs, rows)) {
    EXPECT_NEAR(score, 0.5, 1e-6);
  }
  auto whole = make_part<Detector>(Slot::detector, "isolation_forest", "{trees: 200}");
  whole->profile(shown, work);
  const std::vector<float> scores = looked_at(whole, rows);
  EXPECT_NEAR(scores[7], std::exp2(-1.0 / mean_cuts(8)), 0.01);
  EXPECT_LT(*std::max_element(scores.begin(), scores.begin() + 7), scores[7] - 0.1F);
}

TEST(IsolationForest, grows_anew_on_what_is_remembered_and_new) {
  const Matrix rows = random_rows(40, 3, 5);
  ToyWork work;
  auto once = make_part<Detector>(Slot::detector, "isolation_forest", "{trees: 10}");
  once->profile(ToyExperience(rows, std::vector<int>(40, 1)), work);
  auto twice = make_part<Detector>(Slot::detector, "isolation_forest", "{trees: 10}");
  twice->profile(ToyExperience(rows.topRows(25), std::vector<int>(25, 1)), work);
  twice = reloaded(twice, Slot::detector, "isolation_forest", "{trees: 10}");
  twice->profile(ToyExperience(rows, std::vector<int>(40, 1), {}, 25), work);
  EXPECT_EQ(looked_at(once, rows), looked_at(twice, rows));
}

TEST(Lof, keeps_fit_rows_of_its_own) {
  const Matrix rows{{0}, {1}, {3}, {7}, {50}};
  ToyWork work;
  auto part = make_part<Detector>(Slot::detector, "lof", "{k: 2}");
  part->profile(ToyExperience(rows, {1, 1, 1, 1, 1},
                              {Role::fit, Role::fit, Role::fit, Role::fit, Role::hold}),
                work);
  part = reloaded(part, Slot::detector, "lof", "{k: 2}");
  EXPECT_EQ(part.part->holding().samples, 4);
  const std::vector<float> scores = looked_at(part, Matrix{{2}, {11}});
  EXPECT_NEAR(scores[0], 2.5 * 11.0 / 30.0, 1e-6);  // worked out in local_density_test.cpp
  EXPECT_NEAR(scores[1], 2.1, 1e-6);
  auto few = make_part<Detector>(Slot::detector, "lof", "{k: 2, rows: 3}");
  few->profile(ToyExperience(rows, {1, 1, 1, 1, 1}), work);
  EXPECT_EQ(few.part->holding().samples, 3);
}

TEST(Ocsvm, measures_new_samples_by_the_scale_of_its_fit_rows) {
  // Columns of different scale: the same answers as on columns that were scaled before.
  const Matrix rows = random_rows(60, 2, 7);
  const Matrix queries = random_rows(15, 2, 8, 1.0);
  const Eigen::RowVector2f stretch(1000.0F, 0.01F);
  const auto stretched = [&](const Matrix& some) -> Matrix {
    return (some.array().rowwise() * stretch.array()).rowwise() + Eigen::RowVector2f(5, -3).array();
  };
  const std::vector<int> labels(60, 1);
  ToyWork work;
  for (const char* options : {"{gamma: 0.4}", "{gamma: 0.4, scale: range}"}) {
    auto plain = make_part<Detector>(Slot::detector, "ocsvm", options);
    plain->profile(ToyExperience(rows, labels), work);
    auto wide = make_part<Detector>(Slot::detector, "ocsvm", options);
    wide->profile(ToyExperience(stretched(rows), labels), work);
    wide = reloaded(wide, Slot::detector, "ocsvm", options);
    const std::vector<float> expected = looked_at(plain, queries);
    const std::vector<float> found = looked_at(wide, stretched(queries));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 2e-3) << options;
    }
  }
}

TEST(Ocsvm, calls_what_is_far_newer_and_is_solved_on_few_rows) {
  const Matrix rows = random_rows(100, 2, 9);
  ToyWork work;
  auto part = make_part<Detector>(Slot::detector, "ocsvm", "{rows: 30, nu: 0.2}");
  part->profile(ToyExperience(rows, std::vector<int>(100, 1)), work);
  EXPECT_LE(part.part->holding().samples, 30);
  EXPECT_GE(part.part->holding().samples, 6);  // nu of the rows at least
  const std::vector<float> novelty = looked_at(part, Matrix{{0, 0}, {9, 9}, {90, 90}, {99, 99}});
  EXPECT_LT(novelty[0], 0.0F);
  EXPECT_GT(novelty[1], 0.0F);
  EXPECT_LT(novelty[1], novelty[2]);
  EXPECT_LT(novelty[2], novelty[3]);
}

TEST(Ocsvm, with_fourier_features_says_what_the_kernel_says_and_keeps_no_sample) {
  const Matrix rows = random_rows(150, 2, 15);
  const Matrix queries{{0, 0}, {1.2F, 0}, {0, 2.2F}, {2.8F, 0}, {3.5F, 3.5F}};
  ToyWork work;
  const char* options = "{fourier: 4000, nu: 0.2, gamma: 0.3}";
  auto part = make_part<Detector>(Slot::detector, "ocsvm", options);
  part->profile(ToyExperience(rows, std::vector<int>(150, 1)), work);
  EXPECT_EQ(part.part->holding().samples, 0);
  auto exact = make_part<Detector>(Slot::detector, "ocsvm", "{nu: 0.2, gamma: 0.3}");
  exact->profile(ToyExperience(rows, std::vector<int>(150, 1)), work);
  const std::vector<float> found = looked_at(part, queries);
  const std::vector<float> expected = looked_at(exact, queries);  // log rho - log of the kernels
  EXPECT_EQ(looked_at(reloaded(part, Slot::detector, "ocsvm", options), queries), found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], 1.0F - std::exp(-expected[i]), 0.1) << i;
  }
  EXPECT_LT(found[0], 0.05F);
  EXPECT_GT(found[4], 0.8F);
}

TEST(PcaResidual, is_the_length_outside_the_main_components) {
  // x has 8/10 of the variance, y 2/10. Asked for 9/10, all but one component stay: y is residual.
  const Matrix rows{{3, 1}, {-1, 1}, {1, 2}, {1, 0}};
  ToyWork work;
  auto part = make_part<Detector>(Slot::detector, "pca_residual");
  part->profile(ToyExperience(rows.topRows(3), {1, 1, 2}), work);
  part = reloaded(part, Slot::detector, "pca_residual");
  part->profile(ToyExperience(rows, {1, 1, 2, 2}, {}, 3), work);
  EXPECT_NEAR(looked_at(part, Matrix{{9, 4}})[0], 3.0, 1e-6);
  auto none = make_part<Detector>(Slot::detector, "pca_residual", "{variance: 0}");
  none->profile(ToyExperience(rows, {1, 1, 2, 2}), work);
  EXPECT_NEAR(looked_at(none, Matrix{{4, 5}})[0], 5.0, 1e-6);  // from (1, 1)
}

TEST(PcaResidual, keeps_the_fewest_components_that_have_the_share) {
  // Variances 18, 8, 2, 0 of 28: two components have 26/28 = 0.929 of them.
  const Matrix rows{{3, 0, 0, 0},  {-3, 0, 0, 0}, {0, 2, 0, 0},
                    {0, -2, 0, 0}, {0, 0, 1, 0},  {0, 0, -1, 0}};
  ToyWork work;
  const std::vector<int> labels(6, 1);
  const auto at_ones = [&](const char* options) {
    auto part = make_part<Detector>(Slot::detector, "pca_residual", options);
    part->profile(ToyExperience(rows, labels), work);
    return looked_at(part, Matrix{{5, 7, 3, 4}})[0];
  };
  EXPECT_NEAR(at_ones("{variance: 0.9}"), 5.0, 1e-5);                     // 3 and 4
  EXPECT_NEAR(at_ones("{variance: 0.95}"), 4.0, 1e-5);                    // 4
  EXPECT_NEAR(at_ones("{variance: 0.6}"), std::sqrt(49.0 + 25.0), 1e-5);  // 18 / 28 = 0.643
}

TEST(PcaResidual, of_fewer_rows_than_columns_is_what_the_covariance_leaves) {
  const Matrix rows = random_rows(14, 50, 21, 1.0);
  const Matrix queries = random_rows(6, 50, 22, 1.0);
  ToyWork work;
  auto part = make_part<Detector>(Slot::detector, "pca_residual", "{variance: 0.7}");
  part->profile(ToyExperience(rows.topRows(8), std::vector<int>(8, 1)), work);
  part = reloaded(part, Slot::detector, "pca_residual", "{variance: 0.7}");
  part->profile(ToyExperience(rows, std::vector<int>(14, 1), {}, 8), work);
  part = reloaded(part, Slot::detector, "pca_residual", "{variance: 0.7}");
  const Eigen::RowVectorXd mean = rows.cast<double>().colwise().mean();
  const Eigen::MatrixXd off = rows.cast<double>().rowwise() - mean;
  const Spectrum spectrum = eigen_symmetric(off.transpose() * off);
  Index kept = 0;
  for (double sum = 0.0; sum < 0.7 * spectrum.values.sum(); ++kept) {
    sum += spectrum.values[kept];
  }
  const Eigen::VectorXd expected =
      ((queries.cast<double>().rowwise() - mean) * spectrum.vectors.rightCols(50 - kept))
          .rowwise()
          .norm();
  const std::vector<float> found = looked_at(part, queries);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[static_cast<Index>(i)], 1e-4);
  }
}

}  // namespace
}  // namespace tyto
