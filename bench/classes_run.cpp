// SPDX-License-Identifier: Apache-2.0
// Growth with the number of classes, the rows fixed: time by what it goes into, and memory. What
// grows faster than the classes shows in its column. Prints Markdown.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "usage.hpp"
#include "whole_run.hpp"
#include <fmt/format.h>

#include "tyto/core/build_info.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/core/random.hpp"
#include "tyto/core/start_up.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

struct GrowthChoice {
  Index rows = 70000, width = 256;
  std::vector<Index> classes{718, 3000, 10000};
  std::vector<std::string> predictors{"ann", "gmm-finch", "slda", "tyto"};
  double feedback = 0.5;
};

// A tenth of the rows is for tests. Every class has rows in both.
void make_classes(const fs::path& folder, const GrowthChoice& choice, Index classes) {
  constexpr float kMeanScale = 0.35F;  // against noise 1
  const fs::path target = folder / "grown";
  if (fs::exists(target / "dataset.yaml")) {
    return;
  }
  make_folder(target);
  NpyWriter writer(target / "features.npy", choice.rows, {choice.width});
  Matrix block;
  in_blocks(choice.rows, 4096, [&](Index begin, Index count) {
    block.resize(count, choice.width);
    for_each_index(count, [&](Index i) {
      const auto row = static_cast<std::uint64_t>(begin + i);
      Rng mean(1, "mean", row % static_cast<std::uint64_t>(classes));
      Rng noise(1, "noise", row);
      for (Index j = 0; j < choice.width; ++j) {
        block(i, j) =
            kMeanScale * static_cast<float>(mean.normal()) + static_cast<float>(noise.normal());
      }
    });
    writer.append(block);
  });
  writer.finish();
  std::string index = "id,label,split\n";
  for (Index i = 0; i < choice.rows; ++i) {
    const bool test = i / classes == choice.rows / classes - 1;  // the last whole round
    index += fmt::format("r{},c{:05},{}\n", i, i % classes, test ? "test" : "train");
  }
  write_file(target / "index.csv", index);
  write_file(target / "dataset.yaml",
             "name: grown\nsummary: seeded, for benchmarks\nindex: index.csv\n"
             "features:\n  - {source: features, file: features.npy}\n");
}

int growth(const fs::path& folder, const GrowthChoice& choice) {
  const BuildInfo info = build_info();
  fmt::print("{} ({}), {}, {} threads; {} rows x {}, {:.0f} % feedback\n\n", info.version,
             info.revision, info.blas, info.threads, choice.rows, choice.width,
             100 * choice.feedback);
  fmt::print(
      "| predictor | classes | wall s | processor s | learn s | predict s | observe and ask s | "
      "around s | measure s | RssAnon MB | record MB | page MB |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& predictor : choice.predictors) {
    for (const Index classes : choice.classes) {
      const fs::path data =
          folder / fmt::format("classes-{}-{}x{}", classes, choice.rows, choice.width);
      make_classes(data, choice, classes);
      const std::string of =
          predictor == "ann" ? "{preset: ann, classifier: {form: paper, epochs: 1}}" : predictor;
      const Experiment experiment = read_experiment(
          parse_yaml(fmt::format("name: growth\nprior_knowledge: none\ndata: [grown]\n"
                                 "world: {{kind: increments, increments: 3}}\n"
                                 "feedback: [{}]\npredictors: [{}]\n",
                                 choice.feedback, of),
                     "classes_run"));
      const RunCosts costs = whole_run(experiment, Catalog({data}), folder / "run");
      fmt::print(
          "| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.0f} | "
          "{:.0f} | {:.1f} |\n",
          predictor, classes, costs.wall, costs.processor, costs.learn, costs.predict, costs.other,
          costs.around(), costs.measure, costs.peak_mb, costs.record_mb, costs.page_mb);
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace

}  // namespace tyto

namespace {

constexpr std::string_view kUsage =
    "classes_run [FOLDER] [--rows N] [--width D] [--classes C] [--only PREDICTOR] [--feedback "
    "SHARE]\n"
    "Growth with the number of classes: 718, 3,000 and 10,000 of 70,000 rows of 256 values; prints "
    "Markdown.\n"
    "FOLDER, build/bench-data unless given, keeps the made features.\n";

}  // namespace

int main(int argc, char** argv) {
  const int answered = tyto::answer_usage(argc, argv, kUsage);
  if (answered >= 0) {
    return answered;
  }
  tyto::use_fast_libraries(argv);
  std::filesystem::path folder = "build/bench-data";
  tyto::GrowthChoice choice;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--rows" && has_value) {
      choice.rows = std::atol(argv[++i]);
    } else if (word == "--width" && has_value) {
      choice.width = std::atol(argv[++i]);
    } else if (word == "--classes" && has_value) {
      choice.classes = {std::atol(argv[++i])};
    } else if (word == "--only" && has_value) {
      choice.predictors = {argv[++i]};
    } else if (word == "--feedback" && has_value) {
      choice.feedback = std::strtod(argv[++i], nullptr);
    } else {
      folder = word;
    }
  }
  try {
    return tyto::growth(folder, choice);
  } catch (const tyto::Error& error) {
    std::fprintf(stderr, "classes_run: %s\n", error.what());
    return 1;
  }
}
