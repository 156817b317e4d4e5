// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/calibration/temperature_fit.hpp"
#include "tyto/core/error.hpp"
#include "tyto/math/softmax.hpp"
#include "tyto/parts/calibrator/score_calibration.hpp"

namespace tyto {
namespace {

// Features that are the logits themselves, from column 0 on the classes named.
class ScoredExperience final : public Experience {
 public:
  ScoredExperience(Matrix logits, std::vector<Label> classes, const std::vector<int>& labels,
                   std::vector<Role> roles)
      : inner_(logits, labels, std::move(roles)), classes_(std::move(classes)) {}

  [[nodiscard]] Index size() const override { return inner_.size(); }

  [[nodiscard]] Index fresh() const override { return inner_.fresh(); }

  [[nodiscard]] std::span<const Label> labels() const override { return inner_.labels(); }

  [[nodiscard]] std::span<const Role> roles() const override { return inner_.roles(); }

  [[nodiscard]] const LabelSpace& space() const override { return inner_.space(); }

  [[nodiscard]] bool starts_over() const override { return true; }

  [[nodiscard]] Samples samples(Rows which) const override { return inner_.samples(which); }

  [[nodiscard]] Matrix features(Rows which) const override { return inner_.features(which); }

  void each_block(Role role, Index from, const Visit& visit) const override {
    inner_.each_block(role, from, [&](const Evidence& block, std::span<const Label> labels) {
      Evidence scored = block;
      scored.logits = block.features;
      scored.classes = classes_;
      scored.embedding = embedded ? Matrix(-2.0F * block.features) : Matrix();
      visit(scored, labels);
    });
  }

  bool embedded = false;  // whether the classifier has an embedding: -2 times the features

 private:
  ToyExperience inner_;
  std::vector<Label> classes_;
};

Evidence scored_evidence(const Matrix& logits, const std::vector<Label>& classes) {
  Evidence evidence = toy_evidence(logits);
  evidence.logits = logits;
  evidence.classes = classes;
  return evidence;
}

const std::vector<Label> kTwo = toy_labels({1, 2});

// Scores (1, 0), held out: 30 right of 40; fitted on: always wrong, and of no concern.
struct ThreeOfFour {
  Matrix logits = Matrix::Zero(80, 2);
  std::vector<int> labels;
  std::vector<Role> roles;

