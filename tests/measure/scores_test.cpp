// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/scores.hpp"

#include <cmath>
#include <map>

#include "measure/golden.hpp"
#include <gtest/gtest.h>

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

// All pairs of samples looked at one by one (Hubert and Arabie's form, not the one computed).
double naive_ari(const Words& a, const Words& b) {
  double both = 0, in_a = 0, in_b = 0, pairs = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      both += a[i] == a[j] && b[i] == b[j] ? 1 : 0;
      in_a += a[i] == a[j] ? 1 : 0;
      in_b += b[i] == b[j] ? 1 : 0;
      pairs += 1;
    }
  }
  const double chance = pairs == 0 ? 0 : in_a * in_b / pairs;
  const double most = (in_a + in_b) / 2;
  return most == chance ? 1 : (both - chance) / (most - chance);
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
    EXPECT_FALSE(nmi(m, EntropyMean::smaller));
    EXPECT_FALSE(information_quality_ratio(m));
    EXPECT_FALSE(ari(m));
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

TEST(Scores, of_groups_are_defined_where_an_entropy_is_zero) {
  const auto same = Confusion::from(Words{"a", "a"}, Words{"b", "b"});
  const auto split = Confusion::from(Words{"a", "a", "a"}, Words{"a", "b", "a"});
  const auto joined = Confusion::from(Words{"a", "b", "a"}, Words{"a", "a", "a"});
  for (const EntropyMean mean : {EntropyMean::arithmetic, EntropyMean::geometric,
                                 EntropyMean::smaller, EntropyMean::larger}) {
    EXPECT_EQ(nmi(same, mean), 1.0);
    EXPECT_EQ(nmi(split, mean), 0.0);
    EXPECT_EQ(nmi(joined, mean), 0.0);
  }
  EXPECT_EQ(information_quality_ratio(same), 1.0);
  EXPECT_EQ(information_quality_ratio(split), 0.0);
  EXPECT_EQ(ari(same), 1.0);
  EXPECT_EQ(ari(split), 0.0);
  EXPECT_EQ(ari(joined), 0.0);
}

