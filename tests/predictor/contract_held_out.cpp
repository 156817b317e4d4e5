// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "predictor/contract.hpp"
#include <fmt/format.h>

#include "tyto/parts/pooled_scale.hpp"

namespace tyto::contract {

namespace {

// A weighing classifier may decide so many of a hundred samples otherwise; where folds are left out
// in turn, samples that lie are also among those that the folds fit on.
constexpr Index kWeighedAnew = 5, kWeighedByFolds = 12;

std::vector<Role> roles_in(const Blobs& blobs, double holdout) {
  std::vector<Role> roles;
  for (Index i = 0; i < blobs.samples.size(); ++i) {
    roles.push_back(role_of(blobs.samples.id(i), kSeed, holdout));
  }
  return roles;
}

// The same samples, the held-out ones far from where they were.
Lesson moved_away(const Blobs& blobs, double holdout) {
  constexpr float kFar = 20.0F;
  const std::vector<Role> roles = roles_in(blobs, holdout);
  std::vector<DenseStore::Source> sources;
  for (const std::string& name : blobs.store->sources()) {
    Matrix values = blobs.samples.rows(name);
    for (Index i = 0; i < values.rows(); ++i) {
      if (roles[static_cast<std::size_t>(i)] == Role::hold) {
        values.row(i).array() += kFar * static_cast<float>(1 + i % 3);
        values(i, i % values.cols()) += kFar;
      }
    }
    sources.push_back({name, std::move(values), blobs.store->column_names(name)});
  }
  Samples::Table table;
  for (Index i = 0; i < blobs.samples.size(); ++i) {
    table.id.push_back(blobs.samples.id(i));
    table.row.push_back(i);
  }
  return {Samples(std::make_shared<const DenseStore>(std::move(sources)), std::move(table)),
          blobs.names,
          {}};
}

// In the order of `a`, `b` never falls: a scale set by held-out samples leaves it so.
bool same_ranks(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<std::size_t> order(a.size());
  float largest = 1.0F;
  for (std::size_t i = 0; i < a.size(); ++i) {
    order[i] = i;
    largest = std::max(largest, std::abs(b[i]));
  }
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return a[i] < a[j]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (b[order[i]] < b[order[i - 1]] - 1e-5F * largest) {
      return false;
    }
  }
  return true;
}

enum class Spoilt { names, features };

// What the held-out samples of a lesson may decide of what comes after them.
class HeldOut {
 public:
  HeldOut(const Subject& subject, const Composition& predictor, Spoilt spoilt)
      : parts_(predictor.parts()), weighs_(subject.weighs), spoilt_(spoilt) {
    const bool tunes = weighs_ != Weighs::nothing || parts_.calibrator != nullptr;
    const bool scored = parts_.detector != nullptr &&
                        dynamic_cast<const Part&>(*parts_.detector).needs().classifier;
    novelty_ = parts_.detector != nullptr && !(tunes && scored);
    folds_ = predictor.config().folds > 0;
    // A threshold is set on their novelty, and by their classes where the predictor says so; folds
    // are fitted on some of them.
    decisions_ = !tunes && (parts_.detector == nullptr || is_blind(*parts_.detector) ||
                            (spoilt == Spoilt::names && !folds_ &&
                             predictor.config().threshold_by == ThresholdBy::samples &&
                             !parts_.detector->own_threshold()));
  }

  [[nodiscard]] Failures compare(const Life& honest, const Life& spoilt) {
    look_at(honest.grown, spoilt.grown, "two lessons");
    look_at(honest.taught, spoilt.taught, "a lesson");
    if (decisions_) {
      expect(honest.watched.groups == spoilt.watched.groups, "groups", "a lesson and a stream");
      expect(same(honest.watched.change, spoilt.watched.change), "change", "a lesson and a stream");
    }
    return failures_;
  }

 private:
  void look_at(const Given& a, const Given& b, std::string_view after) {
    expect(a.features.cols() == b.features.cols() && a.features == b.features, "features", after);
    if (weighs_ == Weighs::members) {
      compare_best(a, b, after);
    } else if (weighs_ == Weighs::outputs) {
      compare_old_outputs(a, b, after);
    } else {
      expect(a.logits == b.logits, "logits", after);
    }
    if (novelty_) {
      compare_novelty(a, b, after);
    }
    if (decisions_) {
      expect(a.order == b.order, "order of requests", after);
    }
    if (spoilt_ == Spoilt::features) {
      expect(a.remembered == b.remembered, "memory", after);
    }
  }

