// SPDX-License-Identifier: Apache-2.0
#include "tyto/client/round_ids.hpp"

#include <cstdint>

#include "tyto/core/error.hpp"

namespace tyto::client {

namespace {

void append_utf8(std::string& out, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto rest = [&](int shift) { put(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    rest(0);
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    rest(6);
    rest(0);
  } else {
    put(0xF0 | point >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

// The text after the mark. Half a pair becomes U+FFFD.
std::string utf8_of_utf16(std::string_view bytes, bool little_endian) {
  if (bytes.size() % 2 != 0) {
    throw Error(ErrorKind::data, "the round's UTF-16 text ends within a character");
  }
  const auto unit = [&](std::size_t i) {
    const auto low = static_cast<unsigned char>(bytes[little_endian ? i : i + 1]);
    const auto high = static_cast<unsigned char>(bytes[little_endian ? i + 1 : i]);
    return static_cast<std::uint32_t>(high << 8 | low);
  };
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const std::uint32_t first = unit(i);
    const std::uint32_t second = i + 2 < bytes.size() ? unit(i + 2) : 0;
    if (first >> 10 == 0x36 && second >> 10 == 0x37) {
      append_utf8(out, 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF));
      i += 2;
    } else {
      append_utf8(out, first >> 11 == 0x1B ? 0xFFFD : first);
    }
  }
  return out;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end != 0) {
      lines.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

// Of rows whose texts stand between bars, where commas and line ends mean nothing; a bar inside is
// doubled.
std::vector<std::string> first_fields(std::string_view text) {
  std::vector<std::string> fields;
  std::string field;
  bool quoted = false, in_first = true;
  const auto end_row = [&] {
    if (!field.empty()) {
      fields.push_back(field);
    }
    field.clear();
    in_first = true;
  };
  for (const char c : text) {
    if (c == '|') {
      quoted = !quoted;
    } else if (!quoted && c == '\n') {
      end_row();
    } else if (!quoted && c == ',') {
      in_first = false;
    } else if (in_first && c != '\r') {
      field += c;
    }
  }
  end_row();
  return fields;
}

}  // namespace

std::vector<std::string> round_ids(std::string_view body) {
  if (body.starts_with("\xFF\xFE") || body.starts_with("\xFE\xFF")) {
    return first_fields(utf8_of_utf16(body.substr(2), body.front() == '\xFF'));
  }
  return lines_of(body);
}

}  // namespace tyto::client
