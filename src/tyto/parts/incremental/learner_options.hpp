// SPDX-License-Identifier: Apache-2.0
// What all classifiers share that train a frame encoder task after task.
#pragma once

#include <string>

#include "tyto/core/options.hpp"
#include "tyto/nn/network.hpp"

namespace tyto {

enum class MethodForm { sound, paper, released };

struct LearnerOptions {
  std::string form = "sound";
  std::string encoder = "linear", optimiser = "", schedule = "constant", start = "on",
              look = "frames";
  std::string trunk = "", weights = "", taught = "whole", augment = "none";
  Index picture_height = 0;
  Index hidden = 0, layers = -1, segments = 8;
  Index epochs = -1, batch = -1, steps_at_least = -1;
  double dropout = -1, learning_rate = -1, momentum = -1, decay = -1, clip = -1;
  std::string balance = "none";
  std::string tc = "none";
  double tc_weight = 0.5;
  Index tc_frames = 8;

  virtual ~LearnerOptions() = default;
  virtual void describe(OptionVisitor& visitor);

  [[nodiscard]] MethodForm form_of() const;
  // `width` of the features of a frame.
  [[nodiscard]] NetworkSettings network(Index width, Index outputs) const;
  // Changes rows that are pictures, in training.
  void augmented(Matrix& rows, const Rng& rng) const;
  // Rows as the network sees them, `segments` of a clip.
  [[nodiscard]] Matrix seen(Matrix rows) const;
  [[nodiscard]] NewOutputs new_outputs() const;
  // As the form has it where an option is left open, for so many samples.
  [[nodiscard]] Training training(Index samples) const;

  // Published settings that a method has of its own: EWC and MAS.
  OptimiserKind released_optimiser = OptimiserKind::sgd;
  Index paper_epochs = 50, released_epochs = 50, released_batch = 50;
};

}  // namespace tyto
