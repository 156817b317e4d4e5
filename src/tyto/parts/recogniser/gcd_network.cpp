// SPDX-License-Identifier: Apache-2.0
// gcd_contrastive end to end: what rows are grouped by is learned by a network, of pictures or of
// features, from all of them and from the labels there are.
#include <fmt/format.h>

#include "tyto/cluster/row_views.hpp"
#include "tyto/core/error.hpp"
#include "tyto/math/unit_rows.hpp"
#include "tyto/nn/backbones.hpp"
#include "tyto/nn/module.hpp"
#include "tyto/nn/trunk_words.hpp"
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

namespace {

constexpr std::string_view kNetworkClusterer = "ss_kmeans";

struct SpaceNetworkOptions {
  std::string trunk = "cnn_small", weights, taught = "whole", augment = "shift_flip";
  Index picture_height = 0, hidden = 128, width = 64, epochs = 60, batch = 128;
  double weight = 0.35, temperature = 0.1, learning_rate = 1e-3, decay = 0.0;
  ViewOptions views;

  void describe(OptionVisitor& v) {
    v.field(
        "trunk", trunk, {},
        "network of pictures (`tyto list backbone`), whose features rows are grouped by; empty: "
        "rows are features, and one hidden layer learns from them");
    v.field("weights", weights, {}, "file of tensors that the trunk begins with; none: drawn");
    v.field("taught", taught, kTaughtWords, "of the trunk: all, its last block, nothing");
    v.field("picture_height", picture_height, {0, 1e5}, "in pixels; 0: pictures are square");
    v.field("augment", augment, kAugmentWords,
            "what a view of a picture is: flip mirrors half of them, shift_flip moves them too, by "
            "up to an eighth");
    v.field("hidden", hidden, {1, 1e6}, "units where there is no trunk");
    v.field("width", width, {1, 1e5}, "outputs that are contrasted, and then left aside");
    v.field("weight", weight, {0, 1},
            "of the contrast among labelled rows, that of views has the rest");
    v.field("temperature", temperature, {1e-3, 1e3},
            "that similarities are divided by, of both kinds of contrast");
    v.field("learning_rate", learning_rate, {1e-9, 10}, "of Adam; falls to 0 along a cosine");
    v.field("decay", decay, {0, 10}, "of the weights");
    v.field("epochs", epochs, {0, 1e6}, "over all rows; 0: the weights stay as they begin");
    v.field("batch", batch, {2, 1e6}, "rows of a step, each in two views");
    v.section(
        "views", [this](OptionVisitor& inner) { views.describe(inner); },
        "of rows that are features");
  }
};

class NetworkSpace final : public LearnedSpace {
 public:
  explicit NetworkSpace(SpaceNetworkOptions options) : options_(std::move(options)) {}

  void learn(const MatrixView& rows, std::span<const std::int32_t> labels, Work& work) override {
    inputs_ = rows.cols();
    shift_ = rows.cast<double>().colwise().mean().cast<float>();
    net_ = nn_module().make_network(settings(), work.rng.fork("weights"));
    if (rows.rows() < 2 || options_.epochs == 0) {
      return;
    }
    Work own = work.fork("fit");
    if (options_.trunk.empty()) {
      const Matrix unit = shown(rows);
      const RowViews views(unit, options_.views, own);
      fit(labels, own, [&](const std::vector<Index>& which, const Rng& rng) {
        return views.draw(which, rng.key() >> 32);
      });
    } else {
      const RowSize size = picture_size(inputs_, options_.picture_height);
      const auto how = named_value<Augment>(options_.augment, kAugmentWords);
      fit(labels, own, [&](const std::vector<Index>& which, const Rng& rng) {
        Matrix pictures = rows(which, Eigen::all);
        augment_pictures(pictures, 1, size, how, rng);
        return pictures;
      });
    }
  }

  [[nodiscard]] Matrix of(const MatrixView& rows) const override {
    TYTO_ASSERT(net_ != nullptr && rows.cols() == inputs_);
    Matrix embedding;
    (void)net_->forward(shown(rows), 1, &embedding);
    return unit_rows(std::move(embedding));
  }

  void save(State& state) const override {
    if (net_) {
      state.set("shift", shift_);
      net_->save(state.make_child("net"));
    }
  }

  void load(const State& state, const Shelf&) override {
    net_.reset();
    if (state.has("shift")) {
      shift_ = state.get<Matrix>("shift");
      inputs_ = shift_.cols();
      net_ = nn_module().make_network(settings(), Rng(0));
      net_->load(state.child("net"));
    }
  }

