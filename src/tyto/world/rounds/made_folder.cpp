// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/made_folder.hpp"

#include <map>

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/sail_on/write_tests.hpp"
#include "tyto/sample/stores/joined_store.hpp"
#include "tyto/sample/stores/picked_store.hpp"
#include "tyto/world/rounds/class_map.hpp"

namespace tyto {

namespace {

constexpr const char* kMadeMarker = "made.yaml";

std::string train_csv(const MadeTests& made, const Dataset& dataset) {
  std::map<std::string_view, std::size_t> number;
  for (std::size_t c = 0; c < made.classes.size(); ++c) {
    number[made.classes[c]] = c;
  }
  std::string out = "id,label,class\n";
  for (const Index row : made.train) {
    const std::string& label = dataset.table.label[at(row)];
    append_csv_field(out, dataset.table.id[at(row)]);
    out += ',';
    append_csv_field(out, label);
    out += fmt::format(",{}\n", number.at(label));
  }
  return out;
}

std::string samples_csv(const MadeTests& made, const Dataset& dataset) {
  std::string out = "id,sample\n";
  for (const MadeSample& sample : made.samples) {
    out += sample.id + ",";
    append_csv_field(out, dataset.table.id[at(sample.row)]);
    out += '\n';
  }
  return out;
}

std::string made_yaml(const Dataset& dataset, MakeTestsOptions options, std::uint64_t seed) {
  ConfigNode root = ConfigNode::empty_map();
  root.put("data", ConfigNode::scalar(dataset.name));
  root.put("seed", ConfigNode::scalar(std::to_string(seed)));
  root.put("tests", write_options([&](OptionVisitor& visitor) { options.describe(visitor); }));
  return to_yaml(root);
}

Dataset made_part(const Dataset& dataset, std::string_view name, std::string_view summary) {
  Dataset part;
  part.name = fmt::format("{}-{}", dataset.name, name);
  part.summary = fmt::format("{} made of {}", summary, dataset.name);
  part.about = dataset.about;
  return part;
}

std::shared_ptr<const FeatureStore> altered_store(const MadeTests& made, const Dataset& dataset) {
  std::vector<DenseStore::Source> sources;
  sources.push_back({made.source, made.altered, dataset.store->column_names(made.source)});
  return std::make_shared<const DenseStore>(std::move(sources));
}

Dataset altered_dataset(const MadeTests& made, const Dataset& dataset) {
  Dataset part = made_part(dataset, "altered", "altered samples of tests");
  for (const MadeSample& sample : made.samples) {
    if (sample.altered > 0) {  // in the order of their rows
      part.table.id.push_back(sample.id);
      part.table.label.emplace_back();
    }
  }
  part.store = altered_store(made, dataset);
  return part;
}

// Rows of the store that hold these samples, each with all its frames.
std::vector<Index> rows_in_store(const IndexTable& table, Rows samples,
                                 std::vector<Index>& frames) {
  const std::vector<Index> first = first_store_rows(table);
  std::vector<Index> rows;
  for (const Index sample : samples) {
    for (Index row = first[at(sample)]; row < first[at(sample + 1)]; ++row) {
      rows.push_back(row);
    }
    if (!table.frames.empty()) {
      frames.push_back(table.frames[at(sample)]);
    }
  }
  return rows;
}

Dataset features_dataset(const MadeTests& made, const Dataset& dataset) {
  Dataset part = made_part(dataset, "features", "samples of tests");
  std::vector<Index> rows;
  for (const MadeSample& sample : made.samples) {
    part.table.id.push_back(sample.id);
    part.table.label.emplace_back();
    rows.push_back(sample.row);
  }
  if (made.altered.rows() == 0) {
    part.picture = dataset.picture;
    rows = rows_in_store(dataset.table, rows, part.table.frames);
    part.store = std::make_shared<const PickedStore>(dataset.store, std::move(rows));
    return part;
  }
  // Samples have one frame each where any is altered; only the altered source can be told.
  if (dataset.picture && dataset.picture->source == made.source) {
    part.picture = dataset.picture;
  }
  const Index all = dataset.store->rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index altered = made.samples[i].altered;
    rows[i] = altered > 0 ? all + altered - 1 : rows[i];
  }
  const auto joined = std::make_shared<const JoinedStore>(std::vector<StorePiece>{
      {dataset.name, dataset.store}, {"altered samples", altered_store(made, dataset)}});
  part.store = std::make_shared<const PickedStore>(joined, std::move(rows));
  return part;
}

Dataset train_dataset(const MadeTests& made, const Dataset& dataset) {
  Dataset part = made_part(dataset, "train", "samples to learn from before tests");
  const IndexTable& table = dataset.table;
  for (const Index row : made.train) {
    part.table.id.push_back(table.id[at(row)]);
    part.table.label.push_back(table.label[at(row)]);
    if (!table.group.empty()) {
      part.table.group.push_back(table.group[at(row)]);
    }
  }
  part.picture = dataset.picture;
  std::vector<Index> rows = rows_in_store(table, made.train, part.table.frames);
  part.store = std::make_shared<const PickedStore>(dataset.store, std::move(rows));
  return part;
}

sail_on::TestsFolder tests_folder(const MadeFolderOptions& how) {
  sail_on::TestsFolder folder;
  folder.replace_marked = how.replace ? kMadeMarker : "";
  return folder;
}

}  // namespace

void expect_made_folder(const std::filesystem::path& folder, const MadeFolderOptions& how) {
  sail_on::expect_writable_tests(folder, tests_folder(how));
}

void write_made_tests(const MadeTests& made, const Dataset& dataset,
                      const MakeTestsOptions& options, std::uint64_t seed,
                      const std::filesystem::path& folder, const MadeFolderOptions& how) {
  sail_on::TestsFolder whole = tests_folder(how);
  whole.more = [&](const std::filesystem::path& beside) {
    write_file(beside / "train.csv", train_csv(made, dataset));
    write_file(beside / "samples.csv", samples_csv(made, dataset));
    if (made.altered.rows() > 0) {
      save_dataset(altered_dataset(made, dataset), beside / "altered");
    }
    if (how.features) {
      save_dataset(features_dataset(made, dataset), beside / "features");
      save_dataset(train_dataset(made, dataset), beside / "train");
    }
    write_file(beside / kMadeMarker, made_yaml(dataset, options, seed));
  };
  sail_on::write_tests(folder, made.tests, whole);
}

}  // namespace tyto
