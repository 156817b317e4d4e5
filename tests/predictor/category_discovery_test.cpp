// SPDX-License-Identifier: Apache-2.0
// Recognisers whose clusterer is a model: they decide for every sample as it was grouped.
#include <algorithm>
#include <map>
#include <set>

#include "support/blobs.hpp"
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

using testing_support::Blobs;
using testing_support::make_blobs;

class CategoryDiscovery : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static PredictorConfig config() {
    const std::string yaml =
        "{name: gcd, classifier: ncm, memory: unlimited, fusion: groups, recogniser: {name: " +
        GetParam() + (GetParam() == "gcd_network" ? ", network: {trunk: '', epochs: 20}" : "") +
        ", known: true, promote: [size], fewest: 1}}";
    return read_predictor(parse_yaml(yaml, "gcd.yaml"), "p");
  }

  Progress silent_;
  Work work_{Rng(1), silent_};
};

TEST_P(CategoryDiscovery, names_known_classes_and_groups_new_ones) {
  Composition predictor(config(), 1);
  const Blobs known = make_blobs(0, 3, 60, 1, 0);
  predictor.learn({known.samples, known.names, {}}, work_);
  predictor.expect_classes(5);
  const Blobs mixture = make_blobs(0, 5, 80, 2, 1000);  // more of each class than guides
  predictor.observe(mixture.samples, work_);
  for (const Blobs& asked : {mixture, make_blobs(0, 5, 40, 3, 5000)}) {
    const Prediction out = predictor.predict(asked.samples);
    std::map<std::string, std::map<std::string, Index>> called;
    for (Index i = 0; i < asked.samples.size(); ++i) {
      ++called[asked.names[at(i)]][predictor.labels().name(out.label[at(i)])];
    }
    const Index each = asked.samples.size() / 5;
    for (const char* name : {"class a", "class b", "class c"}) {
      EXPECT_GE(called[name][name], each * 9 / 10) << name;
    }
    std::set<std::string> found;
    for (const char* name : {"class d", "class e"}) {
      const auto& said = called[name];
      const auto most =
          std::max_element(said.begin(), said.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      EXPECT_TRUE(most->first.starts_with("discovered_")) << name << " is " << most->first;
      EXPECT_GE(most->second, each * 9 / 10) << name;
      found.insert(most->first);
    }
    EXPECT_EQ(found.size(), 2U);
  }
}

TEST_P(CategoryDiscovery, is_the_same_after_save_and_load) {
  Composition predictor(config(), 1);
  const Blobs known = make_blobs(0, 3, 40, 1, 0);
  predictor.learn({known.samples, known.names, {}}, work_);
  predictor.expect_classes(5);
  const Blobs mixture = make_blobs(0, 5, 30, 2, 1000);
  predictor.observe(mixture.samples, work_);
  State state;
  predictor.save(state);
  const StoreShelf shelf({known.store});
  Composition again(config(), 1);
  again.load(state, shelf);
  EXPECT_EQ(again.predict(mixture.samples).probability,
            predictor.predict(mixture.samples).probability);
}

TEST_P(CategoryDiscovery, answers_where_there_is_little_to_find) {
  for (const Index expected : {0, 1, 3, 1000}) {  // estimated, too few, no new class, too many
    Composition predictor(config(), 1);
    const Blobs known = make_blobs(0, 3, 20, 1, 0);
    predictor.learn({known.samples, known.names, {}}, work_);
    predictor.expect_classes(expected);
    const Blobs same = make_blobs(0, 3, 10, 2, 1000);  // no new class
    predictor.observe(same.samples, work_);
    const Prediction out = predictor.predict(same.samples);
    EXPECT_TRUE(out.probability.allFinite());
    EXPECT_EQ(out.probability.rows(), 30);
    if (expected == 3) {
      for (Index i = 0; i < 30; ++i) {
        EXPECT_EQ(predictor.labels().name(out.label[at(i)]), same.names[at(i)]);
      }
    }
  }
}

TEST_P(CategoryDiscovery, answers_for_one_known_class) {
  Composition predictor(config(), 1);
  const Blobs one = make_blobs(0, 1, 20, 1, 0);
  predictor.learn({one.samples, one.names, {}}, work_);
  predictor.expect_classes(2);
  const Blobs both = make_blobs(0, 2, 20, 2, 1000);
  predictor.observe(both.samples, work_);
  const Prediction out = predictor.predict(both.samples);
  std::set<Label> said(out.label.begin(), out.label.end());
  EXPECT_EQ(said.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Models, CategoryDiscovery,
                         testing::Values("ss_kmeans", "ss_gmm", "simgcd", "pim", "gcd_contrastive",
                                         "gcd_network"),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace tyto
