// SPDX-License-Identifier: Apache-2.0
// The samples behind the names of an evaluation: which rows of a dataset they are, and under which
// opaque id a predictor sees them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/sample/samples.hpp"

namespace tyto {

// What joins an evaluation to a dataset, as lists beside the tests have it.
struct RoundLists {
  std::vector<std::string> classes;      // the K known ones; the place is the number of the class
  std::vector<Index> train;              // rows of the dataset's table
  std::vector<std::string> train_label;  // one of `classes` each
  std::vector<std::string> name;         // of samples in tests, each once
  std::vector<Index> row;                // of the dataset's table
  // A sample of several tests is another one in each of them but the first: the number of the test,
  // and its name.
  std::vector<std::pair<Index, std::string>> again = {};
};

class RoundSamples {
 public:
  RoundSamples(Dataset data, RoundLists lists, const Rng& rng);

  [[nodiscard]] const RoundLists& lists() const { return lists_; }

  [[nodiscard]] const Dataset& data() const { return data_; }

  [[nodiscard]] Samples train() const;
  // Samples of a test by name. Throws Error(data) naming those the dataset lacks.
  [[nodiscard]] Samples pick(Index test, std::span<const std::string> names) const;

  [[nodiscard]] Index size() const { return std::ssize(id_); }  // ids are below it

  [[nodiscard]] SampleId train_id(Index i) const { return static_cast<SampleId>(id_[at(i)]); }

  [[nodiscard]] SampleId id(Index test, const std::string& name) const;

  [[nodiscard]] Index table_row(const std::string& name) const;

 private:
  [[nodiscard]] Index place(Index test, const std::string& name) const;  // in id_; -1: unknown
  void add(Samples::Table& table, Index place, Index row) const;

  Dataset data_;
  RoundLists lists_;
  std::vector<std::uint32_t> id_;     // train, names, again
  std::vector<std::uint32_t> group_;  // by table row, from 1; empty: no groups
  std::vector<Index> first_frame_;    // by table row
  std::map<std::string, Index> by_name_;
  std::map<std::pair<Index, std::string>, Index> by_test_;
};

}  // namespace tyto
