// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

// Neighbours as said, for parts that only read them.
struct ToldNeighbours final : Neighbourhood {
  Neighbours near, other, none;
  std::vector<Label> labels;

  const Neighbours& remembered() override { return near; }

  std::span<const Label> remembered_labels() override { return labels; }

  const Neighbours& rivals() override { return other; }

  const Neighbours& batch() override { return none; }
};

// Remembered: class 1 at 0 and 1, class 2 at 4, class 3 at 10, on a line.
Evidence between_classes(const std::vector<float>& queries, const std::vector<float>& at,
                         const std::vector<int>& labels, Index k) {
  Matrix references(static_cast<Index>(at.size()), 1);
  for (std::size_t i = 0; i < at.size(); ++i) {
    references(static_cast<Index>(i), 0) = at[i];
  }
  Matrix rows(static_cast<Index>(queries.size()), 1);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    rows(static_cast<Index>(i), 0) = queries[i];
  }
  auto told = std::make_shared<ToldNeighbours>();
  told->labels = toy_labels(labels);
  told->near = nearest_rows(rows, references, k);
  const Neighbours all = nearest_rows(rows, references, references.rows());
  told->other.row = Dense<std::int32_t>::Constant(rows.rows(), 1, -1);
  told->other.distance = Matrix::Constant(rows.rows(), 1, std::numeric_limits<float>::infinity());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = all.row.cols() - 1; j > 0; --j) {
      if (labels[static_cast<std::size_t>(all.row(i, j))] !=
          labels[static_cast<std::size_t>(all.row(i, 0))]) {
        told->other.row(i, 0) = all.row(i, j);
        told->other.distance(i, 0) = all.distance(i, j);
      }
    }
  }
  Evidence evidence = toy_evidence(rows);
  evidence.near = std::move(told);
  return evidence;
}

TEST(OsnnRatio, of_a_hand_worked_case) {
  // 0.5: nearest 0.5, of another class 3.5. 2.5: both 1.5. 7: both 3. 4: on a sample.
  Evidence evidence = between_classes({0.5F, 2.5F, 7, 4}, {0, 1, 4, 10}, {1, 1, 2, 3}, 3);
  for (const char* name : {"osnn_ratio", "osnn"}) {
    const auto detector = make_part<Detector>(Slot::detector, name);
    detector->detect(evidence);
    EXPECT_NEAR(evidence.novelty[0], 0.5 / 3.5, 1e-6);
    EXPECT_NEAR(evidence.novelty[1], 1.0, 1e-6);
    EXPECT_NEAR(evidence.novelty[2], 1.0, 1e-6);
    EXPECT_EQ(evidence.novelty[3], 0.0F);
  }
}

TEST(OsnnRatio, is_defined_for_one_class_and_for_equal_samples_of_two) {
  const auto detector = make_part<Detector>(Slot::detector, "osnn_ratio");
  Evidence alone = between_classes({0, 5}, {0, 1}, {1, 1}, 2);
  detector->detect(alone);
  EXPECT_EQ(alone.novelty, (std::vector<float>{0, 0}));
  Evidence equal = between_classes({3, 3.5F}, {3, 3}, {1, 2}, 2);
  detector->detect(equal);
  EXPECT_EQ(equal.novelty, (std::vector<float>{1, 1}));
  Evidence nothing = toy_evidence(Matrix(0, 1));
  detector->detect(nothing);
  EXPECT_TRUE(nothing.novelty.empty());
}

TEST(Osnn, scores_classes_by_the_distances_it_was_told) {
  // k = 2 and 2.2: neighbours 1 (1.2) and 4 (1.8), which is also the rival; class 3 is not among
  // them and counts as far as the last: 1.8. Logits -s ln(d / 1.8).
  const auto osnn = make_part<Classifier>(Slot::classifier, "osnn", "{k: 2, sharpness: 3}");
  ToyWork work;
  Matrix rows(4, 1);
  rows << 0, 1, 4, 10;
  osnn->learn(ToyExperience(rows, {1, 1, 2, 3}), work);
  Evidence evidence = between_classes({2.2F, 4}, {0, 1, 4, 10}, {1, 1, 2, 3}, 2);
  osnn->classify(evidence);
  ASSERT_EQ(evidence.classes, toy_labels({1, 2, 3}));
  EXPECT_NEAR(evidence.logits(0, 0), -3.0 * std::log(1.2 / 1.8), 1e-5);
  EXPECT_NEAR(evidence.logits(0, 1), 0.0, 1e-5);
  EXPECT_NEAR(evidence.logits(0, 2), 0.0, 1e-5);
  EXPECT_TRUE(evidence.logits.allFinite());
  Index best = 0;
  evidence.logits.row(1).maxCoeff(&best);
  EXPECT_EQ(best, 1);
  const auto again = reloaded(osnn, Slot::classifier, "osnn", "{k: 2, sharpness: 3}");
  Evidence same = evidence;
  again->classify(same);
  EXPECT_EQ(same.logits, evidence.logits);
}

TEST(Osnn, takes_a_threshold_of_its_own_where_given) {
  EXPECT_FALSE(make_part<Detector>(Slot::detector, "osnn")->own_threshold().has_value());
  EXPECT_FLOAT_EQ(*make_part<Detector>(Slot::detector, "osnn", "{ratio: 0.7}")->own_threshold(),
                  0.7F);
}

}  // namespace
}  // namespace tyto
