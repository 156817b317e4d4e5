// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/saved.hpp"

#include <algorithm>

#include "tyto/sample/feature_store.hpp"

namespace tyto {

StoreShelf::StoreShelf(std::vector<std::shared_ptr<const FeatureStore>> stores)
    : stores_(std::move(stores)) {}

std::shared_ptr<const FeatureStore> StoreShelf::find(std::string_view digest) const {
  const auto found = std::find_if(stores_.begin(), stores_.end(), [&](const auto& store) {
    return store != nullptr && store->digest() == digest;
  });
  return found == stores_.end() ? nullptr : *found;
}

}  // namespace tyto
