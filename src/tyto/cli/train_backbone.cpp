// SPDX-License-Identifier: Apache-2.0
// tyto train-backbone DATASET --backbone NAME --out FILE
#include "tyto/engine/train/train_backbone.hpp"

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

struct TrainCall {
  std::string data, backbone = "cnn_small", weights;
  std::vector<std::string> set;
  std::filesystem::path out;
  std::uint64_t seed = 0;
  int threads = 0;
  bool quiet = false, json = false;
};

std::vector<OptionHelp> train_help() {
  TrainOptions options;
  return explain_options([&](OptionVisitor& v) { options.describe(v); });
}

void print_training(const TrainCall& call, const TrainOutcome& outcome) {
  if (call.json) {
    nlohmann::ordered_json json{{"network", call.out.string()},
                                {"classes", outcome.classes},
                                {"samples",
                                 {{"train", outcome.train_samples},
                                  {"validate", outcome.validation_samples},
                                  {"test", outcome.test_samples}}},
                                {"best_epoch", outcome.best},
                                {"validation_accuracy", outcome.accuracy}};
    if (outcome.test >= 0) {
      json["test_accuracy"] = outcome.test;
    }
    for (const EpochLine& line : outcome.epochs) {
      json["epochs"].push_back({{"loss", line.loss}, {"validation_accuracy", line.accuracy}});
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  TextTable table({"epoch", "loss", "right on validation"});
  for (const EpochLine& line : outcome.epochs) {
    table.add({fmt::to_string(line.epoch) + (line.epoch == outcome.best ? " *" : ""),
               fmt::format("{:.4f}", line.loss), fmt::format("{:.3f}", line.accuracy)});
  }
  fmt::print("{}\n{}: epoch {} of {}, {} classes, {} samples learned from", table.text(2),
             call.out.string(), outcome.best, outcome.epochs.size(), outcome.classes.size(),
             outcome.train_samples);
  if (outcome.test >= 0) {
    fmt::print("; {:.3f} right on {} of the split test", outcome.test, outcome.test_samples);
  }
  fmt::print("\nuse it: tyto extract FOLDER --backbone {} --out DATASET\n", call.out.string());
}

void train_and_print(const TrainCall& call) {
  ConfigNode node = ConfigNode::empty_map();
  node.put("backbone", ConfigNode::scalar(call.backbone));
  if (!call.weights.empty()) {
    node.put("weights", ConfigNode::scalar(call.weights));
  }
  for (const std::string& setting : call.set) {
    apply_setting(node, setting, "--set", train_help(), "a training");
  }
  const auto options = read_options<TrainOptions>(node, "train-backbone");
  if (call.threads > 0) {
    set_thread_count(call.threads);
  }
  const Dataset dataset = Catalog::standard().load(call.data);
  Progress::catch_interrupts();
  Progress progress(call.quiet ? nullptr : stderr);
  print_training(call, train_backbone(dataset, options, call.seed, call.out, progress));
}

}  // namespace

void add_train_backbone_command(CLI::App& app) {
  auto call = std::make_shared<TrainCall>();
  CLI::App* verb =
      app.add_subcommand("train-backbone", "Train a network on a dataset of pictures or clips");
  verb->add_option("data", call->data,
                   "Dataset with the source rgb, as tyto extract --pixels makes it")
      ->required();
  verb->add_option("--backbone", call->backbone, "Network: `tyto list backbone`")
      ->capture_default_str();
  verb->add_option("--weights", call->weights, "Checkpoint to begin with");
  verb->add_option("--out", call->out, "Network file to write, .safetensors")->required();
  std::string help = "Change an option of the training: key=value. ";
  for (const OptionHelp& option : train_help()) {
    help += option.key + " ";
  }
  verb->add_option("--set", call->set, help)->allow_extra_args(false);
  verb->add_option("--seed", call->seed, "Of every draw")->capture_default_str();
  verb->add_option("--threads", call->threads, "Threads")->check(CLI::Range(1, 1024));
  verb->add_flag("--quiet", call->quiet, "No progress");
  verb->add_flag("--json", call->json, "The answer as JSON");
  verb->footer(
      "Example: tyto train-backbone pictures --backbone resnet18 --set epochs=20 --out "
      "net.safetensors\nThe same command again continues what was cut short; `tyto explain "
      "train-backbone` tells the options.");
  verb->callback([call] { train_and_print(*call); });
}

}  // namespace tyto
