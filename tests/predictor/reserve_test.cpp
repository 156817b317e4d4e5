// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/reserve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/blobs.hpp"
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

using testing_support::make_blobs;

TEST(Interleave, keeps_the_share_in_every_prefix) {
  // Share 0.25: round(t / 4) = 0 1 1 1 1 2 2 2 2 3 ... held-out rows among the first t (2: 0.5 up).
  EXPECT_EQ(interleave({90, 91, 92}, {1, 2, 3, 4, 5, 6, 7}, 0.25),
            (std::vector<Index>{1, 90, 2, 3, 4, 91, 5, 6, 7, 92}));
  for (const double share : {0.1, 0.3, 0.5, 0.9}) {
    std::vector<Index> held(200);
    std::vector<Index> asked(200);
    std::iota(held.begin(), held.end(), Index{1000});
    std::iota(asked.begin(), asked.end(), Index{0});
    const auto order = interleave(held, asked, share);
    ASSERT_EQ(order.size(), 400U);
    Index so_far = 0;
    for (std::size_t t = 1; t <= 200; ++t) {
      so_far += order[t - 1] >= 1000 ? 1 : 0;
      EXPECT_LE(std::abs(static_cast<double>(so_far) - share * static_cast<double>(t)), 0.5 + 1e-9);
      EXPECT_EQ(so_far, reserved(static_cast<Index>(t), 200, share));
    }
  }
}

TEST(Interleave, goes_on_with_one_side_where_the_other_has_ended) {
  EXPECT_EQ(interleave({}, {2, 1}, 0.5), (std::vector<Index>{2, 1}));
  EXPECT_EQ(interleave({8, 9}, {}, 0.1), (std::vector<Index>{8, 9}));
  EXPECT_EQ(interleave({8, 9}, {1}, 0.1), (std::vector<Index>{1, 8, 9}));
  EXPECT_EQ(interleave({8}, {1, 2, 3, 4}, 0.5), (std::vector<Index>{8, 1, 2, 3, 4}));
  EXPECT_EQ(interleave({8, 9}, {1, 2}, 0.0), (std::vector<Index>{1, 2, 8, 9}));
}

// The most novel first: what a hostile or merely keen requester does.
class NovelFirst final : public StatelessPart, public Requester {
 public:
  std::vector<Index> order(const Evidence& batch, Index, Work&) const override {
    std::vector<Index> rows(static_cast<std::size_t>(batch.size()));
    std::iota(rows.begin(), rows.end(), Index{0});
    std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) {
      return batch.novelty[static_cast<std::size_t>(a)] >
             batch.novelty[static_cast<std::size_t>(b)];
    });
    return rows;
  }
};

Composition keen_predictor(std::uint64_t seed, double holdout) {
  PredictorConfig config;
  config.accepted_error = 0.1;
  config.name = "keen";
  config.holdout = holdout;
  return Composition(config, seed, [] {
    const auto options = ConfigNode::empty_map();
    Parts parts;
    parts.fill(Slot::classifier, find_part(Slot::classifier, "ncm").make(options, "ncm"));
    parts.fill(Slot::detector, find_part(Slot::detector, "mahalanobis").make(options, "m"));
    parts.fill(Slot::memory, find_part(Slot::memory, "unlimited").make(options, "unlimited"));
    parts.fill(Slot::feedback, std::make_shared<NovelFirst>());
    return parts;
  });
}

TEST(Request, draws_held_out_rows_at_random_whatever_the_requester_wants) {
  Progress silent;
  Index held = 0;
  Index held_novel = 0;
  Index free_novel = 0;
  Index free = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Composition predictor = keen_predictor(seed, 0.2);
    const auto start = make_blobs(0, 3, 40, seed, 0);
    Work work{Rng(seed), silent};
    predictor.learn({start.samples, start.names, {}}, work);
    const auto batch = make_blobs(0, 4, 100, seed + 50, 1000);  // "class d" is new
    const auto order = predictor.request(batch.samples, 200, work);
    ASSERT_EQ(order.size(), 400U);
    Index in_prefix = 0;
    for (std::size_t t = 0; t < 200; ++t) {
      const bool is_held = role_of(batch.samples.id(order[t]), seed, 0.2) == Role::hold;
      const bool novel = batch.names[static_cast<std::size_t>(order[t])] == "class d";
      (is_held ? held : free) += 1;
      (is_held ? held_novel : free_novel) += novel ? 1 : 0;
      in_prefix += is_held ? 1 : 0;
    }
    EXPECT_EQ(in_prefix, 40);
  }
  // A quarter of the batch is new: binomial deviation sqrt(0.25 * 0.75 / n).
  const double deviation = std::sqrt(0.1875 / static_cast<double>(held));
  EXPECT_NEAR(static_cast<double>(held_novel) / static_cast<double>(held), 0.25, 3 * deviation);
  EXPECT_GT(static_cast<double>(free_novel) / static_cast<double>(free), 0.45);  // 80 of 160
}

// False alarms on fresh samples of known classes after half of a batch was labelled in this order.
double false_alarms_after(std::uint64_t seed, bool reserve) {
  Progress silent;
  Composition predictor = keen_predictor(seed, 0.2);
  const auto start = make_blobs(0, 3, 20, seed, 0);
  Work work{Rng(seed), silent};
  predictor.learn({start.samples, start.names, {}}, work);
  const auto batch = make_blobs(0, 3, 200, seed + 100, 1000);
  auto order = reserve ? predictor.request(batch.samples, 300, work)
                       : NovelFirst().order(predictor.evidence(batch.samples), 300, work);
  order.resize(300);
  std::vector<std::string> names;
  for (const Index row : order) {
    names.push_back(batch.names[static_cast<std::size_t>(row)]);
  }
  predictor.learn({batch.samples.pick(order), names, {}}, work);
  const Prediction out = predictor.predict(make_blobs(0, 3, 200, seed + 200, 9000).samples);
  return static_cast<double>(std::count(out.label.begin(), out.label.end(), Label::unknown)) /
         static_cast<double>(out.label.size());
}

TEST(Request, keeps_the_promised_false_alarms_under_a_keen_requester) {
  // Promised: 0.1. About 72 held-out samples a run: deviation 0.035, 0.008 over 20 runs. Where the
  // held-out samples were chosen as well, they are too novel and the threshold too high. Measured
  // over 200 seeds: 0.095 and 0.050.
  double kept = 0;
  double broken = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    kept += false_alarms_after(seed, true) / 20;
    broken += false_alarms_after(seed, false) / 20;
  }
  EXPECT_NEAR(kept, 0.1, 0.025) << broken;
  EXPECT_LT(broken, 0.075) << kept;
}

TEST(Request, asks_no_reserve_without_a_holdout) {
  Progress silent;
  PredictorConfig config;
  config.name = "all fit";
  config.holdout = 0.0;
  Composition predictor(config, 3, [] {
    Parts parts;
    parts.fill(Slot::classifier,
               find_part(Slot::classifier, "ncm").make(ConfigNode::empty_map(), "ncm"));
    parts.fill(Slot::feedback,
               find_part(Slot::feedback, "margin").make(ConfigNode::empty_map(), "margin"));
    return parts;
  });
  const auto start = make_blobs(0, 3, 20, 1, 0);
  Work work{Rng(1), silent};
  predictor.learn({start.samples, start.names, {}}, work);
  const auto order = predictor.request(start.samples, 60, work);
  Evidence evidence = predictor.evidence(start.samples);
  EXPECT_EQ(order, predictor.parts().feedback->order(evidence, 60, work));
}

}  // namespace
}  // namespace tyto
