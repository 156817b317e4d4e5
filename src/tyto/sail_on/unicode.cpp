// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/unicode.hpp"

namespace tyto::sail_on {

namespace {

constexpr std::uint32_t kBrokenCodePoint = 0xFFFD;

void append_code_point(std::string& out, std::uint32_t point) {  // as UTF-8
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((point >> shift) & 0x3FU));
  };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | (point >> 6U));
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0U | (point >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    const int more = lead < 0x80 ? 0 : lead < 0xC2 ? -1 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    if (more < 0 || lead > 0xF4) {
      out += static_cast<char32_t>(kBrokenCodePoint);
      continue;
    }
    std::uint32_t point = more == 0 ? lead : lead & (0x3FU >> static_cast<unsigned>(more));
    bool whole = true;
    for (int i = 0; i < more && whole; ++i) {
      whole = at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
      if (whole) {
        point = (point << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3FU);
      }
    }
    out += static_cast<char32_t>(whole && point < 0x110000 ? point : kBrokenCodePoint);
  }
  return out;
}

std::string utf8_of_utf16(std::string_view bytes) {
  bool big = false;
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    big = bytes.front() == '\xFE';
    bytes.remove_prefix(2);
  }
  const auto unit = [&](std::size_t i) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[2 * i]);
    const auto second = static_cast<unsigned char>(bytes[2 * i + 1]);
    return big ? first * 256U + second : second * 256U + first;
  };
  std::string out;
  const std::size_t units = bytes.size() / 2;
  for (std::size_t i = 0; i < units; ++i) {
    std::uint32_t point = unit(i);
    if (point >= 0xD800 && point < 0xE000) {
      const std::uint32_t low = point < 0xDC00 && i + 1 < units ? unit(i + 1) : 0;
      const bool pair = low >= 0xDC00 && low < 0xE000;
      i += pair ? 1 : 0;
      point = pair ? 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00) : kBrokenCodePoint;
    }
    append_code_point(out, point);
  }
  return out;
}

std::string utf16_of_utf8(std::string_view text) {
  std::string out = "\xFF\xFE";
  const auto put = [&](std::uint32_t unit) {
    out += static_cast<char>(unit & 0xFFU);
    out += static_cast<char>(unit >> 8U);
  };
  for (const std::uint32_t point : code_points(text)) {
    if (point < 0x10000) {
      put(point);
    } else {
      put(0xD800 + ((point - 0x10000) >> 10U));
      put(0xDC00 + ((point - 0x10000) & 0x3FFU));
    }
  }
  return out;
}

}  // namespace tyto::sail_on
