// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/later_names.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/core/random.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;

constexpr LabelChangeKind kRename = LabelChangeKind::rename;
constexpr LabelChangeKind kMerge = LabelChangeKind::merge;
constexpr LabelChangeKind kSplit = LabelChangeKind::split;

// Sure of a, b and c by turns; p(unknown) is 0.1 everywhere.
Prediction three_answers(const LabelSpace& space) {
  Prediction prediction;
  prediction.space = std::make_shared<const LabelSpace>(space);
  prediction.probability = Matrix::Zero(3, space.size());
  prediction.probability.leftCols(4) << 0.1F, 0.6F, 0.2F, 0.1F,  //
      0.1F, 0.2F, 0.6F, 0.1F,                                    //
      0.1F, 0.1F, 0.2F, 0.6F;
  prediction.label = {Label{1}, Label{2}, Label{3}};
  prediction.known = {Label{1}, Label{2}, Label{3}};
  prediction.log_known.resize(1, 3);
  prediction.log_known << std::log(0.5F), std::log(0.3F), std::log(0.2F);
  prediction.sets = {{Label{1}, Label{3}, Label{2}}};
  return prediction;
}

LabelSpace abc() {
  LabelSpace space;
  for (const char* name : {"a", "b", "c"}) {
    space.add_known(name);
  }
  return space;
}

TEST(LaterNames, of_a_class_take_its_column_and_its_lessons) {
  LabelSpace space = abc();
  LaterNames names;
  names.add({kRename, {"a"}, "x"}, space);
  Prediction prediction = three_answers(space);
  names.apply(prediction);
  EXPECT_EQ(space.name(prediction.label[0]), "x");
  EXPECT_EQ(space.name(prediction.label[1]), "b");
  EXPECT_FLOAT_EQ(prediction.probability(0, 4), 0.6F);
  EXPECT_EQ(prediction.probability(0, 1), 0.0F);
  std::vector<Label> labels{*space.find("x"), *space.find("b")};
  names.learn(labels);
  EXPECT_THAT(labels, ElementsAre(Label{1}, Label{2}));

  names.add({kRename, {"x"}, "y"}, space);  // once more
  labels = {*space.find("y")};
  names.learn(labels);
  EXPECT_THAT(labels, ElementsAre(Label{1}));
  prediction = three_answers(space);
  names.apply(prediction);
  EXPECT_EQ(space.name(prediction.label[0]), "y");
}

TEST(LaterNames, of_merged_classes_join_their_columns) {
  LabelSpace space = abc();
  LaterNames names;
  names.add({kMerge, {"a", "c", "never heard"}, "d"}, space);
  Prediction prediction = three_answers(space);
  names.apply(prediction);
  const auto d = static_cast<Index>(*space.find("d"));
  EXPECT_FLOAT_EQ(prediction.probability(0, d), 0.7F);
  EXPECT_FLOAT_EQ(prediction.probability(1, d), 0.3F);
  EXPECT_FLOAT_EQ(prediction.probability.row(2).sum(), 1.0F);
  EXPECT_THAT(prediction.label, ElementsAre(Label{4}, Label{2}, Label{4}));
  EXPECT_THAT(prediction.known, ElementsAre(Label{4}, Label{2}));
  EXPECT_NEAR(std::exp(prediction.log_known(0, 0)), 0.7, 1e-6);
  EXPECT_THAT(prediction.sets[0], ElementsAre(Label{4}, Label{2}));
  EXPECT_FALSE(space.find("never heard").has_value());
}

TEST(LaterNames, of_a_class_that_takes_another_in_stay) {
  LabelSpace space = abc();
  LaterNames names;
  names.add({kMerge, {"a"}, "b"}, space);
  Prediction prediction = three_answers(space);
  names.apply(prediction);
  EXPECT_EQ(space.size(), 4);
  EXPECT_THAT(prediction.label, ElementsAre(Label{2}, Label{2}, Label{3}));
  EXPECT_FLOAT_EQ(prediction.probability(0, 2), 0.8F);
}

