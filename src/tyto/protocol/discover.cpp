// SPDX-License-Identifier: Apache-2.0
// Category discovery: known classes are learned from labelled samples, and what is shown without
// labels is to be sorted into these and into new ones, a group for each.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/protocol/decided_belief.hpp"
#include "tyto/protocol/evaluation.hpp"
#include "tyto/protocol/one_step.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

namespace {

constexpr std::uint64_t kShowing = 2023;  // of the hash that parts: the same for every predictor
constexpr std::array<std::string_view, 2> kSettings{"gcd", "ncd"};
constexpr std::array<std::string_view, 2> kClassCounts{"estimated", "given"};

struct DiscoverOptions {
  std::string setting = "gcd";
  std::string classes = "estimated";
  double shown = 1.0;

  void describe(OptionVisitor& visitor) {
    visitor.field(
        "setting", setting, kSettings,
        "gcd: samples without labels may be of known and of new classes; ncd: all of them "
        "are of new ones, and answers fall on these alone");
    visitor.field("classes", classes, kClassCounts,
                  "the number of classes, known and new: told to the predictor, or for it to find");
    visitor.field("shown", shown, {0.0, 1.0},
                  "share of the test samples that the predictor is shown without labels before it "
                  "is asked about them (1: all, as published); the others are judged as split "
                  "`unseen`");
  }
};

// Phases: 0 teach (and show), 0 discover.
class Discover final : public OneStepProtocol {
 public:
  explicit Discover(DiscoverOptions options)
      : OneStepProtocol("discover",
                        "classes are discovered among samples shown at once; say \"world: {kind: "
                        "novel_classes}\", or protocol: owl"),
        options_(std::move(options)) {}

 private:
  // Rows of test that are shown, or the others: the share that comes first by a hash.
  [[nodiscard]] std::vector<Index> part(const Samples& test, bool is_shown) const {
    std::vector<Index> rows;
    for (Index i = 0; i < test.size(); ++i) {
      const std::uint64_t hash = mix(kShowing, "sample", static_cast<std::uint32_t>(test.id(i)));
      const double place = static_cast<double>(hash >> 11) * 0x1.0p-53;
      if ((place < options_.shown) == is_shown) {
        rows.push_back(i);
      }
    }
    return rows;
  }

  static const Split& test_of(const Deal& deal) {
    const Split* test = deal.find("test");
    if (test == nullptr || test->samples.empty()) {
      throw Error(ErrorKind::data,
                  "protocol discover: the world has no test sample to discover classes among");
    }
    return *test;
  }

  void teach(Exchange& exchange, Work& work) override {
    const Deal& deal = exchange.world.deal();
    Lesson lesson;
    if (const Split* train = deal.find("train"); train != nullptr && !train->samples.empty()) {
      const Feedback told = exchange.world.ask(FeedbackKind::labels, *train, all_rows(*train));
      add_to_lesson(lesson, *train, told, Role::fit);
      grants_.add(told.name);
    }
    if (lesson.names.empty()) {
      throw Error(ErrorKind::data,
                  "protocol discover: the world has no labelled sample; groups without any are "
                  "found by `tyto cluster`");
    }
    lesson.roles.clear();  // the predictor's own rule decides
    exchange.predictor.learn(lesson, work);
    if (options_.classes == "given") {
      const Index classes = exchange.world.brief().classes;
      if (classes == 0) {
        throw Error(
            ErrorKind::config,
            "protocol discover: classes: given, but this world does not tell how many there "
            "are; say classes: estimated");
      }
      exchange.predictor.expect_classes(classes);
    }
    const Samples& test = test_of(deal).samples;
    if (const std::vector<Index> rows = part(test, true); !rows.empty()) {
      exchange.predictor.observe(test.pick(rows), work);
    }
  }

  void evaluate(Exchange& exchange, Work& work) const override {
    const Deal& deal = exchange.world.deal();
    const Split& test = test_of(deal);
    for (const bool is_shown : {true, false}) {
      const std::vector<Index> rows = part(test.samples, is_shown);
      if (!rows.empty()) {
        const Split split{test.name, test.samples.pick(rows)};
        evaluate_split(exchange, {deal.step, "discover", is_shown ? "test" : "unseen", 0},
                       facts(exchange), split, {}, work, adjusted());
      }
    }
  }

  [[nodiscard]] Adjust adjusted() const {
    if (options_.setting == "gcd") {
      return {};
    }
    return [](Prediction& prediction, Index) {
      std::vector<Label> fresh;
      for (Index i = 0; i < prediction.space->size(); ++i) {
        const auto label = static_cast<Label>(i);
        if (prediction.space->kind(label) != LabelKind::known) {
          fresh.push_back(label);
        }
      }
      for (Index i = 0; i < prediction.probability.rows(); ++i) {
        believe_known(prediction, i, fresh);
      }
    };
  }

  DiscoverOptions options_;
};

}  // namespace

ProtocolSpec discover_spec() {
  ProtocolSpec spec = protocol_spec<DiscoverOptions, Discover>(
      "discover",
      "category discovery: learn labelled classes, sort what has no label into these and into new "
      "ones",
      "Vaze et al., Generalized Category Discovery, CVPR 2022");
  spec.asks_for_labels = false;
  const std::string matching = " One matching of groups and classes for all samples (v2).";
  spec.headline = {
      {"all", "All",
       "Share of the samples whose group is the one matched with their class." + matching,
       "discover", "raw", "hungarian_accuracy"},
      {"old", "Old", "The same among samples of labelled classes." + matching, "discover", "raw",
       "hungarian_accuracy_known"},
      {"new", "New", "The same among samples of new classes." + matching, "discover", "raw",
       "hungarian_accuracy_novel"},
      {"groups", "groups", "Groups used, known classes among them.", "discover", "raw",
       "groups_used"},
      {"nmi", "NMI", "Agreement of groups and classes, whatever their names.", "discover", "raw",
       "nmi"},
      {"ari", "ARI", "Agreement on which pairs belong together, less what chance gives.",
       "discover", "raw", "ari"},
      {"swallowed", "swallowed",
       "Share of a class lost in groups whose majority is a larger class, mean over classes.",
       "discover", "raw", "swallowed"}};
  spec.order = {{"discover"}, {"test", "unseen"}};
  return spec;
}

}  // namespace tyto
