// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/run_folder.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "tyto/core/archive.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

void set_floats(State& state, std::string_view key, const std::vector<float>& values) {
  state.set(key,
            Matrix(Eigen::Map<const Matrix>(values.data(), 1, static_cast<Index>(values.size()))));
}

std::vector<float> get_floats(const State& state, std::string_view key) {
  const Matrix& values = state.get<Matrix>(key);
  return {values.data(), values.data() + values.size()};
}

std::optional<PhaseKey> parse_key(const std::string& stem) {  // "003_pre_test", "003-0001_..."
  const auto first = stem.find('_');
  const auto second = stem.find('_', first + 1);
  if (first == stem.npos || second == stem.npos) {
    return {};
  }
  PhaseKey key;
  const char* const numbers_end = stem.data() + first;
  auto [end, problem] = std::from_chars(stem.data(), numbers_end, key.step);
  if (problem == std::errc() && end != numbers_end && *end == '-') {
    const auto [after, bad] = std::from_chars(end + 1, numbers_end, key.batch);
    end = after;
    problem = bad;
  }
  if (problem != std::errc() || end != numbers_end) {
    return {};
  }
  key.phase = stem.substr(first + 1, second - first - 1);
  key.split = stem.substr(second + 1);
  return key;
}

// The archive as what it should be; an archive of something else is named.
template <class Parse>
auto read_as(const fs::path& path, const Parse& parse) {
  const State state = read_archive(path);
  try {
    return parse(state);
  } catch (const Error& problem) {
    throw Error(problem.kind(), fmt::format("{}: {}", path.string(), problem.what()));
  }
}

void save_given_known(State& state, const GivenKnown& given) {
  state.set("best", Dense<std::int32_t>(Eigen::Map<const Dense<std::int32_t>>(
                        given.best.data(), 1, std::ssize(given.best))));
  set_floats(state, "confidence", given.confidence);
  set_floats(state, "log_true", given.log_true);
  set_floats(state, "squares", given.squares);
  set_floats(state, "temperature", given.temperature);
  set_floats(state, "set_size", given.set_size);
  set_floats(state, "in_set", given.in_set);
  state.set("set_promise", double{given.set_promise});
}

GivenKnown load_given_known(const State& state) {
  const auto& best = state.get<Dense<std::int32_t>>("best");
  return {{best.data(), best.data() + best.size()},
          get_floats(state, "confidence"),
          get_floats(state, "log_true"),
          get_floats(state, "squares"),
          get_floats(state, "temperature"),
          get_floats(state, "set_size"),
          get_floats(state, "in_set"),
          state.get<double>("set_promise")};
}

}  // namespace

State phase_to_state(const Phase& phase) {
  State state;
  state.set("step", std::int64_t{phase.key.step});
  state.set("phase", phase.key.phase);
  state.set("split", phase.key.split);
  state.set("batch", std::int64_t{phase.key.batch});
  phase.space.save(state.make_child("space"));
  state.set("known", phase.known);
  state.set("granted", phase.granted);
  state.set("shown", phase.shown);
  state.set("labels_granted", std::int64_t{phase.labels_granted});
  std::vector<std::int64_t> ids;
  for (const SampleId id : phase.sample) {
    ids.push_back(static_cast<std::int64_t>(id));
  }
  state.set("sample", std::move(ids));
  state.set("top", phase.top);
  state.set("top_probability", phase.top_probability);
  set_floats(state, "p_true", phase.p_true);
  set_floats(state, "p_unknown", phase.p_unknown);
  set_floats(state, "novelty", phase.novelty);
  set_floats(state, "p_value", phase.p_value);
  set_floats(state, "confidence", phase.confidence);
  set_floats(state, "changed", phase.changed);
  if (phase.probability.size() > 0) {
    state.set("probability", phase.probability);
  }
  if (!phase.given_known.best.empty()) {
    save_given_known(state.make_child("given_known"), phase.given_known);
  }
  return state;
}

Phase phase_from_state(const State& state) {
  Phase phase;
  phase.key = {static_cast<Index>(state.get<std::int64_t>("step")), state.get<std::string>("phase"),
               state.get<std::string>("split"),
               static_cast<Index>(state.get<std::int64_t>("batch"))};
  phase.space = LabelSpace::loaded(state.child("space"));
  phase.known = state.get<std::vector<std::string>>("known");
  phase.granted = state.get<std::vector<std::string>>("granted");
  phase.shown = state.get<std::vector<std::string>>("shown");
  phase.labels_granted = static_cast<Index>(state.get<std::int64_t>("labels_granted"));
  for (const std::int64_t id : state.get<std::vector<std::int64_t>>("sample")) {
    phase.sample.push_back(static_cast<SampleId>(id));
  }
  phase.top = state.get<Dense<std::int32_t>>("top");
  phase.top_probability = state.get<Matrix>("top_probability");
  phase.p_true = get_floats(state, "p_true");
  phase.p_unknown = get_floats(state, "p_unknown");
  phase.novelty = get_floats(state, "novelty");
  phase.p_value = get_floats(state, "p_value");
  phase.confidence = get_floats(state, "confidence");
  phase.changed = get_floats(state, "changed");
  if (state.has("probability")) {
    phase.probability = state.get<Matrix>("probability");
  }
  if (state.children.contains("given_known")) {
    phase.given_known = load_given_known(state.child("given_known"));
  }
  return phase;
}

