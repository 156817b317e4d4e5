// SPDX-License-Identifier: Apache-2.0
// What of a picture a network cannot give back that has learned patches of usual pictures.
#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/parallel.hpp"
#include "tyto/nn/graph/autoencoder.hpp"
#include "tyto/nn/module.hpp"
#include "tyto/parts/detector/patch_grid.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kPatchAggregates{"mean", "max", "top"};
constexpr Index kBarHeight = 256, kBar = 22;  // frames of NovelCraft end in a bar of items
constexpr Index kPatchEpochs = 30, kPatchSteps = 300;
constexpr Index kPatchesTogether = 1024;  // in prediction
constexpr std::size_t kWorstPatches = 3;  // that are told

struct PatchAutoencoderOptions {
  std::string aggregate = "mean";
  double top = 0.05, noise = 1.0 / 40.0, learning_rate = 1e-3, greatest = 255.0;
  Index picture_height = 0, cut_bottom = -1, patch = 32, stride = 16, width = 32, hidden = 256,
        code = 100, epochs = -1, steps_at_least = -1, batch = 128;

  void describe(OptionVisitor& v) {
    v.field("aggregate", aggregate, kPatchAggregates,
            "of a picture's patches. mean: over all, as published; max: the worst; top: the mean "
            "of the worst, a share `top` of them");
    v.field("top", top, {0, 1}, "share of the patches; at least one");
    v.field("picture_height", picture_height, {0, 1e5}, "in pixels; 0: pictures are square");
    v.field("cut_bottom", cut_bottom, {-1, 1e5},
            "rows of pixels not looked at; below 0: 22 of pictures 256 high, where NovelCraft has "
            "its item bar, else none");
    v.field("greatest", greatest, {1e-6, 1e9}, "value of full brightness; 0 is dark");
    v.field("patch", patch, {4, 1024}, "side in pixels: 4, 8, 16, 32, ...");
    v.field("stride", stride, {1, 1024}, "pixels from patch to patch");
    v.field("width", width, {1, 1024}, "maps of the first layer; every halving doubles them");
    v.field("hidden", hidden, {1, 1e5}, "units between maps and code");
    v.field("code", code, {1, 1e5}, "numbers that a patch is squeezed through");
    v.field("noise", noise, {0, 1}, "deviation of what is added to patches in training");
    v.field("epochs", epochs, {-1, 1e6},
            "passes with one random patch of every picture; below 0: 30 (published: 8000)");
    v.field("steps_at_least", steps_at_least, {-1, 1e9},
            "whole epochs are added until they are reached; below 0: 300");
    v.field("batch", batch, {1, 1e6}, "patches per step");
    v.field("learning_rate", learning_rate, {0, 10}, "of Adam, begun anew at every lesson");
  }
};

class PatchAutoencoder final : public Part, public Detector, public PatchScorer {
 public:
  explicit PatchAutoencoder(PatchAutoencoderOptions options) : options_(std::move(options)) {}

  void profile(const Experience& experience, Work& work) override {
    const std::vector<Index> rows = experience.labelled(Role::fit);
    if (rows.empty()) {
      return;
    }
    const Index numbers = experience.features(Rows(rows).first(1)).cols();
    if (!net_ || experience.starts_over() || numbers != numbers_) {
      make_net(numbers, work.rng.fork("weights"));
    }
    const auto draw = [&](Rows which, const Rng& rng, Batch& batch) {
      std::vector<Index> picked;
      for (const Index i : which) {
        picked.push_back(rows[at(i)]);
      }
      if (picked.size() == 1) {  // batch norms need two
        picked.push_back(picked.front());
      }
      const Matrix pictures = experience.features(picked);
      Rng places = rng.fork("patches");
      batch.clear();
      batch.rows.resize(pictures.rows(), grid_.width());
      for (Index i = 0; i < pictures.rows(); ++i) {
        grid_.copy(pictures.row(i).data(), places.below(grid_.count()), factor(),
                   batch.rows.row(i).data());
      }
    };
    Work own = work.fork("fit");
    net_->fit(std::ssize(rows), draw, training(std::ssize(rows)), own);
  }

  void detect(Evidence& evidence) const override {
    const Matrix errors = patch_errors(evidence.features).errors;
    evidence.novelty.clear();
    for (Index i = 0; i < errors.rows(); ++i) {
      evidence.novelty.push_back(aggregated(errors.row(i)));
    }
  }

