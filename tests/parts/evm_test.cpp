// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "parts/toy_experience.hpp"
#include "support/places.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/math/distances.hpp"
#include "tyto/parts/extremes/extreme_vectors.hpp"
#include "tyto/parts/extremes/set_cover.hpp"

namespace tyto {
namespace {

constexpr InclusionForm kPaperForm{false, false}, kLibmrForm{true, false};

const auto kNoPulse = [] {};

struct Letters {
  Matrix rows;
  std::vector<std::int32_t> classes;  // 'A' is 1

  void add(char letter, const std::vector<float>& row) {
    classes.push_back(letter - 'A' + 1);
    rows.conservativeResize(std::ssize(classes), 16);
    rows.row(rows.rows() - 1) = Eigen::Map<const Eigen::RowVectorXf>(row.data(), 16);
  }
};

Letters read_letters(const std::string& file) {
  std::ifstream in(file);
  Letters out;
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    std::string letter;
    std::getline(cells, letter, ',');
    std::vector<float> row;
    for (std::string cell; std::getline(cells, cell, ',');) {
      row.push_back(std::stof(cell));
    }
    out.add(letter[0], row);
  }
  return out;
}

Letters listed_letters(const nlohmann::json& rows) {
  Letters out;
  for (const auto& row : rows) {
    out.add(row.at(0).get<std::string>()[0], row.at(1).get<std::vector<float>>());
  }
  return out;
}

// Points with what a reference makes of them.
struct EvmCheck {
  nlohmann::json expected;
  Letters train, test;
  Index tail = 0, each = 0;  // points of a class, which stand together
  Index known_test = 0;      // the first ones of the test

  [[nodiscard]] ExtremeVectors fitted(InclusionForm form, double cover, Index fuse) const {
    ExtremeVectors vectors({form, tail, 0.5, cover, fuse});
    vectors.add(train.rows, train.classes, kNoPulse);
    return vectors;
  }

