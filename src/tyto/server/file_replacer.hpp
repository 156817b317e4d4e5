// SPDX-License-Identifier: Apache-2.0
// Small files replaced in one step, thousands of times a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string_view>

namespace tyto {

// The new content is written to a file beside and changes places with the old one, which is kept
// and written to again a second later, when no reader can be at it any more. Making and deleting a
// file for each would be most of the work: ext4 looks at every file that was deleted in the last
// seconds before it makes one. From any thread, for different paths.
class FileReplacer {
 public:
  explicit FileReplacer(std::filesystem::path folder);  // for files beside; of the same disk

  // Throws Error(io).
  void replace(const std::filesystem::path& path, std::string_view content);

 private:
  using Clock = std::chrono::steady_clock;

  struct Spare {
    std::uint64_t number;
    Clock::time_point since;
  };

  std::uint64_t take();
  [[nodiscard]] std::filesystem::path spare_path(std::uint64_t number) const;

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::deque<Spare> spares_;  // the oldest first
  std::uint64_t made_ = 0;
};

}  // namespace tyto
