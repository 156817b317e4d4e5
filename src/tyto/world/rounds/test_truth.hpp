// SPDX-License-Identifier: Apache-2.0
// A drawn test in the words of the public layout: nineteen columns of truth and the metadata.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tyto/sail_on/test_data.hpp"
#include "tyto/world/rounds/draw_test.hpp"

namespace tyto {

// `ids` has an id per place of the plan.
std::shared_ptr<const sail_on::TestData> test_truth(
    const Dataset& dataset, const TestMaterial& material, const MakeTestsOptions& options,
    const TestPlan& plan, const std::vector<std::string>& ids, std::uint64_t seed);

}  // namespace tyto
