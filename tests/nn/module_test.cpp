// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/module.hpp"

#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

TEST(NnModule, a_missing_file_is_named) {
  try {
    open_nn_module("no/such/libtyto_nn.so");
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_THAT(error.what(), testing::HasSubstr("no/such/libtyto_nn.so"));
  }
}

TEST(NnModule, a_file_that_is_no_library_is_named) {
  try {
    open_nn_module(testing_support::in_tree("/CMakeLists.txt"));
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_THAT(error.what(), testing::HasSubstr("CMakeLists.txt"));
  }
}

TEST(NnModule, lies_beside_the_library_and_is_opened_once) {
  const NnModule& module = nn_module();
  EXPECT_EQ(&module, &nn_module());
  EXPECT_FALSE(module.torch_version().empty());
}

}  // namespace

}  // namespace tyto
