// SPDX-License-Identifier: Apache-2.0
// A run small enough to work out every number of its page by hand.
//
// Known at the start: a, b. At increment 1 comes c.
//
//   phase           sample  truth  decision      novelty  place
//   0 post test     0       a      a             0        in
//                   1       b      b             0        out
//   1 pre  train    6       c      discovered_0  0.7      in
//                   7       a      a             0        in
//   1 pre  test     2       a      a             0.1      in
//                   3       b      unknown       0.8      out
//                   4       c      discovered_0  0.9      in
//                   5       c      b             0.2      out
//   1 post test     2       a      a             0        in
//                   3       b      b             0        out
//                   4       c      c             0        in
//                   5       c      a             0        out
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tyto/protocol/registry.hpp"
#include "tyto/record/memory_record.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto::testing_support {

struct TinyRow {
  int sample;
  std::string decision;
  float novelty = 0;
};

inline LabelSpace tiny_space(const PhaseKey& key) {
  LabelSpace space;
  space.add_known("a");
  space.add_known("b");
  if (key.step > 0) {
    const Label found = space.add_discovered("a group of 2");
    if (key.phase == "post") {
      space.retire(found, space.add_known("c"), "named by feedback");
    }
  }
  return space;
}

inline Phase tiny_phase(const PhaseKey& key, const std::vector<TinyRow>& rows) {
  Phase phase;
  phase.key = key;
  phase.space = tiny_space(key);
  phase.known = phase.space.known_names();
  phase.shown = {"a", "b"};
  phase.granted =
      key.step == 0 ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"c"};
  phase.labels_granted = key.step == 0 ? 10 : 3;
  const auto n = static_cast<Index>(rows.size());
  phase.top.resize(n, 1);
  phase.top_probability = Matrix::Constant(n, 1, 0.5F);
  for (Index i = 0; i < n; ++i) {
    const TinyRow& row = rows[static_cast<std::size_t>(i)];
    phase.sample.push_back(static_cast<SampleId>(row.sample));
    phase.top(i, 0) = static_cast<std::int32_t>(*phase.space.find(row.decision));
    phase.novelty.push_back(row.novelty);
    phase.confidence.push_back(0.5F);
  }
  return phase;
}

inline Truth tiny_truth() {
  Truth truth;
  truth.label = {"a", "b", "a", "b", "c", "c", "c", "a"};
  for (std::size_t i = 0; i < truth.label.size(); ++i) {
    truth.name.push_back("s" + std::to_string(i));
  }
  truth.annotations["place"] = {"in", "out", "in", "out", "in", "out", "in", "in"};
  truth.annotations["group"] = truth.annotations["place"];           // the same again
  truth.annotations["camera"] = std::vector<std::string>(8, "one");  // not worth a table
  return truth;
}

inline std::shared_ptr<MemoryRecord> tiny_record(Truth truth = tiny_truth()) {
  auto record = std::make_shared<MemoryRecord>(std::move(truth));
  record->add(tiny_phase({0, "post", "test"}, {{0, "a"}, {1, "b"}}));
  record->add(tiny_phase({1, "pre", "train"}, {{6, "discovered_0", 0.7F}, {7, "a"}}));
  record->add(tiny_phase(
      {1, "pre", "test"},
      {{2, "a", 0.1F}, {3, "unknown", 0.8F}, {4, "discovered_0", 0.9F}, {5, "b", 0.2F}}));
  record->add(tiny_phase({1, "post", "test"}, {{2, "a"}, {3, "b"}, {4, "c"}, {5, "a"}}));
  return record;
}

// The same with every test sample right before and after feedback: another seed.
inline std::shared_ptr<MemoryRecord> perfect_record() {
  auto record = std::make_shared<MemoryRecord>(tiny_truth());
  record->add(tiny_phase({0, "post", "test"}, {{0, "a"}, {1, "b"}}));
  record->add(
      tiny_phase({1, "pre", "test"},
                 {{2, "a", 0.1F}, {3, "b", 0.2F}, {4, "unknown", 0.8F}, {5, "unknown", 0.9F}}));
  record->add(tiny_phase({1, "post", "test"}, {{2, "a"}, {3, "b"}, {4, "c"}, {5, "c"}}));
  return record;
}

