// SPDX-License-Identifier: Apache-2.0
// What every protocol promises, checked for every registered one over every registered world. A new
// protocol inherits these tests by being listed, with a line in small_protocol().
#include <map>
#include <ostream>
#include <set>
#include <stdexcept>

#include "support/small_worlds.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/predictor/composition/composition.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/record/phase_recorder.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {
namespace {

using testing_support::small_options;
using testing_support::SmallWorld;

struct SmallProtocol {
  std::string options;      // YAML
  bool at_once;             // it wants a world that shows everything at step 0
  std::string tests = "";   // it wants a world of tests of this protocol
  bool shows_test = false;  // without labels, before it asks about them
};

const SmallProtocol& small_protocol(const std::string& name) {
  static const std::map<std::string, SmallProtocol> all{
      {"calibrate", {"{evaluate: [train, validate, test]}", true}},
      {"cil", {"{setting: online, batch: 30, task_ids: true, look_ahead: true}", false}},
      {"condda", {"{}", false, "CONDDA"}},
      {"detect", {"{evaluate: [train, validate, test]}", true}},
      {"discover", {"{shown: 0.5}", true, "", true}},
      {"ond", {"{}", false, "OND"}},
      {"owl", {"{batch: 30}", false}}};
  const auto found = all.find(name);
  if (found == all.end()) {
    throw std::out_of_range("the protocol " + name +
                            " is not tested: add a line to small_protocol()");
  }
  return found->second;
}

struct Pairing {
  std::string protocol, world;
};

std::ostream& operator<<(std::ostream& out, const Pairing& pairing) {
  return out << pairing.protocol << " over " << pairing.world;
}

std::string world_yaml(const Pairing& pairing) {
  const auto& options = small_options(pairing.world);
  const SmallProtocol& protocol = small_protocol(pairing.protocol);
  if (options.in_rounds != !protocol.tests.empty()) {
    return "";
  }
  if (options.in_rounds) {
    ConfigNode world = parse_yaml(options.over_time, "small.yaml");
    world.put("protocol", ConfigNode::scalar(protocol.tests));
    world.find("settings")->items.push_back(ConfigNode::scalar("given"));
    return to_yaml(world);
  }
  return protocol.at_once ? options.at_once : options.over_time;
}

// One that has no line yet stays in the list, and fails with the sentence that asks for it.
bool can_be_paired(const Pairing& pairing) {
  try {
    return !world_yaml(pairing).empty();
  } catch (const std::out_of_range&) {
    return true;
  }
}

std::vector<Pairing> pairings() {
  std::vector<Pairing> all;
  for (const ProtocolSpec& protocol : protocol_specs()) {
    for (const WorldSpec& world : world_specs()) {
      const Pairing pairing{protocol.name, world.name};
      if (can_be_paired(pairing)) {
        all.push_back(pairing);
      }
    }
  }
  return all;
}

using Ids = std::multiset<std::uint32_t>;

void add_ids(const Samples& samples, Ids& to) {
  for (Index i = 0; i < samples.size(); ++i) {
    to.insert(static_cast<std::uint32_t>(samples.id(i)));
  }
}

// What went from one to the other in a run.
struct Exchanged {
  std::map<Index, std::map<std::string, Ids>> dealt;  // by step and split
  std::map<std::uint32_t, std::string> granted;       // labels
  Ids predicted, posted, recorded, taught, observed;
  std::vector<std::string> phases;        // in the order recorded
  std::string record;                     // bytes of all phases
  std::vector<std::string> wrong_labels;  // taught otherwise than granted
};

class WatchedWorld final : public World {
 public:
  WatchedWorld(std::unique_ptr<World> world, Exchanged& log)
      : world_(std::move(world)), log_(log) {}

  [[nodiscard]] Brief brief() const override { return world_->brief(); }

  bool advance() override {
    const bool more = world_->advance();
    if (more) {
      auto& splits = log_.dealt[world_->deal().step];
      splits.clear();
      for (const Split& split : world_->deal().splits) {
        add_ids(split.samples, splits[split.name]);
      }
    }
    return more;
  }

  [[nodiscard]] const Deal& deal() const override { return world_->deal(); }

  void post(const Answer& answer) override {
    EXPECT_EQ(std::ssize(answer.prediction.label), answer.split.samples.size());
    add_ids(answer.split.samples, log_.posted);
    const Split* dealt = world_->deal().find(answer.split.name);
    ASSERT_NE(dealt, nullptr) << answer.split.name;
    Ids beyond;
    Ids here;
    add_ids(answer.split.samples, beyond);
    add_ids(dealt->samples, here);
    for (const std::uint32_t id : here) {
      beyond.erase(id);
    }
    EXPECT_TRUE(beyond.empty()) << "an answer about samples that " << answer.split.name
                                << " does not hold";
    world_->post(answer);
  }

