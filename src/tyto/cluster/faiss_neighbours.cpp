// SPDX-License-Identifier: Apache-2.0
// libtyto_faiss.so: the only file that includes Faiss.
#include <faiss/Clustering.h>
#include <faiss/IndexFlat.h>
#include <fmt/format.h>

#include "tyto/cluster/approximate.hpp"
#include "tyto/core/error.hpp"

namespace tyto {

namespace {

struct FaissKMeans final : FaissModule {
  [[nodiscard]] Matrix centres(const MatrixView& rows, Index count) const override {
    try {
      const Matrix points = rows;  // without gaps between rows
      const auto d = static_cast<int>(points.cols());
      faiss::ClusteringParameters settings;
      settings.niter = 10;
      settings.seed = 1234;
      settings.min_points_per_centroid = 1;  // it warns of fewer
      faiss::Clustering means(d, static_cast<int>(count), settings);
      faiss::IndexFlatL2 nearest(d);
      means.train(points.rows(), points.data(), nearest);
      return Eigen::Map<const Matrix>(means.centroids.data(), count, points.cols());
    } catch (const std::exception& problem) {
      throw Error(ErrorKind::numeric, fmt::format("Faiss: {}", problem.what()));
    }
  }
};

}  // namespace

}  // namespace tyto

extern "C" const tyto::FaissModule* tyto_faiss_module() {
  static const tyto::FaissKMeans module;
  return &module;
}
