// SPDX-License-Identifier: Apache-2.0
// Folders of a small evaluation, and requests to it as agents write them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/scratch.hpp"
#include "support/small_test.hpp"

#include "tyto/core/files/files.hpp"
#include "tyto/server/evaluation_api.hpp"

namespace tyto::testing_support {

inline constexpr const char* kBoundary = "5f1d0c8e";

// Three tests of the same ten pictures, OND.1.1.1 to OND.1.1.3, and one of CONDDA.
class EvaluationFolder {
 public:
  EvaluationFolder() {
    const auto ond = scratch_.path() / "data" / "OND" / "image_classification";
    make_folder(ond);
    for (const auto* id : {"OND.1.1.1", "OND.1.1.2", "OND.1.1.3"}) {
      write_file(ond / (std::string(id) + "_single_df.csv"), sail_on::kSmallTruth);
      write_file(ond / (std::string(id) + "_metadata.json"), sail_on::kSmallMetadata);
    }
    write_file(ond / "test_ids.csv", "OND.1.1.1\nOND.1.1.2\n");
    const auto condda = scratch_.path() / "data" / "CONDDA" / "image_classification";
    make_folder(condda);
    write_file(condda / "CONDDA.1.1.1_single_df.csv", sail_on::kSmallTruth);
    write_file(condda / "CONDDA.1.1.1_metadata.json", sail_on::kSmallMetadata);
  }

  [[nodiscard]] std::filesystem::path data() const { return scratch_.path() / "data"; }

  [[nodiscard]] std::filesystem::path results() const { return scratch_.path() / "results"; }

  [[nodiscard]] EvaluationOptions options(bool compat = false) const {
    return {data(), results(), compat};
  }

 private:
  Scratch scratch_;
};

// A body of parts that are files, as the public client sends them.
inline std::string form_body(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string out;
  for (const auto& [name, content] : parts) {
    out += std::string("--") + kBoundary + "\r\nContent-Disposition: form-data; name=\"" + name +
           "\"; filename=\"" + name + "\"\r\n\r\n" + content + "\r\n";
  }
  return out + "--" + kBoundary + "--\r\n";
}

inline WireRequest form_request(const std::string& target,
                                const std::vector<std::pair<std::string, std::string>>& parts) {
  return {"POST", target, std::string("multipart/form-data; boundary=") + kBoundary,
          form_body(parts)};
}

inline WireRequest new_session(const std::string& protocol = "OND",
                               const std::string& hints = "[]") {
  return form_request("/session",
                      {{"test_ids", protocol + ".1.1.1\n"},
                       {"configuration", "{\"protocol\": \"" + protocol +
                                             "\", \"novelty_detector_version\": \"Owl-1\", "
                                             "\"detection_threshold\": 0.5, \"hints\": " +
                                             hints + "}"}});
}

inline std::string begin_session(EvaluationApi& api, const std::string& protocol = "OND") {
  const WireAnswer answer = api.answer(new_session(protocol));
  return answer.body.size() > 50 ? answer.body.substr(15, 36) : answer.body;
}

inline WireRequest results(const std::string& session, const std::string& test, int round,
                           const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string types;
  std::vector<std::pair<std::string, std::string>> parts;
  for (const auto& [type, text] : rows) {
    types += (types.empty() ? "" : "|") + type;
    parts.emplace_back(type + "_file", text);
  }
  parts.insert(parts.begin(),
               {"test_identification", "{\"session_id\": \"" + session + "\", \"test_id\": \"" +
                                           test + "\", \"round_id\": " + std::to_string(round) +
                                           ", \"result_types\": \"" + types + "\"}"});
  return form_request("/session/results", parts);
}

inline WireRequest get(const std::string& target) {
  return {"GET", target, "", ""};
}

inline std::string raw_request(const WireRequest& request, const std::string& more = "") {
  return request.method + " " + request.target + " HTTP/1.1\r\nHost: x\r\n" + more +
         (request.content_type.empty() ? "" : "Content-Type: " + request.content_type + "\r\n") +
         "Content-Length: " + std::to_string(request.body.size()) +
         "\r\nConnection: close\r\n\r\n" + request.body;
}

}  // namespace tyto::testing_support