  ThreeOfFour() {
    logits.col(0).setOnes();
    for (int i = 0; i < 80; ++i) {
      labels.push_back(i >= 40 || i % 4 == 0 ? 2 : 1);
      roles.push_back(i < 40 ? Role::hold : Role::fit);
    }
  }
};

TEST(CalibratorPart, is_fitted_on_held_out_samples_alone) {
  const ThreeOfFour given;
  auto part = make_part<Calibrator>(Slot::calibrator, "temperature");
  ToyWork work;
  part->tune(ScoredExperience(given.logits, kTwo, given.labels, given.roles), work);
  Evidence evidence = scored_evidence(given.logits.topRows(1), kTwo);
  part->calibrate(evidence);
  EXPECT_NEAR(evidence.probability(0, 0), 0.75F, 1e-6);
}

TEST(CalibratorPart, is_plain_softmax_until_there_are_samples_enough) {
  const ThreeOfFour given;
  auto part = make_part<Calibrator>(Slot::calibrator, "vector", "{fewest: 41}");
  ToyWork work;
  part->tune(ScoredExperience(given.logits, kTwo, given.labels, given.roles), work);
  Evidence evidence = scored_evidence(given.logits.topRows(1), kTwo);
  part->calibrate(evidence);
  EXPECT_NEAR((evidence.probability - softmax(evidence.logits)).cwiseAbs().maxCoeff(), 0, 1e-6);
}

TEST(CalibratorPart, follows_the_classifier_to_new_classes) {
  const ThreeOfFour given;
  for (const char* name : {"temperature", "vector"}) {
    auto part = make_part<Calibrator>(Slot::calibrator, name);
    ToyWork work;
    part->tune(ScoredExperience(given.logits, kTwo, given.labels, given.roles), work);
    // Three columns now: a factor for all holds on, one by class waits for the next lesson.
    Matrix wider(1, 3);
    wider << 1, 0, 0;
    Evidence evidence = scored_evidence(wider, toy_labels({1, 2, 3}));
    part->calibrate(evidence);
    const float scale = std::string_view(name) == "temperature" ? std::log(3.0F) : 1.0F;
    EXPECT_NEAR((evidence.probability - softmax(wider * scale)).cwiseAbs().maxCoeff(), 0, 1e-6)
        << name;
  }
}

TEST(CalibratorPart, gives_unknown_its_share_by_rank_and_prior_and_the_rest_to_the_known) {
  // Classes c1, c2 and `unknown`, whose log odds rise with the row: rank among 40 held-out ones.
  const ThreeOfFour given;
  const std::vector<Label> classes = toy_labels({1, 2, 0});
  Matrix logits(80, 3);
  logits.leftCols(2) = given.logits;
  for (Index i = 0; i < 80; ++i) {
    logits(i, 2) = -5.0F + 0.01F * static_cast<float>(i);
  }
  auto part = make_part<Calibrator>(Slot::calibrator, "temperature", "{unknown_prior: 0.2}");
  ToyWork work;
  part->tune(ScoredExperience(logits, classes, given.labels, given.roles), work);
  Matrix asked(3, 3);
  asked << 1, 0, -10, 1, 0, 0.5F, 1, 0, 10;  // below all held-out ones, above, and answered so
  Evidence evidence = scored_evidence(asked, classes);
  part->calibrate(evidence);
  const auto share = [](double p) {
    const double weight = 0.2 * unknown_evidence(p);
    return weight / (weight + 0.8);
  };
  EXPECT_NEAR(evidence.probability(0, 2), share(1.0), 1e-6);
  EXPECT_NEAR(evidence.probability(1, 2), share(1.0 / 41), 1e-6);
  EXPECT_GT(evidence.probability(1, 2), 3 * evidence.probability(0, 2));
  // The classifier's answer to the third is `unknown`, so that its share is at least that of the
  // best known class: (1 - u) 3/4 = u at 3/7.
  EXPECT_LT(share(1.0 / 41), 3.0 / 7.0);
  EXPECT_NEAR(evidence.probability(2, 2), 3.0 / 7.0, 1e-6);
  EXPECT_GT(evidence.probability(2, 2), evidence.probability(2, 0));
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(evidence.probability.row(i).sum(), 1.0F, 1e-6);
    const float known = evidence.probability(i, 0) + evidence.probability(i, 1);
    EXPECT_NEAR(evidence.probability(i, 0) / known, 0.75F, 1e-6) << "given that it is known";
  }
  const auto again = reloaded(part, Slot::calibrator, "temperature", "{unknown_prior: 0.2}");
  Evidence twice = scored_evidence(asked, classes);
  again->calibrate(twice);
  EXPECT_EQ(twice.probability, evidence.probability);
}

// Scores (x, 0) with the answer nearly always the first for x = 1 and by halves for x = 2: a great
// score is worth less.
struct UnevenScores {
  Matrix logits = Matrix::Zero(200, 2);
  std::vector<int> labels;

  UnevenScores() {
    for (int i = 0; i < 200; ++i) {
      logits(i, 0) = i % 2 == 0 ? 1.0F : 2.0F;
      labels.push_back(i % 4 == 3 || i % 40 == 0 ? 2 : 1);
    }
  }

