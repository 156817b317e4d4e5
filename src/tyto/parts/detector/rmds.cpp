// SPDX-License-Identifier: Apache-2.0
// Distance to the nearest class mean less that to all samples as one Gaussian.
#include "tyto/math/covariance.hpp"
#include "tyto/parts/detector/shared_gaussians.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct RmdsOptions {
  double shrinkage = 0.0;

  void describe(OptionVisitor& v) {
    v.field("shrinkage", shrinkage, {0.0, 1.0},
            "weight of a sphere in both covariances; 0: chosen from the data by OAS");
  }
};

// min_c (z - mu_c)' S^-1 (z - mu_c) - (z - mu)' T^-1 (z - mu), with S the covariance within the
// classes, mu and T mean and covariance of all rows: what all of them share does not count.
class RelativeMahalanobis final : public Part, public Detector {
 public:
  explicit RelativeMahalanobis(RmdsOptions options)
      : options_(options), classes_(options.shrinkage, "rmds") {}

  void profile(const Experience& experience, Work& work) override {
    classes_.learn(experience, work);
    if (classes_.statistics().count() > 0) {
      all_ = background();
    }
  }

  void detect(Evidence& evidence) const override {
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() > 0) {
      const Vector nearest = classes_.distances(evidence.features).rowwise().minCoeff();
      Vector::Map(evidence.novelty.data(), evidence.size()) =
          nearest - all_.apply(evidence.features).rowwise().squaredNorm();
    }
  }

  void save(State& state) const override {
    classes_.save(state.make_child("classes"));
    state.set("centre", all_.centre);
    state.set("whitening", all_.matrix);
  }

  void load(const State& state, const Shelf&) override {
    classes_.load(state.child("classes"));
    all_ = {state.get<Matrix>("centre"), state.get<Matrix>("whitening")};
  }

 private:
  // The scatter of all rows is that within the classes plus that of their means.
  [[nodiscard]] Whitening background() const {
    const ClassStatistics& statistics = classes_.statistics();
    const Dense<double> means = statistics.means();
    const auto counts = statistics.counts();
    Eigen::VectorXd weight(means.rows());
    for (Index c = 0; c < means.rows(); ++c) {
      weight[c] = static_cast<double>(counts[static_cast<std::size_t>(c)]);
    }
    const Eigen::RowVectorXd mean = weight.transpose() * means / weight.sum();
    const Eigen::MatrixXd about = means.rowwise() - mean;
    const double within = static_cast<double>(statistics.count() - statistics.classes());
    const double freedom = std::max(1.0, weight.sum() - 1.0);
    const Eigen::MatrixXd covariance =
        (within * statistics.covariance() + about.transpose() * weight.asDiagonal() * about) /
        freedom;
    const Eigen::LLT<Eigen::MatrixXd> factor(
        shrunk_covariance(covariance, freedom, options_.shrinkage));
    if (factor.info() != Eigen::Success) {
      throw Error(ErrorKind::numeric,
                  fmt::format("rmds cannot invert the covariance of all {} samples in {} columns "
                              "with shrinkage {}; raise it, or set it to 0 to have it chosen",
                              statistics.count(), statistics.width(), options_.shrinkage));
    }
    return whitening_of(factor, mean);
  }

  RmdsOptions options_;
  SharedGaussians classes_;
  Whitening all_;
};

}  // namespace

PartSpec rmds_spec() {
  return part_spec<RmdsOptions, RelativeMahalanobis>(
      "rmds", {Slot::detector},
      "squared Mahalanobis distance to the nearest class less that to all samples as one Gaussian",
      "O(n d^2) to learn and O(d^3) per lesson, O(n d (d + k)) to detect, O(d^2 + k d) memory",
      "Ren et al., A Simple Fix to Mahalanobis Distance for Improving Near-OOD Detection, 2021");
}

}  // namespace tyto
