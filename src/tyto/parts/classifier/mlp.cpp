// SPDX-License-Identifier: Apache-2.0
// The ANN of the open-world activity recognition paper: a small network whose output layer grows.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/module.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kMlpForms{"sound", "paper", "released"};
constexpr std::array<std::string_view, 3> kSkips{"none", "add", "concat"};

// Of form sound. On standardised letters (15,000 x 16) these reach 84 % in a second, where the
// paper's one epoch of 15 steps on 16 units reaches 7 %; on UCF101 features (1,442 x 256) 91 %
// against 27 %.
constexpr Index kFewestUnits = 256, kSmallestBatch = 32, kStepsPerEpoch = 100, kFewestSteps = 1000;

struct MlpOptions {
  std::string form = "sound", skip = "none";
  Index hidden = 0, layers = 1, batch = 1000, epochs = 1, steps_at_least = -1;
  double dropout = -1.0, learning_rate = 1e-3;

  void describe(OptionVisitor& visitor) {
    visitor.field(
        "form", form, kMlpForms,
        "sound: the output layer grows and keeps its weights, samples without a label are "
        "not trained on, and small data get a wider network and more, smaller steps (see "
        "hidden, batch, steps_at_least). paper: the same with hidden as wide as the "
        "features, batches of exactly `batch` and `epochs` alone deciding the steps. "
        "released: as paper, but dropout 0.75, the whole output layer is drawn anew when "
        "the number of classes changes, and samples without a label are trained as class "
        "unknown");
    visitor.field("hidden", hidden, {0, 1e6},
                  "units per hidden layer; 0: as many as features, in form sound at least 256 "
                  "unless skip is add");
    visitor.field("layers", layers, {1, 100}, "hidden layers");
    visitor.field(
        "skip", skip, kSkips,
        "what the next layer sees of a hidden layer: none: its output; add: the sum of its "
        "output and its input (hidden must equal the number of features); concat: its "
        "output and, beside it, the features");
    visitor.field("dropout", dropout, {-1, 0.99},
                  "chance that a hidden unit is silent in a training step, before the activation; "
                  "below 0: 0.5, in form released 0.75");
    visitor.field("learning_rate", learning_rate, {0, 10}, "of Adam, begun anew at every learning");
    visitor.field("batch", batch, {1, 1e9},
                  "samples per gradient step; form sound takes a hundredth of the samples where "
                  "that is less, but at least 32");
    visitor.field("epochs", epochs, {1, 1e6}, "passes over all samples, remembered and new");
    visitor.field("steps_at_least", steps_at_least, {-1, 1e9},
                  "gradient steps per learning; whole epochs are added until they are reached. "
                  "Below 0: 1000 in form sound, else 0");
  }
};

Join join_of(std::string_view word) {
  return word == "add" ? Join::add : word == "concat" ? Join::concat : Join::none;
}

class MlpClassifier final : public Part, public Classifier {
 public:
  explicit MlpClassifier(MlpOptions options) : options_(std::move(options)) {}

  void learn(const Experience& experience, Work& work) override {
    const std::vector<Index> rows = training_rows(experience);
    if (rows.empty() && !net_) {
      return;
    }
    if (!rows.empty()) {
      const Index width = experience.features(Rows(rows).first(1)).cols();
      if (experience.starts_over() || (net_ && net_->settings().inputs != width)) {
        net_.reset();
      }
      shape(width, experience.space(), work);
      train(experience, rows, work);
    } else {
      shape(net_->settings().inputs, experience.space(), work);
    }
  }

  void classify(Evidence& evidence) const override {
    check_learned();
    evidence.logits = net_->forward(evidence.features, 1, &evidence.embedding);
    evidence.classes = classes_;
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
    if (!net_) {
      return;
    }
    state.set("inputs", std::int64_t{net_->settings().inputs});
    save_labels(state, "classes", classes_);
    net_->save(state.make_child("net"));
  }

  void load(const State& state, const Shelf&) override {
    net_.reset();
    classes_.clear();
    if (!state.has("inputs")) {
      return;
    }
    classes_ = load_labels(state, "classes");
    net_ = make_net(state.get<std::int64_t>("inputs"), Rng(0));
    net_->load(state.child("net"));
    if (net_->settings().outputs != static_cast<Index>(classes_.size())) {
      throw Error(ErrorKind::state, fmt::format("the saved mlp has {} outputs for {} classes",
                                                net_->settings().outputs, classes_.size()));
    }
  }

