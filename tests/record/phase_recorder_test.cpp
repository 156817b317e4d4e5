// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/phase_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/random.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

LabelSpace five_entries() {  // unknown, ant, bee, discovered_0, cat
  LabelSpace space;
  space.add_known("ant");
  space.add_known("bee");
  space.add_discovered();
  space.add_known("cat");
  return space;
}

Samples samples_with(const std::vector<std::uint32_t>& ids) {
  Samples::Table table;
  for (const std::uint32_t id : ids) {
    table.row.push_back(static_cast<Index>(table.row.size()));
    table.id.push_back(static_cast<SampleId>(id));
  }
  return Samples(
      std::make_shared<const DenseStore>(Matrix(Matrix::Zero(static_cast<Index>(ids.size()), 1))),
      std::move(table));
}

// Novelty 10, 11, ... and p-values 0, -1, ... by row, so that a mix-up shows.
Prediction prediction_with(const LabelSpace& space, const Matrix& probability,
                           const std::vector<int>& decisions) {
  Prediction prediction;
  prediction.space = std::make_shared<const LabelSpace>(space);
  prediction.probability = probability;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    prediction.label.push_back(static_cast<Label>(decisions[i]));
    prediction.novelty.push_back(10.0F + static_cast<float>(i));
    prediction.p_value.push_back(-static_cast<float>(i));
  }
  return prediction;
}

Prediction part_of(const Prediction& whole, Index begin, Index count) {
  const auto cut = [&](const auto& values) {
    return std::decay_t<decltype(values)>(values.begin() + begin, values.begin() + begin + count);
  };
  Prediction part;
  part.space = whole.space;
  part.probability = whole.probability.middleRows(begin, count);
  part.label = cut(whole.label);
  part.novelty = cut(whole.novelty);
  part.p_value = cut(whole.p_value);
  return part;
}

const PhaseKey kPre{3, "pre", "test"};

struct Recorded {  // a recorder that keeps what it made
  std::vector<Phase> phases;
  PhaseRecorder recorder;

  explicit Recorded(RecordOptions options, const Truth* truth = nullptr)
      : recorder(options, truth, [this](const Phase& phase) { phases.push_back(phase); }) {}

  const Phase& once(const Samples& samples, const Prediction& prediction,
                    std::span<const float> changed = {}) {
    recorder.begin(kPre, {});
    recorder.add(samples, prediction, changed);
    recorder.end();
    return phases.back();
  }
};

// Rows of tenths that sum to anything: ties abound, and nothing here depends on the sum.
Prediction tied_prediction(Index n, Rng& rng) {
  const LabelSpace space = five_entries();
  Matrix probability(n, space.size());
  std::vector<int> decisions;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < space.size(); ++j) {
      probability(i, j) = 0.1F * static_cast<float>(rng.below(4));
    }
    decisions.push_back(static_cast<int>(rng.below(space.size())));
  }
  return prediction_with(space, probability, decisions);
}

TEST(PhaseRecorder, keeps_confidence_by_epoch_on_request_alone) {
  Prediction prediction = prediction_with(five_entries(), Matrix::Constant(2, 5, 0.2F), {1, 2});
  prediction.known = {Label{1}, Label{2}};
  prediction.log_known = Matrix::Constant(2, 2, std::log(0.5F));
  prediction.by_epoch = {{0, 5}, Matrix{{0.9F, 0.8F}, {0.7F, 0.6F}}, {0.95F, 0.85F}};
  Truth truth;
  truth.label = {"ant", "bee", "ant", "bee"};
  RecordOptions asked;
  asked.epochs = true;
  Recorded recorded(asked, &truth);
  EXPECT_TRUE(recorded.recorder.ask().epochs);
  recorded.recorder.begin(kPre, {});
  recorded.recorder.add(samples_with({0, 1}), prediction, {});
  prediction.by_epoch.confidence.array() -= 0.5F;
  recorded.recorder.add(samples_with({2, 3}), prediction, {});
  recorded.recorder.end();
  const Phase back =
      phase_from_state(from_archive(to_archive(phase_to_state(recorded.phases.back())), "test"));
  const ByEpoch& found = back.given_known.by_epoch;
  EXPECT_THAT(found.epoch, ElementsAre(0, 5));
  EXPECT_THAT(found.native, ElementsAre(0.95F, 0.85F, 0.95F, 0.85F));
  ASSERT_EQ(found.confidence.rows(), 4);
  EXPECT_FLOAT_EQ(found.confidence(1, 1), 0.6F);
  EXPECT_FLOAT_EQ(found.confidence(2, 0), 0.4F);
  Recorded plain({}, &truth);
  EXPECT_FALSE(plain.recorder.ask().epochs);
  EXPECT_THAT(plain.once(samples_with({0, 1}), prediction).given_known.by_epoch.epoch, IsEmpty());
}

