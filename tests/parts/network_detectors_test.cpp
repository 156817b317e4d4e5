// SPDX-License-Identifier: Apache-2.0
// Detectors that train a network of their own: autoencoders of patches and of features, and NDCC.
#include <cmath>

#include "parts/toy_experience.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/parts/detector/patch_grid.hpp"

namespace tyto {
namespace {

constexpr Slot kLearnsToDetect = Slot::detector;

std::vector<float> network_novelty(const Detector& detector, const Matrix& rows) {
  Evidence evidence = toy_evidence(rows);
  detector.detect(evidence);
  return evidence.novelty;
}

float least_of(const std::vector<float>& values) {
  return *std::min_element(values.begin(), values.end());
}

float greatest_of(const std::vector<float>& values) {
  return *std::max_element(values.begin(), values.end());
}

// Pictures of 16 x 16 with upright stripes in one of four phases; in `spots` a square of 4 x 4 at
// the bottom right is grey.
Matrix striped(Index count, bool spots = false) {
  constexpr Index kSide = 16;
  Matrix rows(count, 3 * kSide * kSide);
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < rows.cols(); ++k) {
      const Index x = k % kSide, y = k / kSide % kSide;
      const bool spot = spots && x >= 12 && y >= 12;
      rows(i, k) = spot ? 128.0F : (x + i) % 4 < 2 ? 230.0F : 25.0F;
    }
  }
  return rows;
}

constexpr const char* kSmallPatches =
    "{patch: 8, stride: 4, width: 4, hidden: 16, code: 4, epochs: 100, steps_at_least: 0, batch: "
    "8, "
    "learning_rate: 0.002";

TEST(PatchGrid, counts_the_patches_of_a_frame) {
  const PatchGrid grid{{256, 256}, 22, 32, 16};
  EXPECT_EQ(grid.rows(), 13);
  EXPECT_EQ(grid.columns(), 15);
  EXPECT_EQ(grid.count(), 195);
}

TEST(PatchGrid, cuts_row_by_row_and_repeats_the_border) {
  // A picture of 2 x 3 whose planes begin with 0, 10 and 20; the last row is cut off.
  Matrix row(1, 18);
  for (Index k = 0; k < 18; ++k) {
    row(0, k) = static_cast<float>(k / 6 * 10 + k % 6);
  }
  const PatchGrid grid{{2, 3}, 1, 2, 1};
  ASSERT_EQ(grid.count(), 2);
  Matrix patch(1, 12);
  grid.copy(row.data(), 1, 0.5F, patch.data());
  EXPECT_EQ(patch, (Matrix{{0.5, 1, 0.5, 1, 5.5, 6, 5.5, 6, 10.5, 11, 10.5, 11}}));
}

// Patches of 4 every 2 pixels over 6 x 9, of which the last row is cut: one row of three.
TEST(PatchCells, are_the_mean_of_the_patches_over_their_middle) {
  const PatchMap map{{{6, 9}, 1, 4, 2}, Matrix{{9, 9, 9}, {1, 2, 6}}};
  ASSERT_EQ(map.grid.count(), 3);
  const CellMap cells = cells_of(map, 1, 100);
  EXPECT_EQ(cells.cell, 2);
  // Middles at 1, 3, 5, 7, and 8, the last pixel, which no patch holds.
  const Matrix line{{1, 1.5, 4, 6, 6}};
  ASSERT_EQ(cells.errors.rows(), 3);  // five rows of pixels
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(cells.errors.row(i), line.row(0)) << i;
  }
}

TEST(PatchCells, are_no_more_than_asked_for) {
  const PatchMap map{{{256, 256}, 22, 32, 16}, Matrix::Ones(1, 195)};
  EXPECT_EQ(cells_of(map, 0, 100).errors, Matrix(Matrix::Ones(15, 16)));
  const CellMap few = cells_of(map, 0, 6);
  EXPECT_EQ(few.cell, 48);
  EXPECT_EQ(few.errors, Matrix(Matrix::Ones(5, 6)));
  // One patch for a picture that is smaller.
  EXPECT_EQ(cells_of({{{2, 2}, 0, 32, 16}, Matrix::Ones(1, 1)}, 0, 9).errors,
            Matrix(Matrix::Ones(1, 1)));
}

