// SPDX-License-Identifier: Apache-2.0
// Predictors that read another source than "features" do as if it were called so.
#include "support/blobs.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

using testing_support::Blobs;
using testing_support::make_blobs;

// The logits of blobs under the name "features".
Samples renamed(const Blobs& blobs) {
  std::vector<DenseStore::Source> sources;
  sources.push_back({"features", blobs.samples.rows("logits"), {}});
  sources.back().columns = blobs.samples.column_names("logits");
  Samples::Table table;
  for (Index i = 0; i < blobs.samples.size(); ++i) {
    table.id.push_back(blobs.samples.id(i));
    table.row.push_back(i);
  }
  return Samples(std::make_shared<const DenseStore>(std::move(sources)), std::move(table));
}

Composition reader_of(const std::string& memory, const std::string& more) {
  const std::string yaml =
      "{name: reader, representation: standardise, classifier: ncm, detector: knn, memory: " +
      memory + more + "}";
  return Composition(read_predictor(parse_yaml(yaml, "test"), "predictor"), 5);
}

class ReadSource : public testing::TestWithParam<std::string> {};

TEST_P(ReadSource, is_read_by_every_part_and_remembered) {
  const Blobs first = make_blobs(0, 3, 40, 1, 0);
  const Blobs second = make_blobs(2, 4, 40, 2, 1000);
  const Blobs fresh = make_blobs(0, 5, 20, 3, 5000);
  Composition plain = reader_of(GetParam(), "");
  Composition reader = reader_of(GetParam(), ", features: logits");
  Progress silent;
  for (const Blobs* blobs : {&first, &second}) {
    Work one{Rng(1), silent};
    Work other{Rng(1), silent};
    plain.learn({renamed(*blobs), blobs->names, {}}, one);
    reader.learn({blobs->samples, blobs->names, {}}, other);
  }
  const Prediction expected = plain.predict(renamed(fresh));
  const Prediction got = reader.predict(fresh.samples);
  EXPECT_EQ(got.label, expected.label);
  EXPECT_EQ(got.probability, expected.probability);
  EXPECT_EQ(got.novelty, expected.novelty);

  State state;
  reader.save(state);
  Composition again = reader_of(GetParam(), ", features: logits");
  again.load(from_archive(to_archive(state), "saved"), StoreShelf({first.store, second.store}));
  EXPECT_EQ(again.predict(fresh.samples).novelty, expected.novelty);
}

INSTANTIATE_TEST_SUITE_P(Memories, ReadSource,
                         testing::Values("unlimited", "{name: class_balanced, budget: 60}"));

TEST(SourceRead, that_is_not_there_is_named_with_those_that_are) {
  const Blobs blobs = make_blobs(0, 2, 10, 1, 0);
  Composition reader = reader_of("unlimited", ", features: x3d");
  Progress silent;
  Work work{Rng(1), silent};
  try {
    reader.learn({blobs.samples, blobs.names, {}}, work);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no source \"x3d\"; there are: features, logits"));
  }
}

TEST(SourceRead, stands_in_the_configuration_only_where_it_is_another) {
  const auto written = [](const std::string& more) {
    return to_yaml(write_predictor(reader_of("unlimited", more).config()));
  };
  EXPECT_EQ(written("").find("features:"), std::string::npos);
  EXPECT_NE(written(", features: x3d").find("features: x3d"), std::string::npos);
}

}  // namespace
}  // namespace tyto
