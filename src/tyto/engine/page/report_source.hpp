// SPDX-License-Identifier: Apache-2.0
// Run folders as the source of a report page.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

// A run, and the arms of it that are meant.
struct RunReference {
  std::filesystem::path folder;
  std::vector<std::string> arms;  // empty: all
};

// "runs/quickstart" or "runs/quickstart:tyto-50pct". One folder named several times is one run with
// these arms.
std::vector<RunReference> parse_run_references(std::span<const std::string> texts);

// Reads what is committed: an unfinished run gives the phases it has, and so does one that is going
// on just now. `catalog` finds the data again where a section asks for the samples themselves.
// Throws Error(state) for a folder without a run, of another format or without any phase;
// Error(config) for an arm that the run does not have.
PageSource read_page_source(std::span<const RunReference> runs, const Catalog& catalog);

// Makes the page of one run and writes it as report.html into its folder; the path of it.
std::filesystem::path write_run_report(const std::filesystem::path& folder, const Catalog& catalog,
                                       Progress& progress);

}  // namespace tyto
