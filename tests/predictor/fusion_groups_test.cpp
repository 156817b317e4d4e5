// SPDX-License-Identifier: Apache-2.0
// A recogniser that decides for every sample, known classes among its columns.
#include <algorithm>
#include <map>

#include "support/blobs.hpp"
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

using testing_support::Blobs;
using testing_support::make_blobs;

TEST(FusionGroups, known_and_discovered_classes_are_named_without_a_detector) {
  for (const char* recogniser :
       {"{name: finch, known: true, promote: [size]}",
        "{name: ss_kmeans, known: true, promote: [size], cluster: {groups: 5}}"}) {
    const auto config = read_predictor(
        parse_yaml(std::string("{name: gcd, classifier: ncm, memory: unlimited, fusion: groups, "
                               "recogniser: ") +
                       recogniser + "}",
                   "gcd.yaml"),
        "p");
    Composition predictor(config, 1);
    Progress silent;
    Work work{Rng(1), silent};
    const Blobs known = make_blobs(0, 3, 60, 1, 0);
    predictor.learn({known.samples, known.names, {}}, work);
    EXPECT_EQ(predictor.predict(known.samples).label.front(),
              predictor.labels().find(known.names.front()))
        << "nothing is found yet: the classifier's";
    predictor.observe(make_blobs(0, 5, 40, 2, 1000).samples, work);
    const Blobs fresh = make_blobs(0, 5, 40, 3, 5000);
    const Prediction out = predictor.predict(fresh.samples);
    std::map<std::string, std::map<std::string, Index>> called;
    for (Index i = 0; i < fresh.samples.size(); ++i) {
      ++called[fresh.names[at(i)]][predictor.labels().name(out.label[at(i)])];
    }
    for (const char* name : {"class a", "class b", "class c"}) {
      EXPECT_GE(called[name][name], 36) << recogniser;
    }
    for (const char* name : {"class d", "class e"}) {
      const auto& said = called[name];
      const auto most =
          std::max_element(said.begin(), said.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      EXPECT_TRUE(most->first.starts_with("discovered_")) << name << " is " << most->first;
      EXPECT_GE(most->second, 36) << recogniser;
    }
  }
}

TEST(FusionGroups, is_refused_without_a_recogniser) {
  const auto config =
      read_predictor(parse_yaml("{name: x, classifier: ncm, fusion: groups}", "x"), "p");
  EXPECT_THROW(Composition(config, 1), Error);
  EXPECT_THROW(read_predictor(parse_yaml("{name: x, fusion: groups}", "x"), "p"), Error);
  EXPECT_EQ(
      read_predictor(parse_yaml("{name: x, recogniser: finch, fusion: groups}", "x"), "p").fusion,
      Fusion::groups);
}

}  // namespace
}  // namespace tyto
