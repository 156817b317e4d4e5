// SPDX-License-Identifier: Apache-2.0
// Every column shifted and scaled to mean 0 and variance 1 over the fit samples.
#include <cmath>

#include "tyto/parts/registry.hpp"
#include "tyto/parts/representation/fit_rows.hpp"

namespace tyto {

namespace {

struct StandardiseOptions {
  std::string refit = "first";

  void describe(OptionVisitor& v) {
    static constexpr std::string_view kWhen[] = {"first", "always"};
    v.field("refit", refit, kWhen,
            "fit at the first lesson only, or at every one; then all that was learned below starts "
            "again from the memory");
  }
};

class Standardise final : public Part, public Representation {
 public:
  explicit Standardise(StandardiseOptions options) : options_(std::move(options)) {}

  bool adapt(const Experience& experience, Work& work) override {
    if (mean_.size() != 0 && options_.refit == "first") {
      return false;
    }
    const auto statistics = fit_row_statistics(experience, Scatter::diagonal, "standardise", work);
    const Eigen::VectorXd means = statistics.means().row(0).transpose();
    const Eigen::VectorXd squares = statistics.diagonal();
    const auto n = static_cast<double>(statistics.count());
    Matrix mean(1, means.size());
    Matrix factor(1, means.size());
    for (Index j = 0; j < means.size(); ++j) {
      const double deviation = std::sqrt(squares[j] / n);
      // Below the resolution of float the column is constant, and what is left is rounding.
      const bool varies = deviation > 1e-7 * std::abs(means[j]);
      mean(0, j) = static_cast<float>(means[j]);
      factor(0, j) = varies ? static_cast<float>(1.0 / deviation) : 0.0F;
    }
    const bool moved = mean_.size() == 0 || mean != mean_ || factor != factor_;
    mean_ = std::move(mean);
    factor_ = std::move(factor);
    return moved;
  }

  [[nodiscard]] Matrix represent(const MatrixView& rows) const override {
    if (mean_.size() == 0) {
      throw Error(ErrorKind::state, "standardise was asked for features before its first lesson");
    }
    Matrix out = rows;
    if (rows.rows() > 0) {
      out.rowwise() -= mean_.row(0);
      out.array().rowwise() *= factor_.row(0).array();
    }
    return out;
  }

  void save(State& state) const override {
    state.set("mean", mean_);
    state.set("factor", factor_);
  }

  void load(const State& state, const Shelf&) override {
    mean_ = state.get<Matrix>("mean");
    factor_ = state.get<Matrix>("factor");
  }

 private:
  StandardiseOptions options_;
  Matrix mean_, factor_;  // one row each; a factor of 0 for a constant column
};

}  // namespace

PartSpec standardise_spec() {
  return part_spec<StandardiseOptions, Standardise>(
      "standardise", {Slot::representation},
      "each column with mean 0 and deviation 1 on the fit samples; constant columns become 0",
      "O(n d) time, O(d) memory");
}

}  // namespace tyto
