// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/wire_request.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/sail_on/names.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/server/wire_text.hpp"

namespace tyto {

namespace {

std::string media_type(std::string_view content_type) {
  std::string out(without_blanks(content_type.substr(0, content_type.find(';'))));
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

using NamedValues = std::vector<std::pair<std::string, std::string>>;

std::optional<std::string> first_of(const NamedValues& values, std::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) {
      return value;
    }
  }
  return {};
}

}  // namespace

struct RequestValues::Body {
  NamedValues fields, files;
  nlohmann::json json;
  bool is_json = false;
  std::string problem;

  explicit Body(const WireRequest& request) {
    const std::string type = media_type(request.content_type);
    if (type == "multipart/form-data") {
      auto form = parse_multipart(request.body, boundary_of(request.content_type));
      problem = std::move(form.problem);
      for (auto& part : form.parts) {
        (part.is_file ? files : fields).emplace_back(part.name, part.content);
      }
    } else if (type == "application/x-www-form-urlencoded") {
      fields = parameters_of(request.body);
    } else if (type == "application/json" ||
               (type.starts_with("application/") && type.ends_with("+json"))) {
      is_json = true;
      json = nlohmann::json::parse(request.body, nullptr, false);
    }
  }
};

RequestValues::RequestValues(const WireRequest& request) : body_(std::make_unique<Body>(request)) {
  const std::size_t mark = request.target.find('?');
  if (mark != request.target.npos) {
    query_ = parameters_of(std::string_view(request.target).substr(mark + 1));
  }
}

RequestValues::~RequestValues() = default;

std::optional<std::string> RequestValues::query(std::string_view name) const {
  return first_of(query_, name);
}

const std::string& RequestValues::problem() const {
  return body_->problem;
}

std::optional<std::string> RequestValues::find(std::string_view name) const {
  auto found = first_of(body_->fields, name);
  if (!found) {
    found = first_of(body_->files, name);
  }
  if (!found) {
    found = query(name);
  }
  if (found) {
    if (!sail_on::is_utf8(*found)) {
      throw sail_on::Refused(400, "MalformedRequest",
                             fmt::format("{:.80} is not text in UTF-8", name));
    }
    return found;
  }
  if (!body_->is_json) {
    return {};
  }
  if (body_->json.is_discarded()) {
    throw sail_on::Refused(400, "MalformedRequest", "the body of the request is not JSON");
  }
  const auto value = body_->json.is_object() ? body_->json.find(name) : body_->json.end();
  if (value == body_->json.end() || value->is_null()) {
    return {};
  }
  return value->is_string() ? value->get<std::string>() : value->dump();
}

}  // namespace tyto
