// SPDX-License-Identifier: Apache-2.0
// What the words of `tyto data` answer with --json.
#pragma once

#include <string>

#include "tyto/data/audit/card.hpp"

namespace tyto {

std::string json_text(const DatasetSummary& summary);
std::string json_text(const Audit& audit, const AuditOptions& options);
std::string json_text(const DataCard& card);

}  // namespace tyto
