// SPDX-License-Identifier: Apache-2.0
// Classes as Gaussians in an embedding that is learned with them: new is what is far from all.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tyto/nn/module.hpp"
#include "tyto/parts/joint_learner.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kNdccForms{"sound", "paper", "released"};
constexpr Index kFewestNdccUnits = 128, kNdccSteps = 500, kNdccBatch = 64, kNdccEpochs = 30;

struct NdccOptions {
  std::string form = "sound";
  Index hidden = 0, layers = 1, epochs = -1, batch = -1, steps_at_least = -1;
  double radius = 16.0, weight = 0.2, likelihood = -1.0, learning_rate = -1.0;

  void describe(OptionVisitor& v) {
    v.field("form", form, kNdccForms,
            "sound: by Adam, at least 500 steps a lesson, which features that no network was "
            "trained for need. paper: SGD with the rates of the paper, 1e-4 for the embedding, "
            "1e-2 for the classes, 30 epochs. released: as paper, but sigma = 1 and delta = 0 when "
            "samples are scored, since the published program forgets what it learned of them");
    v.field("layers", layers, {0, 100},
            "of the embedding; 0: the features themselves, as those of a network are");
    v.field("hidden", hidden, {0, 1e6}, "units of a layer; 0: as many as features, at least 128");
    v.field("radius", radius, {1e-3, 1e6}, "length that embeddings are brought to");
    v.field("weight", weight, {0, 1e3}, "of the Gaussians beside the cross-entropy: lambda");
    v.field("likelihood", likelihood, {-1, 1e3},
            "of their likelihood beside the distances: gamma; below 0: 1 / width of the embedding");
    v.field("epochs", epochs, {-1, 1e6}, "passes over all samples; below 0: 30");
    v.field(
        "steps_at_least", steps_at_least, {-1, 1e9},
        "whole epochs are added until they are reached; below 0: 500, in the published forms 0");
    v.field("batch", batch, {-1, 1e9}, "samples per step; below 0: 64");
    v.field("learning_rate", learning_rate, {-1, 10},
            "of form sound, of the classes in the others; below 0: 0.001, published 0.01");
  }
};

// Novelty is the least over classes of sum_j (v_j - m_cj)^2 / s_j, with s_j = (sigma + delta_j)^2
// and m_c = w_c s; logits are w_c v + b_c.
class Ndcc final : public Part, public JointLearner {
 public:
  explicit Ndcc(NdccOptions options) : options_(std::move(options)) {}

  void classify(Evidence& evidence) const override {
    check_learned();
    evidence.classes = classes_;
    evidence.logits = net_->forward(evidence.features, 1, &evidence.embedding);
  }

  void detect(Evidence& evidence) const override {
    check_learned();
    evidence.novelty.clear();
    if (evidence.size() == 0) {
      return;
    }
    Matrix embedding;
    (void)net_->forward(evidence.features, 1, &embedding);
    const Eigen::ArrayXf root = variance_.row(0).transpose().array().rsqrt();
    const Matrix scaled = embedding * root.matrix().asDiagonal();
    const Matrix means = means_ * root.matrix().asDiagonal();
    for (Index i = 0; i < scaled.rows(); ++i) {
      evidence.novelty.push_back(
          (means.rowwise() - scaled.row(i)).rowwise().squaredNorm().minCoeff());
    }
  }

  [[nodiscard]] bool has_head() const override { return true; }

  [[nodiscard]] bool has_gradient() const override { return true; }

  [[nodiscard]] bool has_embedding() const override { return true; }

  [[nodiscard]] LinearHead head() const override {
    check_learned();
    OutputLayer layer = net_->output_layer();
    return {std::move(layer.weight), std::move(layer.bias), true};
  }

  [[nodiscard]] Matrix pull_back(const Evidence& evidence, const Matrix& weight) const override {
    check_learned();
    return net_->pull_back(evidence.features, weight);
  }

  void save(State& state) const override {
    if (net_) {
      state.set("inputs", std::int64_t{net_->settings().inputs});
      save_labels(state, "classes", classes_);
      net_->save(state.make_child("net"));
    }
  }

  void load(const State& state, const Shelf&) override {
    net_.reset();
    classes_.clear();
    if (state.has("inputs")) {
      classes_ = load_labels(state, "classes");
      net_ = made_net(state.get<std::int64_t>("inputs"), std::ssize(classes_), Rng(0));
      net_->load(state.child("net"));
      prepare();
    }
  }

 private:
  void check_learned() const {
    if (!net_) {
      throw Error(ErrorKind::state, "ndcc was asked before it has learned any class");
    }
  }

  [[nodiscard]] bool is_sound() const { return options_.form == "sound"; }

