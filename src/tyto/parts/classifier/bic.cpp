// SPDX-License-Identifier: Apache-2.0
// BiC: rehearsal favours the classes learned last, so their outputs are scaled and shifted until
// held-out samples of old and new classes are told apart fairly.
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "tyto/math/softmax.hpp"
#include "tyto/parts/incremental/network_learner.hpp"
#include "tyto/parts/incremental/teacher.hpp"

namespace tyto {

namespace {

struct BicOptions : LearnerOptions {
  double temperature = 2.0;

  void describe(OptionVisitor& visitor) override {
    LearnerOptions::describe(visitor);
    visitor.field("temperature", temperature, {0.01, 100}, "of the distillation");
  }
};

struct Correction {  // of the outputs [first, first + count): alpha z + beta
  Index first = 0, count = 0;
  double alpha = 1.0, beta = 0.0;

  void apply(Matrix& logits) const {
    auto own = logits.middleCols(first, count);
    own = (static_cast<float>(alpha) * own).array() + static_cast<float>(beta);
  }
};

// Weighted mean cross-entropy of logits of which one group of outputs is corrected: convex in
// (alpha, beta).
struct BiasProblem {
  Matrix logits;  // the other groups corrected already
  std::vector<Index> target;
  std::vector<double> weight;
  double pull = 0.0;  // towards (1, 0), as if a sample had said so

  // Samples of both sides: with those of one alone nothing can be weighed against the other.
  [[nodiscard]] bool has_both(const Correction& correction) const {
    const auto inside = [&](Index y) {
      return y >= correction.first && y < correction.first + correction.count;
    };
    const Index in = std::count_if(target.begin(), target.end(), inside);
    return in > 0 && in < std::ssize(target);
  }

  struct Step {
    double loss = 0.0;
    Eigen::Vector2d slope = Eigen::Vector2d::Zero();
    Eigen::Matrix2d curve = Eigen::Matrix2d::Zero();
  };

  [[nodiscard]] Step at(const Correction& correction) const {
    Matrix corrected = logits;
    correction.apply(corrected);
    const Matrix p = softmax(corrected);
    Step step;
    double all = 0.0;
    for (Index i = 0; i < logits.rows(); ++i) {
      const double w = weight[static_cast<std::size_t>(i)];
      const Index y = target[static_cast<std::size_t>(i)];
      double share = 0.0;  // p(group), and first and second moment of z in it
      double mean = 0.0;
      double square = 0.0;
      for (Index k = correction.first; k < correction.first + correction.count; ++k) {
        const double z = logits(i, k);
        share += p(i, k);
        mean += p(i, k) * z;
        square += p(i, k) * z * z;
      }
      const bool inside = y >= correction.first && y < correction.first + correction.count;
      step.loss -= w * std::log(std::max(static_cast<double>(p(i, y)), 1e-30));
      step.slope +=
          w * Eigen::Vector2d(mean - (inside ? logits(i, y) : 0.0F), share - (inside ? 1.0 : 0.0));
      step.curve(0, 0) += w * (square - mean * mean);
      step.curve(0, 1) += w * (mean - mean * share);
      step.curve(1, 1) += w * (share - share * share);
      all += w;
    }
    step.curve(1, 0) = step.curve(0, 1);
    step.loss /= all;
    step.slope /= all;
    step.curve /= all;
    const Eigen::Vector2d off(correction.alpha - 1.0, correction.beta);
    step.loss += pull / 2.0 * off.squaredNorm();
    step.slope += pull * off;
    step.curve += pull * Eigen::Matrix2d::Identity();
    return step;
  }
};

// Newton's method, halving steps that do not help.
void solve(const BiasProblem& problem, Correction& correction) {
  BiasProblem::Step now = problem.at(correction);
  for (int i = 0; i < 50 && now.slope.norm() > 1e-7; ++i) {
    const Eigen::Matrix2d curve = now.curve + 1e-9 * Eigen::Matrix2d::Identity();
    const Eigen::Vector2d move = curve.ldlt().solve(now.slope);
    bool better = false;
    for (double length = 1.0; length > 1e-4 && !better; length /= 2.0) {
      Correction next = correction;
      next.alpha -= length * move[0];
      next.beta -= length * move[1];
      const BiasProblem::Step there = problem.at(next);
      if (there.loss < now.loss) {
        correction = next;
        now = there;
        better = true;
      }
    }
    if (!better) {
      return;
    }
  }
}

class Bic final : public NetworkLearner {
 public:
  explicit Bic(BicOptions options) : NetworkLearner("bic", bic_), bic_(std::move(options)) {}

  void weigh(const Experience& experience, Work&) override {
    if (network() == nullptr || corrections_.size() < 2 || !is_due_) {
      return;
    }
    is_due_ = false;
    const BiasProblem problem = problem_of(experience);
    if (!problem.has_both(corrections_.back())) {
      return;  // the outputs stay as they are
    }
    if (bic_.form_of() == MethodForm::released) {
      descend(problem, corrections_.back());
    } else {
      solve(problem, corrections_.back());
    }
  }

 private:
  void begin(const ClipLesson&) override {
    if (network() == nullptr) {
      corrections_.clear();
    }
    teacher_.take(network());
  }