TEST(PhaseRecorder, keeps_what_measures_of_confidence_need) {
  Matrix probability = Matrix::Constant(3, 5, 0.2F);
  Prediction prediction = prediction_with(five_entries(), probability, {1, 2, 4});
  prediction.known = {Label{4}, Label{1}, Label{2}};  // cat, ant, bee: columns in any order
  prediction.log_known.resize(3, 3);
  prediction.log_known << std::log(0.5F), std::log(0.3F), std::log(0.2F),  //
      std::log(0.1F), std::log(0.1F), std::log(0.8F),                      //
      -std::numeric_limits<float>::infinity(), 0.0F, -std::numeric_limits<float>::infinity();
  prediction.temperature = {1.0F, 2.0F, 3.0F};
  Truth truth;
  truth.label = {"ant", "dog", "cat"};  // dog is not known; cat is called impossible
  Recorded recorded({}, &truth);
  EXPECT_TRUE(recorded.recorder.ask().log_known);
  const Phase& phase = recorded.once(samples_with({0, 1, 2}), prediction);
  const GivenKnown& given = phase.given_known;
  EXPECT_THAT(given.best, ElementsAre(4, 2, 1));
  EXPECT_THAT(given.confidence, ElementsAre(testing::FloatEq(0.5F), testing::FloatEq(0.8F), 1.0F));
  EXPECT_FLOAT_EQ(given.squares[0], 0.25F + 0.09F + 0.04F);
  EXPECT_FLOAT_EQ(given.squares[2], 1.0F);
  EXPECT_FLOAT_EQ(given.log_true[0], std::log(0.3F));
  EXPECT_TRUE(std::isnan(given.log_true[1]));
  EXPECT_EQ(given.log_true[2], -std::numeric_limits<float>::infinity());
  EXPECT_THAT(given.temperature, ElementsAre(1.0F, 2.0F, 3.0F));
  const Phase back = phase_from_state(from_archive(to_archive(phase_to_state(phase)), "test"));
  EXPECT_EQ(back.given_known.best, given.best);
  EXPECT_EQ(back.given_known.squares, given.squares);
  EXPECT_EQ(back.given_known.temperature, given.temperature);

  RecordOptions without;
  without.reliability = false;
  Recorded bare(without, &truth);
  EXPECT_FALSE(bare.recorder.ask().log_known);
  EXPECT_THAT(bare.once(samples_with({0, 1, 2}), prediction).given_known.best, IsEmpty());
}

TEST(PhaseRecorder, ranks_the_decision_first_then_by_probability_then_the_lower_entry) {
  Matrix probability(3, 5);
  probability << 0.1F, 0.3F, 0.3F, 0.2F, 0.1F,  // decides for 3; 1 and 2 tie, 0 and 4 tie
      0.4F, 0.1F, 0.3F, 0.1F, 0.1F,             // decides for 2, not for the most probable
      0.0F, 0.0F, 0.0F, 0.0F, 1.0F;
  Recorded recorded({4, false});
  const Phase& phase = recorded.once(samples_with({0, 1, 2}),
                                     prediction_with(five_entries(), probability, {3, 2, 4}));
  Dense<std::int32_t> top(3, 4);
  top << 3, 1, 2, 0,  //
      2, 0, 1, 3,     //
      4, 0, 1, 2;
  Matrix top_probability(3, 4);
  top_probability << 0.2F, 0.3F, 0.3F, 0.1F,  //
      0.3F, 0.4F, 0.1F, 0.1F,                 //
      1.0F, 0.0F, 0.0F, 0.0F;
  EXPECT_EQ(phase.top, top);
  EXPECT_EQ(phase.top_probability, top_probability);
  EXPECT_THAT(phase.confidence, ElementsAre(0.2F, 0.3F, 1.0F));
  EXPECT_THAT(phase.p_unknown, ElementsAre(0.1F, 0.4F, 0.0F));
  EXPECT_THAT(phase.novelty, ElementsAre(10, 11, 12));
  EXPECT_THAT(phase.p_value, ElementsAre(0, -1, -2));
  EXPECT_EQ(phase.decision(0), "discovered_0");
  EXPECT_EQ(phase.decision(2), "cat");
}

