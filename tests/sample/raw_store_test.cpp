// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/raw_store.hpp"

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
