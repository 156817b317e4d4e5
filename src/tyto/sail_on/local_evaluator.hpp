// SPDX-License-Identifier: Apache-2.0
// An evaluation in this process: the rules of the wire without the wire.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/sail_on/evaluator.hpp"
#include "tyto/sail_on/posted_results.hpp"
#include "tyto/sail_on/test_data.hpp"

namespace tyto::sail_on {

// Sessions are called s1, s2, ... in the order in which they begin. Asking for feedback on the same
// ids in the same round gives the same lines again, uncharged. From any thread.
class LocalEvaluator final : public Evaluator {
 public:
  using Tests = std::vector<std::shared_ptr<const TestData>>;

  explicit LocalEvaluator(Tests tests, Form form = Form::sound);
  ~LocalEvaluator() override;

  std::vector<std::string> test_ids(std::string_view protocol, std::string_view domain) override;
  std::string begin_session(const SessionRequest& request) override;
  TestBrief brief(const std::string& session, const std::string& test) override;
  std::optional<std::vector<std::string>> round(const std::string& session, const std::string& test,
                                                Index number) override;
  void post(const std::string& session, const std::string& test, Index round,
            std::span<const ResultFile> files) override;
  std::string feedback(const std::string& session, const std::string& test, Index round,
                       std::string_view type, std::span<const std::string> ids) override;
  void complete(const std::string& session, const std::string& test) override;
  std::vector<std::string> completed(const std::string& session) override;
  void end_session(const std::string& session) override;

  // Everything posted in a test so far, by type, for whoever scores it.
  std::map<std::string, std::string, std::less<>> posted(const std::string& session,
                                                         const std::string& test);

  void save(State& state) const override;  // sessions; the tests are whoever's who loads it
  void load(const State& state, const Shelf& shelf) override;

 private:
  struct Test;
  struct Session;

  Session& open_session(const std::string& id);
  [[nodiscard]] const TestData& test_data(const Session& session, const std::string& test) const;
  static Test& open_test(Session& session, const std::string& test);

  Tests tests_;
  Form form_;
  mutable std::mutex mutex_;
  std::map<std::string, Session> sessions_;
};

}  // namespace tyto::sail_on
