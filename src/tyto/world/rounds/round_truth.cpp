// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/round_truth.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/sail_on/dealt.hpp"
#include "tyto/sail_on/test_truth.hpp"

namespace tyto {

namespace {

// By name, also where the truth says the number of a known class.
std::string class_named(const sail_on::TestTruth& truth, Index row,
                        const std::vector<std::string>& classes) {
  const std::string& label = truth.label[at(row)];
  const auto number = truth.named[at(row)] != 0 ? std::nullopt : number_in<Index>(label);
  const bool known = number && *number >= 0 && *number < std::ssize(classes);
  return known ? classes[at(*number)] : label;
}

std::string flag(std::uint8_t value) {
  return value != 0 ? "1" : "0";
}

}  // namespace

TestFacts facts_of(const sail_on::TestData& test, const std::vector<std::string>& classes) {
  const sail_on::TestTruth truth = sail_on::test_truth(test);
  TestFacts facts;
  facts.id = test.id;
  facts.length = truth.size();
  facts.round_size = sail_on::metadata_number(test, "round_size").value_or(0);
  const auto first = [&](const std::vector<std::uint8_t>& flags) {
    const auto found = std::find(flags.begin(), flags.end(), 1);
    return found == flags.end() ? Index{-1} : found - flags.begin();
  };
  facts.red_light = first(truth.changed);
  facts.first_novel = first(truth.novel);
  std::set<std::string> names;
  for (Index row = 0; row < facts.length; ++row) {
    if (truth.novel[at(row)] != 0) {
      ++facts.novel;
      names.insert(class_named(truth, row, classes));
    }
  }
  facts.novel_classes.assign(names.begin(), names.end());
  return facts;
}

Truth truth_of(const RoundSamples& samples, const Tests& tests, Index first_test) {
  const auto size = at(samples.size());
  const RoundLists& lists = samples.lists();
  const IndexTable& table = samples.data().table;
  Truth truth;
  truth.name.resize(size);
  truth.label.resize(size);
  std::vector<std::string>& novel = truth.annotations["novel"];
  std::vector<std::string>& changed = truth.annotations["changed"];
  std::vector<std::string>& test_id = truth.annotations["test"];
  for (std::vector<std::string>* column : {&novel, &changed, &test_id}) {
    column->resize(size);
  }
  truth.group.resize(table.group.empty() ? 0 : size);
  const auto tell = [&](SampleId id, const std::string& name, const std::string& label, Index row) {
    const auto place = static_cast<std::size_t>(id);
    truth.name[place] = name;
    truth.label[place] = label;
    if (!table.group.empty()) {
      truth.group[place] = table.group[at(row)];
    }
    return place;
  };
  for (Index i = 0; i < std::ssize(lists.train); ++i) {
    const Index row = lists.train[at(i)];
    const auto place = tell(samples.train_id(i), table.id[at(row)], lists.train_label[at(i)], row);
    novel[place] = changed[place] = "0";
  }
  for (std::size_t t = 0; t < tests.size(); ++t) {
    const sail_on::TestTruth told = sail_on::test_truth(*tests[t]);
    for (Index row = 0; row < told.size(); ++row) {
      const std::string& name = told.id[at(row)];
      if (!sail_on::is_dealt(name)) {
        continue;
      }
      const auto place = tell(samples.id(first_test + static_cast<Index>(t), name), name,
                              class_named(told, row, lists.classes), samples.table_row(name));
      novel[place] = flag(told.novel[at(row)]);
      changed[place] = flag(told.changed[at(row)]);
      test_id[place] = tests[t]->id;
    }
  }
  return truth;
}

std::vector<std::pair<Index, std::string>> shown_again(const Tests& tests, Index first_test) {
  std::vector<std::pair<Index, std::string>> again;
  std::set<std::string> seen;
  for (std::size_t t = 0; t < tests.size(); ++t) {
    for (const std::string& name : sail_on::dealt_ids(*tests[t])) {
      if (!seen.insert(name).second) {
        again.emplace_back(first_test + static_cast<Index>(t), name);
      }
    }
  }
  return again;
}

void check_names(const Tests& tests, const RoundLists& lists, const std::string& dataset) {
  const std::set<std::string> known(lists.name.begin(), lists.name.end());
  Index missing = 0;
  std::string first;
  for (const auto& test : tests) {
    std::set<std::string> here;
    for (const std::string& name : sail_on::dealt_ids(*test)) {
      if (!here.insert(name).second) {
        throw Error(ErrorKind::data,
                    fmt::format("test {}: \"{}\" stands there twice", test->id, name));
      }
      if (!known.contains(name) && missing++ == 0) {
        first = fmt::format("\"{}\" of test {}", name, test->id);
      }
    }
  }
  if (missing > 0) {
    throw Error(ErrorKind::data,
                fmt::format("\"{}\" lacks {} samples of the tests, the first of them {}", dataset,
                            missing, first));
  }
}

}  // namespace tyto
