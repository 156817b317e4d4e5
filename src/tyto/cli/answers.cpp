// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/answers.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/engine/use/prediction_session.hpp"

namespace tyto {

namespace {

// Entries by probability, ties to the lower; what was merged into another stays out.
std::vector<Index> likeliest(const Prediction& prediction, Index row, Index top) {
  std::vector<Index> entries;
  for (Index c = 0; c < prediction.probability.cols(); ++c) {
    if (prediction.space->kind(static_cast<Label>(c)) != LabelKind::retired) {
      entries.push_back(c);
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [&](Index a, Index b) {
    return prediction.probability(row, a) > prediction.probability(row, b);
  });
  entries.resize(std::min(entries.size(), at(top)));
  return entries;
}

const std::string& class_name(const Prediction& prediction, Index entry) {
  return prediction.space->name(static_cast<Label>(entry));
}

std::vector<std::string> set_names(const Prediction& prediction, Index row) {
  std::vector<std::string> names;
  if (!prediction.sets.empty()) {
    for (const Label label : prediction.sets[at(row)]) {
      names.push_back(prediction.space->name(label));
    }
  }
  return names;
}

std::string feature_name(const UnusualFeature& feature) {
  return feature.name.empty() ? fmt::format("column {}", feature.column + 1) : feature.name;
}

}  // namespace

void AnswerWriter::header() {
  if (format_.json) {
    return;
  }
  out_ << (format_.ids ? "id" : "row") << ",label,probability,novelty,p_value,novel";
  for (Index k = 1; k <= format_.top; ++k) {
    out_ << fmt::format(",class_{0},probability_{0}", k);
  }
  out_ << (format_.sets ? ",set" : "");
  out_ << "\n";
}

void AnswerWriter::write(const std::string& id, const Prediction& prediction, Index row,
                         const WhyNovel* why, const ReadyPredictor& model) {
  if (format_.json) {
    write_json(id, prediction, row, why, model);
    return;
  }
  write_csv(id, prediction, row);
  if (why != nullptr) {
    write_reasons(*why, model);
  }
}

void AnswerWriter::write_csv(const std::string& id, const Prediction& prediction, Index row) {
  const auto label = static_cast<Index>(prediction.label[at(row)]);
  out_ << fmt::format("{},{},{:.4f},{:.6g},{},{}", csv_field(id),
                      csv_field(class_name(prediction, label)), prediction.probability(row, label),
                      prediction.novelty.empty() ? 0.0F : prediction.novelty[at(row)],
                      prediction.p_value.empty()
                          ? std::string()
                          : fmt::format("{:.4g}", prediction.p_value[at(row)]),
                      is_novel(prediction, row) ? 1 : 0);
  const auto best = likeliest(prediction, row, format_.top);
  for (Index k = 0; k < format_.top; ++k) {
    if (at(k) < best.size()) {
      const Index entry = best[at(k)];
      out_ << fmt::format(",{},{:.4f}", csv_field(class_name(prediction, entry)),
                          prediction.probability(row, entry));
    } else {
      out_ << ",,";
    }
  }
  if (format_.sets) {
    out_ << "," << csv_field(fmt::format("{}", fmt::join(set_names(prediction, row), ";")));
  }
  out_ << "\n";
}

void AnswerWriter::write_reasons(const WhyNovel& why, const ReadyPredictor& model) {
  const auto& space = model.predictor->labels();
  for (const ScoreNote& note : why.scores) {
    out_ << fmt::format("  score {} = {:.4g}, p-value {:.3g}\n", note.score, note.value,
                        note.p_value);
  }
  for (const NearExemplar& near : why.nearest) {
    out_ << fmt::format("  near {} of class {}, distance {:.4g}\n", model.name_of(near.id),
                        space.name(near.label), near.distance);
  }
  for (const UnusualFeature& feature : why.features) {
    out_ << fmt::format("  unusual {} = {:.4g}, there {:.4g}: {:+.1f} deviations\n",
                        feature_name(feature), feature.value, feature.usual, feature.deviation);
  }
}

void AnswerWriter::write_json(const std::string& id, const Prediction& prediction, Index row,
                              const WhyNovel* why, const ReadyPredictor& model) {
  using Json = nlohmann::ordered_json;
  const auto label = static_cast<Index>(prediction.label[at(row)]);
  Json out{{format_.ids ? "id" : "row", id},
           {"label", class_name(prediction, label)},
           {"probability", prediction.probability(row, label)},
           {"novelty", prediction.novelty.empty() ? Json() : Json(prediction.novelty[at(row)])},
           {"p_value", prediction.p_value.empty() ? Json() : Json(prediction.p_value[at(row)])},
           {"novel", is_novel(prediction, row)},
           {"top", Json::array()}};
  if (!format_.ids) {
    out["row"] = std::stoll(id);
  }
  if (format_.sets) {
    out["set"] = set_names(prediction, row);
    out["set_promise"] = prediction.set_promise;
  }
  for (const Index entry : likeliest(prediction, row, format_.top)) {
    out["top"].push_back({{"class", class_name(prediction, entry)},
                          {"probability", prediction.probability(row, entry)}});
  }
  if (why != nullptr) {
    Json reasons{
        {"scores", Json::array()}, {"nearest", Json::array()}, {"features", Json::array()}};
    for (const ScoreNote& note : why->scores) {
      reasons["scores"].push_back(
          {{"score", note.score}, {"value", note.value}, {"p_value", note.p_value}});
    }
    for (const NearExemplar& near : why->nearest) {
      reasons["nearest"].push_back({{"id", model.name_of(near.id)},
                                    {"class", model.predictor->labels().name(near.label)},
                                    {"distance", near.distance}});
    }
    for (const UnusualFeature& feature : why->features) {
      reasons["features"].push_back({{"name", feature_name(feature)},
                                     {"value", feature.value},
                                     {"usual", feature.usual},
                                     {"deviation", feature.deviation}});
    }
    out["why"] = std::move(reasons);
  }
  // A class may bear any bytes; what is not UTF-8 is replaced rather than refused.
  out_ << out.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace tyto
