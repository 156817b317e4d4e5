// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/npy_store.hpp"

#include <fstream>

#include "sample/store_helpers.hpp"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

// A file as NumPy writes it: the dictionary padded with blanks to a multiple of 64 bytes.
std::string npy_bytes(std::string dictionary, std::string_view values, char version = 1) {
  const std::size_t before = version == 1 ? 10 : 12;
  dictionary.append(63 - (before + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string out("\x93NUMPY");
  out += version;
  out += '\0';
  const auto length = static_cast<std::uint32_t>(dictionary.size());
  out.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return out + dictionary + std::string(values);
}

std::string float_bytes(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

Matrix random_rows(Index rows, Index cols, std::uint64_t seed) {
  Rng rng(seed);
  Matrix out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = static_cast<float>(rng.normal());
  }
  return out;
}

TEST(NpyStore, gathers_rows_in_the_order_asked_for) {
  const TestFolder folder;
  write_file(folder / "a.npy",
             npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }",
                       float_bytes({1, 2, 3, 4, 5, 6})));
  const auto store = open_npy(folder / "a.npy");
  EXPECT_EQ(store->rows(), 3);
  EXPECT_EQ(store->shape("features"), std::vector<Index>{2});
  EXPECT_EQ(store->sources(), std::vector<std::string>{"features"});
  const std::vector<Index> rows{2, 0, 2};
  Matrix out(3, 2);
  store->gather("features", rows, out);
  EXPECT_EQ(out, (Matrix(3, 2) << 5, 6, 1, 2, 5, 6).finished());
}

TEST(NpyStore, takes_one_dimension_as_one_value_per_row_and_more_as_a_shape) {
  const TestFolder folder;
  write_file(
      folder / "one.npy",
      npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", float_bytes({7, 8})));
  EXPECT_EQ(open_npy(folder / "one.npy")->shape("features"), std::vector<Index>{1});
  write_file(folder / "many.npy",
             npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 1, 2), }",
                       float_bytes(std::vector<float>(12, 1)), 2));
  const auto many = open_npy(folder / "many.npy", "rgb");
  EXPECT_EQ(many->rows(), 2);
  EXPECT_EQ(many->shape("rgb"), (std::vector<Index>{3, 1, 2}));
}

TEST(NpyStore, reads_half_precision) {
  const TestFolder folder;
  const std::string halves("\x00\x3c\x00\xc0\x01\x00\xff\x7b", 8);
  write_file(folder / "a.npy",
             npy_bytes("{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }", halves));
  const auto store = open_npy(folder / "a.npy");
  const std::vector<Index> rows{0, 1};
  Matrix out(2, 2);
  store->gather("features", rows, out);
  EXPECT_EQ(out, (Matrix(2, 2) << 1, -2, 0x1p-24F, 65504).finished());
}

TEST(NpyStore, reads_bytes_as_the_numbers_they_are) {
  const TestFolder folder;
  const std::string bytes("\x00\x01\x7f\x80\xfe\xff", 6);
  write_file(folder / "a.npy",
             npy_bytes("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 3), }", bytes));
  const auto store = open_npy(folder / "a.npy", "rgb");
  EXPECT_EQ(store->rows(), 2);
  EXPECT_EQ(store->shape("rgb"), (std::vector<Index>{1, 3}));
  const std::vector<Index> rows{1, 0};
  Matrix out(2, 3);
  store->gather("rgb", rows, out);
  EXPECT_EQ(out, (Matrix(2, 3) << 128, 254, 255, 0, 1, 127).finished());
  write_file(folder / "b.npy",
             npy_bytes("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4), }", bytes));
  EXPECT_THAT(refusal([&] { open_npy(folder / "b.npy"); }),
              HasSubstr("2 rows of 4 values need 136 bytes, the file has 134"));
}

TEST(NpyStore, reads_what_it_wrote_also_in_parallel) {
  const TestFolder folder;
  const Matrix values = random_rows(3000, 65, 1);  // more than one block of the parallel copy
  {
    NpyWriter writer(folder / "a.npy", 3000, {65});
    writer.append(values.topRows(1000));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.npy"));
    writer.append(values.bottomRows(2000));
    writer.finish();
  }
  const auto store = open_npy(folder / "a.npy");
  const std::vector<Index> rows = Rng(2).permutation(3000);
  Matrix out(3000, 65);
  store->gather("features", rows, out);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(out.row(static_cast<Index>(i)), values.row(rows[i])) << i;
  }
}

