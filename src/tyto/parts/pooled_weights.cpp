// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/pooled_weights.hpp"

#include <limits>
#include <map>
#include <set>

namespace tyto {

std::vector<FoldedClassifier> all_but(std::span<const FoldedClassifier> folds, std::size_t one) {
  std::vector<FoldedClassifier> others(folds.begin(), folds.end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(one));
  return others;
}

HeldLogits held_logits(std::span<const FoldedClassifier> folds) {
  struct Block {
    Matrix logits;
    std::vector<Label> classes;  // of its columns
  };

  std::vector<Block> blocks;
  std::vector<Label> truth;
  std::map<Label, Index> column;
  for (const FoldedClassifier& fold : folds) {
    const auto visit = [&](const Evidence& block, std::span<const Label> labels) {
      Evidence own = block;
      fold.classifier->classify(own);
      const std::set<Label> known(own.classes.begin(), own.classes.end());
      std::vector<Index> rows;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (known.contains(labels[i])) {
          truth.push_back(labels[i]);
          rows.push_back(static_cast<Index>(i));
        }
      }
      for (const Label label : known) {
        column.emplace(label, 0);
      }
      if (!rows.empty()) {
        blocks.push_back({own.logits(rows, Eigen::all), own.classes});
      }
    };
    fold.experience->each_block(Role::hold, 0, visit);
  }
  Index columns = 0;
  for (auto& [label, at] : column) {
    at = columns++;
  }
  HeldLogits held{
      Matrix::Constant(std::ssize(truth), columns, -std::numeric_limits<float>::infinity()), {}};
  Index row = 0;
  for (const Block& block : blocks) {
    for (std::size_t c = 0; c < block.classes.size(); ++c) {
      held.logits.col(column.at(block.classes[c])).segment(row, block.logits.rows()) =
          block.logits.col(static_cast<Index>(c));
    }
    row += block.logits.rows();
  }
  for (const Label label : truth) {
    held.truth.push_back(column.at(label));
  }
  return held;
}

}  // namespace tyto