  [[nodiscard]] PatchMap patch_errors(const MatrixView& pictures) const override {
    if (!net_) {
      throw Error(ErrorKind::state,
                  "detector patch_autoencoder has seen no labelled sample to fit on");
    }
    const Index count = grid_.count();
    PatchMap map{grid_, Matrix(pictures.rows(), count)};
    const Index together = std::max<Index>(1, kPatchesTogether / count);
    in_blocks(pictures.rows(), together, [&](Index begin, Index some) {
      Matrix patches(some * count, grid_.width());
      for (Index i = 0; i < some; ++i) {
        const Matrix picture = pictures.row(begin + i);
        for (Index p = 0; p < count; ++p) {
          grid_.copy(picture.data(), p, factor(), patches.row(i * count + p).data());
        }
      }
      const std::vector<float> errors = net_->errors(patches);
      std::copy(errors.begin(), errors.end(), map.errors.row(begin).data());
    });
    return map;
  }

  [[nodiscard]] std::vector<std::vector<ScoreNote>> explain(
      const Evidence& evidence) const override {
    const PatchMap map = patch_errors(evidence.features);
    std::vector<std::vector<ScoreNote>> notes(at(map.errors.rows()));
    for (std::size_t i = 0; i < notes.size(); ++i) {
      const auto errors = map.errors.row(static_cast<Index>(i));
      std::vector<Index> order(at(errors.size()));
      std::iota(order.begin(), order.end(), Index{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](Index a, Index b) { return errors[a] > errors[b]; });
      order.resize(std::min(order.size(), kWorstPatches));
      for (const Index p : order) {
        notes[i].push_back(
            {fmt::format("patch at row {}, column {}", p / grid_.columns() * grid_.stride,
                         p % grid_.columns() * grid_.stride),
             errors[p]});
      }
    }
    return notes;
  }

  void save(State& state) const override {
    if (net_) {
      state.set("numbers", std::int64_t{numbers_});
      net_->save(state.make_child("net"));
    }
  }

  void load(const State& state, const Shelf&) override {
    net_.reset();
    if (state.has("numbers")) {
      make_net(state.get<std::int64_t>("numbers"), Rng(0));
      net_->load(state.child("net"));
    }
  }

 private:
  void make_net(Index numbers, const Rng& rng) {
    PatchGrid grid{picture_size(numbers, options_.picture_height), 0, options_.patch,
                   options_.stride};
    grid.cut = options_.cut_bottom >= 0            ? options_.cut_bottom
               : grid.picture.height == kBarHeight ? kBar
                                                   : 0;
    if (grid.cut >= grid.picture.height) {
      throw Error(ErrorKind::config,
                  fmt::format("patch_autoencoder.cut_bottom: {} rows cannot be cut from pictures "
                              "of {}",
                              grid.cut, grid.picture.height));
    }
    net_ = nn_module().make_graph_network(
        {autoencoder_graph({options_.patch, 3, options_.width, options_.hidden, options_.code}),
         options_.patch, options_.patch},
        rng);
    grid_ = grid;
    numbers_ = numbers;
  }

  [[nodiscard]] Training training(Index samples) const {
    Training training;
    training.objective.cross_entropy = 0.0;
    training.objective.reconstruction = {
        .weight = 1.0, .noise = options_.noise, .within_unit = true};
    training.optimiser.learning_rate = options_.learning_rate;
    training.batch = options_.batch;
    const Index steps = options_.steps_at_least < 0 ? kPatchSteps : options_.steps_at_least;
    const Index per_epoch = (samples + options_.batch - 1) / options_.batch;
    training.epochs = std::max<Index>({options_.epochs < 0 ? kPatchEpochs : options_.epochs,
                                       (steps + per_epoch - 1) / per_epoch, 1});
    return training;
  }

  [[nodiscard]] float factor() const { return static_cast<float>(1.0 / options_.greatest); }

  [[nodiscard]] float aggregated(const Eigen::RowVectorXf& errors) const {
    if (options_.aggregate == "mean") {
      return errors.mean();
    }
    const auto count = static_cast<double>(errors.size());
    const Index worst =
        options_.aggregate == "max" ? 1 : std::max<Index>(1, std::lround(options_.top * count));
    std::vector<float> sorted(errors.begin(), errors.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    return std::accumulate(sorted.begin(), sorted.begin() + worst, 0.0F) /
           static_cast<float>(worst);
  }

  PatchAutoencoderOptions options_;
  std::unique_ptr<GraphNetwork> net_;  // null until the first lesson: making it opens the module
  PatchGrid grid_;
  Index numbers_ = 0;  // of a picture
};

}  // namespace

PartSpec patch_autoencoder_spec() {
  return part_spec<PatchAutoencoderOptions, PatchAutoencoder>(
      "patch_autoencoder", {Slot::detector},
      "how badly patches of a picture come out of an autoencoder of usual patches",
      "O(epochs n) patches to learn, all patches of a picture to detect; 150 million multiply-adds "
      "a patch of 32 x 32",
      "Feeney et al., NovelCraft: A Dataset for Novelty Detection and Discovery in Open Worlds, "
      "TMLR 2023; Abati et al., Latent Space Autoregression for Novelty Detection, CVPR 2019");
}

}  // namespace tyto
