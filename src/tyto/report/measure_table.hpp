// SPDX-License-Identifier: Apache-2.0
// What `tyto measure` found, as tables for a terminal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tyto/measure/formulas/per_class.hpp"
#include "tyto/measure/intervals/paired.hpp"
#include "tyto/measure/tables/render.hpp"

namespace tyto {

// Which columns of measures: a few main ones, or every row there is.
enum class Shown { main, all };

std::vector<std::string> main_measures();

// A line per arm, phase, split and group, a column per measure, and below what the columns mean.
// Increments have lines of their own if there are several of one arm, all samples together.
std::string measure_table(std::span<const ArmMeasures> arms, Shown shown);

// A line per measure over all increments: value and the ends of its interval.
std::string interval_table(std::span<const ArmMeasures> arms, Shown shown);

// A line per measure over all increments: both values and their difference.
std::string difference_table(std::span<const PairedRow> rows, Shown shown);

// A line per class over all increments.
std::string class_table(std::span<const ArmClasses> arms);

}  // namespace tyto
