// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/gathered.hpp"

#include <algorithm>
#include <array>

#include "tyto/core/parallel.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kGatheredRows = 8192;

}  // namespace

Gathered::Gathered(const Samples& remembered, std::vector<Label> remembered_labels,
                   std::vector<Role> remembered_roles, const Samples& fresh,
                   const std::vector<Label>& fresh_labels, const std::vector<Role>& fresh_roles,
                   const LabelSpace& space)
    : remembered_(remembered),
      fresh_(fresh),
      labels_(std::move(remembered_labels)),
      roles_(std::move(remembered_roles)),
      space_(space),
      fresh_from_(remembered.size()) {
  labels_.insert(labels_.end(), fresh_labels.begin(), fresh_labels.end());
  roles_.insert(roles_.end(), fresh_roles.begin(), fresh_roles.end());
  const bool one_store =
      remembered_.empty() || fresh_.empty() ||
      (Samples::share_store(remembered_, fresh_) && remembered_.lifetime() == fresh_.lifetime());
  if (one_store) {
    joined_ = Samples::joined(remembered_, fresh_);
  }
}

Samples Gathered::samples(Rows which) const {
  if (joined_) {
    return joined_->pick(which);
  }
  const Index first_new = remembered_.size();
  std::vector<Index> old_rows;
  std::vector<Index> new_rows;
  for (const Index row : which) {
    row < first_new ? old_rows.push_back(row) : new_rows.push_back(row - first_new);
  }
  if (old_rows.empty() || new_rows.empty()) {  // nothing to put together, nothing to copy
    return old_rows.empty() ? fresh_.pick(new_rows) : remembered_.pick(old_rows).lent();
  }
  const Samples both =
      Samples::stacked(std::array{remembered_.pick(old_rows), fresh_.pick(new_rows)}).lent();
  std::vector<Index> order;
  Index next_old = 0;
  auto next_new = static_cast<Index>(old_rows.size());
  for (const Index row : which) {
    order.push_back(row < first_new ? next_old++ : next_new++);
  }
  return both.pick(order);
}

Matrix Gathered::features(Rows which) const {
  return features_of(samples(which));
}

Matrix Gathered::features_of(const Samples& samples) const {
  Matrix rows = samples.rows();
  return represent_ ? represent_(rows, "sample") : rows;
}

Frames Gathered::frame_features(Rows which) const {
  return frames_of(samples(which), [&](const MatrixView& rows) {
    return represent_ ? represent_(rows, "frame") : Matrix(rows);
  });
}

void Gathered::each_block(Role role, Index from, const Visit& visit) const {
  const std::vector<Index> rows = labelled(role, from);
  const Index most = rows_per_block(std::max(remembered_.widest(), fresh_.widest()), kGatheredRows);
  in_blocks(static_cast<Index>(rows.size()), most, [&](Index begin, Index count) {
    const Rows block =
        Rows(rows).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
    std::vector<Label> labels;
    labels.reserve(block.size());
    for (const Index row : block) {
      labels.push_back(labels_[static_cast<std::size_t>(row)]);
    }
    Evidence evidence;
    if (look_) {
      evidence = look_(samples(block));
    } else {
      evidence.samples = samples(block);
      evidence.features = features_of(evidence.samples);
    }
    visit(evidence, labels);
  });
}

}  // namespace tyto
