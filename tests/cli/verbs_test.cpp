// SPDX-License-Identifier: Apache-2.0
#include "support/environment.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/parts/registry.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::run_program;

TEST(Verbs, list_and_explain_know_the_world_that_is_made_in_a_published_layout) {
  EXPECT_THAT(run_program({"list"}).out, HasSubstr("made_world\n  novelcraft"));
  const auto explained = run_program({"explain", "novelcraft"});
  EXPECT_EQ(explained.code, 0);
  EXPECT_THAT(explained.out, HasSubstr("item_episodes"));
}

TEST(Verbs, list_names_every_part_and_explain_knows_each) {
  const auto listed = run_program({"list"});
  EXPECT_EQ(listed.code, 0);
  for (const PartSpec& spec : part_specs()) {
    EXPECT_THAT(listed.out, HasSubstr(spec.name));
    const auto explained = run_program({"explain", spec.name});
    EXPECT_EQ(explained.code, 0);
    EXPECT_THAT(explained.out, HasSubstr("cost:")) << spec.name;
    for (const OptionHelp& option : spec.options) {
      EXPECT_THAT(explained.out, HasSubstr(option.key));
      EXPECT_FALSE(option.help.empty()) << spec.name << "." << option.key;
    }
  }
}

TEST(Verbs, json_answers_can_be_parsed) {
  for (const std::vector<std::string>& verb : {std::vector<std::string>{"list", "--json"},
                                               {"explain", "slda", "--json"},
                                               {"runs", "no_such_folder", "--json"},
                                               {"data", "list", "--json"},
                                               {"data", "show", "digits", "--json"}}) {
    const auto outcome = run_program(verb);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << verb.front();
  }
}

TEST(Verbs, every_verb_helps_with_an_example) {
  for (const char* verb :
       {"run", "runs", "list", "explain", "learn", "measure", "make-tests", "serve", "agent"}) {
    const auto outcome = run_program({verb, "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("Example:")) << verb;
  }
  for (const char* word : {"list", "show", "init", "audit", "card", "import"}) {
    EXPECT_THAT(run_program({"data", word, "--help"}).out, HasSubstr("Example:")) << word;
  }
}

TEST(Verbs, the_manual_page_names_every_verb) {
  std::string page = testing_support::slurp(testing_support::in_tree("/docs/tyto.1"));
  std::erase(page, '\\');  // train\-backbone
  const std::string help = run_program({"--help"}).out;
  std::istringstream lines(help.substr(help.find("Subcommands:")));
  std::string line;
  std::getline(lines, line);
  int verbs = 0;
  while (std::getline(lines, line)) {
    const auto begin = line.find_first_not_of(' ');
    if (begin != 2) {  // what a verb does, or the words below
      continue;
    }
    const std::string verb = line.substr(begin, line.find(' ', begin) - begin);
    EXPECT_THAT(page, HasSubstr(verb)) << verb;
    ++verbs;
  }
  EXPECT_GT(verbs, 10);
}

TEST(Verbs, answers_without_torch) {
  const std::string opened =
      testing_support::opened_libraries([] { EXPECT_EQ(run_program({"list"}).code, 0); });
  EXPECT_THAT(opened, testing::AllOf(HasSubstr("libtyto"), testing::Not(HasSubstr("libtorch"))));
}

}  // namespace
}  // namespace tyto
