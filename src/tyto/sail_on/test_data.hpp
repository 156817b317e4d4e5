// SPDX-License-Identifier: Apache-2.0
// One test of an evaluation: an ordered list of samples with their truth, and what is said about
// it.
#pragma once

#include <string>
#include <vector>

namespace tyto::sail_on {

struct TestData {
  std::string protocol, domain, id;  // "OND", "activity_recognition", "OND.0.10100.6438158"
  std::string metadata;              // JSON; "": the test has none
  std::vector<std::string> columns;  // of the truth; the first is the sample's id
  std::vector<std::vector<std::string>> rows;  // fields without the blanks and quotes around them
};

}  // namespace tyto::sail_on
