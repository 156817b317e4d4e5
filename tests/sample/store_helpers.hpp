// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test, and the sentence of a refusal.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tyto/core/error.hpp"

namespace tyto {

class TestFolder {
 public:
  TestFolder() {
    static std::atomic<int> next{0};
    path_ =
        std::filesystem::temp_directory_path() / fmt::format("tyto_test_{}_{}", ::getpid(), next++);
    std::filesystem::create_directories(path_);
  }

  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace tyto