  void study(const Experience& experience, Work& work) override {
    if (experience.starts_over()) {
      net_.reset();
      classes_.clear();
    }
    const std::vector<Index> rows = experience.labelled(Role::fit);
    std::vector<Label> known;
    for (const Label label : experience.space().known()) {
      known.push_back(label);
    }
    if (!net_ && rows.empty()) {
      return;
    }
    classes_ = std::move(known);
    if (!net_) {
      const Index width = experience.features(Rows(rows).first(1)).cols();
      net_ = made_net(width, std::ssize(classes_), work.rng.fork("weights"));
    } else {
      net_->grow(std::ssize(classes_), work.rng.fork("outputs"));
    }
    if (!rows.empty()) {
      train(experience, rows, work);
    }
    prepare();
  }

  void train(const Experience& experience, const std::vector<Index>& rows, const Work& work) {
    std::vector<std::int64_t> output(at(experience.space().size()), 0);
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      output[static_cast<std::size_t>(classes_[c])] = static_cast<std::int64_t>(c);
    }
    const auto draw = [&](Rows which, const Rng&, Batch& batch) {
      batch.clear();
      std::vector<Index> picked;
      for (const Index i : which) {
        picked.push_back(rows[at(i)]);
        const Label label = experience.labels()[at(picked.back())];
        batch.targets.push_back(output[static_cast<std::size_t>(label)]);
      }
      batch.rows = experience.features(picked);
    };
    Work own = work.fork("fit");
    net_->fit(std::ssize(rows), draw, training(std::ssize(rows)), own);
  }

  [[nodiscard]] Training training(Index samples) const {
    const Index width = net_->output_layer().weight.cols();
    Training training;
    training.objective.class_gaussians = {options_.weight, options_.likelihood >= 0
                                                               ? options_.likelihood
                                                               : 1.0 / static_cast<double>(width)};
    Optimiser& by = training.optimiser;
    if (is_sound()) {
      by.learning_rate = options_.learning_rate >= 0 ? options_.learning_rate : 1e-3;
    } else {
      by.kind = OptimiserKind::sgd;
      by.momentum = 0.9;
      by.learning_rate = 1e-4;
      by.decay = 5e-4;
      by.drops = {25.0 / 30.0, 28.0 / 30.0};
      const double classes = options_.learning_rate >= 0 ? options_.learning_rate : 1e-2;
      const std::string last = std::to_string(options_.layers);
      by.own = {{"weight_" + last, classes, 0.0},
                {"bias_" + last, classes, 0.0},
                {"sigma", 1e-2, 0.0},
                {"delta", 1e-4, 0.0}};
    }
    training.batch = options_.batch > 0 ? options_.batch : kNdccBatch;
    const Index steps = options_.steps_at_least >= 0 ? options_.steps_at_least
                        : is_sound()                 ? kNdccSteps
                                                     : 0;
    const Index per_epoch = (samples + training.batch - 1) / training.batch;
    training.epochs = std::max<Index>({options_.epochs < 0 ? kNdccEpochs : options_.epochs,
                                       (steps + per_epoch - 1) / per_epoch, 1});
    return training;
  }

  [[nodiscard]] std::unique_ptr<Network> made_net(Index inputs, Index outputs,
                                                  const Rng& rng) const {
    const Index hidden = options_.hidden > 0 ? options_.hidden : std::max(inputs, kFewestNdccUnits);
    NetworkSettings settings = even_network(inputs, hidden, options_.layers, outputs);
    settings.radius = options_.radius;
    settings.class_gaussians = true;
    return nn_module().make_network(settings, rng);
  }

  // Of the network alone, so that a loaded part equals the saved one.
  void prepare() {
    State state;
    net_->save(state);
    const auto& delta = state.get<Matrix>("delta");
    const Matrix root = options_.form == "released"
                            ? Matrix(Matrix::Ones(1, delta.cols()))
                            : Matrix((delta.array() + state.get<Matrix>("sigma")(0, 0)).matrix());
    variance_ = root.array().square().max(kLeastVariance).matrix();
    means_ = net_->output_layer().weight * variance_.row(0).asDiagonal();
  }

  NdccOptions options_;
  std::unique_ptr<Network> net_;  // null until the first lesson: making it opens the module
  std::vector<Label> classes_;    // of the outputs
  Matrix variance_, means_;       // one row; a row per class
};

}  // namespace

PartSpec ndcc_spec() {
  return part_spec<NdccOptions, Ndcc>(
      "ndcc", {Slot::classifier, Slot::detector},
      "distance to the nearest class in an embedding where classes are trained to be Gaussians",
      "learning O(epochs (n + m) d hidden), detecting O(d hidden + hidden k) a row",
      "Cheng & Vasconcelos, Learning Deep Classifiers Consistent with Fine-Grained Novelty "
      "Detection, CVPR 2021",
      "cross entropy, and likelihood and distances of class Gaussians of one diagonal covariance");
}

}  // namespace tyto