State truth_to_state(const Truth& truth) {
  State state;
  state.set("name", truth.name);
  state.set("label", truth.label);
  State& annotations = state.make_child("annotations");
  for (const auto& [column, values] : truth.annotations) {
    annotations.set(column, values);
  }
  if (!truth.time.empty()) {
    state.set("time", Dense<double>(Eigen::Map<const Dense<double>>(truth.time.data(), 1,
                                                                    std::ssize(truth.time))));
  }
  const auto noted = truth.annotations.find("group");
  const bool is_noted = noted != truth.annotations.end() && noted->second == truth.group;
  if (!truth.group.empty() && !is_noted) {
    state.set("group", truth.group);
  }
  return state;
}

Truth truth_from_state(const State& state) {
  Truth truth;
  truth.name = state.get<std::vector<std::string>>("name");
  truth.label = state.get<std::vector<std::string>>("label");
  const State& annotations = state.child("annotations");
  for (const auto& [column, values] : annotations.values) {
    truth.annotations.emplace(column, annotations.get<std::vector<std::string>>(column));
  }
  if (state.has("time")) {
    const auto& time = state.get<Dense<double>>("time");
    truth.time.assign(time.data(), time.data() + time.size());
  }
  if (state.has("group")) {
    truth.group = state.get<std::vector<std::string>>("group");
  } else if (const auto noted = truth.annotations.find("group"); noted != truth.annotations.end()) {
    truth.group = noted->second;
  }
  return truth;
}

fs::path RunFolder::record(std::string_view arm) const {
  return path_ / "record" / arm;
}

fs::path RunFolder::checkpoint(std::string_view arm) const {
  return path_ / "checkpoints" / fmt::format("{}.npz", arm);
}

fs::path RunFolder::state(std::string_view arm, Index increment) const {
  return path_ / "states" / arm / fmt::format("{:03}.npz", increment);
}

fs::path RunFolder::notes(std::string_view arm) const {
  return path_ / "arms" / arm;
}

bool RunFolder::exists() const {
  return fs::exists(path_ / "run.json");
}

void RunFolder::write_phase(std::string_view arm, const Phase& phase) const {
  make_folder(record(arm));
  write_archive(record(arm) / (phase.key.name() + ".npz"), phase_to_state(phase));
}

void RunFolder::cut_record(std::string_view arm, const std::vector<std::string>& committed) const {
  std::error_code ignored;
  std::vector<fs::path> extra;
  for (const auto& entry : fs::directory_iterator(record(arm), ignored)) {
    const std::string stem = entry.path().stem().string();
    const bool kept = entry.path().extension() == ".npz" &&
                      std::find(committed.begin(), committed.end(), stem) != committed.end();
    if (!kept) {
      extra.push_back(entry.path());
    }
  }
  for (const fs::path& path : extra) {
    std::error_code problem;
    fs::remove_all(path, problem);
    if (problem) {
      throw Error(ErrorKind::io,
                  fmt::format("{}: cannot be removed: {}", path.string(), problem.message()));
    }
  }
}

std::shared_ptr<const Truth> read_truth(const RunFolder& folder) {
  if (!fs::exists(folder.file("truth.npz"))) {
    return nullptr;
  }
  return std::make_shared<const Truth>(read_as(folder.file("truth.npz"), truth_from_state));
}

StoredRecord::StoredRecord(const RunFolder& folder, std::string_view arm)
    : StoredRecord(folder, arm, read_truth(folder)) {}

void StoredRecord::keep_only(const std::vector<std::string>& committed) {
  std::erase_if(keys_, [&](const PhaseKey& key) {
    return std::find(committed.begin(), committed.end(), key.name()) == committed.end();
  });
}

StoredRecord::StoredRecord(const RunFolder& folder, std::string_view arm,
                           std::shared_ptr<const Truth> truth)
    : folder_(folder.record(arm)), truth_(std::move(truth)) {
  std::error_code ignored;
  if (!fs::is_directory(folder_, ignored)) {
    throw Error(ErrorKind::state, fmt::format("{}: the run has no such arm", folder_.string()));
  }
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    if (const auto key = parse_key(entry.path().stem().string());
        key && entry.path().filename() == key->name() + ".npz") {
      keys_.push_back(*key);
    }
  }
  std::sort(keys_.begin(), keys_.end(), [](const PhaseKey& a, const PhaseKey& b) {
    // In the order of events: pre before post, train before validate before test.
    const auto rank = [](const PhaseKey& key) {
      const int phase = key.phase == "pre" ? 0 : 1;
      const int split = key.split == "train" ? 0 : key.split == "validate" ? 1 : 2;
      return std::tuple(key.step, phase, key.phase, key.batch, split, key.split);
    };
    return rank(a) < rank(b);
  });
}

Phase StoredRecord::phase(const PhaseKey& key) const {
  return read_as(folder_ / (key.name() + ".npz"), phase_from_state);
}

}  // namespace tyto
