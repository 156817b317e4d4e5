// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/foreign/answered_test.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/sail_on/csv_rows.hpp"
#include "tyto/sail_on/posted_rows.hpp"
#include "tyto/sail_on/test_truth.hpp"

namespace tyto {

namespace {

using sail_on::CsvRow;
using sail_on::TestData;
using sail_on::TestTruth;

// Posted rows by id; the last of several counts.
class PostedTable {
 public:
  PostedTable(const TestData& test, const std::string& type, const std::string& text)
      : name_(fmt::format("{}_{}", test.id, type)), rows_(sail_on::csv_rows(text, name_)) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      by_id_[std::string(sail_on::stripped(std::string_view(rows_[r].fields.front())))] = r;
    }
  }

  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  [[nodiscard]] const CsvRow& front() const { return rows_.front(); }

  [[nodiscard]] const CsvRow* find(const std::string& id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &rows_[found->second];
  }

 private:
  std::string name_;
  std::vector<CsvRow> rows_;
  std::unordered_map<std::string, std::size_t> by_id_;
};

// Which entry of the space a column of a table is.
struct Layout {
  bool is_condda = false;
  std::vector<std::string> known;

  [[nodiscard]] Index known_count() const { return std::ssize(known); }

  [[nodiscard]] std::int32_t entry(Index column) const {
    if (is_condda) {
      return static_cast<std::int32_t>(column);
    }
    return static_cast<std::int32_t>(column < known_count() ? column + 1 : 0);
  }
};

// Names of the classes with the numbers 0 to count - 1, as far as the truth tells them.
std::vector<std::string> class_names(const TestData& test, const TestTruth& truth, Index count) {
  std::vector<std::string> names;
  for (Index c = 0; c < count; ++c) {
    names.push_back(fmt::format("{}", c));
  }
  std::map<std::string, Index> number_of;  // by name
  const auto column = at(sail_on::truth_columns(test.domain).label);
  for (std::size_t r = 0; r < test.rows.size(); ++r) {
    const auto number = number_in<Index>(test.rows[r][column]);
    if (!number || *number < 0 || *number >= count) {
      continue;
    }
    const auto [found, is_new] = number_of.emplace(truth.label[r], *number);
    if (found->second != *number) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: row {}: the classes {} and {} are both called "
                              "\"{}\"",
                              test.id, r + 1, found->second, *number, truth.label[r]));
    }
    names[at(*number)] = truth.label[r];
  }
  return names;
}

// Of a test that does not say so: up to the highest class of a sample that is not novel.
Index known_in_truth(const TestData& test, const TestTruth& truth) {
  const auto column = at(sail_on::truth_columns(test.domain).label);
  Index count = 0;
  for (std::size_t r = 0; r < test.rows.size(); ++r) {
    const auto number = number_in<Index>(test.rows[r][column]);
    if (truth.novel[r] == 0 && number) {
      count = std::max(count, *number + 1);
    }
  }
  return count;
}

Layout layout_of(const TestData& test, const TestTruth& truth, const PostedTable& table) {
  Layout layout;
  layout.is_condda = test.protocol == "CONDDA";
  Index known = std::ssize(table.front().fields) - 2;  // id and unknown
  if (layout.is_condda) {
    const auto told = sail_on::metadata_number(test, "known_classes");
    known = told ? *told : known_in_truth(test, truth);
  }
  if (known < 0) {
    throw Error(ErrorKind::data, fmt::format("{}: line {} has an id and no probabilities",
                                             table.name(), table.front().line));
  }
  layout.known = class_names(test, truth, known);
  return layout;
}

std::vector<double> probabilities(const PostedTable& table, const CsvRow& row,
                                  const Layout& layout) {
  const Index columns = std::ssize(row.fields) - 1, least = layout.known_count() + 1;
  if (columns < least || (!layout.is_condda && columns != least)) {
    throw Error(ErrorKind::data,
                fmt::format("{}: line {} has {} probabilities; unknown and {} known classes need "
                            "{}{}",
                            table.name(), row.line, columns, layout.known_count(), least,
                            layout.is_condda ? " or more" : ""));
  }
  std::vector<double> values;
  for (Index c = 1; c <= columns; ++c) {
    const double value = sail_on::number_at(row, c, table.name());
    if (std::isnan(value) || value < 0.0 || value > 1.0) {
      throw Error(ErrorKind::data, fmt::format("{}: line {}, column {}: \"{}\" is no probability",
                                               table.name(), row.line, c + 1, row.fields[at(c)]));
    }
    values.push_back(value);
  }
  return values;
}

class RoundWriter {
 public:
  RoundWriter(const Layout& layout, PhaseKey key, Index discovered) : layout_(layout) {
    phase_.key = std::move(key);
    phase_.known = layout.known;
    phase_.shown = layout.known;
    for (const std::string& name : layout.known) {
      phase_.space.add_known(name);
    }
    for (Index d = 0; d < discovered; ++d) {
      phase_.space.add_discovered();
    }
  }

