// SPDX-License-Identifier: Apache-2.0
// Distance to the k-th nearest remembered sample.
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct KnnOptions {
  Index k = 5;

  void describe(OptionVisitor& v) {
    v.field("k", k, {1, 1e5},
            "which neighbour's distance counts; few samples per class favour 1, the paper takes "
            "50 or more. Where fewer are remembered, the furthest of them counts");
  }
};

class KthNeighbour final : public StatelessPart, public Detector {
 public:
  explicit KthNeighbour(KnnOptions options) : k_(options.k) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.neighbours = k_;
    return needs;
  }

  void detect(Evidence& evidence) const override {
    TYTO_ASSERT(evidence.near != nullptr);
    const Neighbours& found = evidence.near->remembered();
    // Another part may have asked for more neighbours than this one.
    const Index columns = std::min(k_, found.distance.cols());
    if (columns == 0) {
      throw Error(ErrorKind::state,
                  "detector knn needs remembered samples, and the memory holds none to fit on");
    }
    evidence.novelty.resize(static_cast<std::size_t>(found.distance.rows()));
    Vector::Map(evidence.novelty.data(), found.distance.rows()) =
        found.distance.col(columns - 1).cwiseSqrt();
  }

 private:
  Index k_;
};

}  // namespace

PartSpec knn_spec() {
  return part_spec<KnnOptions, KthNeighbour>(
      "knn", {Slot::detector},
      "distance to the k-th nearest remembered sample; the paper scales features to length 1 first "
      "(representation l2)",
      "O(n m d) time, the memory's m d",
      "Sun et al., Out-of-Distribution Detection with Deep Nearest Neighbors, ICML 2022");
}

}  // namespace tyto
