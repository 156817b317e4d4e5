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

// What a damaged file lacks, in words of our own.
class RunFields {
 public:
  RunFields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  template <class Value>
  [[nodiscard]] Value get(const char* key) const {
    if (!json_.is_object() || !json_.contains(key)) {
      refuse(fmt::format("lacks \"{}\"", key));
    }
    return typed<Value>(key);
  }

  template <class Value>
  [[nodiscard]] Value get(const char* key, Value standard) const {
    return json_.is_object() && json_.contains(key) ? typed<Value>(key) : standard;
  }

  [[nodiscard]] std::vector<RunFields> list(const char* key) const {
    std::vector<RunFields> out;
    if (!json_.contains(key) || !json_[key].is_array()) {
      refuse(fmt::format("lacks the list \"{}\"", key));
    }
    for (const Json& item : json_[key]) {
      out.emplace_back(item, fmt::format("{}: {}", where_, key));
    }
    return out;
  }

  [[nodiscard]] const Json& json() const { return json_; }

  [[noreturn]] void refuse(std::string_view what) const {
    throw Error(ErrorKind::state,
                fmt::format("{}: not the file of a run, or damaged: it {}", where_, what));
  }

 private:
  template <class Value>
  [[nodiscard]] Value typed(const char* key) const {
    try {
      return json_.at(key).get<Value>();
    } catch (const Json::exception&) {
      refuse(fmt::format("has {} for \"{}\"", json_.at(key).dump().substr(0, 40), key));
    }
  }

  const Json& json_;
  std::string where_;
};

Json parsed_run(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& problem) {
    const auto end =
        text.begin() + static_cast<std::ptrdiff_t>(std::min(problem.byte, text.size()));
    throw Error(ErrorKind::state,
                fmt::format("{}: not the file of a run, or damaged: {}", file.string(),
                            text.empty() ? "it is empty"
                                         : fmt::format("line {} is no JSON",
                                                       1 + std::count(text.begin(), end, '\n'))));
  } catch (const Json::out_of_range&) {
    throw Error(ErrorKind::state,
                fmt::format("{}: not the file of a run, or damaged: it has a number beyond all "
                            "that can be held",
                            file.string()));
  }
}

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
  if (info.novel_again > 0) {  // others' files keep their bytes
    out["novel_again"] = info.novel_again;
  }
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
  const Json json = parsed_run(file);
  const RunFields in(json, file.string());
  if (const int format = in.get<int>("tyto_run"); format != kRunFormat) {
    throw Error(ErrorKind::state,
                fmt::format("{}: format {} of a run; this program reads format {}", file.string(),
                            format, kRunFormat));
  }
  RunInfo info;
  info.name = in.get<std::string>("name");
  info.version = in.get<std::string>("version");
  info.revision = in.get<std::string>("revision");
  info.seed = in.get<std::uint64_t>("seed");
  info.seeds = in.get<std::vector<std::uint64_t>>("seeds");
  info.threads = in.get<int>("threads");
  info.blas_kernel = in.get<std::string>("blas_kernel");
  info.protocol = in.get("protocol", info.protocol);
  info.done = in.get<bool>("done");
  info.order.phases = in.get("phases", info.order.phases);
  info.order.splits = in.get("splits", info.order.splits);
  info.whole_splits = in.get("whole_splits", info.whole_splits);
  info.novel_again = in.get("novel_again", info.novel_again);
  if (json.contains("data")) {  // not in runs of older versions
    for (const RunFields& data : in.list("data")) {
      info.data.push_back({data.get<std::string>("name"), data.get<std::string>("digest"),
                           data.get<std::string>("source"), data.get<Index>("samples")});
    }
  }
  for (const RunFields& arm : in.list("arms")) {
    RunInfo::Outcome outcome;
    outcome.arm = arm.get<std::string>("arm");
    outcome.predictor = arm.get<std::string>("predictor");
    outcome.feedback = arm.get<std::string>("feedback");
    outcome.prior_knowledge = arm.get("prior_knowledge", outcome.prior_knowledge);
    const Json forms = arm.get("forms", Json::object());
    for (const auto& [slot, form] : forms.items()) {
      if (!form.is_string()) {
        arm.refuse(fmt::format("has no form for \"{}\"", slot));
      }
      outcome.forms.emplace_back(slot, form.get<std::string>());
    }
    const Json headline = arm.get<Json>("headline");
    for (const auto& [name, value] : headline.items()) {
      if (!value.is_null() && !value.is_number()) {
        arm.refuse(fmt::format("has no number for \"{}\"", name));
      }
      outcome.headline.emplace_back(
          name, value.is_null() ? std::nullopt : std::optional(value.get<double>()));
    }
    info.arms.push_back(std::move(outcome));
  }
  return info;
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
