// SPDX-License-Identifier: Apache-2.0
// `tyto data audit` and `tyto data card`.
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/data_json.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/engine/page/card_pictures.hpp"

namespace tyto {

namespace {

struct AuditCall {
  std::vector<std::filesystem::path> places;
  std::string name;
  AuditOptions options;
  bool json = false, markdown = false, strict = false, pictures = false;
  std::filesystem::path out;
};

void add_common(CLI::App* word, AuditCall& call) {
  word->add_option("name", call.name, "a name from `tyto data list` or the path of a dataset")
      ->required();
  word->add_option("--data", call.places, "a folder to search before the usual ones; may repeat")
      ->allow_extra_args(false);
  word->add_option("--near", call.options.near.share,
                   "rows nearer than this share of the median nearest-neighbour distance are "
                   "near-duplicates; 0: do not look")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

void print_text(const Audit& audit) {
  for (const Finding& finding : audit.findings) {
    fmt::print("{}: {} [{}]\n", to_word(finding.weight), finding.text, finding.rule);
    for (const std::string& example : finding.examples) {
      fmt::print("    {}\n", example);
    }
  }
  if (audit.near.are_drawn) {
    fmt::print("near-duplicates were looked for among {} of {} samples, drawn at random\n",
               audit.near.samples, audit.summary.samples);
  }
  fmt::print("{}: {}\n", audit.summary.name, audit.verdict);
}

void audit_named(const AuditCall& call) {
  Progress progress(stderr);
  const Audit audit =
      audit_file(Catalog::standard(call.places).find(call.name), call.options, progress);
  if (call.json) {
    fmt::print("{}", json_text(audit, call.options));
  } else {
    print_text(audit);
  }
  if (call.strict && audit.problems() > 0) {
    std::fflush(stdout);
    throw Error(ErrorKind::data,
                fmt::format("{}: --strict allows no problems, and there {} {}", audit.summary.name,
                            audit.problems() == 1 ? "is" : "are", audit.problems()));
  }
}

void write_card(const AuditCall& call) {
  Progress progress(stderr);
  const std::filesystem::path path = Catalog::standard(call.places).find(call.name);
  const DataCard card = make_card(path, call.options, progress);
  std::string text = call.json ? json_text(card) : card_markdown(card);
  if (call.pictures) {
    const std::string pictures = card_pictures(load_dataset(path));
    text += pictures.empty() ? "\n## Pictures\n\nNo sample has a picture.\n" : pictures;
  }
  if (call.out.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(call.out, text);
  }
}

}  // namespace

void add_data_audit(CLI::App& data) {
  auto call = std::make_shared<AuditCall>();
  CLI::App* word = data.add_subcommand("audit", "what in a dataset may spoil an evaluation");
  add_common(word, *call);
  word->add_option("--limit", call->options.limit, "examples of each finding")
      ->check(CLI::Range(Index{0}, Index{1'000'000}))
      ->capture_default_str();
  word->add_flag("--json", call->json, "answer as JSON");
  word->add_flag("--strict", call->strict, "exit code 1 if there is a problem");
  word->footer(
      "Looks for equal and nearly equal rows in and across splits, contradictory labels, groups "
      "on\n"
      "both sides of a split, names that are alike, columns that say nothing, rare classes.\n\n"
      "Example:\n  tyto data audit letters --limit 2");
  word->callback([call] { audit_named(*call); });
}

void add_data_card(CLI::App& data) {
  auto call = std::make_shared<AuditCall>();
  CLI::App* word = data.add_subcommand("card", "a page about a dataset: origin, content, problems");
  add_common(word, *call);
  CLI::Option* json = word->add_flag("--json", call->json, "as JSON");
  word->add_flag("--markdown", call->markdown, "as Markdown, the standard")->excludes(json);
  word->add_flag("--pictures", call->pictures,
                 "with a picture of each class, and groups along time as strips")
      ->excludes(json);
  word->add_option("--out", call->out, "file to write; standard: the terminal");
  word->footer("Example:\n  tyto data card digits --pictures --out digits.md");
  word->callback([call] { write_card(*call); });
}

}  // namespace tyto
