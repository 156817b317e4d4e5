// SPDX-License-Identifier: Apache-2.0
// Categories among pictures, by a network that learns from the very pictures it sorts.
#include "support/blobs.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/measure/formulas/matching.hpp"
#include "tyto/predictor/composition/composition.hpp"
#include "tyto/world/clips/clips.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

// Pictures of eight kinds of things at any place before any background: those of the first four
// kinds are labelled in part, the others are new.
class PictureDiscovery : public testing::Test {
 protected:
  static constexpr Index kKinds = 8, kVideos = 36;

  void SetUp() override {
    ClipOptions options;
    options.classes = kKinds;
    options.videos = kVideos;
    options.told_by = "appearance";
    options.width = options.height = 16;
    options.background = 0;
    const Dataset data = make_clips(options, 7);
    store_ = data.store;
    Samples::Table known, asked;
    Index first = 0;
    for (std::size_t v = 0; v < data.table.id.size(); ++v) {
      const bool labelled = v / kVideos < kKinds / 2 && v % 2 == 0;
      Samples::Table& table = labelled ? known : asked;
      table.id.push_back(static_cast<SampleId>(v));
      table.row.push_back(first + static_cast<Index>(v) % data.table.frames[v]);  // any pose
      (labelled ? known_names_ : names_).push_back(data.table.label[v]);
      first += data.table.frames[v];
    }
    known_ = Samples(store_, std::move(known));
    asked_ = Samples(store_, std::move(asked));
  }

  [[nodiscard]] static PredictorConfig config(const std::string& recogniser) {
    return read_predictor(
        parse_yaml("{name: gcd, features: rgb, classifier: ncm, memory: unlimited, fusion: groups, "
                   "recogniser: {" +
                       recogniser + ", known: true, promote: [size], fewest: 1}}",
                   "gcd.yaml"),
        "p");
  }

  void show(Composition& predictor) {
    predictor.learn({known_, known_names_, {}}, work_);
    predictor.expect_classes(kKinds);
    predictor.observe(asked_, work_);
  }

  double accuracy(const std::string& recogniser) {
    Composition predictor(config(recogniser), 1);
    show(predictor);
    const Prediction out = predictor.predict(asked_);
    std::vector<std::string> said;
    for (const Label label : out.label) {
      said.push_back(predictor.labels().name(label));
    }
    return *match_groups(Confusion::from(names_, said)).accuracy();
  }

  std::shared_ptr<const FeatureStore> store_;
  Samples known_, asked_;
  std::vector<std::string> known_names_, names_;
  Progress silent_;
  Work work_{Rng(1), silent_};
};

TEST_F(PictureDiscovery, is_far_better_by_a_network_that_learned_than_by_pixels) {
  const double pixels = accuracy("name: ss_kmeans");
  const double unlearned = accuracy("name: gcd_network, network: {epochs: 0}");
  const double learned = accuracy("name: gcd_network, network: {epochs: 40}");
  EXPECT_GT(learned, pixels + 0.2);
  EXPECT_GT(learned, unlearned + 0.1);
  EXPECT_GT(learned, 0.65);
}

TEST_F(PictureDiscovery, is_the_same_after_save_and_load) {
  const std::string recogniser = "name: gcd_network, network: {epochs: 2}";
  Composition predictor(config(recogniser), 1);
  show(predictor);
  State state;
  predictor.save(state);
  Composition again(config(recogniser), 1);
  again.load(from_archive(to_archive(state), "saved"), StoreShelf({store_}));
  EXPECT_EQ(again.predict(asked_).probability, predictor.predict(asked_).probability);
  Work one{Rng(5), silent_};
  Work other{Rng(5), silent_};
  predictor.observe(known_, one);  // learns once more
  again.observe(known_, other);
  State after, again_after;
  predictor.save(after);
  again.save(again_after);
  EXPECT_EQ(to_archive(after), to_archive(again_after));
}

TEST_F(PictureDiscovery, refuses_what_are_no_pictures_and_networks_of_clips) {
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused([] { (void)config("name: gcd_network, network: {trunk: i3d_small}"); }),
              HasSubstr("network.trunk: i3d_small sees clips"));
  EXPECT_THAT(refused([] { (void)config("name: gcd_network, network: {trunk: cnn_smal}"); }),
              HasSubstr("cnn_small"));
  EXPECT_THAT(refused([] { (void)config("name: gcd_network, cluster: {startz: 1}"); }),
              HasSubstr("cluster"));
  const testing_support::Blobs rows = testing_support::make_blobs(0, 3, 20, 1, 0);
  PredictorConfig of_rows = config("name: gcd_network");
  of_rows.features = "features";
  Composition predictor(of_rows, 1);
  EXPECT_THAT(refused([&] {
                predictor.learn({rows.samples, rows.names, {}}, work_);
                predictor.observe(rows.samples, work_);
              }),
              HasSubstr("rows of 6 numbers are no square pictures"));
}

}  // namespace
}  // namespace tyto
