// SPDX-License-Identifier: Apache-2.0
// A request as it came, and the values it names: in a form, a file, the query or a JSON body.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/server/multipart.hpp"

namespace tyto {

struct WireRequest {
  std::string method;        // "GET"
  std::string target;        // "/test/ids?protocol=OND"
  std::string content_type;  // "": none
  std::string body;
};

// Looks values up as the public server does: form field, uploaded file, query, JSON body; of
// several of one name the first counts. Borrows the request.
class RequestValues {
 public:
  explicit RequestValues(const WireRequest& request);
  ~RequestValues();
  RequestValues(const RequestValues&) = delete;
  RequestValues& operator=(const RequestValues&) = delete;

  [[nodiscard]] std::optional<std::string> query(std::string_view name) const;
  // Anywhere. A JSON value that is no text is given as JSON. Throws Refused, 400, where the text of
  // a part is not UTF-8 or the JSON body is none.
  [[nodiscard]] std::optional<std::string> find(std::string_view name) const;

  [[nodiscard]] const std::string& problem() const;  // of the body, as a sentence; "": none

 private:
  struct Body;
  std::vector<std::pair<std::string, std::string>> query_;
  std::unique_ptr<Body> body_;
};

}  // namespace tyto
