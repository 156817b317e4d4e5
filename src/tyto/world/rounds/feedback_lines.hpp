// SPDX-License-Identifier: Apache-2.0
// What an evaluation tells of a round, read from its lines of CSV.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/world/world.hpp"

namespace tyto {

// How a type of feedback says which class a sample is of.
enum class LabelsToldBy {
  name,   // the nearest names there are, the nearest first
  number  // the place among the known classes; any other number: a class that is new
};

LabelsToldBy labels_told_by(std::string_view domain, std::string_view type);

// Rows by the sample's name, as they were asked for; lines about others are passed over. Throws
// Error(data) naming line and text where a line cannot be read.
Feedback read_labels(std::string_view lines, const std::map<std::string, Index>& rows,
                     LabelsToldBy told_by, std::span<const std::string> classes);
Feedback read_detection(std::string_view lines, const std::map<std::string, Index>& rows);
Feedback read_score(std::string_view lines);

}  // namespace tyto
