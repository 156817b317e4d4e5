// SPDX-License-Identifier: Apache-2.0
// CARING: a temperature for every sample, from its features by a network of two layers.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tyto/calibration/epoch_history.hpp"
#include "tyto/calibration/temperature_fit.hpp"
#include "tyto/calibration/temperature_net.hpp"
#include "tyto/core/error.hpp"
#include "tyto/math/folds.hpp"
#include "tyto/math/reliability_bins.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kForms{"guided", "paper"};
constexpr Index kFewest = 20;  // samples; with fewer all get the one temperature

struct CaringOptions {
  std::string form = "guided";
  Index hidden = 16, epochs = 300, patience = 30, batch = 0, history = 60;
  double rate = 0.005, decay = 1e-6, stop_share = 0.2;
  bool standardise = true;

  void describe(OptionVisitor& v) {
    v.field("form", form, kForms,
            "guided: starts at the exact temperature and stops early; paper: random weights, all "
            "epochs, temperatures of 1 and more");
    v.field("hidden", hidden, {1, 1e5}, "units of the first layer");
    v.field("epochs", epochs, {0, 1e6}, "passes over the samples, at most");
    v.field("rate", rate, {1e-8, 10.0}, "learning rate of Adam");
    v.field("decay", decay, {0.0, 10.0}, "L2 penalty's factor, weight decay");
    v.field("batch", batch, {0, 1e9}, "samples a step; 0: all");
    v.field("standardise", standardise,
            "features to mean 0 and deviation 1 before the first layer");
    v.field("stop_share", stop_share, {0.05, 0.5},
            "form guided: share of the samples that are not trained on but say when to stop");
    v.field("history", history, {0, 1e6},
            "epochs, spread evenly, whose network is kept, so that confidence by epoch can be told "
            "of any sample: 8 bytes a weight each; 0: none");
    v.field("patience", patience, {1, 1e6}, "form guided: epochs without gain before it stops");
  }
};

struct Epoch {
  double loss, ece_validation, mean, deviation;
};

// Rows of a set, as the net wants them.
struct NetData {
  Dense<double> logits, features;
  std::vector<Index> truth;
  std::vector<bool> correct;

  NetData(const CalibrationSet& from, Rows rows, const Eigen::RowVectorXd& mean,
          const Eigen::RowVectorXd& spread) {
    const Dense<double> finite = finite_scores(from.logits);
    logits = finite(rows, Eigen::all);
    features = (*from.features)(rows, Eigen::all);
    features = (features.rowwise() - mean).array().rowwise() / spread.array();
    for (const Index row : rows) {
      truth.push_back(from.truth[static_cast<std::size_t>(row)]);
      correct.push_back(best_column(from.logits, row) == truth.back());
    }
  }

  [[nodiscard]] Index size() const { return logits.rows(); }

  [[nodiscard]] double ece(const NetPass& at) const {
    ReliabilityBins bins(10);
    for (std::size_t i = 0; i < correct.size(); ++i) {
      bins.add(at.confidence[static_cast<Index>(i)], correct[i]);
    }
    return bins.ece();
  }

  [[nodiscard]] NetPass run(const TemperatureNet& net) const {
    return pass(net, logits, truth, features, false);
  }
};

std::vector<Index> counted(Index n) {
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i) {
    out.push_back(i);
  }
  return out;
}

class Caring final : public ScoreCalibrator {
 public:
  explicit Caring(CaringOptions options)
      : options_(std::move(options)), history_(options_.history) {}

  [[nodiscard]] bool keeps_order() const override { return true; }

  [[nodiscard]] bool needs_features() const override { return true; }

  [[nodiscard]] bool by_column() const override { return false; }

  [[nodiscard]] Eigen::VectorXd temperatures(const Dense<double>& features) const override {
    return net_.temperatures(scaled(features));
  }

  [[nodiscard]] std::vector<Index> epochs() const override { return history_.epochs(); }

  [[nodiscard]] Parameters parameters() const override {
    Parameters out{{"temperature", as_parameter(start_)},
                   {"floor", as_parameter(net_.floor)},
                   {"taken_epoch", as_parameter(static_cast<double>(taken_))},
                   {"hidden", as_parameter(static_cast<double>(net_.hidden))},
                   {"net", as_parameter(net_.all)},
                   {"mean", mean_},
                   {"spread", spread_}};
    const auto list = [&](const char* name, double Epoch::*field) {
      Dense<double>& values = out[name];
      values.resize(1, std::ssize(epochs_));
      for (std::size_t e = 0; e < epochs_.size(); ++e) {
        values(0, static_cast<Index>(e)) = epochs_[e].*field;
      }
    };
    list("epoch_nll", &Epoch::loss);
    list("epoch_ece_validation", &Epoch::ece_validation);
    list("epoch_temperature_mean", &Epoch::mean);
    list("epoch_temperature_deviation", &Epoch::deviation);
    return out;
  }

