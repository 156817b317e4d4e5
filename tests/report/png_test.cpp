// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/pictures/png.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

namespace tyto {
namespace {

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = (value << 8) | static_cast<std::uint8_t>(bytes[at + i]);
  }
  return value;
}

struct ReadPng {
  std::vector<std::string> kinds;
  std::uint32_t width = 0, height = 0;
  char colour = -1;   // 0: grey, 2: red, green, blue
  std::string lines;  // unpacked
};

// By the specification: signature, then length, kind, content and checksum of each chunk.
ReadPng read_png(const std::string& bytes) {
  ReadPng out;
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  for (std::size_t at = 8; at < bytes.size();) {
    const std::uint32_t size = number_at(bytes, at);
    const std::string checked = bytes.substr(at + 4, size + 4);
    EXPECT_EQ(number_at(bytes, at + 8 + size),
              crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                    static_cast<uInt>(checked.size())));
    out.kinds.push_back(checked.substr(0, 4));
    if (out.kinds.back() == "IHDR") {
      out.width = number_at(checked, 4);
      out.height = number_at(checked, 8);
      EXPECT_EQ(checked.substr(12, 1), "\x08");
      EXPECT_EQ(checked.substr(14), std::string("\0\0\0", 3));
      out.colour = checked[13];
    } else if (out.kinds.back() == "IDAT") {
      uLongf room = 10'000;
      out.lines.resize(room);
      EXPECT_EQ(
          uncompress(reinterpret_cast<Bytef*>(out.lines.data()), &room,
                     reinterpret_cast<const Bytef*>(checked.data() + 4), static_cast<uLong>(size)),
          Z_OK);
      out.lines.resize(room);
    }
    at += 12 + size;
  }
  return out;
}

TEST(GreyPng, holds_each_line_behind_a_zero) {
  const std::vector<std::uint8_t> pixels{0, 128, 255, 1, 2, 3};
  const ReadPng read = read_png(grey_png(pixels, 3, 2));
  EXPECT_EQ(read.kinds, (std::vector<std::string>{"IHDR", "IDAT", "IEND"}));
  EXPECT_EQ(read.width, 3u);
  EXPECT_EQ(read.height, 2u);
  EXPECT_EQ(read.colour, 0);
  EXPECT_EQ(read.lines, std::string("\0\0\x80\xff\0\1\2\3", 8));
}

TEST(GreyPng, shows_pixels_several_times_when_zoomed) {
  const std::vector<std::uint8_t> pixels{7, 9};
  const ReadPng read = read_png(grey_png(pixels, 2, 1, 2));
  EXPECT_EQ(read.width, 4u);
  EXPECT_EQ(read.height, 2u);
  EXPECT_EQ(read.lines, std::string("\0\7\7\11\11\0\7\7\11\11", 10));
}

TEST(ColourPng, holds_red_green_and_blue_of_each_pixel) {
  const std::vector<std::uint8_t> pixels{255, 0, 1, 2, 3, 4};
  const ReadPng read = read_png(colour_png(pixels, 1, 2, 2));
  EXPECT_EQ(read.width, 2u);
  EXPECT_EQ(read.height, 4u);
  EXPECT_EQ(read.colour, 2);
  const std::string first("\0\xff\0\1\xff\0\1", 7);
  const std::string second("\0\2\3\4\2\3\4", 7);
  EXPECT_EQ(read.lines, first + first + second + second);
}

}  // namespace
}  // namespace tyto
