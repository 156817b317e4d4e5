// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/train/train_backbone.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/core/segments.hpp"
#include "tyto/engine/extract/network_file.hpp"
#include "tyto/engine/train/picture_samples.hpp"
#include "tyto/nn/backbones.hpp"
#include "tyto/nn/module.hpp"
#include "tyto/nn/trunk_words.hpp"

namespace tyto {

namespace {

using Word = std::string_view;

constexpr std::array<Word, 3> kOptimiserWords{"adam", "sgd", "adagrad"};
constexpr std::array<Word, 2> kScheduleWords{"constant", "cosine"};
constexpr std::array<Word, 2> kBalanceWords{"none", "classes"};
constexpr Index kPredictedTogether = 16;  // samples

class BackboneTraining {
 public:
  BackboneTraining(const Dataset& dataset, const TrainOptions& options, std::uint64_t seed)
      : options_(options),
        rng_(seed, "train-backbone"),
        samples_(dataset, options.validation, rng_.fork("validation")) {
    const BackboneSpec& spec = find_backbone(options.backbone);
    recipe_ = spec.recipe;
    recipe_.height = recipe_.crop_height = samples_.height();
    recipe_.width = recipe_.crop_width = samples_.width();
    const bool clips = spec.input.frames > 1;
    recipe_.sampling = clips ? "segments" : "uniform";
    recipe_.frames = clips ? options.segments : 1;
    recipe_.clips = options.segments;
    recipe_.stride = 1;
    recipe_.crops = 1;
    settings_.inputs = 3 * samples_.height() * samples_.width();
    settings_.trunk = TrunkSettings{.backbone = options.backbone,
                                    .weights = options.weights,
                                    .height = samples_.height(),
                                    .width = samples_.width(),
                                    .mean = spec.recipe.mean,
                                    .deviation = spec.recipe.deviation,
                                    .taught = named_value<Taught>(options.taught, kTaughtWords)};
    settings_.outputs = static_cast<Index>(samples_.classes().size());
    for (const Index sample : samples_.train()) {
      by_class_[at(samples_.target(sample))].push_back(sample);
    }
  }

  TrainOutcome run(const std::filesystem::path& out, Progress& progress) {
    const std::filesystem::path folder = out.string() + ".train";
    make_folder(folder);
    const FolderLock lock(folder);
    const auto path = folder / "state.zip";
    net_ = nn_module().make_network(settings_, rng_.fork("weights"));
    outcome_.classes = samples_.classes();
    outcome_.train_samples = std::ssize(samples_.train());
    outcome_.validation_samples = std::ssize(samples_.validation());
    outcome_.test_samples = std::ssize(samples_.test());
    if (std::filesystem::exists(path)) {
      load(read_archive(path));
    }
    progress.begin("train " + options_.backbone, static_cast<double>(options_.epochs));
    progress.advance(static_cast<double>(outcome_.epochs.size()));
    while (std::ssize(outcome_.epochs) < options_.epochs && !is_over()) {
      one_epoch(progress);
      write_archive(path, saved());
      progress.note(fmt::format("loss {:.4f}, {:.3f} right", outcome_.epochs.back().loss,
                                outcome_.epochs.back().accuracy));
      progress.advance(1);
    }
    progress.end();
    net_->load(best_);
    if (!samples_.test().empty()) {
      outcome_.test = judge(samples_.test()).accuracy;
    }
    write_safetensors(network_file(*net_, recipe_, samples_.classes()), out);
    std::filesystem::remove_all(folder);
    return outcome_;
  }

 private:
  [[nodiscard]] bool is_over() const {
    return !samples_.validation().empty() && options_.patience > 0 &&
           std::ssize(outcome_.epochs) - outcome_.best >= options_.patience;
  }

  void one_epoch(Progress& progress) {
    Training training;
    training.optimiser = {.kind = named_value<OptimiserKind>(options_.optimiser, kOptimiserWords),
                          .learning_rate = options_.learning_rate,
                          .momentum = options_.momentum,
                          .decay = options_.decay,
                          .clip = options_.clip,
                          .schedule = named_value<RateSchedule>(options_.schedule, kScheduleWords)};
    training.batch = options_.batch;
    training.epochs = options_.epochs;
    training.segments = options_.segments;
    training.first_epoch = std::ssize(outcome_.epochs);
    training.end_epoch = training.first_epoch + 1;
    training.moments = &moments_;
    training.draw_ahead = true;
    Work work{rng_.fork("fit"), progress};
    const double loss = net_->fit(
        std::ssize(samples_.train()),
        [this](Rows which, const Rng& rng, Batch& batch) { draw(which, rng, batch); }, training,
        work);
    // Without samples to judge by, the last epoch is the best.
    const bool judged = !samples_.validation().empty();
    const Judgement now = judged ? judge(samples_.validation()) : Judgement();
    outcome_.epochs.push_back({training.end_epoch, loss, now.accuracy});
    // Few samples are soon all right: among equals the surer one is better.
    if (!judged || outcome_.best == 0 || now.accuracy > outcome_.accuracy ||
        (now.accuracy == outcome_.accuracy && now.loss < best_loss_)) {
      outcome_.best = training.end_epoch;
      outcome_.accuracy = now.accuracy;
      best_loss_ = now.loss;
      best_ = State();
      net_->save(best_);
    }
  }

