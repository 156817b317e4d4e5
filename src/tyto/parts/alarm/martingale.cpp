// SPDX-License-Identifier: Apache-2.0
// Bets against the ranks of novelty scores: its capital is evidence that the world has changed.
#include <algorithm>
#include <array>
#include <cmath>

#include "tyto/parts/alarm/stream_ranks.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kRestarts{"lesson", "never"};

// Bets that a p-value is at most b, at a share of the capital. A share of outliers among known
// samples moves the smallest p-values alone, a shift all of them.
constexpr std::array<double, 8> kBelow{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5};
constexpr std::array<double, 3> kShares{0.03, 0.1, 0.35};
constexpr std::size_t kBets = kBelow.size() * kShares.size();
// Bets begin at every so many samples only: fewer beginnings weigh more each, and a change between
// two of them costs at most that delay.
constexpr Index kEvery = 16;
constexpr double kTooMuch = 1e100;  // capital is scaled down from here

// Of the kind of change, from the p-values since it began.
constexpr float kSmall = 0.15F;                 // outliers of a new class lie mostly below
constexpr double kSure = 3.0, kDoubtful = 2.0;  // standard errors
constexpr double kMoved = 0.05;  // of the mean of the others, which is 1/2 without a shift
constexpr Index kFewest = 20;

struct MartingaleOptions {
  double error = 0.01, lambda = 0.5;
  std::string restart = "lesson";

  void describe(OptionVisitor& v) {
    v.field("error", error, {1e-12, 0.5},
            "chance that an alarm is ever raised between two lessons while nothing changes");
    v.field("lambda", lambda, {0.0, 0.99},
            "p-values above it are taken to be of known samples when the share of novel ones is "
            "estimated");
    v.field("restart", restart, kRestarts,
            "lesson: after a lesson the evidence starts from nothing, since what was new may be "
            "known now; never: it is carried on");
  }
};

struct Excursion {  // of the sum of a bet's log increments above its lowest point (CUSUM)
  double height = 0;
  Index begin = 0;  // first sample of it
};

// A conformal test martingale. Sample t is ranked among the held-out samples and all that came
// before it in the stream: p_t = (1 + #{scores >= its own}) / (held + t). As long as all of them
// are exchangeable, these p-values are independent and no smaller than uniform ones, although the
// held-out samples are the same for all: that is what ranking among the stream as well is for. (The
// p-values of the evidence, ranked among the held-out samples alone, share their luck, and a long
// stream would reveal it.) So the capital of one who bets against them by
//   f(p) = 1 - a + (a / b) [p <= b],  E f(p) <= 1,
// is a nonnegative supermartingale, and so is the mean over bets (a, b) and over the moment at
// which one begins to bet, the s-th of them with chance 1 / sqrt(s) - 1 / sqrt(s + 1): it ever
// reaches 1 / error with chance <= error (Ville).
class Martingale final : public Part, public Alarm {
 public:
  explicit Martingale(MartingaleOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.detector = true;
    return needs;
  }

  // By the greatest evidence so far, at prior odds of `error` that the world changes at all: a half
  // or more from the alarm on, so that who declares a change above a half keeps the stated error.
  std::vector<float> watch(const Evidence& batch) override {
    const auto n = static_cast<std::size_t>(batch.size());
    if (batch.p_value.size() != n || batch.novelty.size() != n) {
      throw Error(
          ErrorKind::state,
          "alarm martingale needs p-values, and no held-out sample has set a threshold yet");
    }
    std::vector<float> out;
    for (std::size_t i = 0; i < n; ++i) {
      p_values_.push_back(batch.p_value[i]);
      const double p = ranks_.next(batch.novelty[i], batch.p_value[i], batch.held);
      bet(p);
      out.push_back(static_cast<float>(1.0 / (1.0 + std::exp(-greatest_) / options_.error)));
    }
    return out;
  }

  [[nodiscard]] Change change() const override {
    Change change;
    change.log_evidence = log_evidence();
    change.changed = greatest_ >= -std::log(options_.error);
    change.seen = seen();
    if (change.changed) {
      change.since = best_.height > 0.0 ? best_.begin : -1;  // -1: it was before the last lesson
      change.kind = change.since < 0 ? ChangeKind::unclear : kind_since(change.since);
    }
    change.novel_share = novel_share();
    return change;
  }

  // A lesson changes the scores, so that the stream is ranked anew in either case.
  void start_again() override {
    ranks_.clear();
    p_values_.clear();
    best_ = {};
    excursions_.fill({});
    if (options_.restart == "lesson") {
      capital_.fill(0.0);
      bets_ = 0;
      scale_ = greatest_ = 0.0;
    }
  }

  void save(State& state) const override;
  void load(const State& state, const Shelf&) override;

 private:
  [[nodiscard]] Index seen() const { return static_cast<Index>(p_values_.size()); }

  // The part of the capital that does not bet before sample t, counted from 0.
  static double waiting(Index t) {
    const Index begun = (t + kEvery - 1) / kEvery;
    return 1.0 / std::sqrt(static_cast<double>(begun + 1));
  }

  [[nodiscard]] double log_evidence() const {
    double sum = waiting(bets_) * std::exp(-scale_);
    for (const double capital : capital_) {
      sum += capital;
    }
    return std::log(sum) + scale_;
  }