 private:
  void check_learned() const {
    if (!net_) {
      throw Error(ErrorKind::state, "mlp: asked to classify before it has learned any class");
    }
  }

  [[nodiscard]] bool is_sound() const { return options_.form == "sound"; }

  [[nodiscard]] bool is_released() const { return options_.form == "released"; }

  [[nodiscard]] std::vector<Index> training_rows(const Experience& experience) const {
    if (!is_released()) {
      return experience.labelled(Role::fit);
    }
    std::vector<Index> rows;
    for (Index i = 0; i < experience.size(); ++i) {
      if (experience.roles()[static_cast<std::size_t>(i)] == Role::fit) {
        rows.push_back(i);
      }
    }
    return rows;
  }

  [[nodiscard]] std::unique_ptr<Network> make_net(Index inputs, const Rng& rng) const {
    Index hidden = options_.hidden > 0 ? options_.hidden : inputs;
    if (options_.hidden == 0 && is_sound() && options_.skip != "add") {
      hidden = std::max(inputs, kFewestUnits);
    }
    const double dropout = options_.dropout >= 0.0 ? options_.dropout : is_released() ? 0.75 : 0.5;
    return nn_module().make_network(
        even_network(inputs, hidden, options_.layers, std::ssize(classes_), join_of(options_.skip),
                     dropout),
        rng);
  }

  // Makes room for every known class of the space, whose entries never move.
  void shape(Index inputs, const LabelSpace& space, const Work& work) {
    std::vector<Label> classes{Label::unknown};
    for (const Label label : space.known()) {
      classes.push_back(label);
    }
    const bool grows = classes.size() != classes_.size();
    TYTO_ASSERT(!net_ || (classes.size() >= classes_.size() &&
                          std::equal(classes_.begin(), classes_.end(), classes.begin())));
    classes_ = std::move(classes);
    const auto outputs = static_cast<Index>(classes_.size());
    if (!net_) {
      net_ = make_net(inputs, work.rng.fork("weights"));
    } else if (grows && is_released()) {
      net_->replace_outputs(outputs, work.rng.fork("outputs"));
    } else if (grows) {
      net_->grow(outputs, work.rng.fork("outputs"));
    }
  }

  void train(const Experience& experience, const std::vector<Index>& rows, const Work& work) {
    std::vector<std::int64_t> column(static_cast<std::size_t>(experience.space().size()), 0);
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      column[static_cast<std::size_t>(classes_[c])] = static_cast<std::int64_t>(c);
    }
    const auto draw = [&](Rows which, const Rng&, Batch& batch) {
      std::vector<Index> picked;
      batch.targets.clear();
      for (const Index i : which) {
        picked.push_back(rows[static_cast<std::size_t>(i)]);
        const Label label = experience.labels()[static_cast<std::size_t>(picked.back())];
        batch.targets.push_back(column[static_cast<std::size_t>(label)]);
      }
      batch.rows = experience.features(picked);
    };
    const auto count = static_cast<Index>(rows.size());
    Training training;
    training.optimiser.learning_rate = options_.learning_rate;
    training.batch = options_.batch;
    Index steps = std::max<Index>(options_.steps_at_least, 0);
    if (is_sound()) {
      training.batch = std::min(training.batch, std::max(kSmallestBatch, count / kStepsPerEpoch));
      steps = options_.steps_at_least < 0 ? kFewestSteps : steps;
    }
    const Index per_epoch = (count + training.batch - 1) / training.batch;
    training.epochs = std::max(options_.epochs, (steps + per_epoch - 1) / per_epoch);
    Work inner = work.fork("fit");
    net_->fit(count, draw, training, inner);
  }

  MlpOptions options_;
  std::unique_ptr<Network> net_;  // null until the first learning: making it opens the module
  std::vector<Label> classes_;    // columns of the output: unknown, then the known ones
};

}  // namespace

PartSpec mlp_spec() {
  return part_spec<MlpOptions, MlpClassifier>(
      "mlp", {Slot::classifier},
      "network with one output per known class and one for unknown, trained on all it remembers",
      "learning O(epochs (n + m) (d hidden + hidden k)), predicting O(d hidden + hidden k) a row; "
      "memory O(d hidden + hidden k)",
      "Prijatelj et al., Human Activity Recognition in an Open World, JAIR 81, 2024",
      "cross entropy over all samples remembered and new, by Adam");
}

}  // namespace tyto
