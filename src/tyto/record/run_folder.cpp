// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/run_folder.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeedFolder = "seed-";
constexpr std::int64_t kPhaseFormat = 2;  // of phase archives; 1 did not say so, nor the arm

void set_floats(State& state, std::string_view key, const std::vector<float>& values) {
  state.set(key,
            Matrix(Eigen::Map<const Matrix>(values.data(), 1, static_cast<Index>(values.size()))));
}

std::vector<float> get_floats(const State& state, std::string_view key) {
  const Matrix& values = state.get<Matrix>(key);
  return {values.data(), values.data() + values.size()};
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
  if (!given.by_epoch.epoch.empty()) {
    State& by_epoch = state.make_child("by_epoch");
    by_epoch.set("epoch", std::vector<std::int64_t>(given.by_epoch.epoch.begin(),
                                                    given.by_epoch.epoch.end()));
    by_epoch.set("confidence", given.by_epoch.confidence);
    set_floats(by_epoch, "native", given.by_epoch.native);
  }
}

void save_tasks(State& state, const std::map<std::string, Index>& task_of_class) {
  std::vector<std::string> classes;
  std::vector<std::int64_t> tasks;
  for (const auto& [name, task] : task_of_class) {
    classes.push_back(name);
    tasks.push_back(task);
  }
  state.set("class", std::move(classes));
  state.set("task", std::move(tasks));
}

std::map<std::string, Index> load_tasks(const State& state) {
  const auto& classes = state.get<std::vector<std::string>>("class");
  const auto& tasks = state.get<std::vector<std::int64_t>>("task");
  if (classes.size() != tasks.size()) {
    throw Error(ErrorKind::data,
                fmt::format("{} classes with tasks have {} tasks", classes.size(), tasks.size()));
  }
  std::map<std::string, Index> task_of_class;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    task_of_class.emplace(classes[i], static_cast<Index>(tasks[i]));
  }
  return task_of_class;
}

ByEpoch load_by_epoch(const State& given_known) {
  const auto found = given_known.children.find("by_epoch");
  if (found == given_known.children.end()) {
    return {};
  }
  const auto& epochs = found->second.get<std::vector<std::int64_t>>("epoch");
  return {{epochs.begin(), epochs.end()},
          found->second.get<Matrix>("confidence"),
          get_floats(found->second, "native")};
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
          state.get<double>("set_promise"),
          load_by_epoch(state)};
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
  if (!phase.last_shown.empty()) {
    state.set("last_shown",
              std::vector<std::int64_t>(phase.last_shown.begin(), phase.last_shown.end()));
  }
  state.set("labels_granted", std::int64_t{phase.labels_granted});
  if (!phase.task_of_class.empty()) {  // others' archives keep their bytes
    save_tasks(state.make_child("tasks"), phase.task_of_class);
  }
  if (phase.feedback) {
    State& feedback = state.make_child("feedback");
    feedback.set("spent", double{phase.feedback->spent});
    feedback.set("asked", std::int64_t{phase.feedback->asked});
    feedback.set("wrong", std::int64_t{phase.feedback->wrong});
  }
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
  if (state.has("last_shown")) {  // not in records of before this
    const auto& steps = state.get<std::vector<std::int64_t>>("last_shown");
    if (steps.size() != phase.shown.size()) {
      throw Error(ErrorKind::data,
                  fmt::format("{} classes were shown, but of {} it is said when they were last",
                              phase.shown.size(), steps.size()));
    }
    phase.last_shown.assign(steps.begin(), steps.end());
  }
  phase.labels_granted = static_cast<Index>(state.get<std::int64_t>("labels_granted"));
  if (state.children.contains("tasks")) {
    phase.task_of_class = load_tasks(state.child("tasks"));
  }
  if (const auto found = state.children.find("feedback"); found != state.children.end()) {
    phase.feedback = {found->second.get<double>("spent"),
                      static_cast<Index>(found->second.get<std::int64_t>("asked")),
                      static_cast<Index>(found->second.get<std::int64_t>("wrong"))};
  }
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

