// SPDX-License-Identifier: Apache-2.0
// Several classifiers as one: a weighted mean of their probabilities.
#include <map>
#include <set>

#include "tyto/calibration/temperature_fit.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/softmax.hpp"
#include "tyto/parts/nested_part.hpp"
#include "tyto/parts/pooled_weights.hpp"

namespace tyto {

namespace {

constexpr Index kFewestHeld = 20;    // below that the scales stay as they were
constexpr double kSmoothing = 0.05;  // of the held-out answers: few of them, often all right
constexpr double kPrior = 20.0;      // samples that speak for even weights
constexpr double kFewOfClass = 2.0;  // held-out samples; of so many it has half a say
constexpr int kRounds = 50;
constexpr float kLeast = 1e-12F;  // probability, so that its logarithm is finite

struct BlendOptions {
  ConfigNode members;

  BlendOptions() {
    members.kind = ConfigNode::Kind::list;
    for (const char* name : {"ridge", "osnn", "gauss"}) {
      members.items.push_back(ConfigNode::scalar(name));
    }
  }

  void describe(OptionVisitor& v) {
    v.field("members", members, "the classifiers: a list of names or {name: ..., options}");
  }

  void resolve_nested(std::string_view path) {
    members = resolved_nested_list(Slot::classifier, members, fmt::format("{}.members", path));
  }
};

// Classifiers that err on different samples: a weighted mean of their probabilities. One factor on
// each member's logits, then the weights, make the held-out samples likeliest.
class Blend final : public Part, public Classifier, public PooledWeights {
 public:
  Blend(const BlendOptions& options, std::string_view path)
      : members_(make_nested_list<Classifier>(Slot::classifier, options.members,
                                              fmt::format("{}.members", path))),
        scales_(members_.size(), 1.0),
        weights_(members_.size(), 1.0 / static_cast<double>(members_.size())) {}

  [[nodiscard]] Needs needs() const override { return joined_needs(members_); }

  [[nodiscard]] Holding holding() const override { return joined_holding(members_); }

  void learn(const Experience& experience, Work& work) override {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Work own = work.fork(fmt::format("member {}", i));
      members_[i].as->learn(experience, own);
    }
  }

  void settle(const Experience& remembered, Work& work) override {
    for (Nested<Classifier>& member : members_) {
      member.as->settle(remembered, work);
    }
  }

  void weigh(const Experience& experience, Work& work) override {
    for (Nested<Classifier>& member : members_) {
      member.as->weigh(experience, work);
    }
    const FoldedClassifier self{this, &experience};
    weigh_on({&self, 1});
  }

  void weigh_together(std::span<const FoldedClassifier> folds) override {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (auto* pooled = dynamic_cast<PooledWeights*>(members_[m].as)) {
        pooled->weigh_together(members_of(folds, m));
      }
    }
    weigh_on(folds);
    for (std::size_t f = 0; f < folds.size(); ++f) {
      auto& fold = dynamic_cast<Blend&>(*folds[f].classifier);
      fold.scales_ = scales_;
      fold.weights_ = weights_;
      fold.weigh_on(all_but(folds, f));
    }
  }

