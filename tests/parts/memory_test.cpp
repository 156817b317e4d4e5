// SPDX-License-Identifier: Apache-2.0
#include <numeric>
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
  // Share 0: one each to two classes, drawn by lot.
  EXPECT_EQ(memory->samples().size(), 2);
  EXPECT_EQ(per_class(*memory.slot).size(), 2U);
}

// Samples of so many frames each, of two columns.
Samples in_frames(const std::vector<Index>& counts, std::uint32_t first_id = 0) {
  Samples::Table table;
  table.first.push_back(0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    table.id.push_back(SampleId{first_id + static_cast<std::uint32_t>(i)});
    table.first.push_back(table.first.back() + counts[i]);
  }
  table.row.resize(static_cast<std::size_t>(table.first.back()));
  std::iota(table.row.begin(), table.row.end(), Index{0});
  auto store = std::make_shared<const DenseStore>(random_rows(table.first.back(), 2, 56));
  return Samples(std::move(store), std::move(table));
}

TEST(Budgets, count_frames_and_bytes) {
  // Two classes of four samples of 3 frames. 14 frames: 7 each, two samples, and 2 are left over.
  // A frame of two floats has 8 bytes, a sample 24: 100 bytes are 50 each, two samples.
  const Samples samples = in_frames({3, 3, 3, 3, 3, 3, 3, 3});
  const std::vector<int> labels{1, 1, 1, 1, 2, 2, 2, 2};
  ToyWork work;
  for (const char* name : {"class_balanced", "herding", "reservoir"}) {
    for (const char* budget :
         {"{budget: 4}", "{budget: 14, unit: frames}", "{budget: 100, unit: bytes}"}) {
      auto memory = make_part<Memory>(kRemembers, name, budget);
      memory->keep(ToyExperience(samples, labels), work);
      EXPECT_EQ(memory->samples().size(), 4) << name << budget;
      const Holding holding = memory.part->holding();
      EXPECT_EQ(holding.samples, 4);
      EXPECT_EQ(holding.frames, 12);
      EXPECT_EQ(holding.bytes, 96);
      if (std::string(name) != "reservoir") {
        EXPECT_EQ(per_class(*memory.slot), (std::map<Label, int>{{Label{1}, 2}, {Label{2}, 2}}));
      }
    }
  }
}

TEST(Budgets, of_a_class_stay_with_it) {
  ToyWork work;
  for (const char* name : {"class_balanced", "herding"}) {
    auto memory = make_part<Memory>(kRemembers, name, "{budget: 2, per: class}");
    memory->keep(ToyExperience(random_rows(7, 2, 57), {1, 1, 1, 1, 2, 3, 3}), work);
    EXPECT_EQ(per_class(*memory.slot),
              (std::map<Label, int>{{Label{1}, 2}, {Label{2}, 1}, {Label{3}, 2}}))
        << name;
  }
}

TEST(Budgets, a_sample_too_large_for_the_share_does_not_keep_the_others_out) {
  // Class 1 has samples of 9, 9, 1, 1 frames, class 2 of 1, 1: a share of 4 each.
  const Samples samples = in_frames({9, 9, 1, 1, 1, 1});
  ToyWork work;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ToyWork own(seed);
    auto memory = make_part<Memory>(kRemembers, "class_balanced", "{budget: 8, unit: frames}");
    memory->keep(ToyExperience(samples, {1, 1, 1, 1, 2, 2}), own);
    EXPECT_GE(per_class(*memory.slot)[Label{1}], 1) << seed;
    EXPECT_EQ(per_class(*memory.slot)[Label{2}], 2) << seed;
    EXPECT_LE(memory.part->holding().frames, 8);
  }
  // What fits nobody's share may have what all leave over: 6 of 8, 4 each and class 2 takes 2.
  auto memory = make_part<Memory>(kRemembers, "class_balanced", "{budget: 8, unit: frames}");
  memory->keep(ToyExperience(in_frames({6, 6, 1, 1}), {1, 1, 2, 2}), work);
  EXPECT_EQ(per_class(*memory.slot), (std::map<Label, int>{{Label{1}, 1}, {Label{2}, 2}}));
}

// The order of herding by brute force.
std::vector<std::uint32_t> herded_ids(const Matrix& rows, Index count) {
  const Eigen::RowVectorXd mean = rows.cast<double>().colwise().mean();
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
  std::vector<std::uint32_t> order;
  std::vector<bool> taken(static_cast<std::size_t>(rows.rows()), false);
  for (Index k = 1; k <= count; ++k) {
    Index best = -1;
    double least = 0;
    for (Index i = 0; i < rows.rows(); ++i) {
      const double off =
          ((sum + rows.row(i).cast<double>()) / static_cast<double>(k) - mean).norm();
      if (!taken[static_cast<std::size_t>(i)] && (best < 0 || off < least)) {
        best = i;
        least = off;
      }
    }
    taken[static_cast<std::size_t>(best)] = true;
    order.push_back(static_cast<std::uint32_t>(best));
    sum += rows.row(best).cast<double>();
  }
  return order;
}

std::set<std::uint32_t> id_set(const Memory& memory) {
  const auto ids = ids_of(memory);
  return {ids.begin(), ids.end()};
}

