// SPDX-License-Identifier: Apache-2.0
// tyto explain NAME: options, defaults, ranges, cost and paper of whatever has that name.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/made_layout.hpp"
#include "tyto/cluster/clusterer.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/releases/split_plan.hpp"
#include "tyto/engine/extract/recipe_options.hpp"
#include "tyto/engine/run/experiment.hpp"
#include "tyto/engine/train/train_backbone.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/nn/backbones.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/predictor/presets.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/report/text_table.hpp"
#include "tyto/video/nuisance.hpp"
#include "tyto/world/blocks/block_release.hpp"
#include "tyto/world/nuisance/feature_nuisance.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

namespace {

struct Explanation {
  std::string kind, name, summary;
  std::vector<std::pair<std::string, std::string>> facts;  // "cost", "O(n d)"
  std::vector<OptionHelp> options;
  std::string text;  // the YAML of a preset
};

Explanation explained(const BackboneSpec& spec) {
  const ClipShape& input = spec.input;
  const std::string size =
      input.frames == 1 ? fmt::format("{} x {} x {}", input.channels, input.height, input.width)
                        : fmt::format("{} x {} x {} x {}", input.channels, input.frames,
                                      input.height, input.width);
  return {"backbone, as tyto extract --backbone has it",
          spec.name,
          spec.summary,
          {{"input", size},
           {"features", fmt::to_string(spec.features)},
           {"classes", spec.classes == 0 ? "none" : fmt::to_string(spec.classes)},
           {"parameters", fmt::to_string(spec.parameters)},
           {"paper", spec.paper}},
          recipe_help(spec.recipe),
          ""};
}

std::vector<Explanation> find_all(std::string_view name, std::vector<std::string>& names) {
  std::vector<Explanation> found;
  const auto consider = [&](const std::string& candidate, const auto& make) {
    names.push_back(candidate);
    if (candidate == name) {
      found.push_back(make());
    }
  };
  consider("experiment", [] {
    return Explanation{"file", "experiment",         "the keys of an experiment's YAML file",
                       {},     experiment_options(), ""};
  });
  consider("predictor", [] {
    return Explanation{
        "file", "predictor",         "the keys of a predictor, in a preset or an experiment",
        {},     predictor_options(), ""};
  });
  consider("recipe", [] {
    return Explanation{
        "file", "recipe",      "what pictures and videos go through before a network",
        {},     recipe_help(), ""};
  });
  consider("split", [] {
    return Explanation{"file",
                       "split",
                       "the keys of a file for tyto split; N counts the releases from 0",
                       {},
                       split_plan_options(),
                       ""};
  });
  consider("train-backbone", [] {
    TrainOptions options;
    return Explanation{"verb",
                       "train-backbone",
                       "what --set of tyto train-backbone changes",
                       {},
                       explain_options([&](OptionVisitor& v) { options.describe(v); }),
                       ""};
  });
  for (const BackboneSpec& spec : backbone_specs()) {
    consider(spec.name, [&] { return explained(spec); });
  }
  for (const std::string& preset : preset_names()) {
    consider(preset, [&] {
      const PredictorConfig config = read_predictor(ConfigNode::scalar(preset), preset);
      return Explanation{"preset", preset, config.summary,
                         {},       {},     to_yaml(write_predictor(config))};
    });
  }
  for (const PartSpec& spec : part_specs()) {
    consider(spec.name, [&] {
      std::vector<std::string_view> slots;
      for (const Slot slot : spec.slots) {
        slots.push_back(slot_name(slot));
      }
      return Explanation{
          fmt::format("{}", fmt::join(slots, ", ")),
          spec.name,
          spec.summary,
          {{"cost", spec.cost}, {"objective", spec.objective}, {"paper", spec.paper}},
          spec.options,
          ""};
    });
  }
  const auto consider_each = [&](const std::string& kind, const auto& specs) {
    for (const Description& spec : specs) {
      consider(spec.name, [&] {
        return Explanation{kind,         spec.name,
                           spec.summary, {{"cost", spec.cost}, {"paper", spec.paper}},
                           spec.options, ""};
      });
    }
  };
  consider_each("clusterer, as tyto cluster --method has it", clusterer_specs());
  consider_each("world", world_specs());
  consider(std::string(kNovelCraftLayout), [] {
    BlockReleaseOptions options;
    return Explanation{"made world",
                       std::string(kNovelCraftLayout),
                       std::string(kNovelCraftSummary),
                       {},
                       explain_options([&](OptionVisitor& v) { options.describe(v); }),
                       ""};
  });
  consider_each("nuisance of pictures", nuisance_specs());
  consider_each("nuisance of features", feature_nuisance_specs());
  consider_each("protocol", protocol_specs());
  for (const MeasureSpec& spec : measure_specs()) {
    const auto explain = [&] {
      std::vector<std::string> views;
      for (const View view : spec.views) {
        views.emplace_back(view_name(view));
      }
      return Explanation{
          "measure",
          spec.name,
          spec.summary,
          {{"formula", spec.formula},
           {"also called", fmt::format("{}", fmt::join(spec.also_called, ", "))},
           {"positive class", spec.positive_class},
           {"better", std::string(better_name(spec.better))},
           {"views", fmt::format("{}", fmt::join(views, ", "))},
           {"over all increments",
            spec.over_steps == OverSteps::sum ? "of the summed counts" : "mean of the increments"}},
          {},
          ""};
    };
    consider(spec.name, explain);
    for (const std::string& other : spec.also_called) {
      consider(other, explain);
    }
  }
  for (const RunMeasureSpec& spec : run_measure_specs()) {
    const auto explain = [&] {
      return Explanation{"measure of a whole run",
                         spec.name,
                         spec.summary,
                         {{"formula", spec.formula},
                          {"also called", fmt::format("{}", fmt::join(spec.also_called, ", "))},
                          {"better", std::string(better_name(spec.better))},
                          {"reads", spec.reads},
                          {"views", std::string(view_name(spec.view))}},
                         {},
                         ""};
    };
    consider(spec.name, explain);
    for (const std::string& other : spec.also_called) {
      consider(other, explain);
    }
  }
  return found;
}

std::string as_text(const Explanation& about) {
  std::string out =
      fmt::format("{} ({})\n{}", about.name, about.kind, wrapped(about.summary, 98, 2));
  for (const auto& [key, value] : about.facts) {
    if (!value.empty()) {
      out += fmt::format("  {}:{}", key, wrapped(value, 98, 4 + key.size()).substr(3 + key.size()));
    }
  }
  if (!about.options.empty()) {
    out += "\n  options\n";
    for (const OptionHelp& option : about.options) {
      out +=
          fmt::format("    {}: {}{}{}\n", option.key, option.type,
                      option.range.empty() ? "" : fmt::format(", {}", option.range),
                      option.standard.empty() ? "" : fmt::format(", default {}", option.standard));
      out += wrapped(option.help, 98, 8);
    }
  }
  if (!about.text.empty()) {
    out += "\n" + about.text;
  }
  return out;
}

nlohmann::ordered_json as_json(const Explanation& about) {
  nlohmann::ordered_json out{
      {"kind", about.kind}, {"name", about.name}, {"summary", about.summary}};
  for (const auto& [key, value] : about.facts) {
    if (!value.empty()) {
      out[key] = value;
    }
  }
  out["options"] = nlohmann::ordered_json::array();
  for (const OptionHelp& option : about.options) {
    out["options"].push_back({{"key", option.key},
                              {"type", option.type},
                              {"default", option.standard},
                              {"range", option.range},
                              {"help", option.help}});
  }
  if (!about.text.empty()) {
    out["yaml"] = about.text;
  }
  return out;
}

void explain(const std::string& name, bool json) {
  std::vector<std::string> names;
  const auto found = find_all(name, names);
  if (found.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("nothing is called \"{}\"{}; `tyto list` shows what there is", name,
                            did_you_mean(name, names)));
  }
  if (json) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const Explanation& about : found) {
      out.push_back(as_json(about));
    }
    std::cout << out.dump(2) << "\n";
    return;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::cout << (i == 0 ? "" : "\n") << as_text(found[i]);
  }
}

}  // namespace

void add_explain_command(CLI::App& app) {
  struct ExplainArguments {
    std::string name;
    bool json = false;
  };

  auto given = std::make_shared<ExplainArguments>();
  CLI::App* command = app.add_subcommand(
      "explain",
      "Explain a preset, part, clusterer, world, protocol or measure by name, or `experiment`");
  command->add_option("name", given->name, "As `tyto list` shows it")->required();
  command->add_flag("--json", given->json, "For programs");
  command->footer("Example: tyto explain mlp");
  command->callback([given] { explain(given->name, given->json); });
}

}  // namespace tyto