  void classify(Evidence& evidence) const override {
    std::set<Label> classes;
    std::vector<Answer> answers;
    Evidence own = evidence;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      members_[m].as->classify(own);
      classes.insert(own.classes.begin(), own.classes.end());
      if (own.logits.size() > 0) {
        answers.push_back({softmax(own.logits * static_cast<float>(scales_[m])),
                           std::move(own.classes), static_cast<float>(weights_[m])});
      }
      own.logits = own.embedding = Matrix();
      own.classes.clear();
    }
    evidence.classes.assign(classes.begin(), classes.end());
    std::map<Label, Index> column;
    for (const Label label : evidence.classes) {
      column.emplace(label, static_cast<Index>(column.size()));
    }
    Matrix mean = Matrix::Zero(evidence.size(), std::ssize(evidence.classes));
    for (const Answer& answer : answers) {
      std::vector<Index> columns;
      for (const Label label : answer.classes) {
        columns.push_back(column.at(label));
      }
      for_each_index(mean.rows(), [&](Index i) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
          mean(i, columns[c]) += answer.weight * answer.probability(i, static_cast<Index>(c));
        }
      });
    }
    evidence.logits = mean.array().max(kLeast).log().matrix();
  }

  void save(State& state) const override {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      State& own = state.make_child(fmt::format("member_{}", i));
      own.set("scale", double{scales_[i]});
      own.set("weight", double{weights_[i]});
      members_[i].part->save(own.make_child("part"));
    }
  }

  void load(const State& state, const Shelf& shelf) override {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const State& own = state.child(fmt::format("member_{}", i));
      scales_[i] = own.get<double>("scale");
      weights_[i] = own.get<double>("weight");
      members_[i].part->load(own.child("part"), shelf);
    }
  }

 private:
  struct Answer {
    Matrix probability;
    std::vector<Label> classes;  // its columns
    float weight;
  };

  static std::vector<FoldedClassifier> members_of(std::span<const FoldedClassifier> folds,
                                                  std::size_t m) {
    std::vector<FoldedClassifier> members;
    for (const FoldedClassifier& fold : folds) {
      members.push_back({dynamic_cast<Blend&>(*fold.classifier).members_[m].as, fold.experience});
    }
    return members;
  }

  // Leaves all as it is where they held out too few samples.
  void weigh_on(std::span<const FoldedClassifier> folds) {
    std::vector<double> scales;
    Matrix right;  // each member's probability of the right class
    std::vector<Index> truth;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const HeldLogits held = held_logits(members_of(folds, m));
      const Index rows = std::ssize(held.truth);
      if (rows < kFewestHeld) {
        return;
      }
      scales.push_back(fit_scale(held.logits, held.truth, kSmoothing));
      const Matrix probability = softmax(held.logits * static_cast<float>(scales.back()));
      if (m == 0) {
        right.resize(rows, std::ssize(members_));
      }
      TYTO_ASSERT(right.rows() == rows);
      truth = held.truth;
      for (Index i = 0; i < rows; ++i) {
        right(i, static_cast<Index>(m)) = probability(i, held.truth[static_cast<std::size_t>(i)]);
      }
    }
    scales_ = std::move(scales);
    set_weights(right, shares_of(truth));
  }

  // Every class has the same say, but for what few samples of it can tell: classes known from the
  // start have most of the samples, and the newer ones are where members differ.
  static Eigen::VectorXd shares_of(std::span<const Index> truth) {
    std::map<Index, double> count;
    for (const Index label : truth) {
      ++count[label];
    }
    Eigen::VectorXd share(std::ssize(truth));
    for (Index i = 0; i < share.size(); ++i) {
      share[i] = 1.0 / (count.at(truth[at(i)]) + kFewOfClass);
    }
    return share * static_cast<double>(share.size()) / share.sum();
  }

  // Weights of the mixture that makes the right answers likeliest, by expectation maximisation; a
  // few samples' worth of prior keeps them even where little is held out.
  void set_weights(const Matrix& right, const Eigen::VectorXd& counts) {
    const auto members = static_cast<double>(members_.size());
    Eigen::RowVectorXd weight = Eigen::RowVectorXd::Constant(std::ssize(members_), 1.0 / members);
    for (int round = 0; round < kRounds; ++round) {
      Eigen::RowVectorXd sum = Eigen::RowVectorXd::Constant(weight.size(), kPrior / members);
      for (Index i = 0; i < right.rows(); ++i) {
        const Eigen::RowVectorXd share =
            right.row(i).cast<double>().cwiseMax(1e-9).cwiseProduct(weight);
        sum += share * (counts[i] / share.sum());
      }
      weight = sum / sum.sum();
    }
    for (std::size_t m = 0; m < members_.size(); ++m) {
      weights_[m] = weight[static_cast<Index>(m)];
    }
  }

  std::vector<Nested<Classifier>> members_;
  std::vector<double> scales_, weights_;  // by member
};

}  // namespace

PartSpec blend_spec() {
  return nesting_part_spec<BlendOptions, Blend>("blend", {Slot::classifier},
                                                "weighted mean of the probabilities of several "
                                                "classifiers; scales and weights fit the held-out "
                                                "samples",
                                                "the sum of its members'");
}

}  // namespace tyto
