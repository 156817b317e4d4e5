// SPDX-License-Identifier: Apache-2.0
// Three datasets of the size of KOWL-718, seeded: 718 classes, 630,524 training and 68,849 test
// rows of 768 features, with the paper's rows per group of novel classes.
#pragma once

#include <filesystem>

namespace tyto {

// Writes k400, k600 and k700 into `folder` unless they are there. `scale` shrinks the rows of each
// class. A row is its class's mean plus noise, both Gaussian: neighbours among 718 classes overlap.
void make_kowl718_data(const std::filesystem::path& folder, double scale);

}  // namespace tyto
