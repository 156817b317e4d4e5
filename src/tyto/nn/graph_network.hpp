// SPDX-License-Identifier: Apache-2.0
// A network described as a graph and taught to give back what it is shown: an autoencoder of
// pictures. Made by nn_module().
#pragma once

#include "tyto/core/progress.hpp"
#include "tyto/nn/graph/graph.hpp"
#include "tyto/nn/training.hpp"

namespace tyto {

struct GraphNetworkSettings {
  Graph graph;                  // its answer is what it marks "output"
  Index height = 1, width = 1;  // a row holds graph.channels planes of this size
};

// Equal weights, rows, stream, threads and kernels, equal bytes. The const calls may run
// concurrently; the rest may not.
struct GraphNetwork : Interface {
  [[nodiscard]] virtual const GraphNetworkSettings& settings() const = 0;

  // As Network::fit does, by Objective::reconstruction alone.
  virtual double fit(Index samples, const DrawBatch& draw, const Training& training,
                     Work& work) = 0;

  // A row of outputs for every row; batch norms by what they have learned.
  [[nodiscard]] virtual Matrix forward(const MatrixView& rows) const = 0;

  // Per row the mean of (output - row)^2. Nothing is kept of the outputs.
  [[nodiscard]] virtual std::vector<float> errors(const MatrixView& rows) const = 0;

  // Tensors under the names of the graph, statistics too.
  virtual void save(State& state) const = 0;
  virtual void load(const State& state) = 0;
};

}  // namespace tyto