TEST(NpyStore, leaves_nothing_of_an_unfinished_file) {
  const TestFolder folder;
  {
    NpyWriter writer(folder / "a.npy", 2, {1});
    writer.append(Matrix::Zero(1, 1));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(NpyStore, refuses_a_bad_header_with_a_sentence) {
  const TestFolder folder;
  const auto path = folder / "a.npy";
  const auto sentence = [&](const std::string& bytes) {
    write_file(path, bytes);
    return refusal([&] { open_npy(path); });
  };
  const std::string eight(8, '\0');
  EXPECT_THAT(sentence("PK..not.numpy..."), HasSubstr("a.npy: not a .npy file"));
  EXPECT_THAT(sentence(""), HasSubstr("not a .npy file"));
  EXPECT_THAT(
      sentence(npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", eight)),
      HasSubstr("\"<f8\", but float32 (\"<f4\"), float16 (\"<f2\") or uint8 (\"|u1\") is needed; "
                "in NumPy: np.save(path, np.load(path).astype('<f4'))"));
  EXPECT_THAT(
      sentence(npy_bytes("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 1), }", eight)),
      HasSubstr("\"<i4\""));
  EXPECT_THAT(
      sentence(npy_bytes("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1), }", eight)),
      HasSubstr("ascontiguousarray"));
  EXPECT_THAT(
      sentence(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1), }", eight)),
      testing::AllOf(HasSubstr("3 rows of 1 values need 140 bytes"), HasSubstr("has 136")));
  EXPECT_THAT(
      sentence(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "1234")),
      HasSubstr("shape ()"));
  EXPECT_THAT(sentence(npy_bytes("{'descr': '<f4', 'shape': (2, 1), }", eight)),
              HasSubstr("no readable \"fortran_order\""));
  EXPECT_THAT(
      sentence(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 1), }", eight)),
      HasSubstr("no readable \"shape\""));
  EXPECT_THAT(
      sentence(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", eight, 9)),
      HasSubstr("version 9"));
  EXPECT_THAT(sentence(std::string("\x93NUMPY\x01\x00\xff\x00{'descr", 16)),
              HasSubstr("the .npy header says 255 bytes"));
}

TEST(NpyStore, refuses_a_missing_file_an_unknown_source_and_a_row_out_of_range) {
  const TestFolder folder;
  EXPECT_THAT(refusal([&] { open_npy(folder / "none.npy"); }), HasSubstr("none.npy: cannot open"));
  write_npy(folder / "a.npy", Matrix::Zero(2, 3));
  const auto store = open_npy(folder / "a.npy");
  EXPECT_THAT(refusal([&] { (void)store->shape("logits"); }),
              HasSubstr("no source \"logits\"; there are: features"));
  const std::vector<Index> rows{0, 2};
  Matrix out(2, 3);
  EXPECT_THAT(refusal([&] { store->gather("features", rows, out); }),
              HasSubstr("row 2 was asked for, but the store has 2 rows"));
  EXPECT_THAT(refusal([&] {
                open_npy(folder / "a.npy", "features", {"x", "y"});
              }),
              HasSubstr("2 column names for rows of 3 values"));
}

TEST(NpyStore, has_a_digest_of_its_content_wherever_it_lies) {
  const TestFolder folder;
  const Matrix values = random_rows(50, 4, 3);
  write_npy(folder / "a.npy", values);
  write_npy(folder / "b.npy", values);
  Matrix other = values;
  other(49, 3) += 1;
  write_npy(folder / "c.npy", other);
  EXPECT_EQ(open_npy(folder / "a.npy")->digest(), open_npy(folder / "b.npy")->digest());
  EXPECT_NE(open_npy(folder / "a.npy")->digest(), open_npy(folder / "c.npy")->digest());
  EXPECT_NE(open_npy(folder / "a.npy")->digest(), open_npy(folder / "a.npy", "pose")->digest());
}

TEST(NpyStore, sees_a_change_at_either_end_of_a_big_file) {
  const TestFolder folder;
  Matrix values = Matrix::Zero(3000, 100);  // 1.2 MB: sampled
  write_npy(folder / "a.npy", values);
  const std::string before = open_npy(folder / "a.npy")->digest();
  values(0, 0) = 1;
  write_npy(folder / "a.npy", values);
  EXPECT_NE(open_npy(folder / "a.npy")->digest(), before);
  values(0, 0) = 0;
  values(2999, 99) = 1;
  write_npy(folder / "a.npy", values);
  EXPECT_NE(open_npy(folder / "a.npy")->digest(), before);
  write_npy(folder / "a.npy", values.topRows(2999));
  EXPECT_NE(open_npy(folder / "a.npy")->digest(), before);
}

long anonymous_kb() {  // mapped pages belong to the kernel; only RssAnon is ours
  std::ifstream status("/proc/self/status");
  std::string word;
  long value = 0;
  while (status >> word) {
    if (word == "RssAnon:" && status >> value) {
      return value;
    }
  }
  return -1;
}

TEST(NpyStore, uses_a_two_gigabyte_file_without_loading_it) {
  const TestFolder folder;
  const auto path = folder / "big.npy";
  const std::string head =
      npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (700000, 768), }", "");
  write_file(path, head);
  std::filesystem::resize_file(path, head.size() + 700000ULL * 768 * 4);  // a hole: no disk used
  {
    std::fstream last(path, std::ios::in | std::ios::out | std::ios::binary);
    const float mark = 42;
    last.seekp(-4, std::ios::end);
    last.write(reinterpret_cast<const char*>(&mark), 4);
  }
  const long before = anonymous_kb();
  ASSERT_GT(before, 0);
  const auto store = open_npy(path);
  EXPECT_EQ(store->rows(), 700000);
  EXPECT_EQ(store->digest().size(), 16U);
  Rng rng(4);
  Matrix out(1000, 768);
  std::vector<Index> rows(1000);
  for (int batch = 0; batch < 4; ++batch) {
    for (std::size_t i = 0; i < rows.size(); ++i) {  // runs of 50 rows, anywhere
      rows[i] = i % 50 == 0 ? rng.below(699900) : rows[i - 1] + 1;
    }
    rows.back() = 699999;
    store->gather("features", rows, out);
    EXPECT_EQ(out(999, 767), 42);
  }
  EXPECT_LT(anonymous_kb() - before, 50 * 1024);
}

}  // namespace
}  // namespace tyto
