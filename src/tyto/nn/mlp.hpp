// SPDX-License-Identifier: Apache-2.0
// A feed-forward network that grows outputs, as seen from outside the torch module.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

// What layer l + 1 and the output layer see of layer l, whose input is a(l-1), a(0) = x:
//   h(l) = leaky_relu(dropout(W(l) a(l-1) + b(l)), slope 0.01 below zero)
//   none: a(l) = h(l)    add: a(l) = h(l) + a(l-1)    concat: a(l) = [h(l), x]
enum class MlpSkip { none, add, concat };

struct MlpSettings {
  Index inputs = 0, hidden = 0, layers = 1, outputs = 0;
  MlpSkip skip = MlpSkip::none;  // add needs hidden == inputs
  double dropout = 0.0;          // chance that a hidden unit is silent in a training step
};

struct MlpTraining {  // Adam (0.9, 0.999, 1e-8), begun anew at every fit
  double learning_rate = 1e-3;
  Index batch = 1000, epochs = 1;  // shuffled rows; the last, smaller batch is kept
};

// Fills one row of features and one target, a number of an output, for each number in `which`.
using DrawBatch =
    std::function<void(Rows which, Matrix& features, std::vector<std::int64_t>& targets)>;

struct MlpOutputLayer {  // logits = embedding weight' + bias
  Matrix weight, bias;   // a row per output; one row
};

// Logits over `outputs` from rows of `inputs` numbers; cross-entropy. Weights and biases start
// uniform in +-1/sqrt(fan in). Equal weights, rows, stream, threads and BLAS kernel, equal bytes.
// the const calls may run concurrently; the rest may not.
struct Mlp : Interface {
  [[nodiscard]] virtual const MlpSettings& settings() const = 0;

  // Appends outputs; the old ones keep their weights. New weights come from `rng`.
  virtual void grow(Index outputs, const Rng& rng) = 0;
  // Draws the whole output layer anew; hidden layers stay.
  virtual void replace_outputs(Index outputs, const Rng& rng) = 0;

  // Trains on rows [0, rows) and returns the mean loss of the last epoch. O(rows x weights) per
  // epoch. Throws Error(numeric) when the loss is no longer finite; the weights are then spoiled.
  virtual double fit(Index rows, const DrawBatch& draw, const MlpTraining& training,
                     Work& work) = 0;

  // Logits without dropout; `embedding`, where given, becomes what the output layer sees.
  [[nodiscard]] virtual Matrix forward(const MatrixView& rows, Matrix* embedding) const = 0;

  // The last layer alone, which forward's embedding goes through.
  [[nodiscard]] virtual MlpOutputLayer output_layer() const = 0;

  // Per row the gradient of sum_c weight(i, c) logit(i, c) by the inputs, without dropout.
  [[nodiscard]] virtual Matrix pull_back(const MatrixView& rows,
                                         const MatrixView& weight) const = 0;

  // The mean cross-entropy of these rows without dropout, and its gradient named as in save().
  [[nodiscard]] virtual double gradient(const MatrixView& rows,
                                        std::span<const std::int64_t> targets,
                                        State& gradients) const = 0;

  // weight_<l> (outputs x inputs of layer l) and bias_<l> (one row), the output layer last.
  virtual void save(State& state) const = 0;
  virtual void load(const State& state) = 0;  // takes the number of outputs from the state
};

}  // namespace tyto
