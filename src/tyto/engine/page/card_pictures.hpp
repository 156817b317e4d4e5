// SPDX-License-Identifier: Apache-2.0
// What a dataset looks like, for its card.
#pragma once

#include <string>

#include "tyto/data/dataset.hpp"

namespace tyto {

// A section of Markdown with the pictures in it: the first of each class, and where the data have
// groups and times, some groups as strips along time. "" where no sample has a picture. Some 0.6 MB
// at most; what is left out is counted.
std::string card_pictures(const Dataset& dataset);

}  // namespace tyto