TEST(PhaseRecorder, agrees_with_a_stable_sort_of_all_entries) {
  Rng rng(5);
  const Index n = 200;
  const Prediction prediction = tied_prediction(n, rng);
  std::vector<std::uint32_t> ids(static_cast<std::size_t>(n));
  std::iota(ids.begin(), ids.end(), 0U);
  for (Index k = 1; k <= 5; ++k) {
    Recorded recorded({k, false});
    const Phase& phase = recorded.once(samples_with(ids), prediction);
    ASSERT_EQ(phase.top.cols(), k);
    for (Index i = 0; i < n; ++i) {
      const auto row = prediction.probability.row(i);
      const auto decision =
          static_cast<std::int32_t>(prediction.label[static_cast<std::size_t>(i)]);
      std::vector<std::int32_t> order{0, 1, 2, 3, 4};
      order.erase(order.begin() + decision);
      std::stable_sort(order.begin(), order.end(),
                       [&](std::int32_t a, std::int32_t b) { return row(a) > row(b); });
      order.insert(order.begin(), decision);
      for (Index j = 0; j < k; ++j) {
        const std::int32_t entry = order[static_cast<std::size_t>(j)];
        ASSERT_EQ(phase.top(i, j), entry) << "row " << i << ", top " << k;
        ASSERT_EQ(phase.top_probability(i, j), row(entry));
      }
    }
  }
}

TEST(PhaseRecorder, finds_the_probability_of_the_truth_by_name) {
  Truth truth;  // by sample id; ids 1 and 4 are not of this phase
  truth.label = {"dog", "ant", "cat", "ant", "bee", "bee"};
  Matrix probability(4, 5);
  probability << 0.0F, 0.1F, 0.2F, 0.3F, 0.4F,  //
      0.1F, 0.2F, 0.3F, 0.4F, 0.0F,             //
      0.2F, 0.3F, 0.4F, 0.0F, 0.1F,             //
      0.4F, 0.0F, 0.1F, 0.2F, 0.3F;
  const Prediction prediction = prediction_with(five_entries(), probability, {0, 0, 0, 0});
  const Samples samples = samples_with({2, 5, 0, 3});  // cat, bee, dog, ant
  Recorded recorded({2, false}, &truth);
  EXPECT_THAT(recorded.once(samples, prediction).p_true, ElementsAre(0.4F, 0.3F, 0.0F, 0.0F));
  EXPECT_THAT(recorded.phases[0].sample,
              ElementsAre(SampleId{2}, SampleId{5}, SampleId{0}, SampleId{3}));
  // The same classes under other entries: cat is 1, ant 2, bee 3.
  LabelSpace other;
  for (const std::string_view name : {"cat", "ant", "bee", "emu"}) {
    other.add_known(name);
  }
  EXPECT_THAT(recorded.once(samples, prediction_with(other, probability, {0, 0, 0, 0})).p_true,
              ElementsAre(0.1F, 0.4F, 0.0F, 0.1F));
  EXPECT_THAT(Recorded({2, false}).once(samples, prediction).p_true, IsEmpty());
}

TEST(PhaseRecorder, fills_up_with_minus_one_where_there_are_fewer_entries_than_wanted) {
  LabelSpace space;
  space.add_known("ant");
  Matrix probability(1, 2);
  probability << 0.25F, 0.75F;
  Recorded recorded({4, true});
  const Phase& phase = recorded.once(samples_with({0}), prediction_with(space, probability, {0}));
  EXPECT_EQ(phase.top, (Dense<std::int32_t>(1, 4) << 0, 1, -1, -1).finished());
  EXPECT_EQ(phase.top_probability, (Matrix(1, 4) << 0.25F, 0.75F, 0.0F, 0.0F).finished());
  EXPECT_EQ(phase.probability, probability);
}