  void draw(Rows which, const Rng& rng, Batch& batch) const {
    batch.clear();
    Rng frames = rng.fork("frames"), classes = rng.fork("classes");
    std::vector<Index> samples;
    std::vector<std::vector<Index>> chosen;
    for (const Index place : which) {
      Index sample = samples_.train()[at(place)];
      if (options_.balance == "classes") {  // each class as often as the next
        const auto& of = by_class_.at(at(classes.below(settings_.outputs)));
        sample = of[at(classes.below(std::ssize(of)))];
      }
      samples.push_back(sample);
      chosen.push_back(drawn_frames(samples_.frames(sample), options_.segments, frames));
      batch.targets.push_back(samples_.target(sample));
    }
    batch.rows = samples_.rows(samples, chosen);
    augment_pictures(batch.rows, options_.segments, {samples_.height(), samples_.width()},
                     named_value<Augment>(options_.augment, kAugmentWords), rng);
  }

  struct Judgement {
    double accuracy = 0, loss = 0;  // the loss is the mean cross-entropy
  };

  [[nodiscard]] Judgement judge(const std::vector<Index>& which) const {
    Index right = 0;
    double loss = 0;
    in_blocks(std::ssize(which), kPredictedTogether, [&](Index begin, Index count) {
      const std::vector<Index> some(which.begin() + begin, which.begin() + begin + count);
      std::vector<std::vector<Index>> chosen;
      chosen.reserve(some.size());
      for (const Index sample : some) {
        chosen.push_back(centre_frames(samples_.frames(sample), options_.segments));
      }
      const Matrix logits = net_->forward(samples_.rows(some, chosen), options_.segments, nullptr);
      for (Index i = 0; i < count; ++i) {
        Index top = 0;
        logits.row(i).maxCoeff(&top);
        right += top == samples_.target(some[at(i)]) ? 1 : 0;
        const Eigen::RowVectorXd scores = logits.row(i).cast<double>();
        loss += scores(top) + std::log((scores.array() - scores(top)).exp().sum()) -
                scores(samples_.target(some[at(i)]));
      }
    });
    const auto n = static_cast<double>(which.size());
    return {static_cast<double>(right) / n, loss / n};
  }

  [[nodiscard]] State saved() const {
    State state;
    TrainOptions options = options_;
    state.set("options", to_yaml(write_options([&](OptionVisitor& v) { options.describe(v); })));
    state.set("samples", outcome_.train_samples);
    state.set("best", outcome_.best);
    state.set("accuracy", outcome_.accuracy);
    state.set("best_loss", best_loss_);
    Dense<double> lines(std::ssize(outcome_.epochs), 2);
    for (Index i = 0; i < lines.rows(); ++i) {
      lines(i, 0) = outcome_.epochs[at(i)].loss;
      lines(i, 1) = outcome_.epochs[at(i)].accuracy;
    }
    state.set("epochs", lines);
    net_->save(state.make_child("net"));
    state.children["best_net"] = best_;
    state.children["moments"] = moments_;
    return state;
  }

  void load(const State& state) {
    TrainOptions options = options_;
    const std::string own = to_yaml(write_options([&](OptionVisitor& v) { options.describe(v); }));
    if (state.get<std::string>("options") != own ||
        state.get<std::int64_t>("samples") != outcome_.train_samples) {
      throw Error(ErrorKind::state,
                  "a training with other options or other samples was cut short there; remove its "
                  "folder (.train) to begin anew, or choose another --out");
    }
    outcome_.best = state.get<std::int64_t>("best");
    outcome_.accuracy = state.get<double>("accuracy");
    best_loss_ = state.get<double>("best_loss");
    const auto& lines = state.get<Dense<double>>("epochs");
    for (Index i = 0; i < lines.rows(); ++i) {
      outcome_.epochs.push_back({i + 1, lines(i, 0), lines(i, 1)});
    }
    net_->load(state.child("net"));
    best_ = state.child("best_net");
    moments_ = state.child("moments");
  }

  const TrainOptions& options_;
  Rng rng_;
  PictureSamples samples_;
  Recipe recipe_;
  NetworkSettings settings_;
  std::map<std::size_t, std::vector<Index>> by_class_;
  std::unique_ptr<Network> net_;
  State moments_, best_;
  double best_loss_ = 0;
  TrainOutcome outcome_;
};

}  // namespace

void TrainOptions::describe(OptionVisitor& v) {
  v.field("backbone", backbone, {}, "network, by name: `tyto list backbone`");
  v.field("weights", weights, {}, "file of tensors to begin with; none: drawn");
  v.field("taught", taught, kTaughtWords, "all of it, its last block, or its outputs alone");
  v.field("epochs", epochs, {1, 1e6}, "passes over the samples, at most");
  v.field("patience", patience, {0, 1e6},
          "epochs without a better validation after which it ends; 0: never");
  v.field("batch", batch, {1, 1e6}, "samples per step");
  v.field("segments", segments, {1, 1e4},
          "frames of a sample: one of each of so many parts, drawn in training, centres after");
  v.field("optimiser", optimiser, kOptimiserWords, "of the weights");
  v.field("learning_rate", learning_rate, {1e-9, 10}, "of a step");
  v.field("schedule", schedule, kScheduleWords, "of the learning rate");
  v.field("momentum", momentum, {0, 1}, "of sgd");
  v.field("decay", decay, {0, 10}, "of the weights");
  v.field("clip", clip, {0, 1e9}, "longest gradient; 0: any");
  v.field("augment", augment, kAugmentWords,
          "flip mirrors half of the samples, shift_flip moves "
          "them too, by up to an eighth");
  v.field("balance", balance, kBalanceWords, "classes: each is drawn as often as the next");
  v.field("validation", validation, {0, 0.9}, "share held out where no split is called validate");
}

TrainOutcome train_backbone(const Dataset& dataset, const TrainOptions& options, std::uint64_t seed,
                            const std::filesystem::path& out, Progress& progress) {
  return BackboneTraining(dataset, options, seed).run(out, progress);
}

}  // namespace tyto
