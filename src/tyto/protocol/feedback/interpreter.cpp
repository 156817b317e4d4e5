// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/feedback/interpreter.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

// Entries never vanish: a group that was named or merged is what it became.
Label what_became_of(Label label, const LabelSpace& space) {
  while (space.kind(label) == LabelKind::retired && space.merged_into(label) != label) {
    label = space.merged_into(label);
  }
  return label;
}

void save_names(State& state, std::string_view key, const std::map<std::string, std::string>& map) {
  std::vector<std::string> from;
  std::vector<std::string> to;
  for (const auto& [word, name] : map) {
    from.push_back(word);
    to.push_back(name);
  }
  state.set(key, std::move(from));
  state.set(fmt::format("{}_as", key), std::move(to));
}

std::map<std::string, std::string> load_names(const State& state, std::string_view key) {
  const auto& from = state.get<std::vector<std::string>>(key);
  const auto& to = state.get<std::vector<std::string>>(fmt::format("{}_as", key));
  if (from.size() != to.size()) {
    throw Error(ErrorKind::state, fmt::format("the saved interpreter has {} words \"{}\" and {} "
                                              "names of them",
                                              from.size(), key, to.size()));
  }
  std::map<std::string, std::string> map;
  for (std::size_t i = 0; i < from.size(); ++i) {
    map.emplace(from[i], to[i]);
  }
  return map;
}

}  // namespace

void InterpreterOptions::describe(OptionVisitor& visitor) {
  static constexpr std::array<std::string_view, 2> kWays{"learned", "table"};
  static constexpr std::array<std::string_view, 2> kFates{"drop", "keep"};
  visitor.field("interpret", interpret, kWays,
                "how a foreign name becomes a class: learned from what the predictor takes the "
                "samples for of which it is said, or looked up in a table");
  visitor.field("table", table, {},
                "CSV file with the columns name and class; a name in two rows means either class, "
                "which gives no label unless other names decide");
  visitor.field("unmapped", unmapped, kFates,
                "a name for nothing the predictor knows: keep it as a new class of that name, or "
                "drop the answer");
  visitor.field("least", least, {1, 1e9},
                "learned: how often a name must have been heard before it is understood");
  visitor.field("agreement", agreement, {0.5, 1},
                "learned: share of the samples called so that the predictor must take for one "
                "class, or for something new; names below it give no label");
}

Interpreter::Interpreter(InterpreterOptions options) : options_(std::move(options)) {
  if (options_.interpret == "table") {
    table_ = NameTable::load(options_.table, "name", "class");
    LabelSpace space;
    for (const auto& [word, classes] : table_->all()) {
      for (const std::string& name : classes) {
        space.add_known(name);  // throws where the name is reserved
      }
    }
  }
}

void Interpreter::pair(const std::vector<std::string>& words, const std::string& own) {
  for (const std::string& word : words) {
    ++counts_[word][own];
  }
}

Interpreter::Meaning Interpreter::learned(const std::string& word, const LabelSpace& space) const {
  if (const auto found = settled_.find(word); found != settled_.end()) {
    return {{found->second}, {}, {}};
  }
  const auto heard = counts_.find(word);
  if (heard == counts_.end()) {
    return {};
  }
  std::map<Label, Index> said_of;
  Index total = 0;
  Index novel = 0;
  for (const auto& [entry, count] : heard->second) {
    total += count;
    if (const auto label = space.find(entry)) {
      const Label now = what_became_of(*label, space);
      said_of[now] += count;
      novel += space.kind(now) == LabelKind::known ? 0 : count;
    }
  }
  const auto enough = [&](Index count) {
    return static_cast<double>(count) >= options_.agreement * static_cast<double>(total);
  };
  if (total < options_.least) {
    return {};
  }
  Meaning meaning;
  for (const auto& [label, count] : said_of) {
    if (enough(count) && space.kind(label) == LabelKind::known) {
      meaning.classes.push_back(space.name(label));
    } else if (enough(count) && space.kind(label) == LabelKind::discovered) {
      meaning.group = space.name(label);
    }
  }
  if (meaning.classes.size() > 1) {  // half of them each
    return {};
  }
  if (meaning.classes.empty() && enough(novel)) {
    const auto named = meaning.group ? named_.find(*meaning.group) : named_.end();
    meaning.fresh = named == named_.end() ? word : named->second;
  }
  return meaning;
}

