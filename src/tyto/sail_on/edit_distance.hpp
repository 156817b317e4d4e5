// SPDX-License-Identifier: Apache-2.0
// How far a transcript is from the truth, as the public evaluation counts it.
#pragma once

#include <cstdint>
#include <string_view>

namespace tyto::sail_on {

// Fewest letters to insert, remove or replace between the two normalised texts: without ; " and |,
// pairs of blanks made one, cut at runs of other than word characters, which stay, and the trimmed
// pieces joined by blanks.
std::int64_t transcript_distance(std::string_view truth, std::string_view posted);

}  // namespace tyto::sail_on
