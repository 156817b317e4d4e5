// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/multipart.hpp"

#include <algorithm>

#include "tyto/server/wire_text.hpp"

namespace tyto {

namespace {

constexpr std::size_t kMostParts = 64;
constexpr std::size_t kLongestHead = 8192;
constexpr std::size_t kLongestBoundary = 200;  // the standard has 70

// The value of `key` in `form-data; name="a"; filename="b"`; none: the key is absent.
std::optional<std::string> header_parameter(std::string_view header, std::string_view key) {
  std::size_t at = std::min(header.find(';'), header.size());
  while (at < header.size()) {
    ++at;  // the semicolon
    const std::size_t equals = header.find('=', at);
    if (equals == header.npos) {
      return {};
    }
    const std::string_view name = without_blanks(header.substr(at, equals - at));
    at = equals + 1;
    std::string value;
    if (at < header.size() && header[at] == '"') {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        at += header[at] == '\\' && at + 1 < header.size() ? 1 : 0;
        value += header[at];
      }
      at = std::min(header.find(';', at), header.size());
    } else {
      const std::size_t end = std::min(header.find(';', at), header.size());
      value = without_blanks(header.substr(at, end - at));
      at = end;
    }
    if (equal_letters(name, key)) {
      return value;
    }
  }
  return {};
}

// The value of the line `name: value` of a part's head.
std::string_view header_line(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon != line.npos && equal_letters(line.substr(0, colon), name)) {
      return without_blanks(line.substr(colon + 1));
    }
    head.remove_prefix(std::min(end + 2, head.size()));
  }
  return {};
}

}  // namespace

std::string boundary_of(std::string_view content_type) {
  return header_parameter(content_type, "boundary").value_or("");
}

FormParts parse_multipart(std::string_view body, std::string_view boundary) {
  const auto broken = [](std::string problem) { return FormParts{{}, std::move(problem)}; };
  if (boundary.empty() || boundary.size() > kLongestBoundary) {
    return broken("the multipart body has no usable boundary");
  }
  const std::string first = "--" + std::string(boundary);
  const std::string next = "\r\n" + first;
  std::size_t at = body.starts_with(first) ? 0 : body.find(next);
  if (at == body.npos) {
    return broken("the boundary that was announced is not in the multipart body");
  }
  at += body.starts_with(first) ? first.size() : next.size();
  FormParts out;
  while (!body.substr(at).starts_with("--")) {
    const std::size_t head = body.find("\r\n", at);
    if (head == body.npos || body.find_first_not_of(" \t", at) < head) {
      return broken("a boundary of the multipart body is not followed by a line end");
    }
    const std::size_t head_end = body.find("\r\n\r\n", head);
    const std::size_t content_end =
        head_end == body.npos ? head_end : body.find(next, head_end + 2);
    if (content_end == body.npos) {
      return broken("the multipart body has no end");
    }
    if (head_end - head > kLongestHead || out.parts.size() == kMostParts) {
      return broken("the multipart body has too many parts or too long heads");
    }
    const std::string_view lines = body.substr(head + 2, std::max(head_end, head + 2) - head - 2);
    const std::string_view disposition = header_line(lines, "content-disposition");
    const auto name = header_parameter(disposition, "name");
    if (name && disposition.starts_with("form-data")) {
      const std::size_t begin = std::min(head_end + 4, content_end);
      out.parts.push_back({*name, header_parameter(disposition, "filename").has_value(),
                           body.substr(begin, content_end - begin)});
    }
    at = content_end + next.size();
  }
  return out;
}

}  // namespace tyto
