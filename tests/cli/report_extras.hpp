// SPDX-License-Identifier: Apache-2.0
// A small run on the digits, and what `tyto report` makes of it besides the page.
#pragma once

#include <string>
#include <vector>

#include "support/places.hpp"
#include "support/program.hpp"
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"

namespace tyto::testing_support {

class ReportExtras : public testing::Test {
 protected:
  ReportExtras() {
    write_file(scratch / "few.yaml",
               "name: few_digits\nseed: 3\nprior_knowledge: none\ndata: digits\n"
               "world: {kind: increments, start: {classes: 5}, increments: 2}\n"
               "feedback: [0, 0.5]\npredictors: [ncm, slda]\n");
  }

  Outcome call(const std::vector<std::string>& arguments) const {
    return run_program(arguments, {scratch.path(), {}, RLIM_INFINITY, ""});
  }

  void run_into(const std::string& folder, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{
        "run",   "few.yaml", "--quiet", "--data", testing_support::in_tree("/datasets"),
        "--out", folder};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = call(all);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  Outcome report(std::vector<std::string> more) const {
    more.insert(more.begin(),
                {"report", "--quiet", "--data", testing_support::in_tree("/datasets")});
    return call(more);
  }

  void set_done(const std::string& folder, bool done) const {
    std::string info = slurp(scratch / (folder + "/run.json"));
    const std::string from = std::string("\"done\": ") + (done ? "false" : "true");
    ASSERT_NE(info.find(from), info.npos);
    info.replace(info.find(from), from.size(),
                 std::string("\"done\": ") + (done ? "true" : "false"));
    write_file(scratch / (folder + "/run.json"), info);
  }

  // Of the server whose first line is in `file`; 0 as long as there is none.
  std::uint16_t port_in(const std::string& file) const {
    const std::string text = slurp(scratch / file);
    const auto at = text.find("127.0.0.1:");
    const auto end = text.find("/ (Ctrl-C", at);
    return at == text.npos || end == text.npos
               ? std::uint16_t{0}
               : static_cast<std::uint16_t>(std::stoi(text.substr(at + 10, end - at - 10)));
  }

  Scratch scratch;
};

}  // namespace tyto::testing_support