inline PageSeed tiny_seed(std::uint64_t number) {
  PageSeed seed;
  seed.seed = number;
  seed.folder = "runs/tiny";
  seed.shown = {
      {0, "train", "a", false, 6}, {0, "train", "b", false, 4}, {0, "test", "a", false, 1},
      {0, "test", "b", false, 1},  {1, "train", "a", false, 1}, {1, "train", "c", true, 5},
      {1, "test", "a", false, 1},  {1, "test", "b", false, 1},  {1, "test", "c", true, 2}};
  seed.tables["times.csv"] = {
      {"arm", "commit", "increment", "seconds", "learn", "predict", "other", "anonymous_mb",
       "mapped_mb"},
      {{"ncm-50pct", "1", "0", "1.5", "1", "0", "0", "10", "5"},
       {"ncm-50pct", "2", "0", "0.5", "0", "0.25", "0", "12", "5"},
       {"ncm-50pct", "3", "1", "2", "0.5", "0.5", "0.25", "11", "6"},
       {"ncm-50pct", "3", "1", "4", "0.5", "0.5", "0.25", "11", "6"},  // made again
       {"ncm-50pct", "4", "-1", "0.25", "0", "0", "0", "11", "6"},
       {"ncm-50pct", "measure", "all", "0.5", "0", "0", "0", "13", "6"},
       {"other", "1", "0", "99", "9", "9", "9", "99", "99"}}};
  seed.tables["alarms.csv"] = {
      {"arm", "increment", "samples", "log_evidence", "changed", "since", "kind", "novel_share"},
      {{"ncm-50pct", "1", "2", "3.5", "1", "", "new_classes", "0.5"},
       {"other", "1", "2", "3.5", "1", "1", "shift", "0.5"}}};
  seed.tables["discoveries.csv"] = {
      {"arm", "class", "found", "origin", "retired", "into", "why"},
      {{"ncm-50pct", "discovered_0", "1", "a group of 2", "1", "c", "named by feedback"}}};
  seed.texts["properties.json"] =
      R"({"ncm-50pct": {"complexity": {"parts": {"classifier": "ncm"}, "step": [0, 0, 1],
      "model_bytes": [100, 110, 120]}, "experience": {"memory": "unlimited",
      "samples_remembered": [10, 10, 13], "memory_bytes": [40, 40, 52]}, "regret": "none",
      "timeliness": "times.csv", "plasticity": {"takes_in_classes_without_labels": true,
      "classes_discovered": [0, 0, 1]}, "scalability": {"classes_known": [2, 2, 3],
      "cost": {"ncm": "O(n d) time, O(k d) memory"}}, "prior_knowledge": "none"}})";
  return seed;
}

inline PageRun tiny_run() {
  PageRun run;
  run.name = "tiny";
  run.folder = "runs/tiny";
  run.protocol = "owl";
  run.headline = find_protocol(run.protocol).headline;
  run.done = true;
  run.seeds = {tiny_seed(7)};
  run.datasets = {{"letters", "00ff", "somewhere", 8}};
  run.experiment = "name: tiny\n";
  run.prior_knowledge = "none";
  run.command = "tyto run runs/tiny/experiment.yaml";
  run.facts = {{"version", "0.1.0"}};
  return run;
}

inline PageArm tiny_arm() {
  PageArm arm;
  arm.name = "ncm-50pct";
  arm.predictor = "ncm";
  arm.feedback = "50 %";
  arm.promised = 0.1;
  arm.seeds = {{0, tiny_record()}};
  return arm;
}

inline PageSource tiny_source() {
  PageSource source;
  source.title = "tiny";
  source.version = "0.1.0";
  source.revision = "abc";
  source.runs = {tiny_run()};
  source.arms = {tiny_arm()};
  return source;
}

}  // namespace tyto::testing_support
