// SPDX-License-Identifier: Apache-2.0
// Some rows of an experience as if they were the first lesson: all fresh, all to be fitted on.
#pragma once

#include <vector>

#include "tyto/parts/experience.hpp"

namespace tyto {

class PickedExperience final : public Experience {
 public:
  // Borrows the other.
  PickedExperience(const Experience& from, std::vector<Index> rows)
      : from_(from), rows_(std::move(rows)), roles_(rows_.size(), Role::fit) {
    for (const Index row : rows_) {
      labels_.push_back(from.labels()[static_cast<std::size_t>(row)]);
    }
  }

  [[nodiscard]] Index size() const override { return std::ssize(rows_); }

  [[nodiscard]] Index fresh() const override { return 0; }

  [[nodiscard]] bool starts_over() const override { return true; }

  [[nodiscard]] std::span<const Label> labels() const override { return labels_; }

  [[nodiscard]] std::span<const Role> roles() const override { return roles_; }

  [[nodiscard]] const LabelSpace& space() const override { return from_.space(); }

  [[nodiscard]] Samples samples(Rows which) const override { return from_.samples(there(which)); }

  [[nodiscard]] Matrix features(Rows which) const override { return from_.features(there(which)); }

  [[nodiscard]] Frames frame_features(Rows which) const override {
    return from_.frame_features(there(which));
  }

  // In one block: those who pick take few.
  void each_block(Role role, Index from, const Visit& visit) const override {
    const std::vector<Index> rows = labelled(role, from);
    if (rows.empty()) {
      return;
    }
    Evidence evidence;
    evidence.samples = samples(rows);
    evidence.features = features(rows);
    std::vector<Label> labels;
    labels.reserve(rows.size());
    for (const Index row : rows) {
      labels.push_back(labels_[static_cast<std::size_t>(row)]);
    }
    visit(evidence, labels);
  }

 private:
  [[nodiscard]] std::vector<Index> there(Rows which) const {
    std::vector<Index> rows;
    for (const Index row : which) {
      rows.push_back(rows_[static_cast<std::size_t>(row)]);
    }
    return rows;
  }

  const Experience& from_;
  std::vector<Index> rows_;
  std::vector<Label> labels_;
  std::vector<Role> roles_;
};

}  // namespace tyto
