// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/archive.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

State example() {
  State state;
  state.set("count", std::int64_t{-3});
  state.set("rate", 0.1);
  state.set("limit", std::numeric_limits<double>::infinity());
  state.set("name", std::string("a\n\"b\" \xC3\xA9"));
  state.set("rows", std::vector<std::int64_t>{1, 2, 1LL << 40});
  state.set("names", std::vector<std::string>{"x", "", "y z"});
  State& inner = state.make_child("inner");
  inner.set("weights", Matrix(Matrix::Random(3, 5)));
  inner.set("empty", Matrix(0, 7));
  inner.set("sums", Dense<double>(Dense<double>::Random(2, 2)));
  inner.set("top", Dense<std::int32_t>(Dense<std::int32_t>::Constant(2, 3, -7)));
  inner.set("bytes", Dense<std::uint8_t>(Dense<std::uint8_t>::Constant(4, 1, 200)));
  return state;
}

TEST(Archive, gives_back_every_kind_of_value) {
  const State before = example();
  const State after = from_archive(to_archive(before), "test");
  EXPECT_EQ(after.values, before.values);
  EXPECT_EQ(after.child("inner").get<Matrix>("weights"),
            before.child("inner").get<Matrix>("weights"));
  EXPECT_EQ(after.child("inner").get<Matrix>("empty").cols(), 7);
  EXPECT_EQ(to_archive(after), to_archive(before));
}

TEST(Archive, says_so_when_a_byte_has_changed_or_is_missing) {
  const std::string whole = to_archive(example());
  for (const std::size_t cut :
       {std::size_t{0}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_THROW(from_archive(whole.substr(0, cut), "cut"), Error) << cut;
  }
  std::string damaged = whole;
  damaged[whole.find("NUMPY") + 140] ^= 1;  // inside the first array
  EXPECT_THROW(from_archive(damaged, "damaged"), Error);
}

TEST(Archive, refuses_another_version) {
  std::string bytes = to_archive(State());
  const auto at = bytes.find("\"tyto_state\": 1");
  ASSERT_NE(at, bytes.npos);
  // The checksum guards the version too, so a changed byte is at least called damaged.
  bytes[at + 14] = '9';
  EXPECT_THROW(from_archive(bytes, "other"), Error);
}

}  // namespace
}  // namespace tyto
