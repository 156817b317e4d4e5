// SPDX-License-Identifier: Apache-2.0
// Class scores made elsewhere, read from a source of the data.
#include <map>

#include "tyto/core/named.hpp"
#include "tyto/math/all_finite.hpp"
#include "tyto/math/score_rows.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

// A class without a column of its own lies this far below the row's lowest logit: p < 1e-13, yet
// its logarithm stays finite.
constexpr float kAbsent = 30.0F;

constexpr std::string_view kAbsentWords[] = {"refuse", "lowest"};

struct PrecomputedOptions {
  std::string source = "logits", absent = "refuse";

  void describe(OptionVisitor& v) {
    v.field("source", source, {},
            "source of the data that holds the logits; its column names are class names");
    v.field("absent", absent, kAbsentWords,
            "a class that was taught and has no column. refuse: an error naming it; lowest: 30 "
            "below the row's lowest logit, for worlds that teach what the model never knew");
  }
};

class Precomputed final : public Part, public Classifier {
 public:
  explicit Precomputed(PrecomputedOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.sources = {options_.source};
    return needs;
  }

  void learn(const Experience& experience, Work&) override {
    std::vector<std::string> names = experience.space().known_names();
    if (options_.absent == "refuse" && experience.size() > 0 && !names.empty()) {
      const std::vector<Index> any{0};
      const Columns columns = columns_of(experience.samples(any));
      for (const std::string& name : names) {
        expect_column(columns, name);
      }
    }
    labels_ = experience.space().known();
    names_ = std::move(names);
  }

  void classify(Evidence& evidence) const override {
    evidence.classes = labels_;
    if (labels_.empty() || evidence.samples.empty()) {
      evidence.logits = Matrix(evidence.size(), static_cast<Index>(labels_.size()));
      return;
    }
    const Columns columns = columns_of(evidence.samples);
    const Matrix all = finite_rows(evidence.samples);
    const auto rejects = columns.find(std::string(kUnknownName));
    const bool has_unknown = rejects != columns.end();
    evidence.logits.resize(evidence.size(), static_cast<Index>(labels_.size()) + has_unknown);
    Index found = 0;
    for (std::size_t c = 0; c < names_.size(); ++c) {
      const auto column = columns.find(names_[c]);
      if (column != columns.end()) {
        evidence.logits.col(static_cast<Index>(c)) = all.col(column->second);
        ++found;
      } else if (options_.absent == "lowest") {
        evidence.logits.col(static_cast<Index>(c)) = all.rowwise().minCoeff().array() - kAbsent;
      } else {
        expect_column(columns, names_[c]);
      }
    }
    if (found == 0) {
      throw Error(ErrorKind::data,
                  fmt::format("no column of source \"{}\" bears the name of a known class; the "
                              "first column is \"{}\", the first known class \"{}\"",
                              options_.source, columns.begin()->first, names_.front()));
    }
    if (has_unknown) {
      evidence.classes.push_back(Label::unknown);
      evidence.logits.rightCols(1) = all.col(rejects->second);
    }
  }

  void save(State& state) const override {
    save_labels(state, "labels", labels_);
    state.set("names", names_);
  }

  void load(const State& state, const Shelf&) override {
    names_ = state.get<std::vector<std::string>>("names");
    labels_ = load_labels(state, "labels");
  }

 private:
  using Columns = std::map<std::string, Index>;

  [[nodiscard]] Columns columns_of(const Samples& samples) const {
    const std::vector<std::string> names = samples.column_names(options_.source);
    if (names.empty()) {
      throw Error(
          ErrorKind::data,
          fmt::format("source \"{}\" has no column names; they are the names of the classes",
                      options_.source));
    }
    Columns columns;
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (!columns.emplace(names[c], static_cast<Index>(c)).second) {
        throw Error(ErrorKind::data, fmt::format("source \"{}\" has two columns called \"{}\"",
                                                 options_.source, names[c]));
      }
    }
    return columns;
  }

  void expect_column(const Columns& columns, const std::string& name) const {
    if (columns.contains(name)) {
      return;
    }
    std::vector<std::string> names;
    for (const auto& [column, at] : columns) {
      names.push_back(column);
    }
    throw Error(ErrorKind::data,
                fmt::format("the class \"{}\" has no column in source \"{}\"{}; `absent: lowest` "
                            "accepts classes that the model never knew",
                            name, options_.source, did_you_mean(name, names)));
  }

  // Impossible classes (-inf) lie where softmax in float32 is 0, or as low as the row's least.
  [[nodiscard]] Matrix finite_rows(const Samples& samples) const {
    Matrix rows = samples.rows(options_.source);
    if (!all_finite(rows)) {
      const Dense<double> scores = rows.cast<double>();
      expect_scores(scores,
                    fmt::format("source \"{}\" of a batch of {}", options_.source, samples.size()));
      rows = finite_scores(scores, kLeastFloatLog).cast<float>();
    }
    return rows;
  }

  PrecomputedOptions options_;
  std::vector<Label> labels_;  // known classes at the last lesson
  std::vector<std::string> names_;
};

}  // namespace

PartSpec precomputed_spec() {
  return part_spec<PrecomputedOptions, Precomputed>(
      "precomputed", {Slot::classifier},
      "logits made elsewhere, read from the data; columns are matched to classes by name, one "
      "called \"unknown\" rejects",
      "O(n k) time, O(k) memory");
}

}  // namespace tyto
