// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/zip_file.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace tyto {

namespace {

constexpr std::array<std::uint32_t, 256> kSumTable = [] {
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1U) != 0 ? 0xEDB88320U ^ (value >> 1U) : value >> 1U;
    }
    out[i] = value;
  }
  return out;
}();

std::uint32_t check_sum(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFFU;
  for (const char c : bytes) {
    sum = kSumTable[(sum ^ static_cast<unsigned char>(c)) & 0xFFU] ^ (sum >> 8U);
  }
  return ~sum;
}

void put(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>(value >> (8U * static_cast<unsigned>(i)));
  }
}

// What the head of a file and its line in the list of all have in common.
void put_entry(std::string& out, std::string_view name, std::string_view content) {
  put(out, 10, 2);          // version that can read it
  put(out, 0x0800, 2);      // names are UTF-8
  put(out, 0, 2);           // stored as it is
  put(out, 0x00210000, 4);  // 1 January 1980: no times inside
  put(out, check_sum(content), 4);
  put(out, static_cast<std::uint32_t>(content.size()), 4);
  put(out, static_cast<std::uint32_t>(content.size()), 4);
  put(out, static_cast<std::uint32_t>(name.size()), 2);
  put(out, 0, 2);
}

}  // namespace

std::string zip_file(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string out, list;
  for (const auto& [name, content] : files) {
    const auto offset = static_cast<std::uint32_t>(out.size());
    put(out, 0x04034B50, 4);
    put_entry(out, name, content);
    out += name;
    out += content;
    put(list, 0x02014B50, 4);
    put(list, 10, 2);
    put_entry(list, name, content);
    put(list, 0, 2);  // no comment, one disk, no attributes
    put(list, 0, 4);
    put(list, 0, 4);
    put(list, offset, 4);
    list += name;
  }
  const auto begin = static_cast<std::uint32_t>(out.size());
  out += list;
  put(out, 0x06054B50, 4);
  put(out, 0, 4);
  put(out, static_cast<std::uint32_t>(files.size()), 2);
  put(out, static_cast<std::uint32_t>(files.size()), 2);
  put(out, static_cast<std::uint32_t>(list.size()), 4);
  put(out, begin, 4);
  put(out, 0, 2);
  return out;
}

}  // namespace tyto
