// SPDX-License-Identifier: Apache-2.0
// OpenCV at our side of its door: its errors as sentences, its threads as many as ours.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "tyto/core/error.hpp"

namespace tyto {

void quiet_opencv();  // nothing to the terminal

void follow_thread_count();

// What went wrong, without place and function of OpenCV's source.
std::string opencv_reason(const std::exception& error);

// Calls; what OpenCV throws becomes Error(data): "FILE: what: reason".
template <class Call>
auto opencv_call(const std::string& file, const char* what, Call&& call) {
  try {
    follow_thread_count();
    return std::forward<Call>(call)();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::data, file + ": " + what + ": " + opencv_reason(error));
  }
}

}  // namespace tyto
