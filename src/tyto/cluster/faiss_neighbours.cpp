// SPDX-License-Identifier: Apache-2.0
// libtyto_faiss.so: the only file that includes Faiss.
#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFFlat.h>
#include <fmt/format.h>

#include "tyto/cluster/approximate.hpp"
#include "tyto/core/error.hpp"

namespace tyto {

namespace {

struct InvertedLists final : FaissModule {
  [[nodiscard]] Dense<std::int32_t> candidates(const MatrixView& rows, Index lists, Index searched,
                                               Index k) const override {
    try {
      const Matrix points = rows;  // without gaps between rows
      const auto d = static_cast<faiss::Index::idx_t>(points.cols());
      faiss::IndexFlatL2 centres(d);
      faiss::IndexIVFFlat index(&centres, static_cast<std::size_t>(d),
                                static_cast<std::size_t>(lists));
      index.nprobe = static_cast<std::size_t>(searched);
      index.cp.seed = 1234;
      index.train(points.rows(), points.data());
      index.add(points.rows(), points.data());
      std::vector<float> distances(static_cast<std::size_t>(points.rows() * k));
      std::vector<faiss::Index::idx_t> found(distances.size());
      index.search(points.rows(), points.data(), k, distances.data(), found.data());
      Dense<std::int32_t> out(points.rows(), k);
      for (Index i = 0; i < out.size(); ++i) {
        out.data()[i] = static_cast<std::int32_t>(found[static_cast<std::size_t>(i)]);
      }
      return out;
    } catch (const std::exception& problem) {
      throw Error(ErrorKind::numeric, fmt::format("Faiss: {}", problem.what()));
    }
  }
};

}  // namespace

}  // namespace tyto

extern "C" const tyto::FaissModule* tyto_faiss_module() {
  static const tyto::InvertedLists module;
  return &module;
}