  void plan(const ClipLesson& lesson, Training& training) override {
    const auto all = static_cast<double>(classes().size());
    const double old = static_cast<double>(lesson.old_outputs) / all;
    training.objective.cross_entropy = 1.0 - old;
    training.objective.distil = {old, DistilKind::softmax, bic_.temperature};
    epochs_ = training.epochs;
    if (std::ssize(classes()) > lesson.old_outputs) {
      pending_ = {lesson.old_outputs, std::ssize(classes()) - lesson.old_outputs};
    }
  }

  void fill(const ClipLesson&, Rows, Batch& batch) const override {
    if (teacher_.is_there()) {
      batch.soft = teacher_.logits(batch.rows, bic_.segments);
      for (const Correction& correction : corrections_) {
        correction.apply(batch.soft);
      }
    }
  }

  void finish(const ClipLesson&, const Training&, Work&) override {
    teacher_.leave();
    if (bic_.form_of() != MethodForm::released) {
      // The outputs were taught the corrected ones: corrected again they would drift away.
      for (Correction& correction : corrections_) {
        correction.alpha = 1.0;
        correction.beta = 0.0;
      }
    }
    if (pending_.count > 0) {
      corrections_.push_back(pending_);
      pending_ = {};
      is_due_ = true;
    }
  }

  // What it decides by is not what the network would be derived of.
  [[nodiscard]] bool has_gradient() const override { return false; }

  void decide(Evidence& evidence) const override {
    for (const Correction& correction : corrections_) {
      correction.apply(evidence.logits);
    }
  }

  // Held-out samples of every class, each class with the same weight (in form released each
  // sample).
  [[nodiscard]] BiasProblem problem_of(const Experience& experience) const {
    BiasProblem problem;
    std::vector<double> count(classes().size(), 0.0);
    std::vector<Matrix> blocks;
    experience.each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label> labels) {
      blocks.push_back(logits_of(block.frames, nullptr));
      for (const Label label : labels) {
        const auto found = std::find(classes().begin(), classes().end(), label);
        problem.target.push_back(found - classes().begin());
        count[static_cast<std::size_t>(problem.target.back())] += 1.0;
      }
    });
    problem.logits.resize(std::ssize(problem.target), std::ssize(classes()));
    Index row = 0;
    for (const Matrix& block : blocks) {
      problem.logits.middleRows(row, block.rows()) = block;
      row += block.rows();
    }
    for (std::size_t g = 0; g + 1 < corrections_.size(); ++g) {
      corrections_[g].apply(problem.logits);
    }
    const bool balanced = bic_.form_of() != MethodForm::released;
    if (bic_.form_of() == MethodForm::sound && !problem.target.empty()) {
      problem.pull = 1.0 / static_cast<double>(problem.target.size());
    }
    for (const Index target : problem.target) {
      problem.weight.push_back(balanced ? 1.0 / count[static_cast<std::size_t>(target)] : 1.0);
    }
    return problem;
  }

  // Plain gradient descent with the scripts' 1e-3, a step for each batch of stage one.
  void descend(const BiasProblem& problem, Correction& correction) const {
    const Index per_epoch = std::max<Index>(problem.logits.rows() / bic_.released_batch, 1);
    for (Index i = 0; i < epochs_ * per_epoch; ++i) {
      const BiasProblem::Step step = problem.at(correction);
      correction.alpha -= 1e-3 * step.slope[0];
      correction.beta -= 1e-3 * step.slope[1];
    }
  }

  void save_more(State& state) const override {
    Dense<double> rows(std::ssize(corrections_), 4);
    for (std::size_t g = 0; g < corrections_.size(); ++g) {
      const Correction& one = corrections_[g];
      rows.row(static_cast<Index>(g)) << static_cast<double>(one.first),
          static_cast<double>(one.count), one.alpha, one.beta;
    }
    state.set("corrections", std::move(rows));
  }

  void load_more(const State& state, const Shelf&) override {
    corrections_.clear();
    const auto& rows = state.get<Dense<double>>("corrections");
    for (Index g = 0; g < rows.rows(); ++g) {
      corrections_.push_back(
          {static_cast<Index>(rows(g, 0)), static_cast<Index>(rows(g, 1)), rows(g, 2), rows(g, 3)});
    }
  }

  BicOptions bic_;
  Teacher teacher_;
  std::vector<Correction> corrections_;  // one for each lesson that brought classes
  Correction pending_;
  Index epochs_ = 1;
  bool is_due_ = false;  // the last correction has not been fitted yet
};

}  // namespace

PartSpec bic_spec() {
  return part_spec<BicOptions, Bic>(
      "bic", {Slot::classifier},
      "rehearsal with distillation, then a scale and a shift of the newest classes' outputs, "
      "fitted "
      "on held-out samples of all classes. sound, paper: classes weigh alike, the fit is exact "
      "(convex), in form sound drawn to no correction by the weight of one sample; released: "
      "samples "
      "weigh alike, small steps. Needs held-out samples (holdout, or a "
      "validate split); without them outputs stay as they are",
      "as icarl; the correction O(h k) an iteration with h held-out samples",
      "Wu et al., Large Scale Incremental Learning, CVPR 2019",
      "(1 - a) cross entropy + a distillation, a the share of old classes");
}

}  // namespace tyto
