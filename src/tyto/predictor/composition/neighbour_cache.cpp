// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/neighbour_cache.hpp"

#include <algorithm>
#include <vector>

#include "tyto/predictor/composition/row_hashes.hpp"

namespace tyto {

namespace {

constexpr Index kMostBytes = Index{256} << 20;

}  // namespace

Neighbours NeighbourCache::remembered(const Matrix& rows, const Search& search) {
  const std::vector<std::uint64_t> hashes = row_hashes(rows);
  std::vector<Index> missing;
  Neighbours out;
  {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (!place_.contains(hashes[i])) {
        missing.push_back(static_cast<Index>(i));
      }
    }
    if (static_cast<Index>(missing.size()) < rows.rows()) {
      out.row.resize(rows.rows(), known_.row.cols());
      out.distance.resize(rows.rows(), known_.row.cols());
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (const auto found = place_.find(hashes[i]); found != place_.end()) {
          out.row.row(static_cast<Index>(i)) = known_.row.row(found->second);
          out.distance.row(static_cast<Index>(i)) = known_.distance.row(found->second);
        }
      }
    }
  }
  if (missing.empty()) {
    return out;
  }
  const bool none_known = static_cast<Index>(missing.size()) == rows.rows();
  Neighbours found = none_known ? search(rows) : search(rows(missing, Eigen::all));
  const std::scoped_lock lock(mutex_);
  const Index k = found.row.cols();
  const Index bytes = std::max<Index>(1, k * Index{sizeof(float) + sizeof(std::int32_t)});
  const Index room = kMostBytes / bytes;
  if (known_.row.cols() != k) {
    used_ = 0;
    place_.clear();
  }
  const Index wanted = std::min(room, used_ + static_cast<Index>(missing.size()));
  if (wanted > known_.row.rows() || known_.row.cols() != k) {
    const Index grown = std::min(room, std::max(wanted, 2 * known_.row.rows()));
    known_.row.conservativeResize(grown, k);
    known_.distance.conservativeResize(grown, k);
  }
  for (std::size_t m = 0; m < missing.size(); ++m) {
    const auto at = static_cast<Index>(m);
    const auto row = missing[m];
    if (!none_known) {
      out.row.row(row) = found.row.row(at);
      out.distance.row(row) = found.distance.row(at);
    }
    if (used_ < wanted && place_.emplace(hashes[static_cast<std::size_t>(row)], used_).second) {
      known_.row.row(used_) = found.row.row(at);
      known_.distance.row(used_) = found.distance.row(at);
      ++used_;
    }
  }
  return none_known ? found : out;
}

Neighbours NeighbourCache::batch(const Matrix& rows, const Search& search) {
  std::uint64_t key = static_cast<std::uint64_t>(rows.rows());
  for (const std::uint64_t hash : row_hashes(rows)) {
    key = with_hash(key, hash);
  }
  {
    const std::scoped_lock lock(mutex_);
    if (batch_.row.rows() == rows.rows() && batch_key_ == key) {
      return batch_;
    }
  }
  Neighbours found = search(rows);
  const std::scoped_lock lock(mutex_);
  batch_key_ = key;
  batch_ = found;
  return found;
}

std::shared_ptr<const ReferenceRows> NeighbourCache::references(const MakeRows& make) {
  const std::scoped_lock lock(mutex_);
  if (references_ == nullptr) {
    references_ = std::make_shared<const ReferenceRows>(make());
  }
  return references_;
}

void NeighbourCache::forget() {
  const std::scoped_lock lock(mutex_);
  references_.reset();
  known_ = {};
  used_ = 0;
  place_.clear();
  batch_ = {};
  batch_key_ = 0;
}

}  // namespace tyto
