// SPDX-License-Identifier: Apache-2.0
// Several classifiers of one making that differ by their random numbers alone.
#include "tyto/parts/detector/mean_belief.hpp"
#include "tyto/parts/joint_learner.hpp"
#include "tyto/parts/nested_part.hpp"

namespace tyto {

namespace {

constexpr std::string_view kDefaultMember = "mlp";

struct DeepEnsembleOptions {
  ConfigNode member = parse_yaml(kDefaultMember, "");
  Index members = 5;

  void describe(OptionVisitor& v) {
    v.field("member", member,
            fmt::format("classifier to train several times, a name or {{name: ..., options}}: {} "
                        "for features, {{name: naive, trunk: ...}} for pictures; unless given {}",
                        kDefaultMember, kDefaultMember));
    v.field("members", members, {1, 1000}, "how often it is trained");
  }

  void resolve_nested(std::string_view path) {
    member = resolved_nested(Slot::classifier, member, fmt::format("{}.member", path));
  }
};

class DeepEnsemble final : public Part, public JointLearner {
 public:
  DeepEnsemble(const DeepEnsembleOptions& options, std::string_view path) {
    for (Index m = 0; m < options.members; ++m) {
      members_.emplace_back(
          make_nested(Slot::classifier, options.member, fmt::format("{}.member", path)));
    }
  }

  [[nodiscard]] Needs needs() const override { return joined_needs(members_); }

  [[nodiscard]] Holding holding() const override { return joined_holding(members_); }

  void settle(const Experience& remembered, Work& work) override {
    each(work, [&](Classifier& member, Work& own) { member.settle(remembered, own); });
  }

  void weigh(const Experience& experience, Work& work) override {
    each(work, [&](Classifier& member, Work& own) { member.weigh(experience, own); });
  }

  // Logits are the log of the mean softmax.
  void classify(Evidence& evidence) const override {
    MeanBelief belief;
    for (const Nested<Classifier>& member : members_) {
      member.as->classify(evidence);
      belief.add(evidence.logits);
    }
    evidence.logits = belief.log_probability();
    evidence.embedding = Matrix();  // each has its own
  }

  void detect(Evidence& evidence) const override {
    if (evidence.classifier == this) {
      evidence.novelty = doubt(evidence.logits, evidence.classes, "detector deep_ensemble");
      return;
    }
    Matrix logits = std::move(evidence.logits), embedding = std::move(evidence.embedding);
    std::vector<Label> classes = std::move(evidence.classes);
    classify(evidence);
    evidence.novelty = doubt(evidence.logits, evidence.classes, "detector deep_ensemble");
    evidence.logits = std::move(logits);
    evidence.embedding = std::move(embedding);
    evidence.classes = std::move(classes);
  }

  void save(State& state) const override {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      members_[m].part->save(state.make_child(key(m)));
    }
  }

  void load(const State& state, const Shelf& shelf) override {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      members_[m].part->load(state.child(key(m)), shelf);
    }
  }

 private:
  static std::string key(std::size_t number) { return fmt::format("network_{}", number); }

  void study(const Experience& experience, Work& work) override {
    each(work, [&](Classifier& member, Work& own) { member.learn(experience, own); });
  }

  template <class Body>
  void each(const Work& work, const Body& body) {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      Work own = work.fork(key(m));
      body(*members_[m].as, own);
    }
  }

  std::vector<Nested<Classifier>> members_;
};

}  // namespace

PartSpec deep_ensemble_spec() {
  return nesting_part_spec<DeepEnsembleOptions, DeepEnsemble>(
      "deep_ensemble", {Slot::classifier, Slot::detector},
      "the mean belief of several networks of different seeds; new where none is believed much",
      "that of its members",
      "Lakshminarayanan et al., Simple and Scalable Predictive Uncertainty Estimation using Deep "
      "Ensembles, NeurIPS 2017");
}

}  // namespace tyto
