// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/test_stream.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr const char* kTest = "test";
constexpr const char* kNovel = "novel";
constexpr const char* kChanged = "changed";

const std::string& annotation_of(const PhaseView& view, const Truth& truth, const char* name,
                                 Index i) {
  const std::vector<std::string>& column = truth.annotations.at(name);
  const auto id = static_cast<std::size_t>(view.sample[at(i)]);
  if (id >= column.size()) {
    throw Error(ErrorKind::data, fmt::format("phase {}: sample {} has no annotation \"{}\"",
                                             view.key.name(), id, name));
  }
  return column[id];
}

std::uint8_t flag_of(const PhaseView& view, const Truth& truth, const char* name, Index i) {
  const std::string& text = annotation_of(view, truth, name, i);
  if (text != "0" && text != "1") {
    throw Error(ErrorKind::data,
                fmt::format("phase {}: sample {}: the annotation \"{}\" is \"{}\", neither 0 nor 1",
                            view.key.name(), i + 1, name, text));
  }
  return text == "1" ? 1 : 0;
}

// A name may stand twice in a view, novel to one batch and known to a later one; here once.
std::vector<std::int32_t> single_places(const PhaseView& view, std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::int32_t> places;
  std::vector<std::int32_t> place_of;
  for (const std::string& name : view.names) {
    const auto [found, is_new] = places.try_emplace(name, static_cast<std::int32_t>(names.size()));
    if (is_new) {
      names.push_back(name);
    }
    place_of.push_back(found->second);
  }
  return place_of;
}

}  // namespace

Index TestStream::change() const {
  return std::find(changed.begin(), changed.end(), 1) - changed.begin();
}

bool TestStream::is_cluster(std::int32_t place) const {
  return is_discovered_name(names[static_cast<std::size_t>(place)]);
}

bool is_discovered_name(std::string_view name) {
  return name.starts_with("discovered_");
}

bool has_tests(const Truth& truth) {
  return truth.annotations.contains(kTest) && truth.annotations.contains(kNovel) &&
         truth.annotations.contains(kChanged);
}

TestStream test_stream(const PhaseView& view, const Truth& truth) {
  TestStream stream;
  stream.at = view.key;
  stream.p_changed = view.changed;
  stream.round = view.batch;
  const std::vector<std::int32_t> place_of = single_places(view, stream.names);
  const auto single = [&](std::int32_t place) { return place_of[static_cast<std::size_t>(place)]; };
  std::vector<std::uint8_t> is_new_name(stream.names.size());  // `unknown` or discovered
  for (std::size_t name = 0; name < stream.names.size(); ++name) {
    is_new_name[name] = name == 0 || is_discovered_name(stream.names[name]) ? 1 : 0;
  }
  const bool has_three = view.ranked.cols() >= 3 || !view.hits_at_rank.empty();
  const Index ranks = std::min<Index>(3, view.ranked.cols());
  for (Index i = 0; i < view.size(); ++i) {
    const std::string& test = annotation_of(view, truth, kTest, i);
    if (i > 0 && test != stream.test) {
      throw Error(ErrorKind::data,
                  fmt::format("phase {}: has samples of the tests \"{}\" and \"{}\"",
                              view.key.name(), stream.test, test));
    }
    stream.test = test;
    const std::uint8_t novel = flag_of(view, truth, kNovel, i);
    stream.novel.push_back(novel);
    stream.changed.push_back(flag_of(view, truth, kChanged, i));
    const std::int32_t actual = single(view.actual[at(i)]);
    const std::int32_t decision = single(view.decision[at(i)]);
    stream.actual.push_back(actual);
    stream.decision.push_back(decision);
    const auto is_right = [&](std::int32_t place) {
      return place == actual || (novel != 0 && is_new_name[static_cast<std::size_t>(place)] != 0);
    };
    stream.right.push_back(is_right(decision) ? 1 : 0);
    if (has_three) {
      bool found = false;
      for (Index rank = 0; rank < ranks; ++rank) {
        const std::int32_t place = view.ranked(i, rank);
        found = found || (place >= 0 && is_right(single(place)));
      }
      stream.right3.push_back(found ? 1 : 0);
    }
    // `unknown` has place 0, the classes known at first follow it.
    stream.called_novel.push_back(decision == 0 || decision > view.known_at_first ? 1 : 0);
  }
  return stream;
}

TestsBySetting test_streams(const RunView& run) {
  TestsBySetting tests;
  if (!has_tests(run.truth())) {
    return tests;
  }
  for (const PhaseKey& key : run.phases()) {
    if (key.split == "test") {
      tests[key.phase].push_back(test_stream(run.view(key), run.truth()));
    }
  }
  for (auto& [setting, streams] : tests) {
    std::stable_sort(streams.begin(), streams.end(),
                     [](const auto& a, const auto& b) { return a.at.step < b.at.step; });
  }
  return tests;
}

}  // namespace tyto
