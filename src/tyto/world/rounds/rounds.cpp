// SPDX-License-Identifier: Apache-2.0
// The world `rounds`: tests of the SAIL-ON kind, dealt round by round.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/client/remote_evaluator.hpp"
#include "tyto/core/error.hpp"
#include "tyto/sail_on/data_folder.hpp"
#include "tyto/sail_on/local_evaluator.hpp"
#include "tyto/world/registry.hpp"
#include "tyto/world/rounds/round_lists.hpp"
#include "tyto/world/rounds/round_options.hpp"
#include "tyto/world/rounds/round_truth.hpp"
#include "tyto/world/rounds/round_world.hpp"
#include "tyto/world/simulated_data.hpp"

namespace tyto {

namespace {

std::string row_text(Index row) {
  return row < 0 ? "none" : fmt::to_string(row);
}

std::string tests_text(const std::vector<TestFacts>& tests) {
  std::string text = fmt::format("{:<28} {:>8} {:>6} {:>10} {:>12} {:>8}  {}\n", "test", "samples",
                                 "rounds", "red light", "first novel", "novel", "novel classes");
  for (const TestFacts& test : tests) {
    const Index rounds =
        test.round_size > 0 ? (test.length + test.round_size - 1) / test.round_size : 0;
    text += fmt::format("{:<28} {:>8} {:>6} {:>10} {:>12} {:>8}  {}\n", test.id, test.length,
                        rounds, row_text(test.red_light), row_text(test.first_novel), test.novel,
                        fmt::join(test.novel_classes, ", "));
  }
  return text;
}

std::unique_ptr<sail_on::Evaluator> connect_to(const std::string& url, Progress& progress) {
  client::ServerAddress address;
  address.url = url;
  return client::connect(address, progress);
}

sail_on::SessionRequest session_of(const RoundOptions& options) {
  sail_on::SessionRequest session;
  session.protocol = options.protocol;
  session.domain = options.domain;
  session.detector = "tyto";
  session.detection_threshold = options.threshold;
  session.hints = options.hints;
  return session;
}

std::shared_ptr<RoundPlan> plan_of(const RoundOptions& options, JoinedTests joined,
                                   std::vector<std::string> test_ids, std::uint64_t seed) {
  auto plan = std::make_shared<RoundPlan>();
  plan->samples = std::make_shared<const RoundSamples>(
      std::move(joined.data), std::move(joined.lists), Rng(seed, "rounds"));
  plan->session = session_of(options);
  plan->session.test_ids = std::move(test_ids);
  plan->settings = options.settings;
  plan->label_feedback = options.label_feedback;
  plan->first_test = options.first_test;
  plan->sessions = options.sessions;
  return plan;
}

// Tests whose truth is here.
class LocalRounds final : public WorldSource {
 public:
  LocalRounds(std::shared_ptr<const RoundPlan> plan, Tests tests, sail_on::Form form)
      : plan_(std::move(plan)),
        tests_(std::move(tests)),
        form_(form),
        truth_(truth_of(*plan_->samples, tests_, plan_->first_test)) {}

  [[nodiscard]] std::unique_ptr<World> make_world(const LabelBudget&) const override {
    return std::make_unique<RoundWorld>(plan_,
                                        std::make_unique<sail_on::LocalEvaluator>(tests_, form_));
  }

  [[nodiscard]] std::vector<std::shared_ptr<const FeatureStore>> stores() const override {
    return {plan_->samples->data().store};
  }

  [[nodiscard]] WorldFacts facts() const override {
    const RoundLists& lists = plan_->samples->lists();
    WorldFacts facts;
    std::vector<TestFacts> tests;
    facts.samples.push_back(0);  // the start is learned, not predicted
    for (const auto& test : tests_) {
      tests.push_back(facts_of(*test, lists.classes));
      facts.samples.push_back(tests.back().length * std::ssize(plan_->settings));
    }
    facts.text =
        fmt::format("{} tests of {}, {} classes known from {} samples; taken under: {}\n{}",
                    tests_.size(), plan_->session.protocol, lists.classes.size(),
                    lists.train.size(), fmt::join(plan_->settings, ", "), tests_text(tests));
    return facts;
  }

  [[nodiscard]] const Truth* truth() const override { return &truth_; }

 private:
  std::shared_ptr<const RoundPlan> plan_;
  Tests tests_;
  sail_on::Form form_;
  Truth truth_;
};

// Tests behind a server, which keeps their truth.
class RemoteRounds final : public WorldSource {
 public:
  RemoteRounds(std::shared_ptr<const RoundPlan> plan, std::string server)
      : plan_(std::move(plan)), server_(std::move(server)) {}

