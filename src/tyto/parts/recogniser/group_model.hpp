// SPDX-License-Identifier: Apache-2.0
// How well rows fit the groups that were found.
#pragma once

#include <memory>
#include <span>

#include "tyto/sample/saved.hpp"

namespace tyto {

struct GroupModel : Saved {
  // Rows of the pool and the group of each, in [0, groups); every group has a row.
  virtual void fit(const MatrixView& rows, std::span<const std::int32_t> group, Index groups) = 0;
  // Log score of each row for each group, and in the last column that of belonging to none.
  [[nodiscard]] virtual Matrix score(const MatrixView& rows) const = 0;
};

// Rows near the centre of a group are likely members: -|x - c|^2 / (2 s^2), with s^2 the mean
// squared deviation of members per dimension; none: the score at the reach of 98 % of the members.
std::unique_ptr<GroupModel> centroid_model();

// Rows near a member are likely members, whatever the shape of the group: the same with the
// nearest member in place of the centre. Looks at the 15 nearest members of all groups.
std::unique_ptr<GroupModel> nearest_member_model();

}  // namespace tyto