TEST(PhaseRecorder, makes_the_same_phase_of_one_add_and_of_several) {
  Rng rng(6);
  const Prediction prediction = tied_prediction(7, rng);
  const Samples samples = samples_with({3, 1, 4, 0, 5, 9, 2});
  const std::vector<float> changed{0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F};
  Truth truth;
  truth.label = {"ant", "bee", "cat", "dog", "ant", "bee", "cat", "dog", "ant", "bee"};
  const PhaseFacts facts{{"bee"}, {"ant"}, 2};
  Recorded recorded({3, true}, &truth);
  const std::vector<std::vector<Index>> cuts{{7}, {3, 4}, {1, 5, 1}, {2, 0, 5}};
  for (const std::vector<Index>& counts : cuts) {
    recorded.recorder.begin(kPre, facts);
    Index begin = 0;
    for (const Index count : counts) {
      recorded.recorder.add(samples.slice(begin, count), part_of(prediction, begin, count),
                            std::span(changed).subspan(static_cast<std::size_t>(begin),
                                                       static_cast<std::size_t>(count)));
      begin += count;
    }
    recorded.recorder.end();
  }
  ASSERT_EQ(recorded.phases.size(), cuts.size());
  EXPECT_EQ(recorded.phases[0].probability, prediction.probability);
  EXPECT_EQ(recorded.phases[0].size(), 7);
  const std::string whole = to_archive(phase_to_state(recorded.phases[0]));
  for (const Phase& phase : recorded.phases) {
    EXPECT_EQ(to_archive(phase_to_state(phase)), whole);
  }
}

TEST(PhaseRecorder, keeps_whole_rows_only_on_request) {
  Rng rng(7);
  const Prediction prediction = tied_prediction(2, rng);
  EXPECT_EQ(Recorded({1, false}).once(samples_with({0, 1}), prediction).probability.size(), 0);
  EXPECT_EQ(Recorded({1, true}).once(samples_with({0, 1}), prediction).probability,
            prediction.probability);
}

TEST(PhaseRecorder, keeps_the_chance_of_a_change_where_one_was_given) {
  Rng rng(8);
  const Prediction prediction = tied_prediction(2, rng);
  Recorded recorded({1, false});
  const std::vector<float> changed{0.75F, 0.5F};
  EXPECT_THAT(recorded.once(samples_with({0, 1}), prediction, changed).changed,
              ElementsAre(0.75F, 0.5F));
  EXPECT_THAT(recorded.once(samples_with({0, 1}), prediction).changed, IsEmpty());
}

TEST(PhaseRecorder, notes_facts_and_the_space_of_that_moment_and_starts_every_phase_afresh) {
  Rng rng(9);
  Prediction prediction = tied_prediction(2, rng);
  const auto growing = std::make_shared<LabelSpace>(five_entries());
  prediction.space = growing;
  Recorded recorded({2, true});
  recorded.recorder.begin({1, "post", "train"}, {{"bee", "cat"}, {"ant"}, 17});
  recorded.recorder.add(samples_with({5, 6}), prediction, std::vector<float>{1, 1});
  growing->add_known("dog");  // learned after the prediction
  recorded.recorder.end();
  recorded.recorder.begin({2, "pre", "validate"}, {});
  recorded.recorder.end();
  ASSERT_EQ(recorded.phases.size(), 2U);
  const Phase& first = recorded.phases[0];
  EXPECT_EQ(first.key, (PhaseKey{1, "post", "train"}));
  EXPECT_EQ(first.space.size(), 5);
  EXPECT_THAT(first.known, ElementsAre("ant", "bee", "cat"));
  EXPECT_THAT(first.granted, ElementsAre("bee", "cat"));
  EXPECT_THAT(first.shown, ElementsAre("ant"));
  EXPECT_EQ(first.labels_granted, 17);
  const Phase& second = recorded.phases[1];  // no samples: nothing of the first is left
  EXPECT_EQ(second.key, (PhaseKey{2, "pre", "validate"}));
  EXPECT_EQ(second.size(), 0);
  EXPECT_EQ(second.labels_granted, 0);
  EXPECT_EQ(second.top.size() + second.top_probability.size() + second.probability.size(), 0);
  for (const auto* column : {&second.p_true, &second.p_unknown, &second.novelty, &second.p_value,
                             &second.confidence, &second.changed}) {
    EXPECT_THAT(*column, IsEmpty());
  }
  EXPECT_THAT(second.known, IsEmpty());
  EXPECT_THAT(second.granted, IsEmpty());
  EXPECT_THAT(second.shown, IsEmpty());
  const Prediction other = tied_prediction(3, rng);
  EXPECT_EQ(to_archive(phase_to_state(recorded.once(samples_with({2, 1, 0}), other))),
            to_archive(phase_to_state(Recorded({2, true}).once(samples_with({2, 1, 0}), other))));
}

TEST(RecordOptions, keep_one_entry_at_least) {
  ConfigNode node = ConfigNode::empty_map();
  set_path(node, "top", "0");
  EXPECT_THROW(read_options<RecordOptions>(node, "record"), Error);
  set_path(node, "top", "1");
  EXPECT_EQ(read_options<RecordOptions>(node, "record").top, 1);
}

}  // namespace
}  // namespace tyto
