// SPDX-License-Identifier: Apache-2.0
// Sessions on disk in the public layout, the only store there is: what another program puts there
// is read at the next request, and what is written here others can read at once.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tyto/sail_on/evaluator.hpp"
#include "tyto/sail_on/feedback.hpp"
#include "tyto/server/session_state.hpp"

namespace tyto {

// Names must be plain (sail_on/names.hpp) before they come here. From any thread.
class SessionStore {
 public:
  // Makes the folder if need be and finishes what was begun when the program was last killed.
  explicit SessionStore(std::filesystem::path folder);
  ~SessionStore();
  SessionStore(const SessionStore&) = delete;
  SessionStore& operator=(const SessionStore&) = delete;

  std::string create(const SessionConfiguration& configuration);  // a new id
  // None: nobody created it.
  [[nodiscard]] std::optional<SessionState> session(const std::string& id) const;
  [[nodiscard]] std::vector<std::string> sessions() const;  // ids, sorted
  // `change` may look and refuse; what it returns false for is not written.
  using SessionChange = std::function<bool(const SessionState&, nlohmann::ordered_json&)>;
  void change_session(const std::string& id, const SessionChange& change);

  // One test of one session, held from construction to destruction: requests about it take turns.
  class HeldTest;
  [[nodiscard]] HeldTest hold(const std::string& session, const SessionState& state,
                              const std::string& test);

  [[nodiscard]] std::optional<TestState> test(const std::string& session,
                                              const std::string& test) const;  // a look
  // Files of a session for whoever wants them all: path in the folder and content.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> files(
      const std::string& session, const std::vector<std::string>& tests) const;

 private:
  friend class HeldTest;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

class SessionStore::HeldTest {
 public:
  [[nodiscard]] const TestState& state() const { return state_; }

  [[nodiscard]] bool exists() const { return exists_; }

  // Posted rows of a type; none: nothing of it was posted.
  [[nodiscard]] std::optional<std::string> rows(const std::string& type) const;

  void request_round(std::int64_t round);  // round 0 of a test that has a state: all is removed
  // Throws Refused(400, DetectionRepost).
  void post(std::int64_t round, std::span<const sail_on::ResultFile> files, sail_on::Form form);
  // An answer given before to this question in this round.
  [[nodiscard]] std::optional<std::string> told_before(const std::string& question) const;
  void tell(std::string_view type, const sail_on::FeedbackAnswer& answer,
            const std::string& question);  // "": need not be remembered
  void complete();

 private:
  friend class SessionStore;
  HeldTest(Impl& store, std::string session, const SessionState& state, std::string test);
  [[nodiscard]] std::string result_path(const std::string& type) const;  // in the folder
  [[nodiscard]] std::string told_path() const;
  [[nodiscard]] std::uint64_t result_size(const std::string& type) const;
  [[nodiscard]] std::string last_byte(const std::string& type) const;

  Impl& store_;
  std::unique_lock<std::mutex> turn_;
  std::string session_, test_, folder_;
  TestState state_;
  bool exists_ = false;
};

}  // namespace tyto