TEST(Herding, of_a_hand_worked_case) {
  // 0, 1, 2, 9 have the mean 3. The nearest is 2; with it 1 gives 1.5, 9 gives 5.5, 0 gives 1, so
  // 1; then 9 makes the mean 4, 0 makes it 1, so 9.
  Matrix rows(4, 1);
  rows << 0, 1, 2, 9;
  ToyWork work;
  const std::vector<std::set<std::uint32_t>> expected{{2}, {1, 2}, {1, 2, 3}, {0, 1, 2, 3}};
  for (std::size_t budget = 1; budget <= 4; ++budget) {
    auto memory = make_part<Memory>(kRemembers, "herding", fmt::format("{{budget: {}}}", budget));
    memory->keep(ToyExperience(rows, {1, 1, 1, 1}), work);
    EXPECT_EQ(id_set(*memory.slot), expected[budget - 1]);
  }
}

TEST(Herding, agrees_with_brute_force_and_drops_the_last_taken_first) {
  const Matrix rows = random_rows(50, 4, 58);
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "herding", "{budget: 20}");
  memory->keep(ToyExperience(rows, std::vector<int>(50, 1)), work);
  const auto order = herded_ids(rows, 20);
  EXPECT_EQ(id_set(*memory.slot), std::set<std::uint32_t>(order.begin(), order.end()));
  // Another class comes: ten are left of the first, those taken first, however the features moved.
  memory = reloaded(memory, kRemembers, "herding", "{budget: 20}");
  memory->keep(ToyExperience(toy_samples(random_rows(30, 4, 59), 100), std::vector<int>(30, 2)),
               work);
  std::set<std::uint32_t> expected(order.begin(), order.begin() + 10);
  std::set<std::uint32_t> left;
  for (const std::uint32_t id : id_set(*memory.slot)) {
    if (id < 100) {
      left.insert(id);
    }
  }
  EXPECT_EQ(left, expected);
  EXPECT_EQ(memory->samples().size(), 20);
}

TEST(Herding, draws_held_out_samples_in_proportion_and_at_random) {
  // 60 fit and 30 hold on a line: of 30 kept 10 are held out, and not those in the middle.
  Matrix rows(90, 1);
  std::vector<Role> roles;
  for (Index i = 0; i < 90; ++i) {
    rows(i, 0) = static_cast<float>(i);
    roles.push_back(i % 3 == 2 ? Role::hold : Role::fit);
  }
  double mean = 0;
  double spread = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    ToyWork work(seed);
    auto memory = make_part<Memory>(kRemembers, "herding", "{budget: 30}");
    memory->keep(ToyExperience(rows, std::vector<int>(90, 1), roles), work);
    ASSERT_EQ(std::count(memory->roles().begin(), memory->roles().end(), Role::hold), 10);
    for (std::size_t i = 0; i < memory->roles().size(); ++i) {
      if (memory->roles()[i] == Role::hold) {
        const double value = static_cast<double>(ids_of(*memory.slot)[i]);
        mean += value / 500;
        spread += (value - 45.5) * (value - 45.5) / 500;
      }
    }
  }
  EXPECT_NEAR(mean, 45.5, 3.0);             // of 2, 5, ..., 89
  EXPECT_NEAR(std::sqrt(spread), 26.0, 2);  // sqrt((30^2 - 1) / 12) x 3
}

TEST(Reservoir, keeps_every_sample_equally_often_whenever_it_came) {
  const Matrix rows = random_rows(40, 2, 60);
  const Samples all = toy_samples(rows);
  std::vector<int> kept(40, 0);
  constexpr int kSeeds = 2000;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ToyWork work(seed);
    auto memory = make_part<Memory>(kRemembers, "reservoir", "{budget: 10}");
    for (Index begin = 0; begin < 40; begin += 8) {
      memory->keep(ToyExperience(all.slice(begin, 8), std::vector<int>(8, 1)), work);
    }
    EXPECT_EQ(memory->samples().size(), 10);
    for (const std::uint32_t id : ids_of(*memory.slot)) {
      ++kept[id];
    }
  }
  double chi_squared = 0;  // each is kept with probability 1/4: 500 of 2000 times
  for (const int count : kept) {
    chi_squared += (count - 500.0) * (count - 500.0) / (500.0 * 0.75);
  }
  EXPECT_LT(chi_squared, 73.4);  // of 39 degrees of freedom, once in 1500
}

TEST(Reservoir, does_not_depend_on_how_lessons_are_cut_and_counts_a_sample_once) {
  const Samples all = in_frames({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8});
  ToyWork work;
  for (const char* budget : {"{budget: 5}", "{budget: 20, unit: frames}"}) {
    auto once = make_part<Memory>(kRemembers, "reservoir", budget);
    once->keep(ToyExperience(all, std::vector<int>(12, 1)), work);
    auto pieces = make_part<Memory>(kRemembers, "reservoir", budget);
    for (const Index begin : {8, 0, 4, 0}) {
      pieces->keep(ToyExperience(all.slice(begin, 4), std::vector<int>(4, 1)), work);
      pieces = reloaded(pieces, kRemembers, "reservoir", budget);
    }
    EXPECT_EQ(id_set(*once.slot), id_set(*pieces.slot)) << budget;
  }
}

TEST(NoMemory, keeps_nothing) {
  ToyWork work;
  auto memory = make_part<Memory>(kRemembers, "none");
  memory->keep(ToyExperience(random_rows(5, 2, 55), {1, 2, 3, 3, 2}), work);
  EXPECT_TRUE(memory->samples().empty());
  EXPECT_TRUE(memory->labels().empty());
}

TEST(Memories, can_be_saved_empty) {
  for (const char* name : {"unlimited", "class_balanced", "herding", "reservoir", "none"}) {
    const auto memory = make_part<Memory>(kRemembers, name);
    EXPECT_TRUE(reloaded(memory, kRemembers, name)->samples().empty());
  }
}

}  // namespace
}  // namespace tyto