  // Of the scores (1, 0) and (2, 0), and what the calibrator says that it reads.
  [[nodiscard]] std::pair<std::vector<float>, double> temperatures(const char* options,
                                                                   bool embedded, float features,
                                                                   float embedding) const {
    auto part = make_part<Calibrator>(Slot::calibrator, "caring", options);
    ToyWork work;
    ScoredExperience experience(logits, kTwo, labels, std::vector<Role>(200, Role::hold));
    experience.embedded = embedded;
    part->tune(experience, work);
    const auto again = reloaded(part, Slot::calibrator, "caring", options);
    Evidence evidence = scored_evidence(logits.topRows(2), kTwo);
    evidence.features = features * logits.topRows(2);
    evidence.embedding = embedded ? Matrix(embedding * logits.topRows(2)) : Matrix();
    again->calibrate(evidence);
    return {evidence.temperature, again->fitted().at("reads_embedding")(0, 0)};
  }
};

TEST(CaringPart, reads_the_embedding_where_there_is_one_and_else_the_features) {
  const UnevenScores given;
  const char* kAuto = "{form: paper, epochs: 20}";
  const auto [embedded, says] = given.temperatures(kAuto, true, 1, -2);
  ASSERT_EQ(embedded.size(), 2U);
  EXPECT_EQ(says, 1.0);
  EXPECT_NE(embedded[0], embedded[1]);
  EXPECT_EQ(given.temperatures(kAuto, true, 7, -2).first, embedded) << "features do not matter";
  EXPECT_NE(given.temperatures(kAuto, true, 1, -3).first, embedded);
  const auto [plain, says_plain] = given.temperatures(kAuto, false, 1, -2);
  EXPECT_EQ(says_plain, 0.0);
  const char* kFeatures = "{form: paper, epochs: 20, reads: features}";
  EXPECT_EQ(given.temperatures(kFeatures, true, 1, -5).first, plain);
  EXPECT_THROW(
      (void)given.temperatures("{form: paper, epochs: 20, reads: embedding}", false, 1, -2), Error);
}

TEST(CaringPart, alone_has_an_option_for_what_it_reads) {
  for (const PartSpec& spec : part_specs()) {
    if (spec.slots.front() == Slot::calibrator) {
      const bool reads =
          std::any_of(spec.options.begin(), spec.options.end(),
                      [](const OptionHelp& option) { return option.key == "reads"; });
      EXPECT_EQ(reads, spec.name == "caring") << spec.name;
    }
  }
}

TEST(CalibratorPart, never_lets_unknown_overtake_an_answer_of_the_classifier) {
  // Scores too close for a sure answer: of four even classes each has 1/4, and `unknown` may have
  // no more than a fifth, though its odds are beyond all held-out ones.
  Matrix logits = Matrix::Zero(40, 5);
  logits.col(0).setConstant(0.01F);
  logits.col(4).setConstant(-9.0F);
  std::vector<int> labels;
  for (int i = 0; i < 40; ++i) {
    labels.push_back(i % 4 + 1);
  }
  const std::vector<Label> classes = toy_labels({1, 2, 3, 4, 0});
  for (const char* name : {"temperature", "histogram", "vector"}) {
    auto part = make_part<Calibrator>(Slot::calibrator, name, "{unknown_prior: 0.9}");
    ToyWork work;
    part->tune(ScoredExperience(logits, classes, labels, std::vector<Role>(40, Role::hold)), work);
    Matrix asked(1, 5);
    asked << 0.01F, 0, 0, 0, 0.005F;
    Evidence evidence = scored_evidence(asked, classes);
    part->calibrate(evidence);
    Index best = 0;
    evidence.probability.row(0).maxCoeff(&best);
    EXPECT_NE(best, 4) << name;
    EXPECT_NEAR(evidence.probability(0, 4), 0.2F, 0.01F) << name;
  }
}

TEST(UnknownEvidence, is_a_density_that_falls_with_p) {
  EXPECT_NEAR(unknown_evidence(1.0), 0.5, 1e-12);
  EXPECT_NEAR(unknown_evidence(std::exp(-1.0)), std::exp(1.0) - 2.0, 1e-12);  // (1 - 2/e) e
  EXPECT_NEAR(unknown_evidence(std::exp(-1.0001e-4)), unknown_evidence(std::exp(-0.9999e-4)), 1e-6);
  // Integral over (0, 1) with p = exp(-x), in small steps.
  double sum = 0.0;
  double last = 1e9;
  for (double x = 0.0005; x < 600.0; x += 0.001) {
    const double e = unknown_evidence(std::exp(-x));
    sum += e * std::exp(-x) * 0.001;
    if (x > 1.0 && x < 2.0) {
      EXPECT_GT(e, 0.5);
    }
    last = e;
  }
  EXPECT_GT(last, 1e100);
  EXPECT_NEAR(sum, 1.0 - 1.0 / 600.0, 2e-3);  // beyond x the tail is about 1 / x
}

}  // namespace
}  // namespace tyto
