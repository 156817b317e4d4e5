// SPDX-License-Identifier: Apache-2.0
// Whole runs at the size of KOWL-718, as a user starts them: seconds of training against the matrix
// products that no implementation can avoid, what everything around the predictor costs, memory,
// size of the record, and growth with the number of rows. Prints Markdown.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "kowl718_data.hpp"
#include "usage.hpp"
#include "whole_run.hpp"
#include <fmt/format.h>

#include "tyto/core/build_info.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/start_up.hpp"
#include "tyto/engine/run/run.hpp"
#include "tyto/world/increments/increment_world.hpp"
#include "tyto/world/manifest.hpp"

extern "C" void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc);
extern "C" void cblas_dsyrk(int order, int triangle, int transpose, int n, int k, double alpha,
                            const double* a, int lda, double beta, double* c, int ldc);
extern "C" void cblas_dsymm(int order, int side, int triangle, int m, int n, double alpha,
                            const double* a, int lda, const double* b, int ldb, double beta,
                            double* c, int ldc);
extern "C" void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
extern "C" void dpotrs_(const char* triangle, const int* n, const int* columns, const double* a,
                        const int* lda, double* b, const int* ldb, int* info);

namespace tyto {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr Index kWidth = 768, kBatch = 1000, kProjection = 2000, kBlock = 4096;
constexpr double kFitted = 0.9;  // of the granted rows; the rest is held out

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Call>
double median_seconds(int times, const Call& call) {
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    const auto start = Clock::now();
    call();
    seconds.push_back(since(start));
  }
  std::nth_element(seconds.begin(), seconds.begin() + times / 2, seconds.end());
  return seconds[static_cast<std::size_t>(times / 2)];
}

// Seconds of c[m, n] = op(a) op(b) over k, all row-major: the median of some repetitions.
double gemm_seconds(Index m, Index n, Index k, bool ta, bool tb) {
  const Matrix a = Matrix::Random(ta ? k : m, ta ? m : k);
  const Matrix b = Matrix::Random(tb ? n : k, tb ? k : n);
  Matrix c(m, n);
  const auto number = [](Index i) { return static_cast<int>(i); };
  return median_seconds(15, [&] {
    cblas_sgemm(101, ta ? 112 : 111, tb ? 112 : 111, number(m), number(n), number(k), 1.0F,
                a.data(), number(a.cols()), b.data(), number(b.cols()), 0.0F, c.data(), number(n));
  });
}

// The products of one training step of the 768-768-outputs network.
double step_seconds(Index outputs) {
  return gemm_seconds(kBatch, kWidth, kWidth, false, true) +
         gemm_seconds(kBatch, outputs, kWidth, false, true) +
         gemm_seconds(outputs, kWidth, kBatch, true, false) +
         gemm_seconds(kBatch, kWidth, outputs, false, false) +
         gemm_seconds(kWidth, kWidth, kBatch, true, false);
}

struct Costs : RunCosts {
  double bound = 0;  // of `learn`, the mean of before and after
  std::vector<IncrementCounts> world;

  [[nodiscard]] Index train_rows() const {
    Index rows = 0;
    for (const IncrementCounts& counts : world) {
      rows += counts.samples[0].known + counts.samples[0].novel;
    }
    return rows;
  }
};

Experiment experiment_of(const std::string& predictor, double feedback) {
  return read_experiment(
      parse_yaml(fmt::format("name: kowl718\nprior_knowledge: none\ndata: [k400, k600, k700]\n"
                             "world: {{kind: increments, increments: 5, schedule: table}}\n"
                             "feedback: [{}]\npredictors: [{}]\n",
                             feedback, predictor),
                 "kowl718_run"));
}

// Products of all lessons, each over the experience so far: five per step on the fitted rows, and
// the two forward ones on the held-out rows that set the threshold.
double ann_bound(const Costs& costs) {
  double rows = 0;
  double bound = 0;
  for (const IncrementCounts& counts : costs.world) {
    rows += static_cast<double>(counts.samples[0].known + counts.samples[0].novel);
    const Index outputs = counts.known_classes + counts.novel_classes + 1;
    const double batches = rows / static_cast<double>(kBatch);
    bound += kFitted * batches * step_seconds(outputs);
    bound += (1 - kFitted) * batches *
             (gemm_seconds(kBatch, kWidth, kWidth, false, true) +
              gemm_seconds(kBatch, outputs, kWidth, false, true));
  }
  return bound;
}

