// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/raw_store.hpp"

#include <cmath>
#include <limits>

#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

std::string counting_floats(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<float>(i);
    out.append(reinterpret_cast<const char*>(&value), 4);
  }
  return out;
}

TEST(RawStore, reads_plain_and_packed_files_alike) {
  const TestFolder folder;
  write_file(folder / "f.bin", counting_floats(12));
  write_gz(folder / "f.bin.gz", counting_floats(12));
  for (const char* name : {"f.bin", "f.bin.gz"}) {
    const auto store = open_raw(folder / name, {4}, "pose");
    EXPECT_EQ(store->rows(), 3) << name;
    EXPECT_EQ(store->shape("pose"), std::vector<Index>{4}) << name;
    const std::vector<Index> rows{2};
    Matrix out(1, 4);
    store->gather("pose", rows, out);
    EXPECT_EQ(out, (Matrix(1, 4) << 8, 9, 10, 11).finished()) << name;
  }
  EXPECT_EQ(open_raw(folder / "f.bin", {3, 2})->rows(), 2);
}

TEST(RawStore, reads_bytes_plain_and_packed) {
  const TestFolder folder;
  const std::string bytes("\x00\x80\xff\x07", 4);
  write_file(folder / "f.bin", bytes);
  write_gz(folder / "f.bin.gz", bytes);
  for (const char* name : {"f.bin", "f.bin.gz"}) {
    const auto store = open_raw(folder / name, {2}, "rgb", {}, StoredAs::uint8);
    ASSERT_EQ(store->rows(), 2) << name;
    const std::vector<Index> rows{0, 1};
    Matrix out(2, 2);
    store->gather("rgb", rows, out);
    EXPECT_EQ(out, (Matrix(2, 2) << 0, 128, 255, 7).finished()) << name;
  }
  EXPECT_THAT(refusal([&] { open_raw(folder / "f.bin", {3}, "rgb", {}, StoredAs::uint8); }),
              testing::HasSubstr("rows of 3 uint8 values (3 bytes each)"));
}

// The value of a half by its definition: sign, 5 bits of exponent, 10 of fraction.
float half_by_definition(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10U & 31U);
  const auto fraction = static_cast<float>(bits & 1023U);
  float size = std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 0) {
    size = std::ldexp(fraction, -24);
  } else if (exponent == 31) {
    size = fraction == 0 ? std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  }
  return bits >> 15U == 1 ? -size : size;
}

TEST(RawStore, reads_every_half_exactly_plain_and_packed) {
  const TestFolder folder;
  std::string bytes;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    bytes += static_cast<char>(bits & 255U);
    bytes += static_cast<char>(bits >> 8U);
  }
  write_file(folder / "f.bin", bytes);
  write_gz(folder / "f.bin.gz", bytes);
  for (const char* name : {"f.bin", "f.bin.gz"}) {
    const auto store = open_raw(folder / name, {65536}, "x", {}, StoredAs::float16);
    ASSERT_EQ(store->rows(), 1) << name;
    const std::vector<Index> rows{0};
    Matrix out(1, 65536);
    store->gather("x", rows, out);
    for (unsigned bits = 0; bits < 65536; ++bits) {
      const float expected = half_by_definition(bits);
      const float seen = out(0, bits);
      ASSERT_TRUE(std::isnan(expected)
                      ? std::isnan(seen)
                      : seen == expected && std::signbit(seen) == std::signbit(expected))
          << name << ": " << bits << " is " << seen << ", not " << expected;
    }
  }
  EXPECT_THAT(refusal([&] { open_raw(folder / "f.bin", {3}, "x", {}, StoredAs::float16); }),
              testing::HasSubstr("rows of 3 float16 values (6 bytes each)"));
}

TEST(RawStore, has_another_digest_where_the_bytes_are_other_numbers) {
  const TestFolder folder;
  write_file(folder / "f.bin", counting_floats(12));
  const auto digest = [&](StoredAs type) {
    return open_raw(folder / "f.bin", {4}, "x", {}, type)->digest();
  };
  EXPECT_NE(digest(StoredAs::float16), digest(StoredAs::float32));
  EXPECT_NE(digest(StoredAs::float16), digest(StoredAs::uint8));
}

TEST(RawStore, names_size_and_width_of_a_file_that_is_no_whole_number_of_rows) {
  const TestFolder folder;
  write_file(folder / "f.bin", counting_floats(12));
  write_gz(folder / "f.bin.gz", counting_floats(12));
  for (const char* name : {"f.bin", "f.bin.gz"}) {  // 48 bytes, 5 values are 20 bytes
    EXPECT_THAT(refusal([&] { open_raw(folder / name, {5}); }),
                testing::HasSubstr(std::string(name) +
                                   ": 48 bytes of values are no whole number of rows of 5 float32 "
                                   "values (20 bytes each)"));
  }
}

TEST(RawStore, refuses_a_packed_file_that_was_cut_off) {
  const TestFolder folder;
  write_gz(folder / "f.bin.gz", counting_floats(1000));
  const std::string whole = read_file(folder / "f.bin.gz");
  write_file(folder / "f.bin.gz", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(refusal([&] { open_raw(folder / "f.bin.gz", {4}); }),
              testing::HasSubstr("f.bin.gz: not a whole gzip file"));
}

}  // namespace
}  // namespace tyto
