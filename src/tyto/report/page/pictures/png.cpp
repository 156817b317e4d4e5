// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/pictures/png.hpp"

#include <string_view>

#include <zlib.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

void append_number(std::string& out, std::uint32_t value) {  // big-endian
  for (const int shift : {24, 16, 8, 0}) {
    out += static_cast<char>((value >> shift) & 0xFF);
  }
}

const Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

void append_chunk(std::string& out, std::string_view kind, std::string_view content) {
  append_number(out, static_cast<std::uint32_t>(content.size()));
  const std::string checked = std::string(kind) + std::string(content);
  out += checked;
  append_number(out, static_cast<std::uint32_t>(
                         crc32(0, bytes_of(checked), static_cast<uInt>(checked.size()))));
}

std::string png_of(std::span<const std::uint8_t> pixels, Index width, Index height, Index channels,
                   Index zoom) {
  TYTO_ASSERT(width > 0 && height > 0 && zoom > 0 &&
              static_cast<Index>(pixels.size()) == width * height * channels);
  std::string lines;
  for (Index y = 0; y < height * zoom; ++y) {
    lines += '\0';  // no filter
    for (Index x = 0; x < width * zoom; ++x) {
      const Index at = (y / zoom * width + x / zoom) * channels;
      for (Index c = 0; c < channels; ++c) {
        lines += static_cast<char>(pixels[static_cast<std::size_t>(at + c)]);
      }
    }
  }
  uLongf size = compressBound(static_cast<uLong>(lines.size()));
  std::string packed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size, bytes_of(lines),
                               static_cast<uLong>(lines.size()), 9);
  TYTO_ASSERT(status == Z_OK);
  packed.resize(size);

  std::string header;
  append_number(header, static_cast<std::uint32_t>(width * zoom));
  append_number(header, static_cast<std::uint32_t>(height * zoom));
  header += '\x08';                         // bits
  header += channels == 3 ? '\2' : '\0';    // colours or grey
  header += std::string_view("\0\0\0", 3);  // standard methods, not interlaced

  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(out, "IHDR", header);
  append_chunk(out, "IDAT", packed);
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace

std::string grey_png(std::span<const std::uint8_t> pixels, Index width, Index height, Index zoom) {
  return png_of(pixels, width, height, 1, zoom);
}

std::string colour_png(std::span<const std::uint8_t> pixels, Index width, Index height,
                       Index zoom) {
  return png_of(pixels, width, height, 3, zoom);
}

}  // namespace tyto
