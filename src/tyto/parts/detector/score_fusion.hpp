// SPDX-License-Identifier: Apache-2.0
// One novelty from several detectors, each of which may look at a source of its own.
#pragma once

#include "tyto/parts/detector/committee.hpp"
#include "tyto/parts/detector/held_ranks.hpp"
#include "tyto/parts/pooled_scale.hpp"

namespace tyto {

struct FusionOptions {
  ConfigNode detectors;
  std::string average = "scores";
  std::vector<double> weights;
  std::string form = "sound";  // of the range; of multimodal alone

  void describe(OptionVisitor& visitor);
  void resolve_nested(std::string_view path);

  std::string standard;  // detectors unless given, as YAML; set by whoever makes these

 protected:
  FusionOptions(std::string_view usual_detectors, std::string_view usual_average);
};

class ScoreFusion : public Part, public Detector, public PooledScale {
 public:
  ScoreFusion(FusionOptions options, std::string_view path);

  [[nodiscard]] Needs needs() const override { return committee_.needs(); }

  [[nodiscard]] Holding holding() const override { return committee_.holding(); }

  void profile(const Experience& experience, Work& work) override;
  void detect(Evidence& evidence) const override;
  std::vector<float> pool(std::span<const Detector* const> folds) override;
  [[nodiscard]] std::vector<std::vector<ScoreNote>> explain(const Evidence& given) const override;

  void save(State& state) const override { committee_.save(state); }

  void load(const State& state, const Shelf& shelf) override;

 private:
  [[nodiscard]] float average(const Eigen::RowVectorXf& scores, Index place) const;
  void measure();
  void weigh();
  [[nodiscard]] double log_p_of(float score, Index member, Index place) const;
  [[nodiscard]] double rank(float score, Index member, Index place) const;
  [[nodiscard]] double on_scale(float score, Index member, Index place) const;

  FusionOptions options_;
  Committee committee_;
  Eigen::RowVectorXd mean_, deviation_, least_, range_, weight_;  // of held-out scores, by member
  std::vector<HeldRanks> ranks_;
};

}  // namespace tyto
