// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/parameters.hpp"

#include <gtest/gtest.h>

namespace tyto {
namespace {

State toy_model() {
  State state;
  state.set("names", std::vector<std::string>{"a", "b"});
  state.set("means", Matrix(Matrix::Zero(2, 3)));
  state.make_child("classifier").set("weights", Dense<double>(Dense<double>::Ones(1, 4)));
  state.make_child("classifier").set("codes", Dense<std::int32_t>(Dense<std::int32_t>::Ones(5, 5)));
  state.make_child("memory").set("rows", Matrix(Matrix::Ones(100, 3)));
  return state;
}

TEST(Parameters, are_the_real_numbers_beside_the_memory) {
  ParameterRows parameters;
  const ParameterCount first = parameters.update(toy_model(), "memory");
  EXPECT_EQ(first.all, 2 * 3 + 4);
  EXPECT_EQ(first.changed, 10) << "all are new";
  EXPECT_EQ(parameters.update(toy_model(), "memory").changed, 0);
}

TEST(Parameters, change_by_rows_and_may_grow) {
  ParameterRows parameters;
  State state = toy_model();
  parameters.update(state, "memory");
  Matrix means = Matrix::Zero(3, 3);  // one row more, and another value in the second
  means(1, 2) = 1;
  state.set("means", means);
  const ParameterCount next = parameters.update(state, "memory");
  EXPECT_EQ(next.all, 9 + 4);
  EXPECT_EQ(next.changed, 3 + 3);
  state.set("means", Matrix(Matrix::Zero(3, 4)));  // wider: every row is another
  EXPECT_EQ(parameters.update(state, "memory").changed, 12);
}

TEST(Parameters, are_compared_with_the_same_after_save_and_load) {
  ParameterRows parameters;
  parameters.update(toy_model(), "memory");
  State saved;
  parameters.save(saved);
  ParameterRows again;
  again.load(saved);
  EXPECT_EQ(again.update(toy_model(), "memory").changed, 0);
}

}  // namespace
}  // namespace tyto
