// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

// Gaussians of deviation 1 around 6 e_c in five dimensions, for class c.
struct ClassRows final : Experience {
  Matrix rows{0, 5};
  std::vector<Label> granted;
  std::vector<Role> role;
  LabelSpace known;
  Index first_fresh = 0;

  ClassRows() = default;

  explicit ClassRows(const std::vector<std::string>& names) {  // 60 rows each
    for (const std::string& name : names) {
      add(60, known.size() - 1, name);
    }
  }

  void add(Index count, Index place, const std::string& name, Role as = Role::fit) {
    Rng rng(17, name, static_cast<std::uint64_t>(size()));
    const Label label = name.empty() ? Label::unknown : known.add_known(name);
    const Index from = rows.rows();
    rows.conservativeResize(from + count, 5);
    for (Index i = from; i < from + count; ++i) {
      for (Index j = 0; j < 5; ++j) {
        rows(i, j) = static_cast<float>(rng.normal() + (j == place ? 6.0 : 0.0));
      }
      granted.push_back(label);
      role.push_back(as);
    }
  }

  [[nodiscard]] Index size() const override { return rows.rows(); }

  [[nodiscard]] Index fresh() const override { return first_fresh; }

  [[nodiscard]] bool starts_over() const override { return first_fresh == 0; }

  [[nodiscard]] std::span<const Label> labels() const override { return granted; }

  [[nodiscard]] std::span<const Role> roles() const override { return role; }

  [[nodiscard]] const LabelSpace& space() const override { return known; }

  [[nodiscard]] Samples samples(Rows) const override { return {}; }

  [[nodiscard]] Matrix features(Rows which) const override {
    Matrix picked(static_cast<Index>(which.size()), rows.cols());
    for (std::size_t i = 0; i < which.size(); ++i) {
      picked.row(static_cast<Index>(i)) = rows.row(which[i]);
    }
    return picked;
  }

  void each_block(Role, Index, const Visit&) const override {}
};

struct ToyMlp {
  std::unique_ptr<Part> part;
  Progress silent;

  explicit ToyMlp(const std::string& options = "{}")
      : part(find_part(Slot::classifier, "mlp").make(parse_yaml(options, "toy.yaml"), "mlp")) {}

  Classifier& classifier() { return dynamic_cast<Classifier&>(*part); }

  void learn(const Experience& experience, std::uint64_t seed = 1) {
    Work work{Rng(seed, "toy"), silent};
    classifier().learn(experience, work);
  }

  Evidence classify(const Matrix& rows) {
    Evidence evidence;
    evidence.features = rows;
    classifier().classify(evidence);
    return evidence;
  }

  // The share of rows, labels granted or not, that get the class standing at their label.
  double accuracy(const ClassRows& toy) {
    const Evidence evidence = classify(toy.rows);
    double right = 0.0;
    for (Index i = 0; i < toy.size(); ++i) {
      Index best = 0;
      evidence.logits.row(i).maxCoeff(&best);
      right += evidence.classes[static_cast<std::size_t>(best)] ==
               toy.granted[static_cast<std::size_t>(i)];
    }
    return right / static_cast<double>(toy.size());
  }

  [[nodiscard]] std::string bytes() const {
    State state;
    part->save(state);
    return to_archive(state);
  }
};

Matrix weights_in(const ToyMlp& mlp, const std::string& name) {
  State state;
  mlp.part->save(state);
  return state.child("net").get<Matrix>(name);
}

ClassRows two_classes() {
  return ClassRows({"walk", "run"});
}

TEST(MlpClassifier, learns_little_data_by_its_defaults) {
  ToyMlp mlp;
  const ClassRows toy = two_classes();
  mlp.learn(toy);
  EXPECT_GT(mlp.accuracy(toy), 0.97);
}

TEST(MlpClassifier, gives_its_head_and_gradients_once_it_has_learned) {
  ToyMlp mlp("{hidden: 8, steps_at_least: 50}");
  EXPECT_TRUE(mlp.classifier().has_head() && mlp.classifier().has_gradient());
  EXPECT_THROW((void)mlp.classifier().head(), Error);
  const ClassRows toy = two_classes();
  mlp.learn(toy);
  const Evidence evidence = mlp.classify(toy.rows);
  const LinearHead head = mlp.classifier().head();
  ASSERT_TRUE(head.on_embedding);
  Matrix logits = evidence.embedding * head.weight.transpose();
  logits.rowwise() += head.bias.row(0);
  EXPECT_TRUE(logits.isApprox(evidence.logits, 1e-4F));
  const Matrix one = Matrix::Ones(evidence.logits.rows(), evidence.logits.cols());
  const Matrix gradient = mlp.classifier().pull_back(evidence, one);
  EXPECT_EQ(gradient.rows(), toy.rows.rows());
  EXPECT_EQ(gradient.cols(), toy.rows.cols());
}

TEST(MlpClassifier, columns_are_unknown_and_the_known_classes_in_order) {
  ToyMlp mlp;
  const ClassRows toy = two_classes();
  mlp.learn(toy);
  const Evidence evidence = mlp.classify(toy.rows);
  EXPECT_THAT(evidence.classes, testing::ElementsAre(Label::unknown, *toy.known.find("walk"),
                                                     *toy.known.find("run")));
  EXPECT_EQ(evidence.logits.cols(), 3);
  EXPECT_EQ(evidence.embedding.cols(), 256);
  EXPECT_EQ(evidence.embedding.rows(), toy.size());
}