TEST(Scores, normalised_by_the_smaller_entropy_forgive_a_split_group) {
  // H_t = ln 2, H_p = ln 4, I = ln 2: 1, 1/2, ln 2 / (1.5 ln 2), ln 2 / (sqrt 2 ln 2), I / H_tp 1/2
  const auto m = Confusion::from(Words{"a", "a", "b", "b"}, Words{"p", "q", "r", "s"});
  EXPECT_DOUBLE_EQ(*nmi(m, EntropyMean::smaller), 1.0);
  EXPECT_DOUBLE_EQ(*nmi(m, EntropyMean::larger), 0.5);
  EXPECT_DOUBLE_EQ(*nmi(m), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(*nmi(m, EntropyMean::geometric), 1.0 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(*information_quality_ratio(m), 0.5);
}

TEST(Scores, ari_of_a_hand_worked_example) {
  // Pairs: 3 actual together, 2 predicted together, 1 in both, of 6. Chance 3 2 / 6 = 1:
  // (1 - 1) / (2.5 - 1) = 0. With the last sample moved: in both 3 of 3 and 3, that is 1.
  EXPECT_DOUBLE_EQ(*ari(Confusion::from(Words{"a", "a", "a", "b"}, Words{"x", "x", "y", "y"})), 0);
  EXPECT_DOUBLE_EQ(*ari(Confusion::from(Words{"a", "a", "a", "b"}, Words{"x", "x", "x", "y"})), 1);
  // Worse than chance: no pair in both, chance 2 2 / 6: -(2/3) / (2 - 2/3) = -1/2
  EXPECT_DOUBLE_EQ(*ari(Confusion::from(Words{"a", "a", "b", "b"}, Words{"x", "y", "x", "y"})),
                   -0.5);
}

TEST(Scores, ari_is_exact_for_many_samples) {
  // Two groups of n, one sample of each exchanged: pairs in both C(n-1, 2) 2 + 0, each side
  // 2 C(n, 2), of C(2n, 2). Every number below 2^64 and their products are formed in long double.
  const std::int64_t n = 350000;
  Confusion m;
  m.add("a", "x", n - 1);
  m.add("a", "y", 1);
  m.add("b", "y", n - 1);
  m.add("b", "x", 1);
  const auto wide_n = static_cast<long double>(n);
  const long double both = (wide_n - 1) * (wide_n - 2);
  const long double each = wide_n * (wide_n - 1);
  const long double chance = each * each / (wide_n * (2 * wide_n - 1));
  EXPECT_NEAR(*ari(m), static_cast<double>((both - chance) / (each - chance)), 1e-15);
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
    EXPECT_NEAR(*ari(m), naive_ari(a, b), 1e-12);
    const double joint = naive_entropy(a) + naive_entropy(b) - information;
    EXPECT_NEAR(*information_quality_ratio(m), joint < 1e-12 ? 1 : information / joint, 1e-12);
    // means of the same two entropies, from the largest divisor to the smallest
    EXPECT_LE(*nmi(m, EntropyMean::larger), *nmi(m) + 1e-15);
    EXPECT_LE(*nmi(m), *nmi(m, EntropyMean::geometric) + 1e-15);
    EXPECT_LE(*nmi(m, EntropyMean::geometric), *nmi(m, EntropyMean::smaller) + 1e-15);
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
  EXPECT_EQ(ari(Confusion::from(a, b)), ari(Confusion::from(a, renamed)));
  EXPECT_NEAR(*nmi(Confusion::from(a, b)), *nmi(Confusion::from(b, a)), 1e-14);
  EXPECT_DOUBLE_EQ(*ari(Confusion::from(a, b)), *ari(Confusion::from(b, a)));
}

TEST(Scores, of_shares_do_not_change_if_every_sample_comes_twice) {
  Rng rng(5, "twice");
  const Words a = random_words(rng, 80, 4);
  const Words b = random_words(rng, 80, 6);
  const auto once = Confusion::from(a, b);
  Confusion twice = once;
  twice.merge(once);
  EXPECT_EQ(accuracy(twice), accuracy(once));
  EXPECT_NEAR(*balanced_accuracy(twice), *balanced_accuracy(once), 1e-14);
  EXPECT_NEAR(*mcc(twice), *mcc(once), 1e-14);
  EXPECT_NEAR(*nmi(twice, EntropyMean::larger), *nmi(once, EntropyMean::larger), 1e-14);
  EXPECT_NEAR(*information_quality_ratio(twice), *information_quality_ratio(once), 1e-14);
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
  for_each_golden_matrix([](const Confusion& m, const nlohmann::json& example) {
    EXPECT_NEAR(*accuracy(m), example["accuracy"].get<double>(), 1e-10);
    EXPECT_NEAR(*balanced_accuracy(m), example["balanced_accuracy"].get<double>(), 1e-10);
    EXPECT_NEAR(*mcc(m), example["mcc"].get<double>(), 1e-10);
    EXPECT_NEAR(*mutual_information(m), example["mutual_information"].get<double>(), 1e-10);
    EXPECT_NEAR(*nmi(m), example["nmi"].get<double>(), 1e-10);
    EXPECT_NEAR(*nmi(m, EntropyMean::geometric), example["nmi_geometric"].get<double>(), 1e-10);
    EXPECT_NEAR(*nmi(m, EntropyMean::smaller), example["nmi_min"].get<double>(), 1e-10);
    EXPECT_NEAR(*nmi(m, EntropyMean::larger), example["nmi_max"].get<double>(), 1e-10);
    EXPECT_NEAR(*information_quality_ratio(m), example["information_quality_ratio"].get<double>(),
                1e-10);
    EXPECT_NEAR(*ari(m), example["ari"].get<double>(), 1e-10);
  });
}

}  // namespace
}  // namespace tyto
