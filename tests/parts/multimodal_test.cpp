// SPDX-License-Identifier: Apache-2.0
// Detectors on several sources of the same samples.
#include <cmath>
#include <filesystem>
#include <map>

#include "parts/toy_experience.hpp"
#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/measure/detection/episodes.hpp"
#include "tyto/measure/detection/fusion.hpp"
#include "tyto/measure/detection/summary.hpp"

namespace tyto {
namespace {

// Known samples are normal in both sources; the last rows of 80 stand out in one of them each.
Samples two_sources() {
  Matrix seen = random_rows(80, 3, 1), told = random_rows(80, 2, 2);
  seen(78, 0) += 30.0F;
  told(79, 1) += 30.0F;
  std::vector<DenseStore::Source> sources;
  sources.push_back({"features", std::move(seen), {}});
  sources.push_back({"state", std::move(told), {}});
  Samples::Table table;
  for (Index i = 0; i < 80; ++i) {
    table.id.push_back(static_cast<SampleId>(i));
    table.row.push_back(i);
  }
  return Samples(std::make_shared<const DenseStore>(std::move(sources)), std::move(table));
}

ToyExperience sourced_lesson() {
  std::vector<Role> roles;
  for (Index i = 0; i < 78; ++i) {
    roles.push_back(i % 3 == 0 ? Role::hold : Role::fit);
  }
  return ToyExperience(two_sources().slice(0, 78), std::vector<int>(78, 1), roles);
}

Evidence sourced_evidence() {
  Evidence evidence;
  evidence.samples = two_sources();
  evidence.features = evidence.samples.rows();
  return evidence;
}

std::string fusion_options(std::string_view average) {
  return fmt::format(
      "{{average: {}, detectors: [mahalanobis, {{name: mahalanobis, features: state}}]}}", average);
}

TEST(Multimodal, hears_each_source_by_its_own_detector) {
  for (const std::string average : {"range", "conformal", "learned", "scores", "ranks"}) {
    ToyWork work;
    const auto part = make_part<Detector>(Slot::detector, "multimodal", fusion_options(average));
    EXPECT_THAT(part.part->needs().sources, testing::ElementsAre("state"));
    part->profile(sourced_lesson(), work);
    Evidence evidence = sourced_evidence();
    part->detect(evidence);
    const float usual = *std::max_element(evidence.novelty.begin(), evidence.novelty.begin() + 78);
    if (average != "ranks") {  // which stop at the highest
      EXPECT_GT(evidence.novelty[78], usual) << average;
      EXPECT_GT(evidence.novelty[79], usual) << average;
    }
    Evidence again = sourced_evidence();
    reloaded(part, Slot::detector, "multimodal", fusion_options(average))->detect(again);
    EXPECT_EQ(again.novelty, evidence.novelty);
  }
}

// (s - least) / (greatest - least) of each, as published but for the minimum that it leaves out.
TEST(Multimodal, brings_scores_to_the_range_of_held_out_ones) {
  ToyWork work;
  const auto part = make_part<Detector>(Slot::detector, "multimodal", fusion_options("range"));
  part->profile(sourced_lesson(), work);
  Evidence evidence = sourced_evidence();
  part->detect(evidence);
  const auto notes = part->explain(sourced_evidence());
  double expected = 0.0;
  for (std::size_t m = 0; m < 2; ++m) {
    float least = notes[0][m].value, greatest = least;
    for (std::size_t i = 0; i < 78; i += 3) {
      least = std::min(least, notes[i][m].value);
      greatest = std::max(greatest, notes[i][m].value);
    }
    expected += 0.5 * (notes[79][m].value - least) / (greatest - least);
  }
  EXPECT_NEAR(evidence.novelty[79], expected, 1e-4 * expected);
}

TEST(Multimodal, refuses_released_constants_for_what_they_were_not_made_for) {
  for (const char* options :
       {"{form: released}", "{form: released, average: range, weights: [1, 2]}",
        "{form: released, average: range, detectors: [mahalanobis, lof, energy]}"}) {
    try {
      make_part<Detector>(Slot::detector, "multimodal", options);
      FAIL() << options;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("form: released is for `average: range`"));
    }
  }
}

// |x| of one column each: with no component kept, the residual about a mean of 0.
Samples released_samples(const std::vector<float>& visual, const std::vector<float>& symbolic) {
  std::vector<DenseStore::Source> sources;
  const auto rows = static_cast<Index>(visual.size());
  sources.push_back({"features", Eigen::Map<const Matrix>(visual.data(), rows, 1), {}});
  sources.push_back({"state", Eigen::Map<const Matrix>(symbolic.data(), rows, 1), {}});
  Samples::Table table;
  for (Index i = 0; i < rows; ++i) {
    table.id.push_back(static_cast<SampleId>(i));
    table.row.push_back(i);
  }
  return Samples(std::make_shared<const DenseStore>(std::move(sources)), std::move(table));
}

Made<Detector> released_fusion() {
  ToyWork work;
  auto part = make_part<Detector>(
      Slot::detector, "multimodal",
      "{form: released, average: range, detectors: [{name: pca_residual, variance: 0}, {name: "
      "pca_residual, variance: 0, features: state}]}");
  const Samples zeros = released_samples({0, 0, 0, 0}, {0, 0, 0, 0});
  part->profile(ToyExperience(zeros, {1, 1, 1, 1}, {Role::fit, Role::fit, Role::hold, Role::hold}),
                work);
  return part;
}

TEST(Multimodal, adds_up_by_the_released_constants) {
  // 0.013 / 0.0065 + (29.5301 - 0.2429) / (29.5301 - 0.2429) = 3.
  Evidence evidence;
  evidence.samples = released_samples({0.013F, 0.0F}, {29.5301F, 0.2429F});
  evidence.features = evidence.samples.rows();
  released_fusion()->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], 3.0, 1e-5);
  EXPECT_NEAR(evidence.novelty[1], 0.0, 1e-5);
}

