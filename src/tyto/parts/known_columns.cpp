// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/known_columns.hpp"

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/math/softmax.hpp"

namespace tyto {

std::vector<Index> known_columns(const Evidence& evidence) {
  std::vector<Index> columns;
  for (std::size_t c = 0; c < evidence.classes.size(); ++c) {
    if (evidence.classes[c] != Label::unknown) {
      columns.push_back(static_cast<Index>(c));
    }
  }
  return columns;
}

Matrix known_part(const Evidence& evidence, const Matrix& values, std::string_view who) {
  const std::vector<Index> columns = known_columns(evidence);
  if (columns.empty()) {
    throw Error(ErrorKind::state,
                fmt::format("{} needs a classifier that knows at least one class", who));
  }
  if (evidence.size() == 0) {
    return Matrix(0, static_cast<Index>(columns.size()));
  }
  TYTO_ASSERT(values.cols() == static_cast<Index>(evidence.classes.size()));
  return values(Eigen::all, columns);
}

Matrix own_probability(const Evidence& evidence) {
  return softmax(evidence.logits);
}

}  // namespace tyto