  void expect_answers(const ExtremeVectors& vectors, const nlohmann::json& answers) const {
    const Dense<double> strange = vectors.strangeness_of(test.rows);
    Index right = 0;
    for (Index i = 0; i < strange.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      Index best = 0;
      const double psi = std::exp(-std::exp(strange.row(i).minCoeff(&best)));
      const double wanted = answers["max_psi"][at];
      EXPECT_NEAR(psi, wanted, 2e-5 * std::max(wanted, 1e-3)) << i;
      const std::int32_t name = vectors.classes()[static_cast<std::size_t>(best)];
      if (answers.contains("pred") && wanted > 0.0) {
        EXPECT_EQ(std::string(1, static_cast<char>('A' + name - 1)), answers["pred"][at]) << i;
      }
      const std::int32_t said = wanted > 0.0 ? name : 1;  // the reference names A where psi is 0
      right += i < known_test && said == test.classes[at] ? 1 : 0;
    }
    const auto count = static_cast<double>(known_test);
    EXPECT_NEAR(static_cast<double>(right) / count, answers["known_accuracy"], 0.5 / count);
  }
};

// That of tests/golden/make_open_set.py, and letters by libMR where they are at hand.
std::vector<EvmCheck> evm_checks() {
  std::ifstream own(testing_support::in_tree("/tests/golden/open_set.json"));
  const auto small = nlohmann::json::parse(own).at("evm");
  std::vector<EvmCheck> checks{{small, listed_letters(small["train"]),
                                listed_letters(small["test"]), small["tail"].get<Index>(),
                                small["each"].get<Index>(), small["known_test"].get<Index>()}};
  const std::string folder = testing_support::in_tree("/../shared/data/open-set/");
  std::ifstream libmr(folder + "evm_expected.json");
  if (libmr) {
    checks.push_back({nlohmann::json::parse(libmr), read_letters(folder + "evm_train.csv"),
                      read_letters(folder + "evm_test.csv"), 20, 40, 120});
  }
  return checks;
}

TEST(EvmLetters, every_point_has_the_weibull_of_libmr) {
  for (const EvmCheck& check : evm_checks()) {
    const ExtremeVectors vectors = check.fitted(kLibmrForm, 1.0, 1);
    ASSERT_EQ(vectors.points(), check.train.rows);
    ASSERT_EQ(vectors.inclusions().size(), check.expected["weibull"].size());
    for (std::size_t i = 0; i < vectors.inclusions().size(); ++i) {
      const auto& wanted = check.expected["weibull"][i];
      const Inclusion& found = vectors.inclusions()[i];
      EXPECT_NEAR(found.weibull.scale, wanted["scale"], 1e-5 * wanted["scale"].get<double>());
      EXPECT_NEAR(found.weibull.shape, wanted["shape"], 2e-5 * wanted["shape"].get<double>());
      EXPECT_NEAR(found.edge, 1.0 - wanted["small_score"].get<double>(), 1e-6);
    }
  }
}

TEST(EvmLetters, every_point_has_the_weibull_of_the_paper) {
  for (const EvmCheck& check : evm_checks()) {
    const ExtremeVectors vectors = check.fitted(kPaperForm, 1.0, 1);
    for (std::size_t i = 0; i < vectors.inclusions().size(); ++i) {
      const auto& wanted = check.expected["paper_form_full_max"]["weibull"][i];
      const Weibull& found = vectors.inclusions()[i].weibull;
      EXPECT_NEAR(found.scale, wanted["scale"], 1e-6 * wanted["scale"].get<double>());
      EXPECT_NEAR(found.shape, wanted["shape"], 1e-5 * wanted["shape"].get<double>());
    }
  }
}

TEST(EvmLetters, answers_as_the_reference_does_in_all_forms) {
  for (const EvmCheck& check : evm_checks()) {
    const auto& results = check.expected["results"];
    check.expect_answers(check.fitted(kLibmrForm, 0.5, 1), results["reduced_nfuse1"]);
    check.expect_answers(check.fitted(kLibmrForm, 0.5, 4), results["reduced_nfuse4"]);
    check.expect_answers(check.fitted(kLibmrForm, 1.0, 1), results["full_nfuse1"]);
    check.expect_answers(check.fitted(kLibmrForm, 1.0, 4), results["full_nfuse4"]);
    check.expect_answers(check.fitted(kPaperForm, 1.0, 1), check.expected["paper_form_full_max"]);
  }
}

TEST(EvmLetters, keeps_the_points_that_the_greedy_cover_of_the_reference_keeps) {
  for (const EvmCheck& check : evm_checks()) {
    const ExtremeVectors full = check.fitted(kLibmrForm, 1.0, 1);
    std::vector<Index> picked;  // in the order of picking, class by class
    for (Index begin = 0; begin < check.train.rows.rows(); begin += check.each) {
      Vector radius(check.each);
      for (Index i = 0; i < check.each; ++i) {
        radius[i] = static_cast<float>(
            reach(full.inclusions()[static_cast<std::size_t>(begin + i)], 0.5, kLibmrForm));
      }
      for (const Index i : greedy_cover(full.points().middleRows(begin, check.each), radius)) {
        picked.push_back(begin + i);
      }
    }
    EXPECT_EQ(picked, check.expected["kept_indices"].get<std::vector<Index>>());
    const ExtremeVectors reduced = check.fitted(kLibmrForm, 0.5, 1);
    std::sort(picked.begin(), picked.end());
    EXPECT_EQ(reduced.points(), Matrix(check.train.rows(picked, Eigen::all)));
  }
}

TEST(Evm, of_a_hand_worked_case) {
  // On a line: class 1 at 0, class 2 at 4 and 8, class 3 at 6. The tail of 0 is the single margin
  // 4 / 2: a step at 2. So 1.9 belongs to class 1, and 2.1 to nobody: 4's margin is 1.
  Matrix rows(4, 1);
  rows << 0, 4, 8, 6;
  ExtremeVectors vectors({kPaperForm, 1, 0.5, 1.0, 1});
  vectors.add(rows, {1, 2, 2, 3}, kNoPulse);
  ASSERT_EQ(vectors.inclusions().size(), 4U);
  const double margins[] = {2, 1, 1, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(vectors.inclusions()[i].weibull.scale, margins[i], 1e-12);
    EXPECT_EQ(vectors.inclusions()[i].weibull.shape, kSteepestWeibull);
  }
  Matrix queries(2, 1);
  queries << 1.9F, 2.1F;
  const Dense<double> strange = vectors.strangeness_of(queries);
  EXPECT_LT(strange(0, 0), -100);
  EXPECT_GT(strange(0, 1), 100);
  EXPECT_GT(strange.row(1).minCoeff(), 100);
}

TEST(Evm, psi_equals_the_formula_by_brute_force) {
  const ToyClasses toy(4, 30, 6, 3);
  const std::vector<std::int32_t> classes(toy.labels.begin(), toy.labels.end());
  const Matrix queries = 2.0F * random_rows(25, 6, 77);
  for (const bool libmr : {false, true}) {
    for (const bool cosine : {false, true}) {
      for (const Index fuse : {1, 3}) {
        const InclusionForm form{libmr, cosine};
        ExtremeVectors vectors({form, 10, 0.5, 1.0, fuse});
        vectors.add(toy.features, classes, kNoPulse);
        const Dense<double> strange = vectors.strangeness_of(queries);
        for (Index q = 0; q < queries.rows(); ++q) {
          for (Index c = 0; c < 4; ++c) {
            std::vector<double> psi;
            for (std::size_t i = 0; i < vectors.owners().size(); ++i) {
              if (vectors.owners()[i] != vectors.classes()[static_cast<std::size_t>(c)]) {
                continue;
              }
              const auto point = vectors.points().row(static_cast<Index>(i)).cast<double>();
              const Eigen::RowVectorXd query = queries.row(q).cast<double>();
              const double d = cosine ? 1.0 - point.dot(query) / (point.norm() * query.norm())
                                      : (point - query).norm();
              const auto& [weibull, edge] = vectors.inclusions()[i];
              psi.push_back(libmr ? edge > d ? weibull.cdf(edge - d) : 0.0 : 1.0 - weibull.cdf(d));
            }
            std::sort(psi.begin(), psi.end(), std::greater<>());
            double mean = 0;
            for (Index k = 0; k < fuse; ++k) {
              mean += psi[static_cast<std::size_t>(k)] / static_cast<double>(fuse);
            }
            EXPECT_NEAR(std::exp(-std::exp(strange(q, c))), mean, 1e-4);
          }
        }
      }
    }
  }
}

TEST(Evm, refits_exactly_the_vectors_whose_tail_is_hit) {
  // Class 1 at 0 and 100, class 2 at 10 and 90; the tail is one margin. A point of class 2 at 5 is
  // nearer to 0 than 10 was, and no news to 100; class 2 meets only its own.
  Matrix rows(4, 1);
  rows << 0, 100, 10, 90;
  ExtremeVectors vectors({kPaperForm, 1, 0.5, 1.0, 1});
  vectors.add(rows, {1, 1, 2, 2}, kNoPulse);
  const auto change = vectors.add(Matrix::Constant(1, 1, 5.0F), {2}, kNoPulse);
  EXPECT_EQ(change.refitted, (std::vector<Index>{0}));
  EXPECT_EQ(change.fitted, 1);
  EXPECT_NEAR(vectors.inclusions()[0].weibull.scale, 2.5, 1e-9);
  EXPECT_NEAR(vectors.inclusions()[1].weibull.scale, 5.0, 1e-9);
}

TEST(Evm, learns_in_lessons_what_it_learns_at_once) {
  const ToyClasses toy(5, 40, 4, 8, 1.5);
  const std::vector<std::int32_t> classes(toy.labels.begin(), toy.labels.end());
  for (const double cover : {1.0, 0.5}) {
    const EvmSettings settings{kPaperForm, 15, 0.5, cover, 1};
    ExtremeVectors at_once({kPaperForm, 15, 0.5, 1.0, 1});
    at_once.add(toy.features, classes, kNoPulse);
    ExtremeVectors later(settings);
    Index refitted = 0;
    for (Index begin = 0; begin < 200; begin += 40) {
      const std::vector<std::int32_t> some(classes.begin() + begin, classes.begin() + begin + 40);
      refitted += static_cast<Index>(
          later.add(toy.features.middleRows(begin, 40), some, kNoPulse).refitted.size());
    }
    EXPECT_GT(refitted, 0);
    if (cover >= 1.0) {  // the same vectors with the same parameters
      ASSERT_EQ(later.points(), at_once.points());
      for (std::size_t i = 0; i < 200; ++i) {
        EXPECT_EQ(later.inclusions()[i].weibull.scale, at_once.inclusions()[i].weibull.scale);
        EXPECT_EQ(later.inclusions()[i].weibull.shape, at_once.inclusions()[i].weibull.shape);
      }
      continue;
    }
    // A vector kept from the first lesson has met every point: it has the parameters of all at
    // once.
    EXPECT_LT(later.points().rows(), 200);
    Index compared = 0;
    for (Index i = 0; i < later.points().rows(); ++i) {
      for (Index j = 0; j < 40; ++j) {
        if (later.points().row(i) != toy.features.row(j)) {
          continue;
        }
        for (Index k = 0; k < 200; ++k) {
          if (at_once.points().row(k) == toy.features.row(j)) {
            EXPECT_EQ(later.inclusions()[static_cast<std::size_t>(i)].weibull.scale,
                      at_once.inclusions()[static_cast<std::size_t>(k)].weibull.scale);
            ++compared;
          }
        }
      }
    }
    EXPECT_GT(compared, 5);
  }
}

TEST(Evm, a_tail_that_is_a_ratio_grows_with_the_classes) {
  const ToyClasses toy(4, 12, 3, 8, 1.5);
  const auto learned = [&](std::string_view options, bool in_two) {
    auto evm = make_part<Classifier>(Slot::classifier, "evm", options);
    ToyWork work;
    if (in_two) {  // three classes, then all that is remembered and a fourth
      std::vector<Index> three;
      std::vector<int> labels;
      for (Index i = 0; i < toy.features.rows(); ++i) {
        if (toy.labels[static_cast<std::size_t>(i)] < 4) {
          three.push_back(i);
          labels.push_back(toy.labels[static_cast<std::size_t>(i)]);
        }
      }
      evm->learn(ToyExperience(Matrix(toy.features(three, Eigen::all)), labels), work);
    }
    ToyExperience all(toy.features, toy.labels, {}, in_two ? 36 : 0);
    all.starts_over_ = !in_two;
    evm->learn(all, work);
    return classified(*evm.slot, toy.features).logits;
  };
  const Matrix eight = learned("{tail: 8}", false);  // 2 x 4
  EXPECT_EQ(learned("{tail: 2, tail_is_ratio: true}", false), eight);
  EXPECT_EQ(learned("{tail: 2, tail_is_ratio: true}", true), eight);
  EXPECT_NE(learned("{tail: 2}", false), eight);
  // 100 x 4 is more than there are points: all of other classes count.
  EXPECT_EQ(learned("{tail: 100, tail_is_ratio: true}", false), learned("{tail: 36}", false));
}

TEST(Evm, a_tail_that_is_a_ratio_is_refused_where_nothing_is_remembered) {
  const ToyClasses toy(2, 6, 3, 8, 1.5);
  auto evm = make_part<Classifier>(Slot::classifier, "evm", "{tail: 2, tail_is_ratio: true}");
  ToyWork work;
  evm->learn(ToyExperience(toy.features, toy.labels), work);
  ToyExperience later(toy.features, std::vector<int>(12, 3));
  later.starts_over_ = false;
  try {
    evm->learn(later, work);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "evm: tail_is_ratio fits all samples anew, but none of the class \"c1\" is "
                 "remembered; take a memory that keeps them (memory: unlimited)");
  }
}

