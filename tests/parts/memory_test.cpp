// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/sample/store_access.hpp"

namespace tyto {
namespace {

constexpr Slot kRemembers = Slot::memory;

Samples with_ids(const Matrix& features, const std::vector<std::uint32_t>& ids,
                 Lifetime lifetime = Lifetime::lasting) {
  Samples::Table table;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    table.id.push_back(SampleId{ids[i]});
    table.row.push_back(static_cast<Index>(i));
  }
  return Samples(std::make_shared<const DenseStore>(features), std::move(table), lifetime);
}

std::vector<std::uint32_t> ids_of(const Memory& memory) {
  std::vector<std::uint32_t> ids;
  for (Index i = 0; i < memory.samples().size(); ++i) {
    ids.push_back(static_cast<std::uint32_t>(memory.samples().id(i)));
  }
  return ids;
}

TEST(Unlimited, refers_to_lasting_samples_and_finds_their_store_again) {
  const Samples samples = with_ids(random_rows(4, 2, 41), {7, 8, 9, 10});
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "unlimited");
  memory->keep(ToyExperience(samples, {1, 0, 2, 1}, {Role::fit, Role::fit, Role::hold, Role::fit}),
               work);
  EXPECT_TRUE(Samples::share_store(memory->samples(), samples));
  EXPECT_EQ(ids_of(*memory.slot), (std::vector<std::uint32_t>{7, 9, 10}));
  EXPECT_EQ(memory->labels(), toy_labels({1, 2, 1}));
  EXPECT_EQ(memory->roles(), (std::vector<Role>{Role::fit, Role::hold, Role::fit}));

  const auto again =
      reloaded(memory, kRemembers, "unlimited", "{}", StoreShelf({StoreAccess::store(samples)}));
  EXPECT_EQ(again->samples().rows(), memory->samples().rows());
  EXPECT_EQ(ids_of(*again.slot), ids_of(*memory.slot));
  EXPECT_EQ(again->labels(), memory->labels());
  EXPECT_EQ(again->roles(), memory->roles());

  try {
    reloaded(memory, kRemembers, "unlimited");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::state);
    EXPECT_NE(std::string(error.what()).find(StoreAccess::store(samples)->digest()),
              std::string::npos);
  }
}

TEST(Unlimited, keeps_unlabelled_samples_when_told_to) {
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "unlimited", "{unlabelled: true}");
  memory->keep(ToyExperience(with_ids(random_rows(3, 2, 42), {1, 2, 3}), {1, 0, 2}), work);
  EXPECT_EQ(memory->labels(), toy_labels({1, 0, 2}));
  // A label granted later replaces the missing one; a missing one replaces nothing.
  memory->keep(ToyExperience(with_ids(random_rows(2, 2, 43), {2, 1}), {2, 0}), work);
  EXPECT_EQ(ids_of(*memory.slot), (std::vector<std::uint32_t>{1, 3, 2}));
  EXPECT_EQ(memory->labels(), toy_labels({1, 2, 2}));
}

TEST(Unlimited, copies_what_is_lent) {
  auto store = std::make_shared<DenseStore>(Matrix(Matrix::Ones(2, 3)));
  const Samples lent(store, {{SampleId{1}, SampleId{2}}, {0, 1}, {}, {}, {}}, Lifetime::lent);
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "unlimited");
  memory->keep(ToyExperience(lent, {1, 2}), work);
  store->overwrite(99.0F);
  EXPECT_EQ(memory->samples().rows(), Matrix::Ones(2, 3));
  const auto again = reloaded(memory, kRemembers, "unlimited");  // on no shelf, yet all there
  EXPECT_EQ(again->samples().rows(), Matrix::Ones(2, 3));
}

