// SPDX-License-Identifier: Apache-2.0
// tyto data: datasets shown, listed, imported, made, audited.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/data_json.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/audit/summary.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/import.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kClassesShown = 40;

struct DataCall {
  std::vector<std::filesystem::path> places;
  std::string name, importer, variant;
  std::vector<std::string> settings;
  std::filesystem::path folder, out;
  bool json = false;
};

std::string split_word(const std::string& split) {
  return split.empty() ? "none" : split;
}

void print_classes(const DatasetSummary& summary) {
  std::size_t width = 5;
  for (const ClassSummary& entry : summary.classes) {
    width = std::max(width, std::min<std::size_t>(40, entry.name.size()));
  }
  fmt::print("\n{:<{}}  {:>8}", "class", width, "samples");
  for (const auto& [split, total] : summary.splits) {
    fmt::print("  {:>8}", split_word(split));
  }
  fmt::print("\n");
  for (std::size_t i = 0; i < std::min(kClassesShown, summary.classes.size()); ++i) {
    const ClassSummary& entry = summary.classes[i];
    fmt::print("{:<{}}  {:>8}", entry.name, width, entry.samples);
    for (const auto& [split, total] : summary.splits) {
      const auto found = entry.by_split.find(split);
      fmt::print("  {:>8}", found == entry.by_split.end() ? 0 : found->second);
    }
    fmt::print("\n");
  }
  if (summary.classes.size() > kClassesShown) {
    fmt::print("and {} more; --json lists them all\n", summary.classes.size() - kClassesShown);
  }
}

void print_text(const DatasetSummary& summary) {
  fmt::print("{}: {}\n", summary.name, summary.summary);
  for (const auto& [key, value] : summary.about) {
    fmt::print("  {}: {}\n", key, value);
  }
  fmt::print("\n{} samples, {} classes", summary.samples, summary.classes.size());
  if (summary.store_rows != summary.samples) {
    fmt::print(", {} frames", summary.store_rows);
  }
  if (summary.groups > 0) {
    fmt::print(", {} groups", summary.groups);
  }
  if (summary.collections > 0) {
    fmt::print(", {} collections", summary.collections);
  }
  for (const auto& [split, count] : summary.splits) {
    fmt::print(", {} {}", split_word(split), count);
  }
  fmt::print("\n");
  for (const SourceSummary& source : summary.sources) {
    fmt::print("source {}: {} values per row, from {:.6g} to {:.6g}, mean {:.6g}\n", source.name,
               fmt::join(source.shape, " x "), source.low, source.high, source.mean);
  }
  for (const auto& [name, distinct] : summary.annotations) {
    fmt::print("annotation {}: {} values\n", name, distinct);
  }
  print_classes(summary);
  fmt::print("\n");
  for (const SampleSummary& sample : summary.head) {
    fmt::print(
        "sample {}: {}{}{}, {} ...\n", sample.id, sample.label.empty() ? "no label" : sample.label,
        sample.split.empty() ? "" : ", " + sample.split,
        sample.group.empty() ? "" : ", group " + sample.group, fmt::join(sample.values, " "));
  }
  for (const Finding& finding : summary.findings) {
    fmt::print("{}: {}\n", to_word(finding.weight), finding.text);
  }
}

void list_datasets(const DataCall& call) {
  const Catalog catalog = Catalog::standard(call.places);
  Json all = Json::array();
  for (const std::string& name : catalog.names()) {
    const std::filesystem::path folder = catalog.find(name);
    const std::string line = catalog.summary(name);
    if (call.json) {
      all.push_back({{"name", name}, {"summary", line}, {"folder", folder.string()}});
    } else {
      fmt::print("{:<20} {}\n", name, line);
    }
  }
  if (call.json) {
    fmt::print("{}\n", all.dump(2));
  } else if (catalog.names().empty()) {
    fmt::print("no datasets in:\n");
    for (const std::filesystem::path& place : catalog.places()) {
      fmt::print("  {}\n", place.string());
    }
  }
}

void show_dataset(const DataCall& call) {
  const Dataset dataset = Catalog::standard(call.places).load(call.name);
  Progress progress(stderr);
  const DatasetSummary summary = summarise(dataset, progress);
  if (call.json) {
    fmt::print("{}", json_text(summary));
  } else {
    print_text(summary);
  }
}

