// SPDX-License-Identifier: Apache-2.0
// Changes as bytes of a journal, and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/server/change_journal.hpp"

namespace tyto {

struct ChangeRecord {
  std::uint64_t number = 0;
  std::vector<FileChange> changes;
};

// With its length and a sum over its bytes.
std::string record_bytes(std::uint64_t number, const std::vector<FileChange>& changes);

// Records from the beginning, up to the first that is not whole or does not follow the one before.
std::vector<ChangeRecord> change_records(std::string_view bytes);

}  // namespace tyto
