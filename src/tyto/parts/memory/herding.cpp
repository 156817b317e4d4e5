// SPDX-License-Identifier: Apache-2.0
// The exemplars of iCaRL: of each class the samples whose mean follows the mean of all of them.
#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "tyto/parts/memory/budgeted_memory.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kPlaces{"embedding", "features"};
constexpr std::array<std::string_view, 2> kForms{"sound", "released"};

struct HerdingOptions : SharedBudgetOptions {
  std::string on = "embedding";
  std::string form = "sound";

  void describe(OptionVisitor& v) {
    SharedBudgetOptions::describe(v);
    v.field("on", on, kPlaces,
            "where means are taken. embedding: of the classifier, scaled to length 1, where it "
            "gives one without looking up remembered samples, else of the features; features: "
            "always, as the representation gives them");
    v.field("form", form, kForms,
            "sound: each taken for the mean of all taken so far; released: nearest to the class "
            "mean first, both scaled to length 1, which is what vCLIMB's released code comes to");
  }
};

// Rows in the order in which they are wanted, ties to the first. Copies share the rows.
class Herd {
 public:
  Herd(Matrix rows, bool released) {
    if (released) {
      order_ = near_mean(rows);
      return;
    }
    mean_ = rows.cast<double>().colwise().mean().transpose();
    sum_ = Eigen::VectorXd::Zero(rows.cols());
    squares_ = rows.cast<double>().rowwise().squaredNorm();
    is_taken_.resize(at(rows.rows()), 0);
    rows_ = std::make_shared<const Matrix>(std::move(rows));
  }

  Index next() {
    if (!rows_) {
      return order_[at(taken_++)];
    }
    // The mean of the taken ones is to come nearest to that of all, O(n d) time each:
    // |(sum + x) / k - mean|^2 = |x - target|^2 / k^2 with target = k mean - sum.
    const Eigen::VectorXd target = static_cast<double>(++taken_) * mean_ - sum_;
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < rows_->rows(); ++i) {
      if (is_taken_[at(i)] != 0) {
        continue;
      }
      const double score = squares_[i] - 2.0 * rows_->row(i).cast<double>().dot(target.transpose());
      if (best < 0 || score < least) {
        best = i;
        least = score;
      }
    }
    TYTO_ASSERT(best >= 0);
    is_taken_[at(best)] = 1;
    sum_ += rows_->row(best).cast<double>().transpose();
    return best;
  }

 private:
  static std::vector<Index> near_mean(const Matrix& rows) {
    Dense<double> unit = rows.cast<double>();
    for (Index i = 0; i < unit.rows(); ++i) {
      unit.row(i).stableNormalize();
    }
    Eigen::RowVectorXd mean = unit.colwise().mean();
    mean.stableNormalize();
    const Eigen::VectorXd away = (unit.rowwise() - mean).rowwise().squaredNorm();
    std::vector<Index> order(at(rows.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return away[a] < away[b]; });
    return order;
  }

  std::shared_ptr<const Matrix> rows_;  // null: the order is known
  std::vector<Index> order_;
  Eigen::VectorXd mean_, sum_, squares_;
  std::vector<std::uint8_t> is_taken_;
  Index taken_ = 0;
};

// One class. Held-out samples are drawn, not herded: a threshold set on samples near the mean would
// promise too much. They stand among the others in proportion, after the first of those.
struct HerdedClass {
  std::vector<std::size_t> fit, hold;  // places among the candidates, hold in the order wanted
  bool has_new = false;                // of fit; else it is in its former order, which stays
  std::optional<Herd> herd;            // of the first of them; the others follow in their order
  std::size_t herded = 0;
  std::size_t fit_taken = 0, hold_taken = 0;

  std::optional<std::size_t> next(Work& work) {
    const std::size_t all = fit.size() + hold.size();
    if (fit_taken + hold_taken == all) {
      return std::nullopt;
    }
    const std::size_t place = fit_taken + hold_taken + 1;
    if (hold_taken < hold.size() &&
        (fit_taken == fit.size() || (hold_taken + 1) * all <= place * hold.size())) {
      return hold[hold_taken++];
    }
    const std::size_t turn = fit_taken++;
    if (turn >= herded) {
      return fit[turn];
    }
    work.progress.pulse();
    return fit[at(herd->next())];
  }
};

class Herding final : public BudgetedMemory {
 public:
  explicit Herding(HerdingOptions options)
      : BudgetedMemory("herding", options, options.per == "class"), options_(std::move(options)) {}

  void keep(const Experience& all, Work& work) override {
    key(work);
    std::vector<Candidate> offered = candidates(kept_, all);
    std::map<Label, HerdedClass> classes = sorted_by_class(offered);
    show(all, offered, classes);
    std::vector<Index> turn;
    const std::vector<std::size_t> taken = keep_some(
        all, offered,
        [&](const std::vector<Candidate>& sized) {
          turn.assign(sized.size(), 0);
          return shared_out(sized, classes, turn, work);
        },
        work);
    turns_.clear();
    for (const bool old : {true, false}) {  // as kept() puts them
      for (const std::size_t place : taken) {
        if (offered[place].old == old) {
          turns_.push_back(turn[place]);
        }
      }
    }
  }

