// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test, and the sentence of a refusal.
#pragma once

#include <string>

#include "support/scratch.hpp"
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {

using TestFolder = testing_support::Scratch;

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace tyto