  void set(const Parameters& given) override {
    start_ = number_parameter(given, "temperature");
    mean_ = parameter(given, "mean");
    spread_ = parameter(given, "spread");
    net_ = TemperatureNet(mean_.size(), static_cast<Index>(number_parameter(given, "hidden")));
    net_.floor = number_parameter(given, "floor");
    taken_ = static_cast<Index>(number_parameter(given, "taken_epoch"));
    net_.all = parameter(given, "net").transpose();
    const Dense<double>& losses = parameter(given, "epoch_nll");
    epochs_.clear();
    for (Index e = 0; e < losses.size(); ++e) {
      epochs_.push_back({losses(0, e), parameter(given, "epoch_ece_validation")(0, e),
                         parameter(given, "epoch_temperature_mean")(0, e),
                         parameter(given, "epoch_temperature_deviation")(0, e)});
    }
  }

 protected:
  void do_fit(const CalibrationSet& known, Work& work) override {
    const Index n = known.logits.rows();
    const TemperatureFit even = fit_temperature<double>(known.logits, known.truth);
    start_ = even.temperature;
    set_scale(*known.features);
    epochs_.clear();
    history_.clear();
    taken_ = 0;
    begin(work.rng.fork("weights"));
    // Without a finite optimum training would run to the floor on every sample.
    const bool settled = options_.form == "guided" && even.kind != TemperatureKind::optimum;
    if (n < kFewest || settled) {
      net_ = TemperatureNet(net_.width, net_.hidden);
      net_.floor = start_;
      note(settled ? "no finite temperature is best, so there is nothing to train towards, and all "
                     "samples have the one of temperature scaling"
                   : fmt::format("{} samples are too few to train on, so all have the exact "
                                 "temperature",
                                 n));
      return;
    }
    const bool guided = options_.form == "guided";
    const auto parts = static_cast<Index>(std::lround(1.0 / options_.stop_share));
    const std::vector<Index> groups = groups_of(counted(n), known.groups, parts);
    const std::vector<Index> fold = fold_of(n, groups, parts, work.rng.fork("split"));
    std::vector<Index> stop, rest;
    for (Index i = 0; i < n; ++i) {
      (guided && fold[static_cast<std::size_t>(i)] == 0 ? stop : rest).push_back(i);
    }
    const std::vector<Index> stop_groups = groups_of(stop, groups, 2);
    const NetData trained = data(known, rest);
    const NetData stopping = data(known, stop);
    const TemperatureNet even_net = net_;
    train(trained, stopping, work);
    if (guided && !is_gain(stopping.run(even_net), stopping.run(net_), stop_groups)) {
      net_ = even_net;
      taken_ = 0;
      note(
          "what was learned of the features helped the samples that say when to stop by no more "
          "than chance, so all samples have the exact temperature");
    }
  }

  [[nodiscard]] Dense<double> do_apply(const Scores& logits,
                                       const Dense<double>* features) const override {
    const Eigen::VectorXd inverse = temperatures(*features).cwiseInverse();
    return logits.array().colwise() * inverse.array();
  }

  [[nodiscard]] Dense<double> temperatures_by_epoch(Index rows,
                                                    const Dense<double>* features) const override {
    const std::vector<Eigen::VectorXd> nets = history_.values();
    Dense<double> out(rows, std::ssize(nets));
    if (nets.empty() || rows == 0) {
      return out;
    }
    const Dense<double> inputs = scaled(*features);
    TemperatureNet net(net_.width, net_.hidden);
    net.floor = net_.floor;
    for (std::size_t e = 0; e < nets.size(); ++e) {
      net.all = nets[e];
      out.col(static_cast<Index>(e)) = net.temperatures(inputs);
    }
    return out;
  }

  [[nodiscard]] Parameters history() const override { return history_.parameters(); }

  void set_history(const Parameters& given) override { history_.set(given); }

 private:
  [[nodiscard]] Dense<double> scaled(const Dense<double>& features) const {
    if (features.cols() != net_.width) {
      throw Error(ErrorKind::data,
                  fmt::format("the features have {} columns, but the calibrator was fitted on {}",
                              features.cols(), net_.width));
    }
    return (features.rowwise() - mean_.row(0)).array().rowwise() / spread_.row(0).array();
  }

  // Less loss, by more than its standard error.
  static bool is_gain(const NetPass& before, const NetPass& after, std::span<const Index> groups) {
    const Eigen::VectorXd less = before.losses - after.losses;
    const MeanGain gain = mean_gain(std::span(less.data(), less.data() + less.size()), groups);
    return gain.mean > gain.error;
  }

