// SPDX-License-Identifier: Apache-2.0
// What a long call does once Ctrl-C was pressed, tried in a process of its own.
#pragma once

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/progress.hpp"

namespace tyto::testing_support {

// Ends the process: 0 if the call was cut short, 1 if it went on to its end.
template <class Call>
[[noreturn]] void exit_by_interrupt(const Call& call) {
  ::signal(SIGTERM, SIG_DFL);
  Progress::catch_interrupts();
  ::raise(SIGTERM);
  try {
    call();
  } catch (const Cancelled&) {
    std::_Exit(0);
  }
  std::_Exit(1);
}

template <class Call>
void expect_cut_short(const Call& call) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_by_interrupt(call), testing::ExitedWithCode(0), "");
}

}  // namespace tyto::testing_support
