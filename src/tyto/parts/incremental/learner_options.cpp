// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/incremental/learner_options.hpp"

#include <algorithm>
#include <array>

#include "tyto/core/error.hpp"
#include "tyto/nn/backbones.hpp"
#include "tyto/nn/trunk_words.hpp"
#include "tyto/parts/incremental/clip_frames.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kForms{"sound", "paper", "released"};
constexpr std::array<std::string_view, 2> kEncoders{"linear", "residual"};
constexpr std::array<std::string_view, 4> kOptimisers{"", "adam", "sgd", "adagrad"};
constexpr std::array<std::string_view, 2> kSchedules{"constant", "cosine"};
constexpr std::array<std::string_view, 2> kStarts{"on", "anew"};
constexpr std::array<std::string_view, 3> kLooks{"frames", "changes", "shuffled_changes"};
constexpr std::array<std::string_view, 2> kBalances{"none", "classes"};
constexpr std::array<std::string_view, 3> kConsistencies{"none", "paper", "released"};

constexpr Index kFewestHidden = 128, kSoundEpochs = 30, kSoundBatch = 50, kSoundSteps = 300;

}  // namespace

void LearnerOptions::describe(OptionVisitor& visitor) {
  visitor.field(
      "form", form, kForms,
      "sound: as it should be, by Adam, at least 300 steps a lesson. paper: as the vCLIMB "
      "paper has it, Adam, its epochs. released: as its scripts do, SGD or Adagrad with "
      "weight decay 1e-4, gradients clipped at 20, the last partial batch dropped");
  visitor.field(
      "encoder", encoder, kEncoders,
      "of frames. linear: fully connected layers; residual: from the second layer on each "
      "adds its output to its input");
  visitor.field(
      "trunk", trunk, {},
      "network for pictures before the encoder (`tyto list backbone`), taught with it; rows "
      "are pictures then. One of clips takes the segments as its frames. Empty: none");
  visitor.field("weights", weights, {}, "file of tensors that the trunk begins with");
  visitor.field("taught", taught, kTaughtWords, "of the trunk: all, its last block, nothing");
  visitor.field("picture_height", picture_height, {0, 1e5}, "in pixels; 0: pictures are square");
  visitor.field(
      "augment", augment, kAugmentWords,
      "pictures in training: flip mirrors half of the samples, shift_flip moves them too, "
      "by up to an eighth");
  visitor.field("hidden", hidden, {0, 1e6},
                "units per layer; 0: as many as features, at least 128");
  visitor.field("layers", layers, {-1, 100},
                "of the encoder; 0: the features go to the outputs; below 0: 1, after a trunk 0");
  visitor.field("segments", segments, {1, 1e4},
                "frames looked at: one drawn from each of so many parts in training, their centres "
                "in prediction; outputs are the mean over them");
  visitor.field(
      "look", look, kLooks,
      "frames: at each frame by itself; changes: also at how it differs from the next one "
      "looked at, so that the order of frames can tell a class; shuffled_changes: the same in a "
      "random order, a probe of what the order tells");
  visitor.field("epochs", epochs, {-1, 1e6},
                "passes over a lesson's samples; below 0: 30, in the published forms theirs");
  visitor.field("batch", batch, {-1, 1e9}, "samples per step; below 0: 50, published: theirs");
  visitor.field("steps_at_least", steps_at_least, {-1, 1e9},
                "whole epochs are added until they are reached; below 0: 300 in form sound");
  visitor.field("optimiser", optimiser, kOptimisers, "empty: Adam, in form released theirs");
  visitor.field("learning_rate", learning_rate, {-1, 10}, "below 0: 0.001");
  visitor.field("schedule", schedule, kSchedules, "of the learning rate within a lesson");
  visitor.field("momentum", momentum, {-1, 1}, "of sgd; below 0: 0.9");
  visitor.field("decay", decay, {-1, 10}, "of the weights; below 0: 0, in form released 1e-4");
  visitor.field("clip", clip, {-1, 1e9},
                "longest gradient; 0: any; below 0: any, in form released 20");
  visitor.field("dropout", dropout, {-1, 0.99}, "of hidden units in training; below 0: 0.5");
  visitor.field("start", start, kStarts,
                "on: the network of the lesson before learns on; anew: it begins again with every "
                "lesson, as joint training does");
  visitor.field("balance", balance, kBalances,
                "none: every sample counts alike; classes: every class does");
  visitor.field(
      "tc", tc, kConsistencies,
      "temporal consistency: the loss is also taken on a clip thinned to tc_frames. "
      "paper: evenly thinned, remembered clips as they are. released: the first tc_frames "
      "frames of a new clip, and nothing but zeros of a remembered one");
  visitor.field("tc_weight", tc_weight, {0, 1}, "share of the loss that the thinned clip has");
  visitor.field("tc_frames", tc_frames, {1, 1e6}, "frames of the thinned clip");
}