TEST(PatchAutoencoder, finds_the_spot_and_says_where) {
  ToyWork work;
  const Matrix rows = striped(32);
  const auto part =
      make_part<Detector>(kLearnsToDetect, "patch_autoencoder", std::string(kSmallPatches) + "}");
  part->profile(ToyExperience(rows, std::vector<int>(32, 1)), work);
  const Matrix known = striped(8), spotted = striped(8, true);
  EXPECT_GT(least_of(network_novelty(*part.slot, spotted)),
            greatest_of(network_novelty(*part.slot, known)));

  const auto* scorer = dynamic_cast<const PatchScorer*>(part.part.get());
  ASSERT_NE(scorer, nullptr);
  const PatchMap map = scorer->patch_errors(spotted);
  EXPECT_EQ(map.grid.rows(), 3);
  Index worst = 0;
  map.errors.row(0).maxCoeff(&worst);
  EXPECT_EQ(worst, 8);  // the last of three times three
  EXPECT_EQ(part->explain(toy_evidence(spotted))[0][0].score, "patch at row 8, column 8");

  const auto again =
      reloaded(part, kLearnsToDetect, "patch_autoencoder", std::string(kSmallPatches) + "}");
  EXPECT_EQ(network_novelty(*again.slot, spotted), network_novelty(*part.slot, spotted));
}

TEST(PatchAutoencoder, aggregates_its_patches) {
  ToyWork work;
  const ToyExperience experience(striped(16), std::vector<int>(16, 1));
  const Matrix queries = striped(2, true);
  for (const auto& [word, patches] :
       {std::pair("mean", 9), std::pair("max", 1), std::pair("top", 3)}) {
    const auto part =
        make_part<Detector>(kLearnsToDetect, "patch_autoencoder",
                            fmt::format("{}, aggregate: {}, top: 0.33}}", kSmallPatches, word));
    part->profile(experience, work);
    Matrix errors = dynamic_cast<const PatchScorer&>(*part.part).patch_errors(queries).errors;
    std::sort(errors.row(0).data(), errors.row(0).data() + 9, std::greater<>());
    EXPECT_NEAR(network_novelty(*part.slot, queries)[0], errors.row(0).head(patches).mean(), 1e-6);
  }
}

TEST(PatchAutoencoder, refuses_what_is_no_picture) {
  ToyWork work;
  const auto part = make_part<Detector>(kLearnsToDetect, "patch_autoencoder");
  EXPECT_THROW(network_novelty(*part.slot, striped(1)), Error);  // before any lesson
  EXPECT_THROW(part->profile(ToyExperience(Matrix::Zero(4, 10), {1, 1, 1, 1}), work), Error);
  const auto cut = make_part<Detector>(kLearnsToDetect, "patch_autoencoder", "{cut_bottom: 16}");
  EXPECT_THROW(cut->profile(ToyExperience(striped(4), {1, 1, 1, 1}), work), Error);
}

TEST(Autoencoder, finds_what_leaves_the_usual_plane) {
  // Known rows lie on a plane in eight dimensions, new ones beside it; the columns have units of
  // their own.
  const Matrix basis = random_rows(2, 8, 3);
  Matrix rows = random_rows(300, 2, 4) * basis;
  Matrix beside = random_rows(50, 2, 5) * basis;
  beside.col(3).array() += 3.0F;
  rows.col(5) *= 1000.0F;
  beside.col(5) *= 1000.0F;
  ToyWork work;
  const auto part =
      make_part<Detector>(kLearnsToDetect, "autoencoder", "{code: 2, steps_at_least: 500}");
  part->profile(ToyExperience(rows, std::vector<int>(300, 1)), work);
  Matrix known = random_rows(50, 2, 6) * basis;
  known.col(5) *= 1000.0F;
  const auto usual = network_novelty(*part.slot, known),
             unusual = network_novelty(*part.slot, beside);
  Index above = 0;
  for (const float a : unusual) {
    for (const float b : usual) {
      above += a > b ? 1 : 0;
    }
  }
  EXPECT_GT(above, 2400);  // of 2500
  const auto again =
      reloaded(part, kLearnsToDetect, "autoencoder", "{code: 2, steps_at_least: 500}");
  EXPECT_EQ(network_novelty(*again.slot, beside), unusual);
}

