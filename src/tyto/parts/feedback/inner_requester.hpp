// SPDX-License-Identifier: Apache-2.0
// Requesters that ask others: the part within, and what all of them together look at.
#pragma once

#include <memory>
#include <span>

#include "tyto/parts/nested_part.hpp"

namespace tyto {

struct InnerRequester {
  std::unique_ptr<Part> part;
  Requester* requester = nullptr;
};

// Of a resolved node.
InnerRequester make_inner_requester(const ConfigNode& node, std::string_view path,
                                    const std::vector<std::string_view>& aside = {});

// Drops from a block what every one of them drops.
void drop_what_all_drop(Evidence& block, std::span<const InnerRequester> inner);

}  // namespace tyto
