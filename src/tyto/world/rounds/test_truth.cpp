// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/test_truth.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kNearClasses = 4;
constexpr const char* kNotApplicable = "NA";
constexpr const char* kTestDomain = "activity_recognition";
constexpr double kToldThreshold = 0.5;

std::vector<std::string> truth_columns() {
  std::vector<std::string> columns{"anonymous_id", "novel",   "detection",
                                   "ontology_id",  "spatial", "temporal"};
  for (Index i = 0; i <= kNearClasses; ++i) {
    columns.push_back(fmt::format("kinetics_id_{}", i));
  }
  for (Index i = 1; i <= 4; ++i) {
    columns.push_back(fmt::format("annotation_name_{}", i));
    columns.push_back(fmt::format("annotation_value_{}", i));
  }
  return columns;
}

// The class and the classes nearest to it, as the public layout names five labels.
std::vector<std::string> five_labels(const ClassMap& map, Index c) {
  std::vector<std::string> labels{map.names[at(c)]};
  for (const Index near : map.nearest(c, kNearClasses)) {
    labels.push_back(map.names[at(near)]);
  }
  labels.resize(at(kNearClasses + 1), kNotApplicable);
  return labels;
}

// Without the blanks and quotes around it, which readers strip, and on one line.
std::string plain_field(std::string text) {
  constexpr std::string_view kStripped = " \t\r\n\"'";
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  const auto begin = text.find_first_not_of(kStripped);
  return begin == text.npos ? kNotApplicable
                            : text.substr(begin, text.find_last_not_of(kStripped) - begin + 1);
}

std::string told_metadata(const TestMaterial& material, const MakeTestsOptions& options,
                          const TestPlan& plan, const std::string& test_id,
                          const std::string& red_light, std::uint64_t seed) {
  const Index novel = std::count(plan.novel.begin(), plan.novel.end(), true);
  std::vector<std::string> known;
  for (const Index c : material.known) {
    known.push_back(material.map.names[at(c)]);
  }
  std::vector<std::string> unknown;
  for (const Index c : plan.novel_classes) {
    unknown.push_back(material.map.names[at(c)]);
  }
  Json out;
  out["protocol"] = options.protocol;
  out["domain"] = kTestDomain;
  out["test_id"] = test_id;
  out["group"] = plan.kind.group;
  out["seed"] = seed;
  out["known_classes"] = known.size();
  out["max_novel_classes"] = options.novel_classes;
  out["novel_classes"] = unknown.size();
  out["round_size"] = options.round_size;
  out["n_rounds"] = (plan.size() + options.round_size - 1) / options.round_size;
  out["pre_novelty_batches"] = options.pre_novelty_batches;
  out["red_light"] = red_light;
  out["detection"] = plan.red_light;
  out["threshold"] = kToldThreshold;
  out["feedback_max_ids"] = options.feedback_max_ids;
  out["max_detection_feedback_ids"] = options.max_detection_feedback_ids;
  out["prop_novel"] =
      static_cast<double>(novel) / static_cast<double>(plan.size() - plan.red_light);
  out["difficulty"] = plan.kind.difficulty;
  out["novelty_type"] = plan.kind.novelty;
  out["change"] = plan.change;
  out["known_class_names"] = known;
  out["novel_class_names"] = unknown;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::shared_ptr<const sail_on::TestData> test_truth(
    const Dataset& dataset, const TestMaterial& material, const MakeTestsOptions& options,
    const TestPlan& plan, const std::vector<std::string>& ids, std::uint64_t seed) {
  auto test = std::make_shared<sail_on::TestData>();
  test->protocol = options.protocol;
  test->domain = kTestDomain;
  test->id = fmt::format("{}.{}.{}.{}", options.protocol, plan.kind.group, plan.kind.run, seed);
  test->metadata = told_metadata(material, options, plan, test->id, ids[at(plan.red_light)], seed);
  test->columns = truth_columns();
  std::map<Index, std::vector<std::string>> labels;
  for (Index i = 0; i < plan.size(); ++i) {
    const Index row = plan.row[at(i)];
    const Index c = material.map.of_row[at(row)];
    if (!labels.contains(c)) {
      labels[c] = five_labels(material.map, c);
    }
    const bool novel = plan.novel[at(i)];
    std::vector<std::string> fields{ids[at(i)],
                                    novel ? "1" : "0",
                                    i >= plan.red_light ? "1" : "0",
                                    std::to_string(material.number_of(c)),
                                    "0",
                                    "0"};
    fields.insert(fields.end(), labels[c].begin(), labels[c].end());
    const std::string group =
        dataset.table.group.empty() ? kNotApplicable : plain_field(dataset.table.group[at(row)]);
    for (const std::string& field : std::vector<std::string>{
             "change", novel ? plan.change : kNotApplicable, "group", group, "difficulty",
             novel ? plan.difficulty[at(i)] : kNotApplicable, "class", labels[c].front()}) {
      fields.push_back(field);
    }
    test->rows.push_back(std::move(fields));
  }
  return test;
}

}  // namespace tyto
