// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/slots.hpp"

#include "tyto/core/error.hpp"

namespace tyto {

LinearHead Classifier::head() const {
  throw Error(ErrorKind::state, "this classifier has no linear last layer");
}

Matrix Classifier::pull_back(const Evidence&, const Matrix&) const {
  throw Error(ErrorKind::state, "this classifier gives no gradients");
}

}  // namespace tyto
