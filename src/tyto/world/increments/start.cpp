// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/start.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/core/options.hpp"
#include "tyto/world/increments/folds.hpp"

namespace tyto {

std::optional<Index> whole_number(const ConfigNode& node) {
  Index value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [rest, problem] = std::from_chars(node.text.data(), end, value);
  if (node.kind != ConfigNode::Kind::scalar || node.quoted || problem != std::errc() ||
      rest != end) {
    return {};
  }
  return value;
}

std::vector<Index> named_places(const ConfigNode& wish, const std::string& place,
                                const std::vector<std::string>& names, std::string_view where) {
  std::vector<std::string> words;
  if (wish.kind == ConfigNode::Kind::scalar) {
    words.push_back(wish.text);
  }
  for (const ConfigNode& item : wish.items) {
    words.push_back(item.text);
  }
  std::vector<Index> places;
  for (const std::string& word : words) {
    const auto found = std::lower_bound(names.begin(), names.end(), word);
    if (found == names.end() || *found != word) {
      const std::string near = nearest_word(word, names);
      throw Error(ErrorKind::config,
                  fmt::format("{}: {} no class \"{}\"{}", place, where, word,
                              near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    }
    const Index c = found - names.begin();
    if (std::find(places.begin(), places.end(), c) != places.end()) {
      throw Error(ErrorKind::config, fmt::format("{}: \"{}\" stands twice", place, word));
    }
    places.push_back(c);
  }
  return places;
}

namespace {

std::vector<Index> named_classes(const ConfigNode& wish, const std::string& place,
                                 const std::vector<std::string>& names,
                                 const std::map<Index, Index>& counts) {
  std::vector<std::string> trained;
  for (const auto& [c, count] : counts) {
    trained.push_back(names[at(c)]);
  }
  std::vector<Index> classes;
  for (const Index place_in_train : named_places(wish, place, trained, "train has")) {
    classes.push_back(std::lower_bound(names.begin(), names.end(), trained[at(place_in_train)]) -
                      names.begin());
  }
  if (classes.size() < 2) {
    throw Error(ErrorKind::config, fmt::format("{}: the start needs 2 classes or more, not {}",
                                               place, classes.size()));
  }
  return classes;
}

void keep_each_class(Rows classes, Rows groups, std::vector<Index>& part) {
  std::map<Index, Index> size;
  std::set<Index> missing(classes.begin(), classes.end());
  for (std::size_t i = 0; i < part.size(); ++i) {
    ++size[groups[i]];
    if (part[i] == 0) {
      missing.erase(classes[i]);
    }
  }
  while (!missing.empty()) {
    std::optional<Index> smallest;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (classes[i] == *missing.begin() && (!smallest || size[groups[i]] < size[*smallest])) {
        smallest = groups[i];
      }
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (groups[i] == *smallest) {
        part[i] = 0;
        missing.erase(classes[i]);
      }
    }
  }
}

}  // namespace

std::vector<Index> choose_start(const StartOptions& options, const std::string& path,
                                const std::vector<std::string>& names,
                                const std::map<Index, Index>& counts, Rng rng) {
  const ConfigNode& wish = options.classes;
  const std::string place =
      fmt::format("{}{}{}.start.classes", wish.place(), wish.place().empty() ? "" : ": ", path);
  const std::optional<Index> number =
      wish.is_null() ? (static_cast<Index>(counts.size()) + 1) / 2 : whole_number(wish);
  if (!number) {
    return named_classes(wish, place, names, counts);
  }
  if (counts.size() < 2) {
    throw Error(
        ErrorKind::data,
        counts.empty()
            ? std::string("no labelled sample is in the split train")
            : fmt::format("the split train has one class only (\"{}\"); an open world starts "
                          "from 2 or more",
                          names[static_cast<std::size_t>(counts.begin()->first)]));
  }
  if (*number > static_cast<Index>(counts.size()) || *number < 2) {
    throw Error(
        ErrorKind::config,
        fmt::format("{}: the start needs 2 classes or more of the {} that train has, not {}", place,
                    counts.size(), *number));
  }
  std::vector<std::pair<Index, Index>> order(counts.begin(), counts.end());
  if (options.choose == "random") {
    rng.shuffle(order);
  } else if (options.choose == "frequent") {
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
  }
  std::vector<Index> chosen;
  for (Index i = 0; i < *number; ++i) {
    chosen.push_back(order[static_cast<std::size_t>(i)].first);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<bool> draw_later(Rows classes, Rows groups, double share, bool each_class, Rng rng) {
  if (groups.empty() || share >= 1) {
    return stratified_draw(classes, 1 - share, rng);
  }
  if (std::adjacent_find(groups.begin(), groups.end(), std::not_equal_to<>()) == groups.end()) {
    return std::vector<bool>(classes.size(), false);  // one group
  }
  const std::array<double, 2> shares{share, 1 - share};
  std::vector<Index> part = group_folds(classes, groups, shares, &rng);
  if (each_class) {
    keep_each_class(classes, groups, part);
  }
  std::vector<bool> later;
  for (const Index p : part) {
    later.push_back(p == 1);
  }
  return later;
}

}  // namespace tyto
