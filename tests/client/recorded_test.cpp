// SPDX-License-Identifier: Apache-2.0
// Sessions of the public client with the public server, recorded to the byte: our calls must say
// the same, and make the same of the answers.
#include <filesystem>
#include <fstream>

#include "support/places.hpp"
#include "support/scripted_server.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/client/remote_evaluator.hpp"
#include "tyto/core/error.hpp"

namespace tyto::client {
namespace {

using Json = nlohmann::json;
using testing_support::Reaction;
using testing_support::ScriptedServer;
using testing_support::SeenPart;
using testing_support::SeenRequest;

const std::filesystem::path kCases = testing_support::in_tree("/../shared/data/sail_on_wire/cases");

std::string base64_decoded(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
    if ((count += 6) >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xFF);
    }
  }
  return out;
}

struct Step {
  SeenRequest request;
  int status = 0;
  std::string body;  // of the answer
};

// The steps, with the session ids of the recording in place of their stand-ins.
std::vector<Step> recorded(const std::string& name) {
  std::ifstream file(kCases / (name + ".json"));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const Json sessions = Json::parse(text)["sessions"];
  for (const auto& [stand_in, id] : sessions.items()) {
    const std::string mark = "${" + stand_in + "}";
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
      text.replace(at, mark.size(), id.get<std::string>());
    }
  }
  std::vector<Step> steps;
  const Json all = Json::parse(text);
  for (const Json& json : all["steps"]) {
    Step step;
    const Json& request = json["request"];
    const Json& response = json["response"];
    step.request.method = request["method"];
    step.request.target = request["target"];
    step.request.body = request.value("body", "");
    const Json headers = request.value("headers", Json::array());
    for (const Json& header : headers) {
      if (header[0] == "Content-Type") {
        step.request.headers["content-type"] = header[1];
      }
    }
    step.status = response["status"];
    step.body = response.contains("body_base64")
                    ? base64_decoded(response["body_base64"].get<std::string>())
                    : response.value("body", "");
    steps.push_back(std::move(step));
  }
  return steps;
}

std::map<std::string, std::string> parts_of(const SeenRequest& request) {
  std::map<std::string, std::string> out;
  for (const SeenPart& part : request.parts()) {
    EXPECT_EQ(part.name, part.filename);
    EXPECT_FALSE(part.typed);
    out[part.name] = part.content;
  }
  return out;
}

// What of a request a server looks at. We also name the round where the public client does not,
// which changes the answer's file name alone.
Json meaning(const SeenRequest& request) {
  Json out = {{"method", request.method}, {"path", request.path()}, {"query", request.query()}};
  if (request.path() == "/session/feedback") {
    out["query"].erase("round_id");
  }
  for (const auto& [name, content] : parts_of(request)) {
    const bool is_json = name == "configuration" || name == "test_identification";
    out["parts"][name] = is_json ? Json::parse(content) : Json(content);
  }
  return out;
}

