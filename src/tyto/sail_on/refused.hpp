// SPDX-License-Identifier: Apache-2.0
// What an evaluation answers instead of a result: a reason from the public catalogue, which
// programs read, and a sentence for people.
#pragma once

#include <string>

#include "tyto/core/error.hpp"

namespace tyto::sail_on {

class Refused : public Error {
 public:
  // `status` as on the wire: 400 where the caller is at fault, 500 where the evaluation is.
  Refused(int status, std::string reason, const std::string& message)
      : Error(ErrorKind::data, message), status_(status), reason_(std::move(reason)) {}

  [[nodiscard]] int status() const { return status_; }

  [[nodiscard]] const std::string& reason() const { return reason_; }  // "TestCompleted"

 private:
  int status_;
  std::string reason_;
};

}  // namespace tyto::sail_on