  // The classes of the last lesson alone are corrected: the outputs of the first stay as they are.
  void compare_old_outputs(const Given& a, const Given& b, std::string_view after) {
    const std::vector<std::string>& first = first_lesson().names;
    for (const auto& [name, column] : a.logits) {
      if (std::find(first.begin(), first.end(), name) != first.end()) {
        const auto other = b.logits.find(name);
        expect(other != b.logits.end() && other->second == column, "logits of old classes", after);
      }
    }
  }

  void compare_best(const Given& a, const Given& b, std::string_view after) {
    const std::size_t rows = a.prediction.label.size();
    Index differ = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      differ += best_of(a.logits, i) == best_of(b.logits, i) ? 0 : 1;
    }
    const Index most = folds_ ? kWeighedByFolds : kWeighedAnew;
    expect(differ * 100 <= most * static_cast<Index>(rows), "best class", after);
  }

  void compare_novelty(const Given& a, const Given& b, std::string_view after) {
    const bool scales = dynamic_cast<const PooledScale*>(parts_.detector) != nullptr;
    if (parts_.detector->own_threshold()) {
      expect(same_ranks(a.prediction.novelty, b.prediction.novelty), "order by novelty", after);
    } else if (!scales || (spoilt_ == Spoilt::names && !folds_)) {
      expect(a.prediction.novelty == b.prediction.novelty, "novelty", after);
    }
    expect(a.scores == b.scores, "scores behind the novelty", after);
  }

  static bool same(const std::optional<Change>& a, const std::optional<Change>& b) {
    return a.has_value() == b.has_value() &&
           (!a || (a->log_evidence == b->log_evidence && a->seen == b->seen));
  }

  void expect(bool holds, std::string_view what, std::string_view after) {
    if (!holds) {
      failures_.push_back(fmt::format("{} follow the {} of held-out samples, after {}", what,
                                      spoilt_ == Spoilt::names ? "labels" : "features", after));
    }
  }

  Parts parts_;
  Weighs weighs_;
  bool folds_ = false, novelty_ = false, decisions_ = false;
  Spoilt spoilt_;
  Failures failures_;
};

}  // namespace

Lesson lied_about(const Blobs& blobs, double holdout, Role role) {
  const std::vector<Role> roles = roles_in(blobs, holdout);
  const std::set<std::string> classes(blobs.names.begin(), blobs.names.end());
  std::set<std::string> come;
  std::set<std::string> told;  // truly, in that role: a class keeps something to fit on
  Lesson lesson = lesson_of(blobs);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const bool all_came = come.size() == classes.size();
    come.insert(blobs.names[i]);
    if (roles[i] == role && !told.insert(blobs.names[i]).second && all_came) {
      const auto next = classes.upper_bound(blobs.names[i]);
      lesson.names[i] = next == classes.end() ? *classes.begin() : *next;
    }
  }
  return lesson;
}

Failures holds_out(const Subject& subject) {
  // Requests and groups follow the threshold, and that the held-out samples: here it does not.
  const bool follows = subject.slot == Slot::recogniser || subject.slot == Slot::feedback;
  const Around around = follows ? Around::no_threshold : Around::plain_parts;
  std::optional<Life> apart;
  if (follows) {
    apart =
        live(subject.make(kSeed, around), lesson_of(first_lesson()), lesson_of(second_lesson()));
  }
  const Life& honest = follows ? *apart : life_of(subject);
  const double holdout = honest.predictor->config().holdout;
  const Life misled =
      live(subject.make(kSeed, around), lied_about(first_lesson(), holdout, Role::hold),
           lied_about(second_lesson(), holdout, Role::hold));
  Failures failures = HeldOut(subject, *honest.predictor, Spoilt::names).compare(honest, misled);
  const Life strayed = live(subject.make(kSeed, around), moved_away(first_lesson(), holdout),
                            moved_away(second_lesson(), holdout));
  for (std::string& failure :
       HeldOut(subject, *honest.predictor, Spoilt::features).compare(honest, strayed)) {
    failures.push_back(std::move(failure));
  }
  return failures;
}

}  // namespace tyto::contract