Interpreter::Meaning Interpreter::meaning(const std::string& word, const LabelSpace* space) const {
  if (!table_) {
    return learned(word, *space);
  }
  const std::vector<std::string>& classes = table_->find(word);
  return classes.empty() ? Meaning{{}, word, {}} : Meaning{classes, {}, {}};
}

// Known classes go by the most words; of words for something new the first is kept.
std::string Interpreter::understood(const std::vector<std::string>& words,
                                    const LabelSpace* space) {
  std::map<std::string, Index> votes;
  for (const std::string& word : words) {
    for (const std::string& name : meaning(word, space).classes) {
      ++votes[name];
    }
  }
  if (!votes.empty()) {
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto most = std::max_element(votes.begin(), votes.end(), fewer);
    const bool is_clear = std::count_if(votes.begin(), votes.end(), [&](const auto& vote) {
                            return vote.second == most->second;
                          }) == 1;
    return is_clear ? most->first : std::string();
  }
  for (const std::string& word : words) {
    const Meaning own = meaning(word, space);
    if (own.fresh && options_.unmapped == "keep") {
      settled_.emplace(word, *own.fresh);
      if (own.group) {
        named_.emplace(*own.group, *own.fresh);
      }
      return *own.fresh;
    }
  }
  return {};
}

std::vector<std::string> Interpreter::interpret(const std::vector<std::vector<std::string>>& words,
                                                const Decisions& decisions) {
  if (!table_) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      pair(words[i], decisions.name(static_cast<Index>(i)));
    }
  }
  std::vector<std::string> names;
  for (const std::vector<std::string>& said : words) {
    names.push_back(understood(said, decisions.space.get()));
  }
  return names;
}

void Interpreter::change_labels(const std::vector<LabelChange>& changes) {
  for (const LabelChange& change : changes) {
    for (const std::string& old : change.from) {
      for (auto& [word, own] : counts_) {
        if (const auto found = own.find(old); found != own.end()) {
          const Index count = found->second;
          own.erase(found);
          if (change.kind != LabelChangeKind::split) {
            own[change.to] += count;
          }
        }
      }
      for (auto* names : {&settled_, &named_}) {
        for (auto entry = names->begin(); entry != names->end();) {
          if (entry->second == old && change.kind == LabelChangeKind::split) {
            entry = names->erase(entry);
            continue;
          }
          if (entry->second == old) {
            entry->second = change.to;
          }
          ++entry;
        }
      }
    }
  }
}

void Interpreter::save(State& state) const {
  if (table_) {
    state.set("table", table_->content_digest());
  }
  std::vector<std::string> words;
  std::vector<std::string> entries;
  std::vector<std::int64_t> counts;
  for (const auto& [word, own] : counts_) {
    for (const auto& [entry, count] : own) {
      words.push_back(word);
      entries.push_back(entry);
      counts.push_back(count);
    }
  }
  state.set("word", std::move(words));
  state.set("entry", std::move(entries));
  state.set("count", std::move(counts));
  save_names(state, "settled", settled_);
  save_names(state, "named", named_);
}

void Interpreter::load(const State& state) {
  if (table_ &&
      (!state.has("table") || state.get<std::string>("table") != table_->content_digest())) {
    throw Error(ErrorKind::state,
                fmt::format("{}: holds other names than when this run was saved", table_->file()));
  }
  const auto& words = state.get<std::vector<std::string>>("word");
  const auto& entries = state.get<std::vector<std::string>>("entry");
  const auto& counts = state.get<std::vector<std::int64_t>>("count");
  if (words.size() != entries.size() || words.size() != counts.size()) {
    throw Error(ErrorKind::state,
                fmt::format("the saved interpreter has {} words, {} entries and {} counts",
                            words.size(), entries.size(), counts.size()));
  }
  counts_.clear();
  for (std::size_t i = 0; i < words.size(); ++i) {
    counts_[words[i]][entries[i]] = static_cast<Index>(counts[i]);
  }
  settled_ = load_names(state, "settled");
  named_ = load_names(state, "named");
}

}  // namespace tyto
