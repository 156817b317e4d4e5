// SPDX-License-Identifier: Apache-2.0
// The main components of the fit samples, whitened on request.
#include <cmath>

#include "tyto/math/thin_spectrum.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/parts/representation/fit_rows.hpp"

namespace tyto {

namespace {

struct PcaOptions {
  Index components = 0;
  double variance = 0.95;
  bool whiten = false;
  std::string refit = "first";

  void describe(OptionVisitor& v) {
    static constexpr std::string_view kWhen[] = {"first", "always"};
    v.field("components", components, {0, 1e6},
            "directions kept; 0: as many as `variance` asks for");
    v.field("variance", variance, {0.0, 1.0},
            "share of the variance that the directions kept must explain; read where components "
            "is 0");
    v.field("whiten", whiten, "scale every direction to deviation 1");
    v.field("refit", refit, kWhen,
            "fit at the first lesson only, or at every one; then all that was learned below starts "
            "again from the memory");
  }
};

class Pca final : public Part, public Representation {
 public:
  explicit Pca(PcaOptions options) : options_(std::move(options)) {}

  bool adapt(const Experience& experience, Work& work) override {
    if (mean_.size() != 0 && options_.refit == "first") {
      return false;
    }
    const RowScatter scatter = fit_row_scatter(experience, "pca", work);
    const Spectrum spectrum = scatter.spectrum();
    const Index count = kept(spectrum.values, scatter.width());
    const Index carried = std::min(count, std::ssize(spectrum.values));
    Matrix mean = scatter.mean().cast<float>();
    Matrix directions =
        with_more_directions(spectrum.vectors.leftCols(carried), count).cast<float>();
    if (options_.whiten) {
      for (Index j = 0; j < count; ++j) {
        // A direction without spread carries rounding alone; it becomes 0 rather than noise.
        const bool varies = j < carried && spectrum.values[j] > 1e-12 * spectrum.values[0];
        directions.col(j) *=
            varies ? static_cast<float>(1.0 / std::sqrt(spectrum.values[j])) : 0.0F;
      }
    }
    const bool moved = mean_.size() == 0 || mean != mean_ ||
                       directions.cols() != directions_.cols() || directions != directions_;
    mean_ = std::move(mean);
    directions_ = std::move(directions);
    return moved;
  }

  [[nodiscard]] Matrix represent(const MatrixView& rows) const override {
    if (mean_.size() == 0) {
      throw Error(ErrorKind::state, "pca was asked for features before its first lesson");
    }
    if (rows.rows() == 0) {
      return Matrix(0, directions_.cols());
    }
    Matrix centred = rows;
    centred.rowwise() -= mean_.row(0);
    return centred * directions_;
  }

  void save(State& state) const override {
    state.set("mean", mean_);
    state.set("directions", directions_);
  }

  void load(const State& state, const Shelf&) override {
    mean_ = state.get<Matrix>("mean");
    directions_ = state.get<Matrix>("directions");
  }

 private:
  // Values beyond those given are 0.
  [[nodiscard]] Index kept(const Eigen::VectorXd& values, Index width) const {
    if (options_.components > width) {
      throw Error(ErrorKind::data, fmt::format("pca.components is {}, but features have {} columns",
                                               options_.components, width));
    }
    if (options_.components > 0) {
      return options_.components;
    }
    const double wanted = options_.variance * values.cwiseMax(0.0).sum() * (1.0 - 1e-12);
    double sum = 0.0;
    Index count = 0;
    do {
      sum += std::max(0.0, values[count++]);
    } while (count < values.size() && sum < wanted);
    return count;
  }

  PcaOptions options_;
  Matrix mean_;        // one row
  Matrix directions_;  // a column each
};

}  // namespace

PartSpec pca_spec() {
  return part_spec<PcaOptions, Pca>(
      "pca", {Slot::representation}, "principal components of the fit samples",
      "O(n d^2 + d^3) time to fit, O(d^2) memory, with n < d O(n^2 d) and O(n d); O(n d k) to "
      "apply "
      "with k components",
      "Pearson, On lines and planes of closest fit to systems of points in space, 1901");
}

}  // namespace tyto
