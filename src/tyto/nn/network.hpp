// SPDX-License-Identifier: Apache-2.0
// A network that grows outputs, as seen from outside the torch module.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/nn/training.hpp"

namespace tyto {

// What the next layer and the output layer see of a layer whose input is a, with x the features:
//   h = leaky_relu(dropout(W a + b), slope 0.01 below zero)
//   none: h    add: h + a (residual)    concat: [h, x]
enum class Join { none, add, concat };

struct EncoderLayer {
  Index units = 0;
  Join join = Join::none;  // add needs as many units as the layer has inputs
};

// last: the last block that has weights and what follows it. What is not taught is not changed in
// training either: its batch norms keep their statistics.
enum class Taught { whole, last, frozen };

// A network of backbones.hpp before the encoder, without its head. Rows are pictures then: R, G and
// B planes, values of 0 to 255. One of pictures sees every row by itself; one of clips takes the
// rows of a sample as the frames of one clip.
struct TrunkSettings {
  std::string backbone;
  std::filesystem::path weights = {};  // a file of tensors to begin with; none: drawn
  Index height = 0, width = 0;         // of a row
  std::array<float, 3> mean{0.485F, 0.456F, 0.406F}, deviation{0.229F, 0.224F, 0.225F};
  Taught taught = Taught::whole;
};

struct NetworkSettings {
  Index inputs = 0;  // numbers of a row
  std::optional<TrunkSettings> trunk = {};
  std::vector<EncoderLayer> encoder;  // none: the output layer sees the features
  Index outputs = 0;
  double dropout = 0.0;  // chance that a hidden unit is silent in a training step
  double radius = 0.0;   // embeddings are brought to this length; 0: as they are
  // Learns the spread of the classes too: "sigma", one number, begins at 1, and "delta", one per
  // number of the embedding, at 0 (see ClassGaussians).
  bool class_gaussians = false;
};

// `layers` equal layers.
NetworkSettings even_network(Index inputs, Index hidden, Index layers, Index outputs,
                             Join join = Join::none, double dropout = 0.0);

// How the weights of new outputs begin. uniform: +-1/sqrt(fan in), biases too. small: normal with
// deviation 0.001, biases 0.
enum class NewOutputs { uniform, small };

struct OutputLayer {    // logits = embedding weight' + bias
  Matrix weight, bias;  // a row per output; one row
};

// Logits over `outputs` from samples that are `segments` rows of `inputs` numbers each, one after
// another: the mean of the rows' embeddings goes through the output layer, which is the mean of
// their logits. A trunk of clips leaves one row of each sample. Weights and biases start uniform in
// +-1/sqrt(fan in). Equal weights, rows, stream, threads and BLAS kernel, equal bytes. The const
// calls may run concurrently; the rest may not.
struct Network : Interface {
  [[nodiscard]] virtual const NetworkSettings& settings() const = 0;

  [[nodiscard]] virtual std::unique_ptr<Network> copy() const = 0;

  // Appends outputs; the old ones keep their weights. New weights come from `rng`.
  virtual void grow(Index outputs, const Rng& rng, NewOutputs start = NewOutputs::uniform) = 0;
  // Draws the whole output layer anew; the encoder stays.
  virtual void replace_outputs(Index outputs, const Rng& rng) = 0;

  // Trains on samples [0, samples) and returns the mean loss of the last epoch. O(samples x
  // segments x weights) per epoch. Throws Error(numeric) when the loss is no longer finite; the
  // weights are then spoiled.
  virtual double fit(Index samples, const DrawBatch& draw, const Training& training,
                     Work& work) = 0;

  // How much each weight matters for these samples, named as in save(). Draws batches as fit does,
  // one pass; dropout in the released forms alone, as published. O(samples) backward passes for the
  // kinds that need the gradient of every sample.
  [[nodiscard]] virtual State importance(Index samples, const DrawBatch& draw, ImportanceKind kind,
                                         const Training& training, Work& work) const = 0;

  // Logits without dropout; `embedding`, where given, becomes what the output layer sees.
  [[nodiscard]] virtual Matrix forward(const MatrixView& rows, Index segments,
                                       Matrix* embedding) const = 0;

  // The same by one of the thinned networks that dropout trains: hidden units are silent by
  // `masks`, for all rows alike, so that a row's answer does not depend on its place. A trunk is
  // whole.
  [[nodiscard]] virtual Matrix forward_thinned(const MatrixView& rows, Index segments,
                                               const Rng& masks) const = 0;

  // The last layer alone, which forward's embedding goes through.
  [[nodiscard]] virtual OutputLayer output_layer() const = 0;

  // Per row the gradient of sum_c weight(i, c) logit(i, c) by the inputs, without dropout; samples
  // of one row.
  [[nodiscard]] virtual Matrix pull_back(const MatrixView& rows,
                                         const MatrixView& weight) const = 0;

  // The objective of this batch without dropout, and its gradient named as in save().
  [[nodiscard]] virtual double gradient(const Batch& batch, const Training& training,
                                        State& gradients) const = 0;

  // weight_<l> (outputs x inputs of layer l) and bias_<l> (one row), the output layer last; of a
  // trunk trunk.<tensor>, statistics too.
  virtual void save(State& state) const = 0;
  virtual void load(const State& state) = 0;  // takes the number of outputs from the state
};

}  // namespace tyto