ConfigNode import_options(const DataCall& call) {
  const ImportSpec& spec = find_importer(call.importer);
  ConfigNode options;
  for (const std::string& setting : call.settings) {
    options.kind = ConfigNode::Kind::map;
    apply_setting(options, setting, "--set", spec.options, call.importer);
  }
  return options;
}

void import_into(const DataCall& call) {
  const Dataset dataset =
      import_dataset(call.importer, call.folder, call.variant, import_options(call));
  const std::filesystem::path out =
      call.out.empty() ? std::filesystem::path("datasets") / dataset.name : call.out;
  save_dataset(dataset, out);
  fmt::print("{}: {} samples, now in {}\n", dataset.name, dataset.table.size(), out.string());
}

void write_list(const DataCall& call) {
  std::vector<std::string> notes;
  const std::string csv = list_csv(call.importer, call.folder, import_options(call), &notes);
  for (const std::string& note : notes) {
    fmt::print(stderr, "{}\n", note);
  }
  if (call.out.empty()) {
    fmt::print("{}", csv);
  } else {
    write_file(call.out, csv);
  }
}

std::string importer_lines() {
  std::string lines = "Importers:\n";
  for (const ImportSpec& spec : import_specs()) {
    lines += fmt::format("  {:<19} {}\n", spec.name, spec.summary);
    if (!spec.variants.empty()) {
      lines += fmt::format("  {:<19} variants: {}\n", "", fmt::join(spec.variants, ", "));
    }
    for (const OptionHelp& option : spec.options) {
      lines +=
          fmt::format("  {:<19} --set {}={}: {}\n", "", option.key, option.standard, option.help);
    }
  }
  return lines;
}

}  // namespace

void add_data_command(CLI::App& app) {
  auto call = std::make_shared<DataCall>();
  CLI::App* data =
      app.add_subcommand("data", "list, show, describe, audit, import and make datasets");
  data->require_subcommand(1);
  const auto add_places = [&](CLI::App* word) {
    word->add_option("--data", call->places, "a folder to search before the usual ones; may repeat")
        ->allow_extra_args(false);
    word->add_flag("--json", call->json, "answer as JSON");
  };

  const auto add_settings = [&](CLI::App* word) {
    word->add_option("--set", call->settings,
                     "key=value, an option of the importer; may repeat; see `tyto data import "
                     "--help`")
        ->allow_extra_args(false);
  };

  CLI::App* list = data->add_subcommand("list", "names of the datasets at hand");
  add_places(list);
  list->footer("Example:\n  tyto data list");
  list->callback([call] { list_datasets(*call); });

  CLI::App* show = data->add_subcommand("show", "classes, splits, features and problems of one");
  show->add_option("name", call->name,
                   "a name from `tyto data list`, the path of a dataset, or a table")
      ->required();
  add_places(show);
  show->footer("Example:\n  tyto data show letters");
  show->callback([call] { show_dataset(*call); });

  add_data_audit(*data);
  add_data_card(*data);
  add_data_init(*data);
  add_data_make(*data);
  add_data_visible(*data);

  CLI::App* bring = data->add_subcommand("import", "turn a published layout into a dataset");
  bring->add_option("importer", call->importer, "which layout it is")->required();
  bring->add_option("folder", call->folder, "where its files are")->required();
  bring->add_option("--out", call->out, "folder to make; standard: datasets/<name>");
  bring->add_option("--variant", call->variant, "which of the variants, where there are some");
  add_settings(bring);
  bring->footer([] {  // looked up when asked for
    return importer_lines() + "\nExample:\n  tyto data import wisdm51 ~/wisdm51 --variant watch";
  });
  bring->callback([call] { import_into(*call); });

  CLI::App* lists = data->add_subcommand(
      "lists", "the samples of a published list of videos, to extract features by");
  lists->add_option("importer", call->importer, "which list it is")->required();
  lists->add_option("folder", call->folder, "where its files are")->required();
  lists->add_option("--out", call->out, "the table to write; standard: to the terminal");
  add_settings(lists);
  lists->footer("Example:\n  tyto data lists hmdb51 ~/hmdb51_lists --out hmdb51.csv");
  lists->callback([call] { write_list(*call); });
}

}  // namespace tyto
