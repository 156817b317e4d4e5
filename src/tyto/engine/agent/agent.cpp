// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/agent/agent.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/client/remote_evaluator.hpp"
#include "tyto/core/build_info.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/arm/processes.hpp"
#include "tyto/engine/run/run.hpp"
#include "tyto/engine/use/model.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/world/rounds/round_lists.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr auto kBetweenChecks = std::chrono::milliseconds(50);

std::unique_ptr<sail_on::Evaluator> evaluation_at(const std::string& url, Progress& progress) {
  client::ServerAddress address;
  address.url = url;
  return client::connect(address, progress);
}

std::string predictor_name(const ConfigNode& predictor) {
  for (const char* key : {"name", "preset"}) {
    if (const ConfigNode* node = predictor.find(key)) {
      return node->text;
    }
  }
  return predictor.kind == ConfigNode::Kind::scalar ? predictor.text : "tyto";
}

// What must outlive a kill besides the run itself: which session it is about.
struct AgentSession {
  std::string server, id;
  std::vector<std::string> tests;
  bool ended = false;
};

fs::path session_file(const fs::path& folder) {
  return folder / "session.json";
}

void write_session(const fs::path& folder, const AgentSession& session) {
  make_folder(folder);
  write_file(session_file(folder), nlohmann::ordered_json{{"server", session.server},
                                                          {"session", session.id},
                                                          {"tests", session.tests},
                                                          {"ended", session.ended}}
                                           .dump(2) +
                                       "\n");
}

AgentSession read_session(const fs::path& folder) {
  const fs::path file = session_file(folder);
  try {
    const nlohmann::json json = nlohmann::json::parse(read_file(file));
    return {json.at("server"), json.at("session"), json.at("tests"), json.at("ended")};
  } catch (const nlohmann::json::exception& problem) {
    throw Error(ErrorKind::state,
                fmt::format("{}: is not the file of a session: {}", file.string(), problem.what()));
  }
}

AgentSession begin_session(const AgentOptions& options, sail_on::Evaluator& evaluator) {
  sail_on::SessionRequest request;
  request.protocol = options.protocol;
  request.domain = options.domain;
  request.detector = fmt::format("{}-{}", predictor_name(options.predictor), build_info().version);
  request.detection_threshold = options.threshold;
  request.hints = options.hints;
  if (options.red_light) {
    request.hints.insert(request.hints.begin(), "red_light");
  }
  request.test_ids =
      options.tests.empty() ? evaluator.test_ids(options.protocol, options.domain) : options.tests;
  if (request.test_ids.empty()) {
    throw Error(ErrorKind::data, fmt::format("{} has no tests of {} in {}", options.server,
                                             options.protocol, options.domain));
  }
  return {options.server, evaluator.begin_session(request), request.test_ids};
}

// The session of the folder, where there is one that is not over.
AgentSession open_session(const AgentOptions& options, sail_on::Evaluator& evaluator) {
  if (fs::exists(session_file(options.folder)) && !options.replace) {
    AgentSession session = read_session(options.folder);
    if (session.server != options.server) {
      throw Error(ErrorKind::config,
                  fmt::format("{} holds a session with {}, not {}", options.folder.string(),
                              session.server, options.server));
    }
    if (!options.tests.empty() && options.tests != session.tests) {
      throw Error(ErrorKind::config,
                  fmt::format("{} holds a session over other tests: {}", options.folder.string(),
                              fmt::join(session.tests, ", ")));
    }
    return session;
  }
  fs::remove_all(options.folder);
  AgentSession session = begin_session(options, evaluator);
  write_session(options.folder, session);
  return session;
}

ConfigNode list_of(const std::vector<std::string>& words) {
  ConfigNode list;
  list.kind = ConfigNode::Kind::list;
  for (const std::string& word : words) {
    list.items.push_back(ConfigNode::scalar(word));
    list.items.back().quoted = true;
  }
  return list;
}

