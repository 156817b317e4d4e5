// SPDX-License-Identifier: Apache-2.0
// The nearest remembered sample, new where one of another class is nearly as near.
#include <cmath>
#include <map>
#include <set>

#include "tyto/parts/detector/neighbour_ratio.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr float kNearest = 1e-6F;  // distances count as at least this share of the furthest

struct OsnnOptions {
  Index k = 16;
  double sharpness = 10.0, ratio = 0.0;

  void describe(OptionVisitor& v) {
    v.field("k", k, {1, 1e5},
            "remembered neighbours looked at; a class not among them counts as far as the last");
    v.field("sharpness", sharpness, {0.01, 1e4},
            "logits are minus so many times ln(distance to the class): a class twice as near is 2 "
            "to this power as likely");
    v.field("ratio", ratio, {0.0, 1.0},
            "novel where the nearest is not nearer than this share of the nearest of another "
            "class; 0: by the held-out samples at the accepted error");
  }
};

// The nearest sample names the class; how much nearer it is than any other class's, the novelty.
class OpenSetNearest final : public Part, public Classifier, public Detector {
 public:
  explicit OpenSetNearest(OsnnOptions options) : options_(options) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.neighbours = options_.k;
    needs.rivals = true;
    return needs;
  }

  void learn(const Experience& experience, Work&) override {
    if (experience.starts_over()) {
      classes_.clear();
    }
    std::set<Label> all(classes_.begin(), classes_.end());
    for (const Index row : experience.labelled(Role::fit, experience.fresh())) {
      all.insert(experience.labels()[static_cast<std::size_t>(row)]);
    }
    classes_.assign(all.begin(), all.end());
  }

  void classify(Evidence& evidence) const override {
    evidence.classes = classes_;
    const auto width = static_cast<Index>(classes_.size());
    evidence.logits.resize(evidence.size(), width);
    if (evidence.logits.size() == 0) {
      return;
    }
    const Neighbours& near = evidence.near->remembered();
    const Neighbours& rivals = evidence.near->rivals();
    const auto labels = evidence.near->remembered_labels();
    std::map<Label, Index> column;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      column[classes_[c]] = static_cast<Index>(c);
    }
    const Index k = std::min(options_.k, near.row.cols());
    for (Index i = 0; i < evidence.size(); ++i) {
      const bool has_rival = rivals.row(i, 0) >= 0;
      float furthest = near.distance(i, k - 1);
      furthest = has_rival ? std::max(furthest, rivals.distance(i, 0)) : furthest;
      Eigen::RowVectorXf squared = Eigen::RowVectorXf::Constant(width, furthest);
      const auto offer = [&](std::int32_t row, float distance) {
        const auto found = column.find(labels[static_cast<std::size_t>(row)]);
        if (found != column.end()) {
          squared[found->second] = std::min(squared[found->second], distance);
        }
      };
      for (Index j = 0; j < k; ++j) {
        offer(near.row(i, j), near.distance(i, j));
      }
      if (has_rival) {
        offer(rivals.row(i, 0), rivals.distance(i, 0));
      }
      // In units of the furthest, so that only ratios count.
      const float unit = furthest > 0.0F ? furthest : 1.0F;
      const auto share = (squared.array() / unit).max(kNearest * kNearest);
      evidence.logits.row(i) =
          (static_cast<float>(-0.5 * options_.sharpness) * share.log()).matrix();
    }
  }

  void detect(Evidence& evidence) const override {
    evidence.novelty = neighbour_ratio(evidence, "detector osnn");
  }

  [[nodiscard]] std::optional<float> own_threshold() const override {
    if (options_.ratio > 0.0) {
      return static_cast<float>(options_.ratio);
    }
    return {};
  }

  void save(State& state) const override { save_labels(state, "classes", classes_); }

  void load(const State& state, const Shelf&) override { classes_ = load_labels(state, "classes"); }

 private:
  OsnnOptions options_;
  std::vector<Label> classes_;  // ascending
};

}  // namespace

PartSpec osnn_spec() {
  return part_spec<OsnnOptions, OpenSetNearest>(
      "osnn", {Slot::classifier, Slot::detector},
      "nearest remembered sample, new where one of another class is nearly as near",
      "O(n m d) time, the memory's m d",
      "Mendes Junior et al., Nearest neighbors distance ratio open-set classifier, Machine "
      "Learning "
      "106, 2017",
      "none: the remembered samples are the model");
}

}  // namespace tyto
