// SPDX-License-Identifier: Apache-2.0
// A network for pictures or clips, taught with a dataset of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/data/dataset.hpp"

namespace tyto {

struct TrainOptions {
  std::string backbone = "cnn_small", weights = "", taught = "whole";
  std::string optimiser = "adam", schedule = "cosine", augment = "none", balance = "none";
  Index epochs = 30, batch = 32, segments = 8, patience = 10;
  double learning_rate = 1e-3, momentum = 0.9, decay = 0.0, clip = 0.0;
  double validation = 0.15;

  void describe(OptionVisitor& visitor);
};

struct EpochLine {
  Index epoch = 0;                // from 1
  double loss = 0, accuracy = 0;  // of training; on validation
};

struct TrainOutcome {
  std::vector<std::string> classes;
  std::vector<EpochLine> epochs;
  Index best = 0;       // epoch whose weights were kept
  double accuracy = 0;  // on validation, of the best
  double test = -1;     // on the split "test"; below 0: there is none
  Index train_samples = 0, validation_samples = 0, test_samples = 0;
};

// Teaches with the source "rgb" of the dataset and writes `out`, a network file. Samples of the
// split "train" teach, those of "validate" say when to stop; without the latter a share of the
// groups (else of the samples) is held out. Cut short and called again it goes on after the last
// whole epoch, to the same bytes; its work lies in <out>.train. Throws Error(data) for a dataset
// without pictures or labels.
TrainOutcome train_backbone(const Dataset& dataset, const TrainOptions& options, std::uint64_t seed,
                            const std::filesystem::path& out, Progress& progress);

}  // namespace tyto
