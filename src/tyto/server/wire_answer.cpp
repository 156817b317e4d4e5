// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/wire_answer.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tyto {

namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";  // of plain words, as the public server

std::string header_text(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F || c == '"'; },
      '_');
  return out;
}

}  // namespace

WireAnswer ok_answer() {
  return text_answer("OK");
}

WireAnswer text_answer(std::string text) {
  return {200, kHtml, {}, std::move(text)};
}

WireAnswer json_answer(std::string json) {
  return {200, "application/json", {}, std::move(json) + "\n"};
}

WireAnswer csv_answer(std::string rows, std::string_view type, std::string_view disposition) {
  return {200,
          std::string(type),
          {{"Content-Disposition", std::string(disposition)}, {"Cache-Control", "no-cache"}},
          std::move(rows)};
}

WireAnswer refusal(int status, std::string_view reason, std::string_view message) {
  return {
      status,
      "application/json",
      {},
      fmt::format("{{\"message\":{},\"reason\":{},\"stack_trace\":\"stack trace unavailable\"}}\n",
                  json_string(message), json_string(reason))};
}

WireAnswer multipart_answer(const std::vector<CsvPart>& parts) {
  std::string boundary = "tyto-part-of-an-answer";
  const auto inside = [&](const CsvPart& part) {
    return part.rows.find(boundary) != part.rows.npos;
  };
  while (std::any_of(parts.begin(), parts.end(), inside)) {
    boundary += '-';
  }
  std::string body;
  for (const auto& part : parts) {
    body += fmt::format(
        "--{}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n"
        "Content-Type: text/csv\r\n\r\n{}\r\n",
        boundary, header_text(part.name), header_text(part.filename), part.rows);
  }
  body += fmt::format("--{}--\r\n", boundary);
  return {200, "multipart/form-data; boundary=" + boundary, {}, std::move(body)};
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string header_filename(std::string_view name) {
  const bool token = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return token ? std::string(name) : fmt::format("\"{}\"", header_text(name));
}

}  // namespace tyto