  void add(SampleId sample, const std::string& label, const std::vector<double>& values,
           std::optional<double> novelty) {
    std::vector<Index> order(values.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto ranks = std::min(order.size(), static_cast<std::size_t>(kTopRanks));
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(ranks),
                      order.end(), [&](Index a, Index b) {
                        return values[at(a)] > values[at(b)] ||
                               (values[at(a)] == values[at(b)] && a < b);
                      });
    order.resize(ranks);
    ranked_.push_back(order);
    auto& probability = ranked_probability_.emplace_back();
    for (const Index column : order) {
      probability.push_back(static_cast<float>(values[at(column)]));
    }
    double highest_known = 0.0, of_truth = 0.0;
    for (Index column = 0; column < std::ssize(values); ++column) {
      const std::int32_t entry = layout_.entry(column);
      const double p = values[at(column)];
      if (entry == 0) {
        phase_.p_unknown.push_back(static_cast<float>(p));
      } else if (entry <= layout_.known_count()) {
        highest_known = std::max(highest_known, p);
        of_truth = layout_.known[at(entry - 1)] == label ? p : of_truth;
      }
    }
    phase_.sample.push_back(sample);
    phase_.p_true.push_back(static_cast<float>(of_truth));
    phase_.novelty.push_back(static_cast<float>(novelty.value_or(1.0 - highest_known)));
    phase_.confidence.push_back(probability.front());
  }

  void add_changed(double value) { phase_.changed.push_back(static_cast<float>(value)); }

  // Ranks that a narrower row lacks are -1.
  Phase take() {
    std::size_t ranks = 1;
    for (const auto& row : ranked_) {
      ranks = std::max(ranks, row.size());
    }
    phase_.top = Dense<std::int32_t>::Constant(std::ssize(ranked_), static_cast<Index>(ranks), -1);
    phase_.top_probability = Matrix::Zero(phase_.top.rows(), phase_.top.cols());
    for (Index i = 0; i < phase_.top.rows(); ++i) {
      for (std::size_t r = 0; r < ranked_[at(i)].size(); ++r) {
        phase_.top(i, static_cast<Index>(r)) = layout_.entry(ranked_[at(i)][r]);
        phase_.top_probability(i, static_cast<Index>(r)) = ranked_probability_[at(i)][r];
      }
    }
    return std::move(phase_);
  }

 private:
  const Layout& layout_;
  Phase phase_;
  std::vector<std::vector<Index>> ranked_;  // columns
  std::vector<std::vector<float>> ranked_probability_;
};

// How many samples from the first on were answered.
Index answered_samples(const TestTruth& truth, const PostedTable& table) {
  Index answered = 0;
  for (Index i = 0; i < truth.size(); ++i) {
    if (table.find(truth.id[at(i)]) == nullptr) {
      continue;
    }
    if (answered != i) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: sample \"{}\" has no row, but \"{}\" after it "
                              "has one",
                              table.name(), truth.id[at(answered)], truth.id[at(i)]));
    }
    ++answered;
  }
  return answered;
}

void add_truth(const TestData& test, const TestTruth& truth, Index answered, Truth& all) {
  for (Index i = 0; i < answered; ++i) {
    all.name.push_back(truth.id[at(i)]);
    all.label.push_back(truth.label[at(i)]);
    all.annotations["test"].push_back(test.id);
    all.annotations["novel"].push_back(truth.novel[at(i)] != 0 ? "1" : "0");
    all.annotations["changed"].push_back(truth.changed[at(i)] != 0 ? "1" : "0");
  }
}

void add_phases(const AnsweredTest& answered, const std::string& setting, Index round_size,
                Truth& all, std::vector<Phase>& phases) {
  const TestData& test = answered.test;
  const bool is_condda = test.protocol == "CONDDA";
  const TestTruth truth = sail_on::test_truth(test);
  const PostedTable table(test, is_condda ? "characterization" : "classification",
                          is_condda ? answered.characterization : answered.classification);
  const PostedTable detection(test, "detection", answered.detection);
  if (table.empty()) {
    return;
  }
  const Layout layout = layout_of(test, truth, table);
  const Index count = answered_samples(truth, table);
  if (round_size == 0) {
    round_size = sail_on::metadata_number(test, "round_size").value_or(0);
  }
  round_size = round_size > 0 ? round_size : std::max<Index>(1, count);
  const auto first = static_cast<Index>(all.label.size());
  add_truth(test, truth, count, all);
  Index discovered = 0;
  for (Index begin = 0; begin < count; begin += round_size) {
    const Index end = std::min(count, begin + round_size);
    std::vector<std::vector<double>> values;
    for (Index i = begin; i < end; ++i) {
      values.push_back(probabilities(table, *table.find(truth.id[at(i)]), layout));
      discovered = std::max(discovered, std::ssize(values.back()) - layout.known_count() - 1);
    }
    RoundWriter writer(layout, {answered.number, setting, "test", begin / round_size + 1},
                       discovered);
    for (Index i = begin; i < end; ++i) {
      const std::string& id = truth.id[at(i)];
      const CsvRow* said = detection.find(id);
      std::optional<double> novelty;
      if (!detection.empty()) {
        if (said == nullptr) {
          throw Error(ErrorKind::data, fmt::format("{}: sample \"{}\" has no row, but {} has one",
                                                   detection.name(), id, table.name()));
        }
        writer.add_changed(sail_on::number_at(*said, 1, detection.name()));
        if (said->fields.size() == 3) {
          novelty = sail_on::number_at(*said, 2, detection.name());
        }
      }
      writer.add(static_cast<SampleId>(first + i), truth.label[at(i)], values[at(i - begin)],
                 novelty);
    }
    phases.push_back(writer.take());
  }
}

}  // namespace

std::unique_ptr<MemoryRecord> answered_record(std::span<const AnsweredTest> tests,
                                              const std::string& setting, Index round_size) {
  Truth truth;
  for (const char* name : {"test", "novel", "changed"}) {
    truth.annotations[name];
  }
  std::vector<Phase> phases;
  for (const AnsweredTest& test : tests) {
    add_phases(test, setting, round_size, truth, phases);
  }
  auto record = std::make_unique<MemoryRecord>(std::move(truth));
  for (Phase& phase : phases) {
    record->add(std::move(phase));
  }
  return record;
}

}  // namespace tyto
