// SPDX-License-Identifier: Apache-2.0
// Training the paper's network (768-768-719, batch 1000) against the five matrix products that no
// implementation can avoid, run on the same BLAS in the same process. `share_of_sgemm` is the time
// of those products over the time of a step, both medians of steps taken in turn.
#include <algorithm>
#include <vector>

#include "peers.hpp"
#include <benchmark/benchmark.h>

#include "tyto/core/build_info.hpp"
#include "tyto/nn/module.hpp"

extern "C" void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc);

namespace tyto {

namespace {

using peers::seconds;

constexpr Index kBatch = 1000, kInputs = 768, kHidden = 768, kOutputs = 719;

// c = op(a) op(b), all row-major.
void product(const Matrix& a, bool ta, const Matrix& b, bool tb, Matrix& c) {
  const auto number = [](Index n) { return static_cast<int>(n); };
  cblas_sgemm(101, ta ? 112 : 111, tb ? 112 : 111, number(c.rows()), number(c.cols()),
              number(ta ? a.rows() : a.cols()), 1.0F, a.data(), number(a.cols()), b.data(),
              number(b.cols()), 0.0F, c.data(), number(c.cols()));
}

struct Products {
  Matrix x = Matrix::Random(kBatch, kInputs), w1 = Matrix::Random(kHidden, kInputs),
         w2 = Matrix::Random(kOutputs, kHidden), h{kBatch, kHidden}, y{kBatch, kOutputs},
         dh{kBatch, kHidden}, dw1{kHidden, kInputs}, dw2{kOutputs, kHidden};

  void run() {
    product(x, false, w1, true, h);  // forward
    product(h, false, w2, true, y);
    product(y, true, h, false, dw2);  // backward; the input needs no gradient
    product(y, false, w2, false, dh);
    product(dh, true, x, false, dw1);
    benchmark::DoNotOptimize(dw1.data());
  }
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void train_mlp(benchmark::State& state) {
  const auto net = nn_module().make_network(
      even_network(kInputs, kHidden, 1, kOutputs, Join::none, 0.5), Rng(1, "weights"));
  const Matrix store = Matrix::Random(10 * kBatch, kInputs);
  const auto draw = [&](Rows which, const Rng&, Batch& batch) {
    batch.rows.resize(static_cast<Index>(which.size()), kInputs);
    batch.targets.resize(which.size());
    for (std::size_t i = 0; i < which.size(); ++i) {
      batch.rows.row(static_cast<Index>(i)) = store.row(which[i]);
      batch.targets[i] = which[i] % kOutputs;
    }
  };
  Products products;
  Progress progress;
  Work work{Rng(1, "work"), progress};
  std::vector<double> steps, bounds;
  const auto bound = [&] { bounds.push_back(seconds([&] { products.run(); })); };
  // Once in every step, so that a busy machine slows both alike.
  const auto draw_and_bound = [&](Rows which, const Rng& rng, Batch& batch) {
    bound();
    draw(which, rng, batch);
  };
  bound();
  net->fit(store.rows(), draw, {}, work);  // opens the module, starts the threads
  bounds.clear();
  for (auto round : state) {
    (void)round;
    const std::size_t before = bounds.size();
    const double all = seconds([&] { net->fit(store.rows(), draw_and_bound, {}, work); });
    double outside = 0.0;
    for (std::size_t i = before; i < bounds.size(); ++i) {
      outside += bounds[i];
    }
    const double step = (all - outside) / static_cast<double>(bounds.size() - before);
    steps.push_back(step);
    state.SetIterationTime(step);
  }
  const double step = median(steps);
  state.counters["share_of_sgemm"] = median(bounds) / step;
  state.counters["sgemm_ms"] = 1e3 * median(bounds);
  state.counters["samples_per_s"] = static_cast<double>(kBatch) / step;
  const BuildInfo info = build_info();
  state.SetLabel(info.blas + ", torch " + nn_module().torch_version());
  state.counters["threads"] = info.threads;
}

BENCHMARK(train_mlp)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace

}  // namespace tyto
