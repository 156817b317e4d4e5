// SPDX-License-Identifier: Apache-2.0
// What lives on in a checkpoint, and where it finds its data again.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

struct FeatureStore;

// Finds a lasting store again when a state is loaded.
struct Shelf : Interface {
  [[nodiscard]] virtual std::shared_ptr<const FeatureStore> find(std::string_view digest) const = 0;
};

struct EmptyShelf final : Shelf {  // for states that refer to no store

  [[nodiscard]] std::shared_ptr<const FeatureStore> find(std::string_view) const override {
    return nullptr;
  }
};

class StoreShelf final : public Shelf {
 public:
  // A null among them is passed over. Digests are taken when a store is looked for, not before.
  explicit StoreShelf(std::vector<std::shared_ptr<const FeatureStore>> stores);

  [[nodiscard]] std::shared_ptr<const FeatureStore> find(std::string_view digest) const override;

 private:
  std::vector<std::shared_ptr<const FeatureStore>> stores_;
};

// What can be written into a checkpoint. load() leaves the object as if it had lived on; an object
// whose load() throws is thrown away.
struct Saved : Interface {
  virtual void save(State& state) const = 0;
  virtual void load(const State& state, const Shelf& shelf) = 0;
};

}  // namespace tyto
