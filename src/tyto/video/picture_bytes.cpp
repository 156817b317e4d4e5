// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/picture_bytes.hpp"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr std::string_view kPngMark("\x89PNG\r\n\x1a\n", 8);
constexpr std::string_view kJpegMark("\xff\xd8\xff", 3);
constexpr Index kMostPixels = Index{1} << 27;

std::uint32_t big_endian(std::string_view bytes, std::size_t begin, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[begin + i]);
  }
  return value;
}

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1U) != 0 ? 0xEDB88320U ^ (value >> 1) : value >> 1;
    }
    table[i] = value;
  }
  return table;
}

std::uint32_t crc(std::string_view bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t value = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    value = kTable[(value ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (value >> 8);
  }
  return ~value;
}

Error broken(const std::string& file, const std::string& why) {
  return {ErrorKind::data, fmt::format("{}: {}", file, why)};
}

PictureOutline png_outline(std::string_view bytes, const std::string& file) {
  PictureOutline outline;
  std::size_t begin = kPngMark.size();
  while (true) {
    if (begin + 12 > bytes.size() || big_endian(bytes, begin, 4) > bytes.size() - begin - 12) {
      throw broken(file, fmt::format("the PNG picture is cut off after {} bytes", bytes.size()));
    }
    const std::size_t length = big_endian(bytes, begin, 4);
    const std::string_view kind = bytes.substr(begin + 4, 4);
    if (crc(bytes.substr(begin + 4, length + 4)) != big_endian(bytes, begin + 8 + length, 4)) {
      throw broken(file, fmt::format("part {} of the PNG picture, at byte {}, is damaged",
                                     fmt::join(kind, ""), begin));
    }
    if (begin == kPngMark.size()) {
      if (kind != "IHDR" || length != 13) {
        throw broken(file, "the PNG picture does not begin with its size");
      }
      outline.width = big_endian(bytes, begin + 8, 4);
      outline.height = big_endian(bytes, begin + 12, 4);
    }
    if (kind == "IEND") {
      return outline;
    }
    begin += length + 12;
  }
}

// Markers that begin a frame carry its size: all of C0 to CF but tables (C4, C8, CC).
bool begins_frame(unsigned marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

PictureOutline jpeg_outline(std::string_view bytes, const std::string& file) {
  PictureOutline outline{.kind = PictureKind::jpeg};
  const auto cut_off = [&] {
    return broken(file, fmt::format("the JPEG picture is cut off after {} bytes", bytes.size()));
  };
  std::size_t begin = 2;
  while (true) {
    if (begin + 4 > bytes.size()) {
      throw cut_off();
    }
    if (bytes[begin] != '\xff') {
      throw broken(file, fmt::format("the JPEG picture is damaged at byte {}", begin));
    }
    const unsigned marker = static_cast<unsigned char>(bytes[begin + 1]);
    if (marker == 0xFF || marker == 0x01 || (marker >= 0xD0 && marker <= 0xD7)) {
      begin += marker == 0xFF ? 1 : 2;  // filling, or a marker without content
      continue;
    }
    const std::size_t length = big_endian(bytes, begin + 2, 2);
    if (begins_frame(marker) && begin + 9 <= bytes.size()) {
      outline.height = big_endian(bytes, begin + 5, 2);
      outline.width = big_endian(bytes, begin + 7, 2);
    }
    begin += 2 + length;
    if (marker == 0xDA) {  // the pixels, in which the mark of the end cannot stand
      if (bytes.find("\xff\xd9", begin) == bytes.npos) {
        throw cut_off();
      }
      return outline;
    }
  }
}

}  // namespace

PictureOutline picture_outline(std::string_view bytes, const std::string& file) {
  if (bytes.empty()) {
    throw broken(file, "the file is empty");
  }
  const bool png = bytes.starts_with(kPngMark);
  if (!png && !bytes.starts_with(kJpegMark)) {
    throw broken(file, "it is neither a PNG nor a JPEG picture");
  }
  const PictureOutline outline = png ? png_outline(bytes, file) : jpeg_outline(bytes, file);
  if (outline.width < 1 || outline.height < 1) {
    throw broken(file,
                 fmt::format("a picture of {} x {} holds nothing", outline.width, outline.height));
  }
  if (outline.width > kMostPixels / outline.height) {
    throw broken(file, fmt::format("a picture of {} x {} has more than {} pixels", outline.width,
                                   outline.height, kMostPixels));
  }
  return outline;
}

}  // namespace tyto
