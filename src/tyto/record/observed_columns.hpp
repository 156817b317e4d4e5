// SPDX-License-Identifier: Apache-2.0
// Annotations of the truth by which a world says what its sensor made of each sample. A world that
// has none of them says nothing, and what would be measured of it is missing.
#pragma once

#include <string_view>

namespace tyto {

// How the observation was altered; "none" or "": not at all.
constexpr std::string_view kAlteredColumn = "altered";
constexpr std::string_view kUnaltered = "none";
// The step from which on the sample is seen altered, whatever the column above says; "": never.
constexpr std::string_view kAlteredFromColumn = "altered_from";
// The class that the sample looks like to the sensor: its own, unless what tells it apart is not
// sensed.
constexpr std::string_view kSeenAsColumn = "seen_as";
// Probability that the best possible answer is wrong: where every class has a name, and where the
// classes not shown before are all to be called unknown.
constexpr std::string_view kLeastErrorColumn = "least_error";
constexpr std::string_view kLeastErrorUnknownColumn = "least_error_unknown";
// Of the observation, to the nearest one of an earlier step; "": there is none.
constexpr std::string_view kDissimilarityColumn = "dissimilarity";

}  // namespace tyto