  Feedback ask(FeedbackKind kind, const Split& split, Rows order) override {
    Feedback told = world_->ask(kind, split, order);
    if (kind == FeedbackKind::labels) {
      for (std::size_t i = 0; i < told.row.size(); ++i) {
        log_.granted[static_cast<std::uint32_t>(split.samples.id(told.row[i]))] = told.name[i];
      }
    }
    return told;
  }

  [[nodiscard]] Index budget(const Split& split) const override { return world_->budget(split); }

  [[nodiscard]] std::vector<std::string> shown_before() const override {
    return world_->shown_before();
  }

  void save(State& state) const override { world_->save(state); }

  void load(const State& state, const Shelf& shelf) override { world_->load(state, shelf); }

 private:
  std::unique_ptr<World> world_;
  Exchanged& log_;
};

class WatchedPredictor final : public Predictor {
 public:
  explicit WatchedPredictor(Exchanged& log)
      : predictor_(read_predictor(parse_yaml("{name: plain, classifier: ncm, detector: softmax, "
                                             "memory: unlimited}",
                                             "test"),
                                  "predictor"),
                   5),
        log_(log) {}

  void learn(const Lesson& lesson, Work& work) override {
    add_ids(lesson.samples, log_.taught);
    for (Index i = 0; i < lesson.samples.size(); ++i) {
      const auto id = static_cast<std::uint32_t>(lesson.samples.id(i));
      const auto granted = log_.granted.find(id);
      const std::string& name = lesson.names[static_cast<std::size_t>(i)];
      if (!name.empty() && (granted == log_.granted.end() || granted->second != name)) {
        log_.wrong_labels.push_back(fmt::format("{} as {}", id, name));
      }
    }
    predictor_.learn(lesson, work);
  }

  std::vector<float> observe(const Samples& unlabelled, Work& work) override {
    add_ids(unlabelled, log_.observed);
    return predictor_.observe(unlabelled, work);
  }

  [[nodiscard]] Prediction predict(const Samples& samples, Ask ask) const override {
    add_ids(samples, log_.predicted);
    return predictor_.predict(samples, ask);
  }

  std::vector<Index> request(const Samples& samples, Index budget, Work& work) const override {
    return predictor_.request(samples, budget, work);
  }

  void hear(const std::map<std::string, double>& measures) override { predictor_.hear(measures); }

  [[nodiscard]] const LabelSpace& labels() const override { return predictor_.labels(); }

  void save(State& state) const override { predictor_.save(state); }

  void load(const State& state, const Shelf& shelf) override { predictor_.load(state, shelf); }

 private:
  Composition predictor_;
  Exchanged& log_;
};

// One life of a run, from the start or from the bytes of a commit.
class SmallRun {
 public:
  SmallRun(const Pairing& pairing, const SmallWorld& built)
      : built_(built),
        world_(built.make({0.5, {}}), log_),
        predictor_(log_),
        protocol_(
            find_protocol(pairing.protocol)
                .make(parse_yaml(small_protocol(pairing.protocol).options, "test"), "protocol")),
        recorder_(RecordOptions(), built.truth(), [this](const Phase& phase) { keep(phase); }) {}

  SmallRun(const SmallRun&) = delete;
  SmallRun& operator=(const SmallRun&) = delete;

  bool step() {
    Work work{Rng(9, "step", steps_), progress_};  // as a run does: a stream per commit
    Exchange exchange{world_, predictor_, recorder_, shelf_, Rng(9)};
    const bool done = protocol_->step(exchange, work);
    steps_ += done ? 1 : 0;
    return done;
  }

  [[nodiscard]] std::string commit() const {
    State state;
    state.set("steps", static_cast<std::int64_t>(steps_));
    world_.save(state.make_child("world"));
    predictor_.save(state.make_child("predictor"));
    protocol_->save(state.make_child("protocol"));
    return to_archive(state);
  }

  void resume(const std::string& bytes) {
    const State state = from_archive(bytes, "commit");
    const StoreShelf shelf = built_.shelf();
    steps_ = static_cast<std::uint64_t>(state.get<std::int64_t>("steps"));
    world_.load(state.child("world"), shelf);
    predictor_.load(state.child("predictor"), shelf);
    protocol_->load(state.child("protocol"), shelf);
  }

  [[nodiscard]] const Exchanged& log() const { return log_; }