  [[nodiscard]] std::unique_ptr<World> make_world(const LabelBudget&) const override {
    return std::make_unique<RoundWorld>(plan_, connect_to(server_, quiet_));
  }

  [[nodiscard]] std::vector<std::shared_ptr<const FeatureStore>> stores() const override {
    return {plan_->samples->data().store};
  }

  [[nodiscard]] WorldFacts facts() const override {
    const RoundLists& lists = plan_->samples->lists();
    return {fmt::format("{} tests of {} at {}, {} classes known from {} samples; taken under: {}\n",
                        plan_->session.test_ids.size(), plan_->session.protocol, server_,
                        lists.classes.size(), lists.train.size(), fmt::join(plan_->settings, ", ")),
            {},
            "",
            {}};
  }

 private:
  std::shared_ptr<const RoundPlan> plan_;
  std::string server_;
  mutable Progress quiet_;  // what ends a wait
};

Tests chosen(const Tests& tests, const RoundOptions& options) {
  if (options.test_ids.empty()) {
    return tests;
  }
  Tests some;
  for (const std::string& id : options.test_ids) {
    const auto found =
        std::find_if(tests.begin(), tests.end(), [&](const auto& test) { return test->id == id; });
    if (found == tests.end()) {
      throw Error(ErrorKind::config, fmt::format("world.test_ids: there is no test {}", id));
    }
    some.push_back(*found);
  }
  return some;
}

std::unique_ptr<WorldSource> local_rounds(const RoundOptions& options, JoinedTests joined,
                                          const Tests& all, std::uint64_t seed) {
  const Tests tests = chosen(all, options);
  check_names(tests, joined.lists, joined.data.name);
  joined.lists.again = shown_again(tests, options.first_test);
  std::vector<std::string> ids;
  for (const auto& test : tests) {
    ids.push_back(test->id);
  }
  return std::make_unique<LocalRounds>(
      plan_of(options, std::move(joined), std::move(ids), seed), tests,
      options.form == "released" ? sail_on::Form::released : sail_on::Form::sound);
}

std::unique_ptr<WorldSource> build_rounds(const RoundOptions& options,
                                          std::vector<Dataset> datasets, std::uint64_t seed) {
  if (!options.server.empty()) {
    std::vector<std::string> ids = options.test_ids;
    if (ids.empty()) {
      Progress quiet;
      ids = connect_to(options.server, quiet)->test_ids(options.protocol, options.domain);
    }
    JoinedTests joined =
        datasets.size() == 2
            ? join_apart(std::move(datasets.front()), std::move(datasets.back()))
            : join_listed(std::move(datasets.front()), options.tests, options.classes);
    return std::make_unique<RemoteRounds>(plan_of(options, std::move(joined), std::move(ids), seed),
                                          options.server);
  }
  Dataset& data = datasets.front();
  if (!options.tests.empty()) {
    const sail_on::DataFolder folder(options.tests);
    Tests tests;
    for (const std::string& id : folder.test_ids(options.protocol, options.domain)) {
      const auto stored = folder.find(options.protocol, options.domain, id);
      if (!stored) {
        throw Error(ErrorKind::data, fmt::format("{}: the list of tests names {}, of which there "
                                                 "is no truth",
                                                 options.tests, id));
      }
      tests.emplace_back(stored, &stored->test);
    }
    return local_rounds(options, join_listed(std::move(data), options.tests, options.classes),
                        tests, seed);
  }
  MakeTestsOptions make = options.make;
  make.protocol = options.protocol;
  const MadeTests made = make_tests(data, make, seed);
  return local_rounds(options, join_made(std::move(data), made), made.tests, seed);
}

}  // namespace

WorldSpec rounds_spec() {
  WorldSpec spec;
  spec.name = "rounds";
  spec.summary =
      "tests with a moment of change, dealt in rounds; made from the data, read from "
      "files or served elsewhere";
  spec.paper = "the SAIL-ON evaluation";
  const auto read = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<RoundOptions>(node, path);
    options.check(path);
    return options;
  };
  describe_options<RoundOptions>(spec, read);
  spec.does_without_data = names_simulated;
  spec.build = [read](const ConfigNode& node, std::string_view path, std::vector<Dataset> datasets,
                      std::uint64_t seed) {
    const RoundOptions options = read(node, path);
    add_simulated(options.simulated, path, seed, datasets);
    if (datasets.size() > 2 || (datasets.size() == 2 && options.server.empty())) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: tests are of one dataset, or of one behind that to learn from "
                              "where a server has them; {} are given",
                              path, datasets.size()));
    }
    return build_rounds(options, std::move(datasets), seed);
  };
  return spec;
}

}  // namespace tyto
