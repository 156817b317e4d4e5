// SPDX-License-Identifier: Apache-2.0
// What a model elsewhere said of samples whose class is known: a folder of plain tables, a line per
// sample in each.
#include <cmath>
#include <optional>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/pieces.hpp"
#include "tyto/data/score_table.hpp"
#include "tyto/data/split_word.hpp"
#include "tyto/math/score_rows.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

// The table of that name in whichever form it comes; two of them would leave open which is meant.
std::optional<std::string> find_table(const fs::path& folder,
                                      std::initializer_list<std::string_view> files) {
  std::optional<std::string> found;
  for (const std::string_view file : files) {
    const std::string path = (folder / file).string();
    if (!fs::is_regular_file(path)) {
      continue;
    }
    if (found) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: stands beside {}; keep the one that is meant", path, *found));
    }
    found = path;
  }
  return found;
}

std::string needed_table(const fs::path& folder, std::initializer_list<std::string_view> files) {
  const auto found = find_table(folder, files);
  return found ? *found : needed_file(folder, *files.begin()).string();
}

ScoreTable class_scores(const fs::path& folder) {
  const std::string path =
      needed_table(folder, {"logits.csv", "logits.csv.gz", "logits.npy", "probabilities.csv",
                            "probabilities.csv.gz", "probabilities.npy"});
  const bool stated = fs::path(path).filename().string().starts_with("probabilities");
  ScoreTable scores = read_scores(path, stated ? "probabilities" : "auto");
  expect_scores(scores.values, path);
  if (scores.values.rows() == 0) {
    throw Error(ErrorKind::data, fmt::format("{}: holds no sample", path));
  }
  if (scores.columns.empty()) {
    for (Index k = 0; k < scores.values.cols(); ++k) {
      scores.columns.push_back(std::to_string(k));
    }
  }
  return scores;
}

Matrix as_float(const ScoreTable& table) {
  Matrix out = table.values.cast<float>();
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      if (!std::isfinite(out(i, j))) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: row {}, column {} (from 1): {} is not a finite number of 32 "
                                "bits",
                                table.name, i + 1, j + 1, table.values(i, j)));
      }
    }
  }
  return out;
}

void expect_count(std::string_view path, Index count, std::string_view what,
                  const ScoreTable& scores) {
  if (count != scores.values.rows()) {
    throw Error(ErrorKind::data, fmt::format("{}: {} {} for the {} rows of {}", path, count, what,
                                             scores.values.rows(), scores.name));
  }
}

std::vector<std::string> labels(const std::string& path, const ScoreTable& scores) {
  LabelSpace known;  // knows which names are reserved
  std::vector<std::string> out;
  for (const Index column : read_truth(path, scores)) {
    const std::string& name = scores.columns[static_cast<std::size_t>(column)];
    try {
      known.add_known(name);
    } catch (const Error& problem) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: label {} (from 1): {}", path, out.size() + 1, problem.what()));
    }
    out.push_back(name);
  }
  return out;
}

std::vector<std::string> splits(const std::string& path, const ScoreTable& scores) {
  std::vector<std::string> out;
  for (const auto& [line, word] : read_words(path)) {
    const std::string_view split = canonical_split(word);
    if (split.empty() && line > 1) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: the split \"{}\" is not one of train, validate, test",
                              path, line, word));
    }
    if (!split.empty()) {  // else a heading
      out.emplace_back(split);
    }
  }
  expect_count(path, std::ssize(out), "splits", scores);
  return out;
}

Dataset read_score_folder(const fs::path& folder, std::string_view) {
  ScoreTable scores = class_scores(folder);
  Dataset dataset;
  dataset.name = fs::absolute(folder / "").lexically_normal().parent_path().filename().string();
  dataset.table.label = labels(needed_table(folder, {"labels.csv", "labels.csv.gz"}), scores);
  for (Index i = 0; i < scores.values.rows(); ++i) {
    dataset.table.id.push_back(std::to_string(i));
  }
  if (const auto path = find_table(folder, {"splits.csv", "splits.csv.gz"})) {
    dataset.table.split = splits(*path, scores);
  }
  const bool has_impossible = !scores.values.allFinite();
  scores.values = finite_scores(scores.values, kLeastFloatLog);
  std::vector<DenseStore::Source> sources(2);
  sources[1] = {"logits", as_float(scores), scores.columns};
  sources[0] = {"features", sources[1].values, scores.columns};
  const auto given = find_table(folder, {"features.csv", "features.csv.gz", "features.npy"});
  if (given) {
    const ScoreTable features = read_numbers(*given);
    expect_count(*given, features.values.rows(), "rows of features", scores);
    sources[0] = {"features", as_float(features), features.columns};
  }
  dataset.summary = fmt::format("scores of a model for {} samples and {} classes",
                                scores.values.rows(), scores.values.cols());
  dataset.about = {
      {"logits",
       fmt::format("{}{}",
                   scores.probabilities ? "logarithms of the probabilities given" : "as given",
                   has_impossible ? "; a class ruled out lies 103 below the row's best, "
                                    "or as low as its least"
                                  : "")},
      {"features", given ? "as given" : "the logits again, since none were given"}};
  dataset.store = std::make_shared<DenseStore>(std::move(sources));
  return dataset;
}

}  // namespace

ImportSpec scores_import() {
  return {"scores",
          "scores of a model elsewhere, with labels; features and splits if there are any",
          {"logits.csv", "labels.csv"},
          {},
          read_score_folder};
}

}  // namespace tyto
