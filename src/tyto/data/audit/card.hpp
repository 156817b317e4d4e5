// SPDX-License-Identifier: Apache-2.0
// A dataset on one page: where it comes from, what it holds, what is wrong with it. What nobody
// stated is said to be missing.
#pragma once

#include "tyto/data/audit/audit.hpp"

namespace tyto {

struct FileFact {
  std::string name;  // relative to the dataset's folder
  std::uintmax_t bytes = 0;
  std::string digest;  // 64 bits, for recognising a file again
};

struct StatedFact {
  std::string key, text;
  bool is_stated;  // in `about` of the descriptor; otherwise the text is "not stated"
};

struct ClassBalance {  // samples per class, over labelled samples
  Index smallest = 0, largest = 0;
  double median = 0;
  double ratio = 0;  // largest / smallest
};

struct DataCard {
  Audit audit;
  std::vector<StatedFact> facts;  // origin, licence, citation, ... then the other keys of `about`
  std::vector<FileFact> files;
  ClassBalance balance;
};

// Throws what load_dataset throws: a dataset that breaks the format has no card.
DataCard make_card(const std::filesystem::path& path, const AuditOptions& options,
                   Progress& progress);

std::string card_markdown(const DataCard& card);

}  // namespace tyto
