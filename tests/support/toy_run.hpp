// SPDX-License-Identifier: Apache-2.0
// A dataset of four classes in two columns, and an experiment on it: a run of a fraction of a
// second.
#pragma once

#include <filesystem>
#include <string>

#include "support/scratch.hpp"

#include "tyto/core/files/files.hpp"

namespace tyto::testing_support {

// datasets/toy and e.yaml: two arms, ncm and slda, at full feedback.
inline void write_toy_experiment(const Scratch& scratch) {
  std::filesystem::create_directories(scratch / "datasets/toy");
  std::string csv = "id,label,split,group,x0,x1\n";
  for (int i = 0; i < 160; ++i) {
    csv += "t" + std::to_string(i) + ",c" + std::to_string(i % 4) + "," +
           (i / 4 % 4 == 0 ? "test" : "train") + ",g" + std::to_string(i / 4) + "," +
           std::to_string((i % 4) * 2 + (i * 37 % 11) / 7.0) + "," +
           std::to_string((i * 53 % 13) / 5.0) + "\n";
  }
  write_file(scratch / "datasets/toy/index.csv", csv);
  write_file(scratch / "datasets/toy/dataset.yaml",
             "name: toy\nindex: index.csv\n"
             "features:\n  - {source: features, columns: [x0, x1]}\n");
  write_file(scratch / "e.yaml",
             "name: e\nprior_knowledge: none\ndata: toy\nworld: {kind: increments, increments: "
             "2}\npredictors: [ncm, slda]\nfeedback: [1.0]\n");
}

}  // namespace tyto::testing_support
