// SPDX-License-Identifier: Apache-2.0
// tyto list: everything that has a name.
#include <functional>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/made_layout.hpp"
#include "tyto/cluster/clusterer.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/nn/backbones.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/predictor/presets.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/report/text_table.hpp"
#include "tyto/video/nuisance.hpp"
#include "tyto/world/nuisance/feature_nuisance.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {

namespace {

struct Named {
  std::string name, summary;
};

using Sections = std::vector<std::pair<std::string, std::vector<Named>>>;

Sections everything() {
  Sections sections;
  sections.emplace_back("preset", std::vector<Named>());
  for (const std::string& name : preset_names()) {
    const ConfigNode preset = load_preset(name);
    const ConfigNode* summary = preset.find("summary");
    sections.back().second.push_back({name, summary == nullptr ? "" : summary->text});
  }
  for (const Slot slot : kSlots) {
    std::vector<Named> parts;
    for (const PartSpec& spec : part_specs()) {
      if (std::find(spec.slots.begin(), spec.slots.end(), slot) != spec.slots.end()) {
        parts.push_back({spec.name, spec.summary});
      }
    }
    if (!parts.empty()) {
      sections.emplace_back(slot_name(slot), std::move(parts));
    }
  }
  const auto add = [&](std::string_view kind, const auto&... specs) {
    std::vector<Named> entries;
    const auto take = [&](const auto& some) {
      for (const auto& spec : some) {
        entries.push_back({spec.name, spec.summary});
      }
    };
    (take(specs), ...);
    sections.emplace_back(kind, std::move(entries));
  };
  add("clusterer", clusterer_specs());
  add("world", world_specs());
  sections.emplace_back("made_world", std::vector<Named>{{std::string(kNovelCraftLayout),
                                                          std::string(kNovelCraftSummary)}});
  add("nuisance", nuisance_specs(), feature_nuisance_specs());
  add("protocol", protocol_specs());
  add("measure", measure_specs(), run_measure_specs());
  add("backbone", backbone_specs());
  sections.emplace_back("dataset", std::vector<Named>());
  const Catalog catalog = Catalog::standard();
  for (const std::string& name : catalog.names()) {
    sections.back().second.push_back({name, catalog.summary(name)});
  }
  return sections;
}

void list(const std::string& kind, bool json) {
  Sections sections = everything();
  if (!kind.empty()) {
    std::vector<std::string> kinds;
    for (const auto& [name, entries] : sections) {
      kinds.push_back(name);
    }
    std::erase_if(sections, [&](const auto& section) { return section.first != kind; });
    if (sections.empty()) {
      const std::string near = nearest_word(kind, kinds);
      throw Error(ErrorKind::config,
                  fmt::format("nothing is called a \"{}\"{}", kind,
                              near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    }
  }
  if (json) {
    nlohmann::ordered_json out;
    for (const auto& [name, entries] : sections) {
      out[name] = nlohmann::ordered_json::array();
      for (const Named& entry : entries) {
        out[name].push_back({{"name", entry.name}, {"summary", entry.summary}});
      }
    }
    std::cout << out.dump(2) << "\n";
    return;
  }
  std::size_t widest = 0;
  for (const auto& [name, entries] : sections) {
    for (const Named& entry : entries) {
      widest = std::max(widest, entry.name.size());
    }
  }
  for (const auto& [name, entries] : sections) {
    std::cout << name << "\n";
    for (const Named& entry : entries) {
      const std::string text = wrapped(entry.summary, 98, widest + 4);
      std::cout << fmt::format("  {:<{}}{}", entry.name, widest + 2,
                               text.empty() ? "\n" : text.substr(widest + 4));
    }
  }
  std::cout << "\n`tyto explain NAME` tells more about each.\n";
}

}  // namespace

void add_list_command(CLI::App& app) {
  struct ListArguments {
    std::string kind;
    bool json = false;
  };

  auto given = std::make_shared<ListArguments>();
  CLI::App* command = app.add_subcommand(
      "list", "List presets, parts, worlds, protocols, measures, networks and datasets");
  command->add_option("kind", given->kind,
                      "Only these: preset, classifier, detector, measure, ...");
  command->add_flag("--json", given->json, "For programs");
  command->footer("Example: tyto list detector");
  command->callback([given] { list(given->kind, given->json); });
}

}  // namespace tyto
