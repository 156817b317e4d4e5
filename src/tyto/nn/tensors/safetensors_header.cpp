// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/printable.hpp"

namespace tyto {

namespace {

constexpr std::array<std::pair<std::string_view, ElementType>, 13> kSafetensorsTypes{{
    {"BOOL", ElementType::boolean},
    {"U8", ElementType::uint8},
    {"I8", ElementType::int8},
    {"I16", ElementType::int16},
    {"U16", ElementType::uint16},
    {"F16", ElementType::float16},
    {"BF16", ElementType::bfloat16},
    {"I32", ElementType::int32},
    {"U32", ElementType::uint32},
    {"F32", ElementType::float32},
    {"I64", ElementType::int64},
    {"U64", ElementType::uint64},
    {"F64", ElementType::float64},
}};

constexpr std::string_view kMetadataKey = "__metadata__";

// Every value must be the one that can stand where it stands; the first that is not ends the
// reading, with `problem_` saying why.
class HeaderEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  [[nodiscard]] const std::string& problem() const { return problem_; }

  [[nodiscard]] SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside) {
      place_ = Place::top;
      return true;
    }
    if (place_ != Place::top) {
      return fail("an object");
    }
    parts_.clear();
    if (key_ == kMetadataKey) {
      place_ = Place::metadata;
    } else {
      place_ = Place::tensor;
      header_.entries.push_back({.name = key_, .shape = {}});
    }
    return true;
  }

  bool key(string_t& key) override {
    const bool is_new =
        place_ == Place::top ? names_.insert(key).second : parts_.insert(key).second;
    if (!is_new) {
      problem_ = fmt::format("the key \"{}\" is a duplicate", printable(key));
      return false;
    }
    if (place_ == Place::tensor && key != "dtype" && key != "shape" && key != "data_offsets") {
      problem_ = fmt::format(
          "the tensor {} has the key \"{}\"; those of a tensor are dtype, shape "
          "and data_offsets",
          printable(key_), printable(key));
      return false;
    }
    (place_ == Place::top ? key_ : part_) = key;
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor && parts_.size() != 3) {
      problem_ =
          fmt::format("the tensor {} lacks one of dtype, shape and data_offsets", printable(key_));
      return false;
    }
    if (place_ == Place::top) {
      place_ = Place::outside;
    } else {
      place_ = Place::top;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::tensor || part_ == "dtype") {
      return fail("a list");
    }
    place_ = Place::numbers;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    place_ = Place::tensor;
    SafetensorsEntry& entry = header_.entries.back();
    if (part_ == "shape") {
      entry.shape = numbers_;
      return true;
    }
    if (numbers_.size() != 2 || numbers_[0] > numbers_[1]) {
      problem_ =
          fmt::format("the data_offsets of {} are not a begin and an end", printable(entry.name));
      return false;
    }
    entry.begin = static_cast<std::uint64_t>(numbers_[0]);
    entry.end = static_cast<std::uint64_t>(numbers_[1]);
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::metadata) {
      header_.metadata.emplace(part_, text);
      return true;
    }
    if (place_ != Place::tensor || part_ != "dtype") {
      return fail("a text");
    }
    const auto* const type = std::find_if(kSafetensorsTypes.begin(), kSafetensorsTypes.end(),
                                          [&text](const auto& pair) { return pair.first == text; });
    if (type == kSafetensorsTypes.end()) {
      problem_ = fmt::format("the tensor {} is of type {}, which is not read", printable(key_),
                             printable(text));
      return false;
    }
    header_.entries.back().type = type->second;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::numbers) {
      return fail("a number");
    }
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<Index>::max())) {
      problem_ = fmt::format("the tensor {} has the {} {}, an overflow of 64 bits", printable(key_),
                             part_, value);
      return false;
    }
    numbers_.push_back(static_cast<Index>(value));
    return true;
  }

  bool null() override { return fail("null"); }

  bool boolean(bool) override { return fail("a boolean"); }

  bool number_integer(number_integer_t) override { return fail("a negative number"); }

  bool number_float(number_float_t, const string_t&) override {
    return fail("a number that is not whole");
  }

  bool binary(binary_t&) override { return fail("bytes"); }

  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception&) override {
    problem_ = fmt::format("the header is no JSON at its byte {}", at);
    return false;
  }

 private:
  enum class Place { outside, top, metadata, tensor, numbers };

  bool fail(std::string_view what) {
    problem_ = fmt::format("the header has {} where it should not be, under \"{}\"", what,
                           printable(key_));
    return false;
  }

  Place place_ = Place::outside;
  std::string key_, part_;  // the last at the top, and the last within it
  std::set<std::string> names_, parts_;
  std::vector<Index> numbers_;
  std::string problem_;
  SafetensorsHeader header_;
};

}  // namespace

SafetensorsHeader read_safetensors_header(std::string_view json, std::string_view name) {
  HeaderEvents events;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &events)) {
    throw Error(ErrorKind::data, fmt::format("{}: {}", name, events.problem()));
  }
  return events.take();
}

std::string_view safetensors_name(ElementType type) {
  for (const auto& [name, stored] : kSafetensorsTypes) {
    if (stored == type) {
      return name;
    }
  }
  TYTO_ASSERT(false);
  return "";
}

}  // namespace tyto
