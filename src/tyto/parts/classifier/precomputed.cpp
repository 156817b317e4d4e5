// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

// A class without a column of its own lies this far below the row's lowest logit: p < 1e-13, yet
// its logarithm stays finite.
constexpr float kAbsent = 30.0F;

struct PrecomputedOptions {
  std::string source = "logits";

  void describe(OptionVisitor& v) {
    v.field("source", source, {},
            "source of the data that holds the logits; its column names are class names");
  }
};

class Precomputed final : public Part, public Classifier {
 public:
  explicit Precomputed(PrecomputedOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.source = options_.source;
    return needs;
  }

  void learn(const Experience& experience, Work&) override {
    labels_ = experience.space().known();
    names_ = experience.space().known_names();
  }

  void classify(Evidence& evidence) const override {
    evidence.classes = labels_;
    if (labels_.empty() || evidence.samples.empty()) {
      evidence.logits = Matrix(evidence.size(), static_cast<Index>(labels_.size()));
      return;
    }
    const auto columns = columns_of(evidence.samples);
    const Matrix all = evidence.samples.rows(options_.source);
    const auto rejects = columns.find(std::string(kUnknownName));
    const bool has_unknown = rejects != columns.end();
    evidence.logits.resize(evidence.size(), static_cast<Index>(labels_.size()) + has_unknown);
    Index found = 0;
    for (std::size_t c = 0; c < names_.size(); ++c) {
      const auto column = columns.find(names_[c]);
      if (column == columns.end()) {
        evidence.logits.col(static_cast<Index>(c)) = all.rowwise().minCoeff().array() - kAbsent;
      } else {
        evidence.logits.col(static_cast<Index>(c)) = all.col(column->second);
        ++found;
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
  [[nodiscard]] std::map<std::string, Index> columns_of(const Samples& samples) const {
    const std::vector<std::string> names = samples.column_names(options_.source);
    if (names.empty()) {
      throw Error(
          ErrorKind::data,
          fmt::format("source \"{}\" has no column names; they are the names of the classes",
                      options_.source));
    }
    std::map<std::string, Index> columns;
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (!columns.emplace(names[c], static_cast<Index>(c)).second) {
        throw Error(ErrorKind::data, fmt::format("source \"{}\" has two columns called \"{}\"",
                                                 options_.source, names[c]));
      }
    }
    return columns;
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
