// SPDX-License-Identifier: Apache-2.0
// The data of a report page as a browser gets them: out of the HTML, base64, gzip, JSON. Written
// apart from what packs them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <zlib.h>

namespace tyto::testing_support {

inline std::string unpack_base64(std::string_view text) {
  static const std::string letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const auto value = letters.find(c);
    if (value == std::string::npos) {
      throw std::runtime_error("not base64");
    }
    buffer = (buffer << 6U | static_cast<unsigned>(value)) & 0xFFFFU;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(buffer >> bits & 0xFFU);
    }
  }
  return bytes;
}

inline std::string unpack_gzip(std::string_view packed) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK) {
    char block[65536];
    stream.next_out = reinterpret_cast<Bytef*>(block);
    stream.avail_out = sizeof block;
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(block, sizeof block - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) {
    throw std::runtime_error("not a whole gzip stream");
  }
  return out;
}

// The packed data in the text of a page.
inline std::string page_bytes(const std::string& html) {
  const std::string mark = R"(<script id="data" type="application/octet-stream">)";
  const auto begin = html.find(mark);
  const auto end = html.find("</script>", begin);
  if (begin == html.npos || end == html.npos) {
    throw std::runtime_error("not a report page");
  }
  return unpack_base64(
      std::string_view(html).substr(begin + mark.size(), end - begin - mark.size()));
}

inline nlohmann::json read_page(const std::string& html) {
  return nlohmann::json::parse(unpack_gzip(page_bytes(html)));
}

// The data of a section; null if the page has none of that kind.
inline nlohmann::json section_of(const nlohmann::json& page, std::string_view kind) {
  for (const auto& section : page.at("sections")) {
    if (section.at("kind") == kind) {
      return section.at("data");
    }
  }
  return nullptr;
}

}  // namespace tyto::testing_support