// Seconds of c += a a' over k columns, in double precision: what a covariance takes.
double syrk_seconds(Index n, Index k) {
  const int size = static_cast<int>(n);
  const int columns = static_cast<int>(k);
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(n, k);
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(n, n);
  return median_seconds(5, [&] {
    cblas_dsyrk(102, 122, 111, size, columns, 1.0, a.data(), size, 1.0, c.data(), size);
  });
}

struct SolveSeconds {
  double factor = 0, solve = 0, product = 0;
};

// Of a positive definite n x n matrix, with `columns` right sides: its factor, the solution by it,
// and a product of the matrix and what was found. In double precision.
SolveSeconds solve_seconds(Index n, Index columns) {
  const int size = static_cast<int>(n);
  const int sides = static_cast<int>(columns);
  int info = 0;
  Eigen::MatrixXd system = Eigen::MatrixXd::Constant(n, n, 0.5);
  system.diagonal().array() += 1.0;
  const Eigen::MatrixXd right = Eigen::MatrixXd::Random(n, columns);
  Eigen::MatrixXd factor;
  Eigen::MatrixXd out = right;
  SolveSeconds seconds;
  seconds.product = median_seconds(3, [&] {
    cblas_dsymm(102, 141, 122, size, sides, 1.0, system.data(), size, right.data(), size, 0.0,
                out.data(), size);
  });
  seconds.factor = median_seconds(3, [&] {
    factor = system;
    dpotrf_("L", &size, factor.data(), &size, &info);
  });
  seconds.solve = median_seconds(3, [&] {
    out = right;
    dpotrs_("L", &size, &sides, factor.data(), &size, out.data(), &size, &info);
  });
  return seconds;
}

// The covariance of the fitted rows in double precision; at every lesson its factor, the solutions
// by it for the classes and for the whitening, and for the threshold the distances of all rows ever
// held out to the classes: both have moved.
double slda_bound(const Costs& costs) {
  const double added = syrk_seconds(kWidth, kBlock) / static_cast<double>(kBlock);
  const double whitened = gemm_seconds(kBlock, kWidth, kWidth, false, false);
  const double inverse = solve_seconds(kWidth, kWidth).solve;
  double rows = 0;
  double bound = 0;
  for (const IncrementCounts& counts : costs.world) {
    const auto fresh = static_cast<double>(counts.samples[0].known + counts.samples[0].novel);
    rows += fresh;
    const Index classes = counts.known_classes + counts.novel_classes;
    const SolveSeconds solved = solve_seconds(kWidth, classes);
    bound += kFitted * fresh * added;
    bound += solved.factor + solved.solve + inverse;
    bound += (1 - kFitted) * rows / static_cast<double>(kBlock) *
             (whitened + gemm_seconds(kBlock, classes, kWidth, false, true));
  }
  return bound;
}

// Projection and Gram matrix, in double precision, of all rows: the held-out ones choose the
// penalty by theirs. At every lesson the fewest penalties that the rule may try, each with factor,
// weights and their error, and the scores of the rows that it held out.
double ridge_bound(const Costs& costs) {
  constexpr double kFewestTried = 4;  // the best, then three in a row that are worse
  const double projected = gemm_seconds(kBlock, kProjection, kWidth, false, false);
  const double added = syrk_seconds(kProjection + 1, kBlock);
  double bound = 0;
  for (const IncrementCounts& counts : costs.world) {
    const double blocks = static_cast<double>(counts.samples[0].known + counts.samples[0].novel) /
                          static_cast<double>(kBlock);
    const Index classes = counts.known_classes + counts.novel_classes;
    const SolveSeconds solved = solve_seconds(kProjection + 1, classes);
    bound += blocks * (projected + added);
    bound += kFewestTried * (solved.factor + solved.solve + solved.product);
    bound += (1 - kFitted) * blocks * gemm_seconds(kBlock, classes, kProjection, false, false);
  }
  return bound;
}

Costs run(const std::string& predictor, double feedback, const fs::path& data, const fs::path& out,
          double (*bound)(const Costs&)) {
  const Experiment experiment = experiment_of(predictor, feedback);
  const Catalog catalog({data});
  Costs costs;
  {
    std::vector<Dataset> datasets;
    for (const std::string& name : experiment.data) {
      datasets.push_back(catalog.load(name));
    }
    ConfigNode options = experiment.world;
    options.remove("kind");
    costs.world = count_increments(draw_schedule(
        join_series(std::move(datasets)), read_options<IncrementOptions>(options, "world"), 1));
  }
  const double before = bound == nullptr ? 0 : bound(costs);
  static_cast<RunCosts&>(costs) = whole_run(experiment, catalog, out);
  costs.bound = bound == nullptr ? 0 : (before + bound(costs)) / 2;
  return costs;
}

