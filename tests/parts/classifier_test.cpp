// SPDX-License-Identifier: Apache-2.0
#include "parts/toy_experience.hpp"
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "tyto/math/covariance.hpp"
#include "tyto/math/softmax.hpp"

namespace tyto {
namespace {

constexpr Slot kClassifies = Slot::classifier;

TEST(Ncm, of_a_hand_worked_case) {
  Matrix rows(4, 1);
  rows << 0, 2, 10, 12;  // means 1 and 11; scatter 4 over n - k = 2: s^2 = 2
  ToyWork work;
  auto ncm = make_part<Classifier>(kClassifies, "ncm");
  ncm->learn(ToyExperience(rows, {1, 1, 2, 2}), work);
  const Evidence out = classified(*ncm.slot, Matrix::Constant(1, 1, 3.0F));
  EXPECT_EQ(out.classes, toy_labels({1, 2}));
  EXPECT_NEAR(out.logits(0, 0), -4.0 / 4.0, 1e-5);
  EXPECT_NEAR(out.logits(0, 1), -64.0 / 4.0, 1e-5);
}

TEST(Ncm, has_an_answer_for_one_sample_per_class_and_for_one_point) {
  Matrix rows(2, 1);
  rows << 0, 4;  // no spread within: means 2 off their middle, s^2 = 4
  ToyWork work;
  auto ncm = make_part<Classifier>(kClassifies, "ncm");
  ncm->learn(ToyExperience(rows, {1, 2}), work);
  EXPECT_NEAR(classified(*ncm.slot, Matrix::Zero(1, 1)).logits(0, 1), -16.0 / 8.0, 1e-5);
  ncm->learn(ToyExperience(Matrix::Ones(3, 2), {1, 1, 2}), work);
  EXPECT_EQ(classified(*ncm.slot, Matrix::Ones(1, 2)).logits, Matrix::Zero(1, 2));
}

TEST(Slda, equals_batch_discriminants_with_the_same_covariance) {
  const ToyClasses toy(4, 30, 6, 11);
  ToyWork work;
  for (const bool counts : {false, true}) {
    std::vector<int> labels = toy.labels;
    std::fill(labels.begin(), labels.begin() + 20, 2);  // unequal counts
    auto slda = make_part<Classifier>(
        kClassifies, "slda", counts ? "{shrinkage: 0.1, prior: counts}" : "{shrinkage: 0.1}");
    slda->learn(ToyExperience(toy.features, labels), work);

    ClassStatistics statistics(Scatter::full);
    statistics.add(toy.features, std::vector<std::int32_t>(labels.begin(), labels.end()));
    const Eigen::MatrixXd inverse = shrunk_covariance(statistics, 0.1).inverse();
    const Dense<double> means = statistics.means();
    const Matrix probability = softmax(classified(*slda.slot, toy.features).logits);
    for (Index i = 0; i < toy.features.rows(); ++i) {
      const Eigen::VectorXd x = toy.features.row(i).cast<double>().transpose();
      Eigen::ArrayXd direct(4);
      for (Index c = 0; c < 4; ++c) {
        const Eigen::VectorXd mu = means.row(c).transpose();
        const auto n = static_cast<double>(statistics.counts()[static_cast<std::size_t>(c)]);
        direct[c] =
            x.dot(inverse * mu) - 0.5 * mu.dot(inverse * mu) + (counts ? std::log(n / 120.0) : 0.0);
      }
      direct = (direct - direct.maxCoeff()).exp();
      direct /= direct.sum();
      for (Index c = 0; c < 4; ++c) {
        EXPECT_NEAR(probability(i, c), direct[c], 1e-4);
      }
    }
  }
}

TEST(Slda, of_a_hand_worked_case) {
  Matrix rows(4, 1);
  rows << 0, 2, 10, 12;  // means 1, 11 about 6: -5, 5; variance 2; one column: shrinkage is void
  ToyWork work;
  auto slda = make_part<Classifier>(kClassifies, "slda");
  slda->learn(ToyExperience(rows, {1, 1, 2, 2}), work);
  const Evidence out = classified(*slda.slot, Matrix::Constant(1, 1, 7.0F));
  EXPECT_NEAR(out.logits(0, 0), -5.0 / 2 - 25.0 / 4, 1e-5);  // (7 - 6)(-5) / 2 - 25 / 4
  EXPECT_NEAR(out.logits(0, 1), 5.0 / 2 - 25.0 / 4, 1e-5);
}

TEST(Slda, is_finite_with_fewer_samples_than_columns_and_constant_features) {
  ToyWork work;
  auto slda = make_part<Classifier>(kClassifies, "slda");
  Matrix rows = random_rows(6, 50, 12);
  rows.col(7).setConstant(3.0F);
  slda->learn(ToyExperience(rows, {1, 1, 2, 2, 3, 3}), work);
  const Matrix logits = classified(*slda.slot, rows).logits;
  EXPECT_TRUE(logits.allFinite());
  slda->learn(ToyExperience(rows, {1, 2, 3, 4, 5, 6}), work);  // one sample each: no covariance
  Index best = 0;
  classified(*slda.slot, rows).logits.row(3).maxCoeff(&best);
  EXPECT_EQ(best, 3);
}

// (H'H + strength I)^-1 H'Y with a column of ones, in double.
Matrix direct_ridge_scores(const Matrix& rows, const std::vector<int>& labels, double strength) {
  Eigen::MatrixXd h(rows.rows(), rows.cols() + 1);
  h << rows.cast<double>(), Eigen::VectorXd::Ones(rows.rows());
  Eigen::MatrixXd y = Eigen::MatrixXd::Zero(rows.rows(), 3);
  for (Index i = 0; i < rows.rows(); ++i) {
    y(i, labels[static_cast<std::size_t>(i)] - 1) = 1;
  }
  const Eigen::MatrixXd gram =
      h.transpose() * h + strength * Eigen::MatrixXd::Identity(h.cols(), h.cols());
  return (h * gram.ldlt().solve(h.transpose() * y)).cast<float>();
}

TEST(Ridge, equals_the_closed_form) {
  const ToyClasses toy(3, 20, 5, 13);
  ToyWork work;
  auto ridge =
      make_part<Classifier>(kClassifies, "ridge", "{projection: 0, strength: 2.5, scale: 1}");
  ridge->learn(ToyExperience(toy.features, toy.labels), work);
  const Matrix expected = direct_ridge_scores(toy.features, toy.labels, 2.5);
  EXPECT_LT((classified(*ridge.slot, toy.features).logits - expected).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Ridge, of_a_hand_worked_case) {
  Matrix rows(2, 1);
  rows << 1, -1;  // with ones: G = 2 I; y differs in sign only. W = C / (2 + 2)
  ToyWork work;
  auto ridge =
      make_part<Classifier>(kClassifies, "ridge", "{projection: 0, strength: 2, scale: 1}");
  ridge->learn(ToyExperience(rows, {1, 2}), work);
  // C of class 1: h = (1, 1); weights (1/4, 1/4); score at x = 3: 3/4 + 1/4
  EXPECT_NEAR(classified(*ridge.slot, Matrix::Constant(1, 1, 3.0F)).logits(0, 0), 1.0, 1e-6);
  // class 2: h = (-1, 1): -3/4 + 1/4
  EXPECT_NEAR(classified(*ridge.slot, Matrix::Constant(1, 1, 3.0F)).logits(0, 1), -0.5, 1e-6);
}

TEST(Ridge, chooses_the_strength_with_the_least_held_out_error) {
  const ToyClasses toy(3, 60, 20, 14, 0.3);  // hardly apart: a strong penalty helps
  std::vector<Role> roles;
  std::vector<Index> held;
  for (Index i = 0; i < 180; ++i) {
    roles.push_back(i % 4 < 2 ? Role::fit : Role::hold);
    if (i % 4 >= 2) {
      held.push_back(i);
    }
  }
  const ToyExperience experience(toy.features, toy.labels, roles);
  const auto error = [&](const std::string& strength) {
    ToyWork work;
    auto ridge = make_part<Classifier>(kClassifies, "ridge",
                                       "{projection: 0, scale: 1, strength: " + strength + "}");
    ridge->learn(experience, work);
    const Matrix scores = classified(*ridge.slot, experience.features(held)).logits;
    double sum = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
      Eigen::RowVectorXd wanted = Eigen::RowVectorXd::Zero(3);
      wanted[toy.labels[static_cast<std::size_t>(held[i])] - 1] = 1;
      sum += (scores.row(static_cast<Index>(i)).cast<double>() - wanted).squaredNorm();
    }
    return sum;
  };
  const double chosen = error("0");
  for (const char* strength : {"1e-6", "0.01", "1", "1e4"}) {
    EXPECT_LE(chosen, error(strength) * 1.02) << strength;  // the grid has steps of ten
  }
}

TEST(Ridge, solves_what_a_line_cannot_by_its_projection) {
  const Matrix rows = random_rows(400, 2, 15);
  std::vector<int> labels;
  for (Index i = 0; i < 400; ++i) {
    labels.push_back(rows(i, 0) * rows(i, 1) > 0 ? 1 : 2);
  }
  ToyWork work;
  const auto accuracy = [&](const char* options) {
    auto ridge = make_part<Classifier>(kClassifies, "ridge", options);
    ridge->learn(ToyExperience(rows, labels), work);
    const Matrix logits = classified(*ridge.slot, rows).logits;
    double right = 0;
    for (Index i = 0; i < 400; ++i) {
      right += (logits(i, 0) > logits(i, 1)) == (labels[static_cast<std::size_t>(i)] == 1);
    }
    return right / 400;
  };
  EXPECT_LT(accuracy("{projection: 0}"), 0.7);
  EXPECT_GT(accuracy("{projection: 200}"), 0.9);
}

TEST(Ridge, makes_logits_whose_softmax_fits_the_held_out_samples) {
  ToyClasses toy(3, 200, 4, 16, 0.6);
  std::vector<Role> roles;
  for (Index i = 0; i < 600; ++i) {
    roles.push_back(i % 2 == 0 ? Role::fit : Role::hold);
  }
  ToyWork work;
  auto ridge = make_part<Classifier>(kClassifies, "ridge", "{projection: 50}");
  ridge->learn(ToyExperience(toy.features, toy.labels, roles), work);
  const Matrix probability = softmax(classified(*ridge.slot, toy.features).logits);
  double confidence = 0;
  double right = 0;
  for (Index i = 1; i < 600; i += 2) {
    Index best = 0;
    confidence += static_cast<double>(probability.row(i).maxCoeff(&best));
    right += static_cast<double>(best + 1 == toy.labels[static_cast<std::size_t>(i)]);
  }
  EXPECT_NEAR(confidence / 300, right / 300, 0.05);
}

TEST(Precomputed, matches_columns_by_name) {
  Matrix logits(2, 4);
  logits << 1, 2, 3, 4, 5, 6, 7, 8;
  std::vector<DenseStore::Source> sources{{"features", Matrix::Zero(2, 1), {}},
                                          {"logits", logits, {"c3", "zebra", "unknown", "c1"}}};
  Samples::Table table{{SampleId{0}, SampleId{1}}, {0, 1}, {}, {}, {}};
  const Samples samples(std::make_shared<const DenseStore>(std::move(sources)), table);
  ToyWork work;
  auto part = make_part<Classifier>(kClassifies, "precomputed", "{absent: lowest}");
  EXPECT_EQ(part.part->needs().sources, (std::vector<std::string>{"logits"}));
  part->learn(ToyExperience(samples, {1, 3}), work);
  Evidence evidence;
  evidence.samples = samples;
  part->classify(evidence);
  EXPECT_EQ(evidence.classes, toy_labels({1, 2, 3, 0}));
  Matrix expected(2, 4);
  expected << 4, 1 - 30, 1, 3, 8, 5 - 30, 5, 7;  // c2 has no column: the row's least less 30
  EXPECT_EQ(evidence.logits, expected);
}

Samples with_logits(const Matrix& logits, std::vector<std::string> names) {
  std::vector<DenseStore::Source> sources{{"features", Matrix::Zero(logits.rows(), 1), {}},
                                          {"logits", logits, std::move(names)}};
  Samples::Table table;
  for (Index i = 0; i < logits.rows(); ++i) {
    table.id.push_back(static_cast<SampleId>(i));
    table.row.push_back(i);
  }
  return Samples(std::make_shared<const DenseStore>(std::move(sources)), std::move(table));
}

TEST(Precomputed, shows_a_class_from_the_lesson_on_that_names_it) {
  Matrix logits(2, 3);
  logits << 1, 2, 3, 4, 5, 6;
  const Samples samples = with_logits(logits, {"c2", "c3", "c1"});
  ToyWork work;
  auto part = make_part<Classifier>(kClassifies, "precomputed");
  Evidence evidence;
  evidence.samples = samples;
  part->classify(evidence);
  EXPECT_TRUE(evidence.classes.empty());
  part->learn(ToyExperience(samples, {1, 2}), work);
  part->classify(evidence);
  EXPECT_EQ(evidence.classes, toy_labels({1, 2}));
  EXPECT_EQ(evidence.logits, Matrix(logits(Eigen::all, std::vector<Index>{2, 0})));
  part->learn(ToyExperience(samples, {1, 3}), work);
  part->classify(evidence);
  EXPECT_EQ(evidence.classes, toy_labels({1, 2, 3}));
  EXPECT_EQ(evidence.logits, Matrix(logits(Eigen::all, std::vector<Index>{2, 0, 1})));
  // The names alone are saved.
  State state;
  part.part->save(state);
  auto again = make_part<Classifier>(kClassifies, "precomputed");
  again.part->load(state, EmptyShelf());
  Evidence seen_again;
  seen_again.samples = samples;
  again->classify(seen_again);
  EXPECT_EQ(seen_again.classes, evidence.classes);
  EXPECT_EQ(seen_again.logits, evidence.logits);
}

TEST(Precomputed, makes_impossible_classes_finite_and_refuses_what_is_no_score) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  Matrix logits(3, 3);
  logits << 2, kNever, 1, -500, kNever, 0, kNever, kNever, 7;
  const Samples samples = with_logits(logits, {"c1", "c2", "c3"});
  ToyWork work;
  auto part = make_part<Classifier>(kClassifies, "precomputed");
  part->learn(ToyExperience(samples, {1, 2, 1}), work);
  Evidence evidence;
  evidence.samples = samples;
  part->classify(evidence);
  // 103 below the row's greatest, also where that is a class not shown; -500 is lower than that.
  Matrix expected(3, 2);
  expected << 2, 2 - 103, -500, -500, 7 - 103, 7 - 103;
  EXPECT_EQ(evidence.logits, expected);

