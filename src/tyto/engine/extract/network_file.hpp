// SPDX-License-Identifier: Apache-2.0
// A trained network as one .safetensors file that knows what it is: its name, what pictures go
// through before it, and its classes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tyto/nn/network.hpp"
#include "tyto/nn/recipe.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto {

inline constexpr const char* kNetworkKey = "tyto.network";
inline constexpr const char* kRecipeKey = "tyto.recipe";
inline constexpr const char* kClassesKey = "tyto.classes";  // a name a line

// The trunk of a network whose output layer sees the trunk's features; the output layer becomes the
// head. `recipe`: what made the pictures, with their normalisation.
TensorFile network_file(const Network& network, const Recipe& recipe,
                        const std::vector<std::string>& classes);

}  // namespace tyto
