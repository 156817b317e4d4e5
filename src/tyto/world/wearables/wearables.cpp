// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/wearables/wearables.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/record/observed_columns.hpp"
#include "tyto/sample/stores/joined_store.hpp"
#include "tyto/world/increments/increment_world.hpp"
#include "tyto/world/wearables/features.hpp"

namespace tyto {

namespace {

constexpr Index kMostWindows = 5'000'000;  // whose features take 1.8 GB
// So many windows of an activity are its own; beyond them come those of activities that are not
// sensed and look like it. More than any world has.
constexpr Index kOwnWindows = 1'000'000;

std::span<const std::string_view> activity_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Activity& activity : activity_catalogue()) {
      all.push_back(activity.name);
    }
    return all;
  }();
  return names;
}

std::span<const std::string_view> unsensed_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const UnsensedActivity& activity : unsensed_catalogue()) {
      all.push_back(activity.name);
    }
    return all;
  }();
  return names;
}

// In the catalogue's order.
std::vector<const Activity*> choose_activities(const WearableOptions& options, Rng rng) {
  const auto all = activity_catalogue();
  std::vector<Index> chosen(all.size());
  std::iota(chosen.begin(), chosen.end(), Index{0});
  if (!options.activities.empty()) {
    std::erase_if(chosen, [&](Index i) {
      return std::find(options.activities.begin(), options.activities.end(),
                       all[static_cast<std::size_t>(i)].name) == options.activities.end();
    });
  } else {
    if (options.choose == "random") {
      rng.shuffle(chosen);
    }
    chosen.resize(static_cast<std::size_t>(options.classes));
    std::sort(chosen.begin(), chosen.end());
  }
  std::vector<const Activity*> activities;
  for (const Index i : chosen) {
    activities.push_back(&all[static_cast<std::size_t>(i)]);
  }
  return activities;
}

// What people do, and as what the watch sees it.
struct Doing {
  std::string_view name;
  const Activity* seen_as;
  Index first_window;  // of the activity it is seen as: no two doings share a window
};

// Those that are sensed, then the others, each in the catalogue's order.
std::vector<Doing> choose_doings(const WearableOptions& options, const Rng& rng) {
  std::vector<Doing> doings;
  for (const Activity* activity : choose_activities(options, rng.fork("activities"))) {
    doings.push_back({activity->name, activity, 0});
  }
  Index place = 0;
  for (const UnsensedActivity& hidden : unsensed_catalogue()) {
    ++place;
    if (std::find(options.unsensed.begin(), options.unsensed.end(), hidden.name) !=
        options.unsensed.end()) {
      const auto all = activity_catalogue();
      const auto look = std::find_if(all.begin(), all.end(), [&](const Activity& activity) {
        return activity.name == hidden.seen_as;
      });
      TYTO_ASSERT(look != all.end());
      doings.push_back({hidden.name, &*look, place * kOwnWindows});
    }
  }
  return doings;
}

// Everything a window depends on; rows by subject, activity, window.
class WindowMaker {
 public:
  WindowMaker(const WearableOptions& options, std::uint64_t seed)
      : rng_(seed, "wearables"),
        doings_(choose_doings(options, rng_)),
        subjects_(options.subjects),
        windows_(options.windows),
        spread_(options.spread.scaled(options.difficulty)),
        sampling_{options.rate, options.window_length(), options.noise * options.difficulty},
        nuisance_(options.nuisance) {}

  [[nodiscard]] Index rows() const { return subjects_ * per_subject(); }

  [[nodiscard]] Index per_subject() const { return static_cast<Index>(doings_.size()) * windows_; }

  [[nodiscard]] Index subject(Index row) const { return row / per_subject(); }

  [[nodiscard]] Index window(Index row) const { return row % windows_; }

  [[nodiscard]] std::string_view name(Index row) const { return doing(row).name; }

  [[nodiscard]] std::string_view seen_as(Index row) const { return doing(row).seen_as->name; }

  [[nodiscard]] const Sampling& sampling() const { return sampling_; }

  [[nodiscard]] const Rng& rng() const { return rng_; }

  [[nodiscard]] Motion motion(Index row) const {
    return draw_motion(subject(row), *doing(row).seen_as, sensed_window(row), spread_, rng_);
  }

  [[nodiscard]] Matrix signal(Index row) const {
    const Rng stream = rng_.fork("signal", static_cast<std::uint64_t>(subject(row)))
                           .fork(seen_as(row), static_cast<std::uint64_t>(sensed_window(row)));
    Signal signal = synthesise(*doing(row).seen_as, motion(row), sampling_, stream);
    if (!altered_.empty()) {
      alter(altered_[static_cast<std::size_t>(row)], nuisance_, stream.fork("nuisance"), signal);
    }
    return signal.cast<float>();
  }