TEST(Unlimited, mixes_lasting_and_lent_samples_of_several_stores) {
  const Matrix a = random_rows(2, 3, 44);
  const Matrix b = random_rows(2, 3, 45);
  const Matrix c = random_rows(1, 3, 46);
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "unlimited");
  memory->keep(ToyExperience(with_ids(a, {1, 2}), {1, 1}), work);
  memory->keep(ToyExperience(with_ids(b, {3, 4}, Lifetime::lent), {2, 2}), work);
  memory->keep(ToyExperience(with_ids(c, {5}), {3}), work);
  EXPECT_EQ(ids_of(*memory.slot), (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
  Matrix all(5, 3);
  all << a, b, c;
  EXPECT_EQ(memory->samples().rows(), all);
  EXPECT_EQ(memory->labels(), toy_labels({1, 1, 2, 2, 3}));
  EXPECT_EQ(reloaded(memory, kRemembers, "unlimited")->samples().rows(), all);
  EXPECT_THROW(memory->keep(ToyExperience(with_ids(random_rows(1, 2, 1), {6}), {1}), work), Error);
}

TEST(Unlimited, knows_its_own_rows_when_the_features_have_moved) {
  const Samples all = with_ids(random_rows(5, 2, 47), {1, 2, 3, 4, 5});
  ToyWork work;
  for (const Index fresh : {Index{3}, Index{0}}) {  // 0: moved, though three are remembered
    auto memory = make_part<Memory>(kRemembers, "unlimited");
    memory->keep(ToyExperience(all.slice(0, 3), {1, 1, 2}), work);
    memory->keep(ToyExperience(all, {1, 1, 2, 2, 3}, {}, fresh), work);
    EXPECT_EQ(ids_of(*memory.slot), (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
    EXPECT_TRUE(Samples::share_store(memory->samples(), all));
    EXPECT_EQ(memory->labels(), toy_labels({1, 1, 2, 2, 3}));
  }
}

TEST(Unlimited, replaces_an_earlier_label_and_keeps_the_first_role) {
  const Samples all = with_ids(random_rows(3, 2, 48), {1, 2, 1});
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "unlimited");
  memory->keep(ToyExperience(all, {1, 1, 2}, {Role::hold, Role::fit, Role::fit}), work);
  EXPECT_EQ(ids_of(*memory.slot), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(memory->labels(), toy_labels({2, 1}));
  EXPECT_EQ(memory->roles().front(), Role::hold);
}

TEST(Unlimited, keeps_the_frames_groups_and_times) {
  Samples::Table table{{SampleId{1}, SampleId{2}}, {0, 1, 2}, {0, 2, 3}, {5, 6}, {0.5, 0.25}};
  const Samples samples(std::make_shared<const DenseStore>(random_rows(3, 2, 49)), table);
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "unlimited");
  memory->keep(ToyExperience(samples.lent(), {1, 2}), work);
  const auto again = reloaded(memory, kRemembers, "unlimited");
  EXPECT_EQ(again->samples().frame_rows(), samples.frame_rows());
  EXPECT_EQ(again->samples().frame_count(0), 2);
  EXPECT_EQ(again->samples().group(1), 6U);
  EXPECT_EQ(again->samples().time(1), 0.25);
}

std::map<Label, int> per_class(const Memory& memory) {
  std::map<Label, int> counts;
  for (const Label label : memory.labels()) {
    ++counts[label];
  }
  return counts;
}

TEST(ClassBalanced, shares_the_budget_and_gives_the_rest_to_the_largest) {
  // budget 8 over classes of 1, 2 and 9: share 2 each, but class 1 has one only; the three left go
  // to class 3, which alone has more.
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "class_balanced", "{budget: 8}");
  memory->keep(ToyExperience(random_rows(13, 2, 50), {1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0}),
               work);
  EXPECT_EQ(per_class(*memory.slot),
            (std::map<Label, int>{{Label{1}, 1}, {Label{2}, 2}, {Label{3}, 5}}));
  EXPECT_EQ(memory->samples().size(), 8);
}

TEST(ClassBalanced, chooses_the_same_samples_in_whatever_order_and_pieces_they_come) {
  const Matrix rows = random_rows(60, 3, 51);
  std::vector<int> labels;
  for (int i = 0; i < 60; ++i) {
    labels.push_back(i % 3 + 1);
  }
  const Samples all = toy_samples(rows);
  const auto sorted_ids = [](const Memory& memory) {
    const auto ids = ids_of(memory);
    return std::set<std::uint32_t>(ids.begin(), ids.end());
  };
  ToyWork work;
  auto once = make_part<Memory>(kRemembers, "class_balanced", "{budget: 12}");
  once->keep(ToyExperience(all, labels), work);
  auto pieces = make_part<Memory>(kRemembers, "class_balanced", "{budget: 12}");
  pieces->keep(ToyExperience(all.slice(30, 30), {labels.begin() + 30, labels.end()}), work);
  pieces = reloaded(pieces, kRemembers, "class_balanced", "{budget: 12}");
  pieces->keep(ToyExperience(all.slice(0, 30), {labels.begin(), labels.begin() + 30}), work);
  EXPECT_EQ(sorted_ids(*once.slot), sorted_ids(*pieces.slot));
  for (Index i = 0; i < pieces->samples().size(); ++i) {  // features and labels went along
    const auto id = static_cast<Index>(pieces->samples().id(i));
    EXPECT_EQ(pieces->samples().rows().row(i), rows.row(id));
    EXPECT_EQ(static_cast<int>(pieces->labels()[static_cast<std::size_t>(i)]), id % 3 + 1);
  }

  auto smaller = make_part<Memory>(kRemembers, "class_balanced", "{budget: 6}");
  smaller->keep(ToyExperience(all, labels), work);
  const auto few = sorted_ids(*smaller.slot);
  const auto many = sorted_ids(*once.slot);
  EXPECT_TRUE(std::includes(many.begin(), many.end(), few.begin(), few.end()));
}

TEST(ClassBalanced, owns_what_it_keeps) {
  const Samples samples = toy_samples(random_rows(6, 2, 52));
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "class_balanced", "{budget: 4}");
  memory->keep(ToyExperience(samples, {1, 1, 1, 2, 2, 2}), work);
  EXPECT_FALSE(Samples::share_store(memory->samples(), samples));
  EXPECT_EQ(StoreAccess::store(memory->samples())->rows(), 4);
  const auto again = reloaded(memory, kRemembers, "class_balanced", "{budget: 4}");
  EXPECT_EQ(again->samples().rows(), memory->samples().rows());
  EXPECT_EQ(again->labels(), memory->labels());
}

