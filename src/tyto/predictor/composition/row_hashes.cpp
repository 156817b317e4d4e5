// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/row_hashes.hpp"

#include "tyto/core/hash_bytes.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

std::vector<std::uint64_t> row_hashes(const Matrix& rows) {
  std::vector<std::uint64_t> hashes(at(rows.rows()));
  for_each_index(rows.rows(), [&](Index i) { hashes[at(i)] = hash_numbers(rows.row(i)); });
  return hashes;
}

std::uint64_t with_hash(std::uint64_t so_far, std::uint64_t more) {
  const std::uint64_t both[] = {so_far, more};
  return hash_bytes(std::as_bytes(std::span(both)));
}

}  // namespace tyto