 private:
  // Pictures as they are, features about their mean and of one length.
  [[nodiscard]] Matrix shown(const MatrixView& rows) const {
    return options_.trunk.empty() ? unit_rows(rows.rowwise() - shift_.row(0)) : Matrix(rows);
  }

  [[nodiscard]] NetworkSettings settings() const {
    if (options_.trunk.empty()) {
      return even_network(inputs_, options_.hidden, 1, options_.width);
    }
    NetworkSettings made;
    const BackboneSpec& spec = find_backbone(options_.trunk);
    const RowSize size = picture_size(inputs_, options_.picture_height);
    made.inputs = inputs_;
    made.outputs = options_.width;
    made.trunk = TrunkSettings{.backbone = options_.trunk,
                               .weights = options_.weights,
                               .height = size.height,
                               .width = size.width,
                               .mean = spec.recipe.mean,
                               .deviation = spec.recipe.deviation,
                               .taught = named_value<Taught>(options_.taught, kTaughtWords)};
    return made;
  }

  template <class DrawView>
  void fit(std::span<const std::int32_t> labels, Work& work, const DrawView& view) {
    Training training;
    training.objective.cross_entropy = 0.0;
    training.objective.contrast = {1.0, options_.weight, options_.temperature};
    training.optimiser.learning_rate = options_.learning_rate;
    training.optimiser.decay = options_.decay;
    training.optimiser.schedule = RateSchedule::cosine;
    training.batch = options_.batch;
    training.epochs = options_.epochs;
    training.keep_last = false;  // few rows are easily told apart
    const auto draw = [&](Rows which, const Rng& rng, Batch& batch) {
      const std::vector<Index> rows(which.begin(), which.end());
      batch.clear();
      batch.rows = view(rows, rng.fork("one"));
      batch.second = view(rows, rng.fork("two"));
      for (const Index row : rows) {
        batch.targets.push_back(labels.empty() ? -1 : labels[at(row)]);
      }
    };
    net_->fit(std::ssize(labels), draw, training, work);
  }

  SpaceNetworkOptions options_;
  std::unique_ptr<Network> net_;  // null until it has learned: making it opens the module
  Matrix shift_;                  // mean of the rows learned from
  Index inputs_ = 0;
};

struct GcdNetworkOptions : DiscoveryOptions {
  SpaceNetworkOptions network;

  void describe(OptionVisitor& v) {
    DiscoveryOptions::describe(v);
    v.section(
        "network", [this](OptionVisitor& inner) { network.describe(inner); },
        "what learns the space that rows are grouped in");
  }
};

std::unique_ptr<Clusterer> clusterer_of(const DiscoveryOptions& options, std::string_view path) {
  return find_clusterer(kNetworkClusterer).make(options.cluster, fmt::format("{}.cluster", path));
}

GcdNetworkOptions read_gcd_network(const ConfigNode& node, std::string_view path) {
  auto options = read_options<GcdNetworkOptions>(node, path);
  (void)clusterer_of(options, path);  // checks its options
  const std::string& trunk = options.network.trunk;
  if (!trunk.empty() && find_backbone(trunk).input.frames > 1) {
    throw Error(ErrorKind::config,
                fmt::format("{}.network.trunk: {} sees clips, and a sample is grouped by one "
                            "picture; a network of pictures is cnn_small",
                            path, trunk));
  }
  return options;
}

}  // namespace

PartSpec gcd_network_spec() {
  PartSpec spec;
  spec.name = "gcd_network";
  spec.summary =
      "k-means in the space of a network that learns by contrast, end to end from pictures: views "
      "of a sample come together, and labelled samples of one class";
  spec.cost =
      "two passes through the network and back per epoch for each pooled sample and guide, then as "
      "ss_kmeans; O(p d) memory for p of d numbers";
  spec.paper = "Vaze et al., Generalized Category Discovery, CVPR 2022";
  spec.slots = {Slot::recogniser};
  spec.make = [](const ConfigNode& node, std::string_view path) -> std::unique_ptr<Part> {
    GcdNetworkOptions options = read_gcd_network(node, path);
    auto clusterer = clusterer_of(options, path);
    auto space = std::make_unique<NetworkSpace>(std::move(options.network));
    return std::make_unique<Discovery>(std::move(options), std::move(clusterer), centroid_model(),
                                       std::move(space));
  };
  describe_options<GcdNetworkOptions>(spec, read_gcd_network);
  return spec;
}

}  // namespace tyto
