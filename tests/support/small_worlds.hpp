// SPDX-License-Identifier: Apache-2.0
// Every registered world, small enough to be played through many times. A new one is a line here.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/sample/store_access.hpp"
#include "tyto/world/registry.hpp"

namespace tyto::testing_support {

struct SmallOptions {
  std::string over_time;   // YAML; "": this world shows everything at once
  std::string at_once;     // everything at step 0; "": this world cannot
  bool in_rounds = false;  // of tests, which some protocols alone take
};

inline const SmallOptions& small_options(const std::string& world) {
  static const std::map<std::string, SmallOptions> all{
      {"clips",
       {"{kind: clips, classes: 6, videos: 20, width: 8, height: 8, frames: 4, frames_most: 8, "
        "tasks: 3}",
        "{kind: clips, classes: 4, videos: 20, width: 8, height: 8, frames: 4, frames_most: 8, "
        "tasks: 1}"}},
      {"gaussians",
       {"{kind: gaussians, start_samples: 12, samples: 2, rounds: 1, increments: 2}", ""}},
      {"increments", {"{kind: increments, increments: 3}", "{kind: increments, increments: 0}"}},
      {"manifest",
       {"{kind: manifest, columns: {split: part}}",
        "{kind: manifest, columns: {split: part, "
        "increment: never}}"}},
      {"novel_classes", {"", "{kind: novel_classes, split: {test: 0.3, validate: 0.2}}"}},
      {"rounds",
       {"{kind: rounds, settings: [system], make: {known: 3, tests: 1, length: 48, before: 16, "
        "round_size: 8, novel_classes: 2}}",
        "", true}},
      {"sequences",
       {"{kind: sequences, classes: 6, videos: 20, width: 3, frames: 4, frames_most: 8, tasks: 3}",
        "{kind: sequences, classes: 4, videos: 20, width: 3, frames: 4, frames_most: 8, tasks: "
        "1}"}},
      {"tasks", {"{kind: tasks, tasks: 2}", "{kind: tasks, tasks: 1}"}},
      {"wearables",
       {"{kind: wearables, classes: 6, subjects: 6, windows: 3, window_s: 1, increments: 2}",
        "{kind: wearables, classes: 4, subjects: 6, windows: 3, window_s: 1, increments: 0}"}}};
  const auto found = all.find(world);
  if (found == all.end()) {
    throw std::out_of_range("the world " + world +
                            " is not tested: add a line to tests/support/small_worlds.hpp");
  }
  return found->second;
}

// Six classes about corners of a cube, sorted by class as files often are.
inline Dataset small_dataset() {
  constexpr Index kClasses = 6;
  constexpr Index kEach = 24;
  Dataset dataset;
  dataset.name = "small";
  Rng rng(8, "small");
  Matrix features(kClasses * kEach, 3);
  for (Index i = 0; i < features.rows(); ++i) {
    const Index c = i / kEach;
    dataset.table.id.push_back("sample " + std::to_string(i));
    dataset.table.label.push_back("class " + std::to_string(c));
    // For worlds that read when and where a sample is shown: classes 4 and 5 come at increment 1.
    const Index nth = i % kEach;
    dataset.table.annotations["part"].emplace_back(nth % 4 == 3   ? "test"
                                                   : nth % 6 == 4 ? "validate"
                                                                  : "train");
    dataset.table.annotations["increment"].emplace_back(c >= 4 || nth >= kEach / 2 ? "1" : "0");
    dataset.table.annotations["never"].emplace_back("0");
    for (Index j = 0; j < 3; ++j) {
      const bool far = ((c + 1) >> j) % 2 == 1;
      features(i, j) = static_cast<float>((far ? 8.0 : 0.0) + rng.normal());
    }
  }
  dataset.store = std::make_shared<const DenseStore>(std::move(features));
  return dataset;
}

// What the suites need of a world that was built; all else is hidden here.
class SmallWorld {
 public:
  SmallWorld(const std::string& name, const std::string& yaml, std::uint64_t seed) {
    std::vector<Dataset> datasets;
    if (find_world(name).needs_data) {
      datasets.push_back(small_dataset());
    }
    built_ = build_world(parse_yaml(yaml, "small.yaml"), "world", std::move(datasets), seed);
  }

  [[nodiscard]] std::unique_ptr<World> make(const LabelBudget& budget = {}) const {
    return built_->make_world(budget);
  }

  [[nodiscard]] const Truth* truth() const { return built_->truth(); }  // null: never revealed

  [[nodiscard]] StoreShelf shelf() const { return StoreShelf(built_->stores()); }

 private:
  std::unique_ptr<WorldSource> built_;
};

// Where a sample lies in the store: what its id must not tell.
inline Index first_store_row(const Samples& samples, Index i) {
  return StoreAccess::rows(samples, i).front();
}

}  // namespace tyto::testing_support
