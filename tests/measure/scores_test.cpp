// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/scores.hpp"

#include <cmath>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using Words = std::vector<std::string>;

Words random_words(Rng& rng, Index n, Index classes, Index first = 0) {
  Words words;
  for (Index i = 0; i < n; ++i) {
    words.push_back("c" + std::to_string(first + rng.below(classes)));
  }
  return words;
}

double naive_entropy(const Words& words) {
  std::map<std::string, double> counts;
  for (const auto& word : words) {
    counts[word] += 1;
  }
  double sum = 0;
  for (const auto& [word, count] : counts) {
    const double p = count / static_cast<double>(words.size());
    sum -= p * std::log(p);
  }
  return sum;
}

double naive_information(const Words& a, const Words& b) {  // H(a) + H(b) - H(a, b)
  Words joint;
  for (std::size_t i = 0; i < a.size(); ++i) {
    joint.push_back(a[i] + "|" + b[i]);
  }
  return naive_entropy(a) + naive_entropy(b) - naive_entropy(joint);
}

// The correlation of one-hot vectors, by definition.
double naive_mcc(const Words& a, const Words& b) {
  const auto n = static_cast<double>(a.size());
  std::map<std::string, std::pair<double, double>> counts;
  for (std::size_t i = 0; i < a.size(); ++i) {
    counts[a[i]].first += 1;
    counts[b[i]].second += 1;
  }
  double xy = 0, xx = 0, yy = 0;
  for (const auto& [word, count] : counts) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double x = (a[i] == word ? 1.0 : 0.0) - count.first / n;
      const double y = (b[i] == word ? 1.0 : 0.0) - count.second / n;
      xy += x * y;
      xx += x * x;
      yy += y * y;
    }
  }
  return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

TEST(Scores, of_the_worked_example_of_mutual_information) {
  const auto m = Confusion::from(Words{"3", "2", "0", "0", "4"}, Words{"4", "2", "3", "0", "1"});
  EXPECT_NEAR(*mutual_information(m), 1.332179, 1e-6);
  EXPECT_NEAR(*nmi(m), 0.905746, 1e-6);
  EXPECT_DOUBLE_EQ(*accuracy(m), 0.4);
  EXPECT_NEAR(*mcc(m), 0.263523, 1e-6);
}

TEST(Scores, are_missing_for_an_empty_matrix) {
  const Confusion labels_only(Words{"a", "b"});
  for (const Confusion& m : {Confusion(), labels_only}) {
    EXPECT_FALSE(accuracy(m));
    EXPECT_FALSE(balanced_accuracy(m));
    EXPECT_FALSE(mcc(m));
    EXPECT_FALSE(mutual_information(m));
    EXPECT_FALSE(nmi(m));
  }
  EXPECT_FALSE(entropy({}));
}

TEST(Scores, of_one_class_called_right) {
  const auto m = Confusion::from(Words{"a", "a"}, Words{"a", "a"});
  EXPECT_EQ(accuracy(m), 1.0);
  EXPECT_EQ(mcc(m), 0.0);  // nothing varies
  EXPECT_EQ(mutual_information(m), 0.0);
  EXPECT_EQ(nmi(m), 1.0);  // one group against one group
}

TEST(Scores, of_one_class_called_another_throughout) {
  const auto m = Confusion::from(Words{"a", "a"}, Words{"b", "b"});
  EXPECT_EQ(accuracy(m), 0.0);
  EXPECT_EQ(mcc(m), 0.0);
  EXPECT_EQ(nmi(m), 1.0);  // names need not agree
}

TEST(Scores, of_everything_called_one_class) {
  const auto m = Confusion::from(Words{"a", "a", "a", "b"}, Words{"a", "a", "a", "a"});
  EXPECT_EQ(accuracy(m), 0.75);
  EXPECT_EQ(balanced_accuracy(m), 0.5);
  EXPECT_EQ(mcc(m), 0.0);
  EXPECT_EQ(mutual_information(m), 0.0);
  EXPECT_EQ(nmi(m), 0.0);
}

TEST(Scores, balanced_accuracy_passes_over_classes_without_samples) {
  // a: 1 of 2, b: 1 of 1; c is only ever predicted: (1/2 + 1) / 2
  const auto m = Confusion::from(Words{"a", "a", "b"}, Words{"a", "c", "b"});
  EXPECT_DOUBLE_EQ(*balanced_accuracy(m), 0.75);
}

TEST(Scores, mcc_of_exchanged_classes_is_minus_one) {
  EXPECT_DOUBLE_EQ(*mcc(Confusion::from(Words{"a", "a", "b", "b"}, Words{"b", "b", "a", "a"})), -1);
}

TEST(Scores, entropy_of_equal_halves_is_ln_2) {
  const std::vector<Confusion::Count> halves = {5, 0, 5};
  EXPECT_DOUBLE_EQ(*entropy(halves), std::log(2.0));
}