// Posts of several types to one round, as one request.
SeenRequest joined(const std::vector<const Step*>& posts) {
  SeenRequest out = posts[0]->request;
  Json about;
  std::string types, rest;
  for (const Step* post : posts) {
    for (const auto& [name, content] : parts_of(post->request)) {
      if (name == "test_identification") {
        about = Json::parse(content);
        types += (types.empty() ? "" : "|") + about["result_types"].get<std::string>();
      } else {
        rest += "--B\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"" + name +
                "\"\r\n\r\n" + content + "\r\n";
      }
    }
  }
  about["result_types"] = types;
  out.headers["content-type"] = "multipart/form-data; boundary=B";
  out.body =
      "--B\r\nContent-Disposition: form-data; name=\"test_identification\"; "
      "filename=\"test_identification\"\r\n\r\n" +
      about.dump() + "\r\n" + rest + "--B--\r\n";
  return out;
}

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(mark, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Makes the call of a recorded step, and compares what it gave with the recorded answer.
void make_call(sail_on::Evaluator& evaluator, const Step& step) {
  const SeenRequest& request = step.request;
  const std::string call = request.method + " " + request.path();
  auto query = request.query();
  auto parts = parts_of(request);
  if (call == "POST /session") {
    const Json json = Json::parse(parts["configuration"]);
    sail_on::SessionRequest wanted;
    wanted.protocol = json["protocol"];
    wanted.domain = json["domain"];
    wanted.detector = json["novelty_detector_version"];
    wanted.hints = json["hints"];
    wanted.detection_threshold = json["detection_threshold"];
    wanted.test_ids = split(parts["test_ids"], '\n');
    EXPECT_EQ(evaluator.begin_session(wanted), Json::parse(step.body)["session_id"]);
  } else if (call == "GET /test/metadata") {
    const sail_on::TestBrief brief = evaluator.brief(query["session_id"], query["test_id"]);
    const Json told = Json::parse(step.body);
    EXPECT_EQ(brief.round_size, told.value("round_size", 0));
    EXPECT_EQ(brief.known_classes.value_or(-1), told.value("known_classes", -1));
    EXPECT_EQ(brief.feedback_max_ids.value_or(-1), told.value("feedback_max_ids", -1));
    EXPECT_EQ(brief.pre_novelty_batches.value_or(-1), told.value("pre_novelty_batches", -1));
    EXPECT_EQ(brief.red_light, told.value("red_light", ""));
  } else if (call == "GET /session/dataset") {
    const auto ids =
        evaluator.round(query["session_id"], query["test_id"], std::stoi(query["round_id"]));
    EXPECT_EQ(ids.has_value(), step.status == 200);
    if (ids) {
      EXPECT_EQ(*ids, split(step.body, '\n'));
    }
  } else if (call == "POST /session/results") {
    const Json about = Json::parse(parts["test_identification"]);
    std::vector<sail_on::ResultFile> files;
    for (const std::string& type : split(about["result_types"], '|')) {
      files.push_back({type, parts[type + "_file"]});
    }
    evaluator.post(about["session_id"], about["test_id"], about["round_id"].get<Index>(), files);
  } else if (call == "GET /session/feedback") {
    EXPECT_EQ(evaluator.feedback(query["session_id"], query["test_id"], 0, query["feedback_type"],
                                 split(query["feedback_ids"], '|')),
              step.body);
  } else if (call == "GET /session/latest") {
    EXPECT_EQ(Json(evaluator.completed(query["session_id"])),
              Json::parse(step.body)["finished_tests"]);
  } else if (call == "DELETE /test") {
    evaluator.complete(query["session_id"], query["test_id"]);
  } else if (call == "DELETE /session") {
    evaluator.end_session(query["session_id"]);
  } else {
    ADD_FAILURE() << "no call for " << call;
  }
}

// What remains of a recording when posts of a round are one, the end of a test is asked for once,
// and the evaluation, which an agent does not ask for, is left out.
std::vector<Step> as_we_say_it(const std::vector<Step>& steps) {
  std::vector<Step> out;
  const auto round_of = [](const Step& step) {
    return step.request.path() == "/session/results"
               ? Json::parse(parts_of(step.request)["test_identification"])["round_id"].dump()
               : "";
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::vector<const Step*> same{&steps[i]};
    while (!round_of(steps[i]).empty() && i + 1 < steps.size() &&
           round_of(steps[i]) == round_of(steps[i + 1])) {
      same.push_back(&steps[++i]);
    }
    const bool known = !out.empty() && steps[i].status == 204 && out.back().status == 204;
    if (!known && steps[i].request.path() != "/session/evaluations") {
      out.push_back(steps[i]);
      if (same.size() > 1) {
        out.back().request = joined(same);
      }
    }
  }
  return out;
}

struct Recorded : testing::TestWithParam<const char*> {};

TEST_P(Recorded, we_say_what_the_public_client_said) {
  if (!std::filesystem::exists(kCases)) {
    GTEST_SKIP() << kCases << " is not at hand";
  }
  const std::vector<Step> steps = as_we_say_it(recorded(GetParam()));
  ASSERT_GT(steps.size(), 5u);
  const ScriptedServer server([&, at = std::size_t{0}](const SeenRequest& request) mutable {
    const Step& next = steps[std::min(at++, steps.size() - 1)];
    if (meaning(request) != meaning(next.request)) {
      return testing_support::refuse(400, "Unexpected");
    }
    Reaction reaction = testing_support::answer(next.status, next.body);
    reaction.close = true;  // as the public server does
    return reaction;
  });
  Progress progress;
  ServerAddress address;
  address.url = server.url();
  const auto evaluator = connect(address, progress);
  for (const Step& step : steps) {
    make_call(*evaluator, step);
  }
  const auto seen = server.seen();
  ASSERT_EQ(seen.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(meaning(seen[i]), meaning(steps[i].request));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Recorded,
                         testing::Values("41-client-ond", "42-client-ond-given", "43-client-resume",
                                         "44-client-condda"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(RecordedRounds, of_every_domain_give_the_ids_of_the_tests) {
  if (!std::filesystem::exists(kCases)) {
    GTEST_SKIP() << kCases << " is not at hand";
  }
  const std::vector<Step> steps = recorded("06-dataset");
  std::vector<std::string> nlt, odd;
  for (const Step& step : steps) {
    if (step.request.path() != "/session/dataset" || step.request.method != "GET" ||
        step.status != 200) {
      continue;
    }
    const ScriptedServer server({testing_support::answer(200, step.body)});
    Progress progress;
    ServerAddress address;
    address.url = server.url();
    const std::string test = step.request.query().at("test_id");
    const auto ids = connect(address, progress)->round("s", test, 1);
    ASSERT_TRUE(ids);
    auto& into = test == "OND.4.1.5001" ? nlt : odd;
    if (test == "OND.4.1.5001" || test == "OND.1.1.2012") {
      into.insert(into.end(), ids->begin(), ids->end());
    }
  }
  EXPECT_THAT(nlt, testing::ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8"));
  EXPECT_THAT(odd,
              testing::ElementsAre("plain.jpg", " leading.jpg", "\"quoted.jpg\"", "with,comma.jpg",
                                   "m\xC3\xBCll-\xC3\xA4.jpg", "a'b.jpg", "sub dir/x y.jpg"));
}

}  // namespace
}  // namespace tyto::client
