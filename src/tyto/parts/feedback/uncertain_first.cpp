// SPDX-License-Identifier: Apache-2.0
// Rows whose likeliest class is least likely come first.
#include <array>

#include "tyto/math/softmax.hpp"
#include "tyto/parts/feedback/by_belief.hpp"
#include "tyto/parts/known_columns.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kBeliefs{"classes", "groups"};

struct UncertainFirstOptions {
  std::string over = "classes";

  void describe(OptionVisitor& v) {
    v.field("over", over, kBeliefs,
            "what a row may be sure of. classes: the known ones, by their probabilities. groups: "
            "the known classes and the groups of the recogniser by one softmax over both their "
            "scores, the catch-all left aside, as the released GMM-FINCH asks; its scores must be "
            "of one scale, as those of gmm_finch in all three slots are");
  }
};

class UncertainFirst final : public ByBelief {
 public:
  explicit UncertainFirst(UncertainFirstOptions options)
      : ByBelief("uncertain_first"), over_groups_(options.over == "groups") {}

  void drop_unused(Evidence& block) const override {
    if (!over_groups_) {
      ByBelief::drop_unused(block);
      return;
    }
    for (Matrix* unused : {&block.features, &block.embedding, &block.probability}) {
      *unused = Matrix();
    }
  }

 private:
  [[nodiscard]] Matrix belief(const Evidence& batch) const override {
    const std::string who = "feedback " + name();
    if (!over_groups_) {
      return known_part(batch, batch.probability, who);
    }
    const Matrix known = known_part(batch, batch.logits, who);
    std::vector<Index> named;
    for (std::size_t g = 0; g < batch.groups.size(); ++g) {
      if (batch.groups[g] != Label::unknown) {
        named.push_back(static_cast<Index>(g));
      }
    }
    Matrix both(known.rows(), known.cols() + std::ssize(named));
    both.leftCols(known.cols()) = known;
    if (!named.empty()) {
      both.rightCols(std::ssize(named)) = batch.membership(Eigen::all, named);
    }
    return softmax(both);
  }

  [[nodiscard]] Vector certainty(const Matrix& belief) const override {
    return belief.rowwise().maxCoeff();
  }

  bool over_groups_;
};

}  // namespace

PartSpec uncertain_first_spec() {
  return part_spec<UncertainFirstOptions, UncertainFirst>(
      "uncertain_first", {Slot::feedback},
      "rows whose most likely known class is least likely come first; ties to the lower row",
      "O(n (k + log n)) time, no memory",
      "Lewis & Gale, A Sequential Algorithm for Training Text Classifiers, SIGIR 1994");
}

}  // namespace tyto
