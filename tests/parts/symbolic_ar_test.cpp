// SPDX-License-Identifier: Apache-2.0
// Symbolic states foretold from those before them.
#include <cmath>

#include "parts/toy_experience.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/parts/detector/state_variables.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;

TEST(StateVariables, are_told_by_the_names_of_columns) {
  const StateVariables by_name = state_variables(
      6, {"wood", "front=log", "hand=axe", "front=air", "stone", "hand=nothing"}, {});
  EXPECT_THAT(by_name.numbers, ElementsAre(0, 4));
  EXPECT_THAT(by_name.words, ElementsAre(ElementsAre(1, 3), ElementsAre(2, 5)));
  EXPECT_THAT(by_name.names, ElementsAre("wood", "stone", "front", "hand"));
  const StateVariables single = state_variables(2, {"a", "front=log"}, {});
  EXPECT_THAT(single.numbers, ElementsAre(0, 1));  // a word of one value says nothing
}

TEST(StateVariables, are_the_last_columns_where_widths_are_given) {
  const std::vector<double> widths{2, 3};
  const StateVariables by_width = state_variables(6, {}, widths);
  EXPECT_THAT(by_width.numbers, ElementsAre(0));
  EXPECT_THAT(by_width.words, ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4, 5)));
  EXPECT_THROW(state_variables(4, {}, widths), Error);
}

TEST(StateVariables, have_losses_of_their_own) {
  const std::vector<double> widths{2};
  const StateVariables variables = state_variables(3, {}, widths);
  // Logits 0 and log 3: chances 1/4 and 3/4. The last row tells no value: as the least likely one.
  const Matrix outputs{{1, 0, std::log(3.0F)}, {1, 0, std::log(3.0F)}, {1, 0, std::log(3.0F)}};
  const Matrix told{{3, 0, 1}, {1, 1, 0}, {1, 0, 0}};
  const Matrix losses = variable_losses(variables, outputs, told);
  EXPECT_NEAR(losses(0, 0), 4.0, 1e-6);
  EXPECT_NEAR(losses(0, 1), std::log(4.0 / 3.0), 1e-6);
  EXPECT_NEAR(losses(1, 0), 0.0, 1e-6);
  EXPECT_NEAR(losses(1, 1), std::log(4.0), 1e-6);
  EXPECT_NEAR(losses(2, 1), std::log(4.0), 1e-6);
}

// A counter that rises by one every frame, and a word that alternates. Samples are runs of up to
// three frames; `strange` counters jump by 6, `stuck` words stay.
struct Worlds {
  Matrix rows;
  Samples::Table table;

  void add(Index frames, double start, double by, bool stuck, std::uint32_t group) {
    if (table.first.empty()) {
      table.first.push_back(0);
    }
    table.id.push_back(static_cast<SampleId>(table.id.size()));
    table.group.push_back(group);
    for (Index f = 0; f < frames; ++f) {
      const Index row = rows.rows();
      rows.conservativeResize(row + 1, 3);
      const bool last = f + 1 == frames;
      const bool even = (f + static_cast<Index>(start)) % 2 == 0;
      const bool says = stuck && last ? !even : even;
      const double risen = static_cast<double>(f) + (last && f > 0 ? by - 1.0 : 0.0);
      rows.row(row) << static_cast<float>(start + risen), says ? 1.0F : 0.0F, says ? 0.0F : 1.0F;
      table.row.push_back(row);
    }
    table.first.push_back(rows.rows());
  }

  [[nodiscard]] Samples samples() const {
    std::vector<DenseStore::Source> sources;
    sources.push_back({"features", rows, {"count", "front=log", "front=air"}});
    return Samples(std::make_shared<const DenseStore>(std::move(sources)), table);
  }
};

std::vector<float> scores_of(const Detector& detector, const Samples& samples) {
  Evidence evidence;
  evidence.samples = samples;
  evidence.features = samples.rows();
  evidence.frames = frames_of(samples, [](const MatrixView& rows) { return Matrix(rows); });
  detector.detect(evidence);
  return evidence.novelty;
}

Worlds usual_world() {
  Worlds world;
  Rng rng(3, "world");
  for (std::uint32_t i = 0; i < 600; ++i) {
    world.add(3, static_cast<double>(rng.below(20)), 1.0, false, i / 10);
  }
  return world;
}

TEST(SymbolicAr, finds_what_comes_otherwise_and_names_the_variable) {
  ToyWork work;
  const std::string options = "{epochs: 40, steps_at_least: 0, learning_rate: 0.003}";
  const auto part = make_part<Detector>(Slot::detector, "symbolic_ar", options);
  EXPECT_TRUE(part.part->needs().frames);
  part->profile(ToyExperience(usual_world().samples(), std::vector<int>(600, 1)), work);
  Worlds asked;
  for (const double start : {3.0, 8.0, 14.0}) {
    asked.add(3, start, 1.0, false, 0);  // usual
  }
  for (const double start : {3.0, 8.0, 14.0}) {
    asked.add(3, start, 7.0, false, 0);  // jumps
    asked.add(3, start, 1.0, true, 0);   // stuck
  }
  const std::vector<float> scores = scores_of(*part.slot, asked.samples());
  const float usual = *std::max_element(scores.begin(), scores.begin() + 3);
  for (std::size_t i = 3; i < scores.size(); ++i) {
    EXPECT_GT(scores[i], 1.5F * usual) << i;
  }
  Evidence evidence;
  evidence.samples = asked.samples();
  evidence.frames =
      frames_of(evidence.samples, [](const MatrixView& rows) { return Matrix(rows); });
  EXPECT_EQ(part->explain(evidence)[3][0].score, "count");
  EXPECT_EQ(part->explain(evidence)[4][0].score, "front");
  const auto again = reloaded(part, Slot::detector, "symbolic_ar", options);
  EXPECT_EQ(scores_of(*again.slot, asked.samples()), scores);
}

TEST(SymbolicAr, knows_nothing_of_short_histories_as_published_and_something_else) {
  ToyWork work;
  Worlds asked;
  asked.add(1, 5.0, 1.0, false, 0);
  asked.add(2, 5.0, 1.0, false, 0);
  asked.add(1, 500.0, 1.0, false, 0);
  const auto paper = make_part<Detector>(Slot::detector, "symbolic_ar", "{form: paper, epochs: 2}");
  paper->profile(ToyExperience(usual_world().samples(), std::vector<int>(600, 1)), work);
  EXPECT_THAT(scores_of(*paper.slot, asked.samples()), ElementsAre(0.0F, 0.0F, 0.0F));
  const auto sound = make_part<Detector>(Slot::detector, "symbolic_ar", "{epochs: 10}");
  sound->profile(ToyExperience(usual_world().samples(), std::vector<int>(600, 1)), work);
  const std::vector<float> scores = scores_of(*sound.slot, asked.samples());
  EXPECT_GT(scores[2], 100.0F * scores[0]);
}

TEST(SymbolicAr, refuses_to_learn_from_short_histories_alone_as_published) {
  ToyWork work;
  Worlds world;
  world.add(2, 1.0, 1.0, false, 0);
  const auto part = make_part<Detector>(Slot::detector, "symbolic_ar", "{form: paper}");
  EXPECT_THROW(part->profile(ToyExperience(world.samples(), {1}), work), Error);
}

}  // namespace
}  // namespace tyto
