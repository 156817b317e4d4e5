// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/foreign/sail_on_results.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    if (entry.is_regular_file() && entry.path().extension() == extension) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

// None: it is the state of a test, which stands beside the sessions.
std::optional<SailOnSession> session_of(const fs::path& file) {
  const Json state = Json::parse(read_file(file), nullptr, false);
  if (state.is_discarded()) {
    throw Error(ErrorKind::data, fmt::format("{}: is not JSON", file.string()));
  }
  if (!state.is_object() || !state.contains("created") || !state["created"].is_object()) {
    return {};
  }
  const Json& created = state["created"];
  SailOnSession session;
  session.id = file.stem().string();
  session.detector = text_of(created, "detector");
  session.protocol = text_of(created, "protocol");
  session.domain = text_of(created, "domain");
  session.setting = "system";
  if (created.contains("hints") && created["hints"].is_array()) {
    const auto& hints = created["hints"];
    session.setting =
        std::find(hints.begin(), hints.end(), "red_light") != hints.end() ? "given" : "system";
  }
  if (created.contains("detection_threshold")) {
    const Json& stated = created["detection_threshold"];
    const auto number = stated.is_number()   ? std::optional(stated.get<double>())
                        : stated.is_string() ? number_in<double>(stated.get<std::string>())
                                             : std::nullopt;
    session.detection_threshold = number.value_or(session.detection_threshold);
  }
  return session;
}

// Posted texts by test and type, as the names of the files tell them.
std::map<std::string, std::map<std::string, fs::path>> posted_files(const fs::path& results,
                                                                    const SailOnSession& session) {
  std::map<std::string, std::map<std::string, fs::path>> files;
  const std::string prefix = session.id + ".";
  for (const fs::path& file : files_in(results / session.protocol / session.domain, ".csv")) {
    const std::string name = file.stem().string();
    const auto line = name.rfind('_');
    if (name.starts_with(prefix) && line != name.npos && line > prefix.size()) {
      files[name.substr(prefix.size(), line - prefix.size())][name.substr(line + 1)] = file;
    }
  }
  return files;
}

void read_tests(const fs::path& results, const sail_on::DataFolder& data, SailOnSession& session) {
  for (const auto& [id, files] : posted_files(results, session)) {
    const auto leave_out = [&, test = id](const std::string& why) {
      session.left_out.push_back(fmt::format("session {}: {}: {}", session.id, test, why));
    };
    const char* needed = session.protocol == "CONDDA" ? "characterization" : "classification";
    if (!files.contains(needed)) {
      leave_out(fmt::format("no {} was posted", needed));
      continue;
    }
    const auto stored = data.find(session.protocol, session.domain, id);
    if (stored == nullptr) {
      leave_out(
          fmt::format("the data have no such test of {}, {}", session.protocol, session.domain));
      continue;
    }
    AnsweredTest answered;
    answered.test = stored->test;
    for (const auto& [type, text] :
         {std::pair("detection", &AnsweredTest::detection),
          std::pair("classification", &AnsweredTest::classification),
          std::pair("characterization", &AnsweredTest::characterization)}) {
      if (const auto file = files.find(type); file != files.end()) {
        answered.*text = read_file(file->second);
      }
    }
    try {
      answered_record(std::span(&answered, 1), session.setting);
      session.tests.push_back(std::move(answered));
    } catch (const Error& problem) {
      leave_out(problem.what());
    }
  }
}

}  // namespace

std::vector<SailOnSession> read_sessions(const fs::path& results, const sail_on::DataFolder& data) {
  if (!fs::is_directory(results)) {
    throw Error(ErrorKind::io, fmt::format("{}: there is no such folder", results.string()));
  }
  std::vector<SailOnSession> sessions;
  std::set<std::string> ids;
  for (const fs::path& file : files_in(results, ".json")) {
    if (auto session = session_of(file)) {
      read_tests(results, data, *session);
      for (const AnsweredTest& test : session->tests) {
        ids.insert(test.test.id);
      }
      sessions.push_back(std::move(*session));
    }
  }
  for (SailOnSession& session : sessions) {
    for (AnsweredTest& test : session.tests) {
      test.number = 1 + std::distance(ids.begin(), ids.find(test.test.id));
    }
  }
  return sessions;
}

}  // namespace tyto
