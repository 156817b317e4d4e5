// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/listed/manifest_list.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/data/split_word.hpp"

namespace tyto {

namespace {

constexpr Index kMostIncrements = 100'000;

// The columns of a table by name, wherever they come from.
struct ListedColumns {
  std::string name;
  Index rows = 0;
  std::map<std::string, std::vector<std::string>> column;
  std::vector<std::string> place;  // of each row

  [[nodiscard]] const std::vector<std::string>* find(const std::string& key,
                                                     std::string_view standard) const {
    const auto found = column.find(key);
    if (found != column.end()) {
      return &found->second;
    }
    if (key != standard) {
      throw Error(ErrorKind::data, fmt::format("{}: there is no column \"{}\", which is to stand "
                                               "for {}",
                                               name, key, standard));
    }
    return nullptr;
  }

  [[nodiscard]] const std::vector<std::string>& need(const std::string& key,
                                                     std::string_view standard) const {
    const auto* found = find(key, standard);
    if (found == nullptr) {
      std::string names;
      for (const auto& [each, values] : column) {
        names += (names.empty() ? "" : ", ") + each;
      }
      throw Error(ErrorKind::data, fmt::format("{}: a manifest needs a column \"{}\"; there are {}",
                                               name, key, names.empty() ? "none" : names));
    }
    return *found;
  }
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

class ManifestReader {
 public:
  ManifestReader(const ListedColumns& table, const ManifestColumns& columns)
      : table_(table), columns_(columns) {}

  ManifestList read() {
    list_.name = table_.name;
    const auto& id = table_.need(columns_.id, "id");
    const auto& increment = table_.need(columns_.increment, "increment");
    const auto& split = table_.need(columns_.split, "split");
    const auto* label = table_.find(columns_.label, "label");
    const auto* novelty = table_.find(columns_.novelty, "novelty");
    const auto* group = table_.find(columns_.group, "group");
    const auto* time = table_.find(columns_.time, "time");
    for (Index row = 0; row < table_.rows; ++row) {
      const std::string_view when = trimmed(increment[at(row)]);
      const std::string_view where = trimmed(split[at(row)]);
      if (when.empty() || where.empty()) {
        ++list_.not_shown;
        continue;
      }
      list_.id.push_back(id[at(row)]);
      list_.place.push_back(table_.place[at(row)]);
      list_.increment.push_back(increment_of(row, when));
      list_.side.push_back(side_of(row, where));
      check_once(row);
      const auto copy = [&](const std::vector<std::string>* from, std::vector<std::string>& to) {
        if (from != nullptr) {
          to.push_back((*from)[at(row)]);
        }
      };
      copy(label, list_.label);
      copy(group, list_.group);
      if (novelty != nullptr) {
        list_.claim.push_back(claim_of(row, trimmed((*novelty)[at(row)])));
      }
      if (time != nullptr) {
        list_.time.push_back(time_of(row, trimmed((*time)[at(row)])));
      }
      for (const auto& [name, values] : table_.column) {
        if (!is_claimed(name)) {
          list_.annotations[name].push_back(values[at(row)]);
        }
      }
    }
    number_increments();
    return std::move(list_);
  }

 private:
  [[noreturn]] void refuse(Index row, const std::string& column, std::string_view text,
                           std::string_view rule) const {
    throw Error(ErrorKind::data, fmt::format("{}: {}, column \"{}\": \"{}\" {}", table_.name,
                                             table_.place[at(row)], column, text, rule));
  }

  [[nodiscard]] bool is_claimed(const std::string& name) const {
    return name == columns_.id || name == columns_.increment || name == columns_.split ||
           name == columns_.label || name == columns_.novelty || name == columns_.group ||
           name == columns_.time;
  }

  [[nodiscard]] Index increment_of(Index row, std::string_view text) const {
    const auto number = number_in<Index>(text);
    if (!number || *number < 0 || *number > kMostIncrements) {
      refuse(row, columns_.increment, text,
             fmt::format("is no increment: a whole number from 0 to {}", kMostIncrements));
    }
    return *number;
  }

  [[nodiscard]] Side side_of(Index row, std::string_view text) const {
    const std::string_view word = canonical_split(text);
    if (word.empty()) {
      refuse(row, columns_.split, text, "is not one of train, validate (or val), test");
    }
    return static_cast<Side>(std::find(kSideNames.begin(), kSideNames.end(), word) -
                             kSideNames.begin());
  }

