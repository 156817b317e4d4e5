// SPDX-License-Identifier: Apache-2.0
// tyto agent --server URL --preset NAME --features DATASET
#include "tyto/engine/agent/agent.hpp"

#include <cstdio>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/engine/extract/extract.hpp"
#include "tyto/engine/extract/open_backbone.hpp"

namespace tyto {

namespace {

struct AgentArguments {
  AgentOptions options;
  std::string preset = "tyto", out = "runs/agent";
  std::string media, weights, network;
  std::vector<std::string> set, data;
  int threads = 0;
  bool quiet = false, json = false;
};

void print(const AgentOutcome& outcome, const AgentArguments& given) {
  if (given.json) {
    nlohmann::ordered_json json{{"session", outcome.session}, {"tests", outcome.tests}};
    for (const auto& run : outcome.runs) {
      json["runs"].push_back(run.string());
    }
    std::cout << json.dump(2) << "\n";
    return;
  }
  std::cout << fmt::format(
      "session {} is over: {} tests of {} taken\nwhat was answered is in {}/\n", outcome.session,
      outcome.tests.size(), given.options.protocol, given.out);
}

// The features of the media that the tests are of, made here unless a call before has made them.
std::string extracted_features(const AgentArguments& given, Progress& progress) {
  const std::filesystem::path out = given.out + ".features";
  if (!std::filesystem::exists(out)) {
    const auto backbone = open_backbone({given.network, given.weights, ConfigNode::empty_map()});
    ExtractOptions options;
    options.out = out;
    extract_shard(*backbone, find_media({given.media}), options, progress);
    merge_shards(out);
  }
  return out.string();
}

void run_agent_verb(AgentArguments given) {
  if (given.options.features.empty() == given.media.empty() ||
      given.media.empty() != given.network.empty()) {
    throw Error(ErrorKind::config,
                "say where the features of the samples are: --features DATASET, or --media FOLDER "
                "and --backbone NAME|FILE to make them");
  }
  ConfigNode predictor = ConfigNode::empty_map();
  predictor.put("preset", ConfigNode::scalar(given.preset));
  for (const std::string& assignment : given.set) {
    apply_setting(predictor, assignment);
  }
  given.options.predictor = std::move(predictor);
  given.options.folder = given.out;
  given.options.run_command = {std::filesystem::read_symlink("/proc/self/exe").string(), "run"};
  for (const std::string& folder : given.data) {
    given.options.run_command.insert(given.options.run_command.end(), {"--data", folder});
  }
  if (given.threads > 0) {
    set_thread_count(given.threads);
    given.options.run_command.insert(given.options.run_command.end(),
                                     {"--threads", fmt::to_string(given.threads)});
  }
  const auto catalog =
      Catalog::standard(std::vector<std::filesystem::path>(given.data.begin(), given.data.end()));
  Progress::catch_interrupts();
  Progress progress(given.quiet ? nullptr : stderr);
  if (!given.media.empty()) {
    given.options.features = extracted_features(given, progress);
  }
  print(run_agent(given.options, catalog, progress), given);
}

}  // namespace

void add_agent_command(CLI::App& app) {
  auto given = std::make_shared<AgentArguments>();
  AgentOptions& options = given->options;
  CLI::App* command =
      app.add_subcommand("agent", "Take the tests of an evaluation server with any predictor");
  command->add_option("--server", options.server, "Address, such as http://127.0.0.1:12345")
      ->required();
  command->add_option("--preset", given->preset, "Predictor; `tyto list` tells them")
      ->capture_default_str();
  command
      ->add_option("--set", given->set,
                   "Change an option of the predictor: key=value, dots descend")
      ->allow_extra_args(false);
  command->add_option("--features", options.features,
                      "Dataset (a name or a folder) with the features of the samples in the tests");
  command->add_option("--media", given->media,
                      "Instead: folder with the pictures or videos that the tests name; their "
                      "features are made first, in <out>.features");
  command->add_option("--backbone", given->network, "Network for --media, as tyto extract has it");
  command->add_option("--weights", given->weights, "Checkpoint of a network by name");
  command->add_option("--model", options.model,
                      "Use what was learned: a run, RUN:ARM, or a file of tyto predict --save");
  command->add_option("--train", options.train,
                      "Dataset to learn from, if not the one with the features");
  command->add_option("--lists", options.lists,
                      "Folder with train.csv and samples.csv, as tyto make-tests writes them");
  command->add_option("--protocol", options.protocol, "OND or CONDDA")
      ->check(CLI::IsMember({"OND", "CONDDA"}))
      ->capture_default_str();
  command->add_option("--domain", options.domain, "Of the tests")->capture_default_str();
  command->add_option("--tests", options.tests, "Tests to take, in this order (default: all)");
  command->add_flag("--red-light", options.red_light,
                    "Given detection: be told the first sample after the change");
  command
      ->add_option("--hint", options.hints, "Further hint for the session, KEY or KEY=N; repeat it")
      ->allow_extra_args(false);
  command->add_option("--feedback", options.feedback, "What to ask for after a round of OND")
      ->check(CLI::IsMember({"none", "labels", "detection", "score"}))
      ->capture_default_str();
  command
      ->add_option("--label-feedback", options.label_feedback,
                   "Type that names classes: classification or labels")
      ->check(CLI::IsMember({"classification", "labels"}))
      ->capture_default_str();
  command
      ->add_option("--threshold", options.threshold,
                   "p(the world has changed) above which novelty counts as declared")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--prior-knowledge", options.prior_knowledge,
                      "What features or predictor learned elsewhere, for the record");
  command->add_option("--seed", options.seed, "Seed of everything random")->capture_default_str();
  command->add_option("--jobs", options.jobs, "Tests at a time, each in a process of its own")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--threads", given->threads, "Threads of a process")
      ->check(CLI::Range(1, 1024));
  command->add_option("--out", given->out, "Folder of session and run; the same continues it")
      ->capture_default_str();
  command->add_option("--data", given->data, "Folder with datasets; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--force", options.replace, "Begin a new session although one is there");
  command->add_flag("--quiet", given->quiet, "No progress");
  command->add_flag("--json", given->json, "The answer as JSON");
  command->footer(
      "Example: tyto agent --server http://127.0.0.1:12345 --preset tyto --features letters "
      "--lists "
      "tests\nThe same command again continues what was cut short, also within a test.");
  command->callback([given] { run_agent_verb(*given); });
}

}  // namespace tyto
