// SPDX-License-Identifier: Apache-2.0
// Why a run cannot begin or go on in its folder, so that a program can say what would help.
#pragma once

#include <string>

#include "tyto/core/error.hpp"

namespace tyto {

enum class PlaceProblem {
  taken,             // holds a run already
  other_experiment,  // the run there is of another one
  other_machine,     // threads or BLAS kernel differ
  other_format,      // a state that another version wrote
  damaged            // no commit of an arm can be read
};

class PlaceError : public Error {
 public:
  PlaceError(PlaceProblem problem, const std::string& message)
      : Error(ErrorKind::state, message), problem_(problem) {}

  [[nodiscard]] PlaceProblem problem() const noexcept { return problem_; }

 private:
  PlaceProblem problem_;
};

}  // namespace tyto