TEST(Evm, of_one_class_alone_goes_by_distance) {
  Matrix rows(3, 1);
  rows << -1, 0, 1;  // mean 0, squares 2 / 3
  for (const InclusionForm form : {kPaperForm, kLibmrForm}) {
    ExtremeVectors vectors({form, 5, 0.5, 0.5, 1});
    vectors.add(rows, {4, 4, 4}, kNoPulse);
    EXPECT_EQ(vectors.points().rows(), 3);  // without margins nothing is dropped
    Matrix queries(3, 1);
    queries << 1.5F, 3, 30;
    const Dense<double> strange = vectors.strangeness_of(queries);
    EXPECT_LT(strange(0, 0), strange(1, 0));
    EXPECT_LT(strange(1, 0), strange(2, 0));
    if (!form.libmr) {
      EXPECT_NEAR(std::exp(-std::exp(strange(0, 0))), std::exp(-0.25 / (2.0 / 3.0)), 1e-6);
    }
    vectors.add(Matrix::Constant(1, 1, 9.0F), {5}, kNoPulse);
    EXPECT_EQ(vectors.classes(), (std::vector<std::int32_t>{4, 5}));
    EXPECT_TRUE(vectors.strangeness_of(queries).allFinite());
  }
}

TEST(Evm, is_defined_for_duplicates_of_other_classes_and_equal_rows) {
  Matrix rows(6, 2);
  rows << 1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 2, 7;
  for (const InclusionForm form : {kPaperForm, kLibmrForm, InclusionForm{false, true}}) {
    for (const Index count : {4, 6}) {
      ExtremeVectors vectors({form, 3, 0.5, 0.5, 2});
      const std::vector<std::int32_t> classes{1, 2, 1, 2, 1, 3};
      vectors.add(rows.topRows(count), {classes.begin(), classes.begin() + count}, kNoPulse);
      EXPECT_TRUE(vectors.strangeness_of(rows).allFinite());
      EXPECT_TRUE(vectors.strangeness_of(Matrix::Zero(1, 2)).allFinite());
      EXPECT_TRUE(vectors.strangeness_of(Matrix::Constant(1, 2, 1e6F)).allFinite());
    }
  }
}

