// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/gaussians.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "tyto/record/observed_columns.hpp"
#include "tyto/world/gaussian_bayes.hpp"
#include "tyto/world/increments/increment_world.hpp"

namespace tyto {

namespace {

using Point = std::array<double, 2>;

std::vector<GaussianClass> make_classes(std::string_view dataset, const std::vector<Point>& means,
                                        double variance) {
  std::vector<GaussianClass> classes;
  for (const Point& mean : means) {
    classes.push_back({fmt::format("{}-{}", dataset, classes.size() + 1), mean, variance});
  }
  return classes;
}

std::vector<Point> start_means() {
  return {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
}

std::vector<Point> k600_means() {
  const double a = std::sqrt(2.0) / 2;
  const double b = std::sqrt(3.0) / 2;
  return {{a, a},   {-a, -a}, {b, -.5}, {.5, -b},  {-b, .5},
          {-.5, b}, {.5, b},  {b, .5},  {-.5, -b}, {-b, -.5}};
}

std::vector<Point> k700_means() {
  const double s = std::sqrt(2.0);
  const double angle = 3.5 * std::numbers::pi / 12;
  return {{0, 2},  {2, 0},   {0, -2}, {-2, 0}, {s, s},
          {s, -s}, {-s, -s}, {-s, s}, {0, 3},  {3 * std::cos(angle), 3 * std::sin(angle)}};
}

struct GaussianDatasets {
  std::vector<GaussianClass> start, k600, k700;
};

GaussianDatasets datasets_of(const GaussianOptions& options) {
  return {make_classes("k400", start_means(), options.start_variance),
          make_classes("k600", k600_means(), options.k600_variance),
          make_classes("k700_2020", k700_means(), options.k700_variance)};
}

// Rows of one dataset as they are drawn.
class Sampler {
 public:
  Sampler(std::string name, const Rng& rng) : rng_(rng.fork(name)) { dataset_.name = name; }

  void begin_split(std::string_view split) {
    split_ = split;
    number_ = 0;
  }

  void draw(const GaussianClass& from, Index count) {
    IndexTable& table = dataset_.table;
    const double deviation = std::sqrt(from.variance);
    for (Index i = 0; i < count; ++i) {
      table.id.push_back(fmt::format("{}_{}_{:06}", dataset_.name, split_, ++number_));
      table.label.push_back(from.name);
      table.split.emplace_back(split_);
      table.annotations[std::string(kAlteredColumn)].emplace_back(kUnaltered);
      for (const double center : from.mean) {
        values_.push_back(static_cast<float>(center + deviation * rng_.normal()));
      }
    }
  }

  [[nodiscard]] const Dataset& dataset() const { return dataset_; }

  [[nodiscard]] const std::vector<float>& values() const { return values_; }

 private:
  Rng rng_;
  Dataset dataset_;
  std::string_view split_;
  Index number_ = 0;
  std::vector<float> values_;
};

}  // namespace

void GaussianOptions::describe(OptionVisitor& visitor) {
  visitor.field("start_samples", start_samples, {2, 1e6}, "rows per start class and split");
  visitor.field("samples", samples, {1, 1e5},
                "rows per known class, split and round; the i-th new class has i times as many");
  visitor.field("rounds", rounds, {1, 1000}, "rounds drawn per new class");
  visitor.field("start_variance", start_variance, {0, 100}, "of each coordinate, classes k400");
  visitor.field("k600_variance", k600_variance, {0, 100}, "of each coordinate, classes k600");
  visitor.field("k700_variance", k700_variance, {0, 100}, "of each coordinate, classes k700_2020");
  schedule.describe(visitor);
}

std::vector<GaussianClass> gaussian_classes(const GaussianOptions& options) {
  GaussianDatasets classes = datasets_of(options);
  std::vector<GaussianClass> all = std::move(classes.start);
  all.insert(all.end(), classes.k600.begin(), classes.k600.end());
  all.insert(all.end(), classes.k700.begin(), classes.k700.end());
  return all;
}

Series make_gaussians(const GaussianOptions& options, std::uint64_t seed) {
  const Rng rng(seed, "gaussians");
  const GaussianDatasets classes = datasets_of(options);
  std::vector<GaussianClass> known = classes.start;
  Sampler start("k400", rng);
  for (const std::string_view split : kSideNames) {
    start.begin_split(split);
    for (const GaussianClass& from : known) {
      start.draw(from, options.start_samples);
    }
  }
  std::vector<Dataset> datasets{start.dataset()};
  std::vector<float> values = start.values();
  for (const auto& novel : {classes.k600, classes.k700}) {
    Sampler sampler(novel.front().name.substr(0, novel.front().name.find('-')), rng);
    for (const std::string_view split : kSideNames) {
      sampler.begin_split(split);
      std::vector<GaussianClass> before = known;
      for (std::size_t i = 0; i < novel.size(); ++i) {
        for (Index round = 0; round < options.rounds; ++round) {
          for (const GaussianClass& from : before) {
            sampler.draw(from, options.samples);
          }
          sampler.draw(novel[i], options.samples * static_cast<Index>(i + 1));
        }
        before.push_back(novel[i]);
      }
    }
    known.insert(known.end(), novel.begin(), novel.end());
    datasets.push_back(sampler.dataset());
    values.insert(values.end(), sampler.values().begin(), sampler.values().end());
  }
  const Matrix features =
      Eigen::Map<const Matrix>(values.data(), static_cast<Index>(values.size()) / 2, 2);
  return join_series(std::move(datasets), std::make_shared<const DenseStore>(features));
}

WorldSpec gaussians_spec() {
  WorldSpec spec;
  spec.name = "gaussians";
  spec.summary = "simulated: 24 two-dimensional Gaussian classes in three datasets";
  spec.paper = "the simulation released with KOWL-718";
  spec.needs_data = false;
  const auto read = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<GaussianOptions>(node, path);
    options.schedule.path = path;
    options.schedule.split.check(fmt::format("{}.split", path));
    return options;
  };
  describe_options<GaussianOptions>(spec, read);
  spec.simulate = [read](const ConfigNode& node, std::string_view path, std::uint64_t seed) {
    return make_gaussians(read(node, path), seed).joined;
  };
  spec.build = [read](const ConfigNode& node, std::string_view path, const std::vector<Dataset>&,
                      std::uint64_t seed) {
    const GaussianOptions options = read(node, path);
    Series series = make_gaussians(options, seed);
    Schedule schedule = draw_schedule(series, options.schedule, seed);
    tell_least_errors(series, schedule, gaussian_classes(options));
    return build_increments(std::move(series), std::move(schedule), options.schedule, seed);
  };
  return spec;
}

}  // namespace tyto
