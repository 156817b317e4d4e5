// SPDX-License-Identifier: Apache-2.0
// The reliability benchmark of CARING: everything is learned at once, the calibrator on samples the
// classifier did not fit on, and confidence is measured on those and on the test split.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/protocol/evaluation.hpp"
#include "tyto/protocol/one_step.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

namespace {

constexpr std::uint64_t kCarving = 718;  // of the hash that carves: the same for every predictor
constexpr Index kFewestGroups = 10;      // below: single samples, or one group would stand for all

struct CalibrateOptions {
  std::vector<std::string> evaluate = {"validate", "test"};
  double share = 0.1;

  void describe(OptionVisitor& visitor) {
    static constexpr std::array<std::string_view, 3> kSplits{"train", "validate", "test"};
    visitor.field("evaluate", evaluate, kSplits, "splits that are predicted and recorded");
    visitor.field("share", share, {0.0, 1.0},
                  "of the training samples, held out for the calibrator where the data have no "
                  "validate split: whole groups where there are at least ten");
  }
};

// Phases: 0 teach, 0 post.
class Calibrate final : public OneStepProtocol {
 public:
  explicit Calibrate(CalibrateOptions options)
      : OneStepProtocol("calibrate",
                        "confidence is measured on data shown at once; say \"world: {kind: "
                        "increments, increments: 0}\", or protocol: owl"),
        options_(std::move(options)) {}

 private:
  static bool has_validate(const Deal& deal) {
    const Split* validate = deal.find("validate");
    return validate != nullptr && !validate->samples.empty();
  }

  // Rows of train that are held out for the calibrator, or the others: the share of groups, or of
  // samples, that comes first by a hash; at least one unless the share is 0.
  [[nodiscard]] std::vector<Index> carved(const Samples& train, bool held) const {
    std::set<std::uint32_t> groups;
    for (Index i = 0; i < train.size(); ++i) {
      groups.insert(train.group(i));
    }
    const bool by_group = std::ssize(groups) >= kFewestGroups;
    std::vector<std::uint64_t> hash;  // by row
    for (Index i = 0; i < train.size(); ++i) {
      hash.push_back(by_group ? mix(kCarving, "group", train.group(i))
                              : mix(kCarving, "sample", static_cast<std::uint32_t>(train.id(i))));
    }
    const std::set<std::uint64_t> units(hash.begin(), hash.end());
    const auto wanted =
        static_cast<Index>(std::lround(options_.share * static_cast<double>(units.size())));
    const Index first = options_.share > 0.0 ? std::max<Index>(wanted, 1) : 0;
    const auto beyond = std::next(units.begin(), std::min(first, std::ssize(units)));
    std::vector<Index> rows;
    for (Index i = 0; i < train.size(); ++i) {
      const bool is_held = beyond == units.end() || hash[static_cast<std::size_t>(i)] < *beyond;
      if (is_held == held) {
        rows.push_back(i);
      }
    }
    return rows;
  }

  // What is predicted under that name. Of a train split that was carved the rest alone: the others
  // are `validate`.
  [[nodiscard]] Samples samples_of(const Deal& deal, std::string_view name) const {
    const Split* split = deal.find(name);
    const Split* train = deal.find("train");
    if (name == "test" || has_validate(deal) || train == nullptr) {
      return split == nullptr ? Samples() : split->samples;
    }
    return train->samples.pick(carved(train->samples, name == "validate"));
  }

  void teach(Exchange& exchange, Work& work) override {
    const Deal& deal = exchange.world.deal();
    const bool given = has_validate(deal);
    Lesson lesson;
    const auto add = [&](const Split& split, const std::vector<Index>& rows, Role role) {
      if (rows.empty()) {
        return;
      }
      const Feedback told = exchange.world.ask(FeedbackKind::labels, split, rows);
      add_to_lesson(lesson, split, told, role);
      grants_.add(told.name);
    };
    if (const Split* train = deal.find("train"); train != nullptr) {
      add(*train, given ? all_rows(*train) : carved(train->samples, false), Role::fit);
      if (!given) {
        add(*train, carved(train->samples, true), Role::hold);
      }
    }
    if (given) {
      add(*deal.find("validate"), all_rows(*deal.find("validate")), Role::hold);
    }
    if (std::find(lesson.roles.begin(), lesson.roles.end(), Role::hold) == lesson.roles.end()) {
      throw Error(ErrorKind::data,
                  fmt::format("protocol calibrate: the data have no validate split, and of their "
                              "{} training samples a share of {} is none; there is nothing to "
                              "calibrate on",
                              lesson.names.size(), options_.share));
    }
    exchange.predictor.learn(lesson, work);
  }

  void evaluate(Exchange& exchange, Work& work) const override {
    const Deal& deal = exchange.world.deal();
    for (const std::string& name : options_.evaluate) {
      const Samples samples = samples_of(deal, name);
      if (samples.empty()) {
        continue;
      }
      const std::string dealt = name != "test" && !has_validate(deal) ? "train" : name;
      evaluate_split(exchange, {deal.step, "post", name, 0}, facts(exchange), {dealt, samples}, {},
                     work);
    }
  }

  CalibrateOptions options_;
};

}  // namespace

ProtocolSpec calibrate_spec() {
  ProtocolSpec spec = protocol_spec<CalibrateOptions, Calibrate>(
      "calibrate",
      "reliability of confidence: learn all at once, calibrate on held-out samples, measure there "
      "and on test",
      "Roitberg et al., Uncertainty-sensitive Activity Recognition: A Reliability Benchmark and "
      "the CARING Models, ICPR 2020");
  spec.asks_for_labels = false;
  spec.is_about_confidence = true;
  const std::string ece =
      "Mean gap between confidence and accuracy over ten bins of confidence; `validate` is what "
      "the calibrator was fitted on.";
  const std::string nll = "Mean of -ln p(true class), in nats: a proper score.";
  spec.headline = {
      {"ece10_validate", "ECE validate", ece, "post", "classification", "ece10", "validate"},
      {"ece10_test", "ECE test", ece, "post", "classification", "ece10"},
      {"nll_validate", "NLL validate", nll, "post", "classification", "nll", "validate"},
      {"nll_test", "NLL test", nll, "post", "classification", "nll"},
      {"brier_sum_test", "Brier test",
       "Mean squared distance of the probabilities from the truth, 0 to 2: a proper score.", "post",
       "classification", "brier_sum"},
      {"accuracy_test", "right test",
       "Share of test samples whose likeliest known class is theirs.", "post", "classification",
       "closed_accuracy"}};
  spec.order = {{"post"}, {"train", "validate", "test"}};
  return spec;
}

}  // namespace tyto