void print_row(const std::string& name, double feedback, const Costs& costs) {
  fmt::print(
      "| {} | {:.0f} % | {} | {:.1f} | {:.1f} | {:.1f} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} % "
      "| "
      "{:.0f} | {:.0f} | {:.0f} | {:.1f} |\n",
      name, 100 * feedback, costs.train_rows(), costs.wall, costs.processor, costs.learn,
      costs.bound > 0 ? fmt::format("{:.2f}", costs.bound / costs.learn) : "", costs.predict,
      costs.around(), costs.measure, 100 * costs.harness(), costs.peak_mb, costs.mapped_mb,
      costs.record_mb, costs.page_mb);
  std::fflush(stdout);
}

struct Choice {
  std::vector<double> scales{1.0 / 9, 1.0 / 3, 1.0};  // shares of the rows
  std::string predictor;                              // empty: all
  std::optional<double> feedback;                     // none: all
};

int bench(const fs::path& folder, const Choice& choice) {
  const BuildInfo info = build_info();
  fmt::print("{} ({}), {}, {} threads\n\n", info.version, info.revision, info.blas, info.threads);
  fmt::print(
      "| predictor | feedback | training rows | wall s | processor s | learn s | share of products "
      "| "
      "predict s | "
      "around "
      "s | measure s | all but predictor | RssAnon MB | mapped MB | record MB | page MB |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  const std::string ann = "{preset: ann, classifier: {form: paper, epochs: 1}}";
  const std::string ridge = "{name: ridge, classifier: ridge, detector: energy, memory: none}";
  for (const double scale : choice.scales) {
    const fs::path data = folder / fmt::format("kowl718-{:.3f}", scale);
    make_kowl718_data(data, scale);
    const fs::path out = folder / "run";
    const auto show = [&](const std::string& name, const std::string& predictor,
                          double (*bound)(const Costs&), const std::vector<double>& feedback) {
      for (const double share : feedback) {
        if ((choice.predictor.empty() || choice.predictor == name) &&
            choice.feedback.value_or(share) == share) {
          print_row(name, share, run(predictor, share, data, out, bound));
        }
      }
    };
    show("always_unknown", "always_unknown", nullptr, {1});
    show("slda", "slda", slda_bound, {1});
    show("ridge", ridge, ridge_bound, {1});
    if (scale == choice.scales.back()) {
      show("ann", ann, ann_bound, {1});
    }
    show("gmm-finch", "gmm-finch", nullptr, {0, 0.5, 1});
    show("tyto", "tyto", nullptr, {0, 0.5, 1});
  }
  return 0;
}

}  // namespace

}  // namespace tyto

namespace {

constexpr std::string_view kUsage =
    "kowl718_run [FOLDER] [--small] [--only PREDICTOR] [--rows SHARE] [--feedback SHARE]\n"
    "Whole runs at the size of KOWL-718, at a ninth, a third and all of the rows (hours); prints "
    "Markdown.\n"
    "FOLDER, build/bench-data unless given, keeps the made features (2 GB).\n"
    "--small: a hundredth of the rows; --rows: that share; --only: one predictor; --feedback: one "
    "budget.\n";

}  // namespace

int main(int argc, char** argv) {
  const int answered = tyto::answer_usage(argc, argv, kUsage);
  if (answered >= 0) {
    return answered;
  }
  tyto::use_fast_libraries(argv);
  std::filesystem::path folder = "build/bench-data";
  tyto::Choice choice;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--small") {
      choice.scales = {0.01};
    } else if (word == "--rows" && has_value) {
      choice.scales = {std::strtod(argv[++i], nullptr)};
    } else if (word == "--only" && has_value) {
      choice.predictor = argv[++i];
    } else if (word == "--feedback" && has_value) {
      choice.feedback = std::strtod(argv[++i], nullptr);
    } else {
      folder = word;
    }
  }
  try {
    return tyto::bench(folder, choice);
  } catch (const tyto::Error& error) {
    std::fprintf(stderr, "kowl718_run: %s\n", error.what());
    return 1;
  }
}
