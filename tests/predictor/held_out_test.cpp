// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/held_out.hpp"

#include <gtest/gtest.h>

#include "tyto/core/state.hpp"

namespace tyto {
namespace {

constexpr std::uint64_t kHeldOutSeed = 3;
constexpr double kShare = 0.3;

// The first `count` ids from `from` on that the rule gives this role.
std::vector<std::uint32_t> ids_of(Role role, std::size_t count, std::uint32_t from) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = from; ids.size() < count; ++id) {
    if (role_of(SampleId{id}, kHeldOutSeed, kShare) == role) {
      ids.push_back(id);
    }
  }
  return ids;
}

Lesson lesson_of(const std::vector<std::uint32_t>& ids) {
  Samples::Table table;
  Lesson lesson;
  for (const std::uint32_t id : ids) {
    table.id.push_back(SampleId{id});
    table.row.push_back(0);
    lesson.names.emplace_back("a");
  }
  const auto store = std::make_shared<const DenseStore>(Matrix(Matrix::Zero(1, 2)));
  lesson.samples = Samples(store, std::move(table), Lifetime::lasting);
  return lesson;
}

TEST(HeldOut, without_a_memory_a_class_learned_before_needs_no_held_out_sample) {
  HeldOut held_out(kShare, false, kHeldOutSeed);
  const std::vector<Label> one{Label{1}};
  const auto fit = ids_of(Role::fit, 1, 0);
  const auto hold = ids_of(Role::hold, 2, 0);
  EXPECT_EQ(held_out.roles_for(lesson_of(fit), one, nullptr), std::vector<Role>{Role::fit});
  EXPECT_EQ(held_out.roles_for(lesson_of({hold[0]}), one, nullptr), std::vector<Role>{Role::hold});
  State state;
  held_out.save(state);
  HeldOut again(kShare, false, kHeldOutSeed);
  again.load(state);
  EXPECT_EQ(again.roles_for(lesson_of({hold[1]}), one, nullptr), std::vector<Role>{Role::hold});
}

TEST(HeldOut, a_class_never_learned_is_fitted_by_its_first_sample) {
  HeldOut held_out(kShare, false, kHeldOutSeed);
  const auto hold = ids_of(Role::hold, 3, 0);
  const std::vector<Label> labels{Label{1}, Label{1}, Label{2}};
  EXPECT_EQ(held_out.roles_for(lesson_of(hold), labels, nullptr),
            (std::vector<Role>{Role::fit, Role::hold, Role::fit}));
  const Samples first = lesson_of({hold[0]}).samples;
  EXPECT_EQ(held_out.role_for(first, 0), Role::fit);  // for good
}

}  // namespace
}  // namespace tyto
