// SPDX-License-Identifier: Apache-2.0
// How few random cuts set a sample apart.
#include <algorithm>
#include <numeric>

#include "tyto/math/isolation_trees.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct IsolationForestOptions {
  Index trees = 100, sample = 256;

  void describe(OptionVisitor& v) {
    v.field("trees", trees, {1, 1e5}, "random trees whose paths are averaged");
    v.field("sample", sample, {2, 1e6},
            "fit rows each tree is grown on, drawn at random; all where there are fewer");
  }
};

// Trees on samples of the fit rows shown: what is remembered and the new ones.
class IsolationForest final : public Part, public Detector {
 public:
  explicit IsolationForest(IsolationForestOptions options) : options_(options) {}

  void profile(const Experience& experience, Work& work) override {
    const std::vector<Index> shown = experience.labelled(Role::fit);
    if (shown.empty()) {
      return;
    }
    const auto n = static_cast<Index>(shown.size());
    const Index size = std::min(options_.sample, n);
    const Rng rng = work.rng.fork("isolation_forest");
    std::vector<std::vector<Index>> samples;
    std::vector<Index> order(shown.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::vector<std::uint8_t> drawn(shown.size(), 0);
    for (Index t = 0; t < options_.trees; ++t) {
      Rng stream = rng.fork("rows", static_cast<std::uint64_t>(t));
      for (Index i = 0; i < size; ++i) {  // the front of a shuffle, whatever the order before it
        std::swap(order[at(i)], order[at(i + stream.below(n - i))]);
        drawn[at(order[at(i)])] = 1;
      }
      samples.emplace_back(order.begin(), order.begin() + size);
      work.progress.pulse();
    }
    // Of a million rows a hundred trees see a few thousand: only these are gathered.
    std::vector<Index> needed;
    std::vector<Index> place(shown.size());
    for (std::size_t i = 0; i < shown.size(); ++i) {
      place[i] = std::ssize(needed);
      if (drawn[i] != 0) {
        needed.push_back(shown[i]);
      }
    }
    for (std::vector<Index>& sample : samples) {
      for (Index& i : sample) {
        i = place[at(i)];
      }
    }
    trees_ = IsolationTrees(experience.features(needed), samples, rng);
  }

  void detect(Evidence& evidence) const override {
    if (trees_.trees() == 0) {
      throw Error(ErrorKind::state,
                  "detector isolation_forest has seen no labelled sample to fit on");
    }
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() > 0) {
      Vector::Map(evidence.novelty.data(), evidence.size()) = trees_.scores(evidence.features);
    }
  }

  void save(State& state) const override { trees_.save(state); }

  void load(const State& state, const Shelf&) override { trees_.load(state); }

 private:
  IsolationForestOptions options_;
  IsolationTrees trees_;
};

}  // namespace

PartSpec isolation_forest_spec() {
  return part_spec<IsolationForestOptions, IsolationForest>(
      "isolation_forest", {Slot::detector},
      "how few random cuts set a sample apart; the forest is grown anew in each lesson on what is "
      "remembered and what is new",
      "with t trees of s rows: O(t s log s) to learn, O(n t log s) to detect, O(t s) memory",
      "Liu, Ting & Zhou, Isolation Forest, ICDM 2008");
}

}  // namespace tyto
