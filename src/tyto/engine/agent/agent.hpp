// SPDX-License-Identifier: Apache-2.0
// A predictor that takes the tests of an evaluation server: an experiment whose world lies behind
// the wire. It has a run folder like any other, so that what was cut short goes on where it was,
// also within a test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tyto/core/config.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/data/catalog.hpp"

namespace tyto {

struct AgentOptions {
  std::string server;            // URL
  std::string protocol = "OND";  // or CONDDA
  std::string domain = "activity_recognition";
  std::vector<std::string> tests;  // none: all that the server lists
  ConfigNode predictor;            // as in the list `predictors` of an experiment
  std::string model;               // a saved predictor or a run instead; "": it learns here
  std::string features;            // dataset with the samples of the tests
  std::string train;               // dataset to learn from; "": as `lists` say, or the features'
  std::string lists;               // folder with train.csv and samples.csv; "": there are none
  std::string prior_knowledge = "not told";
  bool red_light = false;          // given detection
  std::vector<std::string> hints;  // further ones, "feedback_max_ids=32"
  std::string feedback = "none";   // of the protocol ond
  std::string label_feedback = "classification";
  double threshold = 0.5;
  std::uint64_t seed = 1;
  std::filesystem::path folder;           // of the run, and of what continues it
  bool replace = false;                   // begin anew
  std::vector<std::string> classes = {};  // of a model, in the order of the tests: found here
  int jobs = 1;                           // tests at a time, each share in a process of its own
  std::vector<std::string> run_command;   // for jobs: a program that runs an experiment's file
};

struct AgentOutcome {
  std::string session;
  std::vector<std::string> tests;
  std::vector<std::filesystem::path> runs;  // folders, one for each job
};

// Begins a session, or goes on with the one in `folder`, takes every test of it and ends it.
AgentOutcome run_agent(AgentOptions options, const Catalog& catalog, Progress& progress);

}  // namespace tyto
