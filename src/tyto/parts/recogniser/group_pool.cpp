// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/recogniser/group_pool.hpp"

#include "tyto/core/error.hpp"

namespace tyto {

std::vector<Index> group_sizes(std::span<const std::int32_t> groups, std::size_t count) {
  std::vector<Index> sizes(count, 0);
  for (const std::int32_t group : groups) {
    if (group >= 0) {
      ++sizes[static_cast<std::size_t>(group)];
    }
  }
  return sizes;
}

void GroupPool::set_groups(std::vector<std::int32_t> groups) {
  TYTO_ASSERT(groups.size() == ids_.size());
  groups_ = std::move(groups);
}

std::optional<Index> GroupPool::find(SampleId id) const {
  const auto found = place_.find(static_cast<std::uint32_t>(id));
  return found == place_.end() ? std::nullopt : std::optional(found->second);
}

void GroupPool::add(SampleId id, const Eigen::Ref<const Eigen::RowVectorXf>& row) {
  if (place_.emplace(static_cast<std::uint32_t>(id), size()).second) {
    ids_.push_back(id);
    groups_.push_back(kNone);
    coming_.emplace_back(row);
  }
}

void GroupPool::finish_adding() {
  if (coming_.empty()) {
    return;
  }
  const Index before = size() - static_cast<Index>(coming_.size());
  rows_.conservativeResize(size(), coming_.front().size());
  for (std::size_t i = 0; i < coming_.size(); ++i) {
    rows_.row(before + static_cast<Index>(i)) = coming_[i];
  }
  coming_.clear();
}

void GroupPool::remove(const std::vector<std::uint8_t>& gone) {
  TYTO_ASSERT(gone.size() == ids_.size());
  std::size_t to = 0;
  for (std::size_t from = 0; from < gone.size(); ++from) {
    if (gone[from] == 0) {
      if (to != from) {
        ids_[to] = ids_[from];
        groups_[to] = groups_[from];
        rows_.row(static_cast<Index>(to)) = rows_.row(static_cast<Index>(from));
      }
      ++to;
    }
  }
  ids_.resize(to);
  groups_.resize(to);
  rows_.conservativeResize(static_cast<Index>(to), rows_.cols());
  index();
}

void GroupPool::keep_newest(Index most) {
  if (size() > most) {
    std::vector<std::uint8_t> gone(ids_.size(), 0);
    std::fill(gone.begin(), gone.end() - most, std::uint8_t{1});
    remove(gone);
  }
}

void GroupPool::clear() {
  ids_.clear();
  groups_.clear();
  place_.clear();
  rows_.resize(0, 0);
}

void GroupPool::index() {
  place_.clear();
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    place_.emplace(static_cast<std::uint32_t>(ids_[i]), static_cast<Index>(i));
  }
}

void GroupPool::save(State& state) const {
  std::vector<std::int64_t> ids;
  for (const SampleId id : ids_) {
    ids.push_back(static_cast<std::int64_t>(id));
  }
  state.set("ids", std::move(ids));
  state.set("groups", std::vector<std::int64_t>(groups_.begin(), groups_.end()));
  state.set("rows", rows_);
}

void GroupPool::load(const State& state) {
  clear();
  for (const std::int64_t id : state.get<std::vector<std::int64_t>>("ids")) {
    ids_.push_back(static_cast<SampleId>(id));
  }
  for (const std::int64_t group : state.get<std::vector<std::int64_t>>("groups")) {
    groups_.push_back(static_cast<std::int32_t>(group));
  }
  rows_ = state.get<Matrix>("rows");
  if (groups_.size() != ids_.size() || rows_.rows() != size()) {
    throw Error(ErrorKind::state,
                "the saved pool of unknown samples has lists of different lengths");
  }
  index();
}

}  // namespace tyto
