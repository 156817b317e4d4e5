// SPDX-License-Identifier: Apache-2.0
// Importer of house_sensors: activities in a home, runs of minutes of binary sensors.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "tyto/data/import.hpp"
#include "tyto/data/importers/frame_runs.hpp"
#include "tyto/data/importers/pieces.hpp"

namespace tyto {

namespace {

constexpr std::string_view kHouseEvents = "sensor_events.csv.gz";
constexpr Index kMinute = 60;
constexpr Index kDay = 24 * 60 * kMinute;

struct HouseEvent {
  Index start, column;
};

struct HouseSensors {
  std::vector<HouseEvent> events;  // by time
  std::vector<std::string> names;  // of the columns, by number of the sensor
};

HouseSensors house_events(const CsvTable& csv, std::string_view house) {
  const auto start = csv.counts(csv.column("start_s"));
  const auto sensor = csv.counts(csv.column("sensor"));
  std::map<Index, std::string> names;
  std::vector<Index> rows;
  for (Index row = 0; row < csv.rows(); ++row) {
    if (csv.text(row, csv.column("house")) == house) {
      rows.push_back(row);
      names.emplace(sensor[at(row)], csv.text(row, csv.column("sensor_name")));
    }
  }
  HouseSensors out;
  std::map<Index, Index> column;
  for (const auto& [number, name] : names) {
    column.emplace(number, std::ssize(out.names));
    out.names.push_back(name.empty() ? fmt::format("sensor {}", number)
                                     : fmt::format("sensor {} {}", number, name));
  }
  for (const Index row : rows) {
    out.events.push_back({start[at(row)], column.at(sensor[at(row)])});
  }
  std::stable_sort(out.events.begin(), out.events.end(),
                   [](const HouseEvent& a, const HouseEvent& b) { return a.start < b.start; });
  return out;
}

std::string day_of(Index time_s) {
  const std::chrono::year_month_day day{std::chrono::sys_days{std::chrono::days{time_s / kDay}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

// A row per minute from the start on: how many events of each sensor begin in it, and the hour as a
// point on a circle. The last minute ends with the activity.
void house_minutes(const HouseSensors& sensors, Index start, Index end, MatrixRef out) {
  out.setZero();
  auto event = std::lower_bound(sensors.events.begin(), sensors.events.end(), start,
                                [](const HouseEvent& e, Index time) { return e.start < time; });
  for (; event != sensors.events.end() && event->start < end; ++event) {
    out((event->start - start) / kMinute, event->column) += 1;
  }
  for (Index m = 0; m < out.rows(); ++m) {
    const double turn = static_cast<double>((start + m * kMinute) % kDay) / kDay;
    out(m, out.cols() - 2) = static_cast<float>(std::sin(2 * std::numbers::pi * turn));
    out(m, out.cols() - 1) = static_cast<float>(std::cos(2 * std::numbers::pi * turn));
  }
}

Dataset read_house_sensors(const std::filesystem::path& folder, std::string_view house) {
  const CsvTable csv = CsvTable::load(needed_file(folder, "activities.csv"));
  HouseSensors sensors = house_events(CsvTable::load(needed_file(folder, kHouseEvents)), house);
  const auto starts = csv.counts(csv.column("start_s"));
  const auto lengths = csv.counts(csv.column("length_s"));
  Dataset dataset;
  dataset.name = fmt::format("house_sensors_{}", house);
  dataset.summary =
      fmt::format("activities in home {} by the minute, events of its binary sensors", house);
  dataset.about = {
      {"origin", "agnesvanbelle/TL; homes A to C of T. van Kasteren, D and E of MIT"},
      {"licence", "none stated; put on the web for research by their authors"},
      {"citation",
       "E. Munguia Tapia, S. Intille, K. Larson, Activity Recognition in the Home Using Simple and "
       "Ubiquitous Sensors, Pervasive 2004; T. van Kasteren's activity recognition datasets"},
      {"units",
       "a row per minute: events of each sensor that begin in it, as often as the origin lists "
       "them, and sine and cosine of the time of day"},
      {"intended_use", "tests of rare classes and of runs of very different length"}};
  std::vector<FrameRun> runs;
  std::vector<Index> row_of;
  Index rows = 0;
  for (Index row = 0; row < csv.rows(); ++row) {
    if (csv.text(row, csv.column("house")) != house) {
      continue;
    }
    const Index start = starts[at(row)];
    const Index minutes = std::max<Index>(1, (lengths[at(row)] + kMinute - 1) / kMinute);
    runs.push_back({fmt::format("{}{}", house, csv.text(row, csv.column("instance"))),
                    std::string(csv.text(row, csv.column("activity"))),
                    day_of(start),
                    "",
                    {rows, rows + minutes}});
    dataset.table.time.push_back(static_cast<double>(start));
    row_of.push_back(row);
    rows += minutes;
  }
  if (runs.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: no activity of home {}", csv.name(), house));
  }
  Matrix frames(rows, std::ssize(sensors.names) + 2);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Index start = starts[at(row_of[i])];
    house_minutes(sensors, start, start + lengths[at(row_of[i])],
                  frames.middleRows(runs[i].rows.first, runs[i].rows.size()));
  }
  sensors.names.insert(sensors.names.end(), {"hour_sin", "hour_cos"});
  put_runs(dataset, runs, frame_store(std::move(frames), std::move(sensors.names)));
  expect_distinct_ids(dataset.table, csv.name());
  return dataset;
}

}  // namespace

ImportSpec house_sensors_import() {
  return {"house_sensors",
          "8 to 24 activities in a home, binary sensors by the minute; groups are days",
          {"activities.csv", std::string(kHouseEvents)},
          {"A", "B", "C", "D", "E"},
          read_house_sensors};
}

}  // namespace tyto
