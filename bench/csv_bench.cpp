// SPDX-License-Identifier: Apache-2.0
// Reading a table of predictions against the least that could be done with its bytes: reading the
// file and looking for line ends with memchr, in turns in the same run.
#include <cstring>
#include <filesystem>

#include "peers.hpp"
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/core/random.hpp"
#include "tyto/record/foreign/prediction_table.hpp"

namespace {

using tyto::Index;
using tyto::peers::seconds;

constexpr Index kRows = 700'000;
constexpr Index kClasses = 718;

// id, label, predicted, novelty and `more` columns nobody asks for.
std::string drawn_table(Index more) {
  tyto::Rng rng(1, "csv_bench");
  std::string text = "id,label,predicted,novelty";
  for (Index j = 0; j < more; ++j) {
    text += fmt::format(",note{}", j);
  }
  text += '\n';
  for (Index i = 0; i < kRows; ++i) {
    const Index label = rng.below(kClasses);
    const Index guess = rng.uniform() < 0.7 ? label : rng.below(kClasses);
    fmt::format_to(std::back_inserter(text),
                   "v{:09d}_000010,class number {},class number {},{:.6f}", i, label, guess,
                   rng.uniform());
    for (Index j = 0; j < more; ++j) {
      fmt::format_to(std::back_inserter(text), ",{:.4f}", rng.uniform());
    }
    text += '\n';
  }
  return text;
}

struct File {
  std::filesystem::path path;

  explicit File(const std::string& text)
      : path(std::filesystem::temp_directory_path() /
             fmt::format("tyto_csv_bench_{}.csv", ::getpid())) {
    tyto::write_file(path, text);
  }

  ~File() { std::filesystem::remove(path); }

  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

Index count_lines(const std::string& text) {
  Index lines = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while ((at = static_cast<const char*>(
              std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) != nullptr) {
    ++lines;
    ++at;
  }
  return lines;
}

void predictions(benchmark::State& state) {
  tyto::set_thread_count(static_cast<int>(state.range(1)));
  const std::string text = drawn_table(state.range(0));
  const File file(text);
  double plain_s = 0.0;
  double load_s = 0.0;
  double convert_s = 0.0;
  for (auto _ : state) {
    plain_s += seconds([&] { benchmark::DoNotOptimize(count_lines(tyto::read_file(file.path))); });
    std::optional<tyto::CsvTable> table;
    const double load = seconds([&] { table = tyto::CsvTable::load(file.path); });
    const double convert = seconds([&] {
      const tyto::TableRecord record(*table, {});
      benchmark::DoNotOptimize(record.truth());
    });
    load_s += load;
    convert_s += convert;
    state.SetIterationTime(load + convert);
  }
  const auto rounds = static_cast<double>(state.iterations());
  const double megabytes = 1e-6 * static_cast<double>(text.size());
  state.counters["MB"] = megabytes;
  state.counters["MB_per_s"] = megabytes * rounds / (load_s + convert_s);
  state.counters["load_ms"] = 1e3 * load_s / rounds;
  state.counters["convert_ms"] = 1e3 * convert_s / rounds;
  state.counters["times_plain"] = (load_s + convert_s) / plain_s;
}

BENCHMARK(predictions)
    ->ArgNames({"more_columns", "threads"})
    ->Args({0, 1})
    ->Args({0, 2})
    ->Args({5, 1})
    ->Args({5, 2})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
