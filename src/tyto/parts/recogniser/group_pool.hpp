// SPDX-License-Identifier: Apache-2.0
// Samples nobody could name, with the group each belongs to: copies of their features, since the
// samples themselves may be lent for one call only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/sample/samples.hpp"

namespace tyto {

// Rows in each of `count` groups; those in none are below 0.
std::vector<Index> group_sizes(std::span<const std::int32_t> groups, std::size_t count);

class GroupPool {
 public:
  static constexpr std::int32_t kNone = -1;  // in no group

  [[nodiscard]] Index size() const { return static_cast<Index>(ids_.size()); }

  [[nodiscard]] const Matrix& rows() const { return rows_; }

  [[nodiscard]] const std::vector<std::int32_t>& groups() const { return groups_; }

  // Of each row, `group` counting from 0.
  void set_groups(std::vector<std::int32_t> groups);

  [[nodiscard]] std::optional<Index> find(SampleId id) const;

  // Appends; a sample that is here already is left as it is.
  void add(SampleId id, const Eigen::Ref<const Eigen::RowVectorXf>& row);
  void finish_adding();  // after a series of add()

  void remove(const std::vector<std::uint8_t>& gone);  // an entry per row
  void keep_newest(Index most);
  void clear();

  void save(State& state) const;
  void load(const State& state);

 private:
  void index();

  std::vector<SampleId> ids_;
  std::vector<std::int32_t> groups_;
  Matrix rows_;
  std::vector<Eigen::RowVectorXf> coming_;
  std::map<std::uint32_t, Index> place_;
};

}  // namespace tyto
