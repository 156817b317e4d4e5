// SPDX-License-Identifier: Apache-2.0
// What was posted in one test of one session, and what a further post adds to it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tyto::sail_on {

struct ResultFile;

// How rules are counted: soundly, or exactly as the public server does, its defects included.
enum class Form { sound, released };

struct PostedResults {
  std::map<std::string, std::string, std::less<>> files;    // by type: the rows of all rounds
  std::map<std::int64_t, std::vector<std::string>> rounds;  // by number: types in posted order
};

// The text to append for each of these files, in their order; "": its rows are there already.
// Throws Refused(400, DetectionRepost) where a round's detection is posted anew with other rows;
// then nothing of the post counts. The sound form ends every line and stores equal rows once.
std::vector<std::string> added_by_post(const PostedResults& posted, std::int64_t round,
                                       std::span<const ResultFile> files, Form form);

}  // namespace tyto::sail_on
