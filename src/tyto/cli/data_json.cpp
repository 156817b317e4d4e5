// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/data_json.hpp"

#include <nlohmann/json.hpp>

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

Json counts(const std::map<std::string, Index>& by_name) {
  Json out = Json::object();
  for (const auto& [name, count] : by_name) {
    out[name] = count;
  }
  return out;
}

Json to_json(const std::vector<Finding>& findings) {
  Json out = Json::array();
  for (const Finding& finding : findings) {
    Json entry{{"weight", to_word(finding.weight)}, {"rule", finding.rule}, {"text", finding.text}};
    if (!finding.examples.empty()) {
      entry["examples"] = finding.examples;
    }
    out.push_back(std::move(entry));
  }
  return out;
}

Json to_json(const DatasetSummary& summary) {
  Json out;
  out["name"] = summary.name;
  out["summary"] = summary.summary;
  out["about"] = summary.about;
  out["samples"] = summary.samples;
  out["store_rows"] = summary.store_rows;
  out["unlabelled"] = summary.unlabelled;
  out["groups"] = summary.groups;
  out["collections"] = summary.collections;
  out["splits"] = counts(summary.splits);
  out["classes"] = Json::array();
  for (const ClassSummary& entry : summary.classes) {
    out["classes"].push_back(
        {{"name", entry.name}, {"samples", entry.samples}, {"by_split", counts(entry.by_split)}});
  }
  out["sources"] = Json::array();
  for (const SourceSummary& source : summary.sources) {
    out["sources"].push_back({{"name", source.name},
                              {"shape", source.shape},
                              {"columns", source.columns},
                              {"low", source.low},
                              {"high", source.high},
                              {"mean", source.mean},
                              {"bad_rows", source.bad_rows},
                              {"constant_columns", source.constant_columns}});
  }
  out["annotations"] = counts(summary.annotations);
  out["head"] = Json::array();
  for (const SampleSummary& sample : summary.head) {
    out["head"].push_back({{"id", sample.id},
                           {"label", sample.label},
                           {"split", sample.split},
                           {"group", sample.group},
                           {"values", sample.values}});
  }
  out["findings"] = to_json(summary.findings);
  return out;
}

Json near_json(const Audit& audit, const AuditOptions& options) {
  return {{"share", options.near.share},
          {"samples", audit.near.samples},
          {"drawn", audit.near.are_drawn},
          {"seed", options.near.seed},
          {"distinct", audit.near.distinct},
          {"median_distance", audit.near.median},
          {"near_rows", audit.near.pairs.size()},
          {"near_rows_across_splits", audit.near.across.size()}};
}

Json to_json(const Audit& audit, const AuditOptions& options) {
  return {{"name", audit.summary.name},
          {"samples", audit.summary.samples},
          {"problems", audit.problems()},
          {"notes", std::ssize(audit.findings) - audit.problems()},
          {"verdict", audit.verdict},
          {"near", near_json(audit, options)},
          {"findings", to_json(audit.findings)}};
}

Json to_json(const DataCard& card) {
  Json out = to_json(card.audit.summary);
  out.erase("head");
  out.erase("about");
  out["facts"] = Json::array();
  for (const StatedFact& fact : card.facts) {
    out["facts"].push_back(
        {{"key", fact.key}, {"text", fact.is_stated ? Json(fact.text) : Json(nullptr)}});
  }
  out["files"] = Json::array();
  for (const FileFact& file : card.files) {
    out["files"].push_back({{"name", file.name}, {"bytes", file.bytes}, {"digest", file.digest}});
  }
  out["balance"] = {{"smallest", card.balance.smallest},
                    {"median", card.balance.median},
                    {"largest", card.balance.largest},
                    {"ratio", card.balance.ratio}};
  out["findings"] = to_json(card.audit.findings);
  out["verdict"] = card.audit.verdict;
  return out;
}

std::string text_of(const Json& json) {
  // A name that is not UTF-8 is shown as far as it goes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_text(const DatasetSummary& summary) {
  return text_of(to_json(summary));
}

std::string json_text(const Audit& audit, const AuditOptions& options) {
  return text_of(to_json(audit, options));
}

std::string json_text(const DataCard& card) {
  return text_of(to_json(card));
}

}  // namespace tyto
