// SPDX-License-Identifier: Apache-2.0
// The public evaluation protocol, request by request, without a socket: OND and CONDDA over tests
// on disk, sessions on disk. docs/protocols/sail-on.md tells where it departs from the public
// server.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/sail_on/data_folder.hpp"
#include "tyto/sail_on/posted_results.hpp"
#include "tyto/server/session_store.hpp"
#include "tyto/server/wire_answer.hpp"
#include "tyto/server/wire_request.hpp"

namespace tyto {

struct EvaluationOptions {
  std::filesystem::path data, results;
  bool compat = false;  // rules counted as the public server does, its defects included
};

class EvaluationApi {
 public:
  // Throws Error where one of the folders cannot be had.
  explicit EvaluationApi(const EvaluationOptions& options);

  // Answered from memory after a look at the files' times, with nothing to be written: whoever asks
  // need not hand it to a thread that may wait.
  [[nodiscard]] static bool is_quick(const WireRequest& request);

  // From any thread; never throws.
  [[nodiscard]] WireAnswer answer(const WireRequest& request);

 private:
  using Handler = WireAnswer (EvaluationApi::*)(const RequestValues&);

  struct Route {
    std::string_view method, path;
    Handler handler;
    bool quick = false;
  };

  static const std::vector<Route>& routes();
  WireAnswer dispatch(const WireRequest& request);

  // api_tests.cpp
  WireAnswer get_test_ids(const RequestValues& values);
  WireAnswer get_metadata(const RequestValues& values);
  WireAnswer get_dataset(const RequestValues& values);
  // api_sessions.cpp
  WireAnswer post_session(const RequestValues& values);
  WireAnswer delete_session(const RequestValues& values);
  WireAnswer delete_test(const RequestValues& values);
  WireAnswer get_latest(const RequestValues& values);
  WireAnswer get_status(const RequestValues& values);
  WireAnswer get_zip(const RequestValues& values);
  // api_results.cpp
  WireAnswer post_results(const RequestValues& values);
  WireAnswer post_results_and_feedback(const RequestValues& values);
  WireAnswer get_feedback(const RequestValues& values);
  // api_evaluations.cpp
  WireAnswer get_evaluations(const RequestValues& values);

  struct Identification;
  Identification identify(const RequestValues& values, bool lists) const;
  void store_results(const Identification& post, const RequestValues& values);
  WireAnswer tell(const std::string& session, const std::string& test,
                  const std::vector<std::string>& types, const std::vector<std::string>& ids,
                  const std::string& round);
  std::string tell_one(SessionStore::HeldTest& held, const SessionState& state,
                       const sail_on::TestData& data, const std::string& type,
                       const std::vector<std::string>& ids);

  // Throw Refused where there is no such session, or it has ended.
  [[nodiscard]] SessionState open_session(const std::string& id) const;
  [[nodiscard]] std::shared_ptr<const sail_on::StoredTest> find_test(const SessionState& session,
                                                                     const std::string& id) const;
  [[nodiscard]] const std::string& metadata_of(const sail_on::StoredTest* test,
                                               const std::string& id) const;

  sail_on::DataFolder data_;
  SessionStore store_;
  sail_on::Form form_;
};

// Throws Refused(400, TestCompleted).
void expect_open(const TestState& test);

// Throws Refused(400, MissingParamsError) naming what the request needs.
[[noreturn]] void missing_values(const RequestValues& values, std::string_view needed);

// As Python reads whole numbers: blanks around, a sign, single underscores inside; beyond 64 bits
// the largest. None: it is no number.
std::optional<std::int64_t> python_whole_number(std::string_view text);

}  // namespace tyto