  [[nodiscard]] NetData data(const CalibrationSet& from, Rows rows) const {
    return {from, rows, mean_, spread_};
  }

  void set_scale(const Dense<double>& features) {
    mean_ = Dense<double>::Zero(1, features.cols());
    spread_ = Dense<double>::Ones(1, features.cols());
    if (options_.standardise) {
      mean_ = features.colwise().mean();
      spread_ = (features.rowwise() - mean_.row(0)).cwiseAbs2().colwise().mean().cwiseSqrt();
      spread_ = (spread_.array() > 0.0).select(spread_, 1.0);
    }
  }

  // First layer as He et al. 2015. Guided: the second one gives the exact temperature to all.
  void begin(Rng rng) {
    net_ = TemperatureNet(mean_.size(), options_.hidden);
    const double first = std::sqrt(2.0 / static_cast<double>(net_.width));
    for (double& weight : net_.w1().reshaped()) {
      weight = first * rng.normal();
    }
    if (options_.form == "guided") {
      net_.floor = start_ > 1.0 ? 1.0 : 0.25 * start_;
      net_.b2() = start_ - net_.floor;
      return;
    }
    const double second = std::sqrt(2.0 / static_cast<double>(net_.hidden));
    for (double& weight : net_.w2()) {
      weight = second * std::abs(rng.normal());  // positive: not dead from the start
    }
  }

  void train(const NetData& data, const NetData& stopping, Work& work) {
    Adam adam(net_.all.size(), options_.rate, options_.decay);
    Rng rng = work.rng.fork("batches");
    const bool guided = options_.form == "guided";
    const Index batch = options_.batch == 0 ? data.size() : std::min(options_.batch, data.size());
    TemperatureNet best = net_;
    double least = guided ? stopping.run(net_).loss : 0.0;
    Index since = 0;
    history_.add(0, net_.all);
    for (Index epoch = 0; epoch < options_.epochs && since < options_.patience; ++epoch) {
      one_epoch(data, batch, adam, rng);
      work.progress.pulse();
      const NetPass after = guided ? stopping.run(net_) : data.run(net_);
      record(data, guided ? &stopping : nullptr, after);
      history_.add(epoch + 1, net_.all);
      taken_ = guided ? taken_ : epoch + 1;
      if (guided && after.loss < least) {
        least = after.loss;
        best = net_;
        taken_ = epoch + 1;
        since = 0;
      } else if (guided) {
        ++since;
      }
    }
    if (guided) {
      net_ = best;
    }
  }

  void one_epoch(const NetData& data, Index batch, Adam& adam, Rng& rng) {
    if (batch == data.size()) {
      adam.step(net_.all, pass(net_, data.logits, data.truth, data.features, true).gradient);
      return;
    }
    const std::vector<Index> order = rng.permutation(data.size());
    for (Index begin = 0; begin < data.size(); begin += batch) {
      const Rows rows =
          Rows(order).subspan(static_cast<std::size_t>(begin),
                              static_cast<std::size_t>(std::min(batch, data.size() - begin)));
      std::vector<Index> truth;
      for (const Index row : rows) {
        truth.push_back(data.truth[static_cast<std::size_t>(row)]);
      }
      const Dense<double> logits = data.logits(rows, Eigen::all);
      const Dense<double> features = data.features(rows, Eigen::all);
      adam.step(net_.all, pass(net_, logits, truth, features, true).gradient);
    }
  }

  // `after` is of the stopping samples where there are such, else of those trained on.
  void record(const NetData& data, const NetData* stopping, const NetPass& after) {
    Epoch epoch{};
    epoch.loss = after.loss;
    epoch.ece_validation = (stopping != nullptr ? *stopping : data).ece(after);
    epoch.mean = after.temperature.mean();
    epoch.deviation = std::sqrt((after.temperature.array() - epoch.mean).square().mean());
    epochs_.push_back(epoch);
  }

  CaringOptions options_;
  double start_ = 1;  // exact temperature
  Dense<double> mean_, spread_;
  TemperatureNet net_;
  std::vector<Epoch> epochs_;
  EpochHistory history_;
  Index taken_ = 0;  // epoch whose network is used; 0: none of them
};

}  // namespace

CalibratorSpec caring_calibrator() {
  return calibrator_spec<CaringOptions, Caring>(
      "caring", "a temperature for every sample, from its features by a network of two layers",
      "O(n d h) an epoch, h the hidden units",
      "Roitberg et al., Uncertainty-sensitive Activity Recognition: A Reliability Benchmark and "
      "the "
      "CARING Models, ICPR 2020");
}

}  // namespace tyto