// The experiment of some of the tests; `first` is the place of the first among all of them.
ConfigNode experiment_of(const AgentOptions& options, const AgentSession& session,
                         std::size_t first, std::size_t count) {
  const auto begin = session.tests.begin() + static_cast<Index>(first);
  ConfigNode world = ConfigNode::empty_map();
  world.put("kind", ConfigNode::scalar("rounds"));
  world.put("server", ConfigNode::scalar(options.server));
  world.put("sessions", list_of({session.id}));
  world.put("protocol", ConfigNode::scalar(options.protocol));
  world.put("domain", ConfigNode::scalar(options.domain));
  world.put("settings", list_of({options.red_light ? "given" : "system"}));
  world.put("test_ids", list_of({begin, begin + static_cast<Index>(count)}));
  world.put("first_test", ConfigNode::scalar(fmt::to_string(first + 1)));
  world.put("threshold", ConfigNode::scalar(fmt::to_string(options.threshold)));
  world.put("label_feedback", ConfigNode::scalar(options.label_feedback));
  if (!options.lists.empty()) {
    world.put("tests", ConfigNode::scalar(options.lists));
  }
  ConfigNode protocol = ConfigNode::empty_map();
  const bool asks = options.protocol == "OND";
  protocol.put("kind", ConfigNode::scalar(asks ? "ond" : "condda"));
  if (asks) {
    protocol.put("feedback", ConfigNode::scalar(options.feedback));
  }
  ConfigNode experiment = ConfigNode::empty_map();
  experiment.put("name", ConfigNode::scalar("agent"));
  experiment.put("seed", ConfigNode::scalar(fmt::to_string(options.seed)));
  experiment.put("prior_knowledge", ConfigNode::scalar(options.prior_knowledge));
  experiment.put("data", options.train.empty() ? list_of({options.features})
                                               : list_of({options.train, options.features}));
  experiment.put("world", std::move(world));
  experiment.put("protocol", std::move(protocol));
  if (!options.model.empty()) {
    experiment.find("world")->put("classes", list_of(options.classes));
    ConfigNode from = ConfigNode::empty_map();
    from.put("model", ConfigNode::scalar(options.model));
    experiment.put("from", std::move(from));
  }
  ConfigNode predictors;
  predictors.kind = ConfigNode::Kind::list;
  predictors.items.push_back(options.predictor);
  experiment.put("predictors", std::move(predictors));
  experiment.put("report", ConfigNode::scalar("false"));
  return experiment;
}

fs::path run_here(const AgentOptions& options, const AgentSession& session, const Catalog& catalog,
                  Progress& progress) {
  RunOptions run;
  run.folder = options.folder / "run";
  run.resume = true;
  run.report = false;
  run_experiment(read_experiment(experiment_of(options, session, 0, session.tests.size())), catalog,
                 run, progress);
  return run.folder;
}

// Copies the predictor into the folder, with all it needs, and says in the options what it is.
void take_model(AgentOptions& options, const Catalog& catalog) {
  const fs::path file = options.folder / "model.npz";
  const ReadyPredictor ready =
      load_model(fs::exists(file) ? file.string() : options.model, {}, catalog);
  if (!fs::exists(file)) {
    save_model(file, ready);
  }
  options.model = file.string();
  options.predictor = write_predictor(ready.predictor->config());
  options.classes = options.lists.empty() ? ready.predictor->labels().known_names()
                                          : listed_classes(options.lists);
  for (const std::string& name : options.classes) {
    if (!ready.predictor->labels().find(name)) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: the predictor has not learned \"{}\", a known class of the tests",
                      file.string(), name));
    }
  }
}

// Each job has a share of the tests that follow each other.
std::vector<fs::path> run_in_processes(const AgentOptions& options, const AgentSession& session,
                                       Progress& progress) {
  const std::size_t jobs = std::min(static_cast<std::size_t>(options.jobs), session.tests.size());
  std::vector<fs::path> folders;
  Processes processes;
  progress.begin("agent", static_cast<double>(jobs));
  for (std::size_t job = 0; job < jobs; ++job) {
    const std::size_t begin = job * session.tests.size() / jobs;
    const std::size_t end = (job + 1) * session.tests.size() / jobs;
    folders.push_back(options.folder / fmt::format("run-{}", job + 1));
    const fs::path file = options.folder / fmt::format("run-{}.yaml", job + 1);
    write_file(file, to_yaml(experiment_of(options, session, begin, end - begin)));
    std::vector<std::string> words = options.run_command;
    words.insert(words.end(), {file.string(), "--out", folders.back().string(), "--resume",
                               "--quiet", "--no-report", "--no-table"});
    processes.start(std::move(words), fmt::format("job {} of the agent", job + 1));
  }
  while (processes.size() > 0) {
    progress.note(fmt::format("{} tests at a time", processes.size()));
    std::this_thread::sleep_for(kBetweenChecks);
    progress.pulse();
    progress.advance(static_cast<double>(processes.ended()));
  }
  progress.end();
  return folders;
}

}  // namespace

AgentOutcome run_agent(AgentOptions options, const Catalog& catalog, Progress& progress) {
  const auto evaluator = evaluation_at(options.server, progress);
  AgentSession session = open_session(options, *evaluator);
  if (!options.model.empty()) {
    take_model(options, catalog);
  }
  AgentOutcome outcome{session.id, session.tests, {}};
  if (options.jobs > 1 && session.tests.size() > 1) {
    outcome.runs = run_in_processes(options, session, progress);
  } else {
    outcome.runs = {run_here(options, session, catalog, progress)};
  }
  if (!session.ended) {
    try {
      evaluator->end_session(session.id);
    } catch (const sail_on::Refused& refused) {
      if (refused.reason() != "SessionEnded") {  // before this agent was interrupted
        throw;
      }
    }
    session.ended = true;
    write_session(options.folder, session);
  }
  return outcome;
}

}  // namespace tyto
