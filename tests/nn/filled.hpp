// SPDX-License-Identifier: Apache-2.0
// Weights and inputs by the rule of shared/data/backbone/README.md, which needs no generator of a
// library and gives the same bits everywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto::filled {

inline std::uint64_t seed_of(std::string_view name) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) {
    hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  }
  return hash;
}

// A multiple of 2^-23 in [-1, 1) for element k.
inline double draw(std::uint64_t seed, Index k) {
  std::uint64_t z = seed + (static_cast<std::uint64_t>(k) + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z = z ^ (z >> 31);
  return static_cast<double>(z >> 40) * 0x1p-23 - 1.0;
}

inline NamedTensor tensor(const std::string& name, const std::vector<Index>& shape) {
  Index size = 1;
  for (const Index n : shape) {
    size *= n;
  }
  const std::string last = name.substr(name.rfind('.') + 1);
  double scale = 0.5;
  double offset = 0.0;
  if (last == "running_mean" || last == "bias" || last == "in_proj_bias") {
    scale = 0.1;
  } else if (last == "running_var") {
    offset = 1.0;
  } else if (last == "weight" || last == "in_proj_weight") {
    offset = shape.size() == 1 ? 1.0 : 0.0;
    scale = shape.size() == 1
                ? 0.25
                : std::sqrt(3.0 / (static_cast<double>(size) / static_cast<double>(shape.front())));
  }
  NamedTensor made{name, shape, std::vector<float>(at(size))};
  const std::uint64_t seed = seed_of(name);
  for (Index k = 0; k < size; ++k) {
    made.values[at(k)] = static_cast<float>(offset + scale * draw(seed, k));
  }
  return made;
}

inline TensorFile weights(const Graph& graph) {
  TensorFile file;
  for (const GraphTensor& own : graph.tensors) {
    file.tensors.push_back(tensor(own.name, own.shape));
  }
  return file;
}

// Of shape N,C,H,W or N,C,T,H,W.
inline std::vector<float> input(std::vector<Index> shape) {
  const bool pictures = shape.size() == 4;
  if (pictures) {
    shape.insert(shape.begin() + 2, 1);
  }
  std::vector<float> values;
  const std::uint64_t seed = seed_of("input");
  for (Index n = 0; n < shape[0]; ++n) {
    for (Index c = 0; c < shape[1]; ++c) {
      for (Index t = 0; t < shape[2]; ++t) {
        for (Index y = 0; y < shape[3]; ++y) {
          for (Index x = 0; x < shape[4]; ++x) {
            const Index s = 29 * n + 17 * c + (pictures ? 0 : 11 * t) + 5 * y + 3 * x;
            const double wave = static_cast<double>(s % 64) / 32.0 - 1.0;
            const double r = draw(seed, static_cast<Index>(values.size()));
            values.push_back(static_cast<float>(0.5 * r + 0.5 * wave));
          }
        }
      }
    }
  }
  return values;
}

}  // namespace tyto::filled
