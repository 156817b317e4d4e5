// SPDX-License-Identifier: Apache-2.0
// Made tests in a folder: the public layout, and beside it what an agent elsewhere begins with.
//
//   <PROTOCOL>/activity_recognition/...   what an evaluator serves
//   train.csv      id,label,class         samples of the dataset to learn from
//   samples.csv    id,sample              which sample of the dataset a test shows: its id here,
//   there altered/       dataset of the altered samples by their id in the test, without labels
//   features/      dataset of all samples of the tests by their id there, without labels
//   train/         dataset of the samples to learn from
//   made.yaml      dataset, seed and options
#pragma once

#include <cstdint>
#include <filesystem>

#include "tyto/world/rounds/make_tests.hpp"

namespace tyto {

struct MadeFolderOptions {
  bool features = false;  // write features/ and train/ too, so that the dataset is not needed
  bool replace = false;   // a folder that was made so
};

// Throws Error(io), before any work, where write_made_tests would.
void expect_made_folder(const std::filesystem::path& folder, const MadeFolderOptions& how);

// Whole or not at all. Equal arguments give equal bytes.
void write_made_tests(const MadeTests& made, const Dataset& dataset,
                      const MakeTestsOptions& options, std::uint64_t seed,
                      const std::filesystem::path& folder, const MadeFolderOptions& how = {});

}  // namespace tyto
