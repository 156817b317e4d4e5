// SPDX-License-Identifier: Apache-2.0
// tyto make-tests
#include "tyto/world/rounds/make_tests.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/core/error.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/report/text_table.hpp"
#include "tyto/world/registry.hpp"
#include "tyto/world/rounds/made_folder.hpp"

namespace tyto {

namespace {

using MadeJson = nlohmann::ordered_json;

struct MakeTestsCall {
  std::string data;
  std::vector<std::string> settings;  // of a simulated world
  std::filesystem::path out;
  MakeTestsOptions options;
  std::uint64_t seed = 0;
  bool features = false, force = false, json = false;
};

// Samples of a simulated world, if that is its name.
std::optional<Dataset> simulated(const MakeTestsCall& call) {
  ConfigNode node = ConfigNode::empty_map();
  for (const std::string& setting : call.settings) {
    apply_setting(node, setting);
  }
  const auto worlds = world_specs();
  if (std::any_of(worlds.begin(), worlds.end(), [&](const WorldSpec& world) {
        return world.name == call.data && world.simulate;
      })) {
    node.put("kind", ConfigNode::scalar(call.data));
    return simulate_world(node, call.data, call.seed);
  }
  if (!call.settings.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("--set {}: \"{}\" is a dataset; only simulated worlds have settings",
                            call.settings.front(), call.data));
  }
  return {};
}

// What the evaluator, not an agent, may know of a test.
struct MadeLine {
  std::string id, kind, difficulty;
  std::size_t samples;
  Index red_light, first_novel, novel;
  std::vector<std::string> classes;
};

MadeLine line_of(const sail_on::TestData& test) {
  const auto metadata = MadeJson::parse(test.metadata);
  const auto is_novel = [](const std::vector<std::string>& row) { return row[1] == "1"; };
  MadeLine line;
  line.id = test.id;
  line.kind = metadata["change"];
  line.difficulty = metadata["difficulty"];
  line.samples = test.rows.size();
  line.red_light = metadata["detection"];
  line.first_novel = std::find_if(test.rows.begin(), test.rows.end(), is_novel) - test.rows.begin();
  line.novel = std::count_if(test.rows.begin(), test.rows.end(), is_novel);
  line.classes = metadata["novel_class_names"];
  return line;
}

void print_made_json(const MakeTestsCall& call, const Dataset& dataset, const MadeTests& made) {
  MadeJson out;
  out["folder"] = call.out.string();
  out["data"] = dataset.name;
  out["protocol"] = call.options.protocol;
  out["seed"] = call.seed;
  out["known_classes"] = made.classes;
  out["train"] = made.train.size();
  out["altered"] = made.altered.rows();
  out["tests"] = MadeJson::array();
  for (const auto& test : made.tests) {
    const MadeLine line = line_of(*test);
    out["tests"].push_back({{"id", line.id},
                            {"change", line.kind},
                            {"difficulty", line.difficulty},
                            {"samples", line.samples},
                            {"red_light", line.red_light},
                            {"first_novel", line.first_novel},
                            {"novel", line.novel},
                            {"novel_classes", line.classes}});
  }
  fmt::print("{}\n", out.dump(2, ' ', false, MadeJson::error_handler_t::replace));
}

void print_made_text(const MakeTestsCall& call, const Dataset& dataset, const MadeTests& made) {
  fmt::print("{}: {} known classes, {} samples to learn from\n\n", dataset.name,
             made.classes.size(), made.train.size());
  TextTable table({"test", "change", "difficulty", "samples", "red light", "first novel", "novel",
                   "new classes"});
  for (const auto& test : made.tests) {
    const MadeLine line = line_of(*test);
    table.add({line.id, line.kind, line.difficulty, std::to_string(line.samples),
               std::to_string(line.red_light), std::to_string(line.first_novel),
               std::to_string(line.novel), std::to_string(line.classes.size())});
  }
  fmt::print("{}\n{} tests are in {}; train.csv and samples.csv join them to {}{}\n", table.text(3),
             made.tests.size(), call.out.string(), dataset.name,
             call.features ? ", features and train do without it" : "");
}

void make_and_write(MakeTestsCall call) {
  call.options.check("make-tests");
  MadeFolderOptions how{call.features, call.force};
  expect_made_folder(call.out, how);  // before the work
  std::optional<Dataset> dataset = simulated(call);
  if (dataset) {
    call.features = how.features = true;  // nobody else has them
  } else {
    dataset = Catalog::standard().load(call.data);
  }
  const MadeTests made = make_tests(*dataset, call.options, call.seed);
  write_made_tests(made, *dataset, call.options, call.seed, call.out, how);
  if (call.json) {
    print_made_json(call, *dataset, made);
  } else {
    print_made_text(call, *dataset, made);
  }
}

void add_test_options(CLI::App& verb, MakeTestsOptions& options) {
  std::map<std::string, std::string> help;
  for (const OptionHelp& option :
       explain_options([&](OptionVisitor& visitor) { options.describe(visitor); })) {
    help[option.key] = option.range.starts_with('[') || option.range.empty()
                           ? option.help
                           : fmt::format("{}: {}", option.range, option.help);
  }
  const auto add = [&](const std::string& name, auto& value, const std::string& key) {
    verb.add_option(name, value, help.at(key))->capture_default_str();
  };
  const auto add_list = [&](const std::string& name, std::vector<std::string>& words,
                            const std::string& key) {
    verb.add_option(name, words, help.at(key))->delimiter(',')->capture_default_str();
  };
  add("--protocol", options.protocol, "protocol");
  add("--known", options.known, "known");
  add("--tests", options.tests, "tests");
  add_list("--novelty", options.novelty, "novelty");
  add_list("--difficulty", options.difficulty, "difficulty");
  add("--length", options.length, "length");
  add("--before", options.before, "before");
  add("--round", options.round_size, "round_size");
  add("--red-light", options.red_light, "red_light");
  add("--novel-share", options.novel_share, "novel_share");
  add("--novel-classes", options.novel_classes, "novel_classes");
  add("--arrival", options.arrival, "arrival");
  add_list("--alterations", options.alterations, "alterations");
  add("--feedback", options.feedback_max_ids, "feedback_max_ids");
  add("--detection-feedback", options.max_detection_feedback_ids, "max_detection_feedback_ids");
  add("--told-rounds", options.pre_novelty_batches, "pre_novelty_batches");
  add("--test-share", options.test_share, "test_share");
  add("--groups", options.groups, "groups");
}

}  // namespace

void add_make_tests_command(CLI::App& app) {
  auto call = std::make_shared<MakeTestsCall>();
  CLI::App* verb =
      app.add_subcommand("make-tests", "Make tests of an OND or CONDDA evaluation from a dataset");
  verb->add_option("--data", call->data,
                   "a name from `tyto data list`, the path of a dataset, or a simulated world: "
                   "wearables, gaussians")
      ->required();
  verb->add_option("--out", call->out, "folder to make")->required();
  add_test_options(*verb, call->options);
  verb->add_option("--set", call->settings,
                   "key=value, an option of the simulated world; may repeat")
      ->allow_extra_args(false);
  verb->add_option("--seed", call->seed, "of every draw")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_flag("--features", call->features,
                 "also write the features, so that an agent needs no dataset");
  verb->add_flag("--force", call->force, "replace a folder that this command has made");
  verb->add_flag("--json", call->json, "answer as JSON");
  verb->footer(
      "Example:\n  tyto make-tests --data letters --protocol OND --difficulty easy,hard --seed 7 "
      "--out tests");
  verb->callback([call] { make_and_write(*call); });
}

}  // namespace tyto
