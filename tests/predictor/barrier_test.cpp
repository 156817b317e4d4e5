// SPDX-License-Identifier: Apache-2.0
// A part that tries every door learns nothing of the store behind its samples.
#include <bit>
#include <numeric>

#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

// What would tell a row number or give the store away must not be there for whoever has no key.
template <class T>
concept GivesStore = requires(const T& samples) {
  samples.store();
}

|| requires(const T& samples) {
  samples.store_;
};

template <class T>
concept GivesRows = requires(const T& samples) {
  samples.frames(Index{0});
};

template <class T>
concept GivesTable = requires(const T& samples) {
  samples.table_;
}

|| requires(const T& samples) {
  samples.table();
};

template <class T>
concept GivesDigest = requires(const T& samples) {
  samples.digest();
};

static_assert(!GivesStore<Samples> && !GivesRows<Samples> && !GivesTable<Samples>);
static_assert(!GivesStore<Evidence> && !GivesRows<Evidence>);
static_assert(!GivesStore<Experience> && !GivesRows<Experience> && !GivesTable<Experience>);
static_assert(!GivesStore<Memory> && !GivesStore<Neighbourhood>);
static_assert(!GivesDigest<Samples> && !GivesDigest<Evidence> && !GivesDigest<Experience>);
// The concepts do see what is there.
static_assert(GivesDigest<FeatureStore>);

using Seen = std::vector<std::uint64_t>;

void see(const Matrix& values, Seen& seen) {
  seen.push_back(static_cast<std::uint64_t>(values.rows()));
  for (Index i = 0; i < values.size(); ++i) {
    seen.push_back(std::bit_cast<std::uint32_t>(values.data()[i]));
  }
}

// Every public member of samples.
void see_all(const Samples& samples, Seen& seen, int depth = 0) {
  seen.push_back(static_cast<std::uint64_t>(samples.size()));
  seen.push_back(samples.empty() ? 1 : 0);
  seen.push_back(samples.one_row_each() ? 1 : 0);
  seen.push_back(static_cast<std::uint64_t>(samples.lifetime()));
  for (Index i = 0; i < samples.size(); ++i) {
    seen.push_back(static_cast<std::uint64_t>(samples.id(i)));
    seen.push_back(samples.group(i));
    seen.push_back(std::bit_cast<std::uint64_t>(samples.time(i)));
    seen.push_back(static_cast<std::uint64_t>(samples.frame_count(i)));
  }
  seen.push_back(static_cast<std::uint64_t>(samples.width()));
  seen.push_back(samples.column_names("features").size());
  see(samples.rows(), seen);
  see(samples.frame_rows(), seen);
  if (depth == 0 && !samples.empty()) {
    const std::vector<Index> backwards{samples.size() - 1, 0};
    see_all(samples.pick(backwards), seen, 1);
    see_all(samples.slice(0, 1), seen, 1);
    see_all(samples.lent(), seen, 1);
    see_all(samples.thinned(1), seen, 1);
    see_all(Samples::joined(samples, samples), seen, 1);
    see_all(Samples::stacked(std::vector{samples, samples}), seen, 1);
    seen.push_back(Samples::share_store(samples, samples) ? 1 : 0);
  }
}

struct Peeking final : StatelessPart, Classifier, Detector, Requester {
  explicit Peeking(std::shared_ptr<Seen> to) : seen(std::move(to)) {}

  void learn(const Experience& experience, Work&) override {
    std::vector<Index> all(static_cast<std::size_t>(experience.size()));
    std::iota(all.begin(), all.end(), Index{0});
    see_all(experience.samples(all), *seen);
    see(experience.features(all), *seen);
    seen->push_back(static_cast<std::uint64_t>(experience.fresh()));
    for (const Label label : experience.labels()) {
      seen->push_back(static_cast<std::uint64_t>(label));
    }
    for (const Role role : experience.roles()) {
      seen->push_back(static_cast<std::uint64_t>(role));
    }
    experience.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label>) {
      see_all(block.samples, *seen);
    });
  }

  void classify(Evidence& evidence) const override {
    see_all(evidence.samples, *seen);
    see(evidence.features, *seen);
    evidence.classes = {Label{1}, Label{2}};
    evidence.logits = evidence.features.leftCols(2);
  }

  void detect(Evidence& evidence) const override {
    see_all(evidence.samples, *seen);
    evidence.novelty.assign(static_cast<std::size_t>(evidence.size()), 0.5F);
  }

  std::vector<Index> order(const Evidence& batch, Index, Work&) const override {
    see_all(batch.samples, *seen);
    std::vector<Index> rows(static_cast<std::size_t>(batch.size()));
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }

  std::shared_ptr<Seen> seen;
};

// Twenty samples of one or two frames; frame f of sample i is the row place[..] of the file.
Samples laid_out(const std::vector<Index>& place, Index rows) {
  Matrix values = Matrix::Constant(rows, 3, -1.0F);  // rows of others
  Samples::Table table;
  table.first.push_back(0);
  std::size_t next = 0;
  for (Index i = 0; i < 20; ++i) {
    for (Index f = 0; f < 1 + i % 2; ++f, ++next) {
      values.row(place[next]) << static_cast<float>(i), static_cast<float>(f), 1.0F;
      table.row.push_back(place[next]);
    }
    table.id.push_back(static_cast<SampleId>(100 - i));
    table.group.push_back(static_cast<std::uint32_t>(i % 3));
    table.time.push_back(static_cast<double>(i));
    table.first.push_back(static_cast<Index>(next));
  }
  return Samples(std::make_shared<const DenseStore>(values), std::move(table));
}

Seen all_that_is_seen(const Samples& samples) {
  const auto seen = std::make_shared<Seen>();
  PredictorConfig config;
  config.name = "peeking";
  Composition predictor(config, 5, [&] {
    Parts parts;
    const auto peeking = std::make_shared<Peeking>(seen);
    for (const Slot slot : {Slot::classifier, Slot::detector, Slot::feedback}) {
      parts.fill(slot, peeking);
    }
    parts.fill(Slot::memory,
               find_part(Slot::memory, "unlimited").make(ConfigNode::empty_map(), "memory"));
    return parts;
  });
  Progress silent;
  Work work{Rng(1), silent};
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) {
    names.emplace_back(i % 2 == 0 ? "a" : "b");
  }
  predictor.learn({samples.slice(0, 10), names, {}}, work);
  (void)predictor.predict(samples);
  (void)predictor.request(samples.slice(10, 10), 3, work);
  predictor.learn({samples.slice(10, 10), names, {}}, work);
  (void)predictor.predict(samples);
  return *seen;
}

TEST(Barrier, a_part_cannot_tell_one_layout_of_the_file_from_another) {
  std::vector<Index> in_order(30);
  std::iota(in_order.begin(), in_order.end(), Index{0});
  const Seen plain = all_that_is_seen(laid_out(in_order, 30));
  EXPECT_GT(plain.size(), 1000U);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Rng rng(seed, "layout");
    std::vector<Index> scattered = rng.permutation(200);  // among 170 rows of others
    EXPECT_EQ(all_that_is_seen(laid_out(scattered, 200)), plain);
  }
}

}  // namespace
}  // namespace tyto
