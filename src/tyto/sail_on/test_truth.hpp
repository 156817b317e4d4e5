// SPDX-License-Identifier: Apache-2.0
// What the columns of a test say, whichever domain it is of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/sail_on/test_data.hpp"

namespace tyto::sail_on {

// Where the columns of a domain stand; the id is the first.
struct TruthColumns {
  Index changed, label;  // 1 from the red light on; the class
  Index novel;           // of single samples; the column `changed` where a domain has none
};

// Throws Error(data) naming the domains there are.
TruthColumns truth_columns(std::string_view domain);

// Row by row.
struct TestTruth {
  std::vector<std::string> id;
  std::vector<std::string> label;  // the class as a number in text, or its name where one is given
  std::vector<std::uint8_t> novel, changed;
  std::vector<std::uint8_t> named;  // the label is a name, even if it looks like a number

  [[nodiscard]] Index size() const { return static_cast<Index>(id.size()); }
};

// Novel is what the column says; of image_classification, which has none, a sample after the change
// whose class is negative or not below `known_classes`. A name is the value of an annotation called
// "class". Throws Error(data) naming test, row and column of a value that is missing or not 0 or 1.
TestTruth test_truth(const TestData& test);

// A whole number of the metadata, written as number or text; none: the key is absent. Throws
// Error(data) where it is neither.
std::optional<Index> metadata_number(const TestData& test, const std::string& key);
// As Python writes it; "": absent.
std::string metadata_text(const TestData& test, const std::string& key);

}  // namespace tyto::sail_on
