// SPDX-License-Identifier: Apache-2.0
// What of a sample a small network cannot give back that has learned usual ones.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "tyto/math/class_statistics.hpp"
#include "tyto/nn/module.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr Index kFewestAutoencoderUnits = 64, kMostAutoencoderUnits = 512, kMostCode = 100;
constexpr Index kAutoencoderSteps = 1000;
constexpr std::size_t kWorstFeatures = 3;  // that are told

struct AutoencoderOptions {
  Index hidden = 0, code = 0, epochs = 20, steps_at_least = -1, batch = 100;
  double noise = 0.1, learning_rate = 1e-3;

  void describe(OptionVisitor& v) {
    v.field("hidden", hidden, {0, 1e6},
            "units of the layers before and after the code; 0: twice the features, 64 to 512");
    v.field("code", code, {0, 1e6},
            "numbers that a sample is squeezed through; 0: a quarter of the features, 2 to 100");
    v.field("noise", noise, {0, 10},
            "deviation of what is added to samples in training, in deviations of each feature");
    v.field("epochs", epochs, {1, 1e6}, "passes over the samples");
    v.field("steps_at_least", steps_at_least, {-1, 1e9},
            "whole epochs are added until they are reached; below 0: 1000");
    v.field("batch", batch, {1, 1e9}, "samples per step");
    v.field("learning_rate", learning_rate, {0, 10}, "of Adam, begun anew at every lesson");
  }
};

// Rows are standardised; the score is the mean squared error of what comes back. Trained anew at
// every lesson, on all that is remembered and new: it is small.
class Autoencoder final : public Part, public Detector {
 public:
  explicit Autoencoder(AutoencoderOptions options) : options_(options) {}

  void profile(const Experience& experience, Work& work) override {
    const std::vector<Index> rows = experience.labelled(Role::fit);
    if (rows.empty()) {
      return;
    }
    ClassStatistics statistics(Scatter::diagonal);
    experience.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label>) {
      statistics.add(block.features);
      work.progress.pulse();
    });
    take_scale(statistics);
    net_ = made_net(work.rng.fork("weights"));
    const auto draw = [&](Rows which, const Rng&, Batch& batch) {
      std::vector<Index> picked;
      for (const Index i : which) {
        picked.push_back(rows[at(i)]);
      }
      batch.clear();
      batch.rows = scaled(experience.features(picked));
    };
    Training training;
    training.objective.cross_entropy = 0.0;
    training.objective.reconstruction = {.weight = 1.0, .noise = options_.noise};
    training.optimiser.learning_rate = options_.learning_rate;
    training.batch = options_.batch;
    const Index steps = options_.steps_at_least < 0 ? kAutoencoderSteps : options_.steps_at_least;
    const Index per_epoch = (std::ssize(rows) + options_.batch - 1) / options_.batch;
    training.epochs = std::max(options_.epochs, (steps + per_epoch - 1) / per_epoch);
    Work own = work.fork("fit");
    net_->fit(std::ssize(rows), draw, training, own);
  }

  void detect(Evidence& evidence) const override {
    const Matrix errors = squared_errors(evidence.features);
    evidence.novelty.resize(at(errors.rows()));
    Vector::Map(evidence.novelty.data(), errors.rows()) = errors.rowwise().mean();
  }

  [[nodiscard]] std::vector<std::vector<ScoreNote>> explain(
      const Evidence& evidence) const override {
    const Matrix errors = squared_errors(evidence.features);
    const std::vector<std::string> names = evidence.samples.column_names("features");
    std::vector<std::vector<ScoreNote>> notes(at(errors.rows()));
    for (std::size_t i = 0; i < notes.size(); ++i) {
      const auto row = errors.row(static_cast<Index>(i));
      std::vector<Index> order(at(row.size()));
      std::iota(order.begin(), order.end(), Index{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](Index a, Index b) { return row[a] > row[b]; });
      order.resize(std::min(order.size(), kWorstFeatures));
      for (const Index j : order) {
        const bool named = std::ssize(names) == row.size();
        notes[i].push_back({named ? names[at(j)] : fmt::format("feature {}", j), row[j]});
      }
    }
    return notes;
  }

  void save(State& state) const override {
    if (net_) {
      state.set("mean", mean_);
      state.set("scale", scale_);
      net_->save(state.make_child("net"));
    }
  }

  void load(const State& state, const Shelf&) override {
    net_.reset();
    if (state.has("mean")) {
      mean_ = state.get<Matrix>("mean");
      scale_ = state.get<Matrix>("scale");
      net_ = made_net(Rng(0));
      net_->load(state.child("net"));
    }
  }

 private:
  void take_scale(const ClassStatistics& statistics) {
    const auto freedom = static_cast<double>(std::max<Index>(1, statistics.count() - 1));
    mean_ = statistics.means().colwise().mean().cast<float>();
    const Eigen::VectorXd deviation = (statistics.diagonal() / freedom).cwiseSqrt();
    scale_.resize(1, deviation.size());
    for (Index j = 0; j < deviation.size(); ++j) {  // what never varies keeps its unit
      scale_(0, j) = deviation[j] > 0.0 ? static_cast<float>(1.0 / deviation[j]) : 1.0F;
    }
  }

  [[nodiscard]] Matrix scaled(const Matrix& rows) const {
    return ((rows.rowwise() - mean_.row(0)).array().rowwise() * scale_.row(0).array()).matrix();
  }

  [[nodiscard]] std::unique_ptr<Network> made_net(const Rng& rng) const {
    const Index width = mean_.cols();
    const Index hidden =
        options_.hidden > 0 ? options_.hidden
                            : std::clamp(2 * width, kFewestAutoencoderUnits, kMostAutoencoderUnits);
    const Index code =
        options_.code > 0 ? options_.code : std::clamp<Index>(width / 4, 2, kMostCode);
    NetworkSettings settings;
    settings.inputs = settings.outputs = width;
    settings.encoder = {{hidden}, {code}, {hidden}};
    return nn_module().make_network(settings, rng);
  }

  [[nodiscard]] Matrix squared_errors(const Matrix& features) const {
    if (!net_) {
      throw Error(ErrorKind::state, "detector autoencoder has seen no labelled sample to fit on");
    }
    if (features.rows() == 0) {
      return Matrix(0, mean_.cols());
    }
    const Matrix rows = scaled(features);
    return (net_->forward(rows, 1, nullptr) - rows).array().square();
  }

  AutoencoderOptions options_;
  std::unique_ptr<Network> net_;  // null until the first lesson: making it opens the module
  Matrix mean_, scale_;           // one row each
};

}  // namespace

PartSpec autoencoder_spec() {
  return part_spec<AutoencoderOptions, Autoencoder>(
      "autoencoder", {Slot::detector},
      "how badly the features of a sample come out of an autoencoder of usual ones",
      "O(epochs n d hidden) to learn, O(n d hidden) to detect, O(d hidden) memory");
}

}  // namespace tyto
