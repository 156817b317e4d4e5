// SPDX-License-Identifier: Apache-2.0
// Samples in a State, as references: ids, rows, groups and times, not the features. It spells rows
// out and is kept from parts as store_access.hpp is.
#pragma once

#include "tyto/core/state.hpp"
#include "tyto/sample/samples.hpp"
#include "tyto/sample/saved.hpp"

namespace tyto {

// The table of both, one behind the other, with groups and times filled in; rows are those of their
// own stores.
Samples::Table joined_table(const Samples& a, const Samples& b);

void save_table(const Samples::Table& table, State& state);
Samples::Table load_table(const State& state);

// Of samples whose store lasts: its digest goes into the state.
void save_samples(const Samples& samples, State& state);
// Throws Error(state) naming the digest when the store is on no shelf; `who` refers to it.
Samples load_samples(const State& state, const Shelf& shelf, std::string_view who);

std::shared_ptr<const FeatureStore> find_store(const Shelf& shelf, std::string_view digest,
                                               std::size_t samples, std::string_view who);

}  // namespace tyto
