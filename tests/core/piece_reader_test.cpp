// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/piece_reader.hpp"

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing_support::Scratch;

std::string read_in_pieces(const std::filesystem::path& path, std::size_t piece) {
  PieceReader reader(path);
  std::string all;
  std::string some(piece, '\0');
  for (std::size_t got = reader.read(some.data(), piece); got > 0;
       got = reader.read(some.data(), piece)) {
    all.append(some, 0, got);
  }
  EXPECT_EQ(reader.read(some.data(), piece), 0U);  // and stays at the end
  return all;
}

TEST(PieceReader, gives_the_bytes_of_a_file_packed_or_not_in_pieces_of_any_size) {
  const Scratch scratch;
  std::string text;
  for (int i = 0; i < 50000; ++i) {
    text += std::to_string(i * 7919 % 1000) + ",";
  }
  write_file(scratch / "plain.csv", text);
  write_gz(scratch / "packed.csv.gz", text);
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 20}) {
    EXPECT_EQ(read_in_pieces(scratch / "plain.csv", piece), text);
    EXPECT_EQ(read_in_pieces(scratch / "packed.csv.gz", piece), text);
  }
  write_file(scratch / "empty.csv", "");
  EXPECT_EQ(read_in_pieces(scratch / "empty.csv", 10), "");
}

TEST(PieceReader, says_which_file_is_missing_cut_short_or_damaged) {
  const Scratch scratch;
  const auto complaint = [](const std::filesystem::path& path) -> std::string {
    try {
      (void)read_in_pieces(path, 100);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(complaint(scratch / "none.csv"), testing::HasSubstr("none.csv: cannot be opened"));
  std::string packed = gzip(std::string(5000, 'x') + "tail");
  write_file(scratch / "cut.gz", packed.substr(0, packed.size() - 9));
  EXPECT_THAT(complaint(scratch / "cut.gz"),
              testing::HasSubstr("cut.gz: cannot be unpacked: it ends too soon"));
  packed[packed.size() - 6] ^= 1;  // of the checksum
  write_file(scratch / "bad.gz", packed);
  EXPECT_THAT(complaint(scratch / "bad.gz"), testing::HasSubstr("bad.gz: cannot be unpacked"));
}

}  // namespace
}  // namespace tyto
