// SPDX-License-Identifier: Apache-2.0
// Twenty tasks of iCaRL on 200 classes x 100 videos x 16 frames x 512 values, against the matrix
// products that no implementation can avoid, timed on the same BLAS between the tasks; and naive
// rehearsal against the same loop in PyTorch (naive_rehearsal_torch.py), one after the other.
//
//   incremental_run [classes] [videos] [epochs]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "peers.hpp"
#include "usage.hpp"
#include <fmt/format.h>

#include "tyto/core/build_info.hpp"
#include "tyto/core/start_up.hpp"
#include "tyto/predictor/composition/composition.hpp"

extern "C" void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc);

namespace tyto {

namespace {

using peers::seconds;

constexpr Index kTasks = 20, kFrames = 16, kWidth = 512, kHidden = 512, kSegments = 8, kBatch = 50;

struct Size {
  Index classes = 200, videos = 100, epochs = 2;

  [[nodiscard]] Index memory() const { return 10 * classes; }
};

// c = op(a) op(b), all row-major.
void product(const Matrix& a, bool ta, const Matrix& b, bool tb, Matrix& c) {
  const auto number = [](Index n) { return static_cast<int>(n); };
  cblas_sgemm(101, ta ? 112 : 111, tb ? 112 : 111, number(c.rows()), number(c.cols()),
              number(ta ? a.rows() : a.cols()), 1.0F, a.data(), number(a.cols()), b.data(),
              number(b.cols()), 0.0F, c.data(), number(c.cols()));
}

// Seconds of the products of one training step with so many outputs; the teacher's, where there is
// one, has as many as before the task.
double step_seconds(Index outputs, Index old_outputs) {
  const Index rows = kBatch * kSegments;
  const Matrix x = Matrix::Random(rows, kWidth);
  const Matrix w = Matrix::Random(kHidden, kWidth);
  const Matrix head = Matrix::Random(outputs, kHidden);
  const Matrix old_head = Matrix::Random(std::max<Index>(old_outputs, 1), kHidden);
  const Matrix mean = Matrix::Random(kBatch, kHidden);
  Matrix h(rows, kHidden);
  Matrix z(kBatch, outputs);
  Matrix old_z(kBatch, old_head.rows());
  Matrix dw(kHidden, kWidth);
  Matrix d_head(outputs, kHidden);
  Matrix d_mean(kBatch, kHidden);
  constexpr int kTimes = 40;
  const auto run = [&] {
    for (int i = 0; i < kTimes; ++i) {
      if (old_outputs > 0) {
        product(x, false, w, true, h);
        product(mean, false, old_head, true, old_z);
      }
      product(x, false, w, true, h);  // forward
      product(mean, false, head, true, z);
      product(z, true, mean, false, d_head);  // backward; the input needs no gradient
      product(z, false, head, false, d_mean);
      product(h, true, x, false, dw);
    }
  };
  run();
  return seconds(run) / kTimes;
}

struct Tasks {
  std::shared_ptr<const FeatureStore> store;
  std::vector<Lesson> lessons;
};

Tasks make_tasks(const Size& size) {
  const Index clips = size.classes * size.videos;
  Matrix frames = Matrix::Random(clips * kFrames, kWidth);
  const Matrix means = Matrix::Random(size.classes, kWidth);
  for (Index i = 0; i < frames.rows(); ++i) {
    frames.row(i) += means.row(i / (kFrames * size.videos));
  }
  Tasks tasks;
  tasks.store = std::make_shared<const DenseStore>(std::move(frames));
  const Index per_task = size.classes / kTasks;
  for (Index t = 0; t < kTasks; ++t) {
    Samples::Table table;
    table.first.push_back(0);
    Lesson lesson;
    for (Index c = t * per_task; c < (t + 1) * per_task; ++c) {
      for (Index v = 0; v < size.videos; ++v) {
        const Index clip = c * size.videos + v;
        table.id.push_back(static_cast<SampleId>(clip));
        for (Index f = 0; f < kFrames; ++f) {
          table.row.push_back(clip * kFrames + f);
        }
        table.first.push_back(std::ssize(table.row));
        lesson.names.push_back(fmt::format("class {}", c));
      }
    }
    lesson.samples = Samples(tasks.store, std::move(table));
    tasks.lessons.push_back(std::move(lesson));
  }
  return tasks;
}

struct Timing {
  double learning = 0, products = 0;  // seconds
  Index steps = 0, clips = 0, most_kept = 0;
};

Timing learn_all(const Tasks& tasks, const Size& size, std::string_view method,
                 std::string_view memory) {
  const PredictorConfig config = read_predictor(
      parse_yaml(fmt::format("{{name: it, classifier: {{name: {}, hidden: {}, epochs: {}, batch: "
                             "{}, steps_at_least: 0}}, memory: {{name: {}, budget: {}}}, holdout: "
                             "0}}",
                             method, kHidden, size.epochs, kBatch, memory, size.memory()),
                 "bench"),
      "bench");
  Composition predictor(config, 1);
  Progress silent;
  Timing timing;
  const Index per_task = size.classes / kTasks;
  for (Index t = 0; t < kTasks; ++t) {
    Work work{Rng(1, "lesson", static_cast<std::uint64_t>(t)), silent};
    const Lesson& lesson = tasks.lessons[static_cast<std::size_t>(t)];
    const Index clips = predictor.remembered() + lesson.samples.size();
    timing.learning += seconds([&] { predictor.learn(lesson, work); });
    const Index steps = size.epochs * ((clips + kBatch - 1) / kBatch);
    timing.products += static_cast<double>(steps) *
                       step_seconds((t + 1) * per_task, method == "icarl" ? t * per_task : 0);
    timing.steps += steps;
    timing.clips += clips * size.epochs;
    timing.most_kept = std::max(timing.most_kept, predictor.remembered());
  }
  return timing;
}

void compare(const Size& size) {
  const Tasks tasks = make_tasks(size);
  const BuildInfo info = build_info();
  fmt::print("{} threads, {}\n", info.threads, info.blas);
  const Timing icarl = learn_all(tasks, size, "icarl", "herding");
  fmt::print(
      "icarl: {} tasks, {} steps, {:.1f} s, of which products {:.1f} s: {:.2f} of the bound; at "
      "most {} videos kept of a budget of {}\n",
      kTasks, icarl.steps, icarl.learning, icarl.products, icarl.products / icarl.learning,
      icarl.most_kept, size.memory());
  const Timing naive = learn_all(tasks, size, "naive", "class_balanced");
  fmt::print("naive: {:.1f} s, {:.0f} videos/s, {:.2f} of the bound\n", naive.learning,
             static_cast<double>(naive.clips) / naive.learning, naive.products / naive.learning);
  std::fflush(stdout);
  const std::string command = fmt::format(
      "/usr/bin/python3 {}/bench/naive_rehearsal_torch.py --classes {} --tasks {} --videos {} "
      "--frames {} --width {} --hidden {} --memory {} --epochs {} --batch {} --threads {}",
      TYTO_SOURCE_DIR, size.classes, kTasks, size.videos, kFrames, kWidth, kHidden, size.memory(),
      size.epochs, kBatch, info.threads);
  if (std::system(command.c_str()) != 0) {
    fmt::print("the loop in PyTorch could not be run\n");
  }
}

}  // namespace

}  // namespace tyto

namespace {

constexpr std::string_view kUsage =
    "incremental_run [CLASSES [VIDEOS [EPOCHS]]]\n"
    "Twenty tasks of iCaRL and of naive rehearsal against their products; 200 classes x 100 "
    "videos, 2 epochs.\n";

}  // namespace

int main(int argc, char** argv) {
  const int answered = tyto::answer_usage(argc, argv, kUsage);
  if (answered >= 0) {
    return answered;
  }
  tyto::use_fast_libraries(argv);
  tyto::Size size;
  const auto given = [&](int i, tyto::Index standard) {
    return argc > i ? static_cast<tyto::Index>(std::atoll(argv[i])) : standard;
  };
  size.classes = given(1, size.classes);
  size.videos = given(2, size.videos);
  size.epochs = given(3, size.epochs);
  if (size.classes < tyto::kTasks || size.videos < 1 || size.epochs < 1) {
    fmt::print(stderr, "incremental_run: at least {} classes, a video of each, an epoch\n",
               tyto::kTasks);
    return 2;
  }
  tyto::compare(size);
}