  [[nodiscard]] bool may_be_left() const { return protocol_->may_be_left(); }

 private:
  void keep(const Phase& phase) {
    log_.phases.push_back(phase.key.name());
    for (const SampleId id : phase.sample) {
      log_.recorded.insert(static_cast<std::uint32_t>(id));
    }
    log_.record += to_archive(phase_to_state(phase));
  }

  const SmallWorld& built_;
  Exchanged log_;
  WatchedWorld world_;
  WatchedPredictor predictor_;
  std::unique_ptr<Protocol> protocol_;
  PhaseRecorder recorder_;
  Progress progress_;
  StoreShelf shelf_ = built_.shelf();
  std::uint64_t steps_ = 0;
};

class ProtocolContract : public testing::TestWithParam<Pairing> {
 protected:
  static constexpr int kMost = 500;  // steps; a protocol that does more does not end

  ProtocolContract() : built_(GetParam().world, world_yaml(GetParam()), 3) {}

  std::unique_ptr<SmallRun> make() const { return std::make_unique<SmallRun>(GetParam(), built_); }

  // Nothing that is taught or shown to learn from, of any step, was dealt for tests.
  static Ids tested(const Exchanged& log) {
    Ids ids;
    for (const auto& [step, splits] : log.dealt) {
      if (const auto test = splits.find("test"); test != splits.end()) {
        ids.insert(test->second.begin(), test->second.end());
      }
    }
    return ids;
  }

  SmallWorld built_;
};

TEST_P(ProtocolContract, ends_and_stays_at_its_end) {
  const auto run = make();
  int steps = 0;
  while (run->step()) {
    ASSERT_LT(++steps, kMost);
  }
  EXPECT_GT(steps, 0);
  EXPECT_TRUE(run->may_be_left());
  const std::string record = run->log().record;
  EXPECT_FALSE(run->step());
  EXPECT_EQ(run->log().record, record);
}

TEST_P(ProtocolContract, records_the_same_bytes_wherever_it_is_cut) {
  const auto whole = make();
  std::vector<std::string> commits{whole->commit()};
  std::vector<std::size_t> recorded{0};
  while (whole->step()) {
    commits.push_back(whole->commit());
    recorded.push_back(whole->log().record.size());
  }
  const std::string& record = whole->log().record;
  const std::string end = whole->commit();  // a world may close what it held open
  EXPECT_FALSE(record.empty());
  for (std::size_t cut = 0; cut < commits.size(); ++cut) {
    const auto run = make();
    run->resume(commits[cut]);
    EXPECT_EQ(run->commit(), commits[cut]) << "resumed, cut after " << cut;
    while (run->step()) {
    }
    EXPECT_TRUE(run->log().record == record.substr(recorded[cut])) << "cut after " << cut;
    EXPECT_EQ(run->commit(), end) << "cut after " << cut;
  }
}

TEST_P(ProtocolContract, records_phases_under_keys_of_their_own) {
  const auto run = make();
  while (run->step()) {
  }
  const std::vector<std::string>& phases = run->log().phases;
  EXPECT_FALSE(phases.empty());
  EXPECT_EQ(std::set<std::string>(phases.begin(), phases.end()).size(), phases.size());
}

TEST_P(ProtocolContract, records_and_posts_what_it_predicts) {
  const auto run = make();
  while (run->step()) {
  }
  const Exchanged& log = run->log();
  EXPECT_EQ(log.recorded, log.predicted);
  EXPECT_EQ(log.posted, log.recorded) << "the world did not hear of every answer";
}

TEST_P(ProtocolContract, teaches_nothing_of_the_test_split) {
  const auto run = make();
  while (run->step()) {
  }
  const Exchanged& log = run->log();
  EXPECT_FALSE(log.taught.empty());
  const Ids tests = tested(log);
  EXPECT_EQ(tests.empty(), small_options(GetParam().world).in_rounds);
  for (const std::uint32_t id : tests) {
    EXPECT_FALSE(log.taught.contains(id)) << id;
    EXPECT_TRUE(small_protocol(GetParam().protocol).shows_test || !log.observed.contains(id)) << id;
    EXPECT_FALSE(log.granted.contains(id)) << id;
  }
}

TEST_P(ProtocolContract, teaches_labels_that_were_granted) {
  const auto run = make();
  while (run->step()) {
  }
  EXPECT_THAT(run->log().wrong_labels, testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(, ProtocolContract, testing::ValuesIn(pairings()),
                         [](const auto& pairing) {
                           return pairing.param.protocol + "_over_" + pairing.param.world;
                         });

}  // namespace
}  // namespace tyto