TEST(Evm, logits_are_logarithms_of_psi_and_novelty_falls_with_the_best) {
  const ToyClasses toy(3, 30, 5, 4);
  const auto evm = make_part<Classifier>(Slot::classifier, "evm", "{tail: 10}");
  ToyWork work;
  evm->learn(ToyExperience(toy.features, toy.labels), work);
  Matrix queries = random_rows(40, 5, 9);
  queries.row(0) = toy.features.row(0);
  queries.row(1).setConstant(1e4F);
  Evidence evidence = classified(*evm.slot, queries);
  ASSERT_EQ(evidence.classes, toy_labels({1, 2, 3}));
  EXPECT_TRUE(evidence.logits.allFinite());
  EXPECT_LE(evidence.logits.maxCoeff(), 0.0F);
  auto* detector = dynamic_cast<Detector*>(evm.part.get());
  detector->profile(ToyExperience(toy.features, toy.labels), work);  // learned already: no effect
  detector->detect(evidence);
  for (Index i = 0; i < 40; ++i) {
    const double log_psi =
        -std::exp(static_cast<double>(evidence.novelty[static_cast<std::size_t>(i)]));
    if (log_psi > -1e6) {
      EXPECT_NEAR(evidence.logits.row(i).maxCoeff(), log_psi, 1e-5 * (1 - log_psi));
    }
  }
  EXPECT_EQ(
      std::max_element(evidence.novelty.begin(), evidence.novelty.end()) - evidence.novelty.begin(),
      1);
  EXPECT_FALSE(detector->own_threshold().has_value());
  const auto strict = make_part<Detector>(Slot::detector, "evm", "{delta: 0.5}");
  EXPECT_NEAR(*strict->own_threshold(), std::log(std::log(2.0)), 1e-6);
}

