// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/session_state.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/time.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/server/wire_text.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFilePath = " file path";
constexpr std::size_t kMostTimes = 16;  // of one round; the public server keeps them all

const Json& child(const Json& parent, std::string_view key) {
  static const Json nothing;
  if (!parent.is_object()) {
    return nothing;
  }
  const auto found = parent.find(key);
  return found == parent.end() ? nothing : *found;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

// Times are lists, or plain text in old files.
std::string first_time(const Json& parent) {
  const Json& time = child(parent, "time");
  return text_of(time.is_array() && !time.empty() ? time.front() : time);
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> out;
  if (list.is_array()) {
    std::transform(list.begin(), list.end(), std::back_inserter(out), text_of);
  }
  return out;
}

// Calls take(number, entry) for the rounds of a part of the file; what is no number is passed over.
template <class Take>
void each_round(const Json& part, const Take& take) {
  const Json& rounds = child(part, "rounds");
  if (rounds.is_object()) {
    for (const auto& [key, entry] : rounds.items()) {
      if (const auto number = number_in<std::int64_t>(key)) {
        take(*number, entry);
      }
    }
  }
}

Json& object_at(Json& parent, const std::string& key) {
  Json& out = parent[key];
  if (!out.is_object()) {
    out = Json::object();
  }
  return out;
}

void add_time(Json& entry) {
  Json& times = entry["time"];
  if (!times.is_array()) {
    times = times.is_null() ? Json::array() : Json::array({times});
  }
  if (times.size() >= kMostTimes) {
    times.erase(times.begin() + 1);  // the first stays
  }
  times.push_back(time_now());
}

// The entry of a round in a part of the file ("data_request"), with its time.
Json& note_round(Json& test, const char* part, std::int64_t round) {
  Json& noted = object_at(test, part);
  if (!noted.contains("time")) {
    noted["time"] = Json::array({time_now()});
  }
  // Adding a key moves the values of an ordered object: the reference is taken last.
  noted["last round"] = std::to_string(round);
  Json& entry = object_at(object_at(noted, "rounds"), std::to_string(round));
  add_time(entry);
  return entry;
}

}  // namespace

SessionState read_session(const Json& file) {
  SessionState out;
  const Json& created = child(file, "created");
  out.created = created.is_object();
  out.protocol = text_of(child(created, "protocol"));
  out.domain = text_of(child(created, "domain"));
  out.detector = text_of(child(created, "detector"));
  out.created_at = first_time(created);
  out.hints = texts_of(child(created, "hints"));
  const Json& threshold = child(created, "detection_threshold");
  out.threshold = threshold.is_number() ? std::optional(threshold.get<double>())
                                        : number_in<double>(text_of(threshold));
  out.ended = child(file, "termination").is_object();
  out.ended_at = first_time(child(file, "termination"));
  out.completed = texts_of(child(child(file, "tests"), "completed_tests"));
  return out;
}

TestState read_test_state(const Json& file) {
  TestState out;
  out.completed = !child(file, "completion").is_null();
  const Json& posts = child(file, "post_results");
  each_round(posts, [&](std::int64_t round, const Json& entry) {
    out.posted.rounds[round] = texts_of(child(entry, "types"));
    if (round == 0) {
      out.first_post = first_time(entry);
    }
  });
  if (posts.is_object()) {
    for (const auto& [key, value] : posts.items()) {
      if (key.ends_with(kFilePath)) {
        out.types.push_back(key.substr(0, key.size() - kFilePath.size()));
      }
    }
  }
  const Json& feedback = child(file, "get_feedback");
  out.any_feedback = feedback.is_object();
  each_round(feedback, [&](std::int64_t round, const Json& entry) {
    for (const auto& [type, lines] : entry.items()) {
      if (lines.is_number_integer() && type != "feedback_budget") {
        out.told[round][type] = lines.get<std::int64_t>();
      }
    }
  });
  const Json& points = child(child(file, "current_score"), "score");
  out.points = points.is_number() ? points.get<std::int64_t>() : 0;
  return out;
}

Json new_session_state(const SessionConfiguration& configuration) {
  Json created = Json::object();
  created["time"] = Json::array({time_now()});
  created["protocol"] = configuration.protocol;
  created["domain"] = configuration.domain;
  created["detector"] = configuration.detector;
  created["detection_threshold"] = Json::parse(configuration.threshold);
  created["hints"] = configuration.hints;
  Json out = Json::object();
  out["created"] = std::move(created);
  return out;
}

void note_data_request(Json& test, std::int64_t round) {
  note_round(test, "data_request", round);
}

void note_post(Json& test, std::int64_t round, const std::vector<PostedType>& types) {
  Json& entry = note_round(test, "post_results", round);
  Json& list = entry["types"];
  if (!list.is_array()) {
    list = Json::array();
  }
  for (const auto& posted : types) {
    if (std::find(list.begin(), list.end(), Json(posted.type)) == list.end()) {
      list.push_back(posted.type);
    }
  }
  for (const auto& posted : types) {
    test["post_results"][posted.type + std::string(kFilePath)] = posted.path;
  }
}

void note_feedback(Json& test, std::int64_t round, std::string_view type, std::int64_t lines,
                   std::int64_t budget, std::optional<std::int64_t> points) {
  Json& entry = note_round(test, "get_feedback", round);
  Json& count = entry[std::string(type)];
  count = (count.is_number_integer() ? count.get<std::int64_t>() : 0) + lines;
  entry["feedback_budget"] = budget;
  if (points) {
    object_at(test, "current_score")["score"] = *points;
  }
}

void note_completion(Json& test) {
  test["completion"] = {{"time", Json::array({time_now()})}};
}

void note_completed_test(Json& session, const std::string& test) {
  Json& list = object_at(session, "tests")["completed_tests"];
  if (!list.is_array()) {
    list = Json::array();
  }
  if (std::find(list.begin(), list.end(), Json(test)) == list.end()) {
    list.push_back(test);
  }
}

void note_termination(Json& session) {
  session["termination"] = {{"time", Json::array({time_now()})}};
}

void note_devmode(Json& session) {
  object_at(session, "created")["devmode"] = true;
}

std::string time_now() {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  std::tm local{};
  ::localtime_r(&now.tv_sec, &local);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}", local.tm_year + 1900,
                     local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
                     now.tv_usec);
}

}  // namespace tyto