  void bet(double p) {
    const double begins =
        (waiting(bets_) - waiting(bets_ + 1)) * std::exp(-scale_) / static_cast<double>(kBets);
    ++bets_;
    double most = 0.0;
    for (std::size_t k = 0; k < kBets; ++k) {
      const double b = kBelow[k / kShares.size()];
      const double a = kShares[k % kShares.size()];
      const double factor = 1.0 - a + (p <= b ? a / b : 0.0);
      capital_[k] = (capital_[k] + begins) * factor;
      most = std::max(most, capital_[k]);
      follow(excursions_[k], std::log(factor));
    }
    if (most > kTooMuch) {
      for (double& capital : capital_) {
        capital /= most;
      }
      scale_ += std::log(most);
    }
    greatest_ = std::max(greatest_, log_evidence());
  }

  // The greatest sum of log increments over any run of samples, by any bet: where it begins, the
  // change most likely did.
  void follow(Excursion& excursion, double increment) {
    if (excursion.height <= 0.0) {
      excursion = {0.0, seen() - 1};
    }
    excursion.height += increment;
    if (excursion.height > best_.height) {
      best_ = excursion;
    }
  }

  [[nodiscard]] ChangeKind kind_since(Index since) const {
    double sum = 0.0;
    Index others = 0;
    for (Index i = since; i < seen(); ++i) {
      const float p = p_values_[static_cast<std::size_t>(i)];
      if (p > kSmall) {
        sum += (p - kSmall) / (1.0F - kSmall);
        ++others;
      }
    }
    if (others < kFewest) {
      return ChangeKind::unclear;  // everything looks new: new classes and a shift look the same
    }
    // Both the samples and the held-out ones they are ranked among scatter.
    const auto n = static_cast<double>(others);
    const double held = std::max(1.0, static_cast<double>(ranks_.held()) * (1.0 - kSmall));
    const double below = 0.5 - sum / n;
    const double errors = below / std::sqrt((1.0 / n + 1.0 / held) / 12.0);
    if (errors > kSure && below > kMoved) {
      return ChangeKind::shift;
    }
    return errors < kDoubtful ? ChangeKind::new_classes : ChangeKind::unclear;
  }

  [[nodiscard]] double novel_share() const {
    if (p_values_.empty()) {
      return 0.0;
    }
    const auto known =
        static_cast<double>(std::count_if(p_values_.begin(), p_values_.end(), [&](float p) {
          return static_cast<double>(p) > options_.lambda;
        }));
    const double share =
        1.0 - known / ((1.0 - options_.lambda) * static_cast<double>(p_values_.size()));
    return std::clamp(share, 0.0, 1.0);
  }

  MartingaleOptions options_;
  StreamRanks ranks_;
  std::vector<float> p_values_;          // of the evidence, since the last lesson
  std::array<double, kBets> capital_{};  // times exp(scale_)
  Index bets_ = 0;
  double scale_ = 0, greatest_ = 0;  // logarithms
  std::array<Excursion, kBets> excursions_{};
  Excursion best_;
};

void Martingale::save(State& state) const {
  ranks_.save(state.make_child("ranks"));
  const auto n = seen();
  state.set("p_values", Matrix(Eigen::Map<const Matrix>(p_values_.data(), 1, n)));
  Dense<double> bets(static_cast<Index>(kBets), 3);
  for (std::size_t k = 0; k < kBets; ++k) {
    bets.row(static_cast<Index>(k)) << capital_[k], excursions_[k].height,
        static_cast<double>(excursions_[k].begin);
  }
  state.set("bets", std::move(bets));
  state.set("bets_made", std::int64_t{bets_});
  state.set("scale", double{scale_});
  state.set("greatest", double{greatest_});
  state.set("best_height", double{best_.height});
  state.set("best_begin", std::int64_t{best_.begin});
}

void Martingale::load(const State& state, const Shelf&) {
  ranks_.load(state.child("ranks"));
  const auto& p_values = state.get<Matrix>("p_values");
  p_values_.assign(p_values.data(), p_values.data() + p_values.size());
  const auto& bets = state.get<Dense<double>>("bets");
  if (bets.rows() != static_cast<Index>(kBets) || bets.cols() != 3) {
    throw Error(ErrorKind::state, fmt::format("the saved martingale has {} x {} numbers of bets, "
                                              "not {} x 3",
                                              bets.rows(), bets.cols(), kBets));
  }
  for (std::size_t k = 0; k < kBets; ++k) {
    const auto row = bets.row(static_cast<Index>(k));
    capital_[k] = row[0];
    excursions_[k] = {row[1], static_cast<Index>(row[2])};
  }
  bets_ = static_cast<Index>(state.get<std::int64_t>("bets_made"));
  scale_ = state.get<double>("scale");
  greatest_ = state.get<double>("greatest");
  best_ = {state.get<double>("best_height"),
           static_cast<Index>(state.get<std::int64_t>("best_begin"))};
}

}  // namespace

PartSpec martingale_spec() {
  return part_spec<MartingaleOptions, Martingale>(
      "martingale", {Slot::alarm},
      "bets against the ranks of the novelty scores; its capital is evidence that the world "
      "changed",
      "O(log s + sqrt s) a sample and O(s) memory, s the samples since the last lesson",
      "Vovk, Testing Randomness Online, Statistical Science 2021");
}

}  // namespace tyto
