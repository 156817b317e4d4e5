// SPDX-License-Identifier: Apache-2.0
// The classes a predictor knew when it predicted, said by whoever scores its table.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tyto/record/record.hpp"

namespace tyto {

class KnownList {
 public:
  explicit KnownList(const std::vector<std::string>& labels);  // known from the start

  // One label a line; or, if the name ends in .csv or .csv.gz, a column `label` and, if wanted,
  // `increment` and `phase`: from when on the label is known. A label of the phase `post` is novel
  // before feedback in its increment and known ever after.
  static KnownList load(const std::filesystem::path& path);

  // A file if there is one of that name, else labels with commas between them.
  static KnownList parse(const std::string& argument);

  // Each once, in the order of the list.
  [[nodiscard]] std::vector<std::string> at(Index step, std::string_view phase) const;

  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }

 private:
  struct Entry {
    Index step = 0;
    bool after_feedback = false;
    std::size_t label = 0;
  };

  KnownList() = default;
  void add(Index step, bool after_feedback, std::string_view label);

  std::vector<std::string> labels_;  // each once
  std::vector<Entry> entries_;
};

}  // namespace tyto
