// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/spelling.hpp"

#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/core/named.hpp"

namespace tyto {

namespace {

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) {  // hidden: of programs, not of people
      names.push_back(verb->get_name());
    }
  }
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

}  // namespace

std::string misspelled_word(const CLI::App& app, int argc, char** argv) {
  const CLI::App* verb = &app;
  std::string called = "tyto";
  int next = 1;
  for (; next < argc && std::string_view(argv[next]).substr(0, 1) != "-"; ++next) {
    const std::vector<std::string> names = verbs_of(*verb);
    if (names.empty()) {
      break;  // the rest are arguments
    }
    const CLI::App* inner = nullptr;
    for (const CLI::App* one : verb->get_subcommands([](const CLI::App*) { return true; })) {
      inner = one->get_name() == argv[next] ? one : inner;
    }
    if (inner == nullptr) {
      return fmt::format("there is no \"{} {}\"{}; `{} --help` lists what there is", called,
                         argv[next], did_you_mean(argv[next], names), called);
    }
    verb = inner;
    called += fmt::format(" {}", argv[next]);
  }
  const std::vector<std::string> options = options_of(*verb);
  for (; next < argc; ++next) {
    const std::string_view word(argv[next]);
    if (word == "--") {
      break;
    }
    if (!word.starts_with("--")) {
      continue;
    }
    const std::string name(word.substr(0, word.find('=')));
    if (verb->get_option_no_throw(name) == nullptr) {
      return fmt::format("{} has no option \"{}\"{}; `{} --help` tells them", called, name,
                         did_you_mean(name, options), called);
    }
  }
  return "";
}

}  // namespace tyto