TEST(ClassBalanced, keeps_something_to_fit_on_of_every_class) {
  std::vector<Role> roles(20, Role::hold);
  roles[19] = Role::fit;
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "class_balanced", "{budget: 1}");
  memory->keep(ToyExperience(random_rows(20, 2, 53), std::vector<int>(20, 1), roles), work);
  EXPECT_EQ(memory->roles(), (std::vector<Role>{Role::fit}));
}

TEST(ClassBalanced, lives_with_fewer_slots_than_classes) {
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "class_balanced", "{budget: 2}");
  memory->keep(ToyExperience(random_rows(5, 2, 54), {1, 2, 3, 3, 2}), work);
  // Share 0; one each to the largest classes, 2 before 3 as the lower label.
  EXPECT_EQ(per_class(*memory.slot), (std::map<Label, int>{{Label{2}, 1}, {Label{3}, 1}}));
}

TEST(NoMemory, keeps_nothing) {
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "none");
  memory->keep(ToyExperience(random_rows(5, 2, 55), {1, 2, 3, 3, 2}), work);
  EXPECT_TRUE(memory->samples().empty());
  EXPECT_TRUE(memory->labels().empty());
}

TEST(Memories, can_be_saved_empty) {
  for (const char* name : {"unlimited", "class_balanced", "none"}) {
    const auto memory = make_part<Memory>(kRemembers, name);
    EXPECT_TRUE(reloaded(memory, kRemembers, name)->samples().empty());
  }
}

}  // namespace
}  // namespace tyto
