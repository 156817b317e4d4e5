// SPDX-License-Identifier: Apache-2.0
// Datasets on disk: a folder with `dataset.yaml`, an index CSV and feature files.
//
//   name: letters
//   summary: capital letters in twenty typefaces
//   about: {origin: ..., licence: ..., citation: ...}
//   index: letters.csv.gz                       # `ignore: [row]`: columns that are nothing here
//   columns: {label: letter, group: writer}     # where the CSV calls them otherwise
//   features:
//     - {source: features, columns: [x_box..yegvx]}            # columns of the index
//     - {source: logits, file: logits.npy}                     # .npy
//     - {source: pose, file: pose.h5, dataset: /pose}          # HDF5
//     - {source: rgb, file: rgb.bin, shape: [3, 32, 32]}       # raw float32; also `width: 128`,
//                                                              # `type: float16`, `uint8`
//     - {source: x3d, file: x3d.npy, ids: x3d_ids.txt}         # rows in an order of their own
//   picture: {columns: rgb, width: 8, height: 8}  # features that are grey values, for reports
//
// Paths are relative to the descriptor. Columns of the index that nobody claims become annotations;
// one that bears the name of a claimed column (`label` where `label: letter`) becomes
// `original_label`; one called `media` or `thumbnail` holds paths of pictures (.png, .jpg), which
// reports show. Beside a file, `columns` names the columns of that file.
#pragma once

#include <filesystem>
#include <functional>
#include <map>

#include "tyto/core/config.hpp"
#include "tyto/core/csv/csv.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/sample/stores/mapped_store.hpp"

namespace tyto {

constexpr std::string_view kDescriptorName = "dataset.yaml";

// A row that breaks a rule of the format.
struct Breach {
  std::string rule;  // empty_id, repeated_id, reserved_label, unknown_split or no_number
  std::string text;  // the sentence of the refusal
  Index row;
};

// `path`: folder, descriptor, or a table (described_table.hpp). Feature files are opened, not read:
// whether values are finite is told by `summarise` and by a run. Throws Error(data) at the first
// breach; with `breaches` it notes them all and reads on: a bad id becomes "row 7", a bad label or
// split is none, a bad cell is NaN.
Dataset load_dataset(const std::filesystem::path& path, std::vector<Breach>* breaches = nullptr);

// The same for a descriptor that lies elsewhere than its files.
Dataset load_described(const std::filesystem::path& descriptor, const std::filesystem::path& folder,
                       std::vector<Breach>* breaches = nullptr);

struct SaveOptions {
  StoredAs type = StoredAs::float32;
  std::map<std::string, StoredAs> types = {};  // of single sources
  // Writes further files into the folder before it appears: thumbnails.
  std::function<void(const std::filesystem::path& folder)> more = {};
};

// Writes index.csv.gz, a .npy per source and dataset.yaml into `folder`, which must not exist. It
// appears whole or not at all.
void save_dataset(const Dataset& dataset, const std::filesystem::path& folder,
                  const SaveOptions& options = {});

// An index read from a table; `table_column` maps columns of IndexTable to those of the CSV ("" or
// absent: the same name, if there is one). `taken` are columns of the CSV used elsewhere. Checks
// ids, labels and splits; for `breaches` see load_dataset.
IndexTable read_index(const CsvTable& csv, const std::map<std::string, std::string>& table_column,
                      const std::vector<Index>& taken, std::vector<Breach>* breaches = nullptr);

// Throws Error(data) unless the table has as many samples (or frames) as the store has rows.
void expect_rows_match(const Dataset& dataset, std::string_view index_name);

}  // namespace tyto

// Example:
//
//   const Dataset trees = load_dataset("trees");
//   save_dataset(trees, "copies/trees");
