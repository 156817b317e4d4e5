// SPDX-License-Identifier: Apache-2.0
// The one of several spaces that left-out samples and classes speak for.
#include <algorithm>
#include <set>

#include "tyto/math/folds.hpp"
#include "tyto/parts/nested_part.hpp"
#include "tyto/parts/representation/picked_experience.hpp"
#include "tyto/parts/representation/space_quality.hpp"

namespace tyto {

namespace {

constexpr Index kParts = 4;               // of the samples, and of the classes, left out in turn
constexpr Index kEnoughRows = 20;         // for each column: what was chosen then stays
constexpr Index kNeverFew = 4000;         // rows: to start again costs more than it gains
constexpr double kWorthwhile = 1.05;      // as many rows as before: fewer are not worth a new start
constexpr double kWorthChanging = 0.015;  // gain in quality over the first
constexpr double kBeyondChance = 2.0;     // standard errors of the gain over the first
constexpr Index kMostFitted = 2000;       // rows fitted to on trial, or as many as are enough
constexpr Index kMostCompared = 2000;     // of these
constexpr Index kMostAsked = 500;         // left-out rows of one part

struct ChosenOptions {
  ConfigNode among;

  ChosenOptions() {
    among.kind = ConfigNode::Kind::list;
    for (const char* name : {"whiten", "l2", "identity"}) {
      among.items.push_back(ConfigNode::scalar(name));
    }
  }

  void describe(OptionVisitor& v) {
    v.field("among", among,
            "the representations to choose from: a list of names or {name: ..., options}; the "
            "first one where nothing speaks for another");
  }

  void resolve_nested(std::string_view path) {
    among = resolved_nested_list(Slot::representation, among, fmt::format("{}.among", path));
  }
};

// Labelled rows to try spaces on, by which part of the samples and of the classes they are in.
struct Trial {
  std::vector<Index> rows;
  std::vector<Index> sample_part, class_part;
};

Index enough_rows(Index width) {
  return std::min(kEnoughRows * width, kNeverFew);
}

std::vector<Index> first_of(std::vector<Index> rows, Index most) {
  rows.resize(static_cast<std::size_t>(std::min(most, std::ssize(rows))));
  return rows;
}

std::vector<Label> labels_of(const Experience& experience, Rows rows) {
  std::vector<Label> out;
  for (const Index row : rows) {
    out.push_back(experience.labels()[static_cast<std::size_t>(row)]);
  }
  return out;
}

Trial trial_of(const Experience& experience, Rows labelled, Index width, const Rng& rng) {
  Trial out;
  std::vector<Index> order = rng.fork("rows").permutation(std::ssize(labelled));
  order = first_of(std::move(order), std::max(kMostFitted, enough_rows(width)));
  for (const Index i : order) {
    out.rows.push_back(labelled[static_cast<std::size_t>(i)]);
  }
  const Samples samples = experience.samples(out.rows);
  std::vector<Index> groups;
  for (Index i = 0; i < samples.size(); ++i) {
    groups.push_back(samples.group(i));
  }
  const Index units = std::ssize(std::set<Index>(groups.begin(), groups.end()));
  // Two groups and more stay whole: samples of one subject are alike.
  out.sample_part = fold_of(std::ssize(out.rows), groups,
                            units > 1 ? std::min(kParts, units) : kParts, rng.fork("samples"));
  std::vector<Index> classes;
  for (const Label label : labels_of(experience, out.rows)) {
    classes.push_back(static_cast<Index>(label));
  }
  const Index kinds = std::ssize(std::set<Index>(classes.begin(), classes.end()));
  out.class_part = kinds > 1 ? fold_of(std::ssize(classes), classes, std::min(kParts, kinds),
                                       rng.fork("classes"))
                             : std::vector<Index>(classes.size(), -1);
  return out;
}

// One of several representations: the one in which left-out samples and classes are told best, if
// by more than chance, and by enough to matter, better than in the first.
// Asked again while samples are few, since a covariance that few samples could not show is known
// later; all that stands on the features then starts again.
class Chosen final : public Part, public Representation {
 public:
  Chosen(ChosenOptions options, std::string_view path)
      : options_(std::move(options)), path_(fmt::format("{}.among", path)) {
    for (std::size_t i = 0; i < options_.among.items.size(); ++i) {
      static_cast<void>(made(i));  // refused now rather than at the first lesson
    }
  }

  bool adapt(const Experience& experience, Work& work) override {
    const std::vector<Index> rows = experience.labelled(Role::fit, 0);
    if (part_ != nullptr &&
        (fitted_ >= enough_rows(width_) ||
         static_cast<double>(rows.size()) < kWorthwhile * static_cast<double>(fitted_))) {
      return false;
    }
    if (rows.empty()) {
      throw Error(ErrorKind::data, "representation chosen needs labelled samples to choose by");
    }
    width_ = experience.features(Rows(rows).first(1)).cols();
    fitted_ = std::ssize(rows);
    if (!follows_) {
      place_ = best(experience, rows, work);
    }
    part_ = made(place_);
    Work own = work.fork("chosen");
    part_->as->adapt(PickedExperience(experience, rows), own);
    return true;
  }

  void follow(const Representation& whole) override {
    place_ = dynamic_cast<const Chosen&>(whole).place_;
    follows_ = true;
  }

