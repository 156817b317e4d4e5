// SPDX-License-Identifier: Apache-2.0
// Rows as wide as pictures are gathered a few at a time.
#include <algorithm>

#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"
#include "tyto/predictor/composition/gathered.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {
namespace {

// Pictures of 3 x 234 x 256 floats that nobody keeps; it notes the most it was asked for at once.
struct PictureStore final : FeatureStore {
  [[nodiscard]] Index rows() const override { return 400; }

  [[nodiscard]] std::vector<std::string> sources() const override { return {"features"}; }

  [[nodiscard]] std::vector<Index> shape(std::string_view) const override { return {3, 234, 256}; }

  void gather(std::string_view, Rows rows, MatrixRef out) const override {
    most_bytes = std::max<Index>(most_bytes, out.size() * Index{sizeof(float)});
    total_rows += static_cast<Index>(rows.size());
    out.setZero();
  }

  [[nodiscard]] std::vector<std::string> column_names(std::string_view) const override {
    return {};
  }

  [[nodiscard]] std::string digest() const override { return "pictures"; }

  mutable Index most_bytes = 0, total_rows = 0;
};

struct TwoColumns final : StatelessPart, Classifier {
  void learn(const Experience&, Work&) override {}

  void classify(Evidence& evidence) const override {
    evidence.classes = {Label{1}, Label{2}};
    evidence.logits = evidence.features.leftCols(2);
  }
};

TEST(WideRows, are_predicted_and_visited_in_blocks_of_bytes) {
  const auto store = std::make_shared<const PictureStore>();
  Samples::Table table;
  for (Index i = 0; i < store->rows(); ++i) {
    table.id.push_back(static_cast<SampleId>(i));
    table.row.push_back(i);
  }
  const Samples samples(store, std::move(table));
  PredictorConfig config;
  config.name = "wide";
  Composition predictor(config, 5, [] {
    Parts parts;
    parts.fill(Slot::classifier, std::make_shared<TwoColumns>());
    return parts;
  });
  Progress silent;
  Work work{Rng(1), silent};
  predictor.learn({samples.slice(0, 2), {"a", "b"}, {}}, work);
  store->total_rows = 0;
  EXPECT_EQ(predictor.predict(samples).label.size(), 400U);
  EXPECT_EQ(store->total_rows, 400);
  EXPECT_LE(store->most_bytes, kBlockBytes);
  EXPECT_GT(store->most_bytes, kBlockBytes / 2);

  store->total_rows = store->most_bytes = 0;
  const LabelSpace space;
  Gathered experience({}, {}, {}, samples, std::vector<Label>(400, Label{1}),
                      std::vector<Role>(400, Role::fit), space);
  Index visited = 0;
  experience.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label>) {
    visited += block.size();
  });
  EXPECT_EQ(visited, 400);
  EXPECT_EQ(store->total_rows, 400);
  EXPECT_LE(store->most_bytes, kBlockBytes);
}

}  // namespace
}  // namespace tyto