TEST(Scores, mcc_of_two_classes_is_the_binary_formula) {
  Rng rng(1, "binary");
  for (int trial = 0; trial < 50; ++trial) {
    const double tp = static_cast<double>(rng.below(50)), fp = static_cast<double>(rng.below(50));
    const double fn = static_cast<double>(rng.below(50)), tn = static_cast<double>(rng.below(50));
    Confusion m;
    m.add("p", "p", static_cast<Confusion::Count>(tp));
    m.add("p", "n", static_cast<Confusion::Count>(fn));
    m.add("n", "p", static_cast<Confusion::Count>(fp));
    m.add("n", "n", static_cast<Confusion::Count>(tn));
    const double below = std::sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn));
    EXPECT_NEAR(mcc(m).value_or(0), below == 0 ? 0 : (tp * tn - fp * fn) / below, 1e-12);
  }
}

TEST(Scores, agree_with_their_definitions_on_random_names) {
  Rng rng(2, "definitions");
  for (int trial = 0; trial < 40; ++trial) {
    const Index n = 1 + rng.below(200);
    const Words a = random_words(rng, n, 1 + rng.below(8));
    Words b = random_words(rng, n, 1 + rng.below(8), rng.below(4));
    for (std::size_t i = 0; i < b.size(); i += 2) {
      b[i] = a[i];
    }
    const auto m = Confusion::from(a, b);
    const double information = naive_information(a, b);
    const double mean = (naive_entropy(a) + naive_entropy(b)) / 2;
    EXPECT_NEAR(*mutual_information(m), information, 1e-12);
    EXPECT_NEAR(*nmi(m), mean == 0 ? 1 : information / mean, 1e-12);
    EXPECT_NEAR(*mcc(m), naive_mcc(a, b), 1e-12);
  }
}

TEST(Scores, do_not_depend_on_the_order_of_samples_or_labels) {
  Rng rng(3, "order");
  const Words a = random_words(rng, 300, 6);
  const Words b = random_words(rng, 300, 7);
  Words shuffled_a, shuffled_b;
  for (const Index i : rng.permutation(300)) {
    shuffled_a.push_back(a[static_cast<std::size_t>(i)]);
    shuffled_b.push_back(b[static_cast<std::size_t>(i)]);
  }
  const auto m = Confusion::from(a, b);
  Confusion again(Words{"c6", "c5", "c4", "unused", "c3", "c2", "c1", "c0"});
  again.merge(Confusion::from(shuffled_a, shuffled_b));
  EXPECT_EQ(accuracy(m), accuracy(again));
  EXPECT_EQ(mcc(m), mcc(again));  // exact sums
  EXPECT_NEAR(*balanced_accuracy(m), *balanced_accuracy(again), 1e-14);
  EXPECT_NEAR(*nmi(m), *nmi(again), 1e-14);
}

TEST(Scores, group_scores_do_not_depend_on_the_names) {
  Rng rng(4, "names");
  const Words a = random_words(rng, 200, 5);
  const Words b = random_words(rng, 200, 5);
  Words renamed;
  for (const auto& word : b) {
    renamed.push_back("discovered_" + word);
  }
  EXPECT_NEAR(*nmi(Confusion::from(a, b)), *nmi(Confusion::from(a, renamed)), 1e-14);
}

TEST(Scores, do_not_overflow_on_a_thousand_million_samples) {
  // tp = tn = 10^9, fp = fn = 0.5 10^9: (1 - 0.25) 10^18 / (1.5 10^9)^2 = 1/3
  Confusion m;
  m.add("p", "p", 1000000000);
  m.add("n", "n", 1000000000);
  m.add("p", "n", 500000000);
  m.add("n", "p", 500000000);
  EXPECT_DOUBLE_EQ(*mcc(m), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(*accuracy(m), 2.0 / 3.0);
}

// Values of scikit-learn; both sides round in double, so 1e-10 leaves room for other summation.
TEST(Scores, agree_with_scikit_learn) {
  std::ifstream file(TYTO_SOURCE_DIR "/tests/golden/measures.json");
  ASSERT_TRUE(file) << "tests/golden/measures.json is part of the sources";
  const auto golden = nlohmann::json::parse(file);
  ASSERT_GT(golden["matrices"].size(), 5u);
  for (const auto& example : golden["matrices"]) {
    SCOPED_TRACE(example["name"].get<std::string>());
    const auto m =
        Confusion::from(example["actual"].get<Words>(), example["predicted"].get<Words>());
    EXPECT_NEAR(*accuracy(m), example["accuracy"].get<double>(), 1e-10);
    EXPECT_NEAR(*balanced_accuracy(m), example["balanced_accuracy"].get<double>(), 1e-10);
    EXPECT_NEAR(*mcc(m), example["mcc"].get<double>(), 1e-10);
    EXPECT_NEAR(*mutual_information(m), example["mutual_information"].get<double>(), 1e-10);
    EXPECT_NEAR(*nmi(m), example["nmi"].get<double>(), 1e-10);
  }
}

}  // namespace
}  // namespace tyto
