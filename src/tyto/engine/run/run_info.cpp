// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/run_info.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kRunFormat = 2;

}  // namespace

std::string seed_text(const RunInfo& info) {
  return info.seeds.empty() ? fmt::format("{}", info.seed)
                            : fmt::format("{}", fmt::join(info.seeds, " "));
}

std::optional<double> RunInfo::Outcome::number(std::string_view called) const {
  for (const auto& [name, value] : headline) {
    if (name == called) {
      return value;
    }
  }
  return std::nullopt;
}

void write_run_info(const std::filesystem::path& file, const RunInfo& info) {
  Json out{{"tyto_run", kRunFormat},    {"name", info.name},
           {"version", info.version},   {"revision", info.revision},
           {"seed", info.seed},         {"seeds", info.seeds},
           {"threads", info.threads},   {"blas_kernel", info.blas_kernel},
           {"protocol", info.protocol}, {"done", info.done}};
  out["phases"] = info.order.phases;
  out["splits"] = info.order.splits;
  out["whole_splits"] = info.whole_splits;
  out["data"] = Json::array();
  for (const RunInfo::Data& data : info.data) {
    out["data"].push_back({{"name", data.name},
                           {"digest", data.digest},
                           {"samples", data.samples},
                           {"source", data.source}});
  }
  out["arms"] = Json::array();
  for (const RunInfo::Outcome& arm : info.arms) {
    Json numbers = Json::object();
    for (const auto& [name, value] : arm.headline) {
      numbers[name] = value ? Json(*value) : Json();
    }
    Json forms = Json::object();
    for (const auto& [slot, form] : arm.forms) {
      forms[slot] = form;
    }
    out["arms"].push_back({{"arm", arm.arm},
                           {"predictor", arm.predictor},
                           {"feedback", arm.feedback},
                           {"forms", forms},
                           {"prior_knowledge", arm.prior_knowledge},
                           {"headline", numbers}});
  }
  write_file(file, out.dump(1) + "\n");
}

RunInfo read_run_info(const std::filesystem::path& file) {
  try {
    const Json in = Json::parse(read_file(file));
    if (in.at("tyto_run").get<int>() != kRunFormat) {
      throw Error(ErrorKind::state,
                  fmt::format("{}: format {} of a run; this program reads format "
                              "{}",
                              file.string(), in.at("tyto_run").dump(), kRunFormat));
    }
    RunInfo info;
    info.name = in.at("name");
    info.version = in.at("version");
    info.revision = in.at("revision");
    info.seed = in.at("seed");
    info.seeds = in.at("seeds").get<std::vector<std::uint64_t>>();
    info.threads = in.at("threads");
    info.blas_kernel = in.at("blas_kernel");
    info.protocol = in.value("protocol", info.protocol);
    info.done = in.at("done");
    info.order.phases = in.value("phases", info.order.phases);
    info.order.splits = in.value("splits", info.order.splits);
    info.whole_splits = in.value("whole_splits", info.whole_splits);
    for (const Json& data : in.value("data", Json::array())) {
      info.data.push_back(
          {data.at("name"), data.at("digest"), data.at("source"), data.at("samples")});
    }
    for (const Json& arm : in.at("arms")) {
      RunInfo::Outcome outcome;
      outcome.arm = arm.at("arm");
      outcome.predictor = arm.at("predictor");
      outcome.feedback = arm.at("feedback");
      outcome.prior_knowledge = arm.value("prior_knowledge", outcome.prior_knowledge);
      const Json forms = arm.value("forms", Json::object());
      for (const auto& [slot, form] : forms.items()) {
        outcome.forms.emplace_back(slot, form.get<std::string>());
      }
      for (const auto& [name, value] : arm.at("headline").items()) {
        outcome.headline.emplace_back(
            name, value.is_null() ? std::nullopt : std::optional(value.get<double>()));
      }
      info.arms.push_back(std::move(outcome));
    }
    return info;
  } catch (const Json::exception& problem) {
    throw Error(ErrorKind::state,
                fmt::format("{}: not the file of a run ({})", file.string(), problem.what()));
  }
}

RunInfo open_run(const RunFolder& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder.path(), ignored)) {
    throw Error(ErrorKind::config,
                fmt::format("{}: there is no such folder; a run is named by its folder, as in "
                            "runs/quickstart",
                            folder.path().string()));
  }
  if (!folder.exists()) {
    throw Error(ErrorKind::state, fmt::format("{}: a folder without a run (no run.json in it)",
                                              folder.path().string()));
  }
  return read_run_info(folder.file("run.json"));
}

RunInfo open_finished_run(const RunFolder& folder) {
  RunInfo info = open_run(folder);
  if (!info.done) {
    throw Error(ErrorKind::state, fmt::format("{}: the run is not finished; resume it first",
                                              folder.path().string()));
  }
  return info;
}

std::vector<std::filesystem::path> find_runs(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> runs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(root, ignored)) {
    if (std::filesystem::exists(entry.path() / "run.json", ignored)) {
      runs.push_back(entry.path());
    }
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

}  // namespace tyto
