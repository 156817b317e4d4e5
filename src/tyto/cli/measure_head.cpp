// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/measure_head.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/data/catalog.hpp"
#include "tyto/engine/use/head_measures.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

std::string difference_text(double difference, const Interval& interval) {
  return interval.low && interval.high
             ? fmt::format("{:+.3f} [{:+.3f}, {:+.3f}]", difference, *interval.low, *interval.high)
             : fmt::format("{:+.3f}", difference);
}

}  // namespace

void add_head_options(CLI::App* command, std::string& dataset) {
  command->add_option("--head", dataset,
                      "Dataset with class scores (tyto extract --logits): how right they are, and "
                      "what each nuisance costs");
}

void measure_head(const HeadCall& call) {
  Progress silent;
  const Dataset dataset = Catalog::standard(call.data).load(call.dataset);
  const HeadMeasures measured = head_measures(dataset, call.split, call.bootstrap, silent);
  if (call.json) {
    nlohmann::ordered_json out{
        {"samples", measured.samples}, {"units", measured.units}, {"left_out", measured.left_out}};
    for (const HeadRow& row : measured.rows) {
      nlohmann::ordered_json line{
          {"nuisance", row.name}, {"accuracy", row.accuracy}, {"mcc", row.mcc}};
      if (!row.name.empty()) {
        const auto interval = [](const Interval& i) {
          return nlohmann::ordered_json{i.low.value_or(0), i.high.value_or(0)};
        };
        line["accuracy_difference"] = row.accuracy_difference;
        line["accuracy_interval"] = interval(row.accuracy_interval);
        line["mcc_difference"] = row.mcc_difference;
        line["mcc_interval"] = interval(row.mcc_interval);
      }
      out["rows"].push_back(std::move(line));
    }
    fmt::print("{}\n", out.dump(2));
    return;
  }
  TextTable table({"nuisance", "accuracy", "MCC", "accuracy lost", "MCC lost"});
  for (const HeadRow& row : measured.rows) {
    const bool plain = row.name.empty();
    table.add({plain ? "(none)" : row.name, fmt::format("{:.3f}", row.accuracy),
               fmt::format("{:.3f}", row.mcc),
               plain ? "" : difference_text(row.accuracy_difference, row.accuracy_interval),
               plain ? "" : difference_text(row.mcc_difference, row.mcc_interval)});
  }
  fmt::print("{}\n{} samples in {} groups; {} % intervals of the paired difference, {} resamples\n",
             table.text(2), measured.samples, measured.units, 100 * call.bootstrap.level,
             call.bootstrap.replicates);
  if (measured.left_out > 0) {
    fmt::print("{} samples are left out: their label is no class of the scores\n",
               measured.left_out);
  }
}

}  // namespace tyto
