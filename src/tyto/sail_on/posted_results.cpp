// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/posted_results.hpp"

#include <algorithm>

#include "tyto/sail_on/evaluator.hpp"
#include "tyto/sail_on/refused.hpp"

namespace tyto::sail_on {

namespace {

// Whether `lines`, whole lines, are among those of `text`.
bool holds_lines(std::string_view text, std::string_view lines) {
  for (auto at = text.find(lines); at != text.npos; at = text.find(lines, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') {
      return true;
    }
  }
  return false;
}

bool was_posted(const PostedResults& posted, std::int64_t round, const std::string& type) {
  const auto found = posted.rounds.find(round);
  return found != posted.rounds.end() &&
         std::find(found->second.begin(), found->second.end(), type) != found->second.end();
}

}  // namespace

std::vector<std::string> added_by_post(const PostedResults& posted, std::int64_t round,
                                       std::span<const ResultFile> files, Form form) {
  std::vector<std::string> out;
  for (const auto& file : files) {
    std::string added = file.rows;
    if (form == Form::sound && !added.empty() && added.back() != '\n') {
      added += '\n';
    }
    const auto there = posted.files.find(file.type);
    const std::string_view before =
        there == posted.files.end() ? std::string_view() : std::string_view(there->second);
    if (was_posted(posted, round, file.type)) {
      if (form == Form::sound && holds_lines(before, added)) {
        out.emplace_back();
        continue;
      }
      if (file.type == "detection") {
        throw Refused(400, "DetectionRepost",
                      "Cannot re post detection for a given round. If you attempted to submit any "
                      "other results, please resubmit without detection.");
      }
    }
    if (form == Form::sound && !before.empty() && before.back() != '\n') {
      added.insert(0, 1, '\n');  // who wrote the line before did not end it
    }
    out.push_back(std::move(added));
  }
  return out;
}

}  // namespace tyto::sail_on
