// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/test_metadata.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/sail_on/refused.hpp"

namespace tyto::sail_on {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kRedLight = "red_light";
constexpr std::array<std::string_view, 8> kApproved{"protocol",
                                                    "known_classes",
                                                    "max_novel_classes",
                                                    "round_size",
                                                    "feedback_max_ids",
                                                    "pre_novelty_batches",
                                                    "pre_novelty_training",
                                                    "max_detection_feedback_ids"};

bool is_approved(std::string_view key, bool red_light) {
  return (red_light && key == kRedLight) ||
         std::find(kApproved.begin(), kApproved.end(), key) != kApproved.end();
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t+");
  text = begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(value)
             : std::nullopt;
}

void apply_hint(Json& metadata, std::string_view hint, bool red_light) {
  const auto equals = hint.find('=');
  if (equals == hint.npos || !is_approved(hint.substr(0, equals), red_light)) {
    return;
  }
  const auto value = whole_number(hint.substr(equals + 1));
  if (!value) {
    throw Refused(500, "<class 'ValueError'>",
                  fmt::format("the hint \"{}\" must give a whole number", hint));
  }
  metadata[std::string(hint.substr(0, equals))] = *value;
}

Json metadata_of(std::string_view json, std::span<const std::string> hints) {
  Json out = Json::parse(json, nullptr, false);
  if (!out.is_object()) {
    throw Refused(500, "metadata_not_found", "the metadata of the test are not a JSON object");
  }
  const bool red_light = has_hint(hints, kRedLight);
  for (const auto& hint : hints) {
    apply_hint(out, hint, red_light);
  }
  return out;
}

std::optional<std::int64_t> whole_value(const Json& metadata, const char* key) {
  const auto found = metadata.find(key);
  if (found == metadata.end() || found->is_null()) {
    return {};
  }
  if (found->is_number_integer() || found->is_boolean()) {
    return found->is_boolean() ? std::int64_t{found->get<bool>()} : found->get<std::int64_t>();
  }
  if (found->is_number_float()) {
    const auto value = found->get<double>();
    if (value >= -1e15 && value <= 1e15) {
      return static_cast<std::int64_t>(value);
    }
  }
  const auto value = found->is_string() ? whole_number(found->get<std::string>()) : std::nullopt;
  if (!value) {
    throw Refused(500, "<class 'ValueError'>",
                  fmt::format("metadata: {} must be a whole number, not {}", key, found->dump()));
  }
  return value;
}

std::string text_value(const Json& metadata, const char* key) {
  const auto found = metadata.find(key);
  if (found == metadata.end() || found->is_null()) {
    return "";
  }
  return found->is_string() ? found->get<std::string>() : found->dump();
}

double number_value(const Json& metadata, const char* key, double otherwise) {
  const auto found = metadata.find(key);
  return found != metadata.end() && found->is_number() ? found->get<double>() : otherwise;
}

}  // namespace

bool has_hint(std::span<const std::string> hints, std::string_view word) {
  return std::find(hints.begin(), hints.end(), word) != hints.end();
}

TestMetadata read_metadata(std::string_view json, std::span<const std::string> hints) {
  const Json values = metadata_of(json, hints);
  TestMetadata out;
  out.protocol = text_value(values, "protocol");
  out.round_size = whole_value(values, "round_size");
  out.known_classes = whole_value(values, "known_classes");
  out.max_novel_classes = whole_value(values, "max_novel_classes");
  out.pre_novelty_batches = whole_value(values, "pre_novelty_batches");
  out.feedback_max_ids = whole_value(values, "feedback_max_ids");
  out.max_detection_feedback_ids = whole_value(values, "max_detection_feedback_ids");
  const auto constrained = values.find("feedback_constrained");
  out.feedback_constrained = constrained == values.end() || *constrained != false;
  out.detection_threshold = number_value(values, "detection_threshold", out.detection_threshold);
  out.threshold = text_value(values, "threshold");
  out.red_light = text_value(values, "red_light");
  if (out.round_size && *out.round_size < 1) {
    throw Refused(400, "no_defined_rounds",
                  fmt::format("round_size must be at least 1, not {}", *out.round_size));
  }
  return out;
}

std::string approved_metadata(std::string_view json, std::span<const std::string> hints) {
  const Json values = metadata_of(json, hints);
  const bool red_light = has_hint(hints, kRedLight);
  Json out = Json::object();
  for (const auto& [key, value] : values.items()) {
    if (is_approved(key, red_light)) {
      out[key] = value;
    }
  }
  return out.dump(-1, ' ', true);
}

}  // namespace tyto::sail_on
