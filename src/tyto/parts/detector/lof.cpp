// SPDX-License-Identifier: Apache-2.0
// Local outlier factor: how much lonelier a sample is than its neighbours are.
#include "tyto/math/local_density.hpp"
#include "tyto/parts/detector/fit_sample.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

struct LofOptions {
  Index k = 20, rows = 20000;

  void describe(OptionVisitor& v) {
    v.field("k", k, {1, 1e5}, "neighbours that count; all others where fewer rows are fitted");
    v.field("rows", rows, {2, 1e6},
            "fit rows kept to compare with at most, chosen by a hash of their ids; learning grows "
            "with their square");
  }
};

// Its own copy of the fit rows shown: densities belong to these rows and to no other memory.
class LocalOutlierFactor final : public Part, public Detector {
 public:
  explicit LocalOutlierFactor(LofOptions options) : options_(options) {}

  void profile(const Experience& experience, Work& work) override {
    if (!key_) {
      key_ = work.rng.fork("lof").key();
    }
    const FitSample sample(experience, options_.rows, *key_);
    if (!sample.rows().empty()) {
      densities_ = LocalDensity(sample.features(experience, work), options_.k);
    }
  }

  void detect(Evidence& evidence) const override {
    if (densities_.rows().rows() == 0) {
      throw Error(ErrorKind::state, "detector lof has seen no labelled sample to fit on");
    }
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() > 0) {
      Vector::Map(evidence.novelty.data(), evidence.size()) = densities_.factors(evidence.features);
    }
  }

  [[nodiscard]] Holding holding() const override { return holding_of(densities_.rows()); }

  void save(State& state) const override {
    if (key_) {
      state.set("key", static_cast<std::int64_t>(*key_));
      densities_.save(state);
    }
  }

  void load(const State& state, const Shelf&) override {
    if (state.has("key")) {
      key_ = static_cast<std::uint64_t>(state.get<std::int64_t>("key"));
      densities_.load(state);
    }
  }

 private:
  LofOptions options_;
  std::optional<std::uint64_t> key_;  // of the choice of rows; drawn once
  LocalDensity densities_;
};

}  // namespace

PartSpec lof_spec() {
  return part_spec<LofOptions, LocalOutlierFactor>(
      "lof", {Slot::detector},
      "local outlier factor: how much lonelier a sample is than its nearest fit samples are, "
      "remembered and new",
      "with m rows kept: O(m^2 d) per lesson, O(n m d) to detect, O(m d) memory",
      "Breunig et al., LOF: Identifying Density-Based Local Outliers, SIGMOD 2000");
}

}  // namespace tyto
