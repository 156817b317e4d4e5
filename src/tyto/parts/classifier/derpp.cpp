// SPDX-License-Identifier: Apache-2.0
// Dark experience replay: remembered samples bring the outputs the network had for them when they
// were remembered.
#include <limits>
#include <map>

#include "tyto/parts/incremental/replay_learner.hpp"

namespace tyto {

namespace {

struct DerppOptions : LearnerOptions {
  double match = 0.5, replay = 0.5;

  void describe(OptionVisitor& visitor) override {
    LearnerOptions::describe(visitor);
    visitor.field("match", match, {0, 1e6},
                  "alpha: weight of the squared distance to the outputs a remembered sample had");
    visitor.field("replay", replay, {0, 1e6},
                  "beta: weight of the cross-entropy of remembered samples; 0: DER without the ++");
  }
};

class Derpp final : public ReplayLearner {
 public:
  explicit Derpp(DerppOptions options)
      : ReplayLearner("derpp", derpp_), derpp_(std::move(options)) {}

  // Outputs are noted when a sample enters the memory, and go with it.
  void settle(const Experience& remembered, Work&) override {
    if (network() == nullptr) {
      return;
    }
    Noted still;
    remembered.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label>) {
      for (Index i = 0; i < block.size(); ++i) {
        const SampleId id = block.samples.id(i);
        const auto found = noted_.find(id);
        still[id] = found != noted_.end() ? found->second : Matrix(block.logits.row(i));
      }
    });
    noted_ = std::move(still);
  }

 private:
  using Noted = std::map<SampleId, Matrix>;  // one row: outputs of the classes known then

  void begin(const ClipLesson&) override {
    if (network() == nullptr) {
      noted_.clear();
    }
  }

  void plan(const ClipLesson&, Training& training) override {
    training.objective.logit_match = derpp_.match;
  }

  void fill(const ClipLesson& lesson, Rows clips, Batch& batch) const override {
    std::vector<Index> rows;
    for (const Index clip : clips) {
      rows.push_back(lesson.clips.rows()[static_cast<std::size_t>(clip)]);
    }
    const Samples samples = lesson.experience.samples(rows);
    batch.match = Matrix::Constant(std::ssize(rows), std::ssize(classes()),
                                   std::numeric_limits<float>::quiet_NaN());
    batch.weights.resize(clips.size(), 1.0F);
    for (std::size_t i = 0; i < clips.size(); ++i) {
      if (!lesson.is_remembered(clips[i])) {
        continue;
      }
      batch.weights[i] *= static_cast<float>(derpp_.replay);
      const auto found = noted_.find(samples.id(static_cast<Index>(i)));
      if (found != noted_.end()) {
        batch.match.row(static_cast<Index>(i)).head(found->second.cols()) = found->second.row(0);
      }
    }
  }

  void save_more(State& state) const override {
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> counts;
    Matrix rows = Matrix::Zero(std::ssize(noted_), std::ssize(classes()));
    for (const auto& [id, outputs] : noted_) {
      rows.row(std::ssize(ids)).head(outputs.cols()) = outputs.row(0);
      ids.push_back(static_cast<std::int64_t>(id));
      counts.push_back(outputs.cols());
    }
    state.set("noted_ids", std::move(ids));
    state.set("noted_counts", std::move(counts));
    state.set("noted", std::move(rows));
  }

  void load_more(const State& state, const Shelf&) override {
    noted_.clear();
    const auto& ids = state.get<std::vector<std::int64_t>>("noted_ids");
    const auto& counts = state.get<std::vector<std::int64_t>>("noted_counts");
    const auto& rows = state.get<Matrix>("noted");
    for (std::size_t i = 0; i < ids.size(); ++i) {
      noted_[static_cast<SampleId>(ids[i])] =
          rows.row(static_cast<Index>(i)).head(static_cast<Index>(counts[i]));
    }
  }

  DerppOptions derpp_;
  Noted noted_;
};

}  // namespace

PartSpec derpp_spec() {
  return part_spec<DerppOptions, Derpp>(
      "derpp", {Slot::classifier},
      "dark experience replay: as er, and remembered samples are to give the outputs they gave "
      "when "
      "they were remembered",
      "as er; memory also of k outputs for each remembered sample",
      "Buzzega et al., Dark Experience for General Continual Learning, NeurIPS 2020",
      "cross entropy and alpha x squared distance to noted outputs");
}

}  // namespace tyto