TEST(Ndcc, scores_by_the_spread_it_has_learned_and_saves_it) {
  const ToyClasses classes(3, 60, 6, 11, 4.0);
  ToyWork work;
  const std::string options = "{hidden: 16, steps_at_least: 300}";
  const auto part = make_part<Detector>(kLearnsToDetect, "ndcc", options);
  part->profile(ToyExperience(classes.features, classes.labels), work);
  const ToyClasses others(3, 60, 6, 99, 4.0);
  const auto usual = network_novelty(*part.slot, classes.features);
  const auto unusual = network_novelty(*part.slot, others.features);
  double above = 0;
  for (const float a : unusual) {
    for (const float b : usual) {
      above += a > b ? 1.0 : 0.0;
    }
  }
  EXPECT_GT(above / (180.0 * 180.0), 0.8);

  State state;
  part.part->save(state);
  const auto& net = state.child("net");
  const float sigma = net.get<Matrix>("sigma")(0, 0);
  const auto& delta = net.get<Matrix>("delta");
  EXPECT_NE(sigma, 1.0F);
  EXPECT_GT(delta.cwiseAbs().maxCoeff(), 0.0F);
  EXPECT_EQ(
      network_novelty(*reloaded(part, kLearnsToDetect, "ndcc", options).slot, others.features),
      unusual);

  // By hand, of the saved weights.
  auto* classifier = dynamic_cast<Classifier*>(part.part.get());
  const Evidence seen = classified(*classifier, others.features);
  EXPECT_NEAR(seen.embedding.row(0).norm(), 16.0F, 1e-3);
  const Eigen::RowVectorXf s = (delta.array() + sigma).square().matrix();
  const Matrix means = net.get<Matrix>("weight_1").array().rowwise() * s.array();
  for (Index i = 0; i < 5; ++i) {
    const Matrix gap = means.rowwise() - seen.embedding.row(i);
    const float by_hand = (gap.array().square().rowwise() / s.array()).rowwise().sum().minCoeff();
    EXPECT_NEAR(unusual[static_cast<std::size_t>(i)], by_hand, 1e-3F * by_hand);
  }
  // The published program rebuilds the network without them.
  State forgotten = state;
  forgotten.children.at("net").set("sigma", Matrix(Matrix::Ones(1, 1)));
  forgotten.children.at("net").set("delta", Matrix(Matrix::Zero(1, delta.cols())));
  const auto plain = make_part<Detector>(kLearnsToDetect, "ndcc", options);
  plain.part->load(forgotten, EmptyShelf());
  const auto released = make_part<Detector>(kLearnsToDetect, "ndcc",
                                            "{form: released, hidden: 16, steps_at_least: 300}");
  released.part->load(state, EmptyShelf());
  EXPECT_EQ(network_novelty(*released.slot, others.features),
            network_novelty(*plain.slot, others.features));
}

TEST(Ndcc, learns_with_the_published_rates) {
  const ToyClasses classes(2, 60, 4, 11, 8.0);
  ToyWork work;
  const auto part = make_part<Detector>(kLearnsToDetect, "ndcc",
                                        "{form: paper, layers: 0, epochs: 6, batch: 16}");
  part->profile(ToyExperience(classes.features, classes.labels), work);
  Index right = 0;
  auto* classifier = dynamic_cast<Classifier*>(part.part.get());
  const Evidence seen = classified(*classifier, classes.features);
  for (Index i = 0; i < seen.logits.rows(); ++i) {
    right += (seen.logits(i, 1) > seen.logits(i, 0)) == (classes.labels[at(i)] == 2) ? 1 : 0;
  }
  EXPECT_GT(right, 108);  // of 120
}

// One sample, one class, columns that never vary: nothing to learn, and nothing breaks.
TEST(NetworkDetectors, learn_from_one_sample) {
  for (const auto& [name, options] :
       {std::pair("autoencoder", "{steps_at_least: 5, epochs: 1}"),
        std::pair("deep_ensemble", "{members: 2, member: {name: mlp, steps_at_least: 5}}"),
        std::pair("mc_dropout", "{steps_at_least: 5, epochs: 1}"),
        std::pair("ndcc", "{steps_at_least: 5, epochs: 1}"),
        std::pair("patch_autoencoder", "{patch: 4, width: 2, steps_at_least: 3, epochs: 1}"),
        std::pair("symbolic_ar", "{steps_at_least: 5, epochs: 1}")}) {
    ToyWork work;
    const Matrix row = Matrix::Constant(1, 12, 7.0F);
    const auto part = make_part<Detector>(kLearnsToDetect, name, options);
    part->profile(ToyExperience(row, {1}), work);
    Evidence evidence = toy_evidence(
        Matrix{{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, {9, 1, 7, 7, 3, 7, 7, 8, 7, 7, 7, 7}});
    evidence.frames = frames_of(evidence.samples, [](const MatrixView& r) { return Matrix(r); });
    part->detect(evidence);
    ASSERT_EQ(evidence.novelty.size(), 2U) << name;
    EXPECT_TRUE(std::isfinite(evidence.novelty[0]) && std::isfinite(evidence.novelty[1])) << name;
    Evidence nothing = toy_evidence(Matrix(0, 12));
    nothing.frames.features = Matrix(0, 12);
    nothing.frames.first = {0};
    part->detect(nothing);
    EXPECT_TRUE(nothing.novelty.empty()) << name;
  }
}

}  // namespace
}  // namespace tyto