RunFolder RunFolder::seed(std::uint64_t number) const {
  return RunFolder(path_ / fmt::format("{}{}", kSeedFolder, number));
}

std::vector<RunFolder> RunFolder::seeds() const {
  std::vector<fs::path> paths;
  std::error_code problem;  // files come and go while a run goes on
  for (fs::directory_iterator entry(path_, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (entry->path().filename().string().starts_with(kSeedFolder)) {
      paths.push_back(entry->path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<RunFolder> found;
  for (fs::path& path : paths) {
    found.emplace_back(std::move(path));
  }
  return found;
}

void RunFolder::write_phase(std::string_view arm, const Phase& phase) const {
  make_folder(record(arm));
  State state = phase_to_state(phase);
  state.set("format", kPhaseFormat);
  state.set("arm", std::string(arm));
  write_archive(record(arm) / (phase.key.name() + ".npz"), state);
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

std::optional<PhaseKey> phase_key_of(const std::string& name) {  // "003_pre_test", "003-0001_..."
  const auto first = name.find('_');
  const auto second = name.find('_', first + 1);
  if (first == name.npos || second == name.npos) {
    return {};
  }
  PhaseKey key;
  const char* const numbers_end = name.data() + first;
  auto [end, problem] = std::from_chars(name.data(), numbers_end, key.step);
  if (problem == std::errc() && end != numbers_end && *end == '-') {
    const auto [after, bad] = std::from_chars(end + 1, numbers_end, key.batch);
    end = after;
    problem = bad;
  }
  if (problem != std::errc() || end != numbers_end) {
    return {};
  }
  key.phase = name.substr(first + 1, second - first - 1);
  key.split = name.substr(second + 1);
  return key;
}

std::vector<PhaseKey> stored_phases(const RunFolder& folder, std::string_view arm) {
  const fs::path record = folder.record(arm);
  std::error_code ignored;
  if (!fs::is_directory(record, ignored)) {
    throw Error(ErrorKind::state, fmt::format("{}: the run has no such arm", record.string()));
  }
  std::vector<PhaseKey> keys;
  for (const auto& entry : fs::directory_iterator(record, ignored)) {
    if (const auto key = phase_key_of(entry.path().stem().string());
        key && entry.path().filename() == key->name() + ".npz") {
      keys.push_back(*key);
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

StoredPhase read_stored_phase(const RunFolder& folder, std::string_view arm, const PhaseKey& key) {
  return read_as(folder.record(arm) / (key.name() + ".npz"), [](const State& state) {
    const std::int64_t format = state.has("format") ? state.get<std::int64_t>("format") : 1;
    if (format > kPhaseFormat) {
      throw Error(ErrorKind::state, fmt::format("a phase of format {}; this program reads up to {}",
                                                format, kPhaseFormat));
    }
    return StoredPhase{phase_from_state(state),
                       format < 2 ? std::nullopt : std::optional(state.get<std::string>("arm"))};
  });
}

StoredRecord::StoredRecord(const RunFolder& folder, std::string_view arm, const PhaseOrder& order)
    : StoredRecord(folder, arm, order, read_truth(folder)) {}

StoredRecord::StoredRecord(const RunFolder& folder, std::string_view arm, const PhaseOrder& order,
                           std::shared_ptr<const Truth> truth)
    : folder_(folder), arm_(arm), keys_(stored_phases(folder, arm)), truth_(std::move(truth)) {
  std::sort(keys_.begin(), keys_.end(),
            [&](const PhaseKey& a, const PhaseKey& b) { return order.before(a, b); });
}

void StoredRecord::keep_only(const std::vector<std::string>& committed) {
  std::erase_if(keys_, [&](const PhaseKey& key) {
    return std::find(committed.begin(), committed.end(), key.name()) == committed.end();
  });
}

Phase StoredRecord::phase(const PhaseKey& key) const {
  return read_stored_phase(folder_, arm_, key).phase;
}

}  // namespace tyto
