// SPDX-License-Identifier: Apache-2.0
// Answers in the forms of the public protocol.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tyto {

struct WireAnswer {
  int status = 200;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;  // besides type and length
  std::string body;
};

WireAnswer ok_answer();                    // OK
WireAnswer text_answer(std::string text);  // lines for people
WireAnswer json_answer(std::string json);  // one line of it
WireAnswer csv_answer(std::string rows, std::string_view type, std::string_view disposition);
WireAnswer refusal(int status, std::string_view reason, std::string_view message);

struct CsvPart {
  std::string name, filename, rows;
};

WireAnswer multipart_answer(const std::vector<CsvPart>& parts);

// Text as a JSON string, bytes that are not UTF-8 replaced.
std::string json_string(std::string_view text);

// A file's name in a header: quoted where it must be.
std::string header_filename(std::string_view name);

}  // namespace tyto
