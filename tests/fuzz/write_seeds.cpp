// SPDX-License-Identifier: Apache-2.0
// Writes the seeds that are no text into a folder, one folder per target.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuzz/tensor_seeds.hpp"

namespace {

void write_all(const std::filesystem::path& folder, const std::vector<std::string>& seeds) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    std::ofstream(folder / std::to_string(i), std::ios::binary) << seeds[i];
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  write_all(folder / "tensors", tyto::testing_support::tensor_seeds());
  write_all(folder / "pickle", tyto::testing_support::pickle_seeds());
  return 0;
}
