// SPDX-License-Identifier: Apache-2.0
// Training the autoencoder of 32 x 32 patches (4,720,356 parameters, batch 128) against the
// multiply-adds of its convolutions and linear layers, forward and both ways back, at the rate of
// this machine's matrix product, measured in the same process in turn. `share_of_sgemm` is the time
// that those would take over the time of a step, both medians.
#include <algorithm>
#include <variant>
#include <vector>

#include "peers.hpp"
#include <benchmark/benchmark.h>

#include "tyto/core/build_info.hpp"
#include "tyto/nn/graph/autoencoder.hpp"
#include "tyto/nn/module.hpp"

extern "C" void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc);

namespace tyto {

namespace {

using peers::seconds;

constexpr Index kBatch = 128, kSide = 32, kProduct = 1024;

double elements(const GraphTensor& tensor) {
  double all = 1.0;
  for (const Index n : tensor.shape) {
    all *= static_cast<double>(n);
  }
  return all;
}

// Multiply-adds of a forward pass of one picture whose maps have this side, which it updates.
double multiply_adds(const GraphNodes& nodes, Index& side) {
  double sum = 0.0;
  for (const GraphNode& node : nodes) {
    if (const auto* conv = std::get_if<ConvNode>(&node.kind)) {
      const Index k = conv->window.kernel[2], s = conv->window.stride[2], p = conv->window.pad[2];
      const Index before = side;
      side =
          conv->transposed ? (side - 1) * s - 2 * p + k + conv->more : (side + 2 * p - k) / s + 1;
      const auto places = static_cast<double>(conv->transposed ? before : side);
      sum += elements(node.tensors[0]) * places * places;
    } else if (std::holds_alternative<LinearNode>(node.kind)) {
      sum += elements(node.tensors[0]);
    } else if (const auto* reshape = std::get_if<ReshapeNode>(&node.kind)) {
      side = reshape->height;
    } else if (const auto* residual = std::get_if<ResidualNode>(&node.kind)) {
      Index beside = side;
      sum += multiply_adds(residual->shortcut, beside);
      sum += multiply_adds(residual->main, side);
    }
  }
  return sum;
}

struct Product {
  Matrix a = Matrix::Random(kProduct, kProduct), b = Matrix::Random(kProduct, kProduct),
         c{kProduct, kProduct};

  void run() {
    const auto n = static_cast<int>(kProduct);
    cblas_sgemm(101, 111, 111, n, n, n, 1.0F, a.data(), n, b.data(), n, 0.0F, c.data(), n);
    benchmark::DoNotOptimize(c.data());
  }
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void train_autoencoder(benchmark::State& state) {
  const GraphNetworkSettings settings{autoencoder_graph({}), kSide, kSide};
  Index side = kSide;
  const double forward = multiply_adds(settings.graph.nodes, side);
  const double work_of_step = 3.0 * forward * static_cast<double>(kBatch);
  const auto net = nn_module().make_graph_network(settings, Rng(1, "weights"));
  const Matrix patches = (Matrix::Random(kBatch, 3 * kSide * kSide).array() + 1.0F) / 2.0F;
  Product product;
  Progress progress;
  Work work{Rng(1, "work"), progress};
  std::vector<double> steps, products;
  const auto draw = [&](Rows, const Rng&, Batch& batch) { batch.rows = patches; };
  Training training;
  training.objective.cross_entropy = 0.0;
  training.objective.reconstruction = {.weight = 1.0, .noise = 0.025, .within_unit = true};
  training.batch = kBatch;
  const auto one_step = [&] { net->fit(kBatch, draw, training, work); };
  product.run();
  one_step();  // opens the module, starts the threads
  for (auto round : state) {
    (void)round;
    products.push_back(seconds([&] { product.run(); }));
    steps.push_back(seconds(one_step));
    state.SetIterationTime(steps.back());
  }
  const auto cube = static_cast<double>(kProduct * kProduct * kProduct);
  const double rate = cube / median(products);
  state.counters["share_of_sgemm"] = work_of_step / rate / median(steps);
  state.counters["sgemm_gflops"] = 2e-9 * rate;
  state.counters["patches_per_s"] = static_cast<double>(kBatch) / median(steps);
  state.counters["million_multiply_adds"] = 1e-6 * forward;
  const BuildInfo info = build_info();
  state.SetLabel(info.blas + ", torch " + nn_module().torch_version());
  state.counters["threads"] = info.threads;
}

BENCHMARK(train_autoencoder)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(7);

}  // namespace

}  // namespace tyto
