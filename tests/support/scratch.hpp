// SPDX-License-Identifier: Apache-2.0
// A temporary folder that is gone when the test is over.
#pragma once

#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

#include <stdlib.h>

namespace tyto::testing_support {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tyto_test_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }

  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

  [[nodiscard]] long entries() const {
    return std::distance(std::filesystem::directory_iterator(path_),
                         std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tyto::testing_support
