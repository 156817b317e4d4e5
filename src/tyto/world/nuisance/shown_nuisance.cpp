// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/nuisance/shown_nuisance.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/core/random.hpp"
#include "tyto/sample/stores/joined_store.hpp"
#include "tyto/video/nuisance.hpp"
#include "tyto/video/planar.hpp"
#include "tyto/world/nuisance/changed_store.hpp"
#include "tyto/world/nuisance/feature_nuisance.hpp"

namespace tyto {

namespace {

struct NuisanceEntry {
  std::string name;
  ConfigNode options;         // without `source`
  std::string source, reads;  // "": the usual one; that of `source`
};

[[noreturn]] void refuse_nuisance(const ConfigNode& node, std::string_view path,
                                  std::string_view what) {
  const std::string place = node.place();
  throw Error(ErrorKind::config,
              fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", path, what));
}

NuisanceEntry read_entry(const std::string& name, const ConfigNode& node, std::string_view path) {
  NuisanceEntry entry{name, ConfigNode::empty_map(), "", ""};
  switch (node.kind) {
    case ConfigNode::Kind::null: break;
    case ConfigNode::Kind::scalar: entry.reads = node.text; break;
    case ConfigNode::Kind::map: {
      entry.options = node;
      for (const auto& [key, value] :
           {std::pair("source", &entry.source), std::pair("reads", &entry.reads)}) {
        if (const ConfigNode* found = node.find(key)) {
          *value = found->text;
          entry.options.remove(key);
        }
      }
      break;
    }
    case ConfigNode::Kind::list:
      refuse_nuisance(node, fmt::format("{}.{}", path, name),
                      "must be options, or the name of a source of the data");
  }
  return entry;
}

std::vector<NuisanceEntry> read_entries(const ConfigNode& node, std::string_view path) {
  std::vector<NuisanceEntry> entries;
  const ConfigNode none;
  const auto add_word = [&](const ConfigNode& word) {
    if (word.kind != ConfigNode::Kind::scalar) {
      refuse_nuisance(word, path, "must be names, or a map of names and their options");
    }
    entries.push_back(read_entry(word.text, none, path));
  };
  switch (node.kind) {
    case ConfigNode::Kind::null: break;
    case ConfigNode::Kind::scalar: add_word(node); break;
    case ConfigNode::Kind::list:
      std::for_each(node.items.begin(), node.items.end(), add_word);
      break;
    case ConfigNode::Kind::map:
      for (const auto& [key, value] : node.pairs) {
        entries.push_back(read_entry(key, value, path));
      }
      break;
  }
  std::set<std::string> names;
  for (const NuisanceEntry& entry : entries) {
    if (!names.insert(entry.name).second) {
      refuse_nuisance(node, path, fmt::format("\"{}\" stands twice", entry.name));
    }
    const bool is_word = std::all_of(entry.name.begin(), entry.name.end(), [](char c) {
      return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
             (c >= 'A' && c <= 'Z');
    });
    if (entry.name.empty() || !is_word) {  // it becomes part of a file name
      refuse_nuisance(
          node, path,
          fmt::format("\"{}\" is no name: letters, digits, _ and - make one", entry.name));
    }
  }
  return entries;
}

bool is_picture(const std::vector<Index>& shape) {
  return shape.size() == 3 && shape[0] == 3;
}

std::string usual_source(const FeatureStore& store) {
  const std::vector<std::string> sources = store.sources();
  const auto picture = std::find_if(sources.begin(), sources.end(), [&](const std::string& name) {
    return is_picture(store.shape(name));
  });
  return picture == sources.end() ? "features" : *picture;
}

// Which sample each row of the store belongs to, and which of its frames it is.
struct RowOwner {
  std::vector<Index> sample, frame;

  explicit RowOwner(const IndexTable& table) {
    for (Index i = 0; i < table.size(); ++i) {
      const Index frames = table.frames.empty() ? 1 : table.frames[at(i)];
      for (Index f = 0; f < frames; ++f) {
        sample.push_back(i);
        frame.push_back(f);
      }
    }
  }
};

class NuisanceBuilder {
 public:
  NuisanceBuilder(const Dataset& data, std::uint64_t seed)
      : data_(data), seed_(seed), owner_(std::make_shared<const RowOwner>(data.table)) {}

  [[nodiscard]] std::shared_ptr<const FeatureStore> changed(const NuisanceEntry& entry,
                                                            std::string_view path) {
    const std::string own_path = fmt::format("{}.{}", path, entry.name);
    if (!entry.reads.empty()) {
      return std::make_shared<const ChangedStore>(
          data_.store, entry.source.empty() ? "features" : entry.source, entry.reads, entry.name);
    }
    const std::string source = entry.source.empty() ? usual_source(*data_.store) : entry.source;
    const std::vector<Index> shape = data_.store->shape(source);
    const ChangedStore::Change change = is_picture(shape) ? of_pictures(entry, own_path, shape)
                                                          : of_features(entry, own_path, source);
    return std::make_shared<const ChangedStore>(
        data_.store, source, source,
        fmt::format("{} {} {}", entry.name, seed_, to_yaml(entry.options)), change);
  }

 private:
  template <class Specs>
  [[nodiscard]] static const auto& find_entry(const Specs& specs, const NuisanceEntry& entry,
                                              std::string_view path, std::string_view kind) {
    try {
      return find_named(specs, kind, entry.name);
    } catch (const Error& error) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: {}; or name a source of the data", path, error.what()));
    }
  }

  [[nodiscard]] ChangedStore::Change of_pictures(const NuisanceEntry& entry, std::string_view path,
                                                 const std::vector<Index>& shape) const {
    const auto nuisance =
        find_entry(nuisance_specs(), entry, path, "nuisance of pictures").make(entry.options, path);
    auto drawn = std::make_shared<std::vector<DrawnNuisance>>();
    for (const std::string& id : data_.table.id) {
      drawn->push_back(nuisance->draw(nuisance_stream(seed_, entry.name, id)));
    }
    return
        [drawn, owner = owner_, height = shape[1], width = shape[2]](Index row, MatrixRef values) {
          const DrawnNuisance& own = (*drawn)[at(owner->sample[at(row)])];
          write_planes(
              own.change(picture_of_planes(&values(0, 0), width, height), owner->frame[at(row)]),
              &values(0, 0));
        };
  }

  [[nodiscard]] ChangedStore::Change of_features(const NuisanceEntry& entry, std::string_view path,
                                                 const std::string& source) {
    const std::shared_ptr<const FeatureNuisance> nuisance =
        find_entry(feature_nuisance_specs(), entry, path, "nuisance of features")
            .make(entry.options, path);
    std::shared_ptr<const FeatureFacts>& facts = facts_[source];
    if (facts == nullptr) {
      facts = std::make_shared<const FeatureFacts>(feature_facts(*data_.store, source));
    }
    std::vector<Rng> streams;
    for (const std::string& id : data_.table.id) {
      streams.push_back(nuisance_stream(seed_, entry.name, id));
    }
    return [nuisance, facts, owner = owner_, store = data_.store, streams](Index row,
                                                                           MatrixRef values) {
      nuisance->change(*facts, streams[at(owner->sample[at(row)])], owner->frame[at(row)], values);
    };
  }

  const Dataset& data_;
  std::uint64_t seed_;
  std::shared_ptr<const RowOwner> owner_;
  std::map<std::string, std::shared_ptr<const FeatureFacts>> facts_;
};

void expect_one_source(const std::vector<StorePiece>& pieces, std::string_view path) {
  std::string acts;
  std::set<std::string> sources;
  for (const StorePiece& piece : pieces) {
    const std::string source = piece.store->sources().front();
    sources.insert(source);
    acts += fmt::format("{}{} on {}", acts.empty() ? "" : ", ", piece.name, source);
  }
  if (sources.size() > 1) {
    throw Error(ErrorKind::config,
                fmt::format("{}: nuisances act on one source of the data, these on several: {}",
                            path, acts));
  }
}

}  // namespace

void ShownNuisance::describe(OptionVisitor& visitor) {
  visitor.field(
      "nuisance_tests", tests,
      "under which nuisances the test samples are shown once more at each step, as splits "
      "test:NAME that nothing is learned from: names, or a map of names and their "
      "options or the source of the data that has them so");
  visitor.section(
      "nuisance_later",
      [this](OptionVisitor& inner) {
        inner.field("from", later_from, {0, 1e6}, "first increment at which all is changed");
        inner.field("by", later_by, "which nuisance; none: nothing ever changes");
      },
      "a change that comes and stays");
}

NuisanceRows make_nuisance_rows(const Dataset& data, const ShownNuisance& shown,
                                std::string_view path, std::uint64_t seed) {
  const std::string tests_path = fmt::format("{}.nuisance_tests", path);
  const std::string later_path = fmt::format("{}.nuisance_later.by", path);
  NuisanceRows out;
  out.store = data.store;
  out.rows = data.store->rows();
  NuisanceBuilder builder(data, seed);
  std::vector<StorePiece> pieces;
  for (const NuisanceEntry& entry : read_entries(shown.tests, tests_path)) {
    pieces.push_back({entry.name, builder.changed(entry, tests_path)});
    out.tests.push_back(entry.name);
  }
  const std::vector<NuisanceEntry> later = read_entries(shown.later_by, later_path);
  if (later.size() > 1) {
    refuse_nuisance(shown.later_by, later_path, "must be one nuisance");
  }
  for (const NuisanceEntry& entry : later) {
    pieces.push_back({entry.name, builder.changed(entry, later_path)});
    out.later_from = shown.later_from;
  }
  expect_one_source(pieces, path);
  pieces.insert(pieces.begin(), {data.name, data.store});
  out.store = std::make_shared<const JoinedStore>(std::move(pieces));
  return out;
}

std::vector<std::string> nuisance_notes(const NuisanceRows& rows) {
  std::vector<std::string> notes;
  if (!rows.tests.empty()) {
    notes.push_back(
        fmt::format("test samples are shown once more under: {}", fmt::join(rows.tests, ", ")));
  }
  if (rows.later_from >= 0) {
    notes.push_back(fmt::format("from increment {} on all samples are changed", rows.later_from));
  }
  return notes;
}

}  // namespace tyto