  void save(State& state) const override {
    BudgetedMemory::save(state);
    if (state.has("key")) {
      state.set("turns", std::vector<std::int64_t>(turns_.begin(), turns_.end()));
    }
  }

  void load(const State& state, const Shelf& shelf) override {
    BudgetedMemory::load(state, shelf);
    if (!state.has("key")) {
      return;
    }
    const auto& turns = state.get<std::vector<std::int64_t>>("turns");
    turns_.assign(turns.begin(), turns.end());
    if (std::ssize(turns_) != kept_.size()) {
      throw Error(ErrorKind::state,
                  fmt::format("the saved memory has {} samples and the order of {}", kept_.size(),
                              turns_.size()));
    }
  }

 private:
  // `turn`: when the class of each candidate took it. The classes come as a copy, to be used up.
  [[nodiscard]] std::vector<std::size_t> shared_out(const std::vector<Candidate>& sized,
                                                    std::map<Label, HerdedClass> classes,
                                                    std::vector<Index>& turn, Work& work) const {
    std::vector<ClassQueue> queues;
    for (auto& [label, members] : classes) {
      ClassQueue queue{label, lot_of(label, key()), 0, {}};
      for (const auto* places : {&members.fit, &members.hold}) {
        for (const std::size_t place : *places) {
          queue.size += options_.size_of(sized[place]);
        }
      }
      queue.next = [&one = members, &turn, &work, count = Index{0}]() mutable {
        const std::optional<std::size_t> place = one.next(work);
        if (place) {
          turn[*place] = count++;
        }
        return place;
      };
      queues.push_back(std::move(queue));
    }
    return share_out(std::move(queues), sized, options_, classes_seen());
  }

  [[nodiscard]] std::map<Label, HerdedClass> sorted_by_class(
      const std::vector<Candidate>& offered) const {
    std::map<Label, HerdedClass> classes;
    for (std::size_t i = 0; i < offered.size(); ++i) {
      if (offered[i].label != Label::unknown) {
        HerdedClass& own = classes[offered[i].label];
        (offered[i].role == Role::fit ? own.fit : own.hold).push_back(i);
        own.has_new = own.has_new || (!offered[i].old && offered[i].role == Role::fit);
      }
    }
    for (auto& [label, own] : classes) {
      sort_by_hash(own.hold, offered, key());
      if (!own.has_new) {
        std::stable_sort(own.fit.begin(), own.fit.end(), [&](std::size_t a, std::size_t b) {
          return turns_[at(offered[a].row)] < turns_[at(offered[b].row)];
        });
      }
    }
    return classes;
  }

  // Gathers the rows of classes that have something new. A sample that the experience does not show
  // (it came again without a label) goes behind the others.
  void show(const Experience& all, const std::vector<Candidate>& offered,
            std::map<Label, HerdedClass>& classes) const {
    std::unordered_map<SampleId, std::size_t> place;  // looked up, never walked through
    for (const auto& [label, own] : classes) {
      for (const std::size_t i : own.fit) {
        if (own.has_new) {
          place.emplace(offered[i].id, i);
        }
      }
    }
    std::map<Label, std::vector<std::size_t>> shown;
    std::map<Label, std::deque<Matrix>> blocks;
    all.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label>) {
      const bool embedded = options_.on == "embedding" && block.embedding.cols() > 0;
      std::map<Label, std::vector<Index>> rows;
      for (Index i = 0; i < block.size(); ++i) {
        const auto found = place.find(block.samples.id(i));
        if (found != place.end()) {
          const Label label = offered[found->second].label;
          rows[label].push_back(i);
          shown[label].push_back(found->second);
          place.erase(found);  // once, if it should come twice
        }
      }
      for (const auto& [label, which] : rows) {
        Matrix& own = blocks[label].emplace_back(
            (embedded ? block.embedding : block.features)(which, Eigen::all));
        for (Index i = 0; embedded && i < own.rows(); ++i) {
          const float norm = own.row(i).stableNorm();
          own.row(i) /= norm > 0.0F ? norm : 1.0F;
        }
      }
    });
    for (auto& [label, order] : shown) {
      HerdedClass& own = classes.at(label);
      Matrix rows(std::ssize(order), blocks.at(label).front().cols());
      Index row = 0;
      for (const Matrix& block : blocks.at(label)) {
        rows.middleRows(row, block.rows()) = block;
        row += block.rows();
      }
      own.herd.emplace(std::move(rows), options_.form == "released");
      own.herded = order.size();
      for (const std::size_t i : own.fit) {
        if (place.contains(offered[i].id)) {
          order.push_back(i);
        }
      }
      own.fit = std::move(order);
    }
  }

  HerdingOptions options_;
  std::vector<Index> turns_;  // of each sample kept: when its class took it
};

}  // namespace

PartSpec herding_spec() {
  return part_spec<HerdingOptions, Herding>(
      "herding", {Slot::memory},
      "keeps of each class the samples whose mean follows the class mean most closely, as many of "
      "the first as its share of the budget allows; held-out samples are drawn at random",
      "O(m n d) time per class with new samples, of n samples and m kept; O((n + m) d) memory",
      "Rebuffi et al., iCaRL: Incremental Classifier and Representation Learning, CVPR 2017");
}

}  // namespace tyto
