// SPDX-License-Identifier: Apache-2.0
// A calibrator tells how sure an answer is. One that keeps the order of classes changes no answer.
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tyto/calibration/score_calibrator.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

struct Crowd {
  Samples samples;
  std::vector<std::string> names;
};

// Four classes in two columns that overlap, and a fifth far from them.
Crowd make_crowd(Index classes, Index per_class, std::uint64_t seed, std::uint32_t first_id) {
  constexpr double kCentre[5][2] = {{0, 0}, {3, 0}, {0, 3}, {3, 3}, {9, 9}};
  Rng rng(seed, "crowd");
  Matrix features(classes * per_class, 2);
  Samples::Table table;
  Crowd out;
  for (Index i = 0; i < features.rows(); ++i) {
    const Index c = i % classes;
    for (Index j = 0; j < 2; ++j) {
      features(i, j) = static_cast<float>(kCentre[c][j] + 1.5 * rng.normal());
    }
    table.id.push_back(static_cast<SampleId>(first_id + static_cast<std::uint32_t>(i)));
    table.row.push_back(i);
    out.names.push_back(fmt::format("c{}", c));
  }
  out.samples = Samples(std::make_shared<DenseStore>(std::move(features)), std::move(table));
  return out;
}

Prediction answers(const std::string& parts) {
  Composition predictor(
      read_predictor(
          parse_yaml(fmt::format("{{name: a, memory: unlimited, holdout: 0.4, {}}}", parts),
                     "a.yaml"),
          "predictor"),
      3);
  Progress silent;
  Work work{Rng(1), silent};
  const Crowd taught = make_crowd(4, 60, 1, 0);
  predictor.learn({taught.samples, taught.names, {}}, work);
  return predictor.predict(make_crowd(5, 40, 2, 5000).samples, {.log_known = true});
}

std::vector<std::string> keeping_order() {
  std::vector<std::string> all{"{name: temperature, form: descent}", "{name: caring, form: paper}"};
  for (const CalibratorSpec& spec : calibrator_specs()) {
    if (spec.make(ConfigNode::empty_map(), spec.name)->keeps_order()) {
      all.push_back(spec.name);
    }
  }
  return all;
}

double mean_confidence(const Prediction& of) {
  return of.log_known.rowwise().maxCoeff().array().exp().cast<double>().mean();
}

TEST(CalibratedDecisions, are_the_classifiers_own_also_for_unknown) {
  const std::string classifier = "classifier: {name: evm, unknown: true}";
  const Prediction native = answers(classifier);
  EXPECT_GT(std::count(native.label.begin(), native.label.end(), Label::unknown), 10);
  EXPECT_GT(std::set<Label>(native.label.begin(), native.label.end()).size(), 4U);
  const std::vector<std::string> calibrators = keeping_order();
  EXPECT_GE(calibrators.size(), 7U);
  for (const std::string& calibrator : calibrators) {
    const Prediction calibrated = answers(classifier + ", calibrator: " + calibrator);
    EXPECT_EQ(calibrated.label, native.label) << calibrator;
    if (calibrator.find("paper") == calibrator.npos) {  // which cannot raise a confidence
      EXPECT_NE(mean_confidence(calibrated), mean_confidence(native)) << calibrator;
    }
    for (Index i = 0; i < calibrated.probability.rows(); ++i) {  // the belief says so too
      Index best = 0;
      calibrated.probability.row(i).maxCoeff(&best);
      EXPECT_EQ(static_cast<Label>(best), native.label[static_cast<std::size_t>(i)]) << calibrator;
      Index known = 0;
      Index own = 0;
      calibrated.log_known.row(i).maxCoeff(&known);
      native.log_known.row(i).maxCoeff(&own);
      EXPECT_EQ(known, own) << calibrator;
    }
  }
}

TEST(CalibratedDecisions, of_every_detector_are_the_same_without_calibrator) {
  for (const PartSpec& spec : part_specs()) {
    if (std::find(spec.slots.begin(), spec.slots.end(), Slot::detector) == spec.slots.end() ||
        spec.slots.size() > 1 || spec.name == "patch_autoencoder") {  // rows of two are no pictures
      continue;
    }
    const std::string parts = fmt::format("classifier: ncm, detector: {}", spec.name);
    const Prediction native = answers(parts);
    for (const std::string& calibrator : keeping_order()) {
      const Prediction calibrated = answers(parts + ", calibrator: " + calibrator);
      EXPECT_EQ(calibrated.label, native.label) << spec.name << " " << calibrator;
      EXPECT_EQ(calibrated.novelty, native.novelty) << spec.name << " " << calibrator;
    }
  }
}

TEST(ConfidenceByEpoch, of_a_predictor_ends_at_the_confidence_it_tells) {
  Composition predictor(
      read_predictor(parse_yaml("{name: a, memory: unlimited, holdout: 0.4, classifier: slda, "
                                "calibrator: {name: caring, form: paper, epochs: 20}}",
                                "a.yaml"),
                     "predictor"),
      3);
  Progress silent;
  Work work{Rng(1), silent};
  const Crowd taught = make_crowd(4, 60, 1, 0);
  predictor.learn({taught.samples, taught.names, {}}, work);
  const Samples asked = make_crowd(4, 40, 2, 5000).samples;
  const Prediction found = predictor.predict(asked, {.log_known = true, .epochs = true});
  ASSERT_EQ(found.by_epoch.confidence.rows(), 160);
  ASSERT_EQ(found.by_epoch.native.size(), 160U);
  EXPECT_EQ(found.by_epoch.epoch.back(), 20);
  const Vector told = found.log_known.rowwise().maxCoeff().array().exp();
  EXPECT_LT((found.by_epoch.confidence.rightCols(1) - told).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_TRUE(predictor.predict(asked, {.log_known = true}).by_epoch.epoch.empty());
}

TEST(CalibratedDecisions, of_a_method_by_class_leave_unknown_to_the_classifier) {
  const std::string classifier = "classifier: {name: evm, unknown: true}";
  const Prediction native = answers(classifier);
  const Prediction calibrated = answers(classifier + ", calibrator: vector");
  for (std::size_t i = 0; i < native.label.size(); ++i) {
    EXPECT_EQ(calibrated.label[i] == Label::unknown, native.label[i] == Label::unknown);
  }
}

}  // namespace
}  // namespace tyto