TEST(Evm, gives_the_rest_to_unknown_where_asked) {
  const ToyClasses toy(3, 30, 5, 4);
  const auto evm = make_part<Classifier>(Slot::classifier, "evm", "{unknown: true}");
  ToyWork work;
  evm->learn(ToyExperience(toy.features, toy.labels), work);
  const Evidence evidence = classified(*evm.slot, random_rows(20, 5, 10));
  ASSERT_EQ(evidence.classes.back(), Label::unknown);
  for (Index i = 0; i < 20; ++i) {
    const double best = std::exp(static_cast<double>(evidence.logits.row(i).head(3).maxCoeff()));
    EXPECT_NEAR(std::exp(static_cast<double>(evidence.logits(i, 3))), 1.0 - best, 1e-6);
  }
}

TEST(Evm, works_in_the_slot_detector_alone) {
  const ToyClasses toy(3, 30, 5, 4);
  const auto both = make_part<Classifier>(Slot::classifier, "evm");
  const auto alone = make_part<Detector>(Slot::detector, "evm");
  ToyWork work;
  const std::vector<Role> roles(90, Role::fit);
  both->learn(ToyExperience(toy.features, toy.labels, roles), work);
  alone->profile(ToyExperience(toy.features, toy.labels, roles), work);
  Evidence a = toy_evidence(random_rows(10, 5, 2));
  Evidence b = a;
  dynamic_cast<Detector*>(both.part.get())->detect(a);
  alone->detect(b);
  EXPECT_EQ(a.novelty, b.novelty);
  Evidence joint = classified(*both.slot, a.features);  // what its own logits tell
  joint.classifier = both.slot;
  dynamic_cast<Detector*>(both.part.get())->detect(joint);
  for (std::size_t i = 0; i < a.novelty.size(); ++i) {
    EXPECT_NEAR(joint.novelty[i], a.novelty[i], 1e-5 * (1 + std::abs(a.novelty[i])));
  }
  Evidence c = toy_evidence(a.features);
  const auto again = reloaded(alone, Slot::detector, "evm");
  again->detect(c);
  EXPECT_EQ(a.novelty, c.novelty);
  EXPECT_THROW(make_part<Detector>(Slot::detector, "evm")->detect(c), Error);
}

}  // namespace
}  // namespace tyto