// Table 4 of the paper, row "Multimodal 2", from the part itself over the released scores.
TEST(Multimodal, gives_the_published_row_of_pictures_and_states) {
  const std::filesystem::path folder = testing_support::in_tree("/../shared/data/novelcraft");
  if (!std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "the released scores of NovelCraft are not on this machine: " << folder;
  }
  const EpisodeTypes types = read_episode_types(CsvTable::load(folder / "episode_classes.csv"));
  const auto read = [&](const char* name) {
    const CsvTable csv = CsvTable::load(folder / name);
    return read_scored_episodes(csv, all_rows(csv), "score", types, MissingFrames::zero);
  };
  const ScoredEpisodes visual = read("episode_scores_visual_ae.csv.gz");
  const ScoredEpisodes symbolic = read("episode_scores_symbolic2.csv.gz");
  std::map<std::pair<Index, Index>, const ScoredEpisode*> by_number;
  for (const ScoredEpisode& episode : symbolic.episodes) {
    by_number[{episode.type, episode.number}] = &episode;
  }
  const Made<Detector> part = released_fusion();
  std::vector<double> score;
  std::vector<std::uint8_t> novel;
  for (const ScoredEpisode& episode : visual.episodes) {
    const auto [a, b] =
        aligned_frames(episode.score, by_number.at({episode.type, episode.number})->score);
    Evidence evidence;
    evidence.samples = released_samples({a.begin(), a.end()}, {b.begin(), b.end()});
    evidence.features = evidence.samples.rows();
    part->detect(evidence);
    score.push_back(
        episode_score(std::vector<double>(evidence.novelty.begin(), evidence.novelty.end())));
    novel.push_back(episode.is_novel ? 1 : 0);
  }
  DetectionOptions options;
  options.rule = ThresholdRule::paper;
  options.prior = 0.85;
  options.precision = 0.95;
  const DetectionSummary summary = summarise_detection(detection_curve(score, novel), options);
  constexpr double kDigits = 0.005 + 1e-9;
  EXPECT_NEAR(100 * *summary.auroc, 80.46, kDigits);
  EXPECT_NEAR(100 * *summary.trapezoids, 94.65, kDigits);
  EXPECT_NEAR(100 * *summary.at_recall->normal_kept, 34.33, kDigits);
  EXPECT_NEAR(100 * summary.at_recall->precision, 89.15, kDigits);
  EXPECT_NEAR(100 * *summary.at_precision->normal_kept, 98.51, kDigits);
  EXPECT_NEAR(100 * *summary.at_precision->recall, 5.04, kDigits);
}

TEST(Multimodal, weighs_as_told) {
  ToyWork work;
  const auto part = make_part<Detector>(
      Slot::detector, "multimodal",
      "{average: scores, weights: [1, 0], detectors: [mahalanobis, {name: mahalanobis, features: "
      "state}]}");
  part->profile(sourced_lesson(), work);
  Evidence evidence = sourced_evidence();
  part->detect(evidence);
  EXPECT_GT(evidence.novelty[78], 5.0F);
  EXPECT_LT(evidence.novelty[79], 5.0F);
}

TEST(Multimodal, refuses_one_detector_wrong_weights_and_neighbours_elsewhere) {
  for (const char* options : {"{detectors: [mahalanobis]}", "{weights: [1]}",
                              "{detectors: [mahalanobis, {name: knn, features: state}]}"}) {
    EXPECT_THROW(make_part<Detector>(Slot::detector, "multimodal", options), Error) << options;
  }
}

TEST(Multimodal, counts_those_who_say_the_same_once) {
  // Two detectors on the features and one on the state: learned weights are about 1/4, 1/4, 1/2.
  ToyWork work;
  const std::string two =
      "detectors: [mahalanobis, mahalanobis, {name: mahalanobis, features: state}]}";
  const auto learned =
      make_part<Detector>(Slot::detector, "multimodal", "{average: learned, " + two);
  learned->profile(sourced_lesson(), work);
  const auto plain =
      make_part<Detector>(Slot::detector, "multimodal", "{average: conformal, " + two);
  plain->profile(sourced_lesson(), work);
  Evidence a = sourced_evidence(), b = sourced_evidence();
  learned->detect(a);
  plain->detect(b);
  EXPECT_GT(a.novelty[79] / a.novelty[78], 1.5 * b.novelty[79] / b.novelty[78]);
}

}  // namespace
}  // namespace tyto