  const auto refused = [&](float number) -> std::string {
    Matrix bad = Matrix::Zero(2, 3);
    bad.row(1).setConstant(number);
    evidence.samples = with_logits(bad, {"c1", "c2", "c3"});
    try {
      part->classify(evidence);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string place = "source \"logits\" of a batch of 2: row 2";
  EXPECT_EQ(refused(std::numeric_limits<float>::quiet_NaN()).substr(0, place.size()), place);
  EXPECT_EQ(refused(-kNever).substr(0, place.size()), place);
  EXPECT_EQ(refused(kNever).substr(0, place.size()), place);
}

TEST(Precomputed, says_what_is_wrong_with_the_columns) {
  ToyWork work;
  const auto problem = [&](std::vector<std::string> names, const char* options) -> std::string {
    const Samples samples = with_logits(Matrix::Zero(1, 2), std::move(names));
    auto part = make_part<Classifier>(kClassifies, "precomputed", options);
    Evidence evidence;
    evidence.samples = samples;
    try {
      part->learn(ToyExperience(samples, {1}), work);
      part->classify(evidence);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem({}, "{}"),
            "source \"logits\" has no column names; they are the names of the classes");
  EXPECT_EQ(problem({}, "{source: features}"),
            "source \"features\" has no column names; they are the names of the classes");
  EXPECT_EQ(problem({"c1", "c1"}, "{}"), "source \"logits\" has two columns called \"c1\"");
  EXPECT_EQ(problem({"C1", "zebra"}, "{}"),
            "the class \"c1\" has no column in source \"logits\" (did you mean \"C1\"?); `absent: "
            "lowest` accepts classes that the model never knew");
  EXPECT_EQ(problem({"a", "b"}, "{absent: lowest}"),
            "no column of source \"logits\" bears the name of a known class; the first column is "
            "\"a\", the first known class \"c1\"");
  EXPECT_EQ(problem({"a", "c1"}, "{}"), "");
}

TEST(Precomputed, forgets_nothing_by_a_lesson_it_refuses) {
  ToyWork work;
  auto part = make_part<Classifier>(kClassifies, "precomputed");
  const Samples samples = with_logits(Matrix::Zero(1, 2), {"c1", "c2"});
  part->learn(ToyExperience(samples, {2}), work);
  EXPECT_THROW(part->learn(ToyExperience(samples, {3}), work), Error);
  Evidence evidence;
  evidence.samples = samples;
  part->classify(evidence);
  EXPECT_EQ(evidence.classes, toy_labels({1, 2}));
}

constexpr const char* kLearners[] = {"ncm", "slda", "ridge", "fecam"};

// A projection of the standard width would take seconds.
const char* quick_options(std::string_view name) {
  return name == "ridge" ? "{projection: 30}" : "{}";
}

TEST(StreamingClassifiers, learn_in_three_lessons_what_they_learn_in_one) {
  const ToyClasses toy(5, 24, 7, 17);
  std::vector<Role> roles;
  for (Index i = 0; i < 120; ++i) {
    roles.push_back(i % 6 == 5 ? Role::hold : Role::fit);
  }
  const auto first = [&](Index n, Index fresh) {
    return ToyExperience(toy.features.topRows(n), {toy.labels.begin(), toy.labels.begin() + n},
                         {roles.begin(), roles.begin() + n}, fresh);
  };
  for (const char* name : kLearners) {
    const char* options = quick_options(name);
    ToyWork work;
    auto once = make_part<Classifier>(kClassifies, name, options);
    once->learn(first(120, 0), work);
    auto thrice = make_part<Classifier>(kClassifies, name, options);
    thrice->learn(first(3, 0), work);
    thrice->learn(first(50, 3), work);
    thrice = reloaded(thrice, kClassifies, name, options);
    thrice->learn(first(120, 50), work);
    const Evidence a = classified(*once.slot, toy.features);
    const Evidence b = classified(*thrice.slot, toy.features);
    EXPECT_EQ(a.classes, b.classes);
    EXPECT_LT((softmax(a.logits) - softmax(b.logits)).cwiseAbs().maxCoeff(), 1e-4) << name;
  }
}

TEST(StreamingClassifiers, forget_nothing_where_the_memory_keeps_nothing) {
  const ToyClasses toy(4, 20, 5, 18);
  for (const char* name : kLearners) {
    const char* options = std::string_view(name) == "ridge" ? "{projection: 0, scale: 1}" : "{}";
    ToyWork work;
    auto once = make_part<Classifier>(kClassifies, name, options);
    once->learn(ToyExperience(toy.features, toy.labels), work);
    auto twice = make_part<Classifier>(kClassifies, name, options);
    twice->learn(
        ToyExperience(toy.features.topRows(50), {toy.labels.begin(), toy.labels.begin() + 50}),
        work);
    ToyExperience rest(toy.features.bottomRows(30), {toy.labels.begin() + 50, toy.labels.end()});
    rest.starts_over_ = false;  // fresh() is 0 all the same
    twice->learn(rest, work);
    EXPECT_LT((softmax(classified(*once.slot, toy.features).logits) -
               softmax(classified(*twice.slot, toy.features).logits))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-4)
        << name;
  }
}

TEST(StreamingClassifiers, start_again_when_the_features_have_moved) {
  const ToyClasses one(3, 10, 4, 19);
  const ToyClasses other(3, 10, 6, 20);  // another width as well
  for (const char* name : kLearners) {
    ToyWork work;
    auto moved = make_part<Classifier>(kClassifies, name, quick_options(name));
    moved->learn(ToyExperience(one.features, one.labels), work);
    moved->learn(ToyExperience(other.features, other.labels), work);
    auto plain = make_part<Classifier>(kClassifies, name, quick_options(name));
    plain->learn(ToyExperience(other.features, other.labels), work);
    EXPECT_EQ(classified(*moved.slot, other.features).logits,
              classified(*plain.slot, other.features).logits)
        << name;
  }
}

TEST(StreamingClassifiers, answer_the_same_after_save_and_load) {
  const ToyClasses toy(3, 10, 4, 21);
  for (const char* name : kLearners) {
    ToyWork work;
    auto part = make_part<Classifier>(kClassifies, name, quick_options(name));
    EXPECT_EQ(classified(*reloaded(part, kClassifies, name, quick_options(name)).slot, toy.features)
                  .logits.cols(),
              0);
    part->learn(ToyExperience(toy.features, toy.labels), work);
    const auto again = reloaded(part, kClassifies, name, quick_options(name));
    EXPECT_EQ(classified(*part.slot, toy.features).logits,
              classified(*again.slot, toy.features).logits)
        << name;
  }
}

TEST(StreamingClassifiers, give_an_empty_answer_to_an_empty_batch) {
  const ToyClasses toy(3, 10, 4, 24);
  for (const char* name : kLearners) {
    ToyWork work;
    auto part = make_part<Classifier>(kClassifies, name, quick_options(name));
    part->learn(ToyExperience(toy.features, toy.labels), work);
    Evidence evidence;
    part->classify(evidence);
    EXPECT_EQ(evidence.logits.rows(), 0);
    EXPECT_EQ(evidence.logits.cols(), 3);
  }
}

TEST(StreamingClassifiers, do_not_mind_the_order_of_rows) {
  const ToyClasses toy(3, 20, 4, 22);
  const std::vector<Index> order = Rng(5).permutation(60);
  Matrix shuffled(60, 4);
  std::vector<int> labels;
  for (Index i = 0; i < 60; ++i) {
    shuffled.row(i) = toy.features.row(order[static_cast<std::size_t>(i)]);
    labels.push_back(toy.labels[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]);
  }
  for (const char* name : kLearners) {
    ToyWork work;
    auto straight = make_part<Classifier>(kClassifies, name, quick_options(name));
    straight->learn(ToyExperience(toy.features, toy.labels), work);
    auto mixed = make_part<Classifier>(kClassifies, name, quick_options(name));
    mixed->learn(ToyExperience(shuffled, labels), work);
    const Matrix a = softmax(classified(*straight.slot, shuffled).logits);
    const Matrix b = softmax(classified(*mixed.slot, shuffled).logits);
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-4) << name;
  }
}

TEST(StreamingClassifiers, ignore_held_out_and_unlabelled_rows) {
  ToyClasses toy(2, 10, 3, 23);
  std::vector<int> labels = toy.labels;
  std::vector<Role> roles(20, Role::fit);
  toy.features.row(0).setConstant(1000.0F);
  toy.features.row(1).setConstant(-1000.0F);
  labels[0] = 0;
  roles[1] = Role::hold;
  for (const char* name : kLearners) {
    const char* options =
        std::string_view(name) == "ridge" ? "{strength: 1, scale: 1, projection: 0}" : "{}";
    ToyWork work;
    auto all = make_part<Classifier>(kClassifies, name, options);
    all->learn(ToyExperience(toy.features, labels, roles), work);
    auto rest = make_part<Classifier>(kClassifies, name, options);
    rest->learn(ToyExperience(toy.features.bottomRows(18), {labels.begin() + 2, labels.end()}),
                work);
    EXPECT_LT((classified(*all.slot, toy.features.bottomRows(18)).logits -
               classified(*rest.slot, toy.features.bottomRows(18)).logits)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-4)
        << name;
  }
}

}  // namespace
}  // namespace tyto