TEST(MlpClassifier, is_as_wide_as_its_form_says) {
  const ClassRows toy = two_classes();
  const auto width = [&](const std::string& options) {
    ToyMlp mlp(options);
    mlp.learn(toy);
    return mlp.classify(toy.rows).embedding.cols();
  };
  EXPECT_EQ(width("{form: paper}"), 5);
  EXPECT_EQ(width("{form: released}"), 5);
  EXPECT_EQ(width("{steps_at_least: 1, skip: add}"), 5);
  EXPECT_EQ(width("{steps_at_least: 1, skip: concat, hidden: 7}"), 12);
}

TEST(MlpClassifier, learns_new_classes_and_keeps_the_old_ones_with_replay) {
  ToyMlp mlp;
  ClassRows toy = two_classes();
  mlp.learn(toy);
  toy.first_fresh = toy.size();
  toy.add(60, 2, "jump");
  mlp.learn(toy, 2);
  EXPECT_GT(mlp.accuracy(toy), 0.97);
}

TEST(MlpClassifier, grows_in_sound_and_paper_form_and_begins_anew_in_the_released_one) {
  for (const bool released : {false, true}) {
    // A rate of zero leaves weights where growth put them.
    ToyMlp mlp(fmt::format("{{form: {}, learning_rate: 0}}", released ? "released" : "paper"));
    ClassRows toy = two_classes();
    mlp.learn(toy);
    const Matrix old = weights_in(mlp, "weight_1");
    const Matrix hidden = weights_in(mlp, "weight_0");
    toy.first_fresh = toy.size();
    toy.add(10, 2, "jump");
    mlp.learn(toy, 2);
    EXPECT_EQ(weights_in(mlp, "weight_1").topRows(3) == old, !released);
    EXPECT_EQ(weights_in(mlp, "weight_0"), hidden);
  }
}

TEST(MlpClassifier, samples_without_a_label_teach_unknown_in_the_released_form_only) {
  ClassRows toy = two_classes();
  toy.add(60, 2, "");
  ToyMlp sound, released("{form: released, epochs: 300, batch: 32, hidden: 32}");
  sound.learn(toy);
  released.learn(toy);
  EXPECT_LT(sound.accuracy(toy), 0.7);  // 120 of 180 can be right
  EXPECT_GT(released.accuracy(toy), 0.95);
}

TEST(MlpClassifier, never_trains_on_held_rows) {
  const ClassRows toy = two_classes();
  ClassRows with_held = two_classes();
  with_held.add(50, 1, "walk", Role::hold);
  ToyMlp a, b;
  a.learn(toy);
  b.learn(with_held);
  EXPECT_EQ(a.bytes(), b.bytes());
}

TEST(MlpClassifier, takes_as_many_steps_as_promised) {
  // Adam moves a weight with a steady gradient by about the rate per step: 120 rows in one batch
  // are one step in form paper, and steps_at_least makes it three.
  const ClassRows toy = two_classes();
  const auto moved = [&](const std::string& options) {
    ToyMlp still("{form: paper, hidden: 8, learning_rate: 0}"), mlp(options);
    still.learn(toy);
    mlp.learn(toy);
    return (weights_in(mlp, "bias_1") - weights_in(still, "bias_1")).cwiseAbs().maxCoeff();
  };
  EXPECT_NEAR(moved("{form: paper, hidden: 8}"), 1e-3, 1e-5);
  EXPECT_NEAR(moved("{form: paper, hidden: 8, steps_at_least: 3}"), 3e-3, 2e-4);
  EXPECT_GT(moved("{form: sound, hidden: 8}"), 1e-2);
}

TEST(MlpClassifier, a_saved_one_answers_and_goes_on_the_same) {
  ToyMlp mlp, copy;
  ClassRows toy = two_classes();
  mlp.learn(toy);
  copy.part->load(from_archive(mlp.bytes(), "copy"), EmptyShelf());
  EXPECT_EQ(copy.classify(toy.rows).logits, mlp.classify(toy.rows).logits);
  toy.first_fresh = toy.size();
  toy.add(30, 2, "jump");
  mlp.learn(toy, 3);
  copy.learn(toy, 3);
  EXPECT_EQ(copy.bytes(), mlp.bytes());
  ToyMlp untaught;
  copy.part->load(from_archive(untaught.bytes(), "untaught"), EmptyShelf());
  EXPECT_THROW((void)copy.classify(toy.rows), Error);
}

TEST(MlpClassifier, starts_over_where_the_experience_does) {
  ToyMlp used, fresh;
  ClassRows toy = two_classes();
  used.learn(toy, 1);
  used.learn(toy, 2);
  fresh.learn(toy, 2);
  EXPECT_EQ(used.bytes(), fresh.bytes());
}

TEST(MlpClassifier, makes_room_for_a_class_that_has_no_sample_yet) {
  ToyMlp mlp;
  ClassRows toy = two_classes();
  mlp.learn(toy);
  ClassRows nothing;
  nothing.known = toy.known;
  nothing.known.add_known("jump");
  nothing.first_fresh = 1;
  mlp.learn(nothing, 2);
  EXPECT_EQ(mlp.classify(toy.rows).classes.size(), 4U);
}

TEST(MlpClassifier, names_a_width_that_cannot_be_added) {
  ToyMlp mlp("{skip: add, hidden: 7}");
  try {
    mlp.learn(two_classes());
    FAIL() << "learned";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_THAT(error.what(), testing::HasSubstr("hidden (7)"));
  }
}

}  // namespace

}  // namespace tyto
