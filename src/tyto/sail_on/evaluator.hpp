// SPDX-License-Identifier: Apache-2.0
// What an agent can ask of a SAIL-ON evaluation, in the words of the public protocol: sessions over
// tests that are dealt in rounds. Here in memory or behind a wire: who asks cannot tell.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/sample/saved.hpp"

namespace tyto::sail_on {

struct SessionRequest {
  std::string protocol = "OND";  // or "CONDDA"
  std::string domain = "activity_recognition";
  std::string detector;               // name and version of the agent
  double detection_threshold = 0.5;   // novelty is declared by a p(changed) above it
  std::vector<std::string> hints;     // "red_light", "feedback_max_ids=32"
  std::vector<std::string> test_ids;  // at least one
};

struct TestBrief {       // what the metadata tell an agent; a key that is absent is not told
  Index round_size = 0;  // 0: not told
  std::optional<Index> known_classes, max_novel_classes, pre_novelty_batches;
  std::optional<Index> feedback_max_ids, max_detection_feedback_ids;  // per round
  std::string red_light;  // id of the first sample after the change; "": not told
};

struct ResultFile {
  std::string type;  // "detection", "classification", "characterization"
  std::string rows;  // CSV without header, the sample's id first, every line ended
};

// Throws Refused where the evaluation says no, Error(io) where it cannot be reached. Posting equal
// rows to a round again changes nothing, so that whoever was interrupted may repeat the last call.
struct Evaluator : Saved {
  virtual std::vector<std::string> test_ids(std::string_view protocol, std::string_view domain) = 0;
  virtual std::string begin_session(const SessionRequest& request) = 0;  // its id
  virtual TestBrief brief(const std::string& session, const std::string& test) = 0;

  // Ids of a round's samples, from 0; none: the test is over. Asking for round 0 again restarts it.
  virtual std::optional<std::vector<std::string>> round(const std::string& session,
                                                        const std::string& test, Index number) = 0;
  virtual void post(const std::string& session, const std::string& test, Index round,
                    std::span<const ResultFile> files) = 0;
  // Lines of CSV about these samples, or about those the evaluation chooses where none is named.
  // Empty as long as novelty was not declared.
  virtual std::string feedback(const std::string& session, const std::string& test, Index round,
                               std::string_view type, std::span<const std::string> ids) = 0;
  virtual void complete(const std::string& session, const std::string& test) = 0;
  virtual std::vector<std::string> completed(const std::string& session) = 0;
  virtual void end_session(const std::string& session) = 0;
};

}  // namespace tyto::sail_on
