// SPDX-License-Identifier: Apache-2.0
// Neighbours found once per increment: the same samples are observed, predicted and offered for
// labelling before the memory changes, and each of these would search it again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "tyto/math/reference_rows.hpp"

namespace tyto {

// Rows are told apart by a 64-bit hash of their bytes. An answer does not depend on the batch it
// was found in (NearestK), so that what comes from here is what a search would give. Thread safe;
// holds at most a quarter of a gigabyte of answers, and the remembered rows where somebody made
// them ready.
class NeighbourCache {
 public:
  using Search = std::function<Neighbours(const Matrix& rows)>;

  // Neighbours of these rows among the remembered ones; `search` is asked for the unknown ones.
  Neighbours remembered(const Matrix& rows, const Search& search);
  // Neighbours within the batch that `rows` are; the last batch is kept.
  Neighbours batch(const Matrix& rows, const Search& search);

  // The remembered rows, made ready at the first search.
  using MakeRows = std::function<Matrix()>;
  std::shared_ptr<const ReferenceRows> references(const MakeRows& make);

  void forget();  // the memory or the features have changed

 private:
  std::mutex mutex_;
  Neighbours known_;
  Index used_ = 0;  // rows of known_
  std::unordered_map<std::uint64_t, Index> place_;
  std::shared_ptr<const ReferenceRows> references_;
  std::uint64_t batch_key_ = 0;
  Neighbours batch_;
};

}  // namespace tyto