TEST(LaterNames, of_a_split_class_are_not_known_until_somebody_says_them) {
  LabelSpace space = abc();
  LaterNames names;
  names.add({kSplit, {"b"}, ""}, space);
  Prediction prediction = three_answers(space);
  names.apply(prediction);
  EXPECT_EQ(prediction.label[1], Label::unknown);
  EXPECT_FLOAT_EQ(prediction.probability(1, 0), 0.7F);
  EXPECT_THAT(prediction.known, ElementsAre(Label{1}, Label{3}));
  EXPECT_NEAR(std::exp(prediction.log_known(0, 0)), 0.5 / 0.7, 1e-6);
  EXPECT_THAT(prediction.sets[0], ElementsAre(Label{1}, Label{3}));
}

TEST(LaterNames, change_nothing_where_there_are_none) {
  LabelSpace space = abc();
  LaterNames names;
  names.add({kRename, {"nobody"}, "x"}, space);
  EXPECT_EQ(space.size(), 4);
  State state;
  names.save(state);
  EXPECT_TRUE(state.values.empty());
}

class LaterNamesOfPredictor : public testing::Test {
 protected:
  // Three classes far apart in two columns.
  LaterNamesOfPredictor() {
    Rng rng(3, "blobs");
    Matrix features(90, 2);
    Samples::Table table;
    for (Index i = 0; i < 90; ++i) {
      features(i, 0) = static_cast<float>(10.0 * static_cast<double>(i % 3) + rng.normal());
      features(i, 1) = static_cast<float>(rng.normal());
      table.id.push_back(static_cast<SampleId>(i));
      table.row.push_back(i);
    }
    store_ = std::make_shared<const DenseStore>(std::move(features));
    samples_ = Samples(store_, std::move(table));
  }

  [[nodiscard]] Lesson lesson(Index begin, Index count,
                              const std::vector<std::string>& names) const {
    Lesson out{samples_.slice(begin, count), {}, {}};
    for (Index i = begin; i < begin + count; ++i) {
      out.names.push_back(names[static_cast<std::size_t>(i % 3)]);
    }
    return out;
  }

  static std::unique_ptr<Composition> make() {
    return std::make_unique<Composition>(
        read_predictor(parse_yaml("{name: p, classifier: ncm, detector: mahalanobis, memory: "
                                  "unlimited, accepted_error: 0.01}",
                                  "test"),
                       "predictor"),
        5);
  }

  // How often each class is called what.
  [[nodiscard]] std::map<std::string, Index> calls(const Predictor& predictor, Index of) const {
    std::map<std::string, Index> counts;
    const Prediction prediction = predictor.predict(samples_);
    for (Index i = of; i < 90; i += 3) {
      ++counts[prediction.space->name(prediction.label[static_cast<std::size_t>(i)])];
    }
    return counts;
  }

  std::shared_ptr<const FeatureStore> store_;
  Samples samples_;
  Progress progress_;
  Work work_{Rng(1), progress_};
};

TEST_F(LaterNamesOfPredictor, are_said_learned_and_saved) {
  const auto predictor = make();
  predictor->learn(lesson(0, 60, {"a", "b", "c"}), work_);
  ASSERT_GT(calls(*predictor, 0)["a"], 20);
  predictor->change_labels({{kRename, {"a"}, "x"}, {kMerge, {"b", "c"}, "d"}});
  EXPECT_GT(calls(*predictor, 0)["x"], 20);
  EXPECT_GT(calls(*predictor, 1)["d"], 20);
  EXPECT_GT(calls(*predictor, 2)["d"], 20);
  predictor->learn(lesson(60, 30, {"x", "d", "d"}), work_);
  EXPECT_GT(calls(*predictor, 0)["x"], 20);
  EXPECT_GT(calls(*predictor, 2)["d"], 20);
  EXPECT_EQ(calls(*predictor, 0)["a"] + calls(*predictor, 1)["b"], 0);
  predictor->change_labels({{kSplit, {"x"}, ""}});
  EXPECT_EQ(calls(*predictor, 0)["x"], 0);
  EXPECT_GT(calls(*predictor, 0)["unknown"], 20);

  State state;
  predictor->save(state);
  const auto other = make();
  other->load(from_archive(to_archive(state), "test"), StoreShelf({store_}));
  const Prediction now = predictor->predict(samples_);
  const Prediction then = other->predict(samples_);
  EXPECT_EQ(now.label, then.label);
  EXPECT_EQ(now.probability, then.probability);
  EXPECT_NEAR(now.probability.row(0).sum(), 1.0, 1e-5);
}

}  // namespace
}  // namespace tyto
