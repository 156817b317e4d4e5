// SPDX-License-Identifier: Apache-2.0
// tyto learn DATA --out MODEL: a predictor of one's own data, and how far it can be trusted.
#include "tyto/engine/learn/learn.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/destination.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

using LearnJson = nlohmann::ordered_json;

struct LearnArguments {
  std::string data, preset;
  std::vector<std::string> settings;
  std::vector<std::filesystem::path> places;
  std::filesystem::path out;
  LearnCall call;
  int threads = 0;
  bool json = false, quiet = false;
};

PredictorConfig config_of(const LearnArguments& given, const Dataset& dataset) {
  const std::string preset =
      given.preset.empty() ? std::string(learn_preset(dataset)) : given.preset;
  ConfigNode node = ConfigNode::empty_map();
  if (std::filesystem::path(preset).extension() == ".yaml") {
    node = load_yaml(preset);
  } else {
    node.put("preset", ConfigNode::scalar(preset));
  }
  for (const std::string& setting : given.settings) {
    apply_setting(node, setting, "--set");
  }
  return read_predictor(node, "");
}

std::string share_text(const EstimatedShare& share) {
  return fmt::format("{:.3f}  ({:.3f} to {:.3f}, of {} samples)", share.value, share.low,
                     share.high, share.of);
}

void print_judgement(std::FILE* to, const LearnOutcome& learned) {
  const LeftOutJudgement& judged = learned.judged;
  fmt::print(to, "\nHow far to trust it: {}\n", judged.how);
  if (judged.right) {
    fmt::print(to, "  right            {}\n", share_text(*judged.right));
  }
  if (judged.right_if_named) {
    fmt::print(to, "  right if named   {}\n", share_text(*judged.right_if_named));
  }
  if (judged.called_new) {
    fmt::print(to, "  false alarms     {}; {:g} accepted\n", share_text(*judged.called_new),
               learned.accepted_error);
  }
  if (judged.noticed) {
    fmt::print(to, "  new noticed      {}\n", share_text(*judged.noticed));
  }
  for (const HardClass& hard : judged.hardest) {
    fmt::print(to, "  class {}: {:.3f} right of {}, most often taken for {}\n", hard.name,
               hard.right, hard.samples, hard.taken_for);
  }
  if (judged.right) {
    fmt::print(to, "{}",
               wrapped("right: a sample of a class it learned gets its name. right if named: the "
                       "same of those not called new. false alarms: such a sample is called new. "
                       "new noticed: a sample of a class that was left out is called new. In "
                       "brackets 95 % intervals.",
                       100, 2));
  }
}

void print_text(std::FILE* to, const LearnArguments& given, const LearnOutcome& learned) {
  fmt::print(to, "{}: {} samples of {} class{}, {} features, learned by {}\n", given.data,
             learned.samples, learned.classes.size(), learned.classes.size() == 1 ? "" : "es",
             learned.features, learned.predictor);
  print_judgement(to, learned);
  for (const auto* notes : {&learned.notes, &learned.judged.notes}) {
    for (const std::string& note : *notes) {
      fmt::print(to, "{}", wrapped("note: " + note, 100, 0));
    }
  }
  fmt::print(to,
             "\nThe predictor, which learned all samples, is in {0}: tyto predict {0} NEW.csv\n",
             given.out.string());
}

LearnJson json_of(const std::optional<EstimatedShare>& share) {
  return share ? LearnJson{{"value", share->value},
                           {"low", share->low},
                           {"high", share->high},
                           {"samples", share->of}}
               : LearnJson();
}

void print_json(std::FILE* to, const LearnArguments& given, const LearnOutcome& learned) {
  const LeftOutJudgement& judged = learned.judged;
  LearnJson out{{"data", given.data},
                {"predictor", learned.predictor},
                {"samples", learned.samples},
                {"unlabelled", learned.unlabelled},
                {"features", learned.features},
                {"classes", learned.classes},
                {"accepted_error", learned.accepted_error},
                {"judged", judged.how},
                {"right", json_of(judged.right)},
                {"right_if_named", json_of(judged.right_if_named)},
                {"false_alarms", json_of(judged.called_new)},
                {"new_noticed", json_of(judged.noticed)}};
  out["hardest"] = LearnJson::array();
  for (const HardClass& hard : judged.hardest) {
    out["hardest"].push_back({{"class", hard.name},
                              {"right", hard.right},
                              {"samples", hard.samples},
                              {"taken_for", hard.taken_for}});
  }
  out["notes"] = learned.notes;
  for (const std::string& note : judged.notes) {
    out["notes"].push_back(note);
  }
  out["out"] = given.out.string();
  fmt::print(to, "{}\n", out.dump(2, ' ', false, LearnJson::error_handler_t::replace));
}

void learn(const LearnArguments& given) {
  if (given.threads > 0) {
    set_thread_count(given.threads);
  }
  const Dataset dataset = Catalog::standard(given.places).load(given.data);
  const PredictorConfig config = config_of(given, dataset);
  Progress::catch_interrupts();
  Progress progress(given.quiet ? nullptr : stderr);
  const LearnOutcome learned = learn_model(given.call, dataset, config, progress);
  save_model(given.out, learned.model);
  std::FILE* to = is_standard_output(given.out) ? stderr : stdout;
  if (given.json) {
    print_json(to, given, learned);
  } else {
    print_text(to, given, learned);
  }
}

}  // namespace

void add_learn_command(CLI::App& app) {
  auto given = std::make_shared<LearnArguments>();
  CLI::App* command = app.add_subcommand(
      "learn", "Learn a table or dataset whole, and say how far the predictor can be trusted");
  command
      ->add_option("data", given->data,
                   "A table whose columns tell what they are (else see `tyto data init`), or a "
                   "dataset by name, folder or descriptor")
      ->required();
  command->add_option("--out", given->out, "File of the predictor, for `tyto predict` (.npz)")
      ->required();
  command->add_option("--preset", given->preset,
                      "A preset (`tyto list preset`) or a .yaml (standard: tyto; tyto-detect for "
                      "one class or none)");
  command
      ->add_option("--set", given->settings,
                   "key=value of the predictor, dots descend: --set accepted_error=0.01")
      ->allow_extra_args(false);
  command
      ->add_option("--folds", given->call.folds,
                   "Parts left out in turn to judge by, each a training of its own, and as many "
                   "for new classes; 0: none. Of more than 4000 samples one part is, once")
      ->check([](const std::string& text) {
        return text == "1" ? std::string("1 part cannot be left out: 0 or 2 and more") : "";
      })
      ->check(CLI::Range(Index{0}, Index{100}))
      ->capture_default_str();
  command->add_option("--data", given->places, "Folder with datasets; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--seed", given->call.seed, "Of all that is drawn")->capture_default_str();
  command->add_option("--threads", given->threads, "Threads")->check(CLI::Range(1, 1024));
  command->add_flag("--json", given->json, "Answer as JSON");
  command->add_flag("--quiet", given->quiet, "No progress");
  command->footer(
      "Example: tyto learn trees.csv --out trees.npz\n"
      "         tyto learn digits --preset slda --set accepted_error=0.01 --out digits.npz");
  command->callback([given] { learn(*given); });
}

}  // namespace tyto