  void set_altered(std::vector<Alteration> altered) { altered_ = std::move(altered); }

 private:
  [[nodiscard]] const Doing& doing(Index row) const {
    return doings_[static_cast<std::size_t>(row % per_subject() / windows_)];
  }

  [[nodiscard]] Index sensed_window(Index row) const {
    return doing(row).first_window + window(row);
  }

  Rng rng_;
  std::vector<Doing> doings_;
  Index subjects_, windows_;
  SpreadOptions spread_;
  Sampling sampling_;
  NuisanceOptions nuisance_;
  std::vector<Alteration> altered_;  // by row; empty: none
};

class SignalStore final : public FeatureStore {
 public:
  SignalStore(WindowMaker maker, std::string digest)
      : maker_(std::move(maker)), digest_(std::move(digest)) {}

  [[nodiscard]] Index rows() const override { return maker_.rows(); }

  [[nodiscard]] std::vector<std::string> sources() const override { return {"signal"}; }

  [[nodiscard]] std::vector<Index> shape(std::string_view source) const override {
    expect(source);
    return {kChannels, maker_.sampling().length};
  }

  void gather(std::string_view source, Rows rows, MatrixRef out) const override {
    expect(source);
    for_each_index(static_cast<Index>(rows.size()), [&](Index i) {
      const Matrix signal = maker_.signal(rows[static_cast<std::size_t>(i)]);
      out.row(i) = Eigen::Map<const Eigen::RowVectorXf>(signal.data(), signal.size());
    });
  }

  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const override {
    expect(source);
    return {};
  }

  [[nodiscard]] std::string digest() const override { return digest_; }

 private:
  static void expect(std::string_view source) {
    if (source != "signal") {
      throw Error(ErrorKind::data,
                  fmt::format("the data have no source \"{}\"; there is: signal", source));
    }
  }

  WindowMaker maker_;
  std::string digest_;
};

IndexTable make_table(const WindowMaker& maker, const WearableOptions& options) {
  IndexTable table;
  // A recording shows its windows in a drawn order: its clock must not tell the activity.
  std::vector<Index> place;
  for (Index row = 0; row < maker.rows(); ++row) {
    const Index subject = maker.subject(row);
    if (row % maker.per_subject() == 0) {
      Rng recording = maker.rng().fork("recording", static_cast<std::uint64_t>(subject));
      place = recording.permutation(maker.per_subject());
    }
    const Motion motion = maker.motion(row);
    const std::string person = fmt::format("s{:03}", subject + 1);
    table.id.push_back(fmt::format("{}_{}_{:02}", person, maker.name(row), maker.window(row) + 1));
    table.label.emplace_back(maker.name(row));
    table.group.push_back(person);
    table.time.push_back(
        options.window_s *
        static_cast<double>(place[static_cast<std::size_t>(row % maker.per_subject())]));
    table.annotations["subject"].push_back(person);
    table.annotations["hand"].emplace_back(motion.left ? "left" : "right");
    table.annotations["tempo"].push_back(fmt::format("{:.4f}", motion.tempo));
    table.annotations["vigour"].push_back(fmt::format("{:.4f}", motion.vigour));
    if (!options.unsensed.empty()) {
      table.annotations[std::string(kSeenAsColumn)].emplace_back(maker.seen_as(row));
    }
  }
  return table;
}

Matrix all_features(const WindowMaker& maker) {
  Matrix values(maker.rows(), static_cast<Index>(window_feature_names().size()));
  for_each_index(maker.rows(), [&](Index row) {
    values.row(row) = window_features(maker.signal(row), maker.sampling().rate).transpose();
  });
  return values;
}

std::shared_ptr<const FeatureStore> make_store(const WindowMaker& maker,
                                               const WearableOptions& options) {
  const std::vector<std::string> names = window_feature_names();
  std::vector<DenseStore::Source> sources;
  sources.push_back({"features", all_features(maker), names});
  for (const std::string& kind : options.altered_sources) {
    WindowMaker other = maker;
    other.set_altered(std::vector<Alteration>(at(maker.rows()), named_alteration(kind)));
    sources.push_back({"features_" + kind, all_features(other), names});
  }
  auto features = std::make_shared<const DenseStore>(std::move(sources));
  if (!options.signals) {
    return features;
  }
  // The features are a function of the signals, so their digest tells both apart.
  const std::string key = features->digest() + "signal";
  auto signal = std::make_shared<const SignalStore>(maker, digest(std::as_bytes(std::span(key))));
  return std::make_shared<const CombinedStore>(
      std::vector<StorePiece>{{"features", features}, {"signal", signal}});
}

}  // namespace

