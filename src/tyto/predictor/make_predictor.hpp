// SPDX-License-Identifier: Apache-2.0
// A predictor from its configuration, for those who need the contract alone.
#pragma once

#include <cstdint>
#include <memory>

#include "tyto/predictor/config.hpp"
#include "tyto/predictor/predictor.hpp"

namespace tyto {

// `seed` decides the roles of samples; the randomness of a call comes with its Work.
std::unique_ptr<Predictor> make_predictor(const PredictorConfig& config, std::uint64_t seed);

}  // namespace tyto

// Example:
//
//   const auto predictor = make_predictor(read_predictor(ConfigNode::scalar("slda"), "here"), 1);
//   const auto teach = [&](const Samples& samples, const std::vector<std::string>& names) {
//     Progress quiet;
//     Work work{Rng(1), quiet};
//     predictor->learn({samples, names, {}}, work);
//   };