  [[nodiscard]] Claim claim_of(Index row, std::string_view text) const {
    if (text.empty()) {
      return Claim::none;
    }
    if (text != "known" && text != "novel") {
      refuse(row, columns_.novelty, text, "is neither known nor novel");
    }
    return text == "known" ? Claim::known : Claim::novel;
  }

  [[nodiscard]] double time_of(Index row, std::string_view text) const {
    const auto number = number_in<double>(text);
    if (!number || !std::isfinite(*number)) {
      refuse(row, columns_.time, text, "is no time: a finite number");
    }
    return *number;
  }

  void check_once(Index row) {
    const auto here = list_.id.size() - 1;
    if (list_.id[here].empty()) {
      refuse(row, columns_.id, "", "is no id");
    }
    const auto [found, is_new] = first_.try_emplace(list_.id[here], here);
    if (!is_new) {
      const auto shown = [&](std::size_t i) {
        return fmt::format("{} of increment {} ({})",
                           kSideNames[static_cast<std::size_t>(list_.side[i])], list_.increment[i],
                           list_.place[i]);
      };
      throw Error(ErrorKind::data,
                  fmt::format("{}: sample \"{}\" is in {} and in {}; a sample is shown once, or "
                              "what was trained on would be tested",
                              table_.name, list_.id[here], shown(found->second), shown(here)));
    }
  }

  void number_increments() {
    if (list_.id.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: no row has both an increment and a split", table_.name));
    }
    const auto [least, most] = std::minmax_element(list_.increment.begin(), list_.increment.end());
    const Index first = *least;
    std::vector<bool> used(at(*most) + 1);
    for (const Index t : list_.increment) {
      used[at(t)] = true;
    }
    const auto gap = std::find(used.begin() + (first > 0 ? 1 : 0), used.end(), false);
    if (gap != used.end()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: no row is of increment {}, though there is an increment {}; "
                              "increments count from 0 or from 1 without a gap",
                              table_.name, gap - used.begin(), *most));
    }
    list_.from_one = first == 1;
    for (Index& t : list_.increment) {
      t -= first;
    }
  }

  const ListedColumns& table_;
  const ManifestColumns& columns_;
  ManifestList list_;
  std::unordered_map<std::string, std::size_t> first_;
};

}  // namespace

void ManifestColumns::describe(OptionVisitor& visitor) {
  visitor.field("id", id, {}, "names the sample, as the features do");
  visitor.field("increment", increment, {}, "when it is shown: whole numbers from 0, or from 1");
  visitor.field("split", split, {}, "train, validate or test");
  visitor.field("label", label, {}, "its class; without this column, the label the data have");
  visitor.field("novelty", novelty, {},
                "known or novel, where the table says so: checked against what was shown before");
  visitor.field("group", group, {}, "never both in train and in test: a person, a video");
  visitor.field("time", time, {}, "for `order: time`");
}

ManifestList read_manifest(const CsvTable& csv, const ManifestColumns& columns) {
  ListedColumns table;
  table.name = csv.name();
  table.rows = csv.rows();
  for (std::size_t c = 0; c < csv.columns().size(); ++c) {
    table.column[csv.columns()[c]] = csv.texts(static_cast<Index>(c));
  }
  for (Index row = 0; row < csv.rows(); ++row) {
    table.place.push_back(fmt::format("line {}", csv.line(row)));
  }
  return ManifestReader(table, columns).read();
}

ManifestList manifest_of(const Dataset& dataset, const ManifestColumns& columns) {
  ListedColumns table;
  const IndexTable& index = dataset.table;
  table.name = fmt::format("\"{}\"", dataset.name);
  table.rows = index.size();
  table.column = index.annotations;
  const auto add = [&](const std::string& name, const std::vector<std::string>& values) {
    if (!values.empty()) {
      table.column[name] = values;
    }
  };
  add("id", index.id);
  add("label", index.label);
  add("split", index.split);
  add("group", index.group);
  if (!index.time.empty()) {
    for (const double time : index.time) {
      table.column["time"].push_back(fmt::format("{}", time));
    }
  }
  for (Index row = 0; row < table.rows; ++row) {
    table.place.push_back(dataset.files.lines.empty()
                              ? fmt::format("row {}", row + 1)
                              : fmt::format("line {}", dataset.files.lines[at(row)]));
  }
  return ManifestReader(table, columns).read();
}

}  // namespace tyto
