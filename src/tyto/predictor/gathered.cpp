// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/gathered.hpp"

#include <algorithm>
#include <numeric>

#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kGatheredRows = 8192;

// Samples of two stores, copied into one that lives for the call and has the sources they share.
Samples together(const Samples& a, const Samples& b) {
  std::vector<DenseStore::Source> sources;
  const std::vector<std::string> theirs = b.store()->sources();
  for (const std::string& name : a.store()->sources()) {
    if (std::find(theirs.begin(), theirs.end(), name) == theirs.end()) {
      continue;
    }
    const Matrix top = a.frame_rows(name);
    const Matrix bottom = b.frame_rows(name);
    Matrix values(top.rows() + bottom.rows(), a.width(name));
    values.topRows(top.rows()) = top;
    values.bottomRows(bottom.rows()) = bottom;
    sources.push_back({name, std::move(values), a.store()->column_names(name)});
  }
  Samples::Table table;
  table.first.push_back(0);
  for (const Samples* part : {&a, &b}) {
    for (Index i = 0; i < part->size(); ++i) {
      table.first.push_back(table.first.back() + static_cast<Index>(part->frames(i).size()));
      table.id.push_back(part->id(i));
      table.group.push_back(part->group(i));
      table.time.push_back(part->time(i));
    }
  }
  table.row.resize(static_cast<std::size_t>(table.first.back()));
  std::iota(table.row.begin(), table.row.end(), Index{0});
  if (a.one_row_each() && b.one_row_each()) {
    table.first.clear();
  }
  return Samples(std::make_shared<const DenseStore>(std::move(sources)), std::move(table),
                 Lifetime::lent);
}

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
      (remembered_.store() == fresh_.store() && remembered_.lifetime() == fresh_.lifetime());
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
  const Samples both = together(remembered_.pick(old_rows), fresh_.pick(new_rows));
  std::vector<Index> order;
  Index next_old = 0;
  auto next_new = static_cast<Index>(old_rows.size());
  for (const Index row : which) {
    order.push_back(row < first_new ? next_old++ : next_new++);
  }
  return both.pick(order);
}

Matrix Gathered::features(Rows which) const {
  const Samples picked = samples(which);
  return represent_ ? represent_(picked) : picked.rows();
}

void Gathered::each_block(Role role, Index from, const Visit& visit) const {
  const std::vector<Index> rows = labelled(role, from);
  in_blocks(static_cast<Index>(rows.size()), kGatheredRows, [&](Index begin, Index count) {
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
      evidence.features = represent_ ? represent_(evidence.samples) : evidence.samples.rows();
    }
    visit(evidence, labels);
  });
}

}  // namespace tyto
