// SPDX-License-Identifier: Apache-2.0
// Bodies of type multipart/form-data, read strictly: a body that breaks off or names another
// boundary has no parts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tyto {

struct FormPart {
  std::string name;
  bool is_file = false;      // has a filename, whatever it is
  std::string_view content;  // points into the body
};

struct FormParts {
  std::vector<FormPart> parts;
  std::string problem;  // a sentence where the body could not be read; "": it could
};

// The parameter of a Content-Type, quoted or not; "": there is none.
std::string boundary_of(std::string_view content_type);

// At most 64 parts with heads of at most 8 kB each.
FormParts parse_multipart(std::string_view body, std::string_view boundary);

}  // namespace tyto
