// SPDX-License-Identifier: Apache-2.0
// What an I3D network said of the chunks of three drives: the mean of its softmax over the frames.
#include <cmath>
#include <set>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/math/score_rows.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kChunks = "i3d_chunk_probabilities.csv.gz";
constexpr std::string_view kClasses = "classes.csv";

// Activities by their number, which runs from 0.
std::vector<std::string> activities(const CsvTable& csv) {
  const Index number = csv.column("class_id");
  const Index name = csv.column("activity");
  const auto numbers = csv.counts(number);
  std::vector<std::string> names(numbers.size());
  for (Index row = 0; row < csv.rows(); ++row) {
    const auto at = static_cast<std::size_t>(numbers[static_cast<std::size_t>(row)]);
    if (at >= names.size() || !names[at].empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} is no new number of the {} classes, which are 0 to {}",
                              csv.place(row, number), at, names.size(), names.size() - 1));
    }
    names[at] = csv.text(row, name);
  }
  return names;
}

Matrix log_probabilities(const CsvTable& csv, const std::vector<Index>& columns) {
  constexpr double kRounding = 1e-3;  // six digits each
  const Dense<double> values = csv.matrix(columns).cast<double>();
  for (Index row = 0; row < csv.rows(); ++row) {
    const double sum = values.row(row).sum();
    if (!(values.row(row).minCoeff() >= 0.0 && std::abs(sum - 1.0) < kRounding)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: these are no probabilities; they add up to {}",
                              csv.name(), csv.line(row), sum));
    }
  }
  return finite_scores(values.array().log().matrix(), kLeastFloatLog).cast<float>();
}

std::vector<std::string> chunk_ids(const CsvTable& csv) {
  const Index file = csv.column("file_id");
  const Index annotation = csv.column("annotation_id");
  const Index chunk = csv.column("chunk_id");
  std::vector<std::string> ids;
  std::set<std::string> seen;
  for (Index row = 0; row < csv.rows(); ++row) {
    ids.push_back(fmt::format("{}:{}:{}", csv.text(row, file), csv.text(row, annotation),
                              csv.text(row, chunk)));
    if (!seen.insert(ids.back()).second) {
      throw Error(ErrorKind::data, fmt::format("{}: line {}: the chunk {} stands there twice",
                                               csv.name(), csv.line(row), ids.back()));
    }
  }
  return ids;
}

Dataset read_drive_and_act(const fs::path& folder, std::string_view) {
  const CsvTable csv = CsvTable::load(needed_file(folder, kChunks));
  const std::vector<std::string> names = activities(CsvTable::load(needed_file(folder, kClasses)));
  std::vector<Index> columns;
  for (std::size_t k = 0; k < names.size(); ++k) {
    columns.push_back(csv.column(fmt::format("p{}", k)));
  }
  Dataset dataset;
  dataset.name = "drive_and_act";
  dataset.summary =
      "activities in a car: softmax of an I3D network for chunks of three drives; validate are the "
      "two drives it was trained on";
  dataset.about = {
      {"origin",
       "Drive&Act, split 0; outputs of the repository M-Jafarkhani/DriveAndActInferenceDemo"},
      {"licence", "none stated for the outputs; Drive&Act is for non-commercial research"},
      {"citation",
       "M. Martin, A. Roitberg, M. Haurilet, M. Horne, S. Reiss, M. Voit, R. Stiefelhagen, "
       "Drive&Act: A Multi-Modal Dataset for Fine-Grained Driver Behavior Recognition in "
       "Autonomous Vehicles, ICCV 2019"},
      {"units",
       "natural logarithms of the softmax averaged over a chunk's frames; a probability of 0 lies "
       "103 below the row's greatest, or as low as its least"},
      {"prior_knowledge",
       "the network was trained on the videos of the split validate, where it is right more often "
       "than on test, so temperatures fitted there come out too low; test is one drive of one "
       "person"}};
  dataset.table = read_index(csv, {{"group", "file_id"}}, columns);
  dataset.table.id = chunk_ids(csv);
  const Index number = csv.column("class_id");
  const auto classes = csv.counts(number);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] >= std::ssize(names)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} has no class {}", csv.place(static_cast<Index>(i), number),
                              kClasses, classes[i]));
    }
    dataset.table.label[i] = names[static_cast<std::size_t>(classes[i])];
  }
  for (std::string& split : dataset.table.split) {
    split = split == "train" ? "validate" : split;
  }
  const Matrix logits = log_probabilities(csv, columns);
  dataset.store = std::make_shared<DenseStore>(
      std::vector<DenseStore::Source>{{"features", logits, names}, {"logits", logits, names}});
  return dataset;
}

}  // namespace

ImportSpec drive_and_act_import() {
  return {"drive_and_act",
          "34 activities in a car, I3D log probabilities; validate are videos of its training",
          {std::string(kChunks), std::string(kClasses)},
          {},
          read_drive_and_act};
}

}  // namespace tyto
