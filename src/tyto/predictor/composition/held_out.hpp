// SPDX-License-Identifier: Apache-2.0
// Which samples a predictor never fits on, so that its threshold may rest on them
// (docs/decisions/0008-held-out-samples.md).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/parts/slots.hpp"
#include "tyto/predictor/predictor.hpp"

namespace tyto {

// Of one sample, for ever: by a hash of its id.
Role role_of(SampleId id, std::uint64_t seed, double holdout);
std::uint64_t role_hash(SampleId id, std::uint64_t seed);

// Of a whole group (a subject, a source video): samples of one group are alike, so that a threshold
// set on some of them promises too much for the next group.
Role role_of_group(std::uint32_t group, std::uint64_t seed, double holdout);

// Samples that a predictor remembers from another world bear numbers from here to 2^31, which no
// world deals: see engine/use/renumber.hpp.
constexpr std::uint32_t kElsewhere = 0x40000000U;

class HeldOut {
 public:
  // `holdout`: the share that is held out; by whole groups, where there are enough and this is
  // wanted; `once`: of the first lesson alone.
  HeldOut(double holdout, bool by_groups, std::uint64_t seed, bool once = false)
      : holdout_(holdout), by_groups_(by_groups), once_(once), seed_(seed) {}

  // Settles by the first lesson ever whether whole groups are held out.
  void settle(const Samples& first);

  [[nodiscard]] Role role_for(const Samples& samples, Index i) const;

  // Those of a lesson, or by the rule. A class of which `memory` and the lesson have no sample to
  // fit on would not be learned at all: its first one is, from now on. Where `memory` is null or
  // keeps nothing, the lessons before count instead.
  [[nodiscard]] std::vector<Role> roles_for(const Lesson& lesson, std::span<const Label> labels,
                                            const Memory* memory);

  // A sample is held out that the rule would fit on: somebody gave a validation split.
  [[nodiscard]] bool has_given_roles(const Samples& samples, std::span<const Role> roles) const;

  // The first lesson is over. Where it alone is held out of, what it held out stays so.
  void close_first(const Samples& samples, std::span<const Role> roles);

  // These came with the first lesson, chosen by nobody.
  void note_unasked(const Samples& samples);

  // Samples that were granted unasked or drawn, not chosen; all of a class that has few of them.
  [[nodiscard]] std::vector<bool> that_count(const Samples& samples,
                                             std::span<const Label> labels) const;

  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  // Among the values of its owner.
  void save(State& state) const;
  void load(const State& state);

 private:
  double holdout_;
  bool by_groups_, once_;
  std::uint64_t seed_;
  bool holds_groups_ = false;                // settled by the first lesson
  std::set<std::uint32_t> fitted_by_need_;   // else a class would have no sample to fit on
  std::set<Label> fitted_before_;            // classes of lessons that no memory keeps
  std::set<std::uint32_t> granted_unasked_;  // by the first lesson; kept where folds need it
  // Of the first lesson, where it alone is held out of; none until it is over.
  std::optional<std::set<std::uint32_t>> held_first_;
  std::set<std::uint32_t> held_elsewhere_;  // in another world, under the numbers they have here
};

}  // namespace tyto