  [[nodiscard]] std::string settled() const override {
    return part_ == nullptr ? "" : options_.among.items[place_].find("name")->text;
  }

  [[nodiscard]] Matrix represent(const MatrixView& rows) const override {
    if (part_ == nullptr) {
      throw Error(ErrorKind::state, "chosen was asked for features before its first lesson");
    }
    return part_->as->represent(rows);
  }

  void save(State& state) const override {
    state.set("place", part_ == nullptr ? std::int64_t{-1} : static_cast<std::int64_t>(place_));
    if (part_ != nullptr) {
      state.set("fitted", std::int64_t{fitted_});
      state.set("width", std::int64_t{width_});
      part_->part->save(state.make_child("part"));
    }
  }

  void load(const State& state, const Shelf& shelf) override {
    const auto place = state.get<std::int64_t>("place");
    part_ = nullptr;
    if (place >= 0) {
      if (place >= std::ssize(options_.among.items)) {
        throw Error(ErrorKind::state,
                    fmt::format("representation chosen: the state has number {} of {} candidates",
                                place, options_.among.items.size()));
      }
      place_ = static_cast<std::size_t>(place);
      fitted_ = state.get<std::int64_t>("fitted");
      width_ = state.get<std::int64_t>("width");
      part_ = made(place_);
      part_->part->load(state.child("part"), shelf);
    }
  }

 private:
  using Candidate = Nested<Representation>;

  [[nodiscard]] std::unique_ptr<Candidate> made(std::size_t place) const {
    return std::make_unique<Candidate>(make_nested(
        Slot::representation, options_.among.items[place], fmt::format("{}.{}", path_, place)));
  }

  [[nodiscard]] std::size_t best(const Experience& experience, Rows rows, const Work& work) const {
    const std::size_t count = options_.among.items.size();
    if (count == 1) {
      return 0;
    }
    const Trial trial = trial_of(experience, rows, width_, work.rng.fork("trial"));
    const Index classes = *std::max_element(trial.class_part.begin(), trial.class_part.end()) + 1;
    const Index samples = *std::max_element(trial.sample_part.begin(), trial.sample_part.end()) + 1;
    std::vector<std::vector<double>> gains(count);  // over the first, by what was left out
    for (Index i = 0; i < samples; ++i) {
      for (Index j = 0; j < std::max<Index>(1, classes); ++j) {
        const std::vector<double> values = tried_out(experience, trial, i, j, work);
        for (std::size_t place = 0; place < values.size(); ++place) {
          gains[place].push_back(values[place] - values.front());
        }
      }
    }
    std::size_t best = 0;
    double most = 0.0;
    for (std::size_t place = 1; place < count; ++place) {
      const MeanGain gain = mean_gain(gains[place], {});
      if (gain.mean > kBeyondChance * gain.error && gain.mean > std::max(most, kWorthChanging)) {
        best = place;
        most = gain.mean;
      }
    }
    return best;
  }

  // How good each is without this part of the samples and this part of the classes; empty where too
  // little is left.
  [[nodiscard]] std::vector<double> tried_out(const Experience& experience, const Trial& trial,
                                              Index samples, Index classes,
                                              const Work& work) const {
    std::vector<Index> fitted;
    std::vector<Index> left_out;
    for (std::size_t i = 0; i < trial.rows.size(); ++i) {
      if (trial.sample_part[i] == samples) {
        left_out.push_back(trial.rows[i]);
      } else if (trial.class_part[i] != classes) {
        fitted.push_back(trial.rows[i]);
      }
    }
    std::vector<double> out;
    if (fitted.size() < 2 || left_out.empty()) {
      return out;
    }
    const std::vector<Index> asked = first_of(std::move(left_out), kMostAsked);
    const std::vector<Index> compared = first_of(fitted, kMostCompared);
    const std::vector<Label> asked_labels = labels_of(experience, asked);
    const std::vector<Label> compared_labels = labels_of(experience, compared);
    const Matrix asked_rows = experience.features(asked);
    const Matrix compared_rows = experience.features(compared);
    const PickedExperience lesson(experience, std::move(fitted));
    for (std::size_t place = 0; place < options_.among.items.size(); ++place) {
      const auto candidate = made(place);
      Work own = work.fork("trial");
      candidate->as->adapt(lesson, own);
      out.push_back(space_quality(candidate->as->represent(compared_rows), compared_labels,
                                  candidate->as->represent(asked_rows), asked_labels));
      work.progress.pulse();
    }
    return out;
  }

  ChosenOptions options_;
  std::string path_;
  std::unique_ptr<Candidate> part_;  // none before the first lesson
  std::size_t place_ = 0;            // of it
  bool follows_ = false;
  Index fitted_ = 0, width_ = 0;  // rows it was fitted to, and their columns
};

}  // namespace

PartSpec chosen_spec() {
  return nesting_part_spec<ChosenOptions, Chosen>(
      "chosen", {Slot::representation},
      "one of several representations: that in which samples and classes left out in turn are "
      "told best, chosen again while there are few samples",
      "that of the chosen one, and while there are fewer than 20 samples a column, and than 4000, "
      "16 fits of each to at most 4000 samples, with O(2000 d) for each of 500 left out");
}

}  // namespace tyto
