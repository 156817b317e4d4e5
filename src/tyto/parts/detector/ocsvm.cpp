// SPDX-License-Identifier: Apache-2.0
// A one-class support vector machine, by libsvm or on random Fourier features.
#include <array>

#include "tyto/math/fourier_one_class.hpp"
#include "tyto/math/one_class_svm.hpp"
#include "tyto/parts/detector/fit_sample.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kSvmScales{"standard", "range", "none"};

struct OcsvmOptions {
  double nu = 0.5, gamma = 0.0;
  Index rows = 5000, fourier = 0;
  std::string scale = "standard";

  void describe(OptionVisitor& v) {
    v.field("nu", nu, {1e-3, 1.0}, "at most this share of the fit rows is left outside");
    v.field("gamma", gamma, {0.0, 1e6},
            "of the kernel exp(-gamma |x - y|^2); 0: one over the width times the variance of the "
            "scaled entries");
    v.field("rows", rows, {1, 1e5},
            "fit rows it is solved on at most, chosen by a hash of their ids; time grows with "
            "their square and more, with `fourier` in proportion");
    v.field("fourier", fourier, {0, 1e5},
            "random Fourier features in place of the kernel, in pairs; a thousand come close to "
            "it. The score is then 1 - w.z / rho, and samples far from all look alike. 0: the "
            "kernel itself");
    v.field("scale", scale, kSvmScales,
            "of each column, by the rows it is solved on: standard: mean 0, deviation 1; range: "
            "from 0 to 1; none: as they are");
  }
};

// The scale is part of what is learned: new samples are measured by it too.
class OneClassMachine final : public Part, public Detector {
 public:
  explicit OneClassMachine(OcsvmOptions options) : options_(std::move(options)) {}

  void profile(const Experience& experience, Work& work) override {
    if (!key_) {
      key_ = work.rng.fork("ocsvm").key();
    }
    const FitSample sample(experience, options_.rows, *key_);
    if (sample.rows().empty()) {
      return;
    }
    const Matrix rows = sample.features(experience, work);
    find_scale(rows.cast<double>());
    if (options_.fourier > 0) {
      fourier_ = FourierOneClass(scaled(rows), options_.nu, options_.gamma,
                                 std::max<Index>(2, options_.fourier), Rng(*key_, "fourier"));
    } else {
      machine_ = OneClassSvm(scaled(rows), options_.nu, options_.gamma);
    }
  }

  void detect(Evidence& evidence) const override {
    if (shift_.size() == 0) {
      throw Error(ErrorKind::state, "detector ocsvm has seen no labelled sample to fit on");
    }
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() > 0) {
      const Matrix rows = scaled(evidence.features);
      Vector::Map(evidence.novelty.data(), evidence.size()) =
          options_.fourier > 0 ? fourier_.outside(rows) : machine_.outside(rows);
    }
  }

  [[nodiscard]] Holding holding() const override { return holding_of(machine_.vectors()); }

  void save(State& state) const override {
    if (key_) {
      state.set("key", static_cast<std::int64_t>(*key_));
      state.set("shift", shift_);
      state.set("factor", factor_);
      if (options_.fourier > 0) {
        fourier_.save(state.make_child("fourier"));
      } else {
        machine_.save(state.make_child("machine"));
      }
    }
  }

  void load(const State& state, const Shelf&) override {
    if (state.has("key")) {
      key_ = static_cast<std::uint64_t>(state.get<std::int64_t>("key"));
      shift_ = state.get<Dense<double>>("shift");
      factor_ = state.get<Dense<double>>("factor");
      if (options_.fourier > 0) {
        fourier_.load(state.child("fourier"));
      } else {
        machine_.load(state.child("machine"));
      }
    }
  }

 private:
  void find_scale(const Dense<double>& rows) {
    shift_ = Dense<double>::Zero(1, rows.cols());
    factor_ = Dense<double>::Ones(1, rows.cols());
    if (options_.scale == "standard") {
      shift_ = rows.colwise().mean();
      factor_ = (rows.rowwise() - shift_.row(0)).array().square().colwise().mean().sqrt();
    } else if (options_.scale == "range") {
      shift_ = rows.colwise().minCoeff();
      factor_ = rows.colwise().maxCoeff() - shift_;
    }
    // A column that is always the same stays as it is, less that value.
    factor_ = factor_.unaryExpr([](double width) { return width > 0.0 ? 1.0 / width : 1.0; });
  }

  [[nodiscard]] Matrix scaled(const Matrix& rows) const {
    return ((rows.cast<double>().rowwise() - shift_.row(0)).array().rowwise() *
            factor_.row(0).array())
        .cast<float>();
  }

  OcsvmOptions options_;
  std::optional<std::uint64_t> key_;  // of the choice of rows; drawn once
  Dense<double> shift_, factor_;      // one row each
  OneClassSvm machine_;
  FourierOneClass fourier_;  // instead of the machine, where asked for
};

}  // namespace

PartSpec ocsvm_spec() {
  return part_spec<OcsvmOptions, OneClassMachine>(
      "ocsvm", {Slot::detector},
      "how far outside a one-class support vector machine puts a sample, on a logarithmic scale; "
      "solved anew in each lesson on what is remembered and what is new",
      "with m rows: O(m^2 d) to O(m^3) per lesson, O(n s d) to detect and O(s d) memory, s support "
      "vectors, at least nu m; with f Fourier features O(m f (d + rounds)), O(n f d) and O(f d)",
      "Schölkopf et al., Estimating the Support of a High-Dimensional Distribution, Neural "
      "Computation 2001");
}

}  // namespace tyto
