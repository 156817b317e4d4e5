// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/slots.hpp"

#include "tyto/core/error.hpp"

namespace tyto {

Holding holding_of(const Matrix& features) {
  return {features.rows(), features.rows(), features.size() * static_cast<Index>(sizeof(float))};
}

LinearHead Classifier::head() const {
  throw Error(ErrorKind::state, "this classifier has no linear last layer");
}

Matrix Classifier::pull_back(const Evidence&, const Matrix&) const {
  throw Error(ErrorKind::state, "this classifier gives no gradients");
}

}  // namespace tyto
