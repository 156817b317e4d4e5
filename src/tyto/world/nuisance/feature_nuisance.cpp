// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/nuisance/feature_nuisance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kFactValues = 1 << 20;  // held while the facts are gathered
constexpr double kConstant = 1e-9;      // a deviation below this share of the centre is rounding

// Columns of a share of all, at least one.
std::vector<Index> drawn_columns(Index width, double share, Rng& rng) {
  const Index count = std::max<Index>(1, std::llround(share * static_cast<double>(width)));
  std::vector<Index> columns = rng.permutation(width);
  columns.resize(at(std::min(count, width)));
  return columns;
}

struct ShareOptions {
  double share = 0.4;

  void describe(OptionVisitor& v) { v.field("share", share, {0, 1}, "of the features"); }
};

class DropoutNuisance final : public FeatureNuisance {
 public:
  explicit DropoutNuisance(ShareOptions options) : options_(options) {}

  void change(const FeatureFacts& facts, const Rng& stream, Index,
              MatrixRef values) const override {
    Rng rng = stream.fork("columns");
    for (const Index j : drawn_columns(values.cols(), options_.share, rng)) {
      values(0, j) = static_cast<float>(facts.centre(j));
    }
  }

 private:
  ShareOptions options_;
};

class ExchangeNuisance final : public FeatureNuisance {
 public:
  explicit ExchangeNuisance(ShareOptions options) : options_(options) {}

  void change(const FeatureFacts& facts, const Rng& stream, Index,
              MatrixRef values) const override {
    Rng rng = stream.fork("columns");
    const Index row = rng.below(facts.store->rows());
    Matrix other(1, values.cols());
    facts.store->gather(facts.source, Rows(&row, 1), other);
    take_columns(other, options_.share, rng, values);
  }

 private:
  ShareOptions options_;
};

struct GainOptions {
  double gain = 0.4;

  void describe(OptionVisitor& v) {
    v.field("gain", gain, {0, 5}, "g: of the logarithm, up or down");
  }
};

class GainNuisance final : public FeatureNuisance {
 public:
  explicit GainNuisance(GainOptions options) : options_(options) {}

  void change(const FeatureFacts& facts, const Rng& stream, Index,
              MatrixRef values) const override {
    Rng rng = stream.fork("gains");
    for (Index j = 0; j < values.cols(); ++j) {
      const double factor = std::exp(rng.uniform() < 0.5 ? options_.gain : -options_.gain);
      const double way = static_cast<double>(values(0, j)) - facts.centre(j);
      values(0, j) = static_cast<float>(facts.centre(j) + factor * way);
    }
  }

 private:
  GainOptions options_;
};

struct FeatureNoiseOptions {
  double deviation = 1;

  void describe(OptionVisitor& v) {
    v.field("deviation", deviation, {0, 100}, "in deviations of each feature");
  }
};

class FeatureNoise final : public FeatureNuisance {
 public:
  explicit FeatureNoise(FeatureNoiseOptions options) : options_(options) {}

  void change(const FeatureFacts& facts, const Rng& stream, Index frame,
              MatrixRef values) const override {
    Rng rng = stream.fork("noise", static_cast<std::uint64_t>(frame));
    add_feature_noise(facts.deviation, options_.deviation, rng, values);
  }

 private:
  FeatureNoiseOptions options_;
};

struct ScaleOptions {
  double factor = 2;

  void describe(OptionVisitor& v) {
    v.field("factor", factor, {0, 1000}, "of the way from the centre; 1: nothing changes");
  }
};

class ScaleNuisance final : public FeatureNuisance {
 public:
  explicit ScaleNuisance(ScaleOptions options) : options_(options) {}

  void change(const FeatureFacts& facts, const Rng&, Index, MatrixRef values) const override {
    scale_about_centre(facts.centre, options_.factor, values);
  }

 private:
  ScaleOptions options_;
};

template <class Options, class Nuisance>
FeatureNuisanceSpec feature_spec(std::string_view name, std::string_view summary) {
  FeatureNuisanceSpec spec;
  spec.name = name;
  spec.summary = summary;
  describe_made<Options, Nuisance>(spec);
  return spec;
}

}  // namespace

std::span<const FeatureNuisanceSpec> feature_nuisance_specs() {
  static const std::vector<FeatureNuisanceSpec> specs{
      feature_spec<ShareOptions, DropoutNuisance>(
          "dropout", "of features: a share of them fails and stays at its centre"),
      feature_spec<ShareOptions, ExchangeNuisance>(
          "exchange", "of features: a share of them is that of another sample"),
      feature_spec<GainOptions, GainNuisance>(
          "gain", "of features: each one's way from its centre is stretched or shrunk"),
      feature_spec<FeatureNoiseOptions, FeatureNoise>(
          "noise", "of features: normal noise, in deviations of each"),
      feature_spec<ScaleOptions, ScaleNuisance>(
          "scale", "of features: all of them further from their centre")};
  return specs;
}

FeatureFacts feature_facts(const FeatureStore& store, std::string_view source) {
  const std::vector<Index> shape = store.shape(source);
  const Index width = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(width);
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(width);
  const auto over_rows = [&](const auto& add) {
    in_blocks(store.rows(), std::max<Index>(1, kFactValues / width), [&](Index begin, Index count) {
      std::vector<Index> rows(at(count));
      std::iota(rows.begin(), rows.end(), begin);
      Matrix block(count, width);
      store.gather(source, rows, block);
      for (Index i = 0; i < count; ++i) {
        add(block.row(i).cast<double>().transpose());
      }
    });
  };
  const auto n = static_cast<double>(std::max<Index>(1, store.rows()));
  over_rows([&](const auto& row) { sum += row; });
  FeatureFacts facts;
  facts.centre = sum / n;
  if (!facts.centre.allFinite()) {
    throw Error(ErrorKind::data,
                fmt::format("the source \"{}\" has values that are not finite", source));
  }
  over_rows([&](const auto& row) { squares += (row - facts.centre).cwiseAbs2(); });
  facts.deviation = (squares / n).cwiseSqrt();
  facts.deviation = (facts.deviation.array() > facts.centre.array().abs() * kConstant)
                        .select(facts.deviation, 0.0);
  facts.store = &store;
  facts.source = source;
  return facts;
}

void add_feature_noise(const Eigen::VectorXd& deviation, double strength, Rng& rng,
                       MatrixRef values) {
  for (Index j = 0; j < values.cols(); ++j) {
    values(0, j) += static_cast<float>(strength * deviation(j) * rng.normal());
  }
}

void scale_about_centre(const Eigen::VectorXd& centre, double factor, MatrixRef values) {
  for (Index j = 0; j < values.cols(); ++j) {
    const double way = static_cast<double>(values(0, j)) - centre(j);
    values(0, j) = static_cast<float>(centre(j) + factor * way);
  }
}

void take_columns(const MatrixView& other, double share, Rng& rng, MatrixRef values) {
  for (const Index j : drawn_columns(values.cols(), share, rng)) {
    values(0, j) = other(0, j);
  }
}

}  // namespace tyto
