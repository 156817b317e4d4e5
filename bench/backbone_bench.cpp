// SPDX-License-Identifier: Apache-2.0
// Whole networks against the matrix products that no implementation by products can avoid:
// `share_of_sgemm` is the rate of multiply-adds of a batch of 8 over the rate of sgemm in the same
// process, both medians of calls taken in turn; `share_by_cpu` is the same by processor time, which
// a busy machine disturbs less. Training: the same of a step, forward and both ways back.
#include <algorithm>
#include <ctime>
#include <vector>

#include "peers.hpp"
#include <benchmark/benchmark.h>

#include "tyto/core/build_info.hpp"
#include "tyto/nn/module.hpp"
#include "tyto/nn/network.hpp"

namespace tyto {

namespace {

using peers::seconds;

constexpr Index kBatch = 8, kSide = 1536;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Times {
  std::vector<double> clock, processor;

  template <class Call>
  void add(const Call& call) {
    const std::clock_t before = std::clock();  // of all threads
    clock.push_back(seconds(call));
    processor.push_back(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
};

struct Product {
  Matrix a = Matrix::Random(kSide, kSide), b = Matrix::Random(kSide, kSide), c{kSide, kSide};

  void run() { peers::plain_product(a.data(), kSide, b.data(), kSide, kSide, c.data()); }
};

// `million` multiply-adds of one input.
template <class Call>
void in_turns(benchmark::State& state, const Call& call, double million) {
  Product product;
  Times runs, products;
  call();
  product.run();
  for (auto round : state) {
    (void)round;
    products.add([&] { product.run(); });
    runs.add(call);
    state.SetIterationTime(runs.clock.back());
  }
  const auto cube = static_cast<double>(kSide * kSide * kSide);
  // Multiply-adds of a batch over those of the product.
  const double work = 1e6 * million * static_cast<double>(kBatch) / cube;
  state.counters["share_of_sgemm"] = work * median(products.clock) / median(runs.clock);
  state.counters["share_by_cpu"] = work * median(products.processor) / median(runs.processor);
  state.counters["sgemm_gflops"] = 2e-9 * cube / median(products.clock);
  state.counters["inputs_per_s"] = static_cast<double>(kBatch) / median(runs.clock);
  const BuildInfo info = build_info();
  state.SetLabel(info.blas + ", torch " + nn_module().torch_version());
  state.counters["threads"] = info.threads;
}

void run_backbone(benchmark::State& state, const char* name, double multiply_adds) {
  const BackboneSpec& spec = find_backbone(name);
  const auto net = nn_module().make_backbone(spec, Rng(1, "weights"));
  Rng rng(2, "inputs");
  std::vector<float> inputs(at(kBatch * spec.input.size()));
  std::generate(inputs.begin(), inputs.end(),
                [&] { return static_cast<float>(2.0 * rng.uniform() - 1.0); });
  const auto answer = [&] {
    benchmark::DoNotOptimize(net->run(inputs, kBatch, spec.input).features.data());
  };
  in_turns(state, answer, multiply_adds);
}

// A step of SGD on a batch of pictures of 224 x 224, all weights taught.
void train_backbone(benchmark::State& state, const char* name, double multiply_adds) {
  constexpr Index kPicture = 224, kClasses = 10;
  NetworkSettings settings;
  settings.inputs = 3 * kPicture * kPicture;
  settings.outputs = kClasses;
  settings.trunk = TrunkSettings{.backbone = name, .height = kPicture, .width = kPicture};
  const auto net = nn_module().make_network(settings, Rng(1, "weights"));
  const Matrix pictures =
      ((Matrix::Random(kBatch, settings.inputs).array() + 1.0F) * 127.5F).matrix();
  const auto draw = [&](Rows which, const Rng&, Batch& batch) {
    batch.rows = pictures;
    batch.targets.assign(which.begin(), which.end());
  };
  Training training;
  training.batch = kBatch;
  training.epochs = 1;
  Progress progress;
  Work work{Rng(1, "work"), progress};
  in_turns(
      state, [&] { net->fit(kBatch, draw, training, work); }, 3.0 * multiply_adds);
}

BENCHMARK_CAPTURE(run_backbone, vgg16, "vgg16", 15470.264)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);
BENCHMARK_CAPTURE(run_backbone, resnet34, "resnet34", 3663.761)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(15);
BENCHMARK_CAPTURE(run_backbone, mobilenet_v2, "mobilenet_v2", 300.775)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(15);
BENCHMARK_CAPTURE(train_backbone, vgg16, "vgg16", 15470.264)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);
BENCHMARK_CAPTURE(train_backbone, resnet34, "resnet34", 3663.761)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(9);

}  // namespace

}  // namespace tyto
