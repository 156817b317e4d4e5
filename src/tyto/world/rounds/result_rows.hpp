// SPDX-License-Identifier: Apache-2.0
// Answers as the rows of CSV that an evaluation takes: the sample's name, then numbers, columns in
// the order of the convention. Columns are found by the name of their class.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tyto/sample/prediction.hpp"

namespace tyto {

// The belief that each sample is of none of these classes.
std::vector<float> p_of_none(const Prediction& prediction, std::span<const std::string> classes);

// name, p(the world has changed), p(this sample is new).
std::string detection_rows(std::span<const std::string> names, std::span<const float> changed,
                           std::span<const float> p_new);

// K + 1 numbers: the classes in their order, then all the rest as unknown.
std::string classification_rows(std::span<const std::string> names, const Prediction& prediction,
                                std::span<const std::string> classes);

// K + D + 1 numbers: unknown, the classes in their order, then every class that was ever
// discovered; D grows from round to round, and one that has ended keeps its column.
std::string characterization_rows(std::span<const std::string> names, const Prediction& prediction,
                                  std::span<const std::string> classes);

}  // namespace tyto