MethodForm LearnerOptions::form_of() const {
  return form == "sound"   ? MethodForm::sound
         : form == "paper" ? MethodForm::paper
                           : MethodForm::released;
}

Matrix LearnerOptions::seen(Matrix rows) const {
  if (look == "frames") {
    return rows;
  }
  return with_changes(look == "changes" ? rows : shuffled_clips(rows, segments), segments);
}

void LearnerOptions::augmented(Matrix& rows, const Rng& rng) const {
  const auto how = named_value<Augment>(augment, kAugmentWords);
  if (how != Augment::none) {
    augment_pictures(rows, segments, picture_size(rows.cols(), picture_height), how, rng);
  }
}

NetworkSettings LearnerOptions::network(Index width, Index outputs) const {
  const Index inputs = look == "frames" ? width : 2 * width;
  const Index features = trunk.empty() ? inputs : find_backbone(trunk).features;
  const Index units = hidden > 0 ? hidden : std::max(features, kFewestHidden);
  const Index depth = layers >= 0 ? layers : trunk.empty() ? 1 : 0;
  NetworkSettings settings =
      even_network(inputs, units, depth, outputs, Join::none, dropout >= 0 ? dropout : 0.5);
  if (encoder == "residual") {
    for (std::size_t l = 1; l < settings.encoder.size(); ++l) {
      settings.encoder[l].join = Join::add;
    }
  }
  if (!trunk.empty()) {
    if (look != "frames") {
      throw Error(ErrorKind::config, "look: a trunk sees pictures, so frames alone");
    }
    const BackboneSpec& spec = find_backbone(trunk);
    const RowSize size = picture_size(width, picture_height);
    settings.trunk = TrunkSettings{.backbone = trunk,
                                   .weights = weights,
                                   .height = size.height,
                                   .width = size.width,
                                   .mean = spec.recipe.mean,
                                   .deviation = spec.recipe.deviation,
                                   .taught = named_value<Taught>(taught, kTaughtWords)};
  }
  return settings;
}

NewOutputs LearnerOptions::new_outputs() const {
  return form_of() == MethodForm::sound ? NewOutputs::uniform : NewOutputs::small;
}

Training LearnerOptions::training(Index samples) const {
  const auto pick = [this](auto given, auto sound, auto paper, auto released) {
    if (given >= 0) {
      return given;
    }
    return form_of() == MethodForm::sound   ? sound
           : form_of() == MethodForm::paper ? paper
                                            : released;
  };
  Training training;
  Optimiser& by = training.optimiser;
  by.kind = form_of() == MethodForm::released ? released_optimiser : OptimiserKind::adam;
  if (!optimiser.empty()) {
    by.kind = optimiser == "adam"  ? OptimiserKind::adam
              : optimiser == "sgd" ? OptimiserKind::sgd
                                   : OptimiserKind::adagrad;
  }
  by.learning_rate = learning_rate >= 0 ? learning_rate : 1e-3;
  by.momentum = momentum >= 0 ? momentum : 0.9;
  by.decay = pick(decay, 0.0, 0.0, 1e-4);
  by.clip = pick(clip, 0.0, 0.0, 20.0);
  by.schedule = schedule == "cosine" ? RateSchedule::cosine : RateSchedule::constant;
  training.batch = std::max<Index>(pick(batch, kSoundBatch, released_batch, released_batch), 1);
  training.keep_last = form_of() != MethodForm::released;
  training.segments = segments;
  const Index steps = pick(steps_at_least, kSoundSteps, Index{0}, Index{0});
  const Index per_epoch = std::max<Index>((samples + training.batch - 1) / training.batch, 1);
  training.epochs = std::max<Index>({pick(epochs, kSoundEpochs, paper_epochs, released_epochs),
                                     (steps + per_epoch - 1) / per_epoch, 1});
  if (tc != "none") {
    training.objective.second_view = tc_weight;
  }
  return training;
}

}  // namespace tyto