void WearableOptions::describe(OptionVisitor& visitor) {
  static constexpr std::string_view kChoose[] = {"random", "first"};
  visitor.field("classes", classes, {2, static_cast<double>(activity_catalogue().size())},
                "number of activities");
  visitor.field("activities", activities, activity_names(), "which, instead of a number of them");
  visitor.field("choose", choose, kChoose, "which activities, where a number is given");
  visitor.field("unsensed", unsensed, unsensed_names(),
                "besides: activities of legs and feet, which a watch cannot tell from those that "
                "the annotation \"seen_as\" names");
  visitor.field("subjects", subjects, {2, 1e5}, "number of people");
  visitor.field("windows", windows, {1, 1e5}, "windows per person and activity");
  visitor.field("window_s", window_s, {1, 60}, "seconds per window");
  visitor.field("rate", rate, {20, 500}, "readings per second");
  visitor.field("difficulty", difficulty, {0, 10},
                "factor of noise and of spread but variation and left_handed; 0: all alike");
  visitor.section(
      "spread", [this](OptionVisitor& inner) { spread.describe(inner); },
      "standard deviations between people, at difficulty 1");
  visitor.field("noise", noise, {0, 10}, "of the sensor, g and rad/s, at difficulty 1");
  visitor.section(
      "nuisance", [this](OptionVisitor& inner) { nuisance.describe(inner); },
      "altered observations; the annotation \"altered\" says which");
  visitor.field("altered_sources", altered_sources, kAlterationKinds,
                "add the features of every window under each of these as source features_NAME, "
                "for nuisance_tests");
  visitor.field("signals", signals, "add the raw readings as source \"signal\", made on request");
  schedule.describe(visitor);
}

void WearableOptions::check() const {
  const std::string& path = schedule.path;
  for (const auto& [key, names] : {std::pair("activities", &activities), {"unsensed", &unsensed}}) {
    std::set<std::string> distinct;
    for (const std::string& name : *names) {
      if (!distinct.insert(name).second) {
        throw Error(ErrorKind::config, fmt::format("{}.{}: \"{}\" stands twice", path, key, name));
      }
    }
  }
  if (activities.size() == 1) {
    throw Error(ErrorKind::config,
                fmt::format("{}.activities: a world needs 2 activities or more, not only \"{}\"",
                            path, activities.front()));
  }
  const Index kinds =
      (activities.empty() ? classes : std::ssize(activities)) + std::ssize(unsensed);
  if (kinds * subjects > kMostWindows / windows) {
    throw Error(ErrorKind::config,
                fmt::format("{}.windows: {} for each of {} subjects and {} activities are more "
                            "than {} windows in all",
                            path, windows, subjects, kinds, kMostWindows));
  }
  nuisance.check(fmt::format("{}.nuisance", path));
  schedule.split.check(fmt::format("{}.split", path));
}

Index WearableOptions::window_length() const {
  return static_cast<Index>(std::llround(window_s * rate));
}

Wearables make_wearables(const WearableOptions& options, std::uint64_t seed) {
  options.check();
  WindowMaker maker(options, seed);
  Dataset dataset;
  dataset.name = "wearables";
  dataset.summary = "simulated readings of a watch";
  dataset.table = make_table(maker, options);
  Wearables made;
  made.series = join_series({std::move(dataset)});
  made.schedule = draw_schedule(made.series, options.schedule, seed);
  const std::vector<Alteration> altered =
      draw_alterations(made.schedule, maker.rows(), options.nuisance, maker.rng().fork("altered"));
  std::vector<std::string>& column =
      made.series.joined.table.annotations[std::string(kAlteredColumn)];
  for (const Alteration alteration : altered) {
    column.emplace_back(alteration_name(alteration));
  }
  maker.set_altered(altered);
  made.series.joined.store = make_store(maker, options);
  return made;
}

WorldSpec wearables_spec() {
  WorldSpec spec;
  spec.name = "wearables";
  spec.summary = "simulated: 30 activities of people wearing a watch, with altered observations";
  spec.needs_data = false;
  const auto read = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<WearableOptions>(node, path);
    options.schedule.path = path;
    options.check();
    return options;
  };
  describe_options<WearableOptions>(spec, read);
  spec.simulate = [read](const ConfigNode& node, std::string_view path, std::uint64_t seed) {
    return make_wearables(read(node, path), seed).series.joined;
  };
  spec.build = [read](const ConfigNode& node, std::string_view path, const std::vector<Dataset>&,
                      std::uint64_t seed) {
    const WearableOptions options = read(node, path);
    Wearables made = make_wearables(options, seed);
    return build_increments(std::move(made.series), std::move(made.schedule), options.schedule,
                            seed);
  };
  return spec;
}

}  // namespace tyto
